"""Event cards: when each player may play them, and their effects.

Players may play their events at any time, also out of turn, except between drawing a card and
carrying it out. So holders of events are asked before each action of another player, before cards
are drawn, between two epidemics, and before each infection; the holder of Resilient Population
also between the infection and the intensification of an epidemic. Since hands are open, it reveals
nothing that only holders are asked.
"""

from __future__ import annotations

from typing import Any

from kibitz.authoring import (
    ActionList,
    add,
    add_if,
    announce,
    draw_card,
    interrupt,
    kind,
    move_copy,
    operand,
    pack,
    resume,
)
from kibitz.library.pandemic.hands import has_role, has_station, holds, put_station, take_station
from kibitz.library.pandemic.table import Move, PandemicState, Phase, Say, Stage
from kibitz.library.pandemic.world import CITIES, EPIDEMIC, EventCard, Role

NO_EVENTS = 0
ONLY_RESILIENCE = 1
ALL_EVENTS = 2


# --- events that may be played ------------------------------------------------------------


def allowed_now(state: PandemicState, params: Any) -> int:
    """The events that may be played before the next stage."""
    if state.stage.value == Stage.INTENSIFY:
        return ONLY_RESILIENCE
    if state.stage.value == Stage.EPIDEMIC or not params.events_any_time:
        return NO_EVENTS
    return ALL_EVENTS


def ask_for_events(state: PandemicState, params: Any) -> bool:
    """Asks the next player with a playable event; returns whether there is one.

    The player whose action is next is not asked, since events are among their actions.
    """
    allowed = allowed_now(state, params)
    if allowed == NO_EVENTS:
        return False
    acting = state.stage.value == Stage.ACTIONS
    while state.asked.value < state.players:
        p = (state.turn_owner + state.asked.value) % state.players
        state.asked.value += 1
        if not (acting and p == state.turn_owner) and can_play(state, p, allowed):
            interrupt(state, state.stack, p, Phase.EVENT)
            return True
    return False


def can_play(state: PandemicState, player: int, allowed: int) -> bool:
    """Whether a player has an event that is playable now."""
    hand = state.hands[player]
    for i in range(hand.count):
        if is_playable(state, hand.cards[i], allowed):
            return True
    if has_role(state, player, Role.CONTINGENCY_PLANNER) and state.prepared.count > 0:
        return is_playable(state, state.prepared.cards[0], allowed)
    return False


def is_playable(state: PandemicState, card: int, allowed: int) -> bool:
    """Whether a card is an event that is allowed and has an effect now."""
    if card < CITIES or card >= EPIDEMIC:
        return False
    if card == EventCard.RESILIENT_POPULATION:
        return state.infection_discards.count > 0
    if allowed == ONLY_RESILIENCE:
        return False
    return card != EventCard.FORECAST or state.infection_deck.count > 0


def add_events(state: PandemicState, actions: ActionList, player: int, allowed: int) -> None:
    """Adds the events of a player that are playable now."""
    hand = state.hands[player]
    for i in range(hand.count):
        add_event(state, actions, hand.cards[i], allowed)
    if has_role(state, player, Role.CONTINGENCY_PLANNER) and state.prepared.count > 0:
        add_event(state, actions, state.prepared.cards[0], allowed)


def add_event(state: PandemicState, actions: ActionList, card: int, allowed: int) -> None:
    """Adds the plays of a card if it is an event that is playable now."""
    if not is_playable(state, card, allowed):
        return
    if card != EventCard.AIRLIFT:
        add(actions, pack(Move.PLAY, card))
        return
    for pawn in range(state.players):
        add(actions, pack(Move.AIRLIFT, pawn))


# --- playing them -------------------------------------------------------------------------


def play_event(state: PandemicState, params: Any, action: int) -> None:
    """Plays an event, whose player makes its choices; then all players may react again."""
    player = state.player
    card = operand(action, 0)
    if kind(action) == Move.AIRLIFT:
        card = EventCard.AIRLIFT
    if state.phase != Phase.ACTION:
        resume(state, state.stack)
    elif params.events_cost_actions:
        state.actions_left.value -= 1
    state.asked.value = 0
    spend_event(state, player, card)
    if card == EventCard.AIRLIFT:
        interrupt(state, state.stack, player, Phase.DESTINATION, operand(action, 0))
    elif card == EventCard.ONE_QUIET_NIGHT:
        state.quiet.value = 1
    elif card == EventCard.RESILIENT_POPULATION:
        interrupt(state, state.stack, player, Phase.RESILIENCE)
    elif card == EventCard.GOVERNMENT_GRANT:
        phase = Phase.STATION_TO if state.stations_left.value > 0 else Phase.STATION_FROM
        interrupt(state, state.stack, player, phase)
    else:
        look_ahead(state, params, player)


def spend_event(state: PandemicState, player: int, card: int) -> None:
    """Moves an event to the discard pile, or a prepared one out of the game."""
    if holds(state, player, card):
        hand = state.hands[player]
        move_copy(state, hand, card, state.player_discards)
    else:
        announce(Say.PLAYER_CARD, card)
        draw_card(state, state.prepared, state.used_up)


def look_ahead(state: PandemicState, params: Any, player: int) -> None:
    """Forecast: shows the top infection cards to all, to be put back one by one."""
    number = min(state.infection_deck.count, params.forecast_cards)
    for _ in range(number):
        draw_card(state, state.infection_deck, state.forecast)
    interrupt(state, state.stack, player, Phase.FORECAST)
    put_last_back(state)


def put_back(state: PandemicState, city: int) -> None:
    """Puts a forecast card back on the deck, where all players know it."""
    pile = state.forecast
    announce(Say.INFECTION_CARD, city)
    move_copy(state, pile, city, state.infection_deck)
    put_last_back(state)


def put_last_back(state: PandemicState) -> None:
    """Puts the last forecast card back, which is not a decision."""
    if state.forecast.count == 1:
        draw_card(state, state.forecast, state.infection_deck)
        resume(state, state.stack)


def remove_infection(state: PandemicState, city: int) -> None:
    """Resilient Population: removes a discarded infection card from the game."""
    pile = state.infection_discards
    announce(Say.INFECTION_CARD, city)
    move_copy(state, pile, city, state.resilient)
    resume(state, state.stack)


def grant(state: PandemicState, move: int, city: int) -> None:
    """Government Grant: takes a station from a city if the supply is empty, or puts one there."""
    if move == Move.TAKE_STATION:
        take_station(state, city)
        state.phase = Phase.STATION_TO
    else:
        put_station(state, city)
        resume(state, state.stack)


# --- their choices ------------------------------------------------------------------------


def add_stations(state: PandemicState, actions: ActionList) -> None:
    """Adds the cities with a station to take, or those without one."""
    taking = state.phase == Phase.STATION_FROM
    move = Move.TAKE_STATION if taking else Move.PLACE_STATION
    for city in range(CITIES):
        add_if(has_station(state, city) == taking, actions, pack(move, city))


def add_removals(state: PandemicState, actions: ActionList) -> None:
    """Adds the discarded infection cards."""
    for i in range(state.infection_discards.count):
        add(actions, pack(Move.REMOVE, state.infection_discards.cards[i]))


def add_forecast(state: PandemicState, actions: ActionList) -> None:
    """Adds the forecast cards that are not yet back on the deck."""
    for i in range(state.forecast.count):
        add(actions, pack(Move.PUT_BACK, state.forecast.cards[i]))
