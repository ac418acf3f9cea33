"""Certain outcomes in the graph of a search: bounds of what each player can get.

A node's low bound for a player is the value that they can secure whatever the others do; its high
bound is the best value that they can get. Both are known at the end of a game, and are propagated
from there: the mover takes the best edge; for everybody else it may be any. Where the values of
all players always have the same sum, what one player has secured is lost to the others; so with
two players of opposed interests the bounds converge to the value of the game. Source: Cazenave and
Saffidine, "Score Bounded Monte-Carlo Tree Search", 2010, after Winands, Björnsson and Saito,
"Monte-Carlo Tree Search Solver", 2008; both for two players.

Bounds are propagated only along edges without chance, in games where nothing is hidden.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.memory import array_at
from kibitz.players.graph import EDGE, NODE, NOTHING, bounds_of

TINY = 1e-5
"""The tolerance within which values count as equal, because bounds are 32-bit numbers."""
ENOUGH_OUTCOMES = 64
"""The number of outcomes of equal sum after which the game is taken to be constant-sum."""


def is_solved(graph: Any, number: int) -> bool:
    """Whether a node's outcome is certain for every player."""
    bounds = bounds_of(graph, number)
    for p in range(graph.players):
        if not is_certain(bounds, p):
            return False
    return True


def is_certain(bounds: Any, player: int) -> bool:
    """Whether a player's bounds are equal."""
    return bool(bounds[2 * player + 1] - bounds[2 * player] <= TINY)


def mark_solved(graph: Any, number: int, values: Any) -> None:
    """Sets the bounds of a node where the game is over to the final values."""
    bounds = bounds_of(graph, number)
    for p in range(graph.players):
        bounds[2 * p] = values[p]
        bounds[2 * p + 1] = values[p]


def read_solved(graph: Any, number: int, values: Any) -> None:
    """Writes the values of a solved node to `values`."""
    bounds = bounds_of(graph, number)
    for p in range(graph.players):
        values[p] = bounds[2 * p]


def worth_beating(graph: Any, number: int) -> float:
    """The value to the mover that an edge's high bound must exceed to be worth following."""
    mover = array_at(graph.nodes, NODE, graph.room)[number].mover
    bounds = bounds_of(graph, number)
    if is_certain(bounds, mover):
        return float(bounds[2 * mover] - TINY)
    return float(bounds[2 * mover] + TINY)


def keep_within(graph: Any, number: int, values: Any) -> None:
    """Clamps the values of an iteration to a node's bounds."""
    bounds = bounds_of(graph, number)
    for p in range(graph.players):
        values[p] = min(max(values[p], bounds[2 * p]), bounds[2 * p + 1])


def propagate_bounds(graph: Any, number: int, used: int, total: float, below: bool) -> bool:
    """Updates the bounds of an edge, and of its node, after the edge was followed.

    Args:
        number: the number of the node in the graph.
        used: the edge.
        total: the sum of the values of every outcome; negative: unknown, or not constant.
        below: whether bounds have changed at the node that the edge leads to.

    Returns:
        Whether the node's bounds have changed.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    nodes = array_at(graph.nodes, NODE, graph.room)
    edge = edges[used]
    if edge.chance != 0 or edge.child == NOTHING:
        return False
    mover = nodes[number].mover
    child = bounds_of(graph, edge.child)
    low = child[2 * mover]
    high = child[2 * mover + 1]
    if low <= edge.low and high >= edge.high and not below:
        return False
    edge.low = max(edge.low, low)
    edge.high = min(edge.high, high)
    edge.plies = nodes[edge.child].plies + 1
    return tighten(graph, number, total)


def tighten(graph: Any, number: int, total: float) -> bool:
    """Updates a node's bounds from those of its edges; returns whether they have changed."""
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    bounds = bounds_of(graph, number)
    mover = node.mover
    low = graph.least
    high = graph.least
    for i in range(node.first, node.first + node.count):
        low = max(low, edges[i].low)
        high = max(high, edges[i].high)
    certain = is_certain(bounds, mover)
    changed = narrow(bounds, mover, low, high)
    opposed = graph.players == 2 and total >= 0.0
    if opposed:
        other = 1 - mover
        changed |= narrow(bounds, other, total - bounds[2 * mover + 1], total - bounds[2 * mover])
    else:
        changed |= tighten_others(graph, number)
        if total >= 0.0:
            changed |= share_out(graph, bounds, total)
    if not certain and is_certain(bounds, mover):
        node.plies = edges[best_proven(graph, number)].plies
    return changed


def narrow(bounds: Any, player: int, low: float, high: float) -> bool:
    """Narrows a player's bounds, but never widens them; returns whether they changed."""
    changed = False
    if low > bounds[2 * player] + TINY:
        bounds[2 * player] = low
        changed = True
    if high < bounds[2 * player + 1] - TINY:
        bounds[2 * player + 1] = max(high, bounds[2 * player])
        changed = True
    return changed


def tighten_others(graph: Any, number: int) -> bool:
    """Updates the bounds of the other players, for whom the mover may choose any edge."""
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    bounds = bounds_of(graph, number)
    changed = False
    for p in range(graph.players):
        if p != node.mover:
            low = graph.most
            high = graph.least
            for i in range(node.first, node.first + node.count):
                if edges[i].child == NOTHING or edges[i].chance != 0:
                    low = graph.least
                    high = graph.most
                    break
                child = bounds_of(graph, edges[i].child)
                low = min(low, child[2 * p])
                high = max(high, child[2 * p + 1])
            changed |= narrow(bounds, p, low, high)
    return changed


def share_out(graph: Any, bounds: Any, total: float) -> bool:
    """Lowers high bounds: where values add up to `total`, what the others have secured is lost."""
    secured = 0.0
    for p in range(graph.players):
        secured += bounds[2 * p]
    changed = False
    for p in range(graph.players):
        most = total - (secured - bounds[2 * p])
        changed |= narrow(bounds, p, bounds[2 * p], most)
    return changed


def best_proven(graph: Any, number: int) -> int:
    """The edge to take where the mover's outcome is certain.

    It is the quickest way to the value that is certain; if that is the least value, the slowest.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    low = bounds_of(graph, number)[2 * node.mover]
    best = -1
    for i in range(node.first, node.first + node.count):
        if edges[i].low < low - TINY:
            continue
        if best < 0:
            best = i
        elif low <= graph.least + TINY:
            if edges[i].plies > edges[best].plies:
                best = i
        elif edges[i].plies < edges[best].plies:
            best = i
    return best if best >= 0 else int(node.first)
