"""Matches of two agents in half of the seats each, with the iterations that fit into a time.

On a busy machine a budget in milliseconds means little. So the CPU time of an iteration is
measured first, over positions of real games, and the agents play with as many iterations as
fit into the time on a free core.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

import kibitz
from kibitz.core.agent import make_agent
from kibitz.core.game import Table
from kibitz.core.statistics import Interval, wilson_interval
from kibitz.core.status import Status
from kibitz.studies.tournament import budgets


class Outcome(NamedTuple):
    """What an agent achieved in half of the seats, or in all of a game won together."""

    wins: float
    """Games won; shared wins count in part."""
    games: int

    @property
    def rate(self) -> float:
        """The share of games won."""
        return self.wins / self.games

    @property
    def interval(self) -> Interval:
        """The 95 % interval of that share."""
        return wilson_interval(self.wins, self.games)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.rate:.0%} ({low:.0%} to {high:.0%}) of {self.games:,}"


def with_options(agent: str, **options: object) -> str:
    """The text of an agent with more options."""
    more = ",".join(f"{name}={value}" for name, value in options.items())
    return f"{agent},{more}" if ":" in agent else f"{agent}:{more}"


def iterations_within(agent: str, table: Table, milliseconds: float) -> int:
    """How many iterations of an agent take so long for a decision, on average."""
    return budgets.iterations_within(make_agent(agent), table, milliseconds)


def layouts(players: int) -> list[tuple[int, ...]]:
    """Who sits where, 0 or 1: half of the seats each, or all; each seating once up to rotation."""
    if players == 1:
        return [(0,)]
    half = players // 2
    return [
        tuple(0 if seat in chosen else 1 for seat in range(players))
        for chosen in itertools.combinations(range(players), half)
        if 0 in chosen
    ]


def play_match(
    table: Table, agent: str, other: str, games: int, seed: int = 1, *, partners: bool = False
) -> Outcome:
    """Plays an agent against another one in the other half of the seats.

    Args:
        table: what is played.
        agent: who is measured.
        other: the opponent; in a cooperative game nobody plays it, and the agent has all seats.
        games: about how many.
        seed: of the games.
        partners: whether players who face each other belong together.

    Raises:
        RuntimeError: a game could not be finished.
    """
    together = "cooperative" in table.game.categories
    seatings = layouts(table.players)
    if together:
        seatings = [(0,) * table.players]
    elif partners:
        seatings = [tuple(seat % 2 for seat in range(table.players))]
    # a seating rotates through all seats
    number = math.ceil(games / len(seatings) / table.players) * table.players
    wins, played = 0.0, 0
    for k, seating in enumerate(seatings):
        agents = [make_agent(other if seat else agent) for seat in seating]
        results = kibitz.play(table, agents, number, seed + k, workers=1).results
        if (results["status"] != Status.FINISHED).any():
            raise RuntimeError(f"{agent} against {other}: some games could not be finished")
        seats = results["seats"]
        if together:
            won = (seats["returns"] > 0).all(axis=1)
        else:
            first = seats["place"] == 1
            mine = np.array(seating)[seats["agent"]] == 0
            won = (first * mine).sum(axis=1) / first.sum(axis=1)
        wins += float(won.sum())
        played += len(results)
    return Outcome(wins, played)
