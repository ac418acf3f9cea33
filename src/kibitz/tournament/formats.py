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
COOPERATIVE = "cooperative"
"""The category of games that are won together."""


class Format(enum.StrEnum):
    """The pairing of agents."""

    ROUND_ROBIN = "round-robin"
    """Everybody meets everybody."""
    FIELD = "field"
    """The first agent meets each of the others."""
    LADDER = "ladder"
    """Each agent meets the one before it."""
    KNOCK_OUT = "knock-out"
    """Who loses a match is out."""
    TEAMS = "teams"
    """Everybody meets everybody, and partners are the same agent."""


@dataclass(frozen=True)
class Seating:
    """Who sits where in a match of two agents, in its first game; then all move on by one seat.

    Attributes:
        teams: the seats that win together.
        ones: the seats of the one agent; the other one has all others.
        players: how many seats there are.
    """

    teams: tuple[tuple[int, ...], ...]
    ones: tuple[int, ...]
    players: int

    @classmethod
    def at(cls, table: Table, chosen: Format) -> Seating:
        """One agent against players of the other kind; with `Format.TEAMS` by teams.

        Raises:
            ParameterError: the game is cooperative; or teams are wanted, and the game has none
                whose places are alike.
        """
        players = table.players
        if COOPERATIVE in table.game.categories:
            raise ParameterError(
                f"{table.game.name}: its players win together, so nobody is ranked. 'kibitz "
                f"ladder {table.game.name}' compares agents that play it."
            )
        if chosen is not Format.TEAMS:
            return cls(tuple((seat,) for seat in range(players)), (0,), players)
        name = table.game.title or table.game.name
        if not table.teams:
            raise ParameterError(
                f"{name} for {players} players has no fixed teams. Without --format teams one "
                "agent plays against agents of the other kind."
            )
        found = cls(tuple(table.teams), tuple(table.teams[0]), players)
        rotated = ({(seat + by) % players for seat in found.ones} for by in range(players))
        teams = [set(team) for team in found.teams]
        if not all(ones in teams for ones in rotated):
            raise ParameterError(f"{name}: its teams do not sit alike, so they cannot rotate.")
        return found

    @property
    def sides(self) -> int:
        """How many sides there are, of which one wins."""
        return len(self.teams)

    @property
    def is_mutual(self) -> bool:
        """Whether one match gives results for both agents, since there are two sides."""
        return self.sides == 2

    def of(self, one: int, other: int) -> list[int]:
        """The number of the agent in each seat."""
        return [one if seat in self.ones else other for seat in range(self.players)]

    def matches(self, pair: Pair) -> tuple[Pair, ...]:
        """The matches of two agents: one, or one each way."""
        one, other = pair
        return ((one, other),) if self.is_mutual else ((one, other), (other, one))


def pairs_of(chosen: Format, agents: int) -> list[Pair]:
    """The pairs of a format that are known beforehand."""
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
        alive: who is still in, the best one first, two or more.
    """
    free = (1 << (len(alive) - 1).bit_length()) - len(alive)
    rest = alive[free:]
    half = len(rest) // 2
    return list(alive[:free]), [(rest[k], rest[-1 - k]) for k in range(half)]


def number_of_pairs(chosen: Format, agents: int) -> int:
    """How many pairs meet at a table."""
    return agents - 1 if chosen is Format.KNOCK_OUT else len(pairs_of(chosen, agents))
