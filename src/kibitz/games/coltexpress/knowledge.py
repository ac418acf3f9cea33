"""What can be known of cards that lie face down, and of purses where cars were filled TAG's way.

The engine deals hidden cards anew among the places where their owner's cards can be. Here the
deals are mended that the rules rule out, in such a way that all others stay equally likely.
"""

from __future__ import annotations

from typing import Any

from kibitz.components import Deck
from kibitz.core.randomness import random_below
from kibitz.games.coltexpress.data import KINDS, Card, Character
from kibitz.games.coltexpress.loot import redraw_car
from kibitz.games.coltexpress.table import ColtExpressState, owner


def mend_sample(state: ColtExpressState, params: Any, player: int) -> None:
    """Makes a fresh deal of what `player` does not know into one that can be."""
    mend_face_down(state, player)
    if params.full_box_per_car:
        for car in range(1, state.bandits.value + 1):
            redraw_car(state, car, player)


def mend_face_down(state: ColtExpressState, player: int) -> None:
    """What lies face down is no bullet; what the Ghost's power has hidden is the Ghost's.

    A card that cannot be there changes places with one that can: a random one of all hidden
    cards of the same owner, but for those already mended.
    """
    for i in range(state.next_card.value, state.pile.count):
        if state.pile.seen[i] >> player & 1 == 0:
            bandit = -1
            if i + 1 == state.hidden_by_ghost.value:
                bandit = state.bandit_of.values[Character.GHOST]
            if not can_hide(state.pile.cards[i], bandit):
                mend_card(state, player, i, bandit)


def can_hide(card: int, bandit: int) -> bool:
    """Whether a card can lie face down: one of `bandit`, or with -1 anybody's."""
    return card % KINDS != Card.BULLET and (bandit < 0 or card // KINDS == bandit)


def mend_card(state: ColtExpressState, player: int, index: int, bandit: int) -> None:
    """Exchanges the card at `index` of the pile for a random one that can lie there."""
    whose = owner(state, state.pile.cards[index] // KINDS)
    hand = state.hands[whose]
    deck = state.decks[whose]
    in_pile = count_fitting(state, state.pile, index + 1, player, whose, bandit)
    in_hand = count_fitting(state, hand, 0, player, whose, bandit)
    in_deck = count_fitting(state, deck, 0, player, whose, bandit)
    pick = random_below(state.rng, in_pile + in_hand + in_deck)
    if pick < in_pile:
        exchange(state, state.pile, index + 1, player, whose, bandit, pick, index)
    elif pick < in_pile + in_hand:
        exchange(state, hand, 0, player, whose, bandit, pick - in_pile, index)
    else:
        exchange(state, deck, 0, player, whose, bandit, pick - in_pile - in_hand, index)


def fits(
    state: ColtExpressState, deck: Deck, i: int, player: int, whose: int, bandit: int
) -> bool:
    """Whether a place holds a card of `whose`, hidden from `player`, that can lie face down."""
    return (
        deck.seen[i] >> player & 1 == 0
        and can_hide(deck.cards[i], bandit)
        and owner(state, deck.cards[i] // KINDS) == whose
    )


def count_fitting(
    state: ColtExpressState, deck: Deck, first: int, player: int, whose: int, bandit: int
) -> int:
    """How many places from `first` on fit."""
    number = 0
    for i in range(first, deck.count):
        if fits(state, deck, i, player, whose, bandit):
            number += 1
    return number


def exchange(
    state: ColtExpressState,
    deck: Deck,
    first: int,
    player: int,
    whose: int,
    bandit: int,
    pick: int,
    index: int,
) -> None:
    """Lets the card at `index` of the pile and that of the fitting place `pick` change places."""
    left = pick
    for i in range(first, deck.count):
        if fits(state, deck, i, player, whose, bandit):
            if left == 0:
                card = deck.cards[i]
                deck.cards[i] = state.pile.cards[index]
                state.pile.cards[index] = card
                return
            left -= 1
