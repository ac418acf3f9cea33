"""Formats of tournaments: pairings, and the seating in a match."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.core.errors import ParameterError
from kibitz.core.game import Table

Pair = tuple[int, int]
"""The numbers of two agents."""


class Format(enum.StrEnum):
    """The pairing of agents."""

    ROUND_ROBIN = "round-robin"
    """Every agent meets every other agent."""
    FIELD = "field"
    """The first agent meets each of the others."""
    LADDER = "ladder"
    """Each agent meets the one before it."""
    KNOCK_OUT = "knock-out"
    """The loser of a match is out."""
    TEAMS = "teams"
    """Every agent meets every other agent, and partners are the same agent."""


@dataclass(frozen=True)
class Seating:
    """The seats of two agents in the first game of a match; then all move on by one seat.

    Attributes:
        teams: for each side, the seats that win together.
        ones: the seats of the first agent; the second agent has all others.
    """

    teams: tuple[tuple[int, ...], ...]
    ones: tuple[int, ...]
    players: int

    @classmethod
    def at(cls, table: Table, chosen: Format) -> Seating:
        """The seating at a table: the first agent has one seat, with ``Format.TEAMS`` one team.

        Raises:
            ParameterError: the game is cooperative; or teams are requested for a game without
                teams, or with teams that cannot rotate.
        """
        players = table.players
        if table.is_cooperative:
            raise ParameterError(
                f"{table.game.name}: its players win together, so nobody is ranked. 'kibitz "
                f"ladder {table.game.name}' compares agents that play it."
            )
        if chosen is not Format.TEAMS:
            return cls(tuple((seat,) for seat in range(players)), (0,), players)
        name = table.game.title or table.game.name
        if not table.has_teams:
            raise ParameterError(
                f"{name} for {players} players has no fixed teams. Without --format teams one "
                "agent plays against agents of the other kind."
            )
        seating = cls(table.sides, table.sides[0], players)
        rotated = ({(seat + by) % players for seat in seating.ones} for by in range(players))
        teams = [set(team) for team in seating.teams]
        if not all(first_side in teams for first_side in rotated):
            raise ParameterError(f"{name}: its teams do not sit alike, so they cannot rotate.")
        return seating

    @property
    def sides(self) -> int:
        """The number of sides that compete: players or teams."""
        return len(self.teams)

    @property
    def is_mutual(self) -> bool:
        """Whether one match gives the results of both agents: there are two sides."""
        return self.sides == 2

    def of(self, first: int, other: int) -> list[int]:
        """The number of the agent in each seat, for the numbers of two agents."""
        return [first if seat in self.ones else other for seat in range(self.players)]

    def matches(self, pair: Pair) -> tuple[Pair, ...]:
        """The matches of two agents: one, or one each way."""
        first, other = pair
        return ((first, other),) if self.is_mutual else ((first, other), (other, first))


def pairs_of(chosen: Format, agents: int) -> list[Pair]:
    """The pairs that meet in a format; for a knock-out all pairs that may meet."""
    if chosen is Format.FIELD:
        return [(0, other) for other in range(1, agents)]
    if chosen is Format.LADDER:
        return [(number, number + 1) for number in range(agents - 1)]
    return list(itertools.combinations(range(agents), 2))


def knock_out_round(alive: Sequence[int]) -> tuple[list[int], list[Pair]]:
    """The bye and the pairs of a knock-out round: the first meets the last.

    >>> knock_out_round([0, 1, 2, 3, 4])
    ([0, 1, 2], [(3, 4)])
    >>> knock_out_round([0, 1, 2, 3])
    ([], [(0, 3), (1, 2)])

    Args:
        alive: numbers of the remaining agents, at least two, the best one first.
    """
    free = (1 << (len(alive) - 1).bit_length()) - len(alive)
    playing = alive[free:]
    half = len(playing) // 2
    return list(alive[:free]), [(playing[k], playing[-1 - k]) for k in range(half)]


def number_of_pairs(chosen: Format, agents: int) -> int:
    """The number of pairs that meet at a table."""
    return agents - 1 if chosen is Format.KNOCK_OUT else len(pairs_of(chosen, agents))
