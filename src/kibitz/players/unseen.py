"""Unseen cards: where a state contradicts an observation, and which exchange corrects it.

No choice can have depended on a card that nobody has seen. So all arrangements of these cards are
equally likely, whatever was played, and two of them may be exchanged: a card that was revealed
is searched for among them and put where it was drawn from.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.contract import Rules
from kibitz.core.hidden import SLOT, redeal_pools, slot_length
from kibitz.core.layout import EVERYONE
from kibitz.core.memory import INT16, Address, array_at
from kibitz.core.randomness import Stream, random_below

NO_PLACE, OTHER_SHAPE = -1, -2
"""Results of ``wrong_place``: no difference; lengths of slots or viewers of a card differ."""

PLACES_OF_SLOT = 1 << 16
"""The factor of the slot in the number of a place; the rest is the index in the slot."""


def can_exchange(rules: Rules) -> bool:
    """Whether cards that nobody has seen can be exchanged in this game.

    They cannot where the rules sample hidden information by their own code and cannot check a
    sample, because more may be known about a card than the players who have seen it.
    """
    return bool(rules.slot_count > 0 and (rules.redeterminize == 0 or rules.is_consistent != 0))


def shuffle_unseen(rules: Rules, state: Address) -> None:
    """Shuffles the cards that nobody has seen, with the state's own random stream."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    first = 0
    while first < rules.slot_count and slots[first].pool < 0:
        first += 1
    redeal_pools(rules, state, EVERYONE, first)


def wrong_place(rules: Rules, state: Address, observation: Address, player: int) -> int:
    """The first place where `player` sees another card in a state than in the observation.

    Args:
        seen: the observation that the state should agree with.

    Returns:
        The place, ``NO_PLACE`` or ``OTHER_SHAPE``.
    """
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    first = NO_PLACE
    for s in range(rules.slot_count):
        slot = slots[s]
        length = slot_length(slot, state)
        if length != slot_length(slot, observation):
            return OTHER_SHAPE
        place = wrong_index(slot, length, state, observation, 1 << player)
        if place == OTHER_SHAPE:
            return OTHER_SHAPE
        if place >= 0 and first < 0:
            first = s * PLACES_OF_SLOT + place
    return first


def wrong_index(slot: Any, length: int, state: Address, observation: Address, bit: int) -> int:
    """The first index in a slot where the card differs from the observation.

    ``NO_PLACE`` if there is no difference; ``OTHER_SHAPE`` if the viewers of a card differ.
    """
    values = array_at(state + slot.values, INT16, slot.capacity)
    observed = array_at(observation + slot.values, INT16, slot.capacity)
    masks = array_at(state + slot.seen, INT16, slot.capacity)
    observed_masks = array_at(observation + slot.seen, INT16, slot.capacity)
    first = NO_PLACE
    for i in range(length):
        if masks[i] != observed_masks[i]:
            return OTHER_SHAPE
        if masks[i] & bit != 0 and values[i] != observed[i] and first < 0:
            first = i
    return first


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
    """The place of the `number`th card, from 0, of a value that nobody has seen; or ``NO_PLACE``.

    Cards are counted from the top of each slot.
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
    """The number of cards of a pool that nobody has seen: of this value, or of any if it is -1."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    count = 0
    for s in range(rules.slot_count):
        if slots[s].pool == pool:
            values = array_at(state + slots[s].values, INT16, slots[s].capacity)
            masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
            for i in range(slot_length(slots[s], state)):
                if masks[i] == 0 and (value < 0 or values[i] == value):
                    count += 1
    return count


def random_unseen(rules: Rules, state: Address, pool: int, value: int, rng: Stream) -> int:
    """The place of a random card of this value that nobody has seen, or ``NO_PLACE``."""
    count = count_unseen(rules, state, pool, value)
    if count == 0:
        return NO_PLACE
    return nth_unseen(rules, state, pool, value, random_below(rng, count))
