"""Perft: the number of histories of each length that the rules allow from a state.

The name and the idea come from chess programming (*perft*, performance test): such counts are
known for many games, and nearly every mistake in a game's rules changes them. Chance is fixed
by the state's random stream, so the counts are of the histories of one deal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES, Rules, apply_action, legal_actions
from kibitz.core.interrupt import run_interruptibly
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import whole_number
from kibitz.core.state import State, state_given
from kibitz.core.status import Status

CACHE_LINE = 64
ACTION_LIST_SIZE = ACTION_LIST.itemsize

TALLY = np.dtype([("games", np.int64), ("broken", np.int64)])
"""The record of the histories that end a game, and of those that break off."""

CURSOR = np.dtype([("next", np.int64), ("count", np.int64)])
"""The record of the next action to walk, and the number of actions, in a state of the path."""

WALK = np.dtype(
    [
        (name, np.int64)
        for name in (
            "states",  # room for the states of one path
            "state_room",  # bytes for each
            "lists",  # ... for an ACTION_LIST of each
            "cursors",  # ... for a CURSOR of each
            "histories",  # an integer for each length
            "tally",
            "depth",  # the longest history that is counted
            "stop",  # address of a word that turns non-zero to give up
        )
    ]
)
"""The record of the walk's buffers, all of them allocated before."""


class Perft(NamedTuple):
    """The numbers of histories from a state.

    Attributes:
        histories: the number of sequences of 1, 2, ... actions; a finished game has no longer
            ones.
        games: the number of histories, of any length, that end a game.
        broken: the number of histories that break off: a dead end, a full buffer, a limit, a
            failure of the rules.
    """

    histories: list[int]
    games: int
    broken: int


MOST_DEPTH = 1_000
"""The greatest depth; a deeper count would never end."""


def perft(state: State, depth: int) -> Perft:
    """Counts the histories of up to `depth` actions that begin in `state`.

    Chance is fixed: the same actions always lead to the same state. So the counts are the same
    for the same rules and seed, compiled and uncompiled.

    >>> import kibitz
    >>> perft(kibitz.load("tic-tac-toe").new_state(), 3).histories
    [9, 72, 504]

    Raises:
        ParameterError: `state` is not a state, or `depth` is out of range.
    """
    state_given(state)
    depth = whole_number("depth", depth, 1, MOST_DEPTH)
    table = state.table
    walk = np.zeros(1, WALK)
    room = -(-table.state_size // CACHE_LINE) * CACHE_LINE
    blocks = {
        "states": np.zeros((depth + 1) * room, np.uint8),
        "lists": np.zeros(depth, ACTION_LIST),
        "cursors": np.zeros(depth, CURSOR),
        "histories": np.zeros(depth, np.int64),
        "tally": np.zeros(1, TALLY),
        "stop": np.zeros(1, np.int64),
    }
    for name, block in blocks.items():
        walk[name] = block.ctypes.data
    walk["state_room"] = room
    walk["depth"] = depth
    blocks["states"][: table.state_size] = np.frombuffer(bytes(state), np.uint8)
    count = _native_perft()
    with table.borrowed(blocks["stop"]) as rules:
        run_interruptibly(lambda: count(rules.address, int(walk.ctypes.data)), blocks["stop"])
    table.raise_pending()
    games, broken = blocks["tally"][0].item()
    return Perft([int(n) for n in blocks["histories"]], games, broken)


@functools.cache
def _native_perft() -> Callable[..., Any]:
    export = Export(_count, "vii")
    return export.bind(compile_native("perft", {"count": export})["count"])


def _count(rules: Address, walk: Address) -> None:
    count_histories(record_at(rules, RULES), record_at(walk, WALK))


def count_histories(rules: Rules, walk: Any) -> None:
    """Walks through all histories depth first; `walk` is a ``WALK`` record."""
    cursors = array_at(walk.cursors, CURSOR, walk.depth)
    histories = array_at(walk.histories, INT64, walk.depth)
    stop = array_at(walk.stop, INT64, 1)
    level = 0
    list_actions(rules, walk, cursors, level)
    while level >= 0 and stop[0] == 0:
        if cursors[level].next == cursors[level].count:
            level -= 1
        else:
            take_next(rules, walk, cursors, level)
            histories[level] += 1
            if level + 1 < walk.depth:
                level += 1
                list_actions(rules, walk, cursors, level)
            else:
                count_end(walk, level + 1)


def list_actions(rules: Rules, walk: Any, cursors: Any, level: int) -> None:
    """Lists the legal actions in the state at `level` of the path; counts it if it is an end."""
    state = walk.states + level * walk.state_room
    cursors[level].next = 0
    cursors[level].count = 0
    if record_at(state, HEADER).status == Status.PLAYING:
        actions = walk.lists + level * ACTION_LIST_SIZE
        cursors[level].count = legal_actions(rules, state, actions)
    count_end(walk, level)


def count_end(walk: Any, level: int) -> None:
    """Counts the state at `level` of the path if the game has ended or broken off in it."""
    status = record_at(walk.states + level * walk.state_room, HEADER).status
    tally = record_at(walk.tally, TALLY)
    if status == Status.FINISHED:
        tally.games += 1
    elif status != Status.PLAYING:
        tally.broken += 1


def take_next(rules: Rules, walk: Any, cursors: Any, level: int) -> None:
    """Writes the next successor of the state at `level` to the next level."""
    state = walk.states + level * walk.state_room
    actions = record_at(walk.lists + level * ACTION_LIST_SIZE, ACTION_LIST)
    action = actions.items[cursors[level].next]
    cursors[level].next += 1
    copy_bytes(state + walk.state_room, state, rules.state_size)
    apply_action(rules, state + walk.state_room, action)
