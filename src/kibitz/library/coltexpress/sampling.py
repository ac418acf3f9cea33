"""Sampling of face-down cards, and of purses if cars were filled as in TAG.

The engine redeals hidden cards among the places where their owner's cards can be. Here deals that
are impossible by the rules are repaired, such that all possible deals stay equally likely.
"""

from __future__ import annotations

from typing import Any

from kibitz.authoring import random_below
from kibitz.library.coltexpress.data import KINDS, Card, Character
from kibitz.library.coltexpress.loot import redraw_car
from kibitz.library.coltexpress.table import ColtExpressState, owner

MOST_TRIES = 10_000
"""The maximum number of draws of a card that fits; states of the game need far fewer."""


def repair_sample(state: ColtExpressState, params: Any, player: int) -> None:
    """Repairs a new deal of the cards and purses that `player` does not know."""
    repair_face_down(state, player)
    if params.full_box_per_car:
        for car in range(1, state.bandits.value + 1):
            redraw_car(state, car, player)


def repair_face_down(state: ColtExpressState, player: int) -> None:
    """Exchanges impossible face-down cards: bullets, and others' cards that the Ghost has hidden.

    Such a card changes places with a possible one, drawn at random from all hidden cards of the
    same owner except those already repaired.
    """
    for i in range(state.next_card.value, state.pile.count):
        if state.pile.seen[i] >> player & 1 == 0:
            bandit = -1
            if i + 1 == state.hidden_by_ghost.value:
                bandit = state.bandit_of.values[Character.GHOST]
            if not can_hide(state.pile.cards[i], bandit):
                repair_card(state, player, i, bandit)


def can_hide(card: int, bandit: int) -> bool:
    """Whether a card can lie face down as a card of `bandit`, or of any bandit if that is -1."""
    return card % KINDS != Card.BULLET and (bandit < 0 or card // KINDS == bandit)


def repair_card(state: ColtExpressState, player: int, index: int, bandit: int) -> None:
    """Exchanges the card at `index` of the pile for a random one that can lie there.

    Hidden cards are drawn until one fits, as the true card does, which is among them.
    """
    pile = state.pile
    card = pile.cards[index]
    holder = owner(state, card // KINDS)
    hand = state.hands[holder]
    deck = state.decks[holder]
    for _ in range(MOST_TRIES):
        if pile.cards[index] != card:
            return
        pick = random_below(state.rng, hand.count + deck.count + pile.count)
        if pick < hand.count:
            if can_hide(hand.cards[pick], bandit):
                pile.cards[index] = hand.cards[pick]
                hand.cards[pick] = card
        elif pick < hand.count + deck.count:
            pick -= hand.count
            if can_hide(deck.cards[pick], bandit):
                pile.cards[index] = deck.cards[pick]
                deck.cards[pick] = card
        else:
            pick -= hand.count + deck.count
            hidden = pile.seen[pick] >> player & 1 == 0 and pick > index
            same_owner = owner(state, pile.cards[pick] // KINDS) == holder
            if hidden and same_owner and can_hide(pile.cards[pick], bandit):
                pile.cards[index] = pile.cards[pick]
                pile.cards[pick] = card
