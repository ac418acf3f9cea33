"""Steps many tables of one game: the compiled half of ``vector.py``.

A ``VECTOR`` record belongs to one thread and has the addresses of the tables' data. Threads take
tables, a few at a time, by atomic counters in shared memory: a thread that is done with its own
tables takes those of others, without the GIL and without waiting for late threads. The play at a
table depends only on its number, the seed and the actions there, not on the thread. A ``VARIANT``
record has the rules (with their parameters) and the agents by which a game is played.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kibitz.arena.match import has_places
from kibitz.core.action_index import action_at, hashed_action, write_mask
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT
from kibitz.core.contract import (
    RULES,
    apply_action,
    determinize,
    legal_actions,
    new_game,
    place_of,
)
from kibitz.core.encoder import ENCODER, encode
from kibitz.core.hidden import reveal_hidden
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    FLOAT32,
    INT8,
    INT32,
    INT64,
    Address,
    array_at,
    atomic_add,
    atomic_min,
    atomic_swap,
    call_int_5,
    clear_bytes,
    copy_bytes,
    monotonic_ns,
    record_at,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import (
    AGENT_STREAM,
    PARAMETERS_STREAM,
    derive_seed,
    random_below,
    start_stream,
)
from kibitz.core.status import MAX_PLAYERS, Status

VARIANT = np.dtype(
    [
        ("rules", np.int64),  # address of a RULES record of this thread's own
        ("encoder", np.int64),  # of the ENCODER record
        ("agents", np.int64, (MAX_PLAYERS,)),  # of the AGENT records; 0: the learner sits there
        ("columns", np.int64),  # where its numbers have their places: INT64; 0: in their order
    ]
)
"""The layout of a variant of the game: its rules and agents, as one thread uses them."""
_VARIANT_SIZE = VARIANT.itemsize

VECTOR = np.dtype(
    [
        ("variants", np.int64),  # address of VARIANT records of this thread's own
        ("variant_count", np.int64),
        ("players", np.int64),
        ("learner", np.int64, (MAX_PLAYERS,)),  # 1: the learner sits there
        ("size", np.int64),  # numbers of an observation
        ("actions_count", np.int64),  # and bytes of a mask
        ("state_size", np.int64),  # bytes from one state to the next
        ("observation", np.int64),  # room for what an agent sees
        ("legal", np.int64),  # and for an ACTION_LIST,
        ("numbers", np.int64),  # and for the numbers of a variant
        (
            "stop",
            np.int64,
        ),  # address of a word that turns non-zero to give up, also of agents
        ("rng", np.int64, (4,)),  # to derive seeds with
        ("seed", np.int64),
        ("by_score", np.int64),  # whether rewards are scores; else returns
        ("tables", np.int64),  # how many there are, for all threads
        ("contexts", np.int64),  # of each table a context that keeps its state; or 0
        ("variant", np.int64),  # the variant that is played at each table,
        ("states", np.int64),  # its state,
        ("games", np.int64),  # the number of the game that it plays,
        ("streams", np.int64),  # and a random stream for each of its seats
        ("actions", np.int64),  # the learner's: 64-bit indices
        ("observations", np.int64),  # what is written for each table
        ("masks", np.int64),
        ("rewards", np.int64),
        ("to_act", np.int64),
        ("done", np.int64),
        ("recall", np.int64),  # how many moments of a game are remembered; 0: none
        ("moments", np.int64),  # how many the game of each table has had,
        ("seen", np.int64),  # what each seat saw at the last of them, a ring,
        ("taken", np.int64),  # and the action by which it brought that about
        ("history", np.int64),  # what is written for the seat to act
        ("own_actions", np.int64),
        ("status", np.int64),
        ("ending_seat", np.int64),  # which seat sees the end of games,
        ("endings", np.int64),  # and what it sees there; or 0
        ("privileged", np.int64),  # what is written with everything open; or 0
        ("place", np.int64),  # of this thread among those that share the tables,
        ("places", np.int64),  # how many they are,
        ("shares", np.int64),  # and what they share, as ``shares_room`` says
    ]
)
"""The layout of the tables' data, as one thread uses them."""

MOST_SKIPPED = 1000
"""Number of successive games without a decision of the learner after which stepping fails."""

OTHERS_ACTION = -1
"""The index, in ``own_actions``, of an action that another seat chose."""

FINE, NO_DECISION, UNKNOWN_ACTION = 0, 1, 2
"""Results of a step at a table; a problem is reported as this plus 4 times the table's number."""

NO_PROBLEM = 1 << 62
"""The value of the shared number ``PROBLEM`` while no table has a problem."""

STEP, RESET = 0, 1
"""The tasks at the tables: a step, or the start of the first game."""

LINE = 64
"""Distance of shared numbers in bytes: each has its own cache line."""

WHAT, DONE, PROBLEM, TAKEN = 0, 1, 2, 3
"""The indices of shared numbers: the task, the number of tables where it is done, the lowest
problem and, from ``TAKEN`` on, for each place the first of its tables that is not taken."""

MOST_TAKEN = 64
"""Maximum number of tables that a thread takes at a time."""
PIECES = 8
"""Minimum number of pieces in which the tables of a thread are taken, if there are enough."""

PATIENCE = 100_000
"""Nanoseconds for which the calling thread polls for the end of others before it sleeps."""


def shares_room(places: int) -> int:
    """Size of the shared numbers of this many threads, in bytes."""
    return (TAKEN + places) * LINE


def variant_at(vector: Any, table: int) -> Any:
    """The ``VARIANT`` record of the game at a table. Compiled."""
    number = array_at(vector.variant, INT64, vector.tables)[table]
    return record_at(vector.variants + number * _VARIANT_SIZE, VARIANT)


def state_at(vector: Any, table: int) -> Address:
    """The address of the state of a table. Compiled."""
    return int(vector.states + table * vector.state_size)


def rules_at(vector: Any, table: int) -> Any:
    """The ``RULES`` record for a table. Compiled."""
    rules = record_at(variant_at(vector, table).rules, RULES)
    if vector.contexts != 0:
        rules.context = array_at(vector.contexts, INT64, vector.tables)[table]
    return rules


def is_stopped(vector: Any) -> bool:
    """Whether the stop word is set: the tables then have to be reset. Compiled."""
    return bool(array_at(vector.stop, INT64, 1)[0] != 0)


def start_game(vector: Any, table: int) -> None:
    """Begins the game with the table's number in ``games``, with its variant. Compiled."""
    number = array_at(vector.games, INT64, vector.tables)[table]
    seed = derive_seed(vector.rng, vector.seed, number)
    if vector.variant_count > 1:
        start_stream(vector.rng, seed, PARAMETERS_STREAM)
        drawn = random_below(vector.rng, vector.variant_count)
        array_at(vector.variant, INT64, vector.tables)[table] = drawn
    rules = rules_at(vector, table)
    new_game(rules, state_at(vector, table), seed)
    for p in range(vector.players):
        if vector.learner[p] == 0:
            start_stream(seat_stream(vector, table, p), seed, AGENT_STREAM + p)
    if vector.recall > 0:
        array_at(vector.moments, INT64, vector.tables)[table] = 0
        remember(vector, table, 0, OTHERS_ACTION)


def write_seen(vector: Any, table: int, player: int, out: Address) -> None:
    """Writes the observation of a seat at a table. Compiled."""
    write_numbers(vector, table, state_at(vector, table), player, out)


def write_privileged(vector: Any, table: int, player: int, out: Address) -> None:
    """Writes the state of a table from the view of a seat, with everything open. Compiled."""
    rules = record_at(variant_at(vector, table).rules, RULES)
    copy_bytes(vector.observation, state_at(vector, table), rules.state_size)
    reveal_hidden(rules, vector.observation)
    write_numbers(vector, table, vector.observation, player, out)


def write_numbers(vector: Any, table: int, state: Address, player: int, out: Address) -> None:
    """Writes what a seat sees in a state of a table's variant. Compiled."""
    variant = variant_at(vector, table)
    encoder = record_at(variant.encoder, ENCODER)
    rules = record_at(variant.rules, RULES)
    if variant.columns == 0:
        encode(encoder, rules, state, player, out)
        return
    encode(encoder, rules, state, player, vector.numbers)
    clear_bytes(out, vector.size * 4)
    values = array_at(out, FLOAT32, vector.size)
    numbers = array_at(vector.numbers, FLOAT32, encoder.size)
    columns = array_at(variant.columns, INT64, encoder.size)
    for i in range(encoder.size):
        values[columns[i]] = numbers[i]


def remember(vector: Any, table: int, player: int, index: int) -> None:
    """Keeps the observations of the learner's seats after an action of a player. Compiled.

    Args:
        index: the index of the action if the learner acted, else ``OTHERS_ACTION``.
    """
    moments = array_at(vector.moments, INT64, vector.tables)
    at = moments[table] % vector.recall
    moments[table] += 1
    for p in range(vector.players):
        if vector.learner[p] != 0:
            place = (table * vector.players + p) * vector.recall + at
            write_seen(vector, table, p, vector.seen + place * vector.size * 4)
            taken = array_at(vector.taken + place * 8, INT64, 1)
            taken[0] = index if p == player else OTHERS_ACTION


def write_history(vector: Any, table: int, player: int) -> None:
    """Writes the kept observations and own actions of a seat, the latest first. Compiled."""
    size = vector.size * 4
    recall = vector.recall
    moments = array_at(vector.moments, INT64, vector.tables)[table]
    own = array_at(vector.own_actions + table * recall * 8, INT64, recall)
    first = (table * vector.players + player) * recall
    taken = array_at(vector.taken + first * 8, INT64, recall)
    for i in range(recall):
        out = vector.history + (table * recall + i) * size
        if i < moments:
            at = (moments - 1 - i) % recall
            copy_bytes(out, vector.seen + (first + at) * size, size)
            own[i] = taken[at]
        else:
            clear_bytes(out, size)
            own[i] = OTHERS_ACTION


def seat_stream(vector: Any, table: int, player: int) -> Any:
    """The random stream of an agent at a table. Compiled."""
    return array_at(vector.streams + (table * vector.players + player) * 32, INT64, 4)


def ask(vector: Any, rules: Any, table: int, player: int, count: int) -> int:
    """An agent's action; its memory is cleared, since it plays at many tables. Compiled."""
    variant = variant_at(vector, table)
    address = variant.agents[player]
    agent = record_at(address, AGENT)
    stream = seat_stream(vector, table, player)
    agent.games += 1
    agent.seat = player
    if agent.memory_size > 0:
        array_at(agent.memory, INT64, 1)[0] = 0
    for i in range(4):
        agent.rng[i] = stream[i]
    seen = 0
    if agent.sees:
        seen = vector.observation
        determinize(rules, state_at(vector, table), player, seen, agent.rng)
    action = call_int_5(agent.act, address, variant.rules, seen, vector.legal, count)
    for i in range(4):
        stream[i] = agent.rng[i]
    return action


def advance(vector: Any, rules: Any, table: int) -> int:
    """Lets agents play until the learner decides; returns its number of actions, or 0. Compiled.

    0: the game is over, or the work was stopped. A forced action is made without asking the agent.
    """
    state = state_at(vector, table)
    header = record_at(state, HEADER)
    legal = record_at(vector.legal, ACTION_LIST)
    while header.status == Status.PLAYING and not is_stopped(vector):
        count = legal_actions(rules, state, vector.legal)
        if count == 0:
            return 0
        player = header.player
        if vector.learner[player] != 0:
            return count
        action = legal.items[0]
        if count > 1:
            action = ask(vector, rules, table, player, count)
            if place_of(legal, count, action) < 0:
                header.status = Status.AGENT_ERROR if action == -1 else Status.ILLEGAL_ACTION
                return 0
        apply_action(rules, state, action)
        if vector.recall > 0:
            remember(vector, table, player, OTHERS_ACTION)
    return 0


def finish(vector: Any, rules: Any, table: int) -> None:
    """Writes the result of a game that is over. Compiled."""
    header = record_at(state_at(vector, table), HEADER)
    if header.status == Status.FINISHED and not has_places(header, vector.players):
        header.status = Status.RULES_ERROR
    array_at(vector.done, INT8, vector.tables)[table] = 1
    array_at(vector.status, INT32, vector.tables)[table] = header.status
    if vector.endings != 0:
        out = vector.endings + table * vector.size * 4
        write_seen(vector, table, vector.ending_seat, out)
    if header.status == Status.FINISHED:
        rewards = array_at(vector.rewards + table * vector.players * 4, FLOAT32, vector.players)
        for p in range(vector.players):
            if vector.by_score != 0:
                rewards[p] = header.seat[p].score * rules.score_sign
            else:
                rewards[p] = header.seat[p].returns


def show(vector: Any, table: int, count: int) -> int:
    """Starts games until the learner has a decision, and writes its observation. Compiled."""
    games = array_at(vector.games, INT64, vector.tables)
    skipped = 0
    while count == 0:
        if is_stopped(vector):
            return FINE
        if skipped == MOST_SKIPPED:
            return NO_DECISION
        skipped += 1
        games[table] += vector.tables
        start_game(vector, table)
        count = advance(vector, rules_at(vector, table), table)
    player = record_at(state_at(vector, table), HEADER).player
    array_at(vector.to_act, INT64, vector.tables)[table] = player
    write_seen(vector, table, player, vector.observations + table * vector.size * 4)
    if vector.privileged != 0:
        write_privileged(vector, table, player, vector.privileged + table * vector.size * 4)
    mask = vector.masks + table * vector.actions_count
    clear_bytes(mask, vector.actions_count)
    if vector.recall > 0:
        write_history(vector, table, player)
    index = record_at(variant_at(vector, table).encoder, ENCODER).index
    if write_mask(index, vector.legal, count, mask):
        return UNKNOWN_ACTION
    return FINE


def clear(vector: Any, table: int) -> None:
    """Clears the result of the last game that ended. Compiled."""
    array_at(vector.done, INT8, vector.tables)[table] = 0
    array_at(vector.status, INT32, vector.tables)[table] = Status.PLAYING
    clear_bytes(vector.rewards + table * vector.players * 4, vector.players * 4)


def illegal_at(vector: Any) -> int:
    """The first table at which the learner's action is not legal; -1: none. Compiled."""
    size = vector.actions_count
    actions = array_at(vector.actions, INT64, vector.tables)
    masks = array_at(vector.masks, INT8, vector.tables * size)
    for table in range(vector.tables):
        action = actions[table]
        if action < 0 or action >= size or masks[table * size + action] == 0:
            return table
    return -1


def step_table(vector: Any, table: int) -> int:
    """Plays the learner's legal action at a table. Compiled.

    Returns:
        ``FINE`` or the problem.
    """
    index = record_at(variant_at(vector, table).encoder, ENCODER).index
    action_number = array_at(vector.actions, INT64, vector.tables)[table]
    rules = rules_at(vector, table)
    state = state_at(vector, table)
    if action_number < index.direct:
        action = action_at(index, action_number)
    else:
        options = legal_actions(rules, state, vector.legal)
        action = hashed_action(index, vector.legal, options, action_number - index.direct)
    player = record_at(state, HEADER).player
    apply_action(rules, state, action)
    if vector.recall > 0:
        remember(vector, table, player, action_number)
    clear(vector, table)
    options = advance(vector, rules, table)
    if options == 0:
        finish(vector, rules, table)
    return show(vector, table, options)


def reset_table(vector: Any, table: int) -> int:
    """Begins the first game of a table; returns ``FINE`` or the problem. Compiled."""
    array_at(vector.games, INT64, vector.tables)[table] = table
    start_game(vector, table)
    clear(vector, table)
    return show(vector, table, advance(vector, rules_at(vector, table), table))


def offer_steps(address: Address) -> int:
    """Offers a step of all tables to the threads, if all actions are legal. Compiled.

    Returns:
        -1, or the first table at which the learner's action is not legal: then nothing is offered.
    """
    vector = record_at(address, VECTOR)
    illegal = illegal_at(vector)
    if illegal < 0:
        offer(vector, STEP)
    return illegal


def offer_resets(address: Address) -> int:
    """Offers the first games of all tables to the threads; returns -1. Compiled."""
    offer(record_at(address, VECTOR), RESET)
    return -1


def offer(vector: Any, task: int) -> None:
    """Lets threads take tables. Compiled.

    The counters are reset last, since a late thread may begin as soon as the first one is.
    """
    array_at(vector.shares + WHAT * LINE, INT64, 1)[0] = task
    atomic_swap(vector.shares + DONE * LINE, 0)
    atomic_swap(vector.shares + PROBLEM * LINE, NO_PROBLEM)
    for place in range(vector.places):
        atomic_swap(vector.shares + (TAKEN + place) * LINE, first_of(vector, place))


def first_of(vector: Any, place: int) -> int:
    """The first of the tables that belong to a place. Compiled."""
    return int(place * vector.tables // vector.places)


def take(address: Address) -> int:
    """Runs the offered work at tables that no thread has taken, until none is left. Compiled.

    Returns:
        1 if the work is done at all tables; 0 if other threads are still working.
    """
    vector = record_at(address, VECTOR)
    piece = max(1, min(MOST_TAKEN, vector.tables // (vector.places * PIECES)))
    for k in range(vector.places):
        place = (vector.place + k) % vector.places
        end = first_of(vector, place + 1)
        first = atomic_add(vector.shares + (TAKEN + place) * LINE, piece)
        while first < end:
            last = min(first + piece, end)
            work(vector, first, last)
            atomic_add(vector.shares + DONE * LINE, last - first)
            first = atomic_add(vector.shares + (TAKEN + place) * LINE, piece)
    done = atomic_add(vector.shares + DONE * LINE, 0)
    if vector.place == 0 and done < vector.tables:
        until = monotonic_ns() + PATIENCE
        while done < vector.tables and monotonic_ns() < until:
            done = atomic_add(vector.shares + DONE * LINE, 0)
    return 1 if done >= vector.tables else 0


def work(vector: Any, first: int, last: int) -> None:
    """Runs the offered work at some tables, until it is stopped. Compiled."""
    task = array_at(vector.shares + WHAT * LINE, INT64, 1)[0]
    for table in range(first, last):
        if is_stopped(vector):
            return
        problem = step_table(vector, table) if task == STEP else reset_table(vector, table)
        if problem != FINE:
            atomic_min(vector.shares + PROBLEM * LINE, 4 * table + problem)


@functools.cache
def stepping() -> Mapping[str, Callable[[int], int]]:
    """``offer_steps``, ``offer_resets`` and ``take``, compiled; they run without the GIL."""
    functions = {"offer_steps": offer_steps, "offer_resets": offer_resets, "take": take}
    exports = {name: Export(function, "ii") for name, function in functions.items()}
    addresses = compile_native("the tables of a learner", exports)
    return {name: export.bind(addresses[name]) for name, export in exports.items()}
