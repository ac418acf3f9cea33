"""Which edge of a node an iteration follows: the selection rules of the tree searches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.memory import array_at
from kibitz.core.randomness import random_below
from kibitz.players.graph import EDGE, INT32, NODE, unit_of
from kibitz.players.memory import SearchMemory
from kibitz.players.proof import worth_beating

TABLED = 512
"""The number below which functions of visit counts are tabulated: most edges have fewer visits."""
_INVERSES = np.array([0.0, *(1.0 / n for n in range(1, TABLED))])
_ROOTS_OF_INVERSES = np.array([0.0, *(math.sqrt(1.0 / n) for n in range(1, TABLED))])
_ROOTS_OF_LOGS = np.array([0.0, *(math.sqrt(math.log(n)) for n in range(1, TABLED))])


def inverse(count: int) -> float:
    """The reciprocal of a positive number."""
    return float(_INVERSES[count]) if count < TABLED else 1.0 / count


def root_of_inverse(count: int) -> float:
    """The square root of the reciprocal of a positive number."""
    return float(_ROOTS_OF_INVERSES[count]) if count < TABLED else math.sqrt(1.0 / count)


def root_of_log(count: int) -> float:
    """The square root of the logarithm of a positive number."""
    return float(_ROOTS_OF_LOGS[count]) if count < TABLED else math.sqrt(math.log(float(count)))


def select_ucb(graph: Any, number: int, c: float) -> int:
    """The edge of a node with the highest UCB1 (Auer et al. 2002); one never tried comes first.

    Edges whose high bound is not above the value that the mover has secured are skipped. If all
    would be, edges that can reach that value are followed: they matter to the other players.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    sure = worth_beating(graph, number)
    low = graph.low
    unit = unit_of(graph)
    weight = c * root_of_log(node.visits + 1)
    best = -1
    best_bound = -1.0
    for i in range(node.first, node.first + node.count):
        if edges[i].high > sure:
            if edges[i].visits == 0:
                return int(i)
            mean = edges[i].total * inverse(edges[i].visits)
            bound = (mean - low) * unit + weight * root_of_inverse(edges[i].visits)
            if bound > best_bound:
                best_bound = bound
                best = i
    return best if best >= 0 else int(node.first)


def select_greedily(graph: Any, number: int) -> int:
    """The edge with the highest mean value; one never tried comes first; ties go to most visits.

    So the search of a single player goes deep, and finishes one part of the game after another.
    Edges that cannot exceed the secured value are skipped.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    sure = worth_beating(graph, number)
    best = int(node.first)
    best_mean = -math.inf
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


def select_available(memory: SearchMemory, number: int, rng: Any) -> int:
    """The edge of a legal action with the highest UCB1; one never tried comes first.

    Exploration counts how often an action was available (Cowling et al. 2012). Edges are visited
    from a random one on, which breaks ties at random.

    Args:
        memory: the search memory, with the edges of the legal actions, and among its policies the
            weight of exploration and the progressive widening.
        number: the number of the node in the graph.
    """
    graph = memory.graph
    legal = array_at(memory.available, INT32, MAX_ACTIONS)
    count = memory.legal_count
    c = memory.policies.c
    widening = memory.policies.widening
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    first = array_at(graph.nodes, NODE, graph.room)[number].first
    k = random_below(rng, count)
    low = graph.low
    unit = unit_of(graph)
    best = -1
    best_bound = -1.0
    untried = -1
    tried = 0
    visits = 0
    available = 0
    weight = 0.0
    for _ in range(count):
        i = first + legal[k]
        k = k + 1 if k + 1 < count else 0
        edge = edges[i]
        if edge.visits == 0:
            if widening == 0.0:
                return int(i)
            if untried < 0:
                untried = i
            continue
        if edge.available != available:  # mostly it is the same for all edges
            available = edge.available
            weight = c * root_of_log(available)
        tried += 1
        visits += edge.visits
        mean = edge.total * inverse(edge.visits)
        bound = (mean - low) * unit + weight * root_of_inverse(edge.visits)
        if bound > best_bound:
            best_bound = bound
            best = i
    if untried >= 0 and (tried == 0 or tried < widening * math.sqrt(visits)):
        return int(untried)
    return best


def select_puct(memory: SearchMemory, number: int, rng: Any) -> int:
    """The edge of a legal action with the highest sum of its value and a bonus for rare choices.

    PUCT (Silver et al., "Mastering the game of Go without human knowledge", 2017): the bonus is
    the prior probability times the square root of all visits, divided by one more than the edge's
    own. Priors are normalized over the available edges. An edge never tried gets the mean value of
    the others.

    Args:
        memory: the search memory, with the edges of the legal actions; the prior of an edge is its
            ``average``, and ``c`` among the policies is the weight of the bonus.
        number: the number of the node in the graph.
        rng: breaks ties, by the edge that is looked at first.
    """
    graph = memory.graph
    legal = array_at(memory.available, INT32, MAX_ACTIONS)
    count = memory.legal_count
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    first = array_at(graph.nodes, NODE, graph.room)[number].first
    visits = 0
    total = 0.0
    priors = 0.0
    for k in range(count):
        edge = edges[first + legal[k]]
        visits += edge.visits
        total += edge.total
        priors += edge.average
    low = graph.low
    unit = unit_of(graph)
    usual = (total * inverse(visits) - low) * unit if visits > 0 else 0.0
    weight = memory.policies.c * math.sqrt(visits + 1.0) / max(priors, 1e-9)
    k = random_below(rng, count)
    best = int(first + legal[k])
    best_bound = -math.inf
    for _ in range(count):
        i = first + legal[k]
        k = k + 1 if k + 1 < count else 0
        edge = edges[i]
        value = (edge.total * inverse(edge.visits) - low) * unit if edge.visits > 0 else usual
        bound = value + weight * edge.average * inverse(edge.visits + 1)
        if bound > best_bound:
            best_bound = bound
            best = i
    return int(best)


def select_by_average(memory: SearchMemory, number: int, rng: Any) -> int:
    """The edge of a legal action, drawn with the frequency of its choice so far.

    Players who cannot see each other's choices would otherwise synchronize, and learn to answer
    what they cannot know. Their average strategies approach an equilibrium (Heinrich and Silver
    2015).
    """
    graph = memory.graph
    legal = array_at(memory.available, INT32, MAX_ACTIONS)
    count = memory.legal_count
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    first = array_at(graph.nodes, NODE, graph.room)[number].first
    total = 0
    for k in range(count):
        total += edges[first + legal[k]].visits + 1
    remaining = random_below(rng, total)
    for k in range(count):
        remaining -= edges[first + legal[k]].visits + 1
        if remaining < 0:
            return int(first + legal[k])
    return int(first)
