"""The rule functions that set up a game of Pandemic."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import announce, draw_card, put_card, random_below, shuffle_deck, start_round
from kibitz.library.pandemic.hands import put_station
from kibitz.library.pandemic.infection import put_cube
from kibitz.library.pandemic.sampling import insert_epidemics
from kibitz.library.pandemic.table import SUPPLY, PandemicState, Say, SeatRole
from kibitz.library.pandemic.world import (
    CITIES,
    COLOURS,
    EPIDEMIC,
    FIRST_CITY,
    POPULATION,
    EventCard,
    Role,
    colour_of,
)

ROLE_COUNT = len(Role)


def set_up(state: PandemicState, params: Any) -> None:
    """Sets up the station and pawns in Atlanta, first infections, roles, hands and decks."""
    state.stations_left.value = params.stations
    put_station(state, FIRST_CITY)
    for colour in range(len(COLOURS)):
        state.diseases.at[colour, SUPPLY] = params.cubes_per_colour
    infect_first(state, params)
    for p in range(state.players):
        state.pawns[p].value = FIRST_CITY
    assign_roles(state, params)
    deal(state, params)
    state.actions_left.value = params.actions
    start_round(state, first_to_play(state, params))


def infect_first(state: PandemicState, params: Any) -> None:
    """Infects the first cities with three, two and one cubes; roles prevent none."""
    for city in range(CITIES):
        put_card(state, state.infection_deck, city)
    shuffle_deck(state, state.infection_deck)
    for cubes in range(params.setup_cubes, 0, -1):
        for _ in range(params.setup_cities):
            announce(Say.INFECT, state.infection_deck.cards[state.infection_deck.count - 1])
            city = draw_card(state, state.infection_deck, state.infection_discards)
            announce(Say.GAIN, city, cubes * len(COLOURS) + colour_of(city))
            for _ in range(cubes):
                put_cube(state, city, colour_of(city))


def assign_roles(state: PandemicState, params: Any) -> None:
    """Assigns the roles of the parameters, and random different ones to the other seats."""
    taken = 0
    for p in range(state.players):
        taken |= 1 << role_asked_for(params, p)
    for p in range(state.players):
        role = role_asked_for(params, p)
        if role == SeatRole.RANDOM:
            role = 1 + random_below(state.rng, ROLE_COUNT)
            while taken >> role & 1:
                role = 1 + random_below(state.rng, ROLE_COUNT)
            taken |= 1 << role
        state.roles[p].value = role - 1


def role_asked_for(params: Any, player: int) -> int:
    """The role that the parameters give a player, a ``SeatRole``."""
    if player == 0:
        return int(params.role_1)
    if player == 1:
        return int(params.role_2)
    if player == 2:
        return int(params.role_3)
    return int(params.role_4)


def deal(state: PandemicState, params: Any) -> None:
    """Deals the hands, then makes the player deck with an epidemic in each pile."""
    deck = state.player_deck
    for card in range(CITIES):
        put_card(state, deck, card)
    for event in range(CITIES, EPIDEMIC):
        survival = event == EventCard.AIRLIFT or event == EventCard.GOVERNMENT_GRANT
        if survival or not params.survival_rules:
            put_card(state, deck, event)
    shuffle_deck(state, deck)
    for _ in range(params.hand):
        for p in range(state.players):
            draw_card(state, deck, state.hands[p])
    for _ in range(params.epidemics):
        put_card(state, deck, EPIDEMIC)
    insert_epidemics(state, params, params.epidemics)


def first_to_play(state: PandemicState, params: Any) -> int:
    """The player who holds the city of the highest population; the first player if nobody does."""
    first = 0
    most = 0
    for p in range(state.players):
        hand = state.hands[p]
        for i in range(hand.count):
            if hand.cards[i] < CITIES and POPULATION[params.map, hand.cards[i]] > most:
                most = POPULATION[params.map, hand.cards[i]]
                first = p
    return first
