"""How much faster a search is whose rollouts end with the deal: ``python -m benchmarks.deals``.

Games of several deals, at equal iterations of ``ismcts`` with ``rollout=deal`` and
``rollout=end``, in positions of random games: at the beginning of a match, and throughout it,
where less is left to be played out. A decision is asked for as the match loop asks for it. How
many actions random play takes to the end of the match, for one to the end of the deal, is
about what could be gained at most if the tree cost nothing: where that is less than what is
promised, the benchmark says that the promise cannot be kept there.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

import numpy as np

import kibitz
from benchmarks.measure import Check, pin_to_one_core, verdict
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import make_agent
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.memory import INT32, array_at, record_at
from kibitz.core.state import State

TABLES = [
    ("hearts", 4),
    ("spades", 4),
    ("uno", 2),
    ("uno", 4),
    ("love-letter", 2),
    ("love-letter", 3),
    ("love-letter", 4),
]
ITERATIONS = 100
EARLY = 8
"""Actions within which a match has only begun."""
FEW_GAMES = 2
PROMISED = 5.0
"""Times as fast, at the beginning of a match of as many players as a game usually has."""


def positions(table: Table, count: int, early: bool) -> list[State]:
    """States with a choice, at random moments of a few random games."""
    rng = random.Random(1)
    met: list[State] = []
    while len(met) < count:
        for _ in range(count if early else FEW_GAMES):
            state = table.new_state(rng.randrange(10**6))
            while not state.is_terminal and not (early and state.tick > EARLY):
                legal = state.legal_actions()
                if len(legal) > 1:
                    met.append(state.clone())
                state.apply(rng.choice(legal))
    return rng.sample(met, count)


class Asked:
    """An agent that is asked without a thread of its own."""

    def __init__(self, agent: str, table: Table) -> None:
        self.table = table
        self.binding = make_agent(agent).bind(table)
        self.buffer = np.zeros(1, ACTION_LIST)

    def seconds(self, states: list[State]) -> float:
        """The CPU time of its decisions."""
        spent = 0.0
        for number, state in enumerate(states):
            legal = state.legal_actions()
            self.buffer["count"] = len(legal)
            self.buffer["items"][0, : len(legal)] = legal
            self.binding.record["rng"] = [1, 2, 3, number]
            began = time.thread_time()
            self.binding.ask(
                self.table.address, state.address, int(self.buffer.ctypes.data), len(legal)
            )
            spent += time.thread_time() - began
        return spent


def ratio(table: Table, states: list[State], repeats: int) -> tuple[float, float]:
    """Times as fast, the median of some repeats; and microseconds of an iteration."""
    spec = f"ismcts:iterations={ITERATIONS},rollout="
    deal, whole = Asked(spec + "deal", table), Asked(spec + "end", table)
    deal.seconds(states)
    pairs = [(deal.seconds(states), whole.seconds(states)) for _ in range(repeats)]
    median = statistics.median(slow / quick for quick, slow in pairs)
    quick = statistics.median(quick for quick, _ in pairs)
    return median, 1e6 * quick / len(states) / ITERATIONS


def actions_ratio(states: list[State]) -> float:
    """Actions of random play to the end of the match, for one to the end of the deal."""
    deal_count = record_at(states[0].table.address, RULES).deal_count
    rng = random.Random(2)
    to_end = to_deal = 0
    for start in states:
        state = start.clone()
        deal = array_at(state.address + deal_count, INT32, 1)[0]
        while not state.is_terminal:
            state.apply(rng.choice(state.legal_actions()))
            to_end += 1
            to_deal += array_at(state.address + deal_count, INT32, 1)[0] == deal
    return to_end / max(1, to_deal)


def main() -> int:
    """Measures and prints a row for each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer positions: a rough look")
    options = parser.parse_args()
    pin_to_one_core()
    count, repeats = (6, 3) if options.quick else (12, 7)
    print(
        "| game | players | µs an iteration | times as fast, early | throughout | at most, early |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    checks = []
    bounds = []
    for name, players in TABLES:
        table = kibitz.load(name).table(players)
        begun = positions(table, count, early=True)
        early, microseconds = ratio(table, begun, repeats)
        throughout, _ = ratio(table, positions(table, count, early=False), repeats)
        most = actions_ratio(begun)
        row = f"{microseconds:.2f} | {early:.1f} | {throughout:.1f} | {most:.1f}"
        print(f"| {name} | {players} | {row} |", flush=True)
        what = f"{name}, {players} players: times as fast, early"
        checks.append(Check(what, early, PROMISED))
        if most < PROMISED:
            bounds.append(
                f"{name}, {players} players: {PROMISED:.0f} cannot be reached, for random play"
                f" takes {most:.1f} times as many actions to the end of the match as of the deal."
            )
    kept = verdict(checks)
    for bound in bounds:
        print(bound)
    return kept


if __name__ == "__main__":
    raise SystemExit(main())
