"""The compiled enumeration of the nodes of a game tree, depth first.

A player's knowledge at a node is a hash of all that they have seen and done on the way: their
observation of every state and their own actions, in order (perfect recall).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.chance import chance_mark
from kibitz.core.contract import RULES, Rules, apply_action, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.status import Status
from kibitz.players.graph import mixed, observation_key

NODE = np.dtype(
    [
        ("key", np.int64),  # hash of what the player to move knows
        ("action", np.int64),  # that leads here
        ("parent", np.int32),  # -1: the root of a walk
        ("depth", np.int32),
        ("player", np.int32),  # to move; -1: the game is over
        ("options", np.int32),  # number of legal actions
    ]
)
"""The record of a node of the tree."""

CURSOR = np.dtype([("node", np.int64), ("next", np.int64), ("count", np.int64)])
"""The record of a node of the path: its number, its next action to walk, and its actions."""

WALK = np.dtype(
    [
        (name, np.int64)
        for name in (
            "states",  # room for the states of one path, and one more to mask
            "state_room",  # bytes for each
            "lists",  # ... for an ACTION_LIST of each
            "cursors",  # ... for a CURSOR of each
            "knowledge",  # ... for a hash for each player
            "levels",  # the most nodes of a path
            "nodes",  # NODE[room]
            "scores",  # double[players] of each node that ends a game
            "returns",
            "room",
            "used",  # number of nodes
            "trouble",  # why the walk ended early: one of the constants below
            "status",  # of the state in which a game broke off
            "stop",  # address of a word that turns non-zero to give up
        )
    ]
)
"""The record of the walk: addresses and sizes of its buffers, and its result."""

FULL, TOO_DEEP, CHANCE, BROKEN = 1, 2, 3, 4
"""Why a walk ended early: too many nodes, too long a path, a random number, a game broken off."""

ACTION_LIST_SIZE = ACTION_LIST.itemsize


@functools.cache
def native_walk() -> Callable[..., Any]:
    """The compiled walk, called with the addresses of ``RULES``, ``WALK`` and a root state."""
    export = Export(_walk, "viii")
    return export.bind(compile_native("game trees", {"walk": export})["walk"])


def _walk(rules: Address, walk: Address, root: Address) -> None:
    walk_tree(record_at(rules, RULES), record_at(walk, WALK), root)


def walk_tree(rules: Rules, walk: Any, root: Address) -> None:
    """Appends the nodes of the tree below a state."""
    cursors = array_at(walk.cursors, CURSOR, walk.levels)
    stop = array_at(walk.stop, INT64, 1)
    copy_bytes(walk.states, root, rules.state_size)
    add_node(rules, walk, cursors, 0, -1, 0)
    level = 0
    while level >= 0 and walk.trouble == 0 and stop[0] == 0:
        cursor = cursors[level]
        if cursor.next == cursor.count:
            level -= 1
        elif level + 1 == walk.levels:
            walk.trouble = TOO_DEEP
        else:
            actions = record_at(walk.lists + level * ACTION_LIST_SIZE, ACTION_LIST)
            action = actions.items[cursor.next]
            cursor.next += 1
            play(rules, walk, level, action)
            level += 1
            add_node(rules, walk, cursors, level, cursors[level - 1].node, action)


def play(rules: Rules, walk: Any, level: int, action: int) -> None:
    """Appends the state after an action to the path, which ends at `level`."""
    state = walk.states + level * walk.state_room
    after = state + walk.state_room
    copy_bytes(after, state, rules.state_size)
    apply_action(rules, after, action)
    if chance_mark(record_at(after, HEADER)) != chance_mark(record_at(state, HEADER)):
        walk.trouble = CHANCE


def add_node(rules: Rules, walk: Any, cursors: Any, level: int, parent: int, action: int) -> None:
    """Appends a node for the state at `level` of the path."""
    if walk.used == walk.room:
        walk.trouble = FULL
        return
    number = walk.used
    walk.used += 1
    state = walk.states + level * walk.state_room
    header = record_at(state, HEADER)
    nodes = array_at(walk.nodes, NODE, walk.room)
    update_knowledge(rules, walk, level, nodes[parent].player if parent >= 0 else -1, action)
    node = nodes[number]
    node.parent = parent
    node.depth = level
    node.action = action
    node.player = -1
    node.key = 0
    node.options = 0
    cursor = cursors[level]
    cursor.node = number
    cursor.next = 0
    cursor.count = 0
    if header.status == Status.PLAYING:
        node.player = header.player
        node.key = array_at(walk.knowledge, INT64, walk.levels * rules.players)[
            level * rules.players + header.player
        ]
        cursor.count = legal_actions(rules, state, walk.lists + level * ACTION_LIST_SIZE)
        node.options = cursor.count
    if header.status == Status.FINISHED:
        scores = array_at(walk.scores, FLOAT64, walk.room * rules.players)
        returns = array_at(walk.returns, FLOAT64, walk.room * rules.players)
        for p in range(rules.players):
            scores[number * rules.players + p] = header.seat[p].score
            returns[number * rules.players + p] = header.seat[p].returns
    elif header.status != Status.PLAYING:
        walk.trouble = BROKEN
        walk.status = header.status


def update_knowledge(rules: Rules, walk: Any, level: int, mover: int, action: int) -> None:
    """Extends each player's knowledge by what they see at `level`, and the mover's by `action`."""
    state = walk.states + level * walk.state_room
    masked = walk.states + walk.levels * walk.state_room
    known = array_at(walk.knowledge, INT64, walk.levels * rules.players)
    for p in range(rules.players):
        before = known[(level - 1) * rules.players + p] if level > 0 else 1
        if p == mover:
            before = mixed(before, action)
        sight = observation_key(rules, state, masked, p)
        known[level * rules.players + p] = mixed(before, sight)
