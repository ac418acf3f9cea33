"""Hints: estimates for actions with few visits, and selection by them.

- *First-play urgency*: an action that was never tried has a fixed bound instead of being tried
  first, so that good ones are followed before all have been tried (Gelly and Wang, "Exploration
  exploitation in Go: UCT for Monte-Carlo Go", 2006).
- *Progressive bias*: the heuristic one step ahead is added to the bound of an action, and fades
  with one over its visits (Chaslot, Winands, van den Herik, Uiterwijk and Bouzy, "Progressive
  Strategies for Monte-Carlo Tree Search", 2008). Where something is hidden it is that of the
  determinization in which the action was first available.
- *RAVE*: an action's mean is mixed with that of all iterations in which its player chose it here
  or later (all moves as first, AMAF). The share of this is sqrt(k / (3 n + k)), a half after n = k
  visits of the node (Gelly and Silver, "Monte-Carlo tree search and rapid action value estimation
  in computer Go", 2011). An action that was never tried goes by its AMAF mean, as if tried once.
- *Implicit minimax*: ``agents/implicit_minimax.py``.
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.agents.choices import is_marked, mark_choice
from kibitz.agents.graph import EDGE, HINT, INT32, NODE, NOTHING, share_of_range, unit_of
from kibitz.agents.implicit_minimax import minimax_of
from kibitz.agents.memory import SearchMemory
from kibitz.agents.playouts import value_ahead
from kibitz.agents.policies import MAX_DEPTH
from kibitz.agents.search import RolloutOptions, is_stopped
from kibitz.agents.selection import inverse, root_of_inverse, root_of_log
from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.contract import Rules
from kibitz.core.memory import FLOAT64, array_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below
from kibitz.core.status import MAX_PLAYERS

TRIED_FIRST = 1e9
"""The bound of an edge of which nothing is known, where there is no urgency."""
RAVE_SCALE = 3.0
"""Of the visits, in the share of AMAF."""


class HintOptions(RolloutOptions):
    """Options of searches that take hints; each is off by default."""

    urgency = Tunable(
        0.0,
        (0.0, 100.0),
        "bound of an action never tried, on a scale of values from 0 to 1 (first-play urgency);"
        " 0: untried actions come first",
        tune=(0.0, 0.9, 1.2, 1.5),
    )
    bias = Tunable(
        0.0,
        (0.0, 100.0),
        "weight of the heuristic one step ahead, over visits (progressive bias); 0: none",
        tune=(0.0, 0.5, 2.0),
    )
    rave = Tunable(
        0,
        range(1_000_001),
        "visits after which an action's average of all iterations with it here or later counts"
        " half (RAVE); 0: not at all",
        tune=(0, 30, 300, 3000),
    )


def look_ahead(memory: SearchMemory, search: Any, game: Rules, number: int, count: int) -> None:
    """Evaluates the working state after each available action that was not evaluated before.

    A search that was stopped evaluates no more.

    Args:
        memory: the search memory, with the edges that are available in the node.
        search: counts the calls.
        game: the rules.
        number: of the node.
        count: how many edges are available.
    """
    graph = memory.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    hints = array_at(graph.hints, HINT, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    for k in range(count):
        i = node.first + available[k]
        if hints[i].known == 0 and not is_stopped(search):
            action = edges[i].action
            hints[i].ahead = value_ahead(
                game, search, memory.work, memory.aside, action, node.mover
            )
            hints[i].known = 1


def find_open(memory: SearchMemory, number: int, sure: float) -> int:
    """Marks the edges that can exceed the proven bound as available; returns how many."""
    graph = memory.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    count = 0
    for k in range(node.count):
        if edges[node.first + k].high > sure:
            available[count] = k
            count += 1
    return count


def select_by_hints(memory: SearchMemory, number: int, count: int, rng: Any) -> int:
    """UCB1 over the edges that are available, with hints.

    Args:
        memory: the search memory, with the edges that are available in the node.
        number: of the node.
        count: how many they are, at least one.
        rng: breaks ties, by where the edges are looked at first.
    """
    graph = memory.graph
    policies = memory.policies
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    hints = array_at(graph.hints, HINT, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    widens = may_widen(memory, number, count)
    untried = policies.urgency if policies.urgency > 0.0 else TRIED_FIRST
    unit = unit_of(graph)
    k = random_below(rng, count)
    best = -1
    best_bound = -math.inf
    for _ in range(count):
        i = node.first + available[k]
        k = k + 1 if k + 1 < count else 0
        edge = edges[i]
        visits = edge.visits
        if visits == 0 and not widens:
            continue
        # the closed loop counts visits of nodes only
        chances = edge.available if edge.available > 0 else node.visits + 1
        known = visits > 0
        value = edge.total * inverse(visits) if known else 0.0
        if policies.rave > 0.0 and hints[i].amaf_visits > 0:
            amaf = hints[i].amaf_total * inverse(hints[i].amaf_visits)
            share = math.sqrt(policies.rave / (RAVE_SCALE * chances + policies.rave))
            value = value + share * (amaf - value) if known else amaf
            known = True
        if policies.minimax > 0.0 and edge.child != NOTHING:
            value += policies.minimax * (minimax_of(graph, edge.child)[node.mover] - value)
        bound = untried
        if known:
            bound = (value - graph.low) * unit
            bound += policies.c * root_of_log(chances) * root_of_inverse(max(visits, 1))
        if policies.bias > 0.0:
            bound += policies.bias * share_of_range(graph, hints[i].ahead) * inverse(visits + 1)
        if bound > best_bound:
            best_bound = bound
            best = i
    return int(best)


def may_widen(memory: SearchMemory, number: int, count: int) -> bool:
    """Whether one of the available edges that were never tried may be followed (``widening``)."""
    graph = memory.graph
    widening = memory.policies.widening
    if widening == 0.0:
        return True
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    first = array_at(graph.nodes, NODE, graph.room)[number].first
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    tried = 0
    visits = 0
    for k in range(count):
        edge = edges[first + available[k]]
        visits += edge.visits
        if edge.visits > 0:
            tried += 1
    return bool(tried == 0 or tried < widening * math.sqrt(visits))


def learn_amaf(memory: SearchMemory, search: Any) -> None:
    """Adds the value of an iteration to all actions that their players chose there or later."""
    graph = memory.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    hints = array_at(graph.hints, HINT, graph.edge_room)
    path_nodes = array_at(memory.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(memory.path_edges, INT32, MAX_DEPTH)
    values = array_at(memory.values, FLOAT64, MAX_PLAYERS)
    for depth in range(memory.depth - 1, -1, -1):
        node = nodes[path_nodes[depth]]
        mark_choice(search, edges[path_edges[depth]].action, node.mover)
        for i in range(node.first, node.first + node.count):
            if is_marked(search, edges[i].action, node.mover):
                hints[i].amaf_total += values[node.mover]
                hints[i].amaf_visits += 1
    search.stamp += 1
