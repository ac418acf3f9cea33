"""Speed of this checkout against another version: ``scripts/bench --against REV``.

Both versions run in processes of their own, on one core, and are measured in turns: a busy
machine slows both alike. Printed is the ratio of their rates, the mean over pairs with its 95 %
interval; above 1 this checkout is faster.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import action_list, pin_to_one_core
from benchmarks.versions import ROOT, Worker, unpacked

CASES = [
    "kuhn-poker 2 random",
    "leduc-poker 2 random",
    "monty-hall 1 random",
    "agram 2 random",
    "pairs 3 random",
    "hearts 4 random",
    "tic-tac-toe 2 random",
    "love-letter 4 random",
    "uno 4 random",
    "tic-tac-toe 2 mcts:iterations=1000",
    "connect-four 2 mcts:iterations=1000",
    "love-letter 4 ismcts:iterations=1000",
    "hearts 4 ismcts:iterations=200",
]
"""Game, players, agent: random games in the match loop, or one decision of a search."""


def case_work(case: str) -> Callable[[int], Any]:
    """A case in the version that Python finds: a function that does it so many times."""
    import kibitz
    from kibitz.core.agent import make_agent, make_agents

    game, players, spec = case.split()
    table: Any = kibitz.load(game).table(int(players))
    if "iterations" not in spec:
        try:
            play: Any = kibitz.play
        except AttributeError:  # an earlier version
            play = importlib.import_module("kibitz.runs").play_batch
        agents = make_agents([spec], table.players)
        return lambda times: play(table, agents, times, seed=1, workers=1)
    state = table.new_state(1)
    legal = state.legal_actions()
    actions = action_list(legal)
    binding: Any = make_agent(spec).bind(table)
    rules = table.address if hasattr(table, "address") else table.rules

    def decide(times: int) -> None:
        for _ in range(times):
            binding.record["rng"] = [1, 2, 3, 4]
            binding.ask(rules, state.address, actions.ctypes.data, len(legal))

    return decide


def measure(case: str, seconds: float) -> None:
    """The process of one version: a rate, times per second of CPU time, for each line of input."""
    work = case_work(case)
    times, spent = 1, 0.0
    work(1)
    while spent < seconds / 4:
        times = times * 2 if spent < seconds / 8 else math.ceil(times * seconds / spent)
        began = time.process_time()
        work(times)
        spent = time.process_time() - began
    times = math.ceil(times * seconds / spent)
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.process_time()
        work(times)
        print(times / (time.process_time() - began), flush=True)


def ratio(case: str, other: Path, pairs: int, seconds: float) -> tuple[float, float, float]:
    """By how much this checkout is faster in a case, with its interval."""
    import numpy as np

    from kibitz.studies.moments import Moments

    arguments = ["--case", case, "--seconds", str(seconds)]
    sides = [Worker(place, "benchmarks.against", arguments, case) for place in (ROOT, other)]
    logs = []
    try:
        for side in sides:
            side.receive()
        for i in range(pairs):
            rates = [0.0, 0.0]
            for s in (0, 1) if i % 2 == 0 else (1, 0):
                rates[s] = float(sides[s].ask("go"))
            logs.append(math.log(rates[0] / rates[1]))
    finally:
        for side in sides:
            side.close()
    summary = Moments.of(np.array(logs)).summary()
    low, high = summary.interval or (-math.inf, math.inf)
    return math.exp(summary.mean or 0.0), math.exp(low), math.exp(high)


def main() -> None:
    """Prints the ratio of every case."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REV", help="the other version, as Git names it")
    parser.add_argument("--only", metavar="TEXT", default="", help="only cases with this text")
    parser.add_argument("--pairs", type=int, default=16, help="measurements of each version")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a measurement")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.case:
        measure(chosen.case, chosen.seconds)
        return
    pin_to_one_core()
    with unpacked(chosen.against) as other:
        for case in CASES:
            if chosen.only in case:
                found = ratio(case, other, chosen.pairs, chosen.seconds)
                print(f"{case:<44}{found[0]:6.3f}  ({found[1]:.3f} to {found[2]:.3f})", flush=True)


if __name__ == "__main__":
    main()
