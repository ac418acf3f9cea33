"""Searching in ``ggp`` where something is hidden: the hidden is sampled in each iteration.

Each player decides by what they see: information set search with a tree for every player
(Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012). Where several
commit themselves at once, none sees what the others do in this step, and each has counts of
their own: decoupled UCT (Finnsson and Björnsson, "Simulation-Based Approach to General Game
Playing", 2008). Some choices are drawn from the average so far: smooth UCT (Heinrich and Silver,
"Smooth UCT Search in Computer Poker", 2015).
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.agents.graph import (
    EDGE,
    NODE,
    NOTHING,
    add_edges,
    count_choice,
    count_visit,
    find_edge,
    find_node,
    fresh_edge,
    make_node,
    make_room,
    recycle,
    view_key,
)
from kibitz.agents.mind import Mind, play_on
from kibitz.agents.search import may_go_on
from kibitz.agents.tree import INT32, MAX_DEPTH
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import Rules, apply_action, legal_actions, redeterminize
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, array_at, copy_bytes, record_at
from kibitz.core.randomness import random_below, random_unit
from kibitz.core.status import MAX_PLAYERS, Status


def search_imperfect(mind: Mind, me: Any, search: Any, game: Rules, options: Any) -> None:
    """Searches over what may be hidden from the player who thinks.

    Args:
        mind: what is kept in mind.
        me: the agent.
        search: its budget.
        game: the rules.
        options: the agent's.
    """
    graph = mind.graph
    key = own_key(mind, game)
    mind.line_length = 0
    while may_go_on(search):
        if graph.crowded != 0:
            recycle(graph, find_node(graph, key))
        iterate_imperfect(mind, me, search, game, options)
        search.iterations += 1
    mind.root = find_node(graph, key)


def own_key(mind: Mind, game: Rules) -> int:
    """The key of what the player who thinks will see when it is their turn in this step.

    Those before them choose in secret; so it does not matter what.
    """
    state = mind.work
    header = record_at(state, HEADER)
    copy_bytes(state, mind.observation, game.state_size)
    for _ in range(game.players):
        if header.player == mind.player or header.status != Status.PLAYING:
            break
        if legal_actions(game, state, mind.buffer) == 0:
            break
        apply_action(game, state, record_at(mind.buffer, ACTION_LIST).items[0])
    return view_key(mind.graph, game, state, mind.aside, mind.player)


def iterate_imperfect(mind: Mind, me: Any, search: Any, game: Rules, options: Any) -> None:
    """One iteration on a new sample of what is hidden: down to a leaf, on at random, back up."""
    graph = mind.graph
    values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
    path_nodes = array_at(mind.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    mind.iteration += 1
    copy_bytes(mind.work, mind.observation, game.state_size)
    redeterminize(game, mind.work, mind.player, me.rng)
    leaf = descend_imperfect(mind, me, search, game, options.c, options.smooth)
    if not play_on(mind, me, search, game, options.rollout_length):
        return
    if leaf != NOTHING:
        count_visit(graph, leaf)
    for i in range(mind.depth):
        count_choice(graph, path_nodes[i], path_edges[i], values)


def descend_imperfect(
    mind: Mind, me: Any, search: Any, game: Rules, c: float, smooth: float
) -> int:
    """Plays the working state on to a leaf: a node that is new, or 0 where there is none."""
    graph = mind.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_nodes = array_at(mind.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    header = record_at(mind.work, HEADER)
    buffer = record_at(mind.buffer, ACTION_LIST)
    mind.depth = 0
    begun = False
    while header.status == Status.PLAYING and mind.depth < MAX_DEPTH:
        count = legal_actions(game, mind.work, mind.buffer)
        if count == 0:
            break
        if count == 1:
            apply_action(game, mind.work, buffer.items[0])
            search.calls += 1
            continue
        key = view_key(graph, game, mind.work, mind.aside, header.player)
        node = find_node(graph, key)
        if node == NOTHING:
            node = make_node(graph, key, header.player)
        if node == NOTHING or nodes[node].passed == mind.iteration:
            return NOTHING
        nodes[node].passed = mind.iteration
        if nodes[node].visits == 0 and begun:
            return int(node)
        begun = True
        if not mark_available(graph, node, buffer, count, mind.iteration):
            return NOTHING
        if smooth > 0.0 and random_unit(me.rng) < smooth:
            used = draw_from_average(graph, node, mind.iteration, me.rng)
        else:
            used = choose_available(graph, node, c, mind.iteration, me.rng)
        path_nodes[mind.depth] = node
        path_edges[mind.depth] = used
        mind.depth += 1
        apply_action(game, mind.work, edges[used].action)
        search.calls += 1
    return NOTHING


def mark_available(graph: Any, number: int, legal: Any, count: int, mark: int) -> bool:
    """Marks the edges of the actions that are legal now; says whether there was room for all."""
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    if node.count == 0 and not add_edges(graph, number, legal, count):
        return False
    for i in range(count):
        used = node.first + i
        if i >= node.count or edges[used].action != legal.items[i]:
            used = find_edge(graph, number, legal.items[i])
            if used < 0:
                if node.count == node.room and not make_room(graph, number, 2 * node.count):
                    return False
                used = node.first + node.count
                fresh_edge(edges[used], number, legal.items[i])
                node.count += 1
        edges[used].available += 1
        edges[used].plies = mark
    return True


def choose_available(graph: Any, number: int, c: float, mark: int, rng: Any) -> int:
    """The marked edge that was never tried, else the one of the highest bound.

    Exploration counts how often an action could have been chosen (Cowling et al. 2012). The
    edges are walked from a random one, so that ties are broken at random.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    start = random_below(rng, node.count)
    best = -1
    best_bound = -1.0
    for k in range(node.count):
        i = start + k
        if i >= node.count:
            i -= node.count
        i += node.first
        if edges[i].plies == mark:
            if edges[i].visits == 0:
                return int(i)
            share = 1.0 / edges[i].visits
            spread = math.sqrt(math.log(edges[i].available) * share)
            bound = edges[i].total * share + c * spread
            if bound > best_bound:
                best_bound = bound
                best = i
    return best


def draw_from_average(graph: Any, number: int, mark: int, rng: Any) -> int:
    """A marked edge, drawn with the frequency with which it was chosen so far.

    Those who cannot see each other's choices would else fall into step, and learn to answer
    what they cannot know. What they did on average comes close to an equilibrium (Heinrich and
    Silver 2015).
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    total = 0
    for i in range(node.first, node.first + node.count):
        if edges[i].plies == mark:
            total += edges[i].visits + 1
    left = random_below(rng, total)
    for i in range(node.first, node.first + node.count):
        if edges[i].plies == mark:
            left -= edges[i].visits + 1
            if left < 0:
                return int(i)
    return int(node.first)
