"""Sampling of the two decks, which nobody sees but all players know in part.

Player deck: it was made of piles of known sizes with one epidemic in each, the larger piles on
top. So the pile of each epidemic is known; the other cards may be anywhere.

Infection deck: shuffled discards lie on top of the older cards. So the cards of each such layer
are known, but not their order. ``shuffled_in`` has the layer of each card. Cards that a Forecast
has shown are known until they are drawn.
"""

from __future__ import annotations

from typing import Any

from kibitz.authoring import count_card, random_below
from kibitz.library.pandemic.table import PandemicState
from kibitz.library.pandemic.world import CITIES, EPIDEMIC

CARDS_WITHOUT_EPIDEMICS = EPIDEMIC
EVENTS_IN_SURVIVAL = 2


def restore_layers(state: PandemicState, params: Any) -> None:
    """Moves hidden cards, which have just been shuffled, to places where they can be.

    It reads only the layer of a card, or whether it is an epidemic; so all orders of cards that
    are equal in this stay equally likely.
    """
    epidemics = params.epidemics - count_card(state.player_discards, EPIDEMIC)
    insert_epidemics(state, params, epidemics)
    sort_layers(state)


# --- the player deck ----------------------------------------------------------------------


def insert_epidemics(state: PandemicState, params: Any, epidemics: int) -> None:
    """Moves the epidemics in the player deck to random places, one in each of the lower piles."""
    deck = state.player_deck
    cards = 0
    for i in range(deck.count):
        if deck.cards[i] != EPIDEMIC:
            deck.cards[cards] = deck.cards[i]
            cards += 1
    above = deck.count
    for pile in range(epidemics - 1, -1, -1):
        start = pile_start(state, params, pile)
        top = min(above, pile_start(state, params, pile + 1))
        place = start + random_below(state.rng, top - start)
        for i in range(above - 1, place, -1):
            cards -= 1
            deck.cards[i] = deck.cards[cards]
        deck.cards[place] = EPIDEMIC
        above = place


def pile_start(state: PandemicState, params: Any, pile: int) -> int:
    """The lowest index of a pile, counted from the bottom; after the last pile the deck's size."""
    cards = CARDS_WITHOUT_EPIDEMICS - state.players * params.hand
    if params.survival_rules:
        cards -= EPIDEMIC - CITIES - EVENTS_IN_SURVIVAL
    small = cards // params.epidemics
    larger = cards % params.epidemics  # piles that are larger by one
    return pile * (small + 1) + max(0, pile - (params.epidemics - larger))


# --- the infection deck -------------------------------------------------------------------


def sort_layers(state: PandemicState) -> None:
    """Puts the hidden infection cards into their layers, the oldest at the bottom."""
    deck = state.infection_deck
    place = 0
    for layer in range(state.shuffles.value):
        for i in range(place, deck.count):
            if deck.seen[i] == 0 and state.shuffled_in.values[deck.cards[i]] == layer:
                place = hidden_place(state, place)
                card = deck.cards[place]
                deck.cards[place] = deck.cards[i]
                deck.cards[i] = card
                place += 1


def hidden_place(state: PandemicState, place: int) -> int:
    """The first index, from `place` on, of a card that nobody knows."""
    while state.infection_deck.seen[place] != 0:
        place += 1
    return place
