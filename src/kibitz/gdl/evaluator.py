"""The compiled rule functions of a game on its network, which is updated incrementally.

The network keeps the facts that it was loaded with last, in scratch memory of one thread. Loading
a state compares its facts with these and propagates the differences from gate to gate, only as
far as gates change. A gate counts its literals that do not hold, and holds when there are none.
Gates are updated level by level, so that each changes at most once.

Gates that only goals depend on are updated when a goal is asked for. They take in copies of other
nodes, which are set to what these are only then.
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
            "sccs",  # they follow the nodes in the arrays of "nodes and sccs"
            "moves",  # of all roles
            "cases",  # conditions that make much of the next state what it is
            "case_words",  # where among the bits those begin that hold in the first of them
            "case_guard",  # INT32[cases]: a literal
            "levels",
            "random_role",  # -1: none
            "terminal",  # a literal
            "loaded",  # INT64[words]: the facts that the network was told
            "initial",  # INT64[words]
            "bits",  # INT64: what holds in the next state in any case; then which moves are
            # legal, what roles are told, and, case by case, what else holds in the next state
            "missing",  # INT32[nodes]: how many literals of a gate do not hold
            "mark",  # INT8[nodes and sccs]: what it was last known to be, 2: is in a queue
            "level",  # INT32[nodes and sccs]: higher than that of all it depends on
            "heads",  # INT32[levels]: the first in the queue of a level, or -1
            "link",  # INT32[nodes and sccs]: the next one in the queue
            "spans",  # INT32[2 * nodes + 1]: where the edges and the bits of each node begin
            "edges",  # INT32: gate << 1 | whether it takes the negation; or a bit's number
            "done",  # INT32[roles]: the input that says what a role did, or 0
            "does",  # INT32[moves]: the input of each move, or 0 if nothing depends on it
            "wired",  # whether the network has any such input
            "turns",  # whether one role at a time makes a move that is no pass
            "passes",  # INT8[moves]: whether a move changes nothing in a game of turns
            "role_groups",  # INT32[roles + 1]
            "group_words",  # INT32[groups + 1]: where their legal moves are among the bits
            "group_guard",  # INT32[groups]: a literal
            "move_of",  # INT32: the move that a bit after those of the facts stands for
            "endings",  # how many rules for the end of the game there are, if several
            "ending_numbers",  # INT32[endings]: their numbers
            "ending_literals",  # INT32[endings]
            "goal_starts",  # INT32[roles + 1]
            "goal_values",  # INT32
            "goal_literals",  # INT32
            "scc_starts",  # INT32[sccs + 1]: the gates of each scc; first those that are
            "scc_middles",  # INT32[sccs]: negations of relations, from here on the bodies
            "scc_gates",  # INT32
            "literal_starts",  # INT32[nodes + 1]: of gates in sccs
            "literals",  # INT32
            "inner_starts",  # INT32[nodes + 1]: of gates in sccs; behind that of a relation are
            "inner",  # INT32: the bodies that it is in, behind that of a body its relation's
            "facts_at",  # offset in the state of its facts,
            "commitments_at",  # of what roles have committed to,
            "memories_at",  # and of what they remember, if they do not see all
            "memory_size",  # bytes of the memory of one role
            "capacity",  # steps that they can remember
            "all_decide",  # whether those without a choice are asked as well
            "move_bit",  # INT32[moves]: where among the bits a move is
            "move_guard",  # INT32[moves]: a literal
            "percept_words",  # INT32[roles + 1]: where their percepts are among the bits
            "percept_numbers",  # INT32: the number of the percept that a bit stands for
            "path",  # INT64[(capacity + 1) * words]: the facts before each step of a search
            "frames",  # FRAME[capacity]: where the search stands at each step
            # Tests are pairs of words, for each word of facts: which matter, and what they are.
            "win_turns",  # tests[roles]: what all alternatives need by which a role wins
            "win_groups",  # INT32[roles + 1]: groups of alternatives,
            "win_moves",  # INT32[groups]: by which this move wins
            "win_guards",  # INT32[groups]: a fact that all of a group need, or its negation; or 0
            "win_spans",  # INT32[groups + 1]: the alternatives of each group
            "win_tests",  # tests[alternatives]
            "after_kept",  # INT64[words * moves]: facts that stay as they are,
            "after_set",  # INT64[words * moves]: or hold after a move,
            "after_spans",  # INT32[moves + 1]: or hold if one of these alternatives does:
            "after_facts",  # INT32[alternatives]: which fact,
            "after_tests",  # tests[alternatives]
            "after",  # INT64[words]: room for the facts after a move
            "effect_kept",  # INT64[words * moves]: facts that a move does not remove
            "effect_set",  # INT64[words * moves]: facts that hold after a move
            "effect_spans",  # INT32[moves + 1]: where the conditional effects of a move begin
            "effect_facts",  # INT32[effects]: the fact that holds if all literals do
            "effect_starts",  # INT32[effects + 1]: where the literals of each begin
            "effect_literals",  # INT32
            "stop",  # INT64: non-zero when a search for a history should give up
            "by_move",  # `BY_TESTS` or `BY_EFFECTS`; 0: the network says what a move changes
            "copies",  # the last nodes: what gates take in that are updated for goals only
            "copied",  # INT32[copies]: of which node each is a copy
        )
    ]
)

FRAME = np.dtype(
    [
        (name, np.int64)
        for name in (
            "total",  # joint moves of those who are searched for
            "tried",  # how many of them have been
            "start",  # the first one,
            "stride",  # and how far it is from one to the next
        )
    ]
)
"""Where a search for a history stands at one step: it tries all joint moves in a random order."""

BY_TESTS = 1
"""In ``by_move``: what the only move that is no pass changes is looked up by tests of facts."""
BY_EFFECTS = 2
"""In ``by_move``: what each move changes is looked up by literals of the network."""

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
            left = missing[gate]
            missing[gate] = left + 1 - 2 * fewer
            crossed = left == fewer
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
        left = 0
        for j in range(literal_starts[gate], literal_starts[gate + 1]):
            if not holds(c, literals[j]):
                left += 1
        missing[gate] = left
    derived = -1  # the last relation that holds and whose consequences are still to be drawn
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
    """Notes that the relation of a gate holds; returns the last one noted."""
    if missing[gate] != 0:
        return derived
    missing[gate] = 1
    link[gate] = derived
    return gate


def load_facts(c: Context, facts: Address) -> None:
    """Sets the inputs of the network to the facts of a state."""
    loaded = array_at(c.loaded, INT64, c.words)
    wanted = array_at(facts, INT64, c.words)
    top = 0
    for w in range(c.words):
        change = loaded[w] ^ wanted[w]
        if change != 0:
            facts_now = wanted[w]
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
    """Updates the gates that only goals depend on, once all others are."""
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
            left = bits[w]
            base = 64 * (w - c.words)
            while left != 0:
                if total >= MAX_ACTIONS:
                    return -1
                low = left & -left
                buffer.items[total] = move_of[base + popcount(low - 1)]
                total += 1
                left ^= low
    buffer.count = total
    return total


def count_legal(c: Context, role: int) -> int:
    """How many legal moves a role has."""
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
    """The legal move of a role at a place of its list; -1 beyond the end."""
    groups = array_at(c.role_groups, INT32, c.roles + 1)
    guards = array_at(c.group_guard, INT32, c.groups)
    group_words = array_at(c.group_words, INT32, c.groups + 1)
    bits = array_at(c.bits, INT64, 1)
    move_of = array_at(c.move_of, INT32, 1)
    for g in range(groups[role], groups[role + 1]):
        if holds(c, guards[g]):
            for w in range(group_words[g], group_words[g + 1]):
                left = bits[w]
                here = popcount(left)
                if place >= here:
                    place -= here
                    continue
                while place > 0:
                    left &= left - 1
                    place -= 1
                return int(move_of[64 * (w - c.words) + popcount((left & -left) - 1)])
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
    """Replaces the state by its successor."""
    write_next(c, state + c.facts_at)
    record_at(state, HEADER).turn += 1


def write_next(c: Context, target: Address) -> None:
    """Writes the facts of the successor state."""
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
    """Begins a state: ends the game if it is terminal, commits forced moves, picks who decides."""
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
        # nobody has a choice; somebody has to say so
        first = 1 if c.random_role == 0 and c.roles > 1 else 0
        commitments[first] = 0
        header.player = first


def goal(c: Context, role: int) -> int:
    """The goal value of a role; -1 where there is none, -2 where there are several."""
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


def ending(c: Context) -> int:
    """The number of the first rule that says that the game is over; 0 where there is only one."""
    numbers = array_at(c.ending_numbers, INT32, c.endings)
    literals = array_at(c.ending_literals, INT32, c.endings)
    for i in range(c.endings):
        if holds(c, literals[i]):
            return int(numbers[i])
    return 0


def finish(c: Context, header: Any) -> None:
    """Ends the game: scores, places, and returns (goals scaled from 0 .. 100 to -1 .. 1)."""
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
"""The goal value of who has done all that can be wished for."""


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
    """The current goal value scaled to -1 .. 1; 0 where there is none."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    load_goals(c)
    value = goal(c, player)
    return (value - 50) / 50.0 if value >= 0 else 0.0


def winning_action(context: Address, state: Address, player: int) -> int:
    """A legal move by which the player to move wins at once, or -1; see ``gdl/winning.py``."""
    c = record_at(context, CONTEXT)
    return find_win(c, array_at(state + c.facts_at, INT64, c.words), player)


def winning_reply(context: Address, state: Address, action: int) -> int:
    """A move by which another player wins right after an action, or -1.

    That the action may end the game is left out of account.
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
    """Writes the facts after a move to ``c.after``."""
    after = array_at(c.after, INT64, c.words)
    kept = array_at(c.after_kept, INT64, 1)
    held = array_at(c.after_set, INT64, 1)
    spans = array_at(c.after_spans, INT32, 1)
    changed = array_at(c.after_facts, INT32, 1)
    tests = array_at(c.after_tests, INT64, 1)
    for w in range(c.words):
        after[w] = (facts[w] & kept[action * c.words + w]) | held[action * c.words + w]
    for i in range(spans[action], spans[action + 1]):
        if passes(facts, tests, i, c.words):
            after[changed[i] >> 6] |= 1 << (changed[i] & 63)


def write_kept(c: Context, facts: Any, move: int) -> None:
    """Writes the facts that stay or hold after a move to ``c.after``, if no other move acts."""
    after = array_at(c.after, INT64, c.words)
    kept = array_at(c.effect_kept, INT64, 1)
    held = array_at(c.effect_set, INT64, 1)
    for w in range(c.words):
        after[w] = (facts[w] & kept[move * c.words + w]) | held[move * c.words + w]


def write_all_kept(c: Context, facts: Any, commitments: Any) -> None:
    """Writes the facts that stay or hold after the committed moves to ``c.after``."""
    after = array_at(c.after, INT64, c.words)
    kept = array_at(c.effect_kept, INT64, 1)
    held = array_at(c.effect_set, INT64, 1)
    for w in range(c.words):
        stays = facts[w]
        added = 0
        for role in range(c.roles):
            place = (commitments[role] - 1) * c.words + w
            stays &= kept[place]
            added |= held[place]
        after[w] = stays | added


def add_effects(c: Context, move: int) -> None:
    """Adds the facts to ``c.after`` that hold after a move under conditions."""
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
    """Whether facts pass a test."""
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
    """A legal move by which a role wins at once where these facts hold, or -1."""
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
    """The current goal value; 0 where there is none."""
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
"""Where it is known which moves win at once."""

SIMULTANEOUS = EXPORTS | {"redeterminize": Export(redeterminize, "viii", BROKEN)}
"""Where several roles may have to decide at once, and so do not know what the others do."""

__all__ = ["CONTEXT", "EXPORTS", "INT16"]
