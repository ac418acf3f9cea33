"""Mixed strategies at the nodes of a search: regret matching, Exp3, and their averages.

Where players act simultaneously, or bluffing pays, no single action is best. Each edge then has
two more numbers: a *regret*, which gives the strategy of the next visit, and its share in the
*average* of these strategies, which approaches an equilibrium.

Sources: regret matching is Hart and Mas-Colell, "A Simple Adaptive Procedure Leading to Correlated
Equilibrium" (2000); Exp3 is Auer, Cesa-Bianchi, Freund and Schapire, "The Nonstochastic Multiarmed
Bandit Problem" (2002). For trees of simultaneous moves, see Lisý, Kovařík, Lanctot and Bošanský,
"Convergence of Monte Carlo Tree Search in Simultaneous Move Games" (2013), and Tak, Lanctot and
Winands, "Monte Carlo Tree Search Variants for Simultaneous Move Games" (2014). Actions that were
not drawn count by their mean values so far, which lowers the variance of regrets: Schmid, Burch,
Lanctot, Moravčík, Kadlec and Bowling, "Variance Reduction in Monte Carlo Counterfactual Regret
Minimization (VR-MCCFR) for Extensive Form Games Using Baselines" (2019).
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.memory import array_at
from kibitz.core.randomness import random_unit
from kibitz.players.graph import EDGE, INT32, NODE, unit_of
from kibitz.players.memory import SearchMemory
from kibitz.players.policies import Selection


def scale_of(graph: Any, number: int, selection: int) -> float:
    """The number that turns the regrets of a node's edges into probabilities; see ``share_of``.

    With regret matching it is the sum of positive regrets; with Exp3 the logarithm of the sum of
    exponentials.

    Args:
        number: the number of the node in the graph.
        selection: ``Selection.REGRET`` or ``EXP3``.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    total = 0.0
    if selection == Selection.REGRET:
        for i in range(node.first, node.first + node.count):
            total += max(edges[i].regret, 0.0)
        return total
    highest = -math.inf
    for i in range(node.first, node.first + node.count):
        highest = max(highest, edges[i].regret)
    for i in range(node.first, node.first + node.count):
        total += math.exp(edges[i].regret - highest)
    return highest + math.log(total)  # no number overflows, however large the rewards are


def share_of(edge: Any, scale: float, count: int, selection: int) -> float:
    """The probability of an action by regret matching or Exp3, without exploration.

    Args:
        scale: the ``scale_of`` its node; 0 with regret matching: all actions are equally likely.
        count: the number of the node's actions.
        selection: ``Selection.REGRET`` or ``EXP3``.
    """
    if selection == Selection.EXP3:
        return math.exp(edge.regret - scale)
    return max(edge.regret, 0.0) / scale if scale > 0.0 else 1.0 / count


def explored(share: float, count: int, gamma: float) -> float:
    """A probability, mixed with uniform exploration of weight `gamma`."""
    return (1.0 - gamma) * share + gamma / count


def draw_from_mix(memory: SearchMemory, number: int, gamma: float, rng: Any) -> int:
    """An edge of a legal action, drawn from the strategy of a node.

    Args:
        number: the number of the node in the graph. Not all of its actions need be legal: it may
            merge several states.
        gamma: share of uniform choices.
    """
    graph = memory.graph
    selection = memory.policies.selection
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    count = memory.legal_count
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    first = array_at(graph.nodes, NODE, graph.room)[number].first
    scale = scale_of(graph, number, selection)
    remaining = random_unit(rng)
    likely = -1
    for k in range(count):
        i = int(first + available[k])
        share = explored(share_of(edges[i], scale, count, selection), count, gamma)
        if share > 0.0:
            likely = i
        remaining -= share
        if remaining < 0.0:
            break
    return likely if likely >= 0 else int(first + available[0])


def add_to_average(graph: Any, number: int, selection: int, weight: float) -> None:
    """Adds the strategy of a node, with a weight, to its average."""
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    scale = scale_of(graph, number, selection)
    for i in range(node.first, node.first + node.count):
        edges[i].average += weight * share_of(edges[i], scale, node.count, selection)


def learn_from_draw(
    memory: SearchMemory, number: int, used: int, value: float, weight: float
) -> float:
    """Updates a node by the value of an action that was drawn; counts no visit.

    Args:
        memory: the search memory; its policies say how it was drawn.
        number: the number of the node in the graph.
        used: the edge that was drawn.
        value: the action's value to the mover.
        weight: the weight of this visit in regrets.

    Returns:
        The estimated value of the node to the mover by the strategy without exploration.
    """
    graph = memory.graph
    selection = memory.policies.selection
    gamma = memory.policies.gamma
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    scale = scale_of(graph, number, selection)
    share = share_of(edges[used], scale, node.count, selection)
    likely = explored(share, node.count, gamma)
    if selection == Selection.EXP3:
        reward = (value - graph.low) * unit_of(graph) / likely
        edges[used].regret += weight * reward * gamma / node.count
        return value
    untried = mean_of_node(graph, number)
    surprise = (value - mean_of(edges[used], untried)) / likely
    worth = share * surprise
    for i in range(node.first, node.first + node.count):
        worth += share_of(edges[i], scale, node.count, selection) * mean_of(edges[i], untried)
    for i in range(node.first, node.first + node.count):
        edges[i].regret += weight * (mean_of(edges[i], untried) - worth)
    edges[used].regret += weight * surprise
    return worth


def learn_from_all(graph: Any, number: int, values: Any, weight: float) -> float:
    """Updates a node's regrets after all its actions were tried; counts a visit of each.

    Args:
        number: the number of the node in the graph.
        values: the value of each action to the mover.
        weight: the weight of this visit in regrets.

    Returns:
        The value of the node to the mover by its strategy.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    scale = scale_of(graph, number, Selection.REGRET)
    worth = 0.0
    for k in range(node.count):
        edge = edges[node.first + k]
        worth += share_of(edge, scale, node.count, Selection.REGRET) * values[k]
    for k in range(node.count):
        edge = edges[node.first + k]
        edge.regret += weight * (values[k] - worth)
        edge.visits += 1
        edge.total += values[k]
    return worth


def mean_of(edge: Any, untried: float) -> float:
    """The mean value of an edge, or `untried` if it was never followed."""
    return float(edge.total / edge.visits) if edge.visits > 0 else untried


def mean_of_node(graph: Any, number: int) -> float:
    """The mean value of all visits of a node's edges; 0 without any."""
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    total = 0.0
    visits = 0
    for i in range(node.first, node.first + node.count):
        total += edges[i].total
        visits += edges[i].visits
    return total / visits if visits > 0 else 0.0
