"""The stealing phase: the cards of the pile are carried out in order.

Each card must be carried out; its player chooses the details. ``Move.NOTHING`` is the only choice
if the card has no effect.
"""

from __future__ import annotations

from typing import Any

from kibitz.authoring import EVERYONE, ActionList, add, announce, kind, operand, pack
from kibitz.library.coltexpress.data import KINDS, LOOT_KINDS, Card, Character, Loot
from kibitz.library.coltexpress.loot import add_takings, held_kinds, random_token, take_token
from kibitz.library.coltexpress.table import ColtExpressState, Move, Say, is_roof, owner
from kibitz.library.coltexpress.train import (
    caboose,
    give_bullet,
    move_marshal,
    push,
    put_bandit,
    targets_to_punch,
    targets_to_shoot,
)


def turn_up_card(state: ColtExpressState) -> None:
    """Shows the next card of the pile to all; its player is to move."""
    index = state.next_card.value
    card = state.pile.cards[index]
    if state.pile.seen[index] != EVERYONE:
        announce(Say.TURN_UP, state.character.values[card // KINDS], card % KINDS)
    state.pile.seen[index] = EVERYONE
    state.player = owner(state, card // KINDS)
    state.turn_owner = state.player


# --- legal actions --------------------------------------------------------------------------


def add_details(state: ColtExpressState, params: Any, actions: ActionList) -> None:
    """Adds the ways to carry out the card that was turned up."""
    card = state.pile.cards[state.next_card.value]
    bandit = card // KINDS
    before = actions.count
    add_ways(state, params, actions, bandit, card % KINDS)
    if actions.count == before:
        add(actions, pack(Move.NOTHING, state.character.values[bandit], card % KINDS))


def add_ways(
    state: ColtExpressState, params: Any, actions: ActionList, bandit: int, card: int
) -> None:
    """Adds the ways to carry out a bandit's card; none if it has no effect."""
    if card == Card.MOVE:
        add_moves(state, params, actions, bandit)
    elif card == Card.FLOOR_CHANGE:
        way = Move.DESCEND if is_roof(state.where.values[bandit]) else Move.CLIMB
        add(actions, pack(way, state.character.values[bandit]))
    elif card == Card.FIRE:
        add_shots(state, actions, bandit)
    elif card == Card.ROBBERY:
        add_takings(state, actions, bandit, False)
    elif card == Card.PUNCH:
        add_punches(state, actions, bandit)
    else:
        add_cars(state, actions, Move.LURE, bandit, state.marshal.value, 1)


def add_moves(state: ColtExpressState, params: Any, actions: ActionList, bandit: int) -> None:
    """Adds moves to the next cars inside, or to several along the roof."""
    place = state.where.values[bandit]
    if is_roof(place):
        add_cars(state, actions, Move.RUN, bandit, place >> 1, params.roof_range)
    else:
        add_cars(state, actions, Move.GO, bandit, place >> 1, 1)


def add_cars(
    state: ColtExpressState, actions: ActionList, move: int, bandit: int, car: int, most: int
) -> None:
    """Adds an action for each car at most `most` cars away."""
    character = state.character.values[bandit]
    for other in range(max(0, car - most), min(caboose(state), car + most) + 1):
        if other != car:
            add(actions, pack(move, character, other))


def add_shots(state: ColtExpressState, actions: ActionList, bandit: int) -> None:
    """Adds a shot at each possible target, if the bandit has a bullet left."""
    if state.bullets.values[bandit] == 0:
        return
    targets = targets_to_shoot(state, bandit)
    for target in range(state.bandits.value):
        if targets >> target & 1:
            character = state.character.values[bandit]
            add(actions, pack(Move.SHOOT, character, state.character.values[target]))


def add_punches(state: ColtExpressState, actions: ActionList, bandit: int) -> None:
    """Adds punches of all possible targets."""
    targets = targets_to_punch(state, bandit)
    for target in range(state.bandits.value):
        if targets >> target & 1:
            add_punches_of(state, actions, bandit, target)


def add_punches_of(state: ColtExpressState, actions: ActionList, bandit: int, target: int) -> None:
    """Adds each kind of loot that the target can lose, with each car they can be pushed to."""
    kinds = held_kinds(state, target)
    car = state.where.values[target] >> 1
    puncher = state.character.values[bandit]
    punched = state.character.values[target]
    for other in range(max(0, car - 1), min(caboose(state), car + 1) + 1):
        if other != car:
            if kinds == 0:
                add(actions, pack(Move.PUNCH, puncher, punched, other))
            for loot in range(LOOT_KINDS):
                if kinds >> loot & 1:
                    add(actions, pack(Move.PUNCH_OUT, puncher, punched, other, loot))


# --- effects --------------------------------------------------------------------------------


def carry_out(state: ColtExpressState, params: Any, action: int) -> None:
    """Carries out a card in the chosen way."""
    move = kind(action)
    bandit = state.pile.cards[state.next_card.value] // KINDS
    place = state.where.values[bandit]
    if move == Move.GO:
        put_bandit(state, bandit, 2 * operand(action, 1))
    elif move == Move.RUN:
        state.where.values[bandit] = 2 * operand(action, 1) + 1
    elif move == Move.CLIMB:
        state.where.values[bandit] = place + 1
    elif move == Move.DESCEND:
        descend(state, params, bandit)
    elif move == Move.LURE:
        move_marshal(state, operand(action, 1))
    elif move == Move.SHOOT:
        shoot(state, params, bandit, state.bandit_of.values[operand(action, 1)])
    elif move == Move.TAKE:
        take_token(state, bandit, operand(action, 1))
    elif move == Move.PUNCH or move == Move.PUNCH_OUT:
        punch(state, bandit, action)


def descend(state: ColtExpressState, params: Any, bandit: int) -> None:
    """Moves a bandit from the roof into the car, where the Marshal may be."""
    place = state.where.values[bandit] - 1
    if params.lenient_marshal:
        state.where.values[bandit] = place
    else:
        put_bandit(state, bandit, place)


def shoot(state: ColtExpressState, params: Any, bandit: int, target: int) -> None:
    """Gives the target one of the bandit's bullets; Django also pushes the target."""
    state.bullets.values[bandit] -= 1
    give_bullet(state, target, bandit)
    if state.character.values[bandit] == Character.DJANGO:
        away = (state.where.values[target] >> 1) - (state.where.values[bandit] >> 1)
        push(state, params, target, 1 if away > 0 else -1)


def punch(state: ColtExpressState, bandit: int, action: int) -> None:
    """Makes the target drop a token of the chosen kind, and pushes the target to another car.

    Chance decides between several tokens of the kind. Cheyenne keeps a purse.
    """
    target = state.bandit_of.values[operand(action, 1)]
    place = state.where.values[target]
    if kind(action) == Move.PUNCH_OUT:
        loot = operand(action, 3)
        token = random_token(state, target, loot)
        if loot == Loot.PURSE and state.character.values[bandit] == Character.CHEYENNE:
            announce(Say.KEEP, state.character.values[bandit], token)
            take_token(state, bandit, token)
        else:
            announce(Say.DROP, token)
            state.token_at.values[token] = place
    put_bandit(state, target, 2 * operand(action, 2) + (place & 1))
