"""How well the agents play: one against three of another, for every pair, in Love Letter.

``python -m benchmarks.strength`` prints the tables of ``docs/strength.md`` in less than ten
minutes on two free cores. The seats rotate, so that the lone agent sits in each of them
equally often; a shared win counts in part. Pairs that think long play fewer games, which their
intervals show. The number of games does not depend on the machine, nor do the results.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import NamedTuple

import numpy as np

import kibitz
from kibitz.arena.worker import available_cores
from kibitz.core.agent import make_agent
from kibitz.core.status import Status
from kibitz.playtest.statistics import Interval, wilson_interval
from kibitz.runs import play_batch

GAME = "love-letter"
PLAYERS = 4


class Entry(NamedTuple):
    """An agent of the tables."""

    spec: str
    cost: float
    """About how many milliseconds it takes to decide: so much less it plays."""


AGENTS = {
    "random": Entry("random", 0.001),
    "osla": Entry("osla", 0.002),
    "osla, 50 samples": Entry("osla:samples=50", 0.13),
    "rhea": Entry("rhea:iterations=1000", 4.0),
    "mcts": Entry("mcts:iterations=1000", 4.5),
    "ismcts": Entry("ismcts:iterations=1000", 4.4),
    "ismcts, many trees": Entry("ismcts:iterations=1000,trees=many", 6.5),
    "ismcts, cut short": Entry("ismcts:iterations=1000,rollout_length=0", 1.6),
    "pimc": Entry("pimc:determinizations=20", 0.8),
    "reflex": Entry("love-letter-reflex", 0.001),
    "counting": Entry("love-letter-counting", 0.002),
}
EFFORT = 200.0
"""Milliseconds of thinking for a decision of each seat, summed over a pair's games."""
FEWEST_GAMES, MOST_GAMES = 40, 10_000
AGAINST_RANDOM = 5
"""How many times the games are played against random players, by whom agents are compared."""


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


def number_of_games(lone: str, others: str, scale: float) -> int:
    """How many games a pair plays: the slower, the fewer; a multiple of the seats."""
    games = EFFORT * scale / (AGENTS[lone].cost + (PLAYERS - 1) * AGENTS[others].cost)
    if others == "random":
        games *= AGAINST_RANDOM
    return math.ceil(min(max(games, FEWEST_GAMES), MOST_GAMES) / PLAYERS) * PLAYERS


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
    for name, entry in AGENTS.items():
        times = [r.microseconds for (row, _), r in results.items() if row == name]
        lines.append(f"| {name} | `{entry.spec}` | {np.median(times):,.0f} µs |")
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of games")
    parser.add_argument("--seed", type=int, default=2012)
    options = parser.parse_args()
    began = time.perf_counter()
    results = {
        (row, column): play(
            AGENTS[row].spec,
            AGENTS[column].spec,
            number_of_games(row, column, options.scale),
            options.seed,
        )
        for row in AGENTS
        for column in AGENTS
        if row != column
    }
    minutes = (time.perf_counter() - began) / 60
    command = f"python -m benchmarks.strength --scale {options.scale:g} --seed {options.seed}"
    print(f"Measured by `{command}` in {minutes:.0f} minutes on {available_cores()} cores.\n")
    print(agents_table(results), "\n")
    print(cross_table(results), "\n")
    print(long_table(results))


if __name__ == "__main__":
    main()
