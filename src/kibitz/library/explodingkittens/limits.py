"""Public upper limits of the copies of a card in a hand.

``at_most`` keeps the limits in the open: five bits for each title, six titles in each of two
numbers. Tracked cards (``locations.py``) are not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.library.explodingkittens.cards import TITLES

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState

UNLIMITED = 31
"""The value of a limit for a title without one."""
ALL_UNLIMITED = (1 << 30) - 1
"""The number of six titles without limits."""


def limit_of(state: KittensState, player: int, card: int) -> int:
    """The public upper limit of the copies of a card in a hand."""
    return state.at_most[player].values[card // 6] >> 5 * (card % 6) & 31


def set_limit(state: KittensState, player: int, card: int, limit: int) -> None:
    """Sets the public upper limit of the copies of a card in a hand."""
    shift = 5 * (card % 6)
    others = state.at_most[player].values[card // 6] & ~(31 << shift)
    state.at_most[player].values[card // 6] = others | limit << shift


def note_unlimited(state: KittensState, player: int) -> None:
    """Removes all limits of a hand."""
    state.at_most[player].values[0] = ALL_UNLIMITED
    state.at_most[player].values[1] = ALL_UNLIMITED


def is_unlimited(state: KittensState, player: int) -> bool:
    """Whether a hand has no limit for any card."""
    limits = state.at_most[player].values
    return limits[0] == ALL_UNLIMITED and limits[1] == ALL_UNLIMITED


def note_gained(state: KittensState, player: int) -> None:
    """Raises all limits of a hand that got an unknown card."""
    if is_unlimited(state, player):
        return
    for card in range(TITLES):
        limit = limit_of(state, player, card)
        if limit < UNLIMITED:
            set_limit(state, player, card, limit + 1)


def note_gained_openly(state: KittensState, player: int, card: int) -> None:
    """Raises the limit of a card that all players saw come to a hand."""
    limit = limit_of(state, player, card)
    if limit < UNLIMITED:
        set_limit(state, player, card, limit + 1)


def note_left(state: KittensState, player: int, card: int) -> None:
    """Lowers the limit of a hand for a card after all players saw a copy of it leave."""
    limit = limit_of(state, player, card)
    if limit < UNLIMITED:
        set_limit(state, player, card, limit - 1)


def note_gained_from(state: KittensState, giver: int, taker: int) -> None:
    """Raises the limits of a hand that got an unknown card from the giver's hand."""
    for card in range(TITLES):
        if limit_of(state, giver, card) > 0:
            note_gained_openly(state, taker, card)
