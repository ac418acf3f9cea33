"""The train: positions of bandits and of the Marshal, bullets, targets."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import EVERYONE, announce, place_card
from kibitz.library.coltexpress.data import KINDS, MOST_BANDITS, Card, Character
from kibitz.library.coltexpress.table import MARSHAL, ColtExpressState, Say, is_roof, owner


def caboose(state: ColtExpressState) -> int:
    """The number of the last car."""
    return state.bandits.value


def give_bullet(state: ColtExpressState, bandit: int, shooter: int) -> None:
    """Puts a bullet into the deck of the bandit's player, where all know it in this round."""
    state.hits.values[bandit * (MOST_BANDITS + 1) + shooter] += 1
    place_card(state, state.decks[owner(state, bandit)], bandit * KINDS + Card.BULLET, EVERYONE)


def hit_neutrally(state: ColtExpressState, bandit: int) -> None:
    """Gives a bandit a neutral bullet, if there is one left."""
    if state.neutral_bullets.value > 0:
        announce(Say.HIT, state.character.values[bandit])
        state.neutral_bullets.value -= 1
        give_bullet(state, bandit, MARSHAL)


def meet_marshal(state: ColtExpressState) -> None:
    """Gives the bandits inside the Marshal's car a neutral bullet, and moves them to the roof."""
    place = 2 * state.marshal.value
    for bandit in range(state.bandits.value):
        if state.where.values[bandit] == place:
            hit_neutrally(state, bandit)
            announce(Say.FLEE, state.character.values[bandit])
            state.where.values[bandit] = place + 1


def put_bandit(state: ColtExpressState, bandit: int, place: int) -> None:
    """Moves a bandit to a place, where the Marshal may be."""
    state.where.values[bandit] = place
    if place == 2 * state.marshal.value:
        meet_marshal(state)


def move_marshal(state: ColtExpressState, car: int) -> None:
    """Moves the Marshal to a car, where bandits may be."""
    state.marshal.value = car
    meet_marshal(state)


def push(state: ColtExpressState, params: Any, bandit: int, step: int) -> None:
    """Pushes a bandit that Django shot one car further, but not off the train."""
    place = state.where.values[bandit]
    car = (place >> 1) + step
    if car < 0 or car > caboose(state):
        return
    if params.short_push and (is_roof(place) or car == caboose(state)):
        return
    announce(Say.PUSH, state.character.values[bandit], car)
    put_bandit(state, bandit, place + 2 * step)


# --- targets: a bit for each bandit ---------------------------------------------------------


def targets_to_shoot(state: ColtExpressState, bandit: int) -> int:
    """The bandits that a bandit can shoot: in the next cars, or the nearest ones on the roof."""
    place = state.where.values[bandit]
    before = place + 2
    behind = place - 2
    if is_roof(place):
        before = nearest(state, place, 1)
        behind = nearest(state, place, -1)
    targets = bandits_at(state, before) | bandits_at(state, behind)
    if state.character.values[bandit] == Character.TUCO:
        targets |= bandits_at(state, place ^ 1)
    return spare_belle(state, targets)


def nearest(state: ColtExpressState, place: int, step: int) -> int:
    """The nearest roof with a bandit in one direction: a bandit hides all who are behind.

    If nobody is in sight, it is a place off the train.
    """
    distance = 100
    for bandit in range(state.bandits.value):
        away = (state.where.values[bandit] - place) * step
        if away & 1 == 0 and 0 < away < distance:
            distance = away
    return place + distance * step


def targets_to_punch(state: ColtExpressState, bandit: int) -> int:
    """The bandits that a bandit can punch."""
    return spare_belle(state, bandits_at(state, state.where.values[bandit]) & ~(1 << bandit))


def bandits_at(state: ColtExpressState, place: int) -> int:
    """The bandits at a place, one bit each."""
    bandits = 0
    for bandit in range(state.bandits.value):
        if state.where.values[bandit] == place:
            bandits |= 1 << bandit
    return bandits


def spare_belle(state: ColtExpressState, targets: int) -> int:
    """Removes Belle from the targets if there is another target."""
    belle = state.bandit_of.values[Character.BELLE]
    if belle >= 0 and targets & ~(1 << belle) != 0:
        return targets & ~(1 << belle)
    return targets
