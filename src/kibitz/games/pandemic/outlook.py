"""How the team stands, as a number: for agents that look ahead.

What counts: cures, the cards that lead to them and the way to a research station; against
them outbreaks, cubes that are about to break out, and colours that run out of cubes; and how
much time is left, so that looking further ahead does not look better by itself.

Only what lies open is read, and to which layer of the infection deck a card belongs, which
everybody can know.
"""

from __future__ import annotations

from typing import Any

from kibitz.games.pandemic.hands import cards_needed, count_colour
from kibitz.games.pandemic.infection import Cities, rate
from kibitz.games.pandemic.table import CURED, STATION, SUPPLY, PandemicState, Stage
from kibitz.games.pandemic.world import CITIES, COLOURS, DISTANCE, Role, colour_of

# The numbers are what made one step of looking ahead find the most cures, in thousands of games.
WORTH_CURES = 0.9
"""What all cures together are worth."""
WORTH_ERADICATION = 0.03
"""What it adds to a cure that the disease is eradicated."""
WORTH_CARDS = 0.26
"""How much of a cure it is that one player has the cards."""
CONCENTRATION = 1.5
"""The power of the share of the cards that a player has: cards in one hand are worth more."""
WORTH_READY = 0.3
"""How much more of it if that player is at a station; less on the way there."""
WORTH_NEAR = 0.02
"""The same where more than half of the cards are there."""
LONG_WAY = 8
"""From a station so many drives away nobody is on the way there."""
WORTH_TEAM = 0.026
"""How much of a cure it is that the team has the cards, whoever holds them."""
WORTH_STATION = 0.026
"""What each of the first four research stations is worth."""
WORTH_TIME = 2.1
"""What it is worth that all player cards are still to come."""
WORTH_ACTION = 0.4
"""What an action that is left is worth, in player cards."""
COST_OUTBREAKS = 0.69
"""What the outbreaks that lose the game would cost, before it is lost."""
COST_SCARCITY = 0.028
"""What it costs that a colour has no cubes left."""
PLENTY = 27.0
"""With so many cubes in the supply a colour is not scarce."""
COST_INFECTION = 0.015
"""What it costs that a city is about to be infected this turn."""
THREATS = (0.0, 0.0013, 0.0047, 0.045)
"""What it costs that so many cubes of a colour are in a city."""
DISCARDED = 0.47
"""How likely, beside others, a city is infected again soon that has been infected."""
SHUFFLED_IN = 1.6
"""The same of one whose card was shuffled and put on the deck."""
IN_DECK = 1.8
"""The same of one whose card has not come yet."""
FOREIGN = 0.16
"""The same of cubes that came from a neighbour."""
FAR = 0.11
"""How much worse cubes are for each drive that the next pawn is away, up to three."""
QUARANTINED = 0.46
"""How much less bad they are where the Quarantine Specialist keeps others away."""


def outlook(state: PandemicState, params: Any) -> float:
    """-1 .. 1: how the team stands."""
    value = WORTH_CURES * progress(state, params) + WORTH_TIME * (time_left(state, params) - 1.0)
    value += WORTH_STATION * min(4, params.stations - state.stations_left.value)
    value -= COST_OUTBREAKS * state.outbreaks.value / params.outbreaks_to_lose
    value -= danger(state) + COST_SCARCITY * scarcity(state)
    value -= COST_INFECTION * infections_ahead(state)
    return value / (1.0 + abs(value))


# --- cures --------------------------------------------------------------------------------


def progress(state: PandemicState, params: Any) -> float:
    """How much of the way to all cures is gone."""
    total = 0.0
    for colour in range(len(COLOURS)):
        if state.diseases.at[colour, CURED] > 0:
            total += 1.0 + WORTH_ERADICATION * (state.diseases.at[colour, CURED] - 1)
        else:
            total += towards_cure(state, params, colour)
    return total / params.cures_to_win


def towards_cure(state: PandemicState, params: Any, colour: int) -> float:
    """0 .. 1: how close the team is to a cure; cards in one hand count more than in many."""
    best = 0.0
    team = 0.0
    for p in range(0 + state.players):
        share = count_colour(state, p, colour) / cards_needed(state, params, p)
        team += share
        value = WORTH_CARDS * min(1.0, share) ** CONCENTRATION
        if share > 0.5:
            worth = WORTH_READY if share >= 1.0 else WORTH_NEAR
            value += worth * (1.0 - min(LONG_WAY, way_to_station(state, p)) / LONG_WAY)
        best = max(best, value)
    return best + WORTH_TEAM * min(1.0, team)


def way_to_station(state: PandemicState, player: int) -> int:
    """How many drives it is to the next research station."""
    here = state.pawns[player].value
    nearest = CITIES
    for city in range(CITIES):
        if state.cities.at[city, STATION] > 0:
            nearest = min(nearest, DISTANCE[here, city])
    return nearest


def time_left(state: PandemicState, params: Any) -> float:
    """0 .. 1: the player cards to come, and the actions that are left.

    Once cards are drawn the actions of the next turn count.
    """
    left = 0 + state.actions_left.value
    if state.stage.value > Stage.DRAW:
        left = params.actions
    return (state.player_deck.count + WORTH_ACTION * left) / len(state.player_deck.cards)


def infections_ahead(state: PandemicState) -> int:
    """How many cities are still to be infected this turn, once its cards are drawn."""
    if state.stage.value == Stage.INFECT:
        return 0 + state.infections_left.value
    if state.stage.value > Stage.DRAW and state.quiet.value == 0:
        return 0 + rate(state)
    return 0


# --- dangers ------------------------------------------------------------------------------


def danger(state: PandemicState) -> float:
    """What the cubes on the board threaten."""
    discarded = infected_since(state)
    total = 0.0
    for city in range(CITIES):
        for colour in range(len(COLOURS)):
            cubes = state.cities.at[city, colour]
            if cubes > 0:
                threat = THREATS[min(3, cubes)] * likelihood(state, city, colour, discarded)
                total += threat * distance_factor(state, city)
    return total


def infected_since(state: PandemicState) -> Cities:
    """The cities whose infection cards are discarded."""
    found = 0
    for i in range(state.infection_discards.count):
        found |= 1 << state.infection_discards.cards[i]
    return found


def likelihood(state: PandemicState, city: int, colour: int, discarded: Cities) -> float:
    """How likely, beside others, it is that cubes are added soon."""
    if colour_of(city) != colour:
        return FOREIGN
    if discarded >> city & 1:
        return DISCARDED
    return SHUFFLED_IN if state.shuffled_in.values[city] > 0 else IN_DECK


def distance_factor(state: PandemicState, city: int) -> float:
    """How much cubes weigh by who is near: less in quarantine, more far from all pawns."""
    nearest = CITIES
    for p in range(0 + state.players):
        way = DISTANCE[state.pawns[p].value, city]
        if way <= 1 and state.roles[p].value == Role.QUARANTINE_SPECIALIST:
            return 1.0 - QUARANTINED
        nearest = min(nearest, way)
    return 1.0 + FAR * min(3, nearest)


def scarcity(state: PandemicState) -> float:
    """How close the colours are to running out of cubes."""
    total = 0.0
    for colour in range(len(COLOURS)):
        lack = max(0.0, 1.0 - state.diseases.at[colour, SUPPLY] / PLENTY)
        total += lack * lack
    return total
