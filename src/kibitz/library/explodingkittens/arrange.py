"""See the Future as in TAG 2020: the player puts the cards back in an order of their choice.

Afterwards the others are assumed to know nothing of the deck, and the player to know only the
cards put back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import place_card, take_card
from kibitz.core.actions import ActionList, add, pack
from kibitz.library.explodingkittens.cards import TITLES, Card
from kibitz.library.explodingkittens.deck import (
    cards_in_peek,
    deck_size,
    find_kitten,
    forget_peeks,
    peek_at_top,
    put_kitten,
    take_kitten,
)
from kibitz.library.explodingkittens.deck_sampling import get, put, write_places
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.pile import MOST_SEEN
from kibitz.library.explodingkittens.table import Move

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState

BASE = MOST_SEEN + 1
"""The base of the number that keeps the choices so far: a digit for each card, from 1."""


def add_order(state: KittensState, actions: ActionList) -> None:
    """Adds each of the seen cards that has not been put back yet."""
    for number in range(cards_in_peek(state, state.peeks.count - 1)):
        if not is_chosen(state.chosen.values[0], number + 1):
            add(actions, pack(Move.ARRANGE, number))


def is_chosen(chosen: int, digit: int) -> bool:
    """Whether a digit, the number of a card from 1, is among the chosen ones."""
    while chosen > 0:
        if chosen % BASE == digit:
            return True
        chosen //= BASE
    return False


def choose_next(state: KittensState, number: int) -> None:
    """Chooses the next card from the top; the choice of the last but one completes the order."""
    shown = cards_in_peek(state, state.peeks.count - 1)
    chosen = state.chosen.values[0] * BASE + number + 1
    if chosen < BASE ** (shown - 2):
        state.chosen.values[0] = chosen
        return
    for last in range(shown):
        if not is_chosen(chosen, last + 1):
            chosen = chosen * BASE + last + 1
            break
    state.chosen.values[0] = 0
    state.phase = Phase.TURN
    rearrange(state, chosen, shown)


def rearrange(state: KittensState, chosen: int, shown: int) -> None:
    """Takes the top cards off the deck and puts them back; the last digit of `chosen` first."""
    cards = 0
    first = (state.peeks.count - 1) * MOST_SEEN
    for d in range(shown):
        card = state.peeks.cards[first + d]
        cards = put(cards, d, card)
        if card >= Card.KITTEN:
            take_kitten(state, find_kitten(state, card - Card.KITTEN))
        else:
            take_card(state.deck, state.deck.count - 1)
    forget_peeks(state)
    for _ in range(shown):
        card = get(cards, chosen % BASE - 1)
        if card < TITLES:
            place_card(state, state.deck, card, 0)
        else:
            put_kitten(state, card - Card.KITTEN, deck_size(state), 0)
        chosen //= BASE
    list_by_number(state)
    peek_at_top(state, state.player, shown)


def list_by_number(state: KittensState) -> None:
    """Sorts the kittens by number, so that their order does not reveal which ones were moved."""
    kittens = state.kittens
    places = 0
    for i in range(kittens.count):
        place = kittens.below[i]
        for k in range(i):
            if get(places, k) >= place:
                places = put(places, k, get(places, k) + 1)
        places = put(places, i, place)
    for i in range(kittens.count):
        kittens.seen[i] = 0
        for k in range(i + 1, kittens.count):
            if kittens.label[k] < kittens.label[i]:
                label = kittens.label[i]
                kittens.label[i] = kittens.label[k]
                kittens.label[k] = label
                place = get(places, i)
                places = put(places, i, get(places, k))
                places = put(places, k, place)
    write_places(state, places)
