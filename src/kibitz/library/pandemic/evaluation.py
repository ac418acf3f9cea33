"""The heuristic of Pandemic: an estimate of the team's position.

Cures count for it, the cards that lead to them, short distances between players who could exchange
cards, and the short way of a player with the cards for a cure to a research station. Against it
count outbreaks, the threats of cubes on the board (``threats``), and the time that has passed, so
that later states are not better by themselves. Distances count by the step, so that the first step
in the right direction is already an improvement.

It reads only open information, and what all players can know of the decks.
"""

from __future__ import annotations

from typing import Any

from kibitz.library.pandemic.hands import cards_needed, count_colour
from kibitz.library.pandemic.infection import Cities
from kibitz.library.pandemic.table import CURED, PandemicState, Phase, Stage
from kibitz.library.pandemic.threats import danger, discarded_set, pull, shortage
from kibitz.library.pandemic.ways import flier, station_set, trip, way_to
from kibitz.library.pandemic.world import CITIES, COLOURS, Role, colour_of

# The numbers were tuned by the wins of one-step look-ahead in tens of thousands of games.
WORTH_CURE = 0.25
"""The worth of the first cure."""
GROWTH = 0.5
"""The increase of the worth of each further cure and its cards, as a share of the first."""
WORTH_ERADICATION = 0.0095
"""The additional worth of an eradicated disease."""
WORTH_CARDS = 0.058
"""The worth of a player having the cards for a cure."""
CONCENTRATION = 1.73
"""The exponent of a player's share of the cards: cards in one hand are worth more."""
WORTH_LOAN = 0.65
"""The share of a card that counts if another player can give it."""
MEETING = 0.4
"""The decrease of that share for each action until the two players can meet."""
WORTH_READY = 0.08
"""The worth of a player with the cards for a cure being at a station."""
WORTH_NEAR = 0.01
"""The worth of a player with more than half of the cards for a cure being at a station."""
LONG_WAY = 8
"""The distance to a station, in drives, from which on nearness counts nothing."""
WORTH_TEAM = 0.0044
"""The worth of the team having the cards for a cure, in any hands."""
COST_WASTE = 0.08
"""The cost of a colour if no further card of it may be discarded before its cure."""
WORTH_STATION = 0.0055
"""The worth of each of the first four research stations."""
WORTH_EVENT = 0.02
"""The worth of an event in hand."""
COST_FULL = 0.0045
"""The cost of each card over the hand limit after the next draw."""
COST_OUTBREAKS = 0.32
"""The cost of the number of outbreaks that loses the game, without ``FEAR``."""
FEAR = 1.0
"""The increase of the cost of outbreaks and threats up to the last outbreak, as a share."""
BUSY = 0.3
"""The weight of nearness to threats for a player with the cards for a cure."""
WORTH_TIME = 2.1
"""The worth of a full player deck."""
WORTH_ACTION = 0.4
"""The worth of a remaining action, in player cards."""
LATE = 24.0
"""The number of remaining player cards below which dangers count less."""
CALM = 0.7
"""The decrease of the cost of dangers at the end of the player deck, as a share."""


def evaluate(state: PandemicState, params: Any) -> float:
    """The value of a state for the team, -1 .. 1."""
    value = progress(state, params, station_set(state)) + worth_of_assets(state, params)
    value += worth_of_positions(state, params) - cost_of_dangers(state, params)
    value += WORTH_TIME * (time_left(state, params) - 1.0)
    return value / (1.0 + abs(value))


# --- cures --------------------------------------------------------------------------------


def progress(state: PandemicState, params: Any, stations: Cities) -> float:
    """The worth of the cures, and of the progress towards further ones."""
    total = 0.0
    ahead = 0.0
    worth = 1.0
    for colour in range(len(COLOURS)):
        if state.diseases.at[colour, CURED] > 0:
            total += WORTH_CURE * worth
            total += WORTH_ERADICATION * (state.diseases.at[colour, CURED] - 1)
            worth += GROWTH
        else:
            ahead += towards_cure(state, params, colour, stations)
            ahead -= COST_WASTE * waste(state, params, colour)
    return total + ahead * worth


def towards_cure(state: PandemicState, params: Any, colour: int, stations: Cities) -> float:
    """The progress towards a cure: of the closest player, and with little weight of the team."""
    best = 0.0
    team = 0.0
    for p in range(state.players):
        own = count_colour(state, p, colour)
        need = cards_needed(state, params, p)
        team += own / need
        cards = float(own)
        if own < need:
            cards += WORTH_LOAN * cards_from_others(state, p, colour, stations, need - own)
        value = WORTH_CARDS * min(1.0, cards / need) ** CONCENTRATION
        if 2 * own > need:
            worth = WORTH_READY if own >= need else WORTH_NEAR
            value += worth * (1.0 - min(LONG_WAY, way_to_station(state, p, stations)) / LONG_WAY)
        best = max(best, value)
    return best + WORTH_TEAM * min(1.0, team)


def waste(state: PandemicState, params: Any, colour: int) -> float:
    """The squared share of a colour's spare cards, beyond those of a cure, that are discarded."""
    pile = state.player_discards
    discarded = 0
    for i in range(pile.count):
        if pile.cards[i] < CITIES and colour_of(pile.cards[i]) == colour:
            discarded += 1
    share = min(1.0, discarded / max(1, CITIES // len(COLOURS) - params.cards_for_cure))
    return share * share


def cards_from_others(
    state: PandemicState, player: int, colour: int, stations: Cities, missing: int
) -> float:
    """The cards that others could give to a player; each counts less for a longer way to meet.

    If one or two cards are missing, only the nearest count, so that it pays to approach one.
    """
    total = 0.0
    first = 0.0
    second = 0.0
    for other in range(state.players):
        if other != player:
            hand = state.hands[other]
            for i in range(hand.count):
                card = hand.cards[i]
                if card < CITIES and colour_of(card) == colour:
                    way = way_to_meet(state, player, other, card, stations)
                    share = 1.0 / (1.0 + MEETING * way)
                    total += share
                    second = max(second, min(first, share))
                    first = max(first, share)
    if missing == 1:
        return first
    return first + second if missing == 2 else total


def way_to_meet(state: PandemicState, player: int, giver: int, card: int, stations: Cities) -> int:
    """The number of actions until two players are where one can give the other a card."""
    flying = flier(state)
    place = state.pawns[player].value
    givers_place = state.pawns[giver].value
    if state.roles[giver].value == Role.RESEARCHER:
        return 0 if flying == player or flying == giver else trip(place, givers_place, stations)
    way = 0 if flying == player else trip(place, card, stations)
    return way if flying == giver else way + trip(givers_place, card, stations)


def way_to_station(state: PandemicState, player: int, stations: Cities) -> int:
    """The number of drives to the nearest research station."""
    if flier(state) == player:
        return 0
    return way_to(state.pawns[player].value, stations)


# --- stations, events, room in hands, time -------------------------------------------------


def worth_of_assets(state: PandemicState, params: Any) -> float:
    """The worth of stations and events, minus the cost of full hands."""
    stations = params.stations - state.stations_left.value
    if state.phase == Phase.STATION_TO:
        stations += 1
    value = WORTH_STATION * min(4, stations) + WORTH_EVENT * state.prepared.count
    for p in range(state.players):
        hand = state.hands[p]
        value -= COST_FULL * max(0, hand.count + params.draws - params.hand_limit)
        for i in range(hand.count):
            if hand.cards[i] >= CITIES:
                value += WORTH_EVENT
    return value


def time_left(state: PandemicState, params: Any) -> float:
    """The share of player cards that are still in the deck, with the remaining actions, 0 .. 1.

    After the cards of a turn were drawn, the actions of the next turn count.
    """
    actions = state.actions_left.value
    if state.stage.value > Stage.DRAW:
        actions = params.actions
    return (state.player_deck.count + WORTH_ACTION * actions) / len(state.player_deck.cards)


# --- dangers ------------------------------------------------------------------------------


def cost_of_dangers(state: PandemicState, params: Any) -> float:
    """The cost of outbreaks and cubes, which is lower near the end of the player deck."""
    share = state.outbreaks.value / params.outbreaks_to_lose
    value = (danger(state, params) + COST_OUTBREAKS * share) * (1.0 + FEAR * share)
    value *= 1.0 - CALM * (1.0 - min(1.0, state.player_deck.count / LATE))
    return value + shortage(state, params)


def worth_of_positions(state: PandemicState, params: Any) -> float:
    """The worth of pawns being near the cities that need them."""
    discarded = discarded_set(state)
    total = 0.0
    for p in range(state.players):
        value = pull(state, p, discarded)
        total += value * BUSY if has_set(state, params, p) else value
    return total


def has_set(state: PandemicState, params: Any, player: int) -> bool:
    """Whether a player has the cards for a cure."""
    need = cards_needed(state, params, player)
    for colour in range(len(COLOURS)):
        if state.diseases.at[colour, CURED] == 0 and count_colour(state, player, colour) >= need:
            return True
    return False
