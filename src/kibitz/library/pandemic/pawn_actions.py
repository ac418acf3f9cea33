"""Actions in a pawn's city: build, treat, share knowledge, cure, take an event back."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import (
    ActionList,
    add,
    add_if,
    announce,
    interrupt,
    move_card,
    move_copy,
    operand,
    pack,
    resume,
    win_together,
)
from kibitz.library.pandemic.hands import (
    cards_needed,
    count_colour,
    discard,
    has_role,
    has_station,
    holds,
    put_station,
    take_station,
)
from kibitz.library.pandemic.infection import check_eradicated, medic_treats, remove_cubes
from kibitz.library.pandemic.table import CURED, STATION, Ending, Move, PandemicState, Phase, Say
from kibitz.library.pandemic.world import (
    CITIES,
    CITIES_OF_A_COLOUR,
    COLOURS,
    EPIDEMIC,
    Role,
    colour_of,
)


def add_pawn_actions(state: PandemicState, params: Any, actions: ActionList) -> None:
    """Adds all actions in the player's city."""
    me = state.player
    city = state.pawns[me].value
    add_buildings(state, actions, me, city)
    for colour in range(len(COLOURS)):
        add_if(state.cities.at[city, colour] > 0, actions, pack(Move.TREAT, colour))
    for other in range(state.players):
        if other != me and state.pawns[other].value == city:
            add_gifts(state, actions, me, other, True)
            add_gifts(state, actions, other, me, False)
    if has_station(state, city):
        for colour in range(len(COLOURS)):
            if state.diseases.at[colour, CURED] == 0:
                enough = count_colour(state, me, colour) >= cards_needed(state, params, me)
                add_if(enough, actions, pack(Move.CURE, colour))
    if has_role(state, me, Role.CONTINGENCY_PLANNER) and state.prepared.count == 0:
        add_discarded_events(state, actions)


# --- research stations --------------------------------------------------------------------


def add_buildings(state: PandemicState, actions: ActionList, player: int, place: int) -> None:
    """Adds building a station for the card of the city `place`, or moving one if none is left."""
    if has_station(state, place):
        return
    if not has_role(state, player, Role.OPERATIONS_EXPERT) and not holds(state, player, place):
        return
    if state.stations_left.value > 0:
        add(actions, pack(Move.BUILD))
        return
    for city in range(CITIES):
        add_if(state.cities.at[city, STATION] > 0, actions, pack(Move.REBUILD, city))


def build(state: PandemicState, old: int) -> None:
    """Builds a station where the player is; it is taken from the city `old` unless that is -1."""
    me = state.player
    city = state.pawns[me].value
    if old >= 0:
        take_station(state, old)
    if not has_role(state, me, Role.OPERATIONS_EXPERT):
        discard(state, me, city)
    put_station(state, city)


# --- treating -----------------------------------------------------------------------------


def treat(state: PandemicState, colour: int) -> None:
    """Removes a cube from the player's city; all cubes for the Medic, or of a cured disease."""
    me = state.player
    city = state.pawns[me].value
    number = 1
    if has_role(state, me, Role.MEDIC) or state.diseases.at[colour, CURED] > 0:
        number = state.cities.at[city, colour]
    remove_cubes(state, city, colour, number)


# --- sharing knowledge --------------------------------------------------------------------


def add_gifts(
    state: PandemicState, actions: ActionList, giver: int, taker: int, give: bool
) -> None:
    """Adds giving, or taking, the city's card, or any city card of the Researcher."""
    hand = state.hands[giver]
    city = state.pawns[giver].value
    for i in range(hand.count):
        card = hand.cards[i]
        if card == city or (card < CITIES and has_role(state, giver, Role.RESEARCHER)):
            if give:
                add(actions, pack(Move.GIVE, card, taker))
            else:
                add(actions, pack(Move.TAKE, card, giver))


def share(state: PandemicState, giver: int, taker: int, card: int) -> None:
    """Moves a card from one hand to another."""
    hand = state.hands[giver]
    move_copy(state, hand, card, state.hands[taker])


# --- cures --------------------------------------------------------------------------------


def begin_cure(state: PandemicState, params: Any, colour: int) -> None:
    """Discovers a cure; with more than enough cards the player first chooses which to keep."""
    me = state.player
    spare = count_colour(state, me, colour) - cards_needed(state, params, me)
    if not params.cure_discards_all and spare > 0:
        interrupt(state, state.stack, me, Phase.KEEP, colour)
    else:
        cure(state, params, me, colour, 0)


def add_keepers(state: PandemicState, params: Any, actions: ActionList) -> None:
    """Adds cards that can be kept, in increasing order, so that each set is chosen in one way."""
    me = state.player
    top = state.stack.depth - 1
    colour = state.stack.data[top, 0]
    kept_mask = state.stack.data[top, 1]
    spare = count_colour(state, me, colour) - cards_needed(state, params, me) - bits(kept_mask)
    above = 0
    for place in range(CITIES_OF_A_COLOUR - 1, -1, -1):
        card = colour * CITIES_OF_A_COLOUR + place
        if kept_mask >> place != 0:
            return
        if holds(state, me, card):
            above += 1
            add_if(above >= spare, actions, pack(Move.KEEP, card))


def keep(state: PandemicState, params: Any, card: int) -> None:
    """Keeps a card; after the last one the others are discarded for the cure."""
    me = state.player
    top = state.stack.depth - 1
    colour = state.stack.data[top, 0]
    kept_mask = state.stack.data[top, 1] | 1 << card % CITIES_OF_A_COLOUR
    state.stack.data[top, 1] = kept_mask
    if count_colour(state, me, colour) - bits(kept_mask) == cards_needed(state, params, me):
        resume(state, state.stack)
        cure(state, params, me, colour, kept_mask)


def bits(mask: int) -> int:
    """The number of cards in a bit mask of a colour's cards."""
    number = 0
    for place in range(CITIES_OF_A_COLOUR):
        number += mask >> place & 1
    return number


def cure(state: PandemicState, params: Any, player: int, colour: int, kept_mask: int) -> None:
    """Discards the cards of a colour except those of the mask, and cures the disease."""
    hand = state.hands[player]
    for i in range(hand.count - 1, -1, -1):
        card = hand.cards[i]
        if card < CITIES and colour_of(card) == colour:
            if kept_mask >> card % CITIES_OF_A_COLOUR & 1 == 0:
                move_card(state, hand, i, state.player_discards)
    state.diseases.at[colour, CURED] = 1
    if params.cure_eradicates:
        check_eradicated(state, colour)
    announce(Say.CURE, colour, int(state.seat[player].score) + 1, params.cures_to_win)
    for p in range(state.players):
        state.seat[p].score += 1
        if has_role(state, p, Role.MEDIC) and params.medic_prevention:
            medic_treats(state, p)
    if state.seat[player].score >= params.cures_to_win:
        state.phase = Ending.CURED
        win_together(state)


# --- the Contingency Planner --------------------------------------------------------------


def add_discarded_events(state: PandemicState, actions: ActionList) -> None:
    """Adds the events in the discard pile."""
    pile = state.player_discards
    for i in range(pile.count):
        event = pile.cards[i] >= CITIES and pile.cards[i] < EPIDEMIC
        add_if(event, actions, pack(Move.PREPARE, pile.cards[i]))


def prepare(state: PandemicState, event: int) -> None:
    """The Contingency Planner takes an event from the discard pile."""
    pile = state.player_discards
    announce(Say.PLAYER_CARD, event)
    move_copy(state, pile, event, state.prepared)


def do_pawn_action(state: PandemicState, params: Any, move: int, action: int) -> None:
    """Carries out an action of this module."""
    first = operand(action, 0)
    if move == Move.TREAT:
        treat(state, first)
    elif move == Move.BUILD:
        build(state, -1)
    elif move == Move.REBUILD:
        build(state, first)
    elif move == Move.GIVE:
        share(state, state.player, operand(action, 1), first)
    elif move == Move.TAKE:
        share(state, operand(action, 1), state.player, first)
    elif move == Move.CURE:
        begin_cure(state, params, first)
    elif move == Move.PREPARE:
        prepare(state, first)
