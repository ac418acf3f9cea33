"""Closed-loop search: an edge leads to one node, and small states are kept with their nodes.

UCT for any number of players (Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning", 2006;
each mover maximises their own value, max^n). Then the way down plays no rules at all. Policies
(``players/policies.py``) make of it:

- With fixed chance, UCT on the tree of actions where chance comes out as it first did.
- With nodes for states, a table of transpositions: values are kept at edges, and go up the path
  that was taken (Childs, Brodeur and Kocsis, "Transpositions and Move Groups in Monte Carlo Tree
  Search", 2008). An edge with chance leads to several nodes.
- With ``solves``, a search that proves certain outcomes (``players/proof.py``) and looks at
  nothing again that is proven; a player alone keeps the best line
  (``players/single_player.py``). It ends when something turns out to be hidden.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.actions import ACTION_LIST
from kibitz.core.chance import chance_mark, renew_chance
from kibitz.core.contract import Rules, apply_action, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, array_at, copy_bytes, record_at
from kibitz.core.randomness import shuffle
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.players.decision import tell_best
from kibitz.players.evaluation import evaluate
from kibitz.players.graph import (
    EDGE,
    INT32,
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
    mixed,
    note_values,
    recycle,
    state_key,
)
from kibitz.players.hidden_information import is_hidden
from kibitz.players.memory import SearchMemory, play_on
from kibitz.players.playouts import advance
from kibitz.players.policies import MAX_DEPTH, Keys
from kibitz.players.proof import (
    ENOUGH_OUTCOMES,
    TINY,
    is_certain,
    is_solved,
    keep_within,
    mark_solved,
    propagate_bounds,
    read_solved,
)
from kibitz.players.search import acting_player, is_out_of_time, may_go_on
from kibitz.players.selection import select_greedily, select_ucb
from kibitz.players.single_player import best_so_far, find_line, keep_line, trace_proof


def search_closed_loop(memory: SearchMemory, me: Any, search: Any, game: Rules) -> None:
    """Searches until the budget is spent, the decision is certain, or something is hidden."""
    graph = memory.graph
    solves = memory.policies.solves != 0
    key = state_key(game, memory.observation)
    find_root(memory, game, key)
    find_line(memory, key)
    while may_go_on(search) and not (solves and is_decided(memory)):
        if graph.crowded != 0:
            recycle(graph, memory.root)
        if not iterate_closed_loop(memory, me, search, game):
            break
        search.iterations += 1
        tell_best(memory, me, search, memory.root)
        if memory.root == NOTHING:  # the sum of values varies after all: the proofs were dropped
            find_root(memory, game, key)
    if memory.hidden != 0:
        empty(graph)


def find_root(memory: SearchMemory, game: Rules, key: int) -> None:
    """Sets ``memory.root`` to the node of the current state; makes it if it does not exist."""
    graph = memory.graph
    memory.root = find_node(graph, key)
    if memory.root != NOTHING:
        return
    mover = acting_player(memory.observation)
    memory.root = make_node(graph, key, mover)
    if memory.root == NOTHING:
        recycle(graph, NOTHING)
        memory.root = make_node(graph, key, mover)
    if graph.state_size > 0:
        copy_bytes(kept_state(graph, memory.root), memory.observation, game.state_size)


def is_decided(memory: SearchMemory) -> bool:
    """Whether no further result could change the decision."""
    graph = memory.graph
    node = array_at(graph.nodes, NODE, graph.room)[memory.root]
    bounds = bounds_of(graph, memory.root)
    low = bounds[2 * node.mover]
    if memory.line_length > 0 and memory.line_value >= bounds[2 * node.mover + 1] - TINY:
        return True
    if is_certain(bounds, node.mover):
        return True
    if node.count < 2 or graph.players == 1 or node.mover != memory.player:
        return False  # later decisions may use what it learns
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    open_ends = 0
    for i in range(node.first, node.first + node.count):
        if edges[i].high > low + TINY:
            open_ends += 1
            if edges[i].low < low - TINY:
                open_ends += 1  # it may turn out worse than what is sure
    return open_ends < 2


def iterate_closed_loop(memory: SearchMemory, me: Any, search: Any, game: Rules) -> bool:
    """Runs one iteration; ``False`` when the time ran out or something is hidden."""
    graph = memory.graph
    values = array_at(memory.values, FLOAT64, MAX_PLAYERS)
    memory.iteration += 1
    search.trace_length = 0
    leaf = descend_closed_loop(memory, me, search, game)
    if memory.hidden != 0:
        return False
    solved = leaf != NOTHING and is_solved(graph, leaf)
    if solved:
        read_solved(graph, leaf, values)
    elif not play_on(memory, me, search, game):
        return False
    finished = solved or record_at(memory.work, HEADER).status == Status.FINISHED
    if finished and memory.policies.solves != 0:
        note_outcome(memory, values)
        if memory.root == NOTHING:
            return True
        if game.players == 1 and memory.chance == 0 and values[0] > best_so_far(memory):
            if solved:
                trace_proof(memory, search, leaf)
            keep_line(memory, search, game)
    back_up_closed_loop(memory, leaf, solved)
    return True


def descend_closed_loop(memory: SearchMemory, me: Any, search: Any, game: Rules) -> int:
    """Follows selected edges to a leaf; returns its number, or 0 if there was no room for it.

    A leaf is new, or solved, or was passed in this iteration: then the path is a cycle. When the
    time is up any node is the leaf. Unless it is solved, the working state becomes the leaf's.
    """
    graph = memory.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_nodes = array_at(memory.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(memory.path_edges, INT32, MAX_DEPTH)
    by_path = memory.policies.keys == Keys.PATH
    at_hand = False
    if graph.state_size == 0:
        copy_bytes(memory.work, memory.observation, game.state_size)
        fresh_chance(memory, me)
        at_hand = True
    node = memory.root
    depth = 0
    # a player alone spends half of the iterations on going deep
    greedy = memory.policies.solves != 0 and game.players == 1 and memory.iteration & 1 == 1
    while node != NOTHING and not is_solved(graph, node):
        if depth == memory.policies.depth or nodes[node].passed == memory.iteration:
            break
        if is_out_of_time(search):
            break
        nodes[node].passed = memory.iteration
        if nodes[node].count == 0:
            if nodes[node].visits == 0 and depth > 0 and not by_path:
                break
            if not at_hand:
                fetch(memory, me, game, node)
                at_hand = True
            if not expand(memory, me, game, node):
                break
        if greedy:
            used = select_greedily(graph, node)
        else:
            used = select_ucb(graph, node, memory.policies.c)
        path_nodes[depth] = node
        path_edges[depth] = used
        depth += 1
        child = edges[used].child
        if child == NOTHING:
            if not at_hand:
                fetch(memory, me, game, node)
                at_hand = True
            child = follow(memory, me, search, game, used)
        elif graph.state_size == 0:
            play_edge(memory, search, game, edges[used].action)
        else:
            at_hand = False
        node = child
    memory.depth = depth
    if node != NOTHING and not at_hand and not is_solved(graph, node):
        fetch(memory, me, game, node)
    return int(node)


def fetch(memory: SearchMemory, me: Any, game: Rules, node: int) -> None:
    """Puts a node's state into the working state."""
    copy_bytes(memory.work, kept_state(memory.graph, node), game.state_size)
    fresh_chance(memory, me)


def fresh_chance(memory: SearchMemory, me: Any) -> None:
    """Draws new chance for the working state, unless chance is fixed or absent."""
    if memory.chance != 0 and memory.policies.fixed_chance == 0:
        renew_chance(me.rng, record_at(memory.work, HEADER))


def expand(memory: SearchMemory, me: Any, game: Rules, node: int) -> bool:
    """Gives a node its edges in random order; returns whether there are any, and room."""
    count = legal_actions(game, memory.work, memory.buffer)
    if count == 0:
        return False
    legal = record_at(memory.buffer, ACTION_LIST)
    shuffle(me.rng, legal.items, count)
    return add_edges(memory.graph, node, legal, count)


def play_edge(memory: SearchMemory, search: Any, game: Rules, action: int) -> None:
    """Plays an action on the working state, and forced ones after it unless keys are paths."""
    if memory.policies.keys == Keys.PATH:
        apply_action(game, memory.work, action)
        search.calls += 1
    else:
        advance(game, search, memory.work, action)


def follow(memory: SearchMemory, me: Any, search: Any, game: Rules, used: int) -> int:
    """Plays an edge's action on the working state; returns the node that it leads to, or 0.

    With keys that are paths, an edge gets its node when it is followed for the second time.
    """
    graph = memory.graph
    policies = memory.policies
    edge = array_at(graph.edges, EDGE, graph.edge_room)[used]
    header = record_at(memory.work, HEADER)
    drawn = chance_mark(header)
    play_edge(memory, search, game, edge.action)
    if chance_mark(header) != drawn:
        memory.chance = 1
        if policies.fixed_chance == 0:
            edge.chance = 1
    if header.status != Status.PLAYING and header.status != Status.FINISHED:
        return NOTHING
    node = NOTHING
    if policies.keys == Keys.PATH:
        if edge.visits == 0:
            return NOTHING
        key = mixed(array_at(graph.nodes, NODE, graph.room)[edge.owner].key, edge.action)
    else:
        key = state_key(game, memory.work)
        node = find_node(graph, key)
    if node == NOTHING:
        playing = header.status == Status.PLAYING
        if policies.solves != 0 and playing:
            if is_hidden(memory, me, game, memory.work, header.player):
                memory.hidden = 1
                return NOTHING
        node = make_node(graph, key, header.player)
        if node == NOTHING:
            return NOTHING
        if graph.state_size > 0:
            copy_bytes(kept_state(graph, node), memory.work, game.state_size)
        if header.status == Status.FINISHED:
            values = array_at(memory.values, FLOAT64, MAX_PLAYERS)
            evaluate(game, search, memory.work, values)
            note_values(graph, values)
            mark_solved(graph, node, values)
    if edge.chance == 0:
        edge.child = node
    return node


def back_up_closed_loop(memory: SearchMemory, leaf: int, solved: bool) -> None:
    """Adds the values of an iteration to the edges on its path, and propagates bounds."""
    graph = memory.graph
    path_nodes = array_at(memory.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(memory.path_edges, INT32, MAX_DEPTH)
    values = array_at(memory.values, FLOAT64, MAX_PLAYERS)
    total = -1.0
    if memory.varies == 0 and memory.outcomes >= ENOUGH_OUTCOMES:
        total = memory.total
    if leaf != NOTHING:
        count_visit(graph, leaf)
    changed = solved
    solves = memory.policies.solves != 0
    for i in range(memory.depth - 1, -1, -1):
        node = path_nodes[i]
        used = path_edges[i]
        count_choice(graph, node, used, values)
        if solves:
            changed = propagate_bounds(graph, node, used, total, changed)
            keep_within(graph, node, values)


def note_outcome(memory: SearchMemory, values: Any) -> None:
    """Keeps track of whether the values of all outcomes add up to the same sum.

    Where proofs were built on that and it turns out to be wrong, all nodes are forgotten.
    """
    if memory.varies != 0 or memory.graph.players < 2:
        return
    total = 0.0
    for p in range(memory.graph.players):
        total += values[p]
    if memory.outcomes == 0:
        memory.total = total
    elif abs(total - memory.total) > TINY:
        memory.varies = 1
        if memory.outcomes >= ENOUGH_OUTCOMES:
            empty(memory.graph)
            memory.root = NOTHING
    memory.outcomes += 1
