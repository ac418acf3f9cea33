"""Keeping a network up to date with a state, and playing by it: the rule functions.

What a network was told last stays in it (its scratch memory belongs to one thread); a state is
compared with that, and only what differs is passed on, from gate to gate, as far as anything
changes. A gate counts its literals that do not hold, and holds when there are none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, INT64, Address, array_at, record_at
from kibitz.core.native import Export
from kibitz.core.randomness import random_below
from kibitz.core.status import Status

INT32 = np.dtype(np.int32)

CONTEXT = np.dtype(
    [
        (name, np.int64)
        for name in (
            "roles",
            "facts",
            "words",  # 64 facts each
            "nodes",
            "moves",
            "groups",  # of moves of a role with one guard
            "knots",
            "random_role",  # -1: none
            "terminal",  # a literal
            "loaded",  # INT64[words]: the facts that the network was told
            "after",  # INT64[words]: what holds in the next state
            "initial",  # INT64[words]
            "missing",  # INT32[nodes]: how many literals of a gate do not hold
            "edge_starts",  # INT32[nodes + 1]
            "edges",  # INT32: gate << 1 | whether it takes the negation
            "output_starts",  # INT32[nodes + 1]
            "outputs",  # INT32: number << 2 | whether of a move << 1 | negation
            "stack",  # INT32: changes that are yet to be passed on
            "before",  # INT32[nodes]: what the gates of a knot were
            "done",  # INT32[roles]: the input that says what a role did, or 0
            "does",  # INT32[moves]: the input of each move, or 0
            "move_group",  # INT32[moves]
            "move_place",  # INT32[moves]: where it is in its group's list, or -1
            "group_role",  # INT32[groups]
            "group_guard",  # INT32[groups]: a literal
            "group_start",  # INT32[groups]
            "group_count",  # INT32[groups]
            "listed",  # INT32[moves]: the legal moves, group by group
            "goal_starts",  # INT32[roles + 1]
            "goal_values",  # INT32
            "goal_literals",  # INT32
            "knot_of",  # INT32[nodes]: or -1
            "knot_dirty",  # INT32[knots]
            "knot_starts",  # INT32[knots + 1]: the gates of each knot; first those that are
            "knot_middles",  # INT32[knots]: negations of relations, from here on the bodies
            "knot_gates",  # INT32
            "literal_starts",  # INT32[nodes + 1]: of gates in knots
            "literals",  # INT32
            "facts_at",  # offset in the state of its facts,
            "commitments_at",  # and of what roles have committed to
        )
    ]
)

NO_GOAL = 1
"""Why a game broke off, in ``header.phase``: a role has no goal value at the end,"""
MANY_GOALS = 2
"""or several,"""
NO_MOVE = 3
"""or a role has no legal move."""

Context = Any
"""A ``CONTEXT`` record."""


# --- the network ----------------------------------------------------------------------------


def holds(c: Context, literal: int) -> bool:
    """Whether a literal holds now."""
    missing = array_at(c.missing, INT32, c.nodes)
    if literal >= 0:
        return bool(missing[literal] == 0)
    return bool(missing[~literal] != 0)


def flip(c: Context, node: int, on: int) -> None:
    """An input changes; and so does what depends on it."""
    missing = array_at(c.missing, INT32, c.nodes)
    missing[node] = 1 - on
    spread(c, node, on)
    if c.knots > 0:
        settle(c)


def spread(c: Context, node: int, on: int) -> None:
    """Passes a change on until nothing changes any more, knots excepted."""
    missing = array_at(c.missing, INT32, c.nodes)
    starts = array_at(c.edge_starts, INT32, c.nodes + 1)
    edges = array_at(c.edges, INT32, 1)
    output_starts = array_at(c.output_starts, INT32, c.nodes + 1)
    knot_of = array_at(c.knot_of, INT32, c.nodes)
    dirty = array_at(c.knot_dirty, INT32, c.knots + 1)
    stack = array_at(c.stack, INT32, 1)
    stack[0] = node << 1 | on
    depth = 1
    while depth > 0:
        depth -= 1
        event = stack[depth]
        n = event >> 1
        value = event & 1
        if output_starts[n] != output_starts[n + 1]:
            tell_outputs(c, n, value)
        for k in range(starts[n], starts[n + 1]):
            target = edges[k]
            gate = target >> 1
            if c.knots > 0 and knot_of[gate] >= 0:
                if knot_of[gate] != knot_of[n]:
                    dirty[knot_of[gate]] = 1
            elif value != (target & 1):
                left = missing[gate] - 1
                missing[gate] = left
                if left == 0:
                    stack[depth] = gate << 1 | 1
                    depth += 1
            else:
                left = missing[gate]
                missing[gate] = left + 1
                if left == 0:
                    stack[depth] = gate << 1
                    depth += 1


def tell_outputs(c: Context, node: int, value: int) -> None:
    """A node that is an output has changed."""
    starts = array_at(c.output_starts, INT32, c.nodes + 1)
    outputs = array_at(c.outputs, INT32, 1)
    for k in range(starts[node], starts[node + 1]):
        output = outputs[k]
        on = value ^ (output & 1)
        number = output >> 2
        if output & 2 == 0:
            after = array_at(c.after, INT64, c.words)
            bit = 1 << (number & 63)
            if on:
                after[number >> 6] |= bit
            else:
                after[number >> 6] &= ~bit
        elif on:
            list_move(c, number)
        else:
            strike_move(c, number)


def list_move(c: Context, move: int) -> None:
    """A move has become legal."""
    place = array_at(c.move_place, INT32, c.moves)
    group = array_at(c.move_group, INT32, c.moves)[move]
    count = array_at(c.group_count, INT32, c.groups)
    start = array_at(c.group_start, INT32, c.groups)[group]
    array_at(c.listed, INT32, c.moves)[start + count[group]] = move
    place[move] = count[group]
    count[group] += 1


def strike_move(c: Context, move: int) -> None:
    """A move is legal no more: the last of its group takes its place."""
    place = array_at(c.move_place, INT32, c.moves)
    group = array_at(c.move_group, INT32, c.moves)[move]
    count = array_at(c.group_count, INT32, c.groups)
    start = array_at(c.group_start, INT32, c.groups)[group]
    listed = array_at(c.listed, INT32, c.moves)
    last = count[group] - 1
    other = listed[start + last]
    listed[start + place[move]] = other
    place[other] = place[move]
    place[move] = -1
    count[group] = last


def settle(c: Context) -> None:
    """Works out the knots that something changed for, those that others depend on first."""
    dirty = array_at(c.knot_dirty, INT32, c.knots + 1)
    k = 0
    while k < c.knots:
        if dirty[k] != 0:
            dirty[k] = 0
            work_out(c, k)
            k = 0
        else:
            k += 1


def work_out(c: Context, knot: int) -> None:
    """The least fixpoint of a knot: at first no relation in it holds."""
    missing = array_at(c.missing, INT32, c.nodes)
    first = array_at(c.knot_starts, INT32, c.knots + 1)[knot]
    middle = array_at(c.knot_middles, INT32, c.knots)[knot]
    end = array_at(c.knot_starts, INT32, c.knots + 1)[knot + 1]
    gates = array_at(c.knot_gates, INT32, 1)
    literal_starts = array_at(c.literal_starts, INT32, c.nodes + 1)
    literals = array_at(c.literals, INT32, 1)
    before = array_at(c.before, INT32, c.nodes)
    for i in range(first, end):
        before[i - first] = missing[gates[i]]
        # the gate of a relation holds as long as the relation does not
        missing[gates[i]] = 0 if i < middle else 1
    changed = True
    while changed:
        changed = False
        for i in range(first, end):
            gate = gates[i]
            left = 0
            for j in range(literal_starts[gate], literal_starts[gate + 1]):
                if not holds(c, literals[j]):
                    left = 1
                    break
            if left != missing[gate]:
                missing[gate] = left
                changed = True
    for i in range(first, end):
        gate = gates[i]
        if (before[i - first] == 0) != (missing[gate] == 0):
            spread(c, gate, 1 if missing[gate] == 0 else 0)


def load_facts(c: Context, facts: Address) -> None:
    """Tells the network what is true in a state."""
    loaded = array_at(c.loaded, INT64, c.words)
    wanted = array_at(facts, INT64, c.words)
    for w in range(c.words):
        change = loaded[w] ^ wanted[w]
        if change != 0:
            bits = wanted[w]
            loaded[w] = bits
            base = 1 + 64 * w
            while change != 0:
                low = change & -change
                position = trailing_zeros(low)
                flip(c, base + position, 1 if bits & low != 0 else 0)
                change ^= low


def trailing_zeros(low: int) -> int:
    """The position of the only bit of a number that has one."""
    position = 0
    if low & 0xFFFFFFFF == 0:
        position += 32
        low = (low >> 32) & 0xFFFFFFFF
    if low & 0xFFFF == 0:
        position += 16
        low >>= 16
    if low & 0xFF == 0:
        position += 8
        low >>= 8
    if low & 0xF == 0:
        position += 4
        low >>= 4
    if low & 0x3 == 0:
        position += 2
        low >>= 2
    if low & 0x1 == 0:
        position += 1
    return position


# --- the game -------------------------------------------------------------------------------


def setup(context: Address, state: Address) -> None:
    """The initial state."""
    c = record_at(context, CONTEXT)
    initial = array_at(c.initial, INT64, c.words)
    facts = array_at(state + c.facts_at, INT64, c.words)
    for w in range(c.words):
        facts[w] = initial[w]
    begin_step(c, state)


def legal_actions(context: Address, state: Address, actions: Address) -> int:
    """The legal moves of the role that decides now."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    return list_legal(c, record_at(state, HEADER).player, record_at(actions, ACTION_LIST))


def list_legal(c: Context, role: int, buffer: Any) -> int:
    """The legal moves of a role; -1 if they are too many."""
    roles = array_at(c.group_role, INT32, c.groups)
    guards = array_at(c.group_guard, INT32, c.groups)
    starts = array_at(c.group_start, INT32, c.groups)
    counts = array_at(c.group_count, INT32, c.groups)
    listed = array_at(c.listed, INT32, c.moves)
    total = 0
    for g in range(c.groups):
        if roles[g] == role and counts[g] > 0 and holds(c, guards[g]):
            if total + counts[g] > MAX_ACTIONS:
                return -1
            for i in range(counts[g]):
                buffer.items[total + i] = listed[starts[g] + i]
            total += counts[g]
    buffer.count = total
    return int(total)


def apply_action(context: Address, state: Address, action: int) -> None:
    """A role commits itself; when all have, the step is made."""
    c = record_at(context, CONTEXT)
    header = record_at(state, HEADER)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    commitments[header.player] = action + 1
    load_facts(c, state + c.facts_at)
    if not ask_next(c, state):
        make_step(c, state)
        begin_step(c, state)


def ask_next(c: Context, state: Address) -> bool:
    """Leaves the decision to the next role that has a choice; says whether there is one."""
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    for role in range(c.roles):
        if commitments[role] == 0 and role != c.random_role:
            record_at(state, HEADER).player = role
            return True
    return False


def make_step(c: Context, state: Address) -> None:
    """All do what they have committed to; chance does something."""
    header = record_at(state, HEADER)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    done = array_at(c.done, INT32, c.roles)
    does = array_at(c.does, INT32, c.moves)
    for role in range(c.roles):
        if commitments[role] == 0:
            commitments[role] = 1 + drawn_move(c, header, role)
        move = does[commitments[role] - 1]
        commitments[role] = 0
        if done[role] != move:
            if done[role] != 0:
                flip(c, done[role], 0)
            if move != 0:
                flip(c, move, 1)
            done[role] = move
    after = array_at(c.after, INT64, c.words)
    facts = array_at(state + c.facts_at, INT64, c.words)
    for w in range(c.words):
        facts[w] = after[w]
    header.turn += 1


def drawn_move(c: Context, header: Any, role: int) -> int:
    """A legal move of a role, drawn at random."""
    roles = array_at(c.group_role, INT32, c.groups)
    guards = array_at(c.group_guard, INT32, c.groups)
    starts = array_at(c.group_start, INT32, c.groups)
    counts = array_at(c.group_count, INT32, c.groups)
    listed = array_at(c.listed, INT32, c.moves)
    pick = random_below(header.rng, count_moves(c, role))
    for g in range(c.groups):
        if roles[g] == role and counts[g] > 0 and holds(c, guards[g]):
            if pick < counts[g]:
                return int(listed[starts[g] + pick])
            pick -= counts[g]
    return 0


def begin_step(c: Context, state: Address) -> None:
    """In a new state: whether the game is over, and else who has to decide."""
    load_facts(c, state + c.facts_at)
    header = record_at(state, HEADER)
    if holds(c, c.terminal):
        finish(c, header)
        return
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    roles = array_at(c.group_role, INT32, c.groups)
    guards = array_at(c.group_guard, INT32, c.groups)
    starts = array_at(c.group_start, INT32, c.groups)
    counts = array_at(c.group_count, INT32, c.groups)
    listed = array_at(c.listed, INT32, c.moves)
    for role in range(c.roles):
        total = 0
        only = 0
        for g in range(c.groups):
            if roles[g] == role and counts[g] > 0 and holds(c, guards[g]):
                total += counts[g]
                only = listed[starts[g]]
        if total == 0:
            header.status = Status.RULES_ERROR
            header.phase = NO_MOVE + 4 * role
            return
        if total == 1:
            commitments[role] = 1 + only
    if not ask_next(c, state):
        # nobody has a choice; somebody has to say so
        first = 1 if c.random_role == 0 and c.roles > 1 else 0
        commitments[first] = 0
        header.player = first


def count_moves(c: Context, role: int) -> int:
    """How many legal moves a role has."""
    roles = array_at(c.group_role, INT32, c.groups)
    guards = array_at(c.group_guard, INT32, c.groups)
    counts = array_at(c.group_count, INT32, c.groups)
    total = 0
    for g in range(c.groups):
        if roles[g] == role and counts[g] > 0 and holds(c, guards[g]):
            total += counts[g]
    return total


def goal(c: Context, role: int) -> int:
    """The goal value of a role now; -1 where there is none, -2 where there are several."""
    starts = array_at(c.goal_starts, INT32, c.roles + 1)
    values = array_at(c.goal_values, INT32, 1)
    literals = array_at(c.goal_literals, INT32, 1)
    found = -1
    for i in range(starts[role], starts[role + 1]):
        if holds(c, literals[i]):
            if found >= 0:
                return -2
            found = values[i]
    return found


def finish(c: Context, header: Any) -> None:
    """Ends the game: places by goals, returns from 0 .. 100 scaled to -1 .. 1."""
    for role in range(c.roles):
        value = goal(c, role)
        if value < 0 and role != c.random_role:
            header.status = Status.RULES_ERROR
            header.phase = (NO_GOAL if value == -1 else MANY_GOALS) + 4 * role
            return
        header.seat[role].score = value
        header.seat[role].returns = (value - 50) / 50.0
    for role in range(c.roles):
        better = 0
        for other in range(c.roles):
            if header.seat[other].score > header.seat[role].score:
                better += 1
        header.seat[role].place = 1 + better
    header.status = Status.FINISHED


def heuristic(context: Address, state: Address, player: int) -> float:
    """The goal value so far, where there is one, scaled to -1 .. 1."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    value = goal(c, player)
    return (value - 50) / 50.0 if value >= 0 else 0.0


_FIELDS: Any = HEADER.fields
_BROKEN = (1, _FIELDS["status"][1], int(Status.RULES_ERROR))

EXPORTS = {
    "setup": Export(setup, "vii", _BROKEN),
    "legal_actions": Export(legal_actions, "iiii", _BROKEN),
    "apply_action": Export(apply_action, "viii", _BROKEN),
    "heuristic": Export(heuristic, "fiii", _BROKEN),
}

__all__ = ["CONTEXT", "EXPORTS", "INT16"]
