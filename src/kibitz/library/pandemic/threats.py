"""The part of the heuristic about cubes: the threats of outbreaks.

The danger of a city depends on its cubes and on when its infection card may come. It is estimated
from what all players can know: the layers of the infection deck, the cards that a Forecast has
shown, and the time until the next epidemic may bring the discarded ones back. The order within a
layer is not read.
"""

from __future__ import annotations

from typing import Any

from kibitz.library.pandemic.infection import Cities, rate
from kibitz.library.pandemic.sampling import pile_start
from kibitz.library.pandemic.table import CURED, SUPPLY, PandemicState, Phase
from kibitz.library.pandemic.ways import WITHIN, pawn_set, way_to
from kibitz.library.pandemic.world import (
    CITIES,
    COLOURS,
    DEGREE,
    DISTANCE,
    NEIGHBOURS,
    Role,
    colour_of,
)

THREATS = (0.0, 0.0, 0.0124, 0.051)
"""The cost of 0, 1, 2 and 3 cubes of its colour in a city."""
CHAIN = 0.2
"""The increase of a threat for each neighbour that would break out, too, as a share."""
TREATABLE = 0.83
"""The factor for a cured disease, of which one action treats all cubes."""
QUARANTINED = 0.55
"""The decrease of a threat where the Quarantine Specialist prevents cubes, as a share."""
FAR = 0.137
"""The increase of a threat for each drive to the nearest pawn, up to four, as a share."""
LATER = 0.746
"""The factor for each turn in which the infection card cannot come."""
DISCARDED = 0.46
"""The factor for a discarded card if the next epidemic is due now."""
NO_EPIDEMIC = 0.034
"""The amount added to the expectation of the next epidemic, however far away it is."""
PULL = 0.2
"""The worth of a pawn in a threatened city, as a share of the threat."""
PULL_DISCARDED = 0.73
"""The factor of a pawn's worth if the infection card of the city is discarded."""
PULL_STEP = 0.003
"""The decrease of a pawn's worth for each drive to the city."""
COST_CUBE = 0.0031
"""The cost of any cube on the board."""
COST_SCARCITY = 0.25
"""The cost of a colour without cubes in the supply."""
PLENTY = 16.0
"""The number of cubes in the supply from which on a colour is not scarce."""


# --- one city -----------------------------------------------------------------------------


def plain_threat(state: PandemicState, city: int) -> float:
    """The threat of the cubes in a city, regardless of pawns and cards."""
    colour = colour_of(city)
    threat = THREATS[min(3, state.cities.at[city, colour])]
    return threat * TREATABLE if state.diseases.at[colour, CURED] > 0 else threat


def threat_of(
    state: PandemicState, params: Any, city: int, pawns: Cities, quarantined: Cities
) -> float:
    """The threat of the cubes in a city, with its neighbours and the nearest pawn."""
    colour = colour_of(city)
    if state.cities.at[city, colour] < 2:
        return 0.0
    threat = plain_threat(state, city)
    if state.cities.at[city, colour] >= params.cubes_per_city:
        threat *= 1.0 + CHAIN * full_neighbours(state, params, city, colour)
    if quarantined >> city & 1:
        threat *= 1.0 - QUARANTINED
    return threat * (1.0 + FAR * min(4, way_to(city, pawns)))


def full_neighbours(state: PandemicState, params: Any, city: int, colour: int) -> int:
    """The number of neighbours that cannot hold another cube."""
    number = 0
    for i in range(DEGREE[params.map, city]):
        neighbour = NEIGHBOURS[params.map, city, i]
        if state.cities.at[neighbour, colour] >= params.cubes_per_city:
            number += 1
    return number


def quarantine(state: PandemicState) -> Cities:
    """The cities where the Quarantine Specialist prevents cubes."""
    for p in range(state.players):
        if state.roles[p].value == Role.QUARANTINE_SPECIALIST:
            return WITHIN[1, state.pawns[p].value]
    return 0


# --- infections to come -------------------------------------------------------------------


def danger(state: PandemicState, params: Any) -> float:
    """The threats of all cities, weighted by the time until their infection cards may come."""
    pawns = pawn_set(state)
    quarantined = quarantine(state)
    soon = threat_in_deck(state, params, pawns, quarantined)
    return soon + threat_discarded(state, params, pawns, quarantined)


def threat_in_deck(state: PandemicState, params: Any, pawns: Cities, quarantined: Cities) -> float:
    """The threats of the cards in the deck, weighted by the time until their layers come.

    The cards of a Forecast that are to be put back are a layer on top; a card with a known place
    is a layer of its own.
    """
    deck = state.infection_deck
    later = LATER ** (1.0 / rate(state))  # for each card on top of it
    weight = LATER if state.quiet.value == 1 else 1.0
    total = 0.0
    threats = 0.0
    weights = 0.0
    cards = 0
    layer = -1
    for i in range(deck.count + state.forecast.count - 1, -1, -1):
        card = deck.cards[i] if i < deck.count else state.forecast.cards[i - deck.count]
        its_layer = layer_of(state, card, i)
        if its_layer != layer:
            total += threats * weights / max(1, cards)
            threats = weights = 0.0
            cards = 0
            layer = its_layer
        threats += threat_of(state, params, card, pawns, quarantined)
        weights += weight
        cards += 1
        weight *= later
    return total + threats * weights / max(1, cards)


def layer_of(state: PandemicState, card: int, place: int) -> int:
    """A number that identifies the layer of a card in the infection deck."""
    if place >= state.infection_deck.count:
        return CITIES
    if state.infection_deck.seen[place] != 0:
        return CITIES + 1 + place
    return state.shuffled_in.values[card]


def threat_discarded(
    state: PandemicState, params: Any, pawns: Cities, quarantined: Cities
) -> float:
    """The threats of discarded cards, except one that Resilient Population will remove."""
    total = 0.0
    worst = 0.0
    for i in range(state.infection_discards.count):
        city = state.infection_discards.cards[i]
        threat = threat_of(state, params, city, pawns, quarantined)
        total += threat
        worst = max(worst, threat)
    if state.phase == Phase.RESILIENCE:
        total -= worst
    return total * DISCARDED * (NO_EPIDEMIC + epidemic_due(state, params))


def epidemic_due(state: PandemicState, params: Any) -> float:
    """The expectation of the next epidemic by its pile, from 0 (never) to 1 (now)."""
    if state.epidemics.value >= params.epidemics:
        return 0.0
    pile = params.epidemics - state.epidemics.value - 1
    cards = state.player_deck.count
    above = max(0, cards - pile_start(state, params, pile + 1))
    expected = above + (cards - above - pile_start(state, params, pile)) / 2
    return params.draws / (params.draws + max(0.0, expected))


# --- pawns and cubes ----------------------------------------------------------------------


def pull(state: PandemicState, player: int, discarded: Cities) -> float:
    """The worth of a pawn's nearness to the most urgent city."""
    place = state.pawns[player].value
    most = 0.0
    for city in range(CITIES):
        threat = plain_threat(state, city)
        if threat > 0.0:
            if discarded >> city & 1:
                threat *= PULL_DISCARDED
            most = max(most, PULL * threat - PULL_STEP * DISTANCE[place, city])
    return most


def discarded_set(state: PandemicState) -> Cities:
    """The cities whose infection cards are discarded."""
    cities = 0
    for i in range(state.infection_discards.count):
        cities |= 1 << state.infection_discards.cards[i]
    return cities


def shortage(state: PandemicState, params: Any) -> float:
    """The cost of the cubes on the board, which rises as the supply of a colour runs out."""
    total = 0.0
    for colour in range(len(COLOURS)):
        supply = state.diseases.at[colour, SUPPLY]
        lack = max(0.0, 1.0 - supply / PLENTY)
        total += COST_CUBE * (params.cubes_per_colour - supply) + COST_SCARCITY * lack * lack
    return total
