"""How well the agents play: one against three of another, for every pair, in Love Letter.

``python -m benchmarks.strength`` prints the page ``docs/strength.md`` in about ten minutes.
The seats rotate, so that the lone agent sits in each of them equally often. A shared win
counts in part. Each pair is given the same time: so slow pairs play fewer games, and their
intervals are wider.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import NamedTuple

import numpy as np

import kibitz
from kibitz.arena.batch import available_cores, play_batch
from kibitz.core.agent import make_agent
from kibitz.core.status import Status
from kibitz.playtest.statistics import Interval, wilson_interval

GAME = "love-letter"
PLAYERS = 4
AGENTS = {
    "random": "random",
    "osla": "osla",
    "osla, 50 samples": "osla:samples=50",
    "rhea": "rhea:iterations=1000",
    "mcts": "mcts:iterations=1000",
    "ismcts": "ismcts:iterations=1000",
    "ismcts, many trees": "ismcts:iterations=1000,trees=many",
    "ismcts, cut short": "ismcts:iterations=1000,rollout_length=0",
    "pimc": "pimc:determinizations=20",
    "reflex": "love-letter-reflex",
    "counting": "love-letter-counting",
}
TRIAL = 2 * PLAYERS
MOST_GAMES = 20_000


class Result(NamedTuple):
    """What a lone agent achieved against three of another."""

    wins: float
    games: int
    microseconds: float
    """Thinking time of the lone agent for a decision."""

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the share of wins."""
        return wilson_interval(self.wins, self.games)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.wins / self.games:.1%} ({low:.1%} to {high:.1%})"


def play(lone: str, others: str, games: int, seed: int) -> Result:
    """Plays one agent against three of another.

    Raises:
        RuntimeError: a game could not be finished.
    """
    table = kibitz.load(GAME).table(PLAYERS)
    agents = [make_agent(lone), *(make_agent(others) for _ in range(PLAYERS - 1))]
    results = play_batch(table, agents, games, seed).results
    if (results["status"] != Status.FINISHED).any():
        raise RuntimeError(f"{lone} against {others}: some games could not be finished")
    seats = results["seats"]
    won = seats["place"] == 1
    mine = seats["agent"] == 0
    wins = float((won / won.sum(axis=1, keepdims=True))[mine].sum())
    decisions = max(1, int(seats["decisions"][mine].sum()))
    return Result(wins, games, float(seats["nanoseconds"][mine].sum()) / decisions / 1000)


def measure(lone: str, others: str, seconds: float, seed: int) -> Result:
    """As many games as fit in so many seconds, judged by a few played before."""
    play(lone, others, 1, seed)  # compiles what has to be
    began = time.perf_counter()
    play(lone, others, TRIAL, seed + 1)
    for_one = (time.perf_counter() - began) / TRIAL
    rounds = max(1, math.floor(min(seconds / for_one, MOST_GAMES) / PLAYERS))
    return play(lone, others, rounds * PLAYERS, seed)


def cross_table(results: dict[tuple[str, str], Result]) -> str:
    """The shares of wins as a table: rows against columns."""
    lines = [
        "| one \\ three | " + " | ".join(AGENTS) + " |",
        "|---|" + "---:|" * len(AGENTS),
    ]
    for row in AGENTS:
        cells = [
            f"{results[row, column].wins / results[row, column].games:.0%}"
            if row != column
            else "25%"
            for column in AGENTS
        ]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def long_table(results: dict[tuple[str, str], Result]) -> str:
    """Every pair with its interval and the number of games."""
    lines = ["| one | against three | wins (95 % interval) | games |", "|---|---|---:|---:|"]
    lines += [
        f"| {row} | {column} | {result} | {result.games:,} |"
        for (row, column), result in results.items()
    ]
    return "\n".join(lines)


def agents_table(results: dict[tuple[str, str], Result]) -> str:
    """What the names stand for, and how long each agent thinks."""
    lines = ["| name | agent | per decision |", "|---|---|---:|"]
    for name, spec in AGENTS.items():
        times = [r.microseconds for (row, _), r in results.items() if row == name]
        lines.append(f"| {name} | `{spec}` | {np.median(times):,.0f} µs |")
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="for each pair")
    parser.add_argument("--seed", type=int, default=2012)
    options = parser.parse_args()
    results = {
        (row, column): measure(AGENTS[row], AGENTS[column], options.seconds, options.seed)
        for row in AGENTS
        for column in AGENTS
        if row != column
    }
    command = f"python -m benchmarks.strength --seconds {options.seconds:g} --seed {options.seed}"
    print(f"Measured by `{command}` on {available_cores()} cores.\n")
    print(agents_table(results), "\n")
    print(cross_table(results), "\n")
    print(long_table(results))


if __name__ == "__main__":
    main()
