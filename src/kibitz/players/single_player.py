"""Search for a single player: it keeps the best line of actions so far.

Without opponents and chance, an outcome reached once can be reached again. So the best choices
that ever led to the end of a game are kept, and played if nothing beats them, as in Nested
Monte-Carlo Search (Cazenave, "Nested Monte-Carlo Search", 2009). The averages of a tree search say
little about the best value that can be reached (Schadd, Winands, van den Herik, Chaslot and
Uiterwijk, "Single-Player Monte-Carlo Tree Search", 2008).
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.core.chance import chance_mark
from kibitz.core.contract import Rules
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, array_at, copy_bytes, record_at
from kibitz.core.status import Status
from kibitz.players.evaluation import value_of
from kibitz.players.graph import EDGE, INT32, NODE, NOTHING, state_key
from kibitz.players.memory import SearchMemory
from kibitz.players.playouts import advance, note_choice
from kibitz.players.policies import MAX_DEPTH
from kibitz.players.proof import TINY, best_proven
from kibitz.players.search import is_stopped


def find_line(memory: SearchMemory, key: int) -> None:
    """Finds the current state in the best line; if it is not there, the line is dropped.

    Where the line returns to the state, what lies between is skipped.
    """
    keys = array_at(memory.line_keys, INT64, MAX_DEPTH)
    for i in range(memory.line_length - 1, -1, -1):
        if keys[i] == key:
            memory.line_at = i
            return
    memory.line_length = 0


def best_so_far(memory: SearchMemory) -> float:
    """The value that another line has to exceed to become the best; -infinity without a line."""
    return memory.line_value + TINY if memory.line_length > 0 else -math.inf


def trace_proof(memory: SearchMemory, search: Any, node: int) -> None:
    """Notes the choices from a solved node to the end, as if a playout had made them."""
    graph = memory.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    while node != NOTHING and nodes[node].count > 0 and search.trace_length < search.trace_room:
        used = best_proven(graph, node)
        note_choice(search, edges[used].action)
        node = edges[used].child


def keep_line(memory: SearchMemory, search: Any, game: Rules) -> None:
    """Keeps the choices of this iteration as the best line, if replaying them ends the game.

    A search that was stopped keeps none.
    """
    graph = memory.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_edges = array_at(memory.path_edges, INT32, MAX_DEPTH)
    playout = array_at(memory.trace, INT64, MAX_DEPTH)
    line = array_at(memory.line, INT64, MAX_DEPTH)
    keys = array_at(memory.line_keys, INT64, MAX_DEPTH)
    state = memory.aside
    header = record_at(state, HEADER)
    copy_bytes(state, memory.observation, game.state_size)
    drawn = chance_mark(header)
    length = memory.depth + search.trace_length
    memory.line_length = 0
    if length > MAX_DEPTH:
        return
    for i in range(length):
        if header.status != Status.PLAYING or is_stopped(search):
            return
        inside = i < memory.depth
        action = edges[path_edges[i]].action if inside else playout[i - memory.depth]
        line[i] = action
        keys[i] = state_key(game, state)
        advance(game, search, state, action)
    if header.status == Status.FINISHED and chance_mark(header) == drawn:
        memory.line_length = length
        memory.line_at = 0
        memory.line_value = value_of(game, search, state, 0)
