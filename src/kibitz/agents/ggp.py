"""A search for any game, as general game players need it: ``ggp``.

Monte Carlo tree search (UCT) for one, two or many players, with simultaneous moves, chance and
hidden information. What it learns lasts for a game: its graph of positions
(``agents/graph.py``) is kept from one decision to the next.

- Nodes are what the player to move can tell of a state. Where nothing is hidden that makes a
  table of transpositions. Where something is, each iteration samples it, and each player
  decides by what they see: information set search with many trees (Cowling, Powley and
  Whitehouse 2012); and where several commit themselves at once, none decides by what the
  others do in this step: decoupled UCT (Finnsson and Björnsson 2008). Some choices are drawn
  from the average so far: smooth UCT (Heinrich and Silver 2015).
- Where nothing is hidden, certain outcomes are proven (``agents/proof.py``): they are played at
  once, and nothing that is proven is looked at again.
- A player alone in a game without chance keeps the best line that came up, and plays it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kibitz.agents.graph import (
    EDGE,
    GRAPH,
    INT32,
    NODE,
    NOTHING,
    add_edges,
    bounds_of,
    empty,
    find_edge,
    find_node,
    fresh_edge,
    graph_memory,
    kept_state,
    lay_out,
    make_node,
    make_room,
    recycle,
    state_key,
    view_key,
)
from kibitz.agents.proof import (
    ENOUGH_OUTCOMES,
    TINY,
    best_proven,
    hand_up,
    is_certain,
    is_settled,
    keep_within,
    settle,
)
from kibitz.agents.search import (
    SEARCH,
    Budgeted,
    acting_player,
    advise,
    after_states,
    begin,
    may_go_on,
    padded,
    search_memory,
    state_address,
    value_of,
)
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES, Rules, apply_action, legal_actions, redeterminize
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    FLOAT64,
    INT64,
    Address,
    array_at,
    copy_bytes,
    monotonic_ns,
    record_at,
)
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below, random_unit, split_stream
from kibitz.core.status import MAX_PLAYERS, Status

STATES = 2
"""Working states: one played on, and one to look at through others' eyes."""
MAX_DEPTH = 4096
"""Longer ways through the graph, and longer lines, are not remembered."""
SAMPLES = 8
"""So many samples that are all alike mean that nothing is hidden."""
RANDOM_WORDS = 4
"""A state begins with its random stream."""
MOST_FORCED = 100
"""So many actions without a choice are passed over at once."""

MIND = np.dtype(
    [
        ("graph", GRAPH),
        ("rules", np.int64),  # addresses: of the rules,
        ("observation", np.int64),
        ("work", np.int64),  # of a state to play on,
        ("aside", np.int64),  # of one to look at,
        ("buffer", np.int64),  # of an ACTION_LIST,
        ("values", np.int64),  # FLOAT64[MAX_PLAYERS]: of an iteration
        ("path_nodes", np.int64),  # INT32[MAX_DEPTH]
        ("path_edges", np.int64),  # INT32[MAX_DEPTH]
        ("playout", np.int64),  # INT64[MAX_DEPTH]: decisions behind the path
        ("line", np.int64),  # INT64[MAX_DEPTH]: decisions of the best line
        ("line_keys", np.int64),  # INT64[MAX_DEPTH]: what they are made in
        ("player", np.int64),  # who thinks
        ("root", np.int64),  # the node where the search begins
        ("depth", np.int64),  # of the path
        ("playout_length", np.int64),
        ("line_length", np.int64),
        ("line_at", np.int64),  # where the game is in the line
        ("line_value", np.float64),
        ("iteration", np.int64),  # in this game
        ("secret", np.int64),  # whether anything is hidden in this game
        ("chance", np.int64),  # whether there is chance in it
        ("outcomes", np.int64),  # seen
        ("varies", np.int64),  # whether they add up to different sums
        ("total", np.float64),  # what they add up to
        ("checked", np.int64),  # when the clock was looked at last
        ("patience", np.int64),  # so many actions are made between two looks
        ("unchecked", np.int64),  # so many were made since the last
    ]
)
"""What the agent keeps in mind during a game, apart from the graph itself."""

Mind = Any
"""A ``MIND`` record."""


class GgpOptions(Budgeted):
    """Options of ``ggp``."""

    c = Tunable(0.7, (0.0, 100.0), "weight of exploration in UCB")
    rollout_length = Tunable(-1, range(-1, 100_001), "actions of a rollout; -1: to the end")
    smooth = Tunable(
        0.2, (0.0, 1.0), "share of choices drawn from those so far, where something is hidden"
    )
    max_nodes = Tunable(
        200_000, range(100, 50_000_001), "positions kept; then those of least use are given up"
    )
    role = Tunable(
        -1, range(-1, MAX_PLAYERS), "who thinks, counted from 0; -1: whoever has to decide"
    )


GGP_OPTIONS = GgpOptions.dtype()


class GgpAgent(NativeAgent):
    """Monte Carlo tree search that lasts for a game, for any kind of game."""

    name = "ggp"
    Options = GgpOptions

    def memory_size(self, table: Table) -> int:
        room = self.options.max_nodes + 2
        graph = graph_memory(table.players, table.state_size, room)
        return search_memory(table, STATES) + OWN_MEMORY + graph

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches on, and returns the best action."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        options = record_at(me.options, GGP_OPTIONS)
        search = record_at(me.memory, SEARCH)
        mind = record_at(after_states(me.memory, game, STATES), MIND)
        fresh = search.in_use == 0
        begin(search, options.iterations, options.milliseconds, options.calls)
        prepare(mind, me, game, options, fresh)
        mind.rules = rules
        mind.observation = observation
        mind.player = acting_player(observation) if options.role < 0 else options.role
        look_for_secrets(mind, me, game, count)
        if mind.secret == 0:
            think_in_the_open(mind, me, search, options)
        if mind.secret != 0:
            return think_in_secret(mind, me, search, options, actions, count)
        return decide_in_the_open(mind, me, record_at(actions, ACTION_LIST), count)


MIND_SIZE = padded(MIND.itemsize)
VALUES_SIZE = padded(8 * MAX_PLAYERS)
OWN_MEMORY = MIND_SIZE + VALUES_SIZE + (2 * 4 + 3 * 8) * MAX_DEPTH
"""What lies before the graph, in bytes."""


def prepare(mind: Mind, me: Any, game: Rules, options: Any, fresh: bool) -> None:
    """Says where everything is; forgets everything if the game is new."""
    base = after_states(me.memory, game, STATES) + MIND_SIZE
    mind.work = state_address(me.memory, game, 0)
    mind.aside = state_address(me.memory, game, 1)
    mind.buffer = state_address(me.memory, game, STATES)
    mind.values = base
    mind.path_nodes = base + VALUES_SIZE
    mind.path_edges = mind.path_nodes + 4 * MAX_DEPTH
    mind.playout = mind.path_edges + 4 * MAX_DEPTH
    mind.line = mind.playout + 8 * MAX_DEPTH
    mind.line_keys = mind.line + 8 * MAX_DEPTH
    mind.checked = monotonic_ns()
    mind.patience = 1
    mind.unchecked = 0
    lay_out(mind.graph, mind.line_keys + 8 * MAX_DEPTH, game, options.max_nodes + 2)
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


# --- whether anything is hidden -------------------------------------------------------------


def look_for_secrets(mind: Mind, me: Any, game: Rules, count: int) -> None:
    """Finds out whether anything is hidden from anybody in the state at hand.

    A game that could have secrets may have none; but if there is one, that holds for the game.
    """
    if mind.secret != 0 or (game.slot_count == 0 and game.redeterminize == 0):
        return
    mover = acting_player(mind.observation)
    # where others have a choice before the one who thinks has, they do not know each other's
    found = mind.player != mover and count > 1
    found = found or is_secret(mind, me, game, mind.observation, mover)
    if found or is_secret(mind, me, game, mind.observation, mind.player):
        mind.secret = 1
        empty(mind.graph)


def is_secret(mind: Mind, me: Any, game: Rules, state: Address, player: int) -> bool:
    """Whether a state may be another one, for all that `player` knows.

    If so, some of so many samples differ from it, almost certainly; and if this one does not,
    another one of the same game will.
    """
    if game.slot_count == 0 and game.redeterminize == 0:
        return False
    copy_bytes(mind.aside, state, game.state_size)
    words = array_at(state, INT64, game.state_size >> 3)
    others = array_at(mind.aside, INT64, game.state_size >> 3)
    for _ in range(SAMPLES):
        redeterminize(game, mind.aside, player, me.rng)
        for i in range(RANDOM_WORDS, len(words)):
            if words[i] != others[i]:
                return True
    return False


# --- where nothing is hidden ----------------------------------------------------------------


def think_in_the_open(mind: Mind, me: Any, search: Any, options: Any) -> None:
    """Searches from the state at hand, which everybody knows; until there is a secret."""
    graph = mind.graph
    game = record_at(mind.rules, RULES)
    key = state_key(graph, game, mind.observation)
    find_root(mind, game, key)
    find_line(mind, key)
    while may_go_on(search, me) and not is_decided(mind):
        if graph.crowded != 0:
            recycle(graph, mind.root)
        iterate_in_the_open(mind, me, search, options)
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


def iterate_in_the_open(mind: Mind, me: Any, search: Any, options: Any) -> None:
    """One iteration: down to a leaf, on at random, and back up."""
    graph = mind.graph
    game = record_at(mind.rules, RULES)
    values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
    mind.iteration += 1
    mind.playout_length = 0
    leaf = descend_in_the_open(mind, me, search, game, options.c)
    if mind.secret != 0:
        return
    settled = leaf != NOTHING and is_settled(graph, leaf)
    if settled:
        bounds = bounds_of(graph, leaf)
        for p in range(game.players):
            values[p] = bounds[2 * p]
        note_outcome(mind, values)
        if mind.root == NOTHING:
            return
        if game.players == 1 and mind.chance == 0 and values[0] > best_so_far(mind):
            trace_proof(mind, leaf)
            keep_line(mind, search, game)
    else:
        if not play_out(mind, me, search, game, options.rollout_length):
            return
        for p in range(game.players):
            values[p] = value_of(game, mind.work, p)
        if record_at(mind.work, HEADER).status == Status.FINISHED:
            note_outcome(mind, values)
            if mind.root == NOTHING:
                return
            if game.players == 1 and mind.chance == 0 and values[0] > best_so_far(mind):
                keep_line(mind, search, game)
    back_up_in_the_open(mind, leaf, settled)


def descend_in_the_open(mind: Mind, me: Any, search: Any, game: Rules, c: float) -> int:
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
            advance(mind.work, mind.buffer, search, game, edges[used].action)
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
    items = record_at(mind.buffer, ACTION_LIST).items
    for i in range(count - 1, 0, -1):
        j = random_below(me.rng, i + 1)
        action = items[i]
        items[i] = items[j]
        items[j] = action
    return add_edges(mind.graph, node, record_at(mind.buffer, ACTION_LIST), count)


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


def choose_greedily(graph: Any, number: int) -> int:
    """The edge never tried, else that of the best mean, that may beat what is sure.

    Among equals it is the most visited: so the search goes deep, and gets done with one part of
    the game after another.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    sure = worth_beating(graph, number)
    best = int(node.first)
    best_mean = -1.0
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


def worth_beating(graph: Any, number: int) -> float:
    """An edge is worth following if it may lead to more than this for the mover."""
    mover = array_at(graph.nodes, NODE, graph.room)[number].mover
    bounds = bounds_of(graph, number)
    if is_certain(bounds, mover):
        return float(bounds[2 * mover] - TINY)
    return float(bounds[2 * mover] + TINY)


def advance(state: Address, buffer: Address, search: Any, game: Rules, action: int) -> None:
    """Plays an action, and then whatever is done without a choice."""
    apply_action(game, state, action)
    search.calls += 1
    header = record_at(state, HEADER)
    for _ in range(MOST_FORCED):
        if header.status != Status.PLAYING or legal_actions(game, state, buffer) != 1:
            return
        apply_action(game, state, record_at(buffer, ACTION_LIST).items[0])
        search.calls += 1


def follow(mind: Mind, me: Any, search: Any, game: Rules, used: int) -> int:
    """Plays an edge's action on the working state; returns the node that it leads to, or 0."""
    graph = mind.graph
    edge = array_at(graph.edges, EDGE, graph.edge_room)[used]
    header = record_at(mind.work, HEADER)
    drawn = header.rng[3]
    mixture = header.rng[0]
    advance(mind.work, mind.buffer, search, game, edge.action)
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
            for p in range(game.players):
                values[p] = value_of(game, mind.work, p)
            settle(graph, node, values)
    if edge.chance == 0:
        edge.child = node
    return node


def back_up_in_the_open(mind: Mind, leaf: int, settled: bool) -> None:
    """Adds the values of an iteration to the edges on its path, and hands proofs up."""
    graph = mind.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_nodes = array_at(mind.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
    total = -1.0
    if mind.varies == 0 and mind.outcomes >= ENOUGH_OUTCOMES:
        total = mind.total
    if leaf != NOTHING:
        nodes[leaf].visits += 1
        nodes[leaf].touched = graph.generation
    changed = settled
    for i in range(mind.depth - 1, -1, -1):
        node = nodes[path_nodes[i]]
        used = path_edges[i]
        edges[used].visits += 1
        edges[used].total += values[node.mover]
        node.visits += 1
        node.touched = graph.generation
        changed = hand_up(graph, path_nodes[i], used, total, changed)
        keep_within(graph, path_nodes[i], values)


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


def play_out(mind: Mind, me: Any, search: Any, game: Rules, length: int) -> bool:
    """Plays at random from the working state; says whether there was the time to.

    Args:
        mind: what is kept in mind.
        me: the agent.
        search: its budget.
        game: the rules.
        length: after so many actions it stops; negative: at the end of the game.
    """
    state = mind.work
    header = record_at(state, HEADER)
    buffer = record_at(mind.buffer, ACTION_LIST)
    playout = array_at(mind.playout, INT64, MAX_DEPTH)
    drawn = header.rng[3]
    remember = game.players == 1
    while header.status == Status.PLAYING and length != 0:
        count = legal_actions(game, state, mind.buffer)
        if count == 0:
            break
        action = buffer.items[0]
        if count > 1:
            action = buffer.items[random_below(me.rng, count)]
            if remember and mind.playout_length < MAX_DEPTH:
                playout[mind.playout_length] = action
                mind.playout_length += 1
        apply_action(game, state, action)
        search.calls += 1
        length -= 1
        mind.unchecked += 1
        if mind.unchecked >= mind.patience and is_out_of_time(mind, me, search):
            return False
    if header.rng[3] != drawn:
        mind.chance = 1
    return True


def is_out_of_time(mind: Mind, me: Any, search: Any) -> bool:
    """Looks at the clock, and settles when to look again: several times in a millisecond."""
    now = monotonic_ns()
    if now - mind.checked < 50_000:
        mind.patience = min(4096, 2 * mind.patience)
    elif now - mind.checked > 200_000:
        mind.patience = max(1, mind.patience >> 1)
    mind.checked = now
    mind.unchecked = 0
    if search.deadline > 0 and now >= search.deadline:
        return True
    return bool(array_at(me.stop, INT64, 1)[0] != 0)


def decide_in_the_open(mind: Mind, me: Any, legal: Any, count: int) -> int:
    """The action to take: of the best line, the proven one, or the one visited most."""
    if mind.player != acting_player(mind.observation):
        return int(legal.items[0])  # it has no choice
    graph = mind.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[mind.root]
    bounds = bounds_of(graph, mind.root)
    best = -1
    certain = is_certain(bounds, node.mover) and node.count > 0
    if certain:
        best = best_proven(graph, mind.root)
    else:
        sure = bounds[2 * node.mover]
        best = most_visited(graph, mind.root, sure)
        if sure > TINY and best >= 0 and edges[best].visits > 0:
            if edges[best].total / edges[best].visits <= sure:
                best = best_proven(graph, mind.root)
    action = edges[best].action if best >= 0 else legal.items[random_below(me.rng, count)]
    most = bounds[2 * node.mover + mind.chance]  # a sure share may be less than a bold one
    if mind.line_length > 0 and mind.line_value >= most - TINY:
        action = array_at(mind.line, INT64, MAX_DEPTH)[mind.line_at]
        certain = True
    found = report(mind, me, mind.root, legal, count, action, certain)
    return int(action if found else legal.items[random_below(me.rng, count)])


def most_visited(graph: Any, number: int, sure: float) -> int:
    """The edge with the most visits, among equals the one of the highest value; or -1.

    Edges that cannot lead to more than what is sure are passed over, if there are others.
    """
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    best = -1
    best_open = False
    for i in range(node.first, node.first + node.count):
        edge = edges[i]
        is_open = edge.high > sure + TINY
        better = best < 0
        if not better and is_open == best_open:
            better = edge.visits > edges[best].visits
            if edge.visits == edges[best].visits:
                better = edge.total > edges[best].total
        elif not better:
            better = is_open
        if better:
            best = i
            best_open = is_open
    return best


def report(
    mind: Mind, me: Any, number: int, legal: Any, count: int, action: int, certain: bool
) -> bool:
    """Says what the search thinks of the actions; and whether `action` is among them."""
    graph = mind.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    found = False
    for i in range(count):
        item = legal.items[i]
        chosen = item == action
        found = found or chosen
        if me.advice != 0:
            used = find_edge(graph, number, item)
            visits = 0
            value = 0.5
            if used >= 0:
                visits = edges[used].visits
                if visits > 0:
                    value = edges[used].total / visits
                value = min(max(value, edges[used].low), edges[used].high)
            weight = float(visits)
            if certain:
                weight = 1.0 if chosen else 0.0
                if chosen and mind.line_length > 0:
                    value = mind.line_value
            advise(me, item, weight, value)
    return found


# --- a player alone -------------------------------------------------------------------------


def find_line(mind: Mind, key: int) -> None:
    """Finds the state at hand in the best line; if it is not there, the line is forgotten.

    Where the line comes by several times, the way in between is left out.
    """
    keys = array_at(mind.line_keys, INT64, MAX_DEPTH)
    for i in range(mind.line_length - 1, -1, -1):
        if keys[i] == key:
            mind.line_at = i
            return
    mind.line_length = 0


def best_so_far(mind: Mind) -> float:
    """What the best line comes to; less than nothing without one."""
    return mind.line_value + TINY if mind.line_length > 0 else -1.0


def trace_proof(mind: Mind, node: int) -> None:
    """Writes down the decisions from a certain node to the end, as if they were played."""
    graph = mind.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    playout = array_at(mind.playout, INT64, MAX_DEPTH)
    while node != NOTHING and nodes[node].count > 0 and mind.playout_length < MAX_DEPTH:
        used = best_proven(graph, node)
        playout[mind.playout_length] = edges[used].action
        mind.playout_length += 1
        node = edges[used].child


def keep_line(mind: Mind, search: Any, game: Rules) -> None:
    """Keeps the decisions of this iteration as the best line, if they lead to the end again."""
    graph = mind.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    playout = array_at(mind.playout, INT64, MAX_DEPTH)
    line = array_at(mind.line, INT64, MAX_DEPTH)
    keys = array_at(mind.line_keys, INT64, MAX_DEPTH)
    state = mind.aside
    header = record_at(state, HEADER)
    copy_bytes(state, mind.observation, game.state_size)
    drawn = header.rng[3]
    length = mind.depth + mind.playout_length
    mind.line_length = 0
    if length > MAX_DEPTH:
        return
    for i in range(length):
        if header.status != Status.PLAYING:
            return
        inside = i < mind.depth
        action = edges[path_edges[i]].action if inside else playout[i - mind.depth]
        line[i] = action
        keys[i] = state_key(graph, game, state)
        advance(state, mind.buffer, search, game, action)
    if header.status == Status.FINISHED and header.rng[3] == drawn:
        mind.line_length = length
        mind.line_at = 0
        mind.line_value = value_of(game, state, 0)


# --- where something is hidden --------------------------------------------------------------


def think_in_secret(
    mind: Mind, me: Any, search: Any, options: Any, actions: Address, count: int
) -> int:
    """Searches over what may be hidden from the player who thinks."""
    graph = mind.graph
    game = record_at(mind.rules, RULES)
    key = own_key(mind, me, game)
    mind.line_length = 0
    while may_go_on(search, me):
        if graph.crowded != 0:
            recycle(graph, find_node(graph, key))
        iterate_in_secret(mind, me, search, options)
        search.iterations += 1
    mind.root = find_node(graph, key)
    legal = record_at(actions, ACTION_LIST)
    best = legal_favourite(graph, mind.root, legal, count)
    action = legal.items[best] if best >= 0 else legal.items[random_below(me.rng, count)]
    report(mind, me, mind.root, legal, count, action, False)
    return int(action)


def own_key(mind: Mind, me: Any, game: Rules) -> int:
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


def iterate_in_secret(mind: Mind, me: Any, search: Any, options: Any) -> None:
    """One iteration on a new sample of what is hidden."""
    graph = mind.graph
    game = record_at(mind.rules, RULES)
    values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
    mind.iteration += 1
    mind.playout_length = 0
    copy_bytes(mind.work, mind.observation, game.state_size)
    redeterminize(game, mind.work, mind.player, me.rng)
    leaf = descend_in_secret(mind, me, search, game, options.c, options.smooth)
    if not play_out(mind, me, search, game, options.rollout_length):
        return
    for p in range(game.players):
        values[p] = value_of(game, mind.work, p)
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_nodes = array_at(mind.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(mind.path_edges, INT32, MAX_DEPTH)
    if leaf != NOTHING:
        nodes[leaf].visits += 1
        nodes[leaf].touched = graph.generation
    for i in range(mind.depth):
        node = nodes[path_nodes[i]]
        node.visits += 1
        node.touched = graph.generation
        edges[path_edges[i]].visits += 1
        edges[path_edges[i]].total += values[node.mover]


def descend_in_secret(
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
        if not open_edges(graph, node, buffer, count, mind.iteration):
            return NOTHING
        if smooth > 0.0 and random_unit(me.rng) < smooth:
            used = draw_open(graph, node, mind.iteration, me.rng)
        else:
            used = choose_open(graph, node, c, mind.iteration, me.rng)
        path_nodes[mind.depth] = node
        path_edges[mind.depth] = used
        mind.depth += 1
        apply_action(game, mind.work, edges[used].action)
        search.calls += 1
    return NOTHING


def open_edges(graph: Any, number: int, legal: Any, count: int, mark: int) -> bool:
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


def choose_open(graph: Any, number: int, c: float, mark: int, rng: Any) -> int:
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


def draw_open(graph: Any, number: int, mark: int, rng: Any) -> int:
    """A marked edge, drawn with the frequency with which it was chosen so far.

    Those who cannot see each other's choices would else fall into step, and learn to answer
    what they cannot know. What they did on average comes close to an equilibrium. Source:
    Heinrich and Silver, "Smooth UCT Search in Computer Poker", 2015.
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


def legal_favourite(graph: Any, number: int, legal: Any, count: int) -> int:
    """The place in the list of the action with the most visits at a node, or -1.

    Among equals it is the one of the highest value.
    """
    if number == NOTHING:
        return -1
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    best = -1
    best_edge = -1
    for i in range(count):
        used = find_edge(graph, number, legal.items[i])
        if used < 0:
            continue
        better = best < 0 or edges[used].visits > edges[best_edge].visits
        if not better and edges[used].visits == edges[best_edge].visits:
            better = edges[used].total > edges[best_edge].total
        if better:
            best = i
            best_edge = used
    return best
