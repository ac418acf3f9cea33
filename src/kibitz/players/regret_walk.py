"""A walk of counterfactual regret minimization through a sampled game, for one of its players.

Where this player, the *traverser*, decides, every action is tried as long as the walk may still
branch, afterwards a single one that is drawn with some exploration. All others, and chance, are
sampled: they play their present strategies, which are added to their averages. The traverser's
regrets are updated on the way back. If every action is tried, this is *external sampling*
(Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive
Games", 2009). If one action is tried, it resembles outcome sampling, with each node learning at
the rate of its visits. Between these it is *robust sampling* (Li, Hu, Ge, Jiang, Qi and Song,
"Double Neural Counterfactual Regret Minimization", 2018). The tree grows by a node at the end of
each branch; the rest of the game is a random playout (Lisý, Lanctot and Bowling, "Online Monte
Carlo Counterfactual Regret Minimization for Search in Imperfect Information Games", 2015).

A node stands for what its player has seen at all their decisions so far (perfect recall), unless
no player has private information.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.contract import Rules, apply_action, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.players.evaluation import is_deal_over
from kibitz.players.graph import (
    EDGE,
    NODE,
    NOTHING,
    count_visit,
    find_node,
    make_node,
    mixed,
    observation_key,
)
from kibitz.players.memory import SearchMemory, play_on
from kibitz.players.mixing import add_to_average, draw_from_mix, learn_from_all, learn_from_draw
from kibitz.players.open_loop import find_available
from kibitz.players.policies import Selection
from kibitz.players.search import is_out_of_time, padded

WALK = np.dtype(
    [
        ("start", np.int64),  # where walks begin: Start; determined once in a game
        ("traverser", np.int64),
        ("weight", np.float64),  # of what is learned
        ("begins", np.int64),  # address of the state where it begins, unless with the game
        ("public", np.int64),  # whether no player has private information there
        ("root", np.int64),  # the key of the node where the player who thinks decides,
        ("sight", np.int64),  # and of what they see there,
        ("merges", np.int64),  # whether that alone identifies the root, not earlier observations
        ("averages_root", np.int64),  # whether its strategy counts when its player traverses
        ("frames", np.int64),  # address of FRAME[MOST_FRAMES],
        ("used", np.int64),  # number of frames on the path
        ("splits", np.int64),  # address of the states where it branches,
        ("split_size", np.int64),  # each with what is needed to go on from there
        ("state_size", np.int64),
        ("seen", np.int64, (MAX_PLAYERS,)),  # a hash of what each player saw at their decisions
    ]
)
"""The record of a walk: its traverser, its start and its stack of frames."""

FRAME = np.dtype(
    [
        ("node", np.int64),
        ("at", np.int64),  # the action that is being tried: index of its edge in the node
        ("split", np.int64),  # number of the state where it branches; -1: it does not
        ("width", np.int64),  # the most branches behind each of its actions
        ("deep", np.int64),  # how often the path has branched, this decision included
    ]
)
"""The record of a decision of the traverser on the path."""

MOST_FRAMES = 512
"""The most decisions of the traverser on a path; from there the game is played out at random."""
MOST_BRANCHES = 4096
"""The most branches of a walk."""
MOST_SPLITS = 12
"""The most nodes of a path at which a walk of ``MOST_BRANCHES`` can branch."""

WALK_SIZE = padded(WALK.itemsize)
FRAMES_SIZE = padded(MOST_FRAMES * FRAME.itemsize)
SEEN_SIZE = padded(8 * MAX_PLAYERS)
OUTCOMES_SIZE = padded(8 * MAX_ACTIONS)


def split_size(state_size: int) -> int:
    """Bytes for a state where a walk branches, the hashes ``seen``, and the values of actions."""
    return padded(state_size) + SEEN_SIZE + OUTCOMES_SIZE


def walk_memory(state_size: int) -> int:
    """Bytes for a walk, at an address that need not be aligned."""
    return padded(1) + WALK_SIZE + FRAMES_SIZE + MOST_SPLITS * split_size(state_size)


def lay_out_walk(base: Address, state_size: int) -> Address:
    """Lays out a walk in memory at or after `base`; returns the address of its record."""
    place = padded(base)
    walk = record_at(place, WALK)
    walk.frames = place + WALK_SIZE
    walk.splits = walk.frames + FRAMES_SIZE
    walk.split_size = split_size(state_size)
    walk.state_size = state_size
    return place


def take_walk(memory: SearchMemory, me: Any, search: Any, game: Rules, walk: Any) -> bool:
    """Walks from the working state through all branches to their ends.

    Args:
        walk: the ``WALK`` record, with its traverser, weight and root.

    Returns:
        Whether the time sufficed; decisions that were not finished are not learned from.
    """
    frames = array_at(walk.frames, FRAME, MOST_FRAMES)
    nodes = array_at(memory.graph.nodes, NODE, memory.graph.room)
    values = array_at(memory.values, FLOAT64, MAX_PLAYERS)
    walk.used = 0
    for p in range(game.players):
        walk.seen[p] = 0
    while go_down(memory, me, search, game, walk):
        value = values[walk.traverser]
        while walk.used > 0:
            frame = frames[walk.used - 1]
            if has_more(memory, walk, frame, value):
                try_next(memory, search, game, walk, frame)
                break
            value = learn(memory, walk, frame, value)
            nodes[frame.node].passed = 0
            walk.used -= 1
        if walk.used == 0:
            return True
    for i in range(walk.used):
        nodes[frames[i].node].passed = 0
    return False


def go_down(memory: SearchMemory, me: Any, search: Any, game: Rules, walk: Any) -> bool:
    """Plays the working state to the end of a branch and evaluates that.

    Returns:
        Whether the time sufficed.
    """
    graph = memory.graph
    header = record_at(memory.work, HEADER)
    legal = record_at(memory.buffer, ACTION_LIST)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    while header.status == Status.PLAYING and not is_deal_over(search, memory.work):
        if is_out_of_time(search):
            return False
        count = legal_actions(game, memory.work, memory.buffer)
        if count == 0:
            break
        if count == 1:
            apply_action(game, memory.work, legal.items[0])
            search.calls += 1
            continue
        node = enter(memory, game, walk, header.player)
        if node == NOTHING or not find_available(memory, node, count):
            break
        used = follow(memory, me, game, walk, node)
        apply_action(game, memory.work, edges[used].action)
        search.calls += 1
    return play_on(memory, me, search, game)


def enter(memory: SearchMemory, game: Rules, walk: Any, mover: int) -> int:
    """The node of the current decision; or 0 where the branch ends.

    It ends at a new node, which is made here, where the node is already on the path, and where the
    path has ``MOST_FRAMES`` decisions of the traverser.
    """
    graph = memory.graph
    sight = observation_key(game, memory.work, memory.aside, mover)
    key = sight if walk.public else mixed(walk.seen[mover], sight)
    if walk.merges and sight == walk.sight and mover == memory.player:
        key = walk.root
    walk.seen[mover] = key
    node = find_node(graph, key)
    if node == NOTHING:
        make_node(graph, key, mover)
        return NOTHING
    if array_at(graph.nodes, NODE, graph.room)[node].passed != 0 or walk.used == MOST_FRAMES:
        return NOTHING
    return node


def follow(memory: SearchMemory, me: Any, game: Rules, walk: Any, number: int) -> int:
    """The edge of a node that the walk takes first."""
    graph = memory.graph
    node = array_at(graph.nodes, NODE, graph.room)[number]
    count = memory.legal_count
    traverses = node.mover == walk.traverser
    if not traverses or (walk.averages_root != 0 and node.key == walk.root):
        add_to_average(graph, number, Selection.REGRET, walk.weight)
    if not traverses:
        return draw_from_mix(memory, number, 0.0, me.rng)
    frames = array_at(walk.frames, FRAME, MOST_FRAMES)
    width = memory.policies.width
    deep = 0
    if walk.used > 0:
        width = frames[walk.used - 1].width
        deep = frames[walk.used - 1].deep
    frame = frames[walk.used]
    walk.used += 1
    node.passed = 1
    frame.node = number
    frame.at = 0
    frame.split = -1
    frame.width = width
    frame.deep = deep
    if count <= width and count == node.count:
        frame.split = deep
        frame.width = width // count
        frame.deep = deep + 1
        place = walk.splits + deep * walk.split_size
        copy_bytes(place, memory.work, walk.state_size)
        hashes = array_at(place + padded(walk.state_size), INT64, MAX_PLAYERS)
        for p in range(game.players):
            hashes[p] = walk.seen[p]
        return int(node.first)
    used = draw_from_mix(memory, number, memory.policies.gamma, me.rng)
    frame.at = used - node.first
    return used


def outcomes_of(walk: Any, frame: Any) -> Any:
    """The array of the values of the actions of a node where the walk branches."""
    place = walk.splits + frame.split * walk.split_size + padded(walk.state_size) + SEEN_SIZE
    return array_at(place, FLOAT64, MAX_ACTIONS)


def has_more(memory: SearchMemory, walk: Any, frame: Any, value: float) -> bool:
    """Stores the value of the action that was tried; returns whether there are others to try."""
    if frame.split < 0:
        return False
    outcomes_of(walk, frame)[frame.at] = value
    node = array_at(memory.graph.nodes, NODE, memory.graph.room)[frame.node]
    return bool(frame.at + 1 < node.count)


def try_next(memory: SearchMemory, search: Any, game: Rules, walk: Any, frame: Any) -> None:
    """Plays the next action of a decision where the walk branches."""
    graph = memory.graph
    place = walk.splits + frame.split * walk.split_size
    copy_bytes(memory.work, place, walk.state_size)
    hashes = array_at(place + padded(walk.state_size), INT64, MAX_PLAYERS)
    for p in range(game.players):
        walk.seen[p] = hashes[p]
    frame.at += 1
    first = array_at(graph.nodes, NODE, graph.room)[frame.node].first
    action = array_at(graph.edges, EDGE, graph.edge_room)[first + frame.at].action
    apply_action(game, memory.work, action)
    search.calls += 1


def learn(memory: SearchMemory, walk: Any, frame: Any, value: float) -> float:
    """Updates the regrets of a finished decision; returns its value."""
    graph = memory.graph
    count_visit(graph, frame.node)
    if frame.split >= 0:
        return learn_from_all(graph, frame.node, outcomes_of(walk, frame), walk.weight)
    used = array_at(graph.nodes, NODE, graph.room)[frame.node].first + frame.at
    worth = learn_from_draw(memory, frame.node, used, value, walk.weight)
    edge = array_at(graph.edges, EDGE, graph.edge_room)[used]
    edge.visits += 1
    edge.total += value
    return worth
