"""Strength of this checkout's search against another version's, in games that both play.

``python -m benchmarks.match_against REV`` plays all cases, ``--only TEXT`` some. Each version
runs in a process of its own, all on one core. Each keeps the game in its own state: both begin
with the same seed and are told every action, so that both see the same deal; a game in which
their rules differ is refused. What fits into the time of a decision is measured first, as
iterations of each version over the same positions, measured in turns. Each deal is played with
all seatings, so that luck counts for both alike. Printed is the share of this checkout's wins,
shared wins in part, with its 95 % interval over deals: 50 % is equal strength.

Games in GDL ask versions from before the grounder of our own for the package ``clingo``.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import action_list, pin_to_one_core
from benchmarks.versions import ROOT, Worker, unpacked

PROBES = 20
"""Positions over which the time of an iteration is measured."""

ROUNDS = 3
"""How often each version's time is measured, in turns."""


class Case(NamedTuple):
    """A game and the search that both versions play it with."""

    game: str
    players: int
    agent: str
    parameters: dict[str, int] = {}  # noqa: RUF012 # never changed


CASES = [
    Case("tic-tac-toe", 2, "mcts"),
    Case("connect-four", 2, "mcts"),
    Case("breakthrough", 2, "mcts"),
    Case("light-cycles", 2, "ggp"),
    Case("hearts", 4, "ismcts", {"queen": 0}),
    Case("love-letter", 2, "ismcts"),
    Case("uno", 2, "ismcts"),
    Case("colt-express", 2, "ismcts"),
]


class Seats:
    """The process of one version: its state of the game, and its agent in each seat."""

    def __init__(self, case: Case) -> None:
        import kibitz

        game: Any = kibitz.load(case.game)
        self._table = game.table(case.players, **case.parameters)
        self._agent = case.agent
        self._rules = getattr(self._table, "address", None) or self._table.rules
        self._bindings: list[Any] = []
        self._state: Any = None
        self._random = random.Random()

    def begin(self, seed: int, iterations: int) -> None:
        """Begins a game with agents of so many iterations."""
        from kibitz.core.agent import make_agent
        from kibitz.core.randomness import AGENT_STREAM, start_stream

        self._state = self._table.new_state(seed)
        self._random.seed(seed)
        agent = f"{self._agent}:iterations={iterations}"
        self._bindings = [make_agent(agent).bind(self._table) for _ in range(self._table.players)]
        for seat, binding in enumerate(self._bindings):
            rng = [0, 0, 0, 0]
            start_stream(rng, seed, AGENT_STREAM + seat)
            binding.record["rng"] = rng
            if "seat" in binding.record.dtype.names:
                binding.record["seat"] = seat
            binding.record["games"] += 1

    def look(self) -> list[Any]:
        """What both versions must agree on: who is to move and the actions, or the places."""
        state = self._state
        if state.is_terminal:
            return ["end", [int(place) for place in state.places()]]
        words = [state.action_words(action) for action in state.legal_actions()]
        return ["play", int(state.current_player), words]

    def choose(self) -> int:
        """Where among the legal actions is that of the agent in the seat to move."""
        state = self._state
        legal = state.legal_actions()
        player = state.current_player
        sample = getattr(state, "determinize", None) or state.observe
        shown = bytes(sample(player, self._random.randrange(1 << 30)))
        room = ctypes.create_string_buffer(shown, len(shown))
        actions = action_list(legal)
        chosen = self._bindings[player].ask(
            self._rules, ctypes.addressof(room), actions.ctypes.data, len(legal)
        )
        return int(legal.index(chosen))

    def apply(self, place: int) -> None:
        """Plays the action at this place of the legal ones."""
        self._state.apply(self._state.legal_actions()[place])

    def seconds(self, iterations: int) -> float:
        """The CPU time of a decision, the mean over some positions of random games."""
        rng = random.Random(5)
        spent = 0.0
        for seed in range(PROBES):
            self.begin(seed, iterations)
            for _ in range(rng.randrange(2, 40)):
                if not self._state.is_terminal:
                    before = self._state.clone()
                    self.apply(rng.randrange(len(before.legal_actions())))
            if self._state.is_terminal or len(self._state.legal_actions()) < 2:
                self._state = before
            self.choose()  # touches the memory
            for binding in self._bindings:
                binding.record["games"] += 1
                if binding.record["memory_size"][0] > 0:
                    ctypes.c_int64.from_address(int(binding.record["memory"][0])).value = 0
            began = time.process_time()
            self.choose()
            spent += time.process_time() - began
        return spent / PROBES


def serve(case: Case) -> None:
    """Answers a line of JSON for each line of input: a method of ``Seats``, its arguments."""
    seats = Seats(case)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(getattr(seats, name)(*arguments)), flush=True)


class Pair:
    """Both versions at one case."""

    def __init__(self, number: int, other: Path) -> None:
        self.case = CASES[number]
        arguments = ["--serve", str(number)]
        module = "benchmarks.match_against"
        self.workers = [
            Worker(place, module, arguments, self.case.game) for place in (ROOT, other)
        ]

    def ask(self, which: int, *request: Any) -> Any:
        """The answer of a version, 0: this checkout, to a call."""
        return json.loads(self.workers[which].ask(json.dumps(request)))

    def iterations_within(self, milliseconds: float) -> list[int]:
        """For each version: the iterations that fit into the time of a decision."""
        few, many = 20, 2000
        for which in (0, 1):
            self.ask(which, "seconds", few)  # compiles
        fixed = min(self.ask(which, "seconds", few) for which in (0, 1))
        many = max(3 * few, min(many, round(few * milliseconds / 1000 / max(fixed, 1e-6))))
        each: list[list[float]] = [[], []]
        for turn in range(ROUNDS):
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                base = self.ask(which, "seconds", few)
                whole = self.ask(which, "seconds", many)
                each[which].append(max(whole - base, 0.05 * whole) / (many - few))
        seconds = [statistics.median(found) for found in each]
        return [max(1, round(milliseconds / 1000 / second)) for second in seconds]

    def play(self, seed: int, seating: list[int], iterations: list[int]) -> float:
        """The share of a game's win that this checkout gets; who sits where: 0 is this one.

        Raises:
            RuntimeError: the rules of the two versions differ.
        """
        for which in (0, 1):
            self.ask(which, "begin", seed, iterations[which])
        while True:
            seen = self.ask(0, "look")
            if seen != self.ask(1, "look"):
                raise RuntimeError(f"{self.case.game}: the versions' rules differ, seed {seed}")
            if seen[0] == "end":
                first = [seat for seat, place in enumerate(seen[1]) if place == 1]
                return sum(seating[seat] == 0 for seat in first) / len(first)
            _, player, words = seen
            place = self.ask(seating[player], "choose") if len(words) > 1 else 0
            for which in (0, 1):
                self.ask(which, "apply", place)

    def deals(self, iterations: list[int], seed: int) -> Iterator[float]:
        """The mean share of one deal after another, over all seatings of it."""
        from benchmarks.matches import layouts  # imports what older versions lack

        seatings = [[*found] for found in layouts(self.case.players)]
        seatings += [[1 - seat for seat in found] for found in seatings]
        while True:
            yield statistics.fmean(self.play(seed, found, iterations) for found in seatings)
            seed += 1

    def close(self) -> None:
        """Ends both processes."""
        for worker in self.workers:
            worker.close()


def row(case: Case, iterations: list[int], shares: list[float]) -> str:
    """A result in words: the mean of the deals' shares; of several with its interval."""
    interval = ""
    if len(shares) > 1:
        error = 1.96 * float(np.std(shares, ddof=1)) / math.sqrt(len(shares))
        interval = f" ± {100 * error:.1f}"
    games = len(shares) * math.comb(case.players, case.players // 2)
    return (
        f"{case.game:<14}{case.players:>2} {case.agent:<7}"
        f"{iterations[0]:>7,}{iterations[1]:>8,} iterations"
        f"{100 * statistics.fmean(shares):7.1f} %{interval} of {games:,} games"
    )


def main() -> None:
    """Prints a row for each case."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("revision", nargs="?", help="the other version, as Git names it")
    parser.add_argument("--only", metavar="TEXT", default="", help="only games with this text")
    parser.add_argument("--milliseconds", type=float, default=10.0, help="of a decision")
    parser.add_argument("--iterations", type=int, help="of both, instead of a time")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each game")
    parser.add_argument("--seed", type=int, default=1, help="of the first deal")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve is not None:
        serve(CASES[chosen.serve])
        return
    if chosen.revision is None:
        parser.error("which version? Give one as Git names it, such as HEAD~1 or a tag")
    pin_to_one_core()
    with unpacked(chosen.revision) as other:
        for number, case in enumerate(CASES):
            if chosen.only not in case.game:
                continue
            pair = Pair(number, other)
            try:
                iterations = [chosen.iterations] * 2
                if chosen.iterations is None:
                    iterations = pair.iterations_within(chosen.milliseconds)
                shares: list[float] = []
                for share in pair.deals(iterations, chosen.seed):
                    if not shares:
                        began = time.monotonic()  # the first deal compiles
                    shares.append(share)
                    if time.monotonic() - began > chosen.seconds:
                        break
            finally:
                pair.close()
            print(row(case, iterations, shares), flush=True)


if __name__ == "__main__":
    main()
