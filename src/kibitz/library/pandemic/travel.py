"""Moves of pawns: a player's own, and those of others for the Dispatcher."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import ActionList, add, add_if, interrupt, kind, operand, pack
from kibitz.library.pandemic.hands import discard, has_role, has_station, holds, put_pawn
from kibitz.library.pandemic.table import SENT, Move, PandemicState, Phase
from kibitz.library.pandemic.world import CITIES, DEGREE, NEIGHBOURS, Role


def add_travels(state: PandemicState, params: Any, actions: ActionList) -> None:
    """Adds all moves of the player's pawn, and of the others for the Dispatcher."""
    me = state.player
    add_moves_of(state, params, actions, me)
    if has_role(state, me, Role.DISPATCHER):
        for pawn in range(state.players):
            if pawn != me:
                add_moves_of(state, params, actions, pawn)
            add_joins(state, actions, pawn)
    elif has_role(state, me, Role.OPERATIONS_EXPERT):
        add_flights(state, params, actions)


def add_moves_of(state: PandemicState, params: Any, actions: ActionList, pawn: int) -> None:
    """Adds drives, direct and charter flights, and shuttles, with the cards of the mover."""
    start = state.pawns[pawn].value
    for i in range(DEGREE[params.map, start]):
        add(actions, travel(state, Move.DRIVE, pawn, NEIGHBOURS[params.map, start, i]))
    me = state.player
    hand = state.hands[me]
    for i in range(hand.count):
        if hand.cards[i] < CITIES and hand.cards[i] != start:
            add(actions, travel(state, Move.DIRECT, pawn, hand.cards[i]))
    if holds(state, me, start):
        for city in range(CITIES):
            add_if(city != start, actions, travel(state, Move.CHARTER, pawn, city))
    if has_station(state, start):
        for city in range(CITIES):
            has_shuttle = city != start and has_station(state, city)
            add_if(has_shuttle, actions, travel(state, Move.SHUTTLE, pawn, city))


def travel(state: PandemicState, how: int, pawn: int, city: int) -> int:
    """The action that moves a pawn to a city, in one of the four ways."""
    if pawn == state.player:
        return pack(how, city)
    return pack(how + SENT, pawn, city)


def add_joins(state: PandemicState, actions: ActionList, pawn: int) -> None:
    """Adds moves of a pawn to the city of another pawn, for the Dispatcher."""
    for other in range(state.players):
        if state.pawns[other].value != state.pawns[pawn].value:
            add(actions, pack(Move.JOIN, pawn, other))


def add_flights(state: PandemicState, params: Any, actions: ActionList) -> None:
    """Adds flights from a station for any city card, for the Operations Expert."""
    if state.flown.value == 1 and params.one_flight_a_turn:
        return
    hand = state.hands[state.player]
    if has_station(state, state.pawns[state.player].value):
        for i in range(hand.count):
            if hand.cards[i] < CITIES:
                add(actions, pack(Move.OPERATE, hand.cards[i]))


def go(state: PandemicState, params: Any, action: int) -> None:
    """Carries out an action that moves a pawn."""
    me = state.player
    how = kind(action)
    if how == Move.JOIN:
        city = state.pawns[operand(action, 1)].value
        put_pawn(state, params, operand(action, 0), city, me)
        return
    pawn = me
    city = operand(action, 0)
    if how >= SENT:
        how -= SENT
        pawn = operand(action, 0)
        city = operand(action, 1)
    if how == Move.DIRECT:
        discard(state, me, city)
    elif how == Move.CHARTER:
        discard(state, me, state.pawns[pawn].value)
    put_pawn(state, params, pawn, city, me)


def begin_flight(state: PandemicState, card: int) -> None:
    """Discards the Operations Expert's card; then the player chooses the destination."""
    me = state.player
    discard(state, me, card)
    state.flown.value = 1
    interrupt(state, state.stack, me, Phase.DESTINATION, me)


def add_destinations(state: PandemicState, actions: ActionList) -> None:
    """Adds every city except the one where the pawn is."""
    pawn = state.stack.data[state.stack.depth - 1, 0]
    for city in range(CITIES):
        add_if(state.pawns[pawn].value != city, actions, pack(Move.GO, city))
