"""Copies of a card in a hand, which only their owner can distinguish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import find_card, knows_card
from kibitz.core.layout import EVERYONE

if TYPE_CHECKING:
    from kibitz.components import Deck


def most_known(hand: Deck, player: int, card: int) -> int:
    """The index of the copy of a card in a hand that most players know.

    A copy that is passed over becomes unknown to some (``best_known``).
    """
    index = find_card(hand, card)
    for i in range(index + 1, hand.count):
        if hand.cards[i] == card and hand.seen[i] | hand.seen[index] != 1 << player:
            index = best_known(hand, index, i, 1 << player)
    return index


def best_known(hand: Deck, a: int, b: int, owner: int) -> int:
    """Returns the better known of two copies in a hand, and makes the other copy unknown.

    Players who knew both copies still know the other copy.
    """
    best = a if hand.seen[a] >= hand.seen[b] else b
    other = a + b - best
    hand.seen[other] &= hand.seen[best] | owner
    return best


def known_copy(hand: Deck, index: int, player: int) -> int:
    """The index of a copy of the card at `index` that `player` knows; `index` if there is none.

    Since other players cannot distinguish the copies, a known copy counts as the one that moves.
    """
    for i in range(hand.count):
        if hand.cards[i] == hand.cards[index] and knows_card(hand, i, player):
            return i
    return index


def count_not_public(hand: Deck) -> int:
    """The number of cards of a hand that some player has not seen."""
    number = 0
    for i in range(hand.count):
        number += hand.seen[i] != EVERYONE
    return number
