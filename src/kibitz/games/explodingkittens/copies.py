"""Copies of a card in a hand, which nobody but their owner can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import find_card, knows_card
from kibitz.core.layout import EVERYONE

if TYPE_CHECKING:
    from kibitz.components import Deck


def most_known(hand: Deck, player: int, card: int) -> int:
    """The index of the copy of a card in a hand that most players know."""
    index = find_card(hand, card)
    for i in range(index + 1, hand.count):
        if hand.cards[i] == card and hand.seen[i] | hand.seen[index] != 1 << player:
            index = best_known(hand, index, i, 1 << player)
    return index


def best_known(hand: Deck, a: int, b: int, owner: int) -> int:
    """Returns the better known of two copies in a hand; the other one becomes unknown.

    That is, to those who knew of one of them; who knew of both still knows of one.
    """
    best = a if hand.seen[a] >= hand.seen[b] else b
    rest = a + b - best
    hand.seen[rest] &= hand.seen[best] | owner
    return best


def known_copy(hand: Deck, index: int, player: int) -> int:
    """A copy of the card at `index` that `player` knew of, if there is one; else `index`.

    Nobody but their owner can tell copies apart. So one that was known is not known any more.
    """
    for i in range(hand.count):
        if hand.cards[i] == hand.cards[index] and knows_card(hand, i, player):
            return i
    return index


def count_not_public(hand: Deck) -> int:
    """How many cards of a hand not all have seen."""
    number = 0
    for i in range(hand.count):
        number += hand.seen[i] != EVERYONE
    return number
