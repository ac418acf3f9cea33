"""Searching alone in ``ggp``: half of the time greedily, and the best line is never lost.

Nobody works against who plays alone, and without chance what came about once can be done again.
So the best decisions that ever led to an end are kept, and played if nothing beats them, as
Nested Monte-Carlo Search does (Cazenave, "Nested Monte-Carlo Search", 2009); an average, as
tree search has it, says little about the best that can be reached (Schadd, Winands, van den
Herik, Chaslot and Uiterwijk, "Single-Player Monte-Carlo Tree Search", 2008).
"""

from __future__ import annotations

from typing import Any

from kibitz.agents.evaluation import value_of
from kibitz.agents.graph import EDGE, NODE, NOTHING, state_key
from kibitz.agents.mind import Mind
from kibitz.agents.playouts import advance, note_choice
from kibitz.agents.proof import TINY, best_proven, worth_beating
from kibitz.agents.tree import INT32, MAX_DEPTH
from kibitz.core.contract import Rules
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, array_at, copy_bytes, record_at
from kibitz.core.status import Status


def choose_greedily(graph: Any, number: int) -> int:
    """The edge never tried, else that of the best mean, that may beat what is sure.

    Among equals it is the most visited: so the search goes deep, and gets done with one part of
    the game after another.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    sure = worth_beating(graph, number)
    best = int(node.first)
    best_mean = -1.0
    most = 0
    for i in range(node.first, node.first + node.count):
        if edges[i].high > sure:
            visits = edges[i].visits
            if visits == 0:
                return int(i)
            mean = edges[i].total / visits
            if mean > best_mean or (mean == best_mean and visits > most):
                best_mean = mean
                most = visits
                best = i
    return best


def find_line(mind: Mind, key: int) -> None:
    """Finds the state at hand in the best line; if it is not there, the line is forgotten.

    Where the line comes by several times, the way in between is left out.
    """
    keys = array_at(mind.line_keys, INT64, MAX_DEPTH)
    for i in range(mind.line_length - 1, -1, -1):
        if keys[i] == key:
            mind.line_at = i
            return
    mind.line_length = 0


def best_so_far(mind: Mind) -> float:
    """What the best line comes to; less than nothing without one."""
    return mind.line_value + TINY if mind.line_length > 0 else -1.0


def trace_proof(mind: Mind, search: Any, node: int) -> None:
    """Writes down the decisions from a certain node to the end, as if they were played."""
    graph = mind.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    while node != NOTHING and nodes[node].count > 0 and search.trace_length < search.trace_room:
        used = best_proven(graph, node)
        note_choice(search, edges[used].action)
        node = edges[used].child


def keep_line(mind: Mind, search: Any, game: Rules) -> None:
    """Keeps the decisions of this iteration as the best line, if they lead to the end again."""
    graph = mind.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    playout = array_at(mind.playout, INT64, MAX_DEPTH)
    line = array_at(mind.line, INT64, MAX_DEPTH)
    keys = array_at(mind.line_keys, INT64, MAX_DEPTH)
    state = mind.aside
    header = record_at(state, HEADER)
    copy_bytes(state, mind.observation, game.state_size)
    drawn = header.rng[3]
    length = mind.depth + search.trace_length
    mind.line_length = 0
    if length > MAX_DEPTH:
        return
    for i in range(length):
        if header.status != Status.PLAYING:
            return
        inside = i < mind.depth
        action = edges[path_edges[i]].action if inside else playout[i - mind.depth]
        line[i] = action
        keys[i] = state_key(graph, game, state)
        advance(game, search, state, mind.buffer, action)
    if header.status == Status.FINISHED and header.rng[3] == drawn:
        mind.line_length = length
        mind.line_at = 0
        mind.line_value = value_of(game, state, 0)
