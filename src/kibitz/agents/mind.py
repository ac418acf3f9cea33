"""What ``ggp`` keeps in mind during a game: one record, what it points to, and the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.agents.evaluation import evaluate
from kibitz.agents.graph import GRAPH, empty, graph_memory, lay_out
from kibitz.agents.playouts import play_out
from kibitz.agents.search import after_states, padded, search_memory, state_address
from kibitz.agents.tree import MAX_DEPTH
from kibitz.core.contract import Rules
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, Address, array_at, record_at
from kibitz.core.status import MAX_PLAYERS

STATES = 2
"""Working states: one played on, and one to look at through others' eyes."""

MIND = np.dtype(
    [
        ("graph", GRAPH),
        ("observation", np.int64),  # addresses: of the state at hand,
        ("work", np.int64),  # of a state to play on,
        ("aside", np.int64),  # of one to look at,
        ("buffer", np.int64),  # of an ACTION_LIST,
        ("values", np.int64),  # FLOAT64[MAX_PLAYERS]: of an iteration
        ("path_nodes", np.int64),  # INT32[MAX_DEPTH]: the way through the graph,
        ("path_edges", np.int64),  # INT32[MAX_DEPTH]: which longer ones leave
        ("playout", np.int64),  # INT64[MAX_DEPTH]: decisions behind the path
        ("line", np.int64),  # INT64[MAX_DEPTH]: decisions of the best line
        ("line_keys", np.int64),  # INT64[MAX_DEPTH]: what they are made in
        ("player", np.int64),  # who thinks
        ("root", np.int64),  # the node where the search begins
        ("depth", np.int64),  # of the path
        ("line_length", np.int64),
        ("line_at", np.int64),  # where the game is in the line
        ("line_value", np.float64),
        ("iteration", np.int64),  # in this game
        ("secret", np.int64),  # whether anything is hidden in this game
        ("chance", np.int64),  # whether there is chance in it
        ("outcomes", np.int64),  # seen
        ("varies", np.int64),  # whether they add up to different sums
        ("total", np.float64),  # what they add up to
    ]
)

Mind = Any
"""A ``MIND`` record."""

MIND_SIZE = padded(MIND.itemsize)
VALUES_SIZE = padded(8 * MAX_PLAYERS)
PATH_SIZE = 4 * MAX_DEPTH
LINE_SIZE = 8 * MAX_DEPTH
SPARE_NODES = 2
"""Beside the positions: number 0, which is none, and one for the state at hand."""


def mind_memory(table: Table, positions: int) -> int:
    """Bytes of working memory for an agent that keeps so many positions."""
    own = MIND_SIZE + VALUES_SIZE + 2 * PATH_SIZE + 3 * LINE_SIZE
    graph = graph_memory(table.players, table.state_size, positions + SPARE_NODES)
    return search_memory(table, STATES) + own + graph


def prepare(
    mind: Mind, search: Any, memory: Address, game: Rules, positions: int, fresh: bool
) -> None:
    """Says where everything is, for one more decision; forgets everything if the game is new.

    Args:
        mind: the record, which lies behind the working states.
        search: its budget, which notes the playout of a player alone.
        memory: the agent's working memory.
        game: the rules.
        positions: how many to keep.
        fresh: whether the game is new.
    """
    mind.work = state_address(memory, game, 0)
    mind.aside = state_address(memory, game, 1)
    mind.buffer = state_address(memory, game, STATES)
    mind.values = after_states(memory, game, STATES) + MIND_SIZE
    mind.path_nodes = mind.values + VALUES_SIZE
    mind.path_edges = mind.path_nodes + PATH_SIZE
    mind.playout = mind.path_edges + PATH_SIZE
    mind.line = mind.playout + LINE_SIZE
    mind.line_keys = mind.line + LINE_SIZE
    lay_out(mind.graph, mind.line_keys + LINE_SIZE, game, positions + SPARE_NODES)
    search.trace = mind.playout
    search.trace_room = MAX_DEPTH if game.players == 1 else 0
    if fresh:
        if mind.graph.used > 0:
            empty(mind.graph)
        mind.graph.used = 1  # memory that was never used is large, and zero already
        mind.graph.generation = 0
        mind.line_length = 0
        mind.iteration = 0
        mind.secret = 0
        mind.chance = 0
        mind.outcomes = 0
        mind.varies = 0
    mind.graph.generation += 1


def play_on(mind: Mind, me: Any, search: Any, game: Rules, length: int) -> bool:
    """Plays out the working state and evaluates it; ``False`` when the time ran out.

    Args:
        mind: the search memory.
        me: the agent.
        search: its budget.
        game: the rules.
        length: actions of the playout at most; to the end of the game when negative.
    """
    header = record_at(mind.work, HEADER)
    drawn = header.rng[3]
    if not play_out(game, search, mind.work, mind.aside, mind.buffer, me.rng, length, 1):
        return False
    if header.rng[3] != drawn:
        mind.chance = 1
    evaluate(game, mind.work, array_at(mind.values, FLOAT64, MAX_PLAYERS))
    return True
