"""The compiled rule functions of a game on its network, which is updated incrementally.

The network keeps the facts that it was loaded with last, in scratch memory of one thread. Loading
a state compares its facts with these and propagates the differences from gate to gate, only as
far as gates change. A gate counts its literals that do not hold, and holds when the count is 0.
Gates are updated level by level, so that each changes at most once.

Gates that only goals depend on may be updated lazily, when goals are read. Their inputs are copies
of other nodes, which are brought up to date only then.
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
INT8 = np.dtype(np.int8)

CONTEXT = np.dtype(
    [
        (name, np.int64)
        for name in (
            "roles",
            "words",  # of 64 facts each
            "nodes",
            "groups",  # of moves of a role with one guard
            "sccs",  # strongly connected components, after the nodes in arrays of "nodes and sccs"
            "moves",  # of all roles
            "cases",  # conditions that facts of the next state share, besides the constant
            "case_words",  # the first word of the bits of the cases
            "case_guard",  # INT32[cases]: a literal
            "levels",
            "random_role",  # -1: none
            "terminal",  # a literal
            "loaded",  # INT64[words]: the facts that the network was loaded with last
            "initial",  # INT64[words]
            # INT64: facts of the next state in any case; then legal moves, percepts, and, case by
            # case, further facts of the next state
            "bits",
            "missing",  # INT32[nodes]: how many literals of a gate do not hold
            "mark",  # INT8[nodes and sccs]: bit 0: the value last propagated; bit 1: queued
            "level",  # INT32[nodes and sccs]: greater than the levels of all inputs
            "heads",  # INT32[levels]: the first in the queue of a level, or -1
            "link",  # INT32[nodes and sccs]: the next one in the queue
            "spans",  # INT32[2 * nodes + 1]: where the edges and the bits of each node begin
            "edges",  # INT32: gate << 1 | whether it takes the negation; or a bit's number
            "done",  # INT32[roles]: the input of the move that a role made last, or 0
            "does",  # INT32[moves]: the input of each move, or 0 if nothing depends on it
            "wired",  # whether the network has any such input
            "turns",  # whether all roles but one pass in every step
            "passes",  # INT8[moves]: whether nothing depends on a move; in games of turns: a pass
            "role_groups",  # INT32[roles + 1]: the first group of each role
            "group_words",  # INT32[groups + 1]: the first word of the bits of each group
            "group_guard",  # INT32[groups]: a literal
            "move_of",  # INT32: the move that a bit after those of the facts stands for
            "endings",  # the number of rules that end the game; 0 if there is only one
            "ending_numbers",  # INT32[endings]: the number of each rule in the description
            "ending_literals",  # INT32[endings]
            "goal_starts",  # INT32[roles + 1]
            "goal_values",  # INT32
            "goal_literals",  # INT32
            "scc_starts",  # INT32[sccs + 1]: where the gates of each scc begin in "scc_gates"
            "scc_middles",  # INT32[sccs]: where the gates of bodies follow those of relations
            "scc_gates",  # INT32
            "literal_starts",  # INT32[nodes + 1]: where the literals of each gate begin
            "literals",  # INT32
            "inner_starts",  # INT32[nodes + 1]: where the dependents of each gate in an scc begin
            "inner",  # INT32: the bodies that contain a relation; the relation of a body
            "facts_at",  # offset of the facts in the state
            "commitments_at",  # offset of the roles' committed moves in the state
            "memories_at",  # offset of the roles' memories in the state, if roles do not see all
            "memory_size",  # bytes of the memory of one role
            "capacity",  # the maximum number of steps that a role remembers
            "all_decide",  # whether roles with a single legal move decide as well
            "move_bit",  # INT32[moves]: the number of a move's bit
            "move_guard",  # INT32[moves]: a literal
            "percept_words",  # INT32[roles + 1]: the first word of the bits of each role
            "percept_numbers",  # INT32: the number of the percept that a bit stands for
            "path",  # INT64[(capacity + 1) * words]: the facts before each step of a search
            "frames",  # FRAME[capacity]: the progress of the search at each step
            # A test is two words for each word of facts: which facts matter, and their values.
            "win_turns",  # tests[roles]: what all alternatives by which a role wins have in common
            "win_groups",  # INT32[roles + 1]: the first group of alternatives of each role
            "win_moves",  # INT32[groups]: the move that wins
            "win_guards",  # INT32[groups]: a fact or its negation that a group shares; 0 if none
            "win_spans",  # INT32[groups + 1]: where the alternatives of each group begin
            "win_tests",  # tests[alternatives]
            "after_kept",  # INT64[moves * words]: facts that a move leaves as they are
            "after_set",  # INT64[moves * words]: facts that hold after a move in any case
            "after_spans",  # INT32[moves + 1]: where a move's alternatives begin
            "after_facts",  # INT32[alternatives]: the fact that holds after if the test passes
            "after_tests",  # tests[alternatives]
            "after",  # INT64[words]: room for the facts after a move
            "effect_kept",  # INT64[moves * words]: facts decided by effects that a move leaves
            "effect_set",  # INT64[moves * words]: facts that hold after a move in any case
            "effect_spans",  # INT32[moves + 1]: where the conditional effects of a move begin
            "effect_facts",  # INT32[effects]: the fact that holds if all literals do
            "effect_starts",  # INT32[effects + 1]: where the literals of each begin
            "effect_literals",  # INT32
            "stop",  # INT64: non-zero when a search for a history should give up
            "by_move",  # `BY_TESTS` or `BY_EFFECTS`; 0: the network alone decides the next state
            "copies",  # the number of copies, the last nodes: inputs of lazily updated gates
            "copied",  # INT32[copies]: the original of each copy
        )
    ]
)

FRAME = np.dtype(
    [
        (name, np.int64)
        for name in (
            "total",  # the number of joint moves of the roles that are searched for
            "tried",  # the number of joint moves tried
            "start",  # the first joint move
            "stride",  # the distance between joint moves tried one after the other
        )
    ]
)
"""The progress of a search for a history at one step: joint moves are tried in random order."""

BY_TESTS = 1
"""In ``by_move``: the facts after the only move that is no pass are found by tests of facts."""
BY_EFFECTS = 2
"""In ``by_move``: moves have effects with literals of the network as conditions."""

NO_GOAL = 1
"""In ``header.phase``, plus 4 times the role: the role has no goal value at the end."""
MANY_GOALS = 2
"""In ``header.phase``, plus 4 times the role: the role has several goal values at the end."""
NO_MOVE = 3
"""In ``header.phase``, plus 4 times the role: the role has no legal move."""

Context = Any
"""A ``CONTEXT`` record."""


# --- the network ----------------------------------------------------------------------------


def holds(c: Context, literal: int) -> bool:
    """Whether a literal holds now."""
    missing = array_at(c.missing, INT32, c.nodes)
    if literal >= 0:
        return bool(missing[literal] == 0)
    return bool(missing[~literal] != 0)


def notify(c: Context, node: int, value: int, top: int) -> int:
    """Updates the inputs of the gates behind a changed node; returns the highest queued level."""
    missing = array_at(c.missing, INT32, c.nodes)
    mark = array_at(c.mark, INT8, 1)
    level = array_at(c.level, INT32, 1)
    link = array_at(c.link, INT32, 1)
    heads = array_at(c.heads, INT32, c.levels)
    spans = array_at(c.spans, INT32, 1)
    edges = array_at(c.edges, INT32, 1)
    bits = array_at(c.bits, INT64, 1)
    nodes = c.nodes
    middle = spans[2 * node + 1]
    for k in range(spans[2 * node], middle):
        target = edges[k]
        gate = target >> 1
        if gate >= nodes:
            crossed = True
        else:  # without a branch: which way it goes cannot be predicted
            fewer = (value ^ target) & 1
            failing = missing[gate]
            missing[gate] = failing + 1 - 2 * fewer
            crossed = failing == fewer
        if crossed and mark[gate] & 2 == 0:
            mark[gate] |= 2
            high = level[gate]
            link[gate] = heads[high]
            heads[high] = gate
            top = max(top, high)
    for k in range(middle, spans[2 * node + 2]):
        bits[edges[k] >> 6] ^= 1 << (edges[k] & 63)
    return top


def propagate(c: Context, top: int) -> None:
    """Propagates changes level by level until the network is stable."""
    missing = array_at(c.missing, INT32, c.nodes)
    mark = array_at(c.mark, INT8, 1)
    link = array_at(c.link, INT32, 1)
    heads = array_at(c.heads, INT32, c.levels)
    nodes = c.nodes
    high = 1
    while high <= top:
        node = heads[high]
        if node < 0:
            high += 1
            continue
        heads[high] = link[node]
        if node >= nodes:
            mark[node] = 0
            top = evaluate_scc(c, node - nodes, top)
        else:
            value = 1 if missing[node] == 0 else 0
            was = mark[node] & 1
            mark[node] = value
            if value != was:
                top = notify(c, node, value, top)


def set_input(c: Context, node: int, on: int, top: int) -> int:
    """Sets an input and updates the gates behind it; returns the highest queued level."""
    array_at(c.missing, INT32, c.nodes)[node] = 1 - on
    return notify(c, node, on, top)


def evaluate_scc(c: Context, scc: int, top: int) -> int:
    """Evaluates a strongly connected component to its least fixpoint, in linear time.

    W. Dowling, J. Gallier, "Linear-time algorithms for testing the satisfiability of propositional
    Horn formulae", 1984.
    """
    missing = array_at(c.missing, INT32, c.nodes)
    mark = array_at(c.mark, INT8, 1)
    link = array_at(c.link, INT32, 1)
    first = array_at(c.scc_starts, INT32, c.sccs + 1)[scc]
    middle = array_at(c.scc_middles, INT32, c.sccs)[scc]
    end = array_at(c.scc_starts, INT32, c.sccs + 1)[scc + 1]
    gates = array_at(c.scc_gates, INT32, 1)
    literal_starts = array_at(c.literal_starts, INT32, c.nodes + 1)
    literals = array_at(c.literals, INT32, 1)
    inner_starts = array_at(c.inner_starts, INT32, c.nodes + 1)
    inner = array_at(c.inner, INT32, 1)
    for i in range(first, middle):
        missing[gates[i]] = 0  # the gate of a relation holds as long as the relation does not
    for i in range(middle, end):
        gate = gates[i]
        failing = 0
        for j in range(literal_starts[gate], literal_starts[gate + 1]):
            if not holds(c, literals[j]):
                failing += 1
        missing[gate] = failing
    derived = -1  # head of a list of relations derived, whose consequences are not yet drawn
    for i in range(middle, end):
        if missing[gates[i]] == 0:
            derived = derive(missing, link, inner[inner_starts[gates[i]]], derived)
    while derived >= 0:
        gate = derived
        derived = link[gate]
        for j in range(inner_starts[gate], inner_starts[gate + 1]):
            body = inner[j]
            missing[body] -= 1
            if missing[body] == 0:
                derived = derive(missing, link, inner[inner_starts[body]], derived)
    for i in range(first, end):
        gate = gates[i]
        value = 1 if missing[gate] == 0 else 0
        if mark[gate] != value:
            mark[gate] = value
            top = notify(c, gate, value, top)
    return top


def derive(missing: Any, link: Any, gate: int, derived: int) -> int:
    """Adds the gate of a derived relation to a linked list, unless known; returns the head."""
    if missing[gate] != 0:
        return derived
    missing[gate] = 1
    link[gate] = derived
    return gate


def load_facts(c: Context, facts: Address) -> None:
    """Sets the inputs of the network to the facts of a state."""
    loaded = array_at(c.loaded, INT64, c.words)
    target = array_at(facts, INT64, c.words)
    top = 0
    for w in range(c.words):
        change = loaded[w] ^ target[w]
        if change != 0:
            facts_now = target[w]
            loaded[w] = facts_now
            base = 1 + 64 * w
            while change != 0:
                low = change & -change
                node = base + popcount(low - 1)
                top = set_input(c, node, 1 if facts_now & low != 0 else 0, top)
                change ^= low
    if top > 0:
        propagate(c, top)


def load_goals(c: Context) -> None:
    """Updates the gates that only goals depend on; all others are already up to date."""
    missing = array_at(c.missing, INT32, c.nodes)
    copied = array_at(c.copied, INT32, c.copies)
    first = c.nodes - c.copies
    top = 0
    for i in range(c.copies):
        on = 1 if missing[copied[i]] == 0 else 0
        if missing[first + i] == on:
            top = set_input(c, first + i, on, top)
    if top > 0:
        propagate(c, top)


def popcount(bits: int) -> int:
    """The number of set bits, which LLVM compiles to one instruction."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


# --- the game -------------------------------------------------------------------------------


def setup(context: Address, state: Address) -> None:
    """Writes the initial state."""
    c = record_at(context, CONTEXT)
    initial = array_at(c.initial, INT64, c.words)
    facts = array_at(state + c.facts_at, INT64, c.words)
    for w in range(c.words):
        facts[w] = initial[w]
    begin_step(c, state)


def legal_actions(context: Address, state: Address, actions: Address) -> int:
    """Lists the legal moves of the current player; returns how many, or -1 if too many."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    return list_legal(c, record_at(state, HEADER).player, record_at(actions, ACTION_LIST))


def list_legal(c: Context, role: int, buffer: Any) -> int:
    """Lists the legal moves of a role; returns how many, or -1 if the list is too short."""
    groups = array_at(c.role_groups, INT32, c.roles + 1)
    guards = array_at(c.group_guard, INT32, c.groups)
    group_words = array_at(c.group_words, INT32, c.groups + 1)
    bits = array_at(c.bits, INT64, 1)
    move_of = array_at(c.move_of, INT32, 1)
    total = 0
    for g in range(groups[role], groups[role + 1]):
        if not holds(c, guards[g]):
            continue
        for w in range(group_words[g], group_words[g + 1]):
            remaining = bits[w]
            base = 64 * (w - c.words)
            while remaining != 0:
                if total >= MAX_ACTIONS:
                    return -1
                low = remaining & -remaining
                buffer.items[total] = move_of[base + popcount(low - 1)]
                total += 1
                remaining ^= low
    buffer.count = total
    return total


def count_legal(c: Context, role: int) -> int:
    """The number of a role's legal moves."""
    groups = array_at(c.role_groups, INT32, c.roles + 1)
    guards = array_at(c.group_guard, INT32, c.groups)
    group_words = array_at(c.group_words, INT32, c.groups + 1)
    bits = array_at(c.bits, INT64, 1)
    total = 0
    for g in range(groups[role], groups[role + 1]):
        if holds(c, guards[g]):
            for w in range(group_words[g], group_words[g + 1]):
                total += popcount(bits[w])
    return total


def legal_at(c: Context, role: int, place: int) -> int:
    """The legal move at a place in the list of a role; -1 beyond the end."""
    groups = array_at(c.role_groups, INT32, c.roles + 1)
    guards = array_at(c.group_guard, INT32, c.groups)
    group_words = array_at(c.group_words, INT32, c.groups + 1)
    bits = array_at(c.bits, INT64, 1)
    move_of = array_at(c.move_of, INT32, 1)
    for g in range(groups[role], groups[role + 1]):
        if holds(c, guards[g]):
            for w in range(group_words[g], group_words[g + 1]):
                remaining = bits[w]
                count = popcount(remaining)
                if place >= count:
                    place -= count
                    continue
                while place > 0:
                    remaining &= remaining - 1
                    place -= 1
                return int(move_of[64 * (w - c.words) + popcount((remaining & -remaining) - 1)])
    return -1


def apply_action(context: Address, state: Address, action: int) -> None:
    """Commits the current player to a move; makes the step once all roles have one."""
    c = record_at(context, CONTEXT)
    header = record_at(state, HEADER)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    commitments[header.player] = action + 1
    load_facts(c, state + c.facts_at)
    if not ask_next(c, state):
        make_step(c, state)
        begin_step(c, state)


def ask_next(c: Context, state: Address) -> bool:
    """Makes the next undecided role the current player; returns whether there is one."""
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    for role in range(c.roles):
        if commitments[role] == 0 and role != c.random_role:
            record_at(state, HEADER).player = role
            return True
    return False


def make_step(c: Context, state: Address) -> None:
    """Makes the step with the committed moves, and a random one for chance."""
    header = record_at(state, HEADER)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    by_move = c.by_move
    turns = c.turns != 0
    wired = c.wired != 0
    top = 0
    action = -1
    for role in range(c.roles):
        if commitments[role] == 0:
            pick = random_below(header.rng, count_legal(c, role))
            commitments[role] = 1 + legal_at(c, role, pick)
        move = commitments[role] - 1
        if wired:
            top = set_move(c, role, move, top)
        if turns:
            if action < 0 or array_at(c.passes, INT8, 1)[move] == 0:
                action = move
            commitments[role] = 0
    words = c.words
    facts = array_at(state + c.facts_at, INT64, words)
    after = array_at(c.after, INT64, words)
    if by_move == BY_TESTS:
        write_after(c, facts, action)
        for w in range(words):
            facts[w] = after[w]
        header.turn += 1
        return
    if top > 0:
        propagate(c, top)
    if by_move == BY_EFFECTS and turns:
        write_kept(c, facts, action)
        add_effects(c, action)
    elif by_move == BY_EFFECTS:
        write_all_kept(c, facts, commitments)
        for role in range(c.roles):
            add_effects(c, commitments[role] - 1)
    advance(c, state)
    if by_move == BY_EFFECTS:
        for w in range(words):
            facts[w] |= after[w]
    if not turns:
        for role in range(c.roles):
            commitments[role] = 0


def set_move(c: Context, role: int, move: int, top: int) -> int:
    """Sets the input for a role's move; returns the highest queued level."""
    done = array_at(c.done, INT32, c.roles)
    node = array_at(c.does, INT32, 1)[move]
    if done[role] != node:
        if done[role] != 0:
            top = set_input(c, done[role], 0, top)
        if node != 0:
            top = set_input(c, node, 1, top)
        done[role] = node
    return top


def advance(c: Context, state: Address) -> None:
    """Replaces the state by its successor, as the network computes it."""
    write_next(c, state + c.facts_at)
    record_at(state, HEADER).turn += 1


def write_next(c: Context, target: Address) -> None:
    """Writes the facts of the successor state, as the network computes them."""
    bits = array_at(c.bits, INT64, 1)
    facts = array_at(target, INT64, c.words)
    guards = array_at(c.case_guard, INT32, 1)
    for w in range(c.words):
        facts[w] = bits[w]
    for case in range(c.cases):
        if holds(c, guards[case]):
            base = c.case_words + case * c.words
            for w in range(c.words):
                facts[w] |= bits[base + w]


def begin_step(c: Context, state: Address) -> None:
    """Ends the game if the state is terminal; else commits forced moves and sets the player."""
    load_facts(c, state + c.facts_at)
    header = record_at(state, HEADER)
    if holds(c, c.terminal):
        load_goals(c)
        finish(c, header)
        return
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    for role in range(c.roles):
        total = count_legal(c, role)
        if total == 0:
            header.status = Status.RULES_ERROR
            header.phase = NO_MOVE + 4 * role
            return
        if total == 1 and c.all_decide == 0:
            commitments[role] = 1 + legal_at(c, role, 0)
    if not ask_next(c, state):
        # no role has a choice: one of them decides all the same
        first = 1 if c.random_role == 0 and c.roles > 1 else 0
        commitments[first] = 0
        header.player = first


def goal(c: Context, role: int) -> int:
    """The goal value of a role; -1 without one, -2 with several."""
    starts = array_at(c.goal_starts, INT32, c.roles + 1)
    values = array_at(c.goal_values, INT32, 1)
    literals = array_at(c.goal_literals, INT32, 1)
    value = -1
    for i in range(starts[role], starts[role + 1]):
        if holds(c, literals[i]):
            if value >= 0:
                return -2
            value = values[i]
    return value


def ending(c: Context) -> int:
    """The number of the first rule that ends the game; 0 if there is only one such rule."""
    numbers = array_at(c.ending_numbers, INT32, c.endings)
    literals = array_at(c.ending_literals, INT32, c.endings)
    for i in range(c.endings):
        if holds(c, literals[i]):
            return int(numbers[i])
    return 0


def finish(c: Context, header: Any) -> None:
    """Ends the game: sets scores, places and returns (goals scaled from 0 .. 100 to -1 .. 1)."""
    for role in range(c.roles):
        value = goal(c, role)
        if value < 0 and role != c.random_role:
            header.status = Status.RULES_ERROR
            header.phase = (NO_GOAL if value == -1 else MANY_GOALS) + 4 * role
            return
        header.seat[role].score = value
        header.seat[role].returns = (value - 50) / 50.0
    place_by_score(header, c.roles, c.random_role)
    header.status = Status.FINISHED
    header.phase = ending(c)


FULL_MARKS = 100
"""The greatest goal value, that of a win."""


def place_by_score(header: Any, roles: int, random_role: int) -> None:
    """Sets each role's place: 1 plus the number of roles with a better goal value.

    Chance has no place. A role that plays alone is first only with the full goal value.
    """
    alone = roles == 1 or (roles == 2 and random_role >= 0)
    for role in range(roles):
        better = 1 if alone and header.seat[role].score < FULL_MARKS else 0
        for other in range(roles):
            if other != random_role and header.seat[other].score > header.seat[role].score:
                better += 1
        header.seat[role].place = 1 + better if role != random_role else 0


def redeterminize(context: Address, state: Address, player: int) -> None:
    """Resamples the committed moves that `player` cannot know.

    Roles decide in their order, so those before the current player have already decided.
    """
    c = record_at(context, CONTEXT)
    header = record_at(state, HEADER)
    if header.status != Status.PLAYING:
        return
    load_facts(c, state + c.facts_at)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    for role in range(c.roles):
        if role == player:
            continue
        total = count_legal(c, role)
        if role == header.player:
            commitments[role] = 0
        elif total == 1 and c.all_decide == 0:
            commitments[role] = 1 + legal_at(c, role, 0)
        elif role < header.player and role != c.random_role:
            commitments[role] = 1 + legal_at(c, role, random_below(header.rng, total))
        else:
            commitments[role] = 0


def heuristic(context: Address, state: Address, player: int) -> float:
    """The current goal value scaled to -1 .. 1; 0 without one, or with several."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    load_goals(c)
    value = goal(c, player)
    return (value - 50) / 50.0 if value >= 0 else 0.0


def winning_action(context: Address, state: Address, player: int) -> int:
    """A legal move by which the player to move wins immediately, or -1; see `gdl.winning`."""
    c = record_at(context, CONTEXT)
    return find_win(c, array_at(state + c.facts_at, INT64, c.words), player)


def winning_reply(context: Address, state: Address, action: int) -> int:
    """A move by which another player wins right after an action, or -1.

    The action is taken not to end the game.
    """
    c = record_at(context, CONTEXT)
    mover = record_at(state, HEADER).player
    write_after(c, array_at(state + c.facts_at, INT64, c.words), action)
    after = array_at(c.after, INT64, c.words)
    for role in range(c.roles):
        if role != mover:
            reply = find_win(c, after, role)
            if reply >= 0:
                return reply
    return -1


def write_after(c: Context, facts: Any, action: int) -> None:
    """Writes the facts after a move, found by tests, to ``c.after``."""
    after = array_at(c.after, INT64, c.words)
    keep_masks = array_at(c.after_kept, INT64, 1)
    set_masks = array_at(c.after_set, INT64, 1)
    spans = array_at(c.after_spans, INT32, 1)
    changed = array_at(c.after_facts, INT32, 1)
    tests = array_at(c.after_tests, INT64, 1)
    for w in range(c.words):
        after[w] = (facts[w] & keep_masks[action * c.words + w]) | set_masks[action * c.words + w]
    for i in range(spans[action], spans[action + 1]):
        if passes(facts, tests, i, c.words):
            after[changed[i] >> 6] |= 1 << (changed[i] & 63)


def write_kept(c: Context, facts: Any, move: int) -> None:
    """Writes the facts that stay or hold after the only active move to ``c.after``."""
    after = array_at(c.after, INT64, c.words)
    keep_masks = array_at(c.effect_kept, INT64, 1)
    set_masks = array_at(c.effect_set, INT64, 1)
    for w in range(c.words):
        after[w] = (facts[w] & keep_masks[move * c.words + w]) | set_masks[move * c.words + w]


def write_all_kept(c: Context, facts: Any, commitments: Any) -> None:
    """Writes the facts that stay or hold after all committed moves to ``c.after``."""
    after = array_at(c.after, INT64, c.words)
    keep_masks = array_at(c.effect_kept, INT64, 1)
    set_masks = array_at(c.effect_set, INT64, 1)
    for w in range(c.words):
        stays = facts[w]
        added = 0
        for role in range(c.roles):
            place = (commitments[role] - 1) * c.words + w
            stays &= keep_masks[place]
            added |= set_masks[place]
        after[w] = stays | added


def add_effects(c: Context, move: int) -> None:
    """Adds to ``c.after`` the facts of a move's conditional effects whose literals hold."""
    after = array_at(c.after, INT64, c.words)
    spans = array_at(c.effect_spans, INT32, 1)
    changed = array_at(c.effect_facts, INT32, 1)
    starts = array_at(c.effect_starts, INT32, 1)
    literals = array_at(c.effect_literals, INT32, 1)
    for i in range(spans[move], spans[move + 1]):
        k = starts[i]
        while k < starts[i + 1] and holds(c, literals[k]):
            k += 1
        if k == starts[i + 1]:
            after[changed[i] >> 6] |= 1 << (changed[i] & 63)


def passes(facts: Any, tests: Any, number: int, words: int) -> bool:
    """Whether facts pass the test of this number."""
    if words == 2:  # as in most games of lines: twice as fast without a loop
        at = 4 * number
        first = (facts[0] & tests[at]) ^ tests[at + 1]
        return bool(first | ((facts[1] & tests[at + 2]) ^ tests[at + 3]) == 0)
    differs = 0
    for w in range(words):
        at = 2 * (number * words + w)
        differs |= (facts[w] & tests[at]) ^ tests[at + 1]
    return bool(differs == 0)


def find_win(c: Context, facts: Any, role: int) -> int:
    """A legal move by which a role wins immediately in a state with these facts, or -1."""
    words = c.words
    if not passes(facts, array_at(c.win_turns, INT64, 1), role, words):
        return -1
    groups = array_at(c.win_groups, INT32, c.roles + 1)
    guards = array_at(c.win_guards, INT32, 1)
    spans = array_at(c.win_spans, INT32, 1)
    tests = array_at(c.win_tests, INT64, 1)
    for group in range(groups[role], groups[role + 1]):
        guard = guards[group]
        fact = (guard if guard >= 0 else ~guard) - 1
        if guard != 0 and (facts[fact >> 6] >> (fact & 63) & 1 != 0) != (guard > 0):
            continue
        for i in range(spans[group], spans[group + 1]):
            if passes(facts, tests, i, words):
                return int(array_at(c.win_moves, INT32, 1)[group])
    return -1


def score_so_far(context: Address, state: Address, player: int) -> float:
    """The current goal value; 0 without one, or with several."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    load_goals(c)
    return max(0.0, float(goal(c, player)))


_FIELDS: Any = HEADER.fields
BROKEN = (1, _FIELDS["status"][1], int(Status.RULES_ERROR))

EXPORTS = {
    "setup": Export(setup, "vii", BROKEN),
    "legal_actions": Export(legal_actions, "iiii", BROKEN),
    "apply_action": Export(apply_action, "viii", BROKEN),
    "heuristic": Export(heuristic, "fiii", BROKEN),
    "score_so_far": Export(score_so_far, "fiii", BROKEN),
}

WINNING = EXPORTS | {
    "winning_action": Export(winning_action, "iiii", BROKEN),
    "winning_reply": Export(winning_reply, "iiii", BROKEN),
}
"""Exports for games whose immediately winning moves are known."""

SIMULTANEOUS = EXPORTS | {"redeterminize": Export(redeterminize, "viii", BROKEN)}
"""Exports for games in which roles decide without knowing the moves of others in the step."""

__all__ = ["CONTEXT", "EXPORTS", "INT16"]
