"""What players do not see: the values that components hide, redealt, masked and counted.

A component declares the places of its hideable values (``Slots``). A table has a ``SLOT`` record
for each, those of one pool together, and the compiled functions here go over them. ``rules`` is
the table's ``RULES`` record, ``state`` an address.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from kibitz.core.dealing import MOST_EXACT, PLACES, Places, add_place, deal_places
from kibitz.core.layout import CHANCE, HEADER
from kibitz.core.memory import (
    INT16,
    INT64,
    Address,
    array_at,
    clear_bytes,
    record_at,
    stack_record,
)
from kibitz.core.randomness import Stream, random_below

SLOT = np.dtype(
    [
        (name, np.int64)
        for name in (
            "values",  # offsets in the state
            "seen",
            "count",  # -1: always full
            "capacity",
            "pool",  # or REDRAWN, or FORGOTTEN
            "low",
            "high",
            "shown_to",  # offset of the mask of players who see all that is there; -1: none
            "opens",  # what an open table shows of it: see ``Opens``
            "ruled_out",  # offset of 64-bit masks of the values that cannot be there; -1: none
        )
    ]
)

CHANCE_SIZE = CHANCE.stop
"""The number of bytes at the beginning of a state that hold its future chance."""
EVERYBODY = -1
"""The mask of a value that every player knows."""


class Opens(enum.IntEnum):
    """What everybody sees of a slot where hands are open."""

    NOTHING_MORE = 0
    """What they would see anyway: it holds choices, which stay secret until they are revealed."""
    WHAT_ANYBODY_SEES = 1
    """All but what nobody sees, such as the cards to be drawn."""
    EVERYTHING = 2


REDRAWN = -1
"""The pool number of slots whose hidden values are drawn anew from their range, one by one."""
FORGOTTEN = -2
"""The pool number of slots that hold a player's memory, no pieces: hidden values become zeros."""


def reveal_hidden(rules: Any, state: Address) -> None:
    """Lets every player know every value that components hide."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    for s in range(rules.slot_count):
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        for i in range(slots[s].capacity):
            masks[i] = EVERYBODY


def open_hands(rules: Any, state: Address) -> None:
    """Lets every player know what any player knows, but for choices made in secret."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    anybody = (1 << rules.players) - 1
    for s in range(rules.slot_count):
        if slots[s].opens != Opens.NOTHING_MORE:
            masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
            for i in range(slots[s].capacity):
                if masks[i] & anybody != 0 or slots[s].opens == Opens.EVERYTHING:
                    masks[i] = EVERYBODY
            if slots[s].shown_to >= 0:
                shown_to = array_at(state + slots[s].shown_to, INT16, 1)
                if shown_to[0] & anybody != 0:
                    shown_to[0] = EVERYBODY


def redeal_slots(rules: Any, state: Address, player: int) -> None:
    """Redeals the values hidden from `player` to their places, pool by pool."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    bit = 1 << player
    first = 0
    while first < rules.slot_count and slots[first].pool < 0:
        redraw_slot(slots[first], state, bit, record_at(state, HEADER).rng)
        first += 1
    redeal_pools(rules, state, bit, first)


def redeal_pools(rules: Any, state: Address, players: int, first: int) -> None:
    """Redeals the values that none of some players sees to their places, pool by pool.

    The hidden values are sorted before they are shuffled, so that the outcome depends on what the
    players can see and on the state's random stream, never on the truth. `players` has a bit for
    each player, `first` is the index of the first slot with a pool.
    """
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    while first < rules.slot_count:
        after = first + 1
        facts = slots[first].ruled_out >= 0
        while after < rules.slot_count and slots[after].pool == slots[first].pool:
            facts = facts or slots[after].ruled_out >= 0
            after += 1
        if rules.back_count > 1:
            redeal_backs(rules, slots, first, after, state, players)
        else:
            redeal_pool(rules, slots, first, after, state, players)
        if facts:
            deal_by_facts(rules, slots, first, after, state, players)
        first = after


def redraw_slot(slot: Any, state: Address, bit: int, rng: Stream) -> None:
    """Draws each hidden value of a slot uniformly from its range, or sets it to zero."""
    values = array_at(state + slot.values, INT16, slot.capacity)
    masks = array_at(state + slot.seen, INT16, slot.capacity)
    for i in range(slot_length(slot, state)):
        if masks[i] & bit == 0:
            if slot.pool == FORGOTTEN:
                values[i] = 0
            else:
                values[i] = slot.low + random_below(rng, slot.high - slot.low + 1)


def redeal_pool(rules: Any, slots: Any, first: int, after: int, state: Address, bit: int) -> None:
    """Shuffles the hidden values of the slots `first` .. `after` - 1 among themselves."""
    span = slots[first].high + 1
    clear_bytes(rules.scratch, 8 * span)
    histogram = array_at(rules.scratch, INT64, span)
    total = 0
    for s in range(first, after):
        values = array_at(state + slots[s].values, INT16, slots[s].capacity)
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        for i in range(slot_length(slots[s], state)):
            if masks[i] & bit == 0:
                histogram[values[i]] += 1
                total += 1
    if total < 2:
        return
    hidden = array_at(rules.scratch + 8 * span, INT64, total)
    filled = 0
    for value in range(span):
        for _ in range(histogram[value]):
            hidden[filled] = value
            filled += 1
    rng = record_at(state, HEADER).rng
    for s in range(first, after):
        values = array_at(state + slots[s].values, INT16, slots[s].capacity)
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        for i in range(slot_length(slots[s], state)):
            if masks[i] & bit == 0:
                pick = random_below(rng, total)
                values[i] = hidden[pick]
                total -= 1
                hidden[pick] = hidden[total]


def redeal_backs(rules: Any, slots: Any, first: int, after: int, state: Address, bit: int) -> None:
    """Shuffles the hidden values of the slots `first` .. `after` - 1 among equal backs.

    Everybody sees the backs, so each place keeps its own.
    """
    span = slots[first].high + 1
    kinds = rules.back_count
    clear_bytes(rules.scratch, 8 * (span + kinds))
    histogram = array_at(rules.scratch, INT64, span)
    remaining = array_at(rules.scratch + 8 * span, INT64, kinds)
    starts = array_at(rules.scratch + 8 * (span + kinds), INT64, kinds)
    backs = array_at(rules.backs, INT16, span)
    total = 0
    for s in range(first, after):
        values = array_at(state + slots[s].values, INT16, slots[s].capacity)
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        for i in range(slot_length(slots[s], state)):
            if masks[i] & bit == 0:
                histogram[values[i]] += 1
                remaining[backs[values[i]]] += 1
                total += 1
    if total < 2:
        return
    filled = 0
    for back in range(kinds):
        starts[back] = filled
        filled += remaining[back]
        remaining[back] = 0
    hidden = array_at(rules.scratch + 8 * (span + 2 * kinds), INT64, total)
    for value in range(span):
        back = backs[value]
        for _ in range(histogram[value]):
            hidden[starts[back] + remaining[back]] = value
            remaining[back] += 1
    rng = record_at(state, HEADER).rng
    for s in range(first, after):
        values = array_at(state + slots[s].values, INT16, slots[s].capacity)
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        for i in range(slot_length(slots[s], state)):
            if masks[i] & bit == 0:
                back = backs[values[i]]
                pick = starts[back] + random_below(rng, remaining[back])
                values[i] = hidden[pick]
                remaining[back] -= 1
                hidden[pick] = hidden[starts[back] + remaining[back]]


def deal_by_facts(
    rules: Any, slots: Any, first: int, after: int, state: Address, bit: int
) -> None:
    """Deals the shuffled hidden values again if some of them lie where they cannot be."""
    places = stack_record(PLACES)
    accepted = False
    attempt = 0
    while not accepted:
        attempt += 1
        places.count = places.settled = 0
        restricted = 0
        for s in range(first, after):
            restricted += gather_hidden(rules, slots[s], state, bit, places)
        if restricted == 0:
            return
        bar_absent(places)
        exact = restricted <= MOST_EXACT
        accepted = deal_places(
            places, record_at(state, HEADER).rng, exact, attempt == FACT_ATTEMPTS
        )
    for i in range(places.count):
        array_at(state + places.where[i], INT16, 1)[0] = places.card[i]


FACT_ATTEMPTS = 200
"""The maximum number of deals by facts that are tried for a sample; the last one is accepted."""


def gather_hidden(rules: Any, slot: Any, state: Address, bit: int, places: Places) -> int:
    """Gathers the hidden places of a slot; returns how many of them there are facts about."""
    values = array_at(state + slot.values, INT16, slot.capacity)
    masks = array_at(state + slot.seen, INT16, slot.capacity)
    ruled_out = array_at(state + slot.ruled_out, INT64, slot.capacity)
    restricted = 0
    for i in range(slot_length(slot, state)):
        if masks[i] & bit == 0:
            barred = 0
            if slot.ruled_out >= 0:
                barred = ruled_out[i]
                restricted += barred != 0
            if rules.back_count > 1:
                barred |= other_backs(rules, slot, values[i])
            add_place(places, slot.values + 2 * i, values[i], 1 << values[i], barred)
    return restricted


def obeys_facts(rules: Any, state: Address, player: int) -> bool:
    """Whether each place hidden from `player` holds a value that the facts about it allow."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    for s in range(rules.slot_count):
        if slots[s].ruled_out >= 0:
            values = array_at(state + slots[s].values, INT16, slots[s].capacity)
            masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
            ruled_out = array_at(state + slots[s].ruled_out, INT64, slots[s].capacity)
            for i in range(slot_length(slots[s], state)):
                if masks[i] >> player & 1 == 0 and ruled_out[i] >> values[i] & 1:
                    return False
    return True


def other_backs(rules: Any, slot: Any, value: int) -> int:
    """The values with another back than `value`, one bit each."""
    backs = array_at(rules.backs, INT16, slot.high + 1)
    others = 0
    for other in range(slot.high + 1):
        others |= (1 if backs[other] != backs[value] else 0) << other
    return others


def bar_absent(places: Places) -> None:
    """Keeps of the barred classes those that some card has, so that more places are alike."""
    present = 0
    for i in range(places.count):
        present |= places.classes[i]
    for i in range(places.count):
        places.barred[i] &= present


def slot_length(slot: Any, state: Address) -> int:
    """The number of values of a slot that are in use."""
    if slot.count < 0:
        return int(slot.capacity)
    return int(array_at(state + slot.count, INT16, 1)[0])


def mask_hidden(rules: Any, state: Address, player: int) -> None:
    """Overwrites what `player` does not see with -1, and all future chance with zeros.

    Where a game has several backs a hidden value becomes -1 minus its back.
    """
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    bit = 1 << player
    for s in range(rules.slot_count):
        values = array_at(state + slots[s].values, INT16, slots[s].capacity)
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        backed = rules.back_count > 1 and slots[s].pool >= 0
        backs = array_at(rules.backs, INT16, slots[s].high + 1)
        for i in range(slot_length(slots[s], state)):
            if masks[i] & bit == 0:
                if not backed:
                    values[i] = -1
                elif values[i] >= 0:  # it may be masked already, for another player
                    values[i] = -1 - backs[values[i]]
    clear_bytes(state, CHANCE_SIZE)


def hidden_share(rules: Any, state: Address, player: int) -> float:
    """The share of all pieces that `player` does not see."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    total = rules.open_pieces
    seen_total = rules.open_pieces
    for s in range(rules.slot_count):
        length = slot_length(slots[s], state)
        if length > 0 and slots[s].pool != FORGOTTEN:
            total += length
            if slots[s].shown_to >= 0 and is_shown(state + slots[s].shown_to, player):
                seen_total += length
            else:
                # no player sees an unused place: so the loop needs no unpredictable end
                seen_total += count_seen(state + slots[s].seen, slots[s].capacity, player)
    return (total - seen_total) / total if total > 0 else 0.0


def is_shown(mask: Address, player: int) -> bool:
    """Whether a player's bit is set in a 16-bit mask."""
    return bool(array_at(mask, INT16, 1)[0] >> player & 1)


def count_seen(masks: Address, count: int, player: int) -> int:
    """The number of 16-bit masks, of `count`, with a player's bit; tests four at a time."""
    words = array_at(masks, INT64, count >> 2)
    lanes = 0
    for i in range(count >> 2):
        lanes += words[i] >> player & _EACH_LANE
    total = lanes * _EACH_LANE >> 48 & 0xFFFF  # the sum of all four
    numbers = array_at(masks, INT16, count)
    for i in range(count & ~3, count):
        total += numbers[i] >> player & 1
    return int(total)


_EACH_LANE = 0x0001000100010001
"""The lowest bit of each 16-bit number in a word."""


def count_pieces(rules: Any, state: Address) -> int:
    """The number of pieces in the game."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    total = rules.open_pieces
    for s in range(rules.slot_count):
        if slots[s].pool != FORGOTTEN:
            total += slot_length(slots[s], state)
    return int(total)
