"""Implicit minimax: heuristic values of nodes, backed up beside the averages of playouts.

A new node has the value that the evaluation gives its state, for each player; a node that was
passed takes that of the child which is best for its mover. Selection mixes this value of an edge
with its mean. Source: Lanctot, Winands, Pepels and Sturtevant, "Monte Carlo Tree Search with
Heuristic Evaluations using Implicit Minimax Backups", 2014, for two players;
with more it is max^n.

It is for the closed loop, where a node is one state. An edge with chance has no such value.
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.agents.evaluation import evaluate
from kibitz.agents.graph import EDGE, NODE, NOTHING
from kibitz.core.contract import Rules
from kibitz.core.memory import FLOAT64, Address, array_at
from kibitz.core.parameters import Tunable

MINIMAX = Tunable(
    0.0,
    (0.0, 1.0),
    "share in an action's value of the best that the heuristic says will come of it (implicit"
    " minimax), in closed loop; 0: none",
    tune=(0.0, 0.1, 0.2, 0.4),
)


def minimax_of(graph: Any, number: int) -> Any:
    """A node's implicit minimax value to each player."""
    return array_at(graph.minimax + 8 * graph.players * number, FLOAT64, graph.players)


def begin_minimax(rules: Rules, search: Any, graph: Any, number: int, state: Address) -> None:
    """Gives a new node the value of its state."""
    evaluate(rules, search, state, minimax_of(graph, number))


def back_up_minimax(graph: Any, number: int) -> None:
    """Gives a node the value of the child that is best for its mover."""
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    best = NOTHING
    most = -math.inf
    for i in range(node.first, node.first + node.count):
        child = edges[i].child
        if child != NOTHING and minimax_of(graph, child)[node.mover] > most:
            best = child
            most = minimax_of(graph, child)[node.mover]
    if best != NOTHING:
        values = minimax_of(graph, number)
        for p in range(graph.players):
            values[p] = minimax_of(graph, best)[p]
