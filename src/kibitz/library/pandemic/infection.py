"""Cubes, outbreaks, epidemics, and the roles that prevent them: rule functions."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import (
    Status,
    announce,
    clear_deck,
    draw_card,
    lose_together,
    move_card,
    put_card,
    shuffle_deck,
)
from kibitz.library.pandemic.table import (
    CURED,
    RATES,
    SUPPLY,
    Ending,
    Outbreaks,
    PandemicState,
    Say,
)
from kibitz.library.pandemic.world import (
    CITIES,
    COLOURS,
    DEGREE,
    LINKED,
    NEIGHBOURS,
    Role,
    colour_of,
)

Cities = int
"""A set of cities, one bit each."""


def rate(state: PandemicState) -> int:
    """The infection rate: the number of cities that are infected at the end of a turn."""
    return RATES[state.epidemics.value]


def put_cube(state: PandemicState, city: int, colour: int) -> None:
    """Puts a cube on a city; if the supply has none, the game is lost."""
    if state.diseases.at[colour, SUPPLY] == 0:
        announce(Say.NO_CUBE, colour)
        state.phase = Ending.CUBES
        lose_together(state)
        return
    state.diseases.at[colour, SUPPLY] -= 1
    state.cities.at[city, colour] += 1


def remove_cubes(state: PandemicState, city: int, colour: int, number: int) -> None:
    """Takes cubes from a city; a cured disease without cubes on the board is eradicated."""
    if number > 0:
        announce(Say.LOSE, city, number * len(COLOURS) + colour)
    state.cities.at[city, colour] -= number
    state.diseases.at[colour, SUPPLY] += number
    check_eradicated(state, colour)


def check_eradicated(state: PandemicState, colour: int) -> None:
    """Eradicates a cured disease that has no cube on the board."""
    if state.diseases.at[colour, CURED] != 1:
        return
    for city in range(CITIES):
        if state.cities.at[city, colour] > 0:
            return
    announce(Say.ERADICATE, colour)
    state.diseases.at[colour, CURED] = 2


def is_protected(state: PandemicState, params: Any, city: int, colour: int) -> bool:
    """Whether a role keeps cubes of a colour away from a city."""
    for p in range(state.players):
        place = state.pawns[p].value
        role = state.roles[p].value
        if role == Role.QUARANTINE_SPECIALIST:
            if place == city:
                return True
            if params.quarantine_neighbours and LINKED[params.map, place, city]:
                return True
        elif role == Role.MEDIC and place == city and params.medic_prevention:
            if state.diseases.at[colour, CURED] > 0:
                return True
    return False


def infect(state: PandemicState, params: Any, city: int, number: int) -> None:
    """Puts cubes of its colour on a city; a cube that it cannot hold causes an outbreak."""
    colour = colour_of(city)
    if state.diseases.at[colour, CURED] == 2:
        announce(Say.ERADICATED, colour, city)
        return
    if is_protected(state, params, city, colour):
        announce(Say.PROTECTED, city)
        return
    announce_cubes(state, params, city, colour, number)
    for _ in range(number):
        if state.status != Status.PLAYING:
            return
        if state.cities.at[city, colour] >= params.cubes_per_city:
            outbreak(state, params, city, colour)
            return
        put_cube(state, city, colour)


def announce_cubes(state: PandemicState, params: Any, city: int, colour: int, number: int) -> None:
    """Announces the cubes that a city is about to get: at most as many as it can hold."""
    cubes = min(number, params.cubes_per_city - state.cities.at[city, colour])
    cubes = min(cubes, state.diseases.at[colour, SUPPLY])
    if cubes > 0:
        announce(Say.GAIN, city, cubes * len(COLOURS) + colour)


# --- outbreaks ----------------------------------------------------------------------------


def outbreak(state: PandemicState, params: Any, city: int, colour: int) -> None:
    """Resolves an outbreak and the chain that follows, in which each city breaks out once."""
    burst = 1 << city
    waiting = burst
    while waiting != 0 and state.status == Status.PLAYING:
        source = lowest(waiting)
        waiting &= ~(1 << source)
        number = state.outbreaks.value + 1
        announce(Say.OUTBREAK, colour, source, number, params.outbreaks_to_lose)
        count_outbreak(state, params)
        if state.status != Status.PLAYING:
            return
        if params.outbreaks_reach == Outbreaks.PAWNS:
            waiting |= spread_to_pawns(state, params, source, colour)
        else:
            further = spread(state, params, source, colour, burst)
            burst |= further
            waiting |= further


def lowest(cities: Cities) -> int:
    """The first city of a set, which must not be empty."""
    city = 0
    while cities >> city & 1 == 0:
        city += 1
    return city


def count_outbreak(state: PandemicState, params: Any) -> None:
    """Counts an outbreak; too many lose the game."""
    state.outbreaks.value += 1
    if state.outbreaks.value >= params.outbreaks_to_lose:
        announce(Say.OUTBREAKS, params.outbreaks_to_lose)
        state.phase = Ending.OUTBREAKS
        lose_together(state)


def spread(state: PandemicState, params: Any, source: int, colour: int, burst: Cities) -> Cities:
    """Puts a cube on each neighbour that did not break out; returns those that break out now."""
    further = 0
    for i in range(DEGREE[params.map, source]):
        city = NEIGHBOURS[params.map, source, i]
        if burst >> city & 1 == 0 and not is_protected(state, params, city, colour):
            if state.cities.at[city, colour] >= params.cubes_per_city:
                further |= 1 << city
            else:
                put_outbreak_cube(state, params, city, colour)
    return further


def spread_to_pawns(state: PandemicState, params: Any, source: int, colour: int) -> Cities:
    """Puts a cube for each pawn beside the outbreak; returns the cities that break out (TAG)."""
    further = 0
    for i in range(DEGREE[params.map, source]):
        city = NEIGHBOURS[params.map, source, i]
        for p in range(state.players):
            in_city = state.pawns[p].value == city
            if in_city and state.roles[p].value != Role.QUARANTINE_SPECIALIST:
                if state.cities.at[city, colour] >= params.cubes_per_city:
                    further |= 1 << city
                else:
                    put_outbreak_cube(state, params, city, colour)
    return further


def put_outbreak_cube(state: PandemicState, params: Any, city: int, colour: int) -> None:
    """Puts a cube that an outbreak causes."""
    announce_cubes(state, params, city, colour, 1)
    put_cube(state, city, colour)
    if params.outbreaks_add_supply and state.status == Status.PLAYING:
        state.diseases.at[colour, SUPPLY] += 2  # one more instead of one less


# --- the Medic and cures ------------------------------------------------------------------


def medic_treats(state: PandemicState, player: int) -> None:
    """Removes all cubes of cured diseases where the Medic is."""
    city = state.pawns[player].value
    for colour in range(len(COLOURS)):
        number = state.cities.at[city, colour]
        if number > 0 and state.diseases.at[colour, CURED] > 0:
            remove_cubes(state, city, colour, number)


# --- infection cards ----------------------------------------------------------------------


def infect_next(state: PandemicState, params: Any) -> None:
    """Draws an infection card and infects its city with a cube."""
    ensure_infection_card(state)
    announce(Say.INFECT, state.infection_deck.cards[state.infection_deck.count - 1])
    city = draw_card(state, state.infection_deck, state.infection_discards)
    infect(state, params, city, 1)


def begin_epidemic(state: PandemicState, params: Any) -> None:
    """Increases the rate, and infects the city of the bottom card."""
    state.epidemics.value = min(state.epidemics.value + 1, len(RATES) - 1)
    announce(Say.EPIDEMIC, rate(state))
    ensure_infection_card(state)
    announce(Say.BOTTOM, state.infection_deck.cards[0])
    city = move_card(state, state.infection_deck, 0, state.infection_discards)
    infect(state, params, city, params.epidemic_cubes)


def intensify(state: PandemicState) -> None:
    """Shuffles the discarded infection cards and puts them on the deck.

    All players know these cards, but nobody their order.
    """
    state.shuffles.value += 1
    shuffle_deck(state, state.infection_discards)
    for i in range(state.infection_discards.count):
        card = state.infection_discards.cards[i]
        state.shuffled_in.values[card] = state.shuffles.value
        put_card(state, state.infection_deck, card)
    announce(Say.INTENSIFY)
    clear_deck(state.infection_discards)


def ensure_infection_card(state: PandemicState) -> None:
    """Turns the discards into the infection deck if it is empty, on which the rules are silent."""
    if state.infection_deck.count == 0:
        intensify(state)
