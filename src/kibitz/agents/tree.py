"""The tree of the Monte Carlo searches: nodes in one array, found by a hash of their edge.

A node stands for an action by a player at its parent: the edge (parent, action, mover). Its
visits and total are of that action, from the mover's point of view, so that every player
maximises their own result (max^n).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kibitz.agents.search import padded
from kibitz.core.memory import Address, clear_bytes

NODE = np.dtype(
    [
        ("action", np.int64),
        ("total", np.float64),  # of values 0 .. 1 to the mover
        ("parent", np.int32),
        ("mover", np.int32),
        ("visits", np.int32),
        ("available", np.int32),  # how often the action could be chosen
        ("first", np.int32),  # first child, where children lie together; else 0
        ("children", np.int32),
    ]
)
NODE_SIZE = NODE.itemsize
INT32 = np.dtype(np.int32)
ROOT = 0
MAX_DEPTH = 4096
"""Longer lines are played on without being remembered."""


def tree_memory(nodes: int) -> int:
    """Bytes for so many nodes, their hash table and a path."""
    return padded(NODE_SIZE * nodes) + padded(4 * table_size(nodes)) + padded(4 * MAX_DEPTH)


def table_size(nodes: int) -> int:
    """Places of the hash table: a power of two, at least twice the nodes."""
    size = 16
    while size < 2 * nodes:
        size *= 2
    return size


def find_place(nodes: Any, table: Any, parent: int, action: int, mover: int) -> int:
    """The place in the hash table of an edge: holding its node's number, or 0 when new."""
    mask = len(table) - 1
    mixed = parent * 0x9E3779B1 + action * 0x85EBCA77 + (action >> 24) * 0x27D4EB2F + mover
    mixed ^= mixed >> 17
    place = (mixed * 0x2C1B3C6D >> 11) & mask
    while True:
        node = table[place]
        if node == 0:
            return place
        if (
            nodes[node].parent == parent
            and nodes[node].action == action
            and nodes[node].mover == mover
        ):
            return place
        place = (place + 1) & mask


def make_node(nodes: Any, number: int, parent: int, action: int, mover: int) -> None:
    """Writes a fresh node."""
    node = nodes[number]
    node.action = action
    node.total = 0.0
    node.parent = parent
    node.mover = mover
    node.visits = 0
    node.available = 0
    node.first = 0
    node.children = 0


def clear_table(address: Address, size: int) -> None:
    """Empties the hash table."""
    clear_bytes(address, 4 * size)


def upper_bound(node: Any, trials: float, c: float) -> float:
    """UCB1: the mean value and what might still be behind it (Auer et al. 2002).

    Args:
        node: a visited node.
        trials: how often it could have been visited.
        c: weight of exploration.
    """
    return node.total / node.visits + c * math.sqrt(math.log(trials) / node.visits)


def back_up(nodes: Any, path: Any, depth: int, values: Any) -> None:
    """Adds the values of one iteration to the nodes on its path."""
    for i in range(depth):
        node = nodes[path[i]]
        node.visits += 1
        node.total += values[node.mover]
