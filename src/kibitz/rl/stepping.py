"""Steps many tables of one game: the compiled half of ``vector.py``.

A ``VECTOR`` record says where the tables lie and belongs to one thread; several threads step
disjoint ranges of the same tables. What happens at a table depends on its number, the seed and
the actions there only, never on the thread.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kibitz.arena.match import has_places, place_of
from kibitz.core.action_index import action_at, hashed_action, write_mask
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT
from kibitz.core.contract import RULES, apply_action, determinize, legal_actions, new_game
from kibitz.core.encoder import ENCODER, encode
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    FLOAT32,
    INT8,
    INT32,
    INT64,
    Address,
    array_at,
    call_int_5,
    clear_bytes,
    copy_bytes,
    record_at,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import AGENT_STREAM, derive_seed, start_stream
from kibitz.core.status import MAX_PLAYERS, Status

VECTOR = np.dtype(
    [
        ("rules", np.int64),  # address of a RULES record of this thread's own
        ("encoder", np.int64),  # of the ENCODER record
        ("agents", np.int64, (MAX_PLAYERS,)),  # of the AGENT records; 0: the learner sits there
        ("observation", np.int64),  # room for what an agent sees
        ("legal", np.int64),  # and for an ACTION_LIST
        ("rng", np.int64, (4,)),  # to derive seeds with
        ("seed", np.int64),
        ("by_score", np.int64),  # whether rewards are scores; else returns
        ("tables", np.int64),  # how many there are, for all threads
        ("states", np.int64),  # the state of each table,
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
    ]
)
"""Tables as compiled code knows them."""

MOST_SKIPPED = 1000
"""After so many games in a row in which the learner decides nothing, something is wrong."""

OTHERS_ACTION = -1
"""Stands for an action that the learner's seat did not choose itself."""

FINE, NO_DECISION, UNKNOWN_ACTION = 0, 1, 2
"""How a table fared; the number of the table is added, times 4."""


def start_game(vector: Any, rules: Any, table: int) -> None:
    """Begins the game whose number stands in ``games``. Compiled."""
    number = array_at(vector.games, INT64, vector.tables)[table]
    seed = derive_seed(vector.rng, vector.seed, number)
    new_game(rules, vector.states + table * rules.state_size, seed)
    for p in range(rules.players):
        if vector.agents[p] != 0:
            start_stream(seat_stream(vector, rules, table, p), seed, AGENT_STREAM + p)
    if vector.recall > 0:
        array_at(vector.moments, INT64, vector.tables)[table] = 0
        remember(vector, rules, table, 0, OTHERS_ACTION)


def remember(vector: Any, rules: Any, table: int, player: int, index: int) -> None:
    """Keeps what the learner's seats see now, after an action of a player. Compiled.

    Args:
        vector: the ``VECTOR`` record.
        rules: the ``RULES`` record.
        table: whose state has changed.
        player: who acted.
        index: of the action, if the learner acted; else ``OTHERS_ACTION``.
    """
    encoder = record_at(vector.encoder, ENCODER)
    moments = array_at(vector.moments, INT64, vector.tables)
    at = moments[table] % vector.recall
    moments[table] += 1
    for p in range(rules.players):
        if vector.agents[p] == 0:
            place = (table * rules.players + p) * vector.recall + at
            seen = vector.seen + place * encoder.size * 4
            encode(encoder, rules, vector.states + table * rules.state_size, p, seen)
            taken = array_at(vector.taken + place * 8, INT64, 1)
            taken[0] = index if p == player else OTHERS_ACTION


def write_history(vector: Any, rules: Any, table: int, player: int) -> None:
    """Writes what a seat remembers of the game, the latest first. Compiled."""
    size = record_at(vector.encoder, ENCODER).size * 4
    recall = vector.recall
    moments = array_at(vector.moments, INT64, vector.tables)[table]
    own = array_at(vector.own_actions + table * recall * 8, INT64, recall)
    first = (table * rules.players + player) * recall
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


def seat_stream(vector: Any, rules: Any, table: int, player: int) -> Any:
    """The random stream of an agent at a table. Compiled."""
    return array_at(vector.streams + (table * rules.players + player) * 32, INT64, 4)


def ask(vector: Any, rules: Any, table: int, player: int, count: int) -> int:
    """An agent's action. It remembers nothing: it plays at many tables. Compiled."""
    agent = record_at(vector.agents[player], AGENT)
    stream = seat_stream(vector, rules, table, player)
    state = vector.states + table * rules.state_size
    agent.games += 1
    agent.seat = player
    if agent.memory_size > 0:
        array_at(agent.memory, INT64, 1)[0] = 0
    for i in range(4):
        agent.rng[i] = stream[i]
    seen = 0
    if agent.sees:
        seen = vector.observation
        determinize(rules, state, player, seen, agent.rng)
    action = call_int_5(agent.act, vector.agents[player], vector.rules, seen, vector.legal, count)
    for i in range(4):
        stream[i] = agent.rng[i]
    return action


def advance(vector: Any, rules: Any, table: int) -> int:
    """Lets agents play until the learner decides; returns its number of actions, or 0. Compiled.

    0 means that the game is over. Where there is only one action, agents are not asked.
    """
    state = vector.states + table * rules.state_size
    header = record_at(state, HEADER)
    legal = record_at(vector.legal, ACTION_LIST)
    while header.status == Status.PLAYING:
        count = legal_actions(rules, state, vector.legal)
        if count == 0:
            return 0
        player = header.player
        if vector.agents[player] == 0:
            return count
        action = legal.items[0]
        if count > 1:
            action = ask(vector, rules, table, player, count)
            if place_of(legal, count, action) < 0:
                header.status = Status.AGENT_ERROR if action == -1 else Status.ILLEGAL_ACTION
                return 0
        apply_action(rules, state, action)
        if vector.recall > 0:
            remember(vector, rules, table, player, OTHERS_ACTION)
    return 0


def finish(vector: Any, rules: Any, table: int) -> None:
    """Writes the result of a game that is over. Compiled."""
    header = record_at(vector.states + table * rules.state_size, HEADER)
    if header.status == Status.FINISHED and not has_places(header, rules.players):
        header.status = Status.RULES_ERROR
    array_at(vector.done, INT8, vector.tables)[table] = 1
    array_at(vector.status, INT32, vector.tables)[table] = header.status
    if header.status == Status.FINISHED:
        rewards = array_at(vector.rewards + table * rules.players * 4, FLOAT32, rules.players)
        for p in range(rules.players):
            if vector.by_score != 0:
                rewards[p] = header.seat[p].score * rules.score_sign
            else:
                rewards[p] = header.seat[p].returns


def show(vector: Any, rules: Any, table: int, count: int) -> int:
    """Starts games until the learner decides, and writes what it sees. Compiled."""
    games = array_at(vector.games, INT64, vector.tables)
    skipped = 0
    while count == 0:
        if skipped == MOST_SKIPPED:
            return NO_DECISION
        skipped += 1
        games[table] += vector.tables
        start_game(vector, rules, table)
        count = advance(vector, rules, table)
    encoder = record_at(vector.encoder, ENCODER)
    state = vector.states + table * rules.state_size
    player = record_at(state, HEADER).player
    array_at(vector.to_act, INT64, vector.tables)[table] = player
    encode(encoder, rules, state, player, vector.observations + table * encoder.size * 4)
    mask = vector.masks + table * encoder.index.count
    clear_bytes(mask, encoder.index.count)
    if vector.recall > 0:
        write_history(vector, rules, table, player)
    if write_mask(encoder.index, vector.legal, count, mask):
        return UNKNOWN_ACTION
    return FINE


def clear(vector: Any, rules: Any, table: int) -> None:
    """Clears what a step says of the game before. Compiled."""
    array_at(vector.done, INT8, vector.tables)[table] = 0
    array_at(vector.status, INT32, vector.tables)[table] = Status.PLAYING
    clear_bytes(vector.rewards + table * rules.players * 4, rules.players * 4)


def step(address: Address, first: int, count: int) -> int:
    """Plays the learner's legal action at each of some tables. Compiled.

    Args:
        address: of the ``VECTOR`` record.
        first: the first table.
        count: how many.

    Returns:
        ``FINE``, or four times the table that failed, plus how.
    """
    vector = record_at(address, VECTOR)
    rules = record_at(vector.rules, RULES)
    index = record_at(vector.encoder, ENCODER).index
    actions = array_at(vector.actions, INT64, vector.tables)
    for table in range(first, first + count):
        state = vector.states + table * rules.state_size
        if actions[table] < index.direct:
            action = action_at(index, actions[table])
        else:
            options = legal_actions(rules, state, vector.legal)
            action = hashed_action(index, vector.legal, options, actions[table] - index.direct)
        player = record_at(state, HEADER).player
        apply_action(rules, state, action)
        if vector.recall > 0:
            remember(vector, rules, table, player, actions[table])
        clear(vector, rules, table)
        options = advance(vector, rules, table)
        if options == 0:
            finish(vector, rules, table)
        problem = show(vector, rules, table, options)
        if problem != FINE:
            return 4 * table + problem
    return FINE


def reset(address: Address, first: int, count: int) -> int:
    """Begins the first game of each of some tables: as ``step``. Compiled."""
    vector = record_at(address, VECTOR)
    rules = record_at(vector.rules, RULES)
    for table in range(first, first + count):
        array_at(vector.games, INT64, vector.tables)[table] = table
        start_game(vector, rules, table)
        clear(vector, rules, table)
        problem = show(vector, rules, table, advance(vector, rules, table))
        if problem != FINE:
            return 4 * table + problem
    return FINE


@functools.cache
def stepping() -> Mapping[str, Callable[[int, int, int], int]]:
    """``step`` and ``reset``, compiled; they run without the GIL."""
    exports = {"step": Export(step, "iiii"), "reset": Export(reset, "iiii")}
    addresses = compile_native("the tables of a learner", exports)
    return {name: export.bind(addresses[name]) for name, export in exports.items()}
