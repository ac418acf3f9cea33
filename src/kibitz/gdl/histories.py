"""Rule functions of GDL-II on a network: the memory of roles, and consistent histories.

In GDL-II a role knows the rules, its own moves, and its percepts (``sees``), which its memory has
for each step. A determinization is sampled by playing the game again from the start, with random
moves of the other roles and of chance. The resulting history is consistent if the role would
remember exactly the same moves and percepts.

* First whole random games are played. A consistent one is a fair sample of all consistent
  histories, if the others and chance are taken to move uniformly at random.
* If none is consistent, depth-first searches in random order, with restarts, look for a history.
  Their samples are consistent, but not fair: they favour moves after which few histories are
  consistent.
* If the searches find none within their budget, a game is played that is consistent as far as
  possible.

M. Schofield, T. Cerexhe, M. Thielscher, "HyperPlay: a solution to general game playing with
imperfect information", AAAI 2012 (samples consistent with all percepts, and searching for them).
"""

from __future__ import annotations

from typing import Any

from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.native import Export
from kibitz.core.randomness import random_below
from kibitz.core.status import Status
from kibitz.gdl import evaluator
from kibitz.gdl.evaluator import (
    CONTEXT,
    FRAME,
    INT32,
    Context,
    ask_next,
    begin_step,
    count_legal,
    goal,
    holds,
    legal_at,
    load_facts,
    make_step,
    popcount,
    propagate,
    set_move,
    write_next,
)

WHOLE_STEPS = 1_000
"""The steps that whole random games may take before the search begins."""
SEARCHED = 60_000
"""The joint moves that searches may try before an inconsistent game is accepted."""
PATIENCE = 2, 16, 512
"""The patience of a search: a factor, a minimum and a maximum.

A search restarts after this number of joint moves without progress: the factor times the joint
moves of a step, within the bounds, times the current number of Luby's sequence.
"""
LAST_TRIES = 32
"""The random joint moves that ``force_step`` tries before it accepts an inconsistent one."""
MOST_JOINT = 1 << 30
"""The most joint moves of a step that are enumerated; if there are more they are drawn."""

ENTRIES_AT = 4
"""The offset of the entries in a memory, in bytes."""
ENTRY = 8
"""The bytes of an entry: two 32-bit numbers, for the move plus 1 and the percepts."""


# --- memories -------------------------------------------------------------------------------


def entries_of(c: Context, state: Address, role: int) -> Any:
    """The entries of a role's memory: for each step the move plus 1, and the percepts' number."""
    memory = state + c.memories_at + role * c.memory_size
    return array_at(memory + ENTRIES_AT, INT32, 2 * c.capacity)


def steps_of(c: Context, state: Address, role: int) -> int:
    """The number of steps that a role remembers."""
    return int(array_at(state + c.memories_at + role * c.memory_size, INT16, 1)[0]) >> 2


def percepts_of(c: Context, role: int) -> int:
    """The number of a role's percepts in the step that is loaded into the network."""
    words = array_at(c.percept_words, INT32, c.roles + 1)
    bits = array_at(c.bits, INT64, 1)
    numbers = array_at(c.percept_numbers, INT32, 1)
    number = 0
    for w in range(words[role], words[role + 1]):
        remaining = bits[w]
        base = 64 * (w - words[0])
        while remaining != 0:
            low = remaining & -remaining
            number ^= numbers[base + popcount(low - 1)]
            remaining ^= low
    return number


def remember_move(c: Context, state: Address, role: int, step: int, move: int) -> None:
    """Writes a move into a role's memory."""
    memory = state + c.memories_at + role * c.memory_size
    array_at(memory, INT16, 1)[0] = 4 * (step + 1)
    array_at(memory + ENTRIES_AT, INT32, 2 * c.capacity)[2 * step] = 1 + move
    seen_by = array_at(memory + ENTRIES_AT + ENTRY * c.capacity, INT16, 4 * c.capacity)
    for i in range(4 * step, 4 * step + 4):
        seen_by[i] = 1 << role


def make_remembered_step(c: Context, state: Address) -> bool:
    """Makes a step and writes it into all memories; returns whether these had room.

    Roles without a committed move, as chance, make a random one.
    """
    header = record_at(state, HEADER)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    step = steps_of(c, state, 0)
    room = step < c.capacity
    for role in range(c.roles):
        if commitments[role] == 0:
            pick = random_below(header.rng, count_legal(c, role))
            commitments[role] = 1 + legal_at(c, role, pick)
        if room:
            remember_move(c, state, role, step, commitments[role] - 1)
    make_step(c, state)
    if room:
        for role in range(c.roles):
            entries_of(c, state, role)[2 * step + 1] = percepts_of(c, role)
    return room


def apply_action(context: Address, state: Address, action: int) -> None:
    """Commits the current player to a move; makes the step once all roles have one."""
    c = record_at(context, CONTEXT)
    header = record_at(state, HEADER)
    array_at(state + c.commitments_at, INT32, c.roles)[header.player] = action + 1
    load_facts(c, state + c.facts_at)
    if not ask_next(c, state):
        room = make_remembered_step(c, state)
        begin_step(c, state)
        if not room:
            header.status = Status.FULL_BUFFER


# --- consistent histories -------------------------------------------------------------------


def redeterminize(context: Address, state: Address, player: int) -> None:
    """Samples a history consistent with the memory of `player`, and the committed moves."""
    c = record_at(context, CONTEXT)
    header = record_at(state, HEADER)
    if not knows_history(c, state, player):
        if not try_whole_games(c, state, header, player, WHOLE_STEPS):
            if not search(c, state, header, player):
                play_best_effort(c, state, header, player)
    evaluator.redeterminize(context, state, player)


def knows_history(c: Context, state: Address, player: int) -> bool:
    """Whether `player` sees the memories of all roles, as at an open table."""
    for role in range(c.roles):
        memory = state + c.memories_at + role * c.memory_size
        seen_by = array_at(memory + ENTRIES_AT + ENTRY * c.capacity, INT16, 4 * c.capacity)
        if seen_by[0] >> player & 1 == 0:
            return False
    return True


def try_whole_games(c: Context, state: Address, header: Any, player: int, budget: int) -> bool:
    """Plays random games within a budget of steps; returns whether one was consistent."""
    steps = steps_of(c, state, player)
    while budget > 0 and not is_stopped(c):
        write_initial(c, state + c.facts_at)
        step = 0
        while step < steps and try_step(c, state, header.rng, player, step):
            step += 1
        if step == steps and fits_now(c, state, header):
            return True
        budget -= step + 1
    return False


def is_stopped(c: Context) -> bool:
    """Whether the stop word is set, so that the sample will not be used."""
    return bool(array_at(c.stop, INT64, 1)[0] != 0)


def write_initial(c: Context, facts: Address) -> None:
    """Writes the facts of the initial state."""
    copy_bytes(facts, c.initial, 8 * c.words)


def try_step(c: Context, state: Address, rng: Any, player: int, step: int) -> bool:
    """Makes a random step; returns whether it is consistent with the memory of `player`."""
    load_facts(c, state + c.facts_at)
    own = entries_of(c, state, player)[2 * step] - 1
    if holds(c, c.terminal) or not is_legal(c, player, own):
        return False
    top = 0
    for role in range(c.roles):
        move = own
        if role != player:
            total = count_legal(c, role)
            if total == 0:
                propagate(c, top)
                return False
            move = legal_at(c, role, random_below(rng, total))
            entries_of(c, state, role)[2 * step] = 1 + move
        top = set_move(c, role, move, top)
    if top > 0:
        propagate(c, top)
    if percepts_of(c, player) != entries_of(c, state, player)[2 * step + 1]:
        return False
    remember_percepts(c, state, player, step)
    write_next(c, state + c.facts_at)
    return True


def is_legal(c: Context, role: int, move: int) -> bool:
    """Whether a move is legal for a role in the state that is loaded into the network."""
    if move < 0 or move >= c.moves:
        return False
    groups = array_at(c.role_groups, INT32, c.roles + 1)
    words = array_at(c.group_words, INT32, c.groups + 1)
    bit = array_at(c.move_bit, INT32, c.moves)[move]
    word = bit >> 6
    if word < words[groups[role]] or word >= words[groups[role + 1]]:
        return False
    if not holds(c, array_at(c.move_guard, INT32, c.moves)[move]):
        return False
    return bool(array_at(c.bits, INT64, 1)[word] >> (bit & 63) & 1)


def remember_percepts(c: Context, state: Address, player: int, step: int) -> None:
    """Writes the percepts of all roles but `player` into their memories."""
    for role in range(c.roles):
        if role != player:
            entries_of(c, state, role)[2 * step + 1] = percepts_of(c, role)


def fits_now(c: Context, state: Address, header: Any) -> bool:
    """Whether a sampled state agrees with the true one on whether and how the game ended.

    All players know the status and the scores.
    """
    load_facts(c, state + c.facts_at)
    over = holds(c, c.terminal)
    if header.status == Status.PLAYING:
        for role in range(c.roles):
            if count_legal(c, role) == 0:
                return False
        return not over
    if header.status == Status.FINISHED:
        for role in range(c.roles):
            if role != c.random_role and goal(c, role) != header.seat[role].score:
                return False
        return over
    return True


def search(c: Context, state: Address, header: Any, player: int) -> bool:
    """Alternates depth-first searches and random games; returns whether a history was found."""
    budget = SEARCHED if steps_of(c, state, player) > 0 else 0
    number = 1
    while budget > 0 and not is_stopped(c):
        tried = search_once(c, state, header, player, luby(number), budget)
        if tried < 0:
            return False
        if tried == 0 or try_whole_games(c, state, header, player, tried):
            return True
        budget -= 2 * tried
        number += 1
    return False


def luby(number: int) -> int:
    """The restart sequence of Luby: 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...

    M. Luby, A. Sinclair, D. Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993.
    """
    while number & (number + 1) != 0:
        block = 1
        while 2 * block + 1 < number:
            block = 2 * block + 1
        number -= block
    return (number + 1) >> 1


def search_once(
    c: Context, state: Address, header: Any, player: int, factor: int, most: int
) -> int:
    """Makes one depth-first search for a consistent history.

    Args:
        factor: the number of Luby's sequence that multiplies the patience.
        most: the most joint moves to try.

    Returns:
        0 if a history was found, -1 if none exists, or else the number of joint moves tried.
    """
    steps = steps_of(c, state, player)
    frames = array_at(c.frames, FRAME, c.capacity)
    write_initial(c, c.path)
    open_frame(c, state, frames[0], header.rng, player, 0)
    step = 0
    furthest = 0
    tried = 0
    since = 0
    patience = 0
    while tried < most and since <= patience and not (tried > 0 and is_stopped(c)):
        frame = frames[step]
        if frame.tried == frame.total:
            if step == 0:
                return -1
            step -= 1
            continue
        patience = max(patience, factor * patience_for(frame.total))
        tried += 1
        since += 1
        if not try_joint_move(c, state, frame, header.rng, player, step):
            continue
        step += 1
        if step > furthest:
            furthest = step
            since = 0
        if step < steps:
            open_frame(c, state, frames[step], header.rng, player, step)
            continue
        copy_bytes(state + c.facts_at, c.path + 8 * c.words * step, 8 * c.words)
        if fits_now(c, state, header):
            return 0
        step -= 1
    return tried


def patience_for(total: int) -> int:
    """The joint moves that may be tried without progress at a step that has `total` of them."""
    times, least, most = PATIENCE
    return min(max(times * total, least), most)


def open_frame(c: Context, state: Address, frame: Any, rng: Any, player: int, step: int) -> None:
    """Begins the enumeration of a step's joint moves in a random order.

    The order begins at `start` and advances by `stride`, which has no divisor in common with
    `total`.
    """
    load_facts(c, c.path + 8 * c.words * step)
    frame.tried = 0
    frame.total = 0
    if holds(c, c.terminal):
        return
    if not is_legal(c, player, entries_of(c, state, player)[2 * step] - 1):
        return
    total = 1
    for role in range(c.roles):
        if role != player:
            total *= count_legal(c, role)
            total = min(total, MOST_JOINT)
    frame.total = total
    if total > 0:
        frame.start = random_below(rng, total)
        frame.stride = 1 + random_below(rng, total)
        while common_divisor(frame.stride, total) > 1:
            frame.stride += 1


def common_divisor(a: int, b: int) -> int:
    """The greatest common divisor."""
    while b != 0:
        remainder = a % b
        a = b
        b = remainder
    return a


def try_joint_move(
    c: Context, state: Address, frame: Any, rng: Any, player: int, step: int
) -> bool:
    """Tries the next joint move of a step; returns whether `player` gets the same percepts."""
    load_facts(c, c.path + 8 * c.words * step)
    own = entries_of(c, state, player)
    index = (frame.start + frame.tried * frame.stride) % frame.total
    frame.tried += 1
    top = 0
    for role in range(c.roles):
        move = own[2 * step] - 1
        if role != player:
            total = count_legal(c, role)
            if frame.total == MOST_JOINT:
                index = random_below(rng, total)
            move = legal_at(c, role, index % total)
            index //= total
            entries_of(c, state, role)[2 * step] = 1 + move
        top = set_move(c, role, move, top)
    if top > 0:
        propagate(c, top)
    if percepts_of(c, player) != own[2 * step + 1]:
        return False
    remember_percepts(c, state, player, step)
    write_next(c, c.path + 8 * c.words * (step + 1))
    return True


def play_best_effort(c: Context, state: Address, header: Any, player: int) -> None:
    """Plays a game that is consistent as far as possible.

    The entries of the other roles for later steps are cleared.
    """
    steps = steps_of(c, state, player)
    facts = state + c.facts_at
    write_initial(c, facts)
    step = 0
    while step < steps and not is_stopped(c) and force_step(c, state, header.rng, player, step):
        step += 1
    if step > 0 and header.status == Status.PLAYING and not fits_now(c, state, header):
        step -= 1
        copy_bytes(facts, c.path + 8 * c.words * step, 8 * c.words)
    for role in range(c.roles):
        if role != player:
            entries = entries_of(c, state, role)
            for i in range(2 * step, 2 * steps):
                entries[i] = 0


def force_step(c: Context, state: Address, rng: Any, player: int, step: int) -> bool:
    """Makes a consistent step or else any legal one; returns whether one exists."""
    facts = state + c.facts_at
    copy_bytes(c.path + 8 * c.words * step, facts, 8 * c.words)
    for _ in range(LAST_TRIES):
        if try_step(c, state, rng, player, step):
            return True
    load_facts(c, facts)
    if holds(c, c.terminal):
        return False
    for role in range(c.roles):
        if count_legal(c, role) == 0:
            return False
    own = entries_of(c, state, player)[2 * step] - 1
    top = 0
    for role in range(c.roles):
        move = own
        if role != player or not is_legal(c, player, own):
            move = legal_at(c, role, random_below(rng, count_legal(c, role)))
        if role != player:
            entries_of(c, state, role)[2 * step] = 1 + move
        top = set_move(c, role, move, top)
    if top > 0:
        propagate(c, top)
    remember_percepts(c, state, player, step)
    write_next(c, facts)
    return True


EXPORTS = evaluator.EXPORTS | {
    "apply_action": Export(apply_action, "viii", evaluator.BROKEN),
    "redeterminize": Export(redeterminize, "viii", evaluator.BROKEN),
}
"""The rule functions of games of imperfect information on a network."""
