"""The events at the end of a round."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import EVERYONE, ActionList, announce, operand
from kibitz.library.coltexpress.data import (
    EVENTS,
    FIRST_JEWEL,
    SECOND_STRONGBOX,
    RoundEvent,
)
from kibitz.library.coltexpress.loot import add_takings, take_token, token_value
from kibitz.library.coltexpress.table import (
    BOX,
    HELD,
    ColtExpressState,
    Say,
    is_roof,
    owner,
)
from kibitz.library.coltexpress.train import bandits_at, caboose, hit_neutrally, move_marshal


def hold_event(state: ColtExpressState, params: Any) -> None:
    """Carries out the round's event, except Pickpocketing, where players choose."""
    event = EVENTS[state.round_card.value]
    if event != RoundEvent.NONE:
        announce(Say.EVENT, state.round_card.value)
    if event == RoundEvent.ANGRY_MARSHAL:
        angry_marshal(state, params)
    elif event == RoundEvent.BRAKING:
        braking(state)
    elif event == RoundEvent.REBELLION:
        rebellion(state)
    elif event == RoundEvent.SWIVEL_ARM:
        swivel_arm(state)
    elif event == RoundEvent.TAKE_IT_ALL:
        announce(Say.PUT_DOWN, SECOND_STRONGBOX, state.marshal.value)
        state.token_at.values[SECOND_STRONGBOX] = 2 * state.marshal.value
    elif event == RoundEvent.REVENGE:
        revenge(state, params)
    elif event == RoundEvent.HOSTAGE:
        hostage(state, params)


def angry_marshal(state: ColtExpressState, params: Any) -> None:
    """The Marshal shoots the bandits on the roof of his car, and moves towards the caboose."""
    for bandit in range(state.bandits.value):
        if state.where.values[bandit] == 2 * state.marshal.value + 1:
            hit_neutrally(state, bandit)
    if state.marshal.value < caboose(state):
        announce(Say.MARSHAL, state.marshal.value + 1)
        if params.lenient_marshal:
            state.marshal.value += 1
        else:
            move_marshal(state, state.marshal.value + 1)


def braking(state: ColtExpressState) -> None:
    """Moves the bandits on the roof one car towards the locomotive."""
    for bandit in range(state.bandits.value):
        if state.where.values[bandit] > 2 and is_roof(state.where.values[bandit]):
            slide(state, bandit, state.where.values[bandit] - 2)


def slide(state: ColtExpressState, bandit: int, place: int) -> None:
    """Moves a bandit to a roof, if they are not there already."""
    if state.where.values[bandit] != place:
        announce(Say.SLIDE, state.character.values[bandit], place >> 1)
        state.where.values[bandit] = place


def rebellion(state: ColtExpressState) -> None:
    """Gives every bandit inside the train a neutral bullet."""
    for bandit in range(state.bandits.value):
        if not is_roof(state.where.values[bandit]):
            hit_neutrally(state, bandit)


def swivel_arm(state: ColtExpressState) -> None:
    """Moves the bandits on the roof to the roof of the caboose."""
    for bandit in range(state.bandits.value):
        if is_roof(state.where.values[bandit]):
            slide(state, bandit, 2 * caboose(state) + 1)


def hostage(state: ColtExpressState, params: Any) -> None:
    """Gives the bandits in or on the locomotive a ransom."""
    for bandit in range(state.bandits.value):
        if state.where.values[bandit] < 2:
            announce(Say.PAY, state.character.values[bandit], params.ransom)
            state.cash.values[bandit] += params.ransom


def revenge(state: ColtExpressState, params: Any) -> None:
    """Makes the bandits on the roof of the Marshal's car drop their least valuable purse."""
    for bandit in range(state.bandits.value):
        if state.where.values[bandit] == 2 * state.marshal.value + 1:
            purse = extreme_purse(state, params, bandit)
            if purse >= 0:
                announce(Say.REMOVE if params.harsh_revenge else Say.DROP, purse)
                place = BOX if params.harsh_revenge else state.where.values[bandit]
                state.token_at.values[purse] = place


def extreme_purse(state: ColtExpressState, params: Any, bandit: int) -> int:
    """The purse that Marshal's Revenge takes: the least or the most valuable one, or -1."""
    sign = -1 if params.harsh_revenge else 1
    extreme = -1
    for purse in range(FIRST_JEWEL):
        if state.token_at.values[purse] == HELD + bandit:
            value = sign * token_value(state, params, purse)
            if extreme < 0 or value < sign * token_value(state, params, extreme):
                extreme = purse
    return extreme


# --- Pickpocketing --------------------------------------------------------------------------


def next_picker(state: ColtExpressState) -> bool:
    """Moves ``picker`` on to the next bandit who can take a purse; returns whether any can."""
    if EVENTS[state.round_card.value] != RoundEvent.PICKPOCKETING:
        return False
    while state.picker.value < state.bandits.value:
        bandit = state.picker.value
        place = state.where.values[bandit]
        if bandits_at(state, place) == 1 << bandit and purse_at(state, place):
            state.player = owner(state, bandit)
            state.turn_owner = state.player
            return True
        state.picker.value += 1
    return False


def purse_at(state: ColtExpressState, place: int) -> bool:
    """Whether a purse lies at a place."""
    for purse in range(FIRST_JEWEL):
        if state.token_at.values[purse] == place:
            return True
    return False


def add_pickings(state: ColtExpressState, actions: ActionList) -> None:
    """Adds the purses that the pickpocketing bandit can take."""
    add_takings(state, actions, state.picker.value, True)


def pick(state: ColtExpressState, params: Any, action: int) -> None:
    """Gives the bandit a purse, or pays its value openly as in TAG's Colt Express."""
    purse = operand(action, 1)
    if params.copied_purses:
        value = token_value(state, params, purse)
        announce(Say.PAY, state.character.values[state.picker.value], value)
        state.purses.seen[purse] = EVERYONE
        state.cash.values[state.picker.value] += value
    else:
        take_token(state, state.picker.value, purse)
    state.picker.value += 1
