"""The most cards of a title that a hand can hold, for all to see.

``at_most`` keeps it in the open, five bits for each title, six titles in each of two numbers.
Cards that are tracked (``locations.py``) are not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.games.explodingkittens.cards import TITLES

if TYPE_CHECKING:
    from kibitz.games.explodingkittens.table import KittensState

UNLIMITED = 31
ALL_UNLIMITED = (1 << 30) - 1


def limit_of(state: KittensState, player: int, card: int) -> int:
    """The most copies of a card that a hand can hold, for all to see."""
    return state.at_most[player].values[card // 6] >> 5 * (card % 6) & 31


def set_limit(state: KittensState, player: int, card: int, limit: int) -> None:
    """From now on a hand can hold so many copies of a card at most."""
    shift = 5 * (card % 6)
    rest = state.at_most[player].values[card // 6] & ~(31 << shift)
    state.at_most[player].values[card // 6] = rest | limit << shift


def note_unlimited(state: KittensState, player: int) -> None:
    """Nothing is known about a hand."""
    state.at_most[player].values[0] = ALL_UNLIMITED
    state.at_most[player].values[1] = ALL_UNLIMITED


def is_unlimited(state: KittensState, player: int) -> bool:
    """Whether nothing is known about how many of a card a hand can hold."""
    limits = state.at_most[player].values
    return limits[0] == ALL_UNLIMITED and limits[1] == ALL_UNLIMITED


def note_gained(state: KittensState, player: int) -> None:
    """A card has come to a hand: it can be anything."""
    if is_unlimited(state, player):
        return
    for card in range(TITLES):
        limit = limit_of(state, player, card)
        if limit < UNLIMITED:
            set_limit(state, player, card, limit + 1)


def note_gained_openly(state: KittensState, player: int, card: int) -> None:
    """A card has come to a hand that everyone knows."""
    limit = limit_of(state, player, card)
    if limit < UNLIMITED:
        set_limit(state, player, card, limit + 1)


def note_left(state: KittensState, player: int, card: int) -> None:
    """A card has left a hand for all to see."""
    limit = limit_of(state, player, card)
    if limit < UNLIMITED:
        set_limit(state, player, card, limit - 1)


def note_gained_from(state: KittensState, giver: int, taker: int) -> None:
    """A card has gone from one hand to another: any that the giver can have had."""
    for card in range(TITLES):
        if limit_of(state, giver, card) > 0:
            note_gained_openly(state, taker, card)
