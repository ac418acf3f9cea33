"""The decision after a tree search, and its advice on the actions.

The action with the most visits is played, which is more stable than the one with the best mean.
This is the *robust child* of Chaslot, Winands, van den Herik, Uiterwijk and Bouzy, "Progressive
Strategies for Monte-Carlo Tree Search", 2008. An action that is proven to be best, or the next one
of a single player's best line, comes first.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.memory import INT64, array_at
from kibitz.core.randomness import random_below, random_unit
from kibitz.players.graph import EDGE, NODE, NOTHING, bounds_of, find_edge, share_of_range
from kibitz.players.memory import SearchMemory
from kibitz.players.policies import MAX_DEPTH, FinalChoice, Selection
from kibitz.players.proof import TINY, best_proven, is_certain
from kibitz.players.search import acting_player, advise


def tell_best(memory: SearchMemory, me: Any, search: Any, root: int) -> None:
    """Writes the action that would be chosen now into the agent's record.

    This happens after every look at the clock, several times per millisecond. A caller that cannot
    wait for the end of the search takes the action from there.

    Args:
        root: the node of the decision, or ``NOTHING``.
    """
    if root == NOTHING or search.last_told == search.last_look:
        return
    search.last_told = search.last_look
    edges = array_at(memory.graph.edges, EDGE, memory.graph.edge_room)
    node = array_at(memory.graph.nodes, NODE, memory.graph.room)[root]
    best = -1.0
    for i in range(node.first, node.first + node.count):
        if edges[i].visits == 0:
            continue
        weight = weight_of(memory, edges[i])
        if memory.policies.flat != 0:
            weight = edges[i].total / edges[i].visits
        if weight > best:
            best = weight
            me.best = edges[i].action


def decide_by_proof(memory: SearchMemory, me: Any, legal: Any, count: int) -> int:
    """The next action of the best line, or the proven one, or the one with the most visits."""
    if memory.player != acting_player(memory.observation):
        return int(legal.items[0])  # another player decides; the searching one has one action
    graph = memory.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[memory.root]
    bounds = bounds_of(graph, memory.root)
    best = -1
    certain = is_certain(bounds, node.mover) and node.count > 0
    if certain:
        best = best_proven(graph, memory.root)
    else:
        sure = bounds[2 * node.mover]
        best = most_visited(graph, memory.root, sure)
        if sure > graph.least + TINY and best >= 0 and edges[best].visits > 0:
            if edges[best].total / edges[best].visits <= sure:
                best = best_proven(graph, memory.root)
    action = edges[best].action if best >= 0 else legal.items[random_below(me.rng, count)]
    most = bounds[2 * node.mover + memory.chance]  # a sure share may be less than a bold one
    if memory.line_length > 0 and memory.line_value >= most - TINY:
        action = array_at(memory.line, INT64, MAX_DEPTH)[memory.line_at]
        certain = True
    is_legal = report(memory, me, legal, count, action, certain)
    return int(action if is_legal else legal.items[random_below(me.rng, count)])


def decide_by_weight(memory: SearchMemory, me: Any, legal: Any, count: int) -> int:
    """The action of the highest weight, or one drawn by weight; random if none was tried."""
    if memory.policies.choose == FinalChoice.MIX:
        best = draw_by_weight(memory, legal, count, me.rng)
    else:
        best = heaviest(memory, legal, count, me.rng)
    action = legal.items[best] if best >= 0 else legal.items[random_below(me.rng, count)]
    report(memory, me, legal, count, action, False)
    return int(action)


def decide_by_mean(memory: SearchMemory, me: Any, legal: Any, count: int) -> int:
    """The action of the highest mean value; ties, and actions never tried, at random."""
    graph = memory.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    best = -1
    best_mean = 0.0
    ties = 0
    for i in range(count):
        used = find_edge(graph, memory.root, legal.items[i], i)
        if used >= 0 and edges[used].visits > 0:
            mean = edges[used].total / edges[used].visits
            if best < 0 or mean > best_mean:
                best, best_mean, ties = i, mean, 1
            elif mean == best_mean:
                ties += 1
                if random_below(me.rng, ties) == 0:
                    best = i
    action = legal.items[best] if best >= 0 else legal.items[random_below(me.rng, count)]
    report(memory, me, legal, count, action, False)
    return int(action)


def most_visited(graph: Any, number: int, sure: float) -> int:
    """The edge with the most visits, of equals the one with the highest total value; or -1.

    Edges that cannot exceed the value `sure` are chosen only if there are no others.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    best = -1
    best_open = False
    for i in range(node.first, node.first + node.count):
        is_open = edges[i].high > sure + TINY
        better = best < 0
        if not better and is_open == best_open:
            better = is_ahead(edges[i], edges[best])
        elif not better:
            better = is_open
        if better:
            best = i
            best_open = is_open
    return best


def weight_of(memory: SearchMemory, edge: Any) -> float:
    """The weight of an action: its visits, or its share in the average strategy of its node."""
    mixes = memory.policies.selection != Selection.UCB
    return float(edge.average) if mixes else float(edge.visits)


def visits_of_weight(memory: SearchMemory) -> float:
    """The number of visits that one unit of weight stands for at the root."""
    if memory.policies.selection == Selection.UCB or memory.root == NOTHING:
        return 1.0
    graph = memory.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[memory.root]
    weights = 0.0
    visits = 0
    for i in range(node.first, node.first + node.count):
        weights += weight_of(memory, edges[i])
        visits += edges[i].visits
    return visits / weights if visits > 0 and weights > 0.0 else 1.0


def heaviest(memory: SearchMemory, legal: Any, count: int, rng: Any) -> int:
    """The index in the list of the action with the most weight at the root, or -1.

    Of equals it is one with the highest total value; ties at random.
    """
    graph = memory.graph
    if memory.root == NOTHING:
        return -1
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    best = -1
    most = 0.0
    total = 0.0
    ties = 0
    for i in range(count):
        used = find_edge(graph, memory.root, legal.items[i], i)
        if used >= 0:
            weight = weight_of(memory, edges[used])
            if best < 0 or weight > most or (weight == most and edges[used].total > total):
                best, most, total, ties = i, weight, edges[used].total, 1
            elif weight == most and edges[used].total == total:
                ties += 1
                if random_below(rng, ties) == 0:
                    best = i
    return best


def draw_by_weight(memory: SearchMemory, legal: Any, count: int, rng: Any) -> int:
    """The index in the list of an action drawn in proportion to its weight at the root, or -1."""
    graph = memory.graph
    if memory.root == NOTHING:
        return -1
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    sum_of_weights = 0.0
    for i in range(count):
        used = find_edge(graph, memory.root, legal.items[i], i)
        if used >= 0:
            sum_of_weights += weight_of(memory, edges[used])
    remaining = random_unit(rng) * sum_of_weights
    drawn = -1
    for i in range(count):
        used = find_edge(graph, memory.root, legal.items[i], i)
        if used >= 0 and weight_of(memory, edges[used]) > 0.0:
            drawn = i
            remaining -= weight_of(memory, edges[used])
            if remaining < 0.0:
                break
    return drawn


def is_ahead(edge: Any, other: Any) -> bool:
    """Whether an edge has more visits than another, or equally many and a higher total value."""
    if edge.visits == other.visits:
        return bool(edge.total > other.total)
    return bool(edge.visits > other.visits)


def report(
    memory: SearchMemory, me: Any, legal: Any, count: int, action: int, certain: bool
) -> bool:
    """Writes the weight and value of each legal action as advice, if the caller wants it.

    Weights are visits; where players mix, the root's visits in proportion to the average strategy.

    Returns:
        Whether `action` is legal.
    """
    graph = memory.graph
    unit = visits_of_weight(memory)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    is_legal = False
    for i in range(count):
        item = legal.items[i]
        chosen = item == action
        is_legal = is_legal or chosen
        if me.advice != 0:
            used = find_edge(graph, memory.root, item, i)
            weight = 0.0
            value = 0.5 * (graph.low + graph.high)
            if used >= 0:
                if edges[used].visits > 0:
                    value = edges[used].total / edges[used].visits
                value = min(max(value, edges[used].low), edges[used].high)
                weight = unit * weight_of(memory, edges[used])
            if certain:
                weight = 1.0 if chosen else 0.0
                if chosen and memory.line_length > 0:
                    value = memory.line_value
            advise(me, item, weight, share_of_range(graph, value))
    return is_legal
