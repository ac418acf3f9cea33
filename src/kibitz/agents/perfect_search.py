"""Searching in ``ggp`` where nothing is hidden: UCT over a graph of positions, with proofs.

UCT for any number of players (Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning", 2006;
each mover maximises their own value, max^n) with transpositions: values are kept at edges, and
go up the path that was taken (Childs, Brodeur and Kocsis, "Transpositions and Move Groups in
Monte Carlo Tree Search", 2008). Certain outcomes are proven (``agents/proof.py``), and nothing
that is proven is looked at again. Small states are kept with their nodes: then the way down
plays no rules at all.
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.agents.evaluation import evaluate
from kibitz.agents.graph import (
    EDGE,
    NODE,
    NOTHING,
    add_edges,
    bounds_of,
    count_choice,
    count_visit,
    empty,
    find_node,
    kept_state,
    make_node,
    recycle,
    state_key,
)
from kibitz.agents.mind import Mind, play_on
from kibitz.agents.playouts import advance
from kibitz.agents.proof import (
    ENOUGH_OUTCOMES,
    TINY,
    hand_up,
    is_certain,
    is_settled,
    keep_within,
    read_settled,
    settle,
    worth_beating,
)
from kibitz.agents.search import acting_player, may_go_on
from kibitz.agents.secrecy import is_secret
from kibitz.agents.single_player import (
    best_so_far,
    choose_greedily,
    find_line,
    keep_line,
    trace_proof,
)
from kibitz.agents.tree import INT32, MAX_DEPTH
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import Rules, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, array_at, copy_bytes, record_at
from kibitz.core.randomness import shuffle, split_stream
from kibitz.core.status import MAX_PLAYERS, Status


def search_perfect(mind: Mind, me: Any, search: Any, game: Rules, options: Any) -> None:
    """Searches from the state at hand, which everybody knows; until there is a secret.

    Args:
        mind: what is kept in mind.
        me: the agent.
        search: its budget.
        game: the rules.
        options: the agent's.
    """
    graph = mind.graph
    key = state_key(graph, game, mind.observation)
    find_root(mind, game, key)
    find_line(mind, key)
    while may_go_on(search) and not is_decided(mind):
        if graph.crowded != 0:
            recycle(graph, mind.root)
        iterate_perfect(mind, me, search, game, options)
        if mind.secret != 0:
            empty(graph)
            return
        search.iterations += 1
        if mind.root == NOTHING:  # the graph was built on what is not so
            find_root(mind, game, key)


def find_root(mind: Mind, game: Rules, key: int) -> None:
    """The node of the state at hand; it is made if there is none."""
    graph = mind.graph
    mind.root = find_node(graph, key)
    if mind.root != NOTHING:
        return
    mover = acting_player(mind.observation)
    mind.root = make_node(graph, key, mover)
    if mind.root == NOTHING:
        recycle(graph, NOTHING)
        mind.root = make_node(graph, key, mover)
    if graph.state_size > 0:
        copy_bytes(kept_state(graph, mind.root), mind.observation, game.state_size)


def is_decided(mind: Mind) -> bool:
    """Whether nothing can come out that would change what to do."""
    graph = mind.graph
    node = array_at(graph.nodes, NODE, graph.room)[mind.root]
    bounds = bounds_of(graph, mind.root)
    low = bounds[2 * node.mover]
    if mind.line_length > 0 and mind.line_value >= bounds[2 * node.mover + 1] - TINY:
        return True
    if is_certain(bounds, node.mover):
        return True
    if node.count < 2 or graph.players == 1 or node.mover != mind.player:
        return False  # it may still learn what will be of use
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    open_ends = 0
    for i in range(node.first, node.first + node.count):
        if edges[i].high > low + TINY:
            open_ends += 1
            if edges[i].low < low - TINY:
                open_ends += 1  # it may turn out worse than what is sure
    return open_ends < 2


def iterate_perfect(mind: Mind, me: Any, search: Any, game: Rules, options: Any) -> None:
    """One iteration: down to a leaf, on at random, and back up."""
    graph = mind.graph
    values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
    mind.iteration += 1
    search.trace_length = 0
    leaf = descend_perfect(mind, me, search, game, options.c)
    if mind.secret != 0:
        return
    settled = leaf != NOTHING and is_settled(graph, leaf)
    if settled:
        read_settled(graph, leaf, values)
    else:
        if not play_on(mind, me, search, game, options.rollout_length):
            return
    if settled or record_at(mind.work, HEADER).status == Status.FINISHED:
        note_outcome(mind, values)
        if mind.root == NOTHING:
            return
        if game.players == 1 and mind.chance == 0 and values[0] > best_so_far(mind):
            if settled:
                trace_proof(mind, search, leaf)
            keep_line(mind, search, game)
    back_up_perfect(mind, leaf, settled)


def descend_perfect(mind: Mind, me: Any, search: Any, game: Rules, c: float) -> int:
    """Follows the most promising edges to a leaf; returns its number, or 0 if it has none.

    A leaf is new, or certain, or was passed before: then the way goes in a circle. Unless it is
    certain, the working state is the leaf's.
    """
    graph = mind.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_nodes = array_at(mind.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    at_hand = False
    if graph.state_size == 0:
        copy_bytes(mind.work, mind.observation, game.state_size)
        fresh_chance(mind, me)
        at_hand = True
    node = mind.root
    depth = 0
    # alone, one may do as one likes: half of the time is spent on going deep
    greedy = game.players == 1 and mind.iteration & 1 == 1
    while node != NOTHING and not is_settled(graph, node):
        if depth == MAX_DEPTH or nodes[node].passed == mind.iteration:
            break
        nodes[node].passed = mind.iteration
        if nodes[node].count == 0:
            if nodes[node].visits == 0 and depth > 0:
                break
            if not at_hand:
                fetch(mind, me, game, node)
                at_hand = True
            if not expand(mind, me, game, node):
                break
        used = choose_greedily(graph, node) if greedy else choose_edge(graph, node, c)
        path_nodes[depth] = node
        path_edges[depth] = used
        depth += 1
        child = edges[used].child
        if child == NOTHING:
            if not at_hand:
                fetch(mind, me, game, node)
                at_hand = True
            child = follow(mind, me, search, game, used)
        elif graph.state_size == 0:
            advance(game, search, mind.work, mind.buffer, edges[used].action)
        else:
            at_hand = False
        node = child
    mind.depth = depth
    if node != NOTHING and not at_hand and not is_settled(graph, node):
        fetch(mind, me, game, node)
    return int(node)


def fetch(mind: Mind, me: Any, game: Rules, node: int) -> None:
    """Puts a node's state into the working state."""
    copy_bytes(mind.work, kept_state(mind.graph, node), game.state_size)
    fresh_chance(mind, me)


def fresh_chance(mind: Mind, me: Any) -> None:
    """Where there is chance, it comes out anew in each iteration."""
    if mind.chance != 0:
        split_stream(me.rng, record_at(mind.work, HEADER).rng)


def expand(mind: Mind, me: Any, game: Rules, node: int) -> bool:
    """Gives a node its edges, in random order, so that they are tried in random order."""
    count = legal_actions(game, mind.work, mind.buffer)
    if count == 0:
        return False
    legal = record_at(mind.buffer, ACTION_LIST)
    shuffle(me.rng, legal.items, count)
    return add_edges(mind.graph, node, legal, count)


def choose_edge(graph: Any, number: int, c: float) -> int:
    """The edge never tried, else the one of the highest bound, that may beat what is sure.

    Where nothing can, it may be one that comes to the same: that matters to the others.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    sure = worth_beating(graph, number)
    weight = c * math.sqrt(math.log(node.visits + 1.0))
    best = -1
    best_bound = -1.0
    for i in range(node.first, node.first + node.count):
        if edges[i].high > sure:
            if edges[i].visits == 0:
                return int(i)
            share = 1.0 / edges[i].visits
            bound = edges[i].total * share + weight * math.sqrt(share)
            if bound > best_bound:
                best_bound = bound
                best = i
    return best if best >= 0 else int(node.first)


def follow(mind: Mind, me: Any, search: Any, game: Rules, used: int) -> int:
    """Plays an edge's action on the working state; returns the node that it leads to, or 0."""
    graph = mind.graph
    edge = array_at(graph.edges, EDGE, graph.edge_room)[used]
    header = record_at(mind.work, HEADER)
    drawn = header.rng[3]
    mixture = header.rng[0]
    advance(game, search, mind.work, mind.buffer, edge.action)
    if header.rng[3] != drawn or header.rng[0] != mixture:
        edge.chance = 1
        mind.chance = 1
    if header.status != Status.PLAYING and header.status != Status.FINISHED:
        return NOTHING
    key = state_key(graph, game, mind.work)
    node = find_node(graph, key)
    if node == NOTHING:
        if header.status == Status.PLAYING and is_secret(mind, me, game, mind.work, header.player):
            mind.secret = 1
            return NOTHING
        node = make_node(graph, key, header.player)
        if node == NOTHING:
            return NOTHING
        if graph.state_size > 0:
            copy_bytes(kept_state(graph, node), mind.work, game.state_size)
        if header.status == Status.FINISHED:
            values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
            evaluate(game, mind.work, values)
            settle(graph, node, values)
    if edge.chance == 0:
        edge.child = node
    return node


def back_up_perfect(mind: Mind, leaf: int, settled: bool) -> None:
    """Adds the values of an iteration to the edges on its path, and hands proofs up."""
    graph = mind.graph
    path_nodes = array_at(mind.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
    total = -1.0
    if mind.varies == 0 and mind.outcomes >= ENOUGH_OUTCOMES:
        total = mind.total
    if leaf != NOTHING:
        count_visit(graph, leaf)
    changed = settled
    for i in range(mind.depth - 1, -1, -1):
        node = path_nodes[i]
        used = path_edges[i]
        count_choice(graph, node, used, values)
        changed = hand_up(graph, node, used, total, changed)
        keep_within(graph, node, values)


def note_outcome(mind: Mind, values: Any) -> None:
    """Watches whether all outcomes add up to the same.

    Where proofs were built on that and it is not so, everything is forgotten.
    """
    if mind.varies != 0 or mind.graph.players < 2:
        return
    total = 0.0
    for p in range(mind.graph.players):
        total += values[p]
    if mind.outcomes == 0:
        mind.total = total
    elif abs(total - mind.total) > TINY:
        mind.varies = 1
        if mind.outcomes >= ENOUGH_OUTCOMES:
            empty(mind.graph)
            mind.root = NOTHING
    mind.outcomes += 1
