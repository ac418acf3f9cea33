"""Sides: the seats that win and lose together.

A side is one seat (the usual case), a team, all seats of a cooperative game, or the only seat of a
game for one player. A table has its ``sides``; in a state ``seat[p].side`` is the number of a
seat's side, which rules, searches and measures read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import GameDefinitionError
from kibitz.core.wording import listed

if TYPE_CHECKING:
    from kibitz.core.layout import GameState

Sides = tuple[tuple[int, ...], ...]
"""The seats of each side; every seat is in one of them."""


def checked_sides(name: str, players: int, declared: Iterable[Iterable[int]]) -> Sides:
    """The sides that a game declares; a seat that it leaves out is a side of its own.

    Raises:
        GameDefinitionError: a seat does not exist, or is in two sides.
    """
    sides = [tuple(int(seat) for seat in side) for side in declared]
    named = [seat for side in sides for seat in side]
    if len(set(named)) < len(named) or not set(named) <= set(range(players)):
        raise GameDefinitionError(
            f"{name}: sides() gives {sides} for {players} players; each seat, from 0 to "
            f"{players - 1}, should be in one side."
        )
    sides += [(seat,) for seat in range(players) if seat not in named]
    return tuple(side for side in sides if side)


def fair_share(sides: Sides) -> float:
    """The share of wins of each side if all are equally good."""
    return 1 / len(sides)


def side_name(side: tuple[int, ...]) -> str:
    """The seats of a side, in words: ``seat 1``, ``seats 1 and 3``."""
    noun = "seat" if len(side) == 1 else "seats"
    return f"{noun} {listed([str(seat + 1) for seat in side])}"


# --- rule functions -----------------------------------------------------------------------


def leads_side(state: GameState | Any, player: int) -> bool:
    """Whether `player` has the first seat of a side, so that each side is counted once."""
    for p in range(player):
        if state.seat[p].side == state.seat[player].side:
            return False
    return True


def count_sides(state: GameState | Any) -> int:
    """The number of sides at the table."""
    count = 0
    for p in range(state.players):
        if leads_side(state, p):
            count += 1
    return count
