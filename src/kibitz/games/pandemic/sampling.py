"""What everybody can know of the two decks, though nobody sees them.

Player deck: it was made of piles of known sizes with one epidemic in each, the larger piles on
top. So where an epidemic may be is known to the pile. The other cards may be anywhere.

Infection deck: shuffled discards lie on top of what was there before. So which cards make up
each of these layers is known; their order is not. ``shuffled_in`` says to which layer a card
belongs. Cards that a Forecast has shown are known until they are drawn.
"""

from __future__ import annotations

from typing import Any

from kibitz.authoring import count_card, random_below
from kibitz.games.pandemic.table import PandemicState
from kibitz.games.pandemic.world import CITIES, EPIDEMIC

CARDS_WITHOUT_EPIDEMICS = EPIDEMIC
EVENTS_IN_SURVIVAL = 2


def deal_anew(state: PandemicState, params: Any) -> None:
    """Puts hidden cards, which have just been mixed at random, where they can be.

    It asks nothing of a card but its layer, or whether it is an epidemic; so among the cards
    that are alike in this every order stays as likely as any other.
    """
    left = params.epidemics - count_card(state.player_discards, EPIDEMIC)
    insert_epidemics(state, params, left)
    sort_layers(state)


# --- the player deck ----------------------------------------------------------------------


def insert_epidemics(state: PandemicState, params: Any, epidemics: int) -> None:
    """Moves the epidemics in the player deck to random places, one in each pile from below."""
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
    """The lowest place of a pile, 0 being the bottom one; of one too many the deck's height."""
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
    """The first place from `place` on whose card nobody knows."""
    while state.infection_deck.seen[place] != 0:
        place += 1
    return place
