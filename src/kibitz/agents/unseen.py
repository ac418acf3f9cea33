"""Unseen cards: where a state contradicts an observation, and which exchange would mend it.

Nobody's choice can have depended on a card that nobody has seen. So all ways to arrange these
cards are equally likely, whatever was played, and two of them may be exchanged: a card that turned
up is looked for among them and put where it was drawn from.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.contract import SLOT, Rules, redeal_pools, slot_length
from kibitz.core.layout import EVERYONE
from kibitz.core.memory import INT16, Address, array_at
from kibitz.core.randomness import Stream, random_below

NO_PLACE, OTHER_SHAPE = -1, -2
"""Results of ``wrong_place``: all that is seen is alike; places differ, or who sees them."""

PLACES_OF_SLOT = 1 << 16
"""A place is a number: that of its slot times this, plus its index there."""


def can_exchange(rules: Rules) -> bool:
    """Whether cards that nobody has seen can be exchanged in this game.

    Not where rules sample what is hidden by code of their own and never say whether they would
    accept a sample: there may be more to know about a card than who has seen it.
    """
    return bool(rules.slot_count > 0 and (rules.redeterminize == 0 or rules.is_consistent != 0))


def shuffle_unseen(rules: Rules, state: Address) -> None:
    """Shuffles the cards that nobody has seen, with the state's own random stream."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    first = 0
    while first < rules.slot_count and slots[first].pool < 0:
        first += 1
    redeal_pools(rules, state, EVERYONE, first)


def wrong_place(rules: Rules, state: Address, seen: Address, player: int) -> int:
    """The first place where `player` sees another card in a state than in the observation.

    Args:
        rules: of the game.
        state: the state.
        seen: the observation that it should agree with.
        player: whose observation that is.

    Returns:
        The place; or ``NO_PLACE``, or ``OTHER_SHAPE``.
    """
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    found = NO_PLACE
    for s in range(rules.slot_count):
        slot = slots[s]
        length = slot_length(slot, state)
        if length != slot_length(slot, seen):
            return OTHER_SHAPE
        place = wrong_index(slot, length, state, seen, 1 << player)
        if place == OTHER_SHAPE:
            return OTHER_SHAPE
        if place >= 0 and found < 0:
            found = s * PLACES_OF_SLOT + place
    return found


def wrong_index(slot: Any, length: int, state: Address, seen: Address, bit: int) -> int:
    """The first index in a slot where the card differs from the observation; negative: none."""
    values = array_at(state + slot.values, INT16, slot.capacity)
    wanted = array_at(seen + slot.values, INT16, slot.capacity)
    masks = array_at(state + slot.seen, INT16, slot.capacity)
    wanted_masks = array_at(seen + slot.seen, INT16, slot.capacity)
    found = NO_PLACE
    for i in range(length):
        if masks[i] != wanted_masks[i]:
            return OTHER_SHAPE
        if masks[i] & bit != 0 and values[i] != wanted[i] and found < 0:
            found = i
    return found


def value_at(rules: Rules, state: Address, place: int) -> int:
    """The value at a place."""
    slot = array_at(rules.slots, SLOT, rules.slot_count)[place // PLACES_OF_SLOT]
    return int(array_at(state + slot.values, INT16, slot.capacity)[place % PLACES_OF_SLOT])


def set_value(rules: Rules, state: Address, place: int, value: int) -> None:
    """Sets the value at a place."""
    slot = array_at(rules.slots, SLOT, rules.slot_count)[place // PLACES_OF_SLOT]
    array_at(state + slot.values, INT16, slot.capacity)[place % PLACES_OF_SLOT] = value


def pool_at(rules: Rules, place: int) -> int:
    """The pool of the pieces at a place."""
    return int(array_at(rules.slots, SLOT, rules.slot_count)[place // PLACES_OF_SLOT].pool)


def look_alike(rules: Rules, value: int, other: int) -> bool:
    """Whether two cards have the same back."""
    if rules.back_count <= 1:
        return True
    most = max(value, other) + 1
    backs = array_at(rules.backs, INT16, most)
    return bool(backs[value] == backs[other])


def nth_unseen(rules: Rules, state: Address, pool: int, value: int, number: int) -> int:
    """The place of a card of this value that nobody has seen, counted from the top; or -1.

    Args:
        rules: of the game.
        state: where to look.
        pool: of the card.
        value: which card.
        number: the first is 0.
    """
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    for s in range(rules.slot_count):
        if slots[s].pool == pool:
            values = array_at(state + slots[s].values, INT16, slots[s].capacity)
            masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
            for i in range(slot_length(slots[s], state) - 1, -1, -1):
                if masks[i] == 0 and values[i] == value:
                    if number == 0:
                        return s * PLACES_OF_SLOT + i
                    number -= 1
    return NO_PLACE


def count_unseen(rules: Rules, state: Address, pool: int, value: int) -> int:
    """How many cards of a pool nobody has seen: of this value, or of any that is -1."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    found = 0
    for s in range(rules.slot_count):
        if slots[s].pool == pool:
            values = array_at(state + slots[s].values, INT16, slots[s].capacity)
            masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
            for i in range(slot_length(slots[s], state)):
                if masks[i] == 0 and (value < 0 or values[i] == value):
                    found += 1
    return found


def random_unseen(rules: Rules, state: Address, pool: int, value: int, rng: Stream) -> int:
    """The place of a random card of this value that nobody has seen, or -1."""
    count = count_unseen(rules, state, pool, value)
    if count == 0:
        return NO_PLACE
    return nth_unseen(rules, state, pool, value, random_below(rng, count))
