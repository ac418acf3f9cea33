"""The contract: the functions by which agents and the arena play any game.

A table (a game with its parameters and number of players) is one ``RULES`` record: the addresses
of the rule functions and what they need. All games are played through the functions here, which
are compiled once. ``rules`` is the record, ``state`` an address.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    INT16,
    INT64,
    Address,
    array_at,
    call_float_3,
    call_int_3,
    call_void_2,
    call_void_3,
    clear_bytes,
    copy_bytes,
    record_at,
)
from kibitz.core.randomness import GAME_STREAM, Stream, random_below, split_stream, start_stream
from kibitz.core.status import Status

RULES = np.dtype(
    [
        (name, np.int64)
        for name in (
            "setup",  # void (context, state)
            "legal_actions",  # int64 (context, state, actions): how many, -1 when too many
            "apply_action",  # void (context, state, action)
            "heuristic",  # double (context, state, player): -1 .. 1, higher is better
            "redeterminize",  # void (context, state, player); 0: by the slots alone
            "is_consistent",  # int64 (context, state, player); 0: every deal is possible
            "context",  # the first argument of the functions: the parameters, or tables
            "blank",  # the state before setup
            "state_size",  # bytes
            "players",
            "slots",  # SLOT records, those of one pool together
            "slot_count",
            "scratch",  # 64-bit integers of working memory; so a record serves one thread
            "open_pieces",  # number of pieces that are never hidden
            "max_ticks",  # a game of this many actions is broken off
            "score_sign",  # 1: the highest score wins; -1: the lowest
            "backs",  # the back of each value that slots hold, as 16-bit numbers from 0
            "back_count",  # number of different backs; 0: all are the same
            "timed",  # whether the length of the game decides anything by itself
            "score_so_far",  # double (context, state, player); 0: it is in the header
            "deal_count",  # offset of the 32-bit number of deals that are over
            "winning_reply",  # int64 (context, state, action): of another player after it; or 0
            "winning_action",  # int64 (context, state, player to move): it wins now, or -1; or 0
        )
    ]
)

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
        )
    ]
)

REDRAWN = -1
"""The pool number of slots whose hidden values are drawn anew from their range, one by one."""
FORGOTTEN = -2
"""The pool number of slots that hold a player's memory, no pieces: hidden values become zeros."""

Rules = Any
"""A ``RULES`` record."""

REDEAL_ATTEMPTS = 200
"""The maximum number of deals tried until one is consistent; then the last one is accepted."""


def new_game(rules: Rules, state: Address, seed: int) -> None:
    """Sets up a game in the memory at `state`."""
    copy_bytes(state, rules.blank, rules.state_size)
    start_stream(record_at(state, HEADER).rng, seed, GAME_STREAM)
    set_up(rules, state)


def set_up(rules: Rules, state: Address) -> None:
    """Sets up a game in a blank state whose random stream has been started."""
    call_void_2(rules.setup, rules.context, state)
    refuse_nonsense(rules, record_at(state, HEADER))


def refuse_nonsense(rules: Rules, header: Any) -> None:
    """Breaks the game off if its rules have set an invalid player or status."""
    if header.player < 0 or header.player >= rules.players:
        header.status = Status.RULES_ERROR
    if header.status < Status.PLAYING or header.status > Status.ENDLESS:
        header.status = Status.RULES_ERROR


def legal_actions(rules: Rules, state: Address, actions: Address) -> int:
    """Fills the ``ACTION_LIST`` at `actions`; returns how many there are, 0 on failure.

    A list that is empty or too long ends the game with its status.
    """
    count = call_int_3(rules.legal_actions, rules.context, state, actions)
    if count <= 0:
        header = record_at(state, HEADER)
        if header.status == Status.PLAYING:
            header.status = Status.FULL_BUFFER if count < 0 else Status.DEAD_END
        return 0
    return count


def apply_action(rules: Rules, state: Address, action: int) -> None:
    """Plays a legal action."""
    header = record_at(state, HEADER)
    header.tick += 1
    call_void_3(rules.apply_action, rules.context, state, action)
    refuse_nonsense(rules, header)
    if header.tick >= rules.max_ticks and header.status == Status.PLAYING:
        header.status = Status.LIMIT


def heuristic(rules: Rules, state: Address, player: int) -> float:
    """The heuristic value of a state for `player`, -1 to 1; in a finished game the returns."""
    header = record_at(state, HEADER)
    if header.status == Status.FINISHED:
        return float(header.seat[player].returns)
    return call_float_3(rules.heuristic, rules.context, state, player)


def heuristic_by(rules: Rules, function: Address, state: Address, player: int) -> float:
    """The value of an unfinished game for `player` by another heuristic, -1 to 1."""
    return call_float_3(function, rules.context, state, player)


def score_so_far(rules: Rules, state: Address, player: int) -> float:
    """The present score of `player`, in the game's own units."""
    header = record_at(state, HEADER)
    if rules.score_so_far == 0 or header.status == Status.FINISHED:
        return float(header.seat[player].score)
    return call_float_3(rules.score_so_far, rules.context, state, player)


def determinize(rules: Rules, state: Address, player: int, target: Address, rng: Stream) -> None:
    """Writes a determinization of `state` for `player` to `target`.

    The copy's random stream is split from `rng`; nothing of the true stream remains.
    """
    copy_bytes(target, state, rules.state_size)
    redeterminize(rules, target, player, rng)


def redeterminize(rules: Rules, state: Address, player: int, rng: Stream) -> None:
    """Resamples in place what `player` cannot know, and replaces the random stream."""
    split_stream(rng, record_at(state, HEADER).rng)
    if rules.slot_count == 0 and rules.redeterminize == 0:
        return
    for _ in range(REDEAL_ATTEMPTS):
        if rules.slot_count > 0:
            redeal_slots(rules, state, player)
        if rules.redeterminize != 0:
            call_void_3(rules.redeterminize, rules.context, state, player)
        if (
            rules.is_consistent == 0
            or call_int_3(rules.is_consistent, rules.context, state, player) != 0
        ):
            return


def redeal_slots(rules: Rules, state: Address, player: int) -> None:
    """Redeals the values hidden from `player` to their places, pool by pool."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    bit = 1 << player
    first = 0
    while first < rules.slot_count and slots[first].pool < 0:
        redraw_slot(slots[first], state, bit, record_at(state, HEADER).rng)
        first += 1
    redeal_pools(rules, state, bit, first)


def redeal_pools(rules: Rules, state: Address, players: int, first: int) -> None:
    """Redeals the values that none of some players sees to their places, pool by pool.

    The hidden values are sorted before they are shuffled, so that the outcome depends on what the
    players can see and on the state's random stream, never on the truth. `players` has a bit for
    each player, `first` is the index of the first slot with a pool.
    """
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    while first < rules.slot_count:
        after = first + 1
        while after < rules.slot_count and slots[after].pool == slots[first].pool:
            after += 1
        if rules.back_count > 1:
            redeal_backs(rules, slots, first, after, state, players)
        else:
            redeal_pool(rules, slots, first, after, state, players)
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


def redeal_pool(
    rules: Rules, slots: Any, first: int, after: int, state: Address, bit: int
) -> None:
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


def redeal_backs(
    rules: Rules, slots: Any, first: int, after: int, state: Address, bit: int
) -> None:
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


def slot_length(slot: Any, state: Address) -> int:
    """The number of values of a slot that are in use."""
    if slot.count < 0:
        return int(slot.capacity)
    return int(array_at(state + slot.count, INT16, 1)[0])


def mask_hidden(rules: Rules, state: Address, player: int) -> None:
    """Overwrites what `player` does not see with -1, and the random stream with zeros.

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
    rng = record_at(state, HEADER).rng
    for i in range(4):
        rng[i] = 0


def hidden_share(rules: Rules, state: Address, player: int) -> float:
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


def count_pieces(rules: Rules, state: Address) -> int:
    """The number of pieces in the game."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    total = rules.open_pieces
    for s in range(rules.slot_count):
        if slots[s].pool != FORGOTTEN:
            total += slot_length(slots[s], state)
    return int(total)


def playout(rules: Rules, state: Address, actions: Address, rng: Stream, limit: int) -> int:
    """Plays at most `limit` uniformly random actions, until the end; returns their number."""
    header = record_at(state, HEADER)
    buffer = record_at(actions, ACTION_LIST)
    moves = 0
    while header.status == Status.PLAYING and moves < limit:
        count = legal_actions(rules, state, actions)
        if count == 0:
            break
        apply_action(rules, state, buffer.items[random_below(rng, count)])
        moves += 1
    return moves
