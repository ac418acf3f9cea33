"""Deals in which no hand has more of a card than everyone knows it can have.

A limit grows with each card that comes to a hand, so it counts the cards there that may be the one
in question. Any of the hidden cards of the hand may be those: which they are is drawn, and copies
elsewhere in the hand are exchanged for cards that may be there, out of the deck or other hands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import Deck, count_card
from kibitz.core.randomness import random_below
from kibitz.games.explodingkittens.cards import TITLES
from kibitz.games.explodingkittens.limits import UNLIMITED, is_unlimited, limit_of
from kibitz.games.explodingkittens.locations import is_free

if TYPE_CHECKING:
    from kibitz.games.explodingkittens.table import KittensState

TRIES = 60
"""How often another place is drawn for a card that cannot be where it was dealt."""


def keep_limits(state: KittensState, player: int) -> None:
    """Exchanges hidden cards until the hands of all but `player` keep to their limits."""
    for p in range(state.players):
        if p != player and not is_unlimited(state, p):
            for card in range(TITLES):
                limit = limit_of(state, p, card)
                if limit < state.hands[p].count and count_card(state.hands[p], card) > 0:
                    thin_out(state, player, p, card)


def thin_out(state: KittensState, player: int, owner: int, card: int) -> None:
    """Leaves hidden copies of a card in a hand only where they may be."""
    hand = state.hands[owner]
    eligible = limit_of(state, owner, card)
    hidden = 0
    for i in range(hand.count):
        if is_free(hand, i, player):
            hidden += 1
        elif hand.cards[i] == card:
            eligible -= 1
    for i in range(hand.count):
        if is_free(hand, i, player):
            if random_below(state.rng, hidden) < eligible:
                eligible -= 1
            elif hand.cards[i] == card:
                send_away(state, player, owner, i)
            hidden -= 1


def send_away(state: KittensState, player: int, owner: int, index: int) -> None:
    """Exchanges a hidden card for one at a random place that both may go to."""
    places = state.deck.count
    for p in range(state.players):
        if p != owner and p != player:
            places += state.hands[p].count
    for _ in range(TRIES if places > 0 else 0):
        at = random_below(state.rng, places)
        if at < state.deck.count:
            if exchange(state, owner, index, state.deck, at):
                return
        elif exchange_with_hand(state, player, owner, index, at - state.deck.count):
            return


def exchange_with_hand(state: KittensState, player: int, owner: int, index: int, at: int) -> bool:
    """Exchanges a card with place `at`, counted through the hands of the others, if both may."""
    for p in range(state.players):
        if p != owner and p != player:
            hand = state.hands[p]
            if at < hand.count:
                limit = limit_of(state, p, state.hands[owner].cards[index])
                welcome = limit == UNLIMITED or random_below(state.rng, hand.count) < limit
                if not welcome or not is_free(hand, at, player):
                    return False
                return exchange(state, owner, index, hand, at)
            at -= hand.count
    return False


def exchange(state: KittensState, owner: int, index: int, other: Deck, at: int) -> bool:
    """Exchanges a card of a hand with one elsewhere, if the hand can hold that; whether it can."""
    hand = state.hands[owner]
    card = hand.cards[index]
    there = other.cards[at]
    limit = limit_of(state, owner, there)
    if there == card or (limit < UNLIMITED and count_card(hand, there) >= limit):
        return False
    hand.cards[index] = there
    other.cards[at] = card
    return True
