"""Open-loop search: each iteration plays the rules anew from the root, with fresh chance.

Legal actions may differ between two visits of a node, so exploration counts how often an action
was available. Policies (``players/policies.py``) select among these algorithms:

- UCT for any number of players (max^n): a node for each sequence of actions.
- With a determinization in each iteration, single-observer information set MCTS (Cowling, Powley
  and Whitehouse, "Information Set Monte Carlo Tree Search", 2012). The searcher's later decisions
  have a node for each thing that a look or a percept may show, so that such an action can pay.
- With nodes for what the player to move sees, the same with a tree for every player. Where
  several players act simultaneously, none sees what the others do in this step, and each has
  their own counts: decoupled UCT (Finnsson and Björnsson, "Simulation-Based Approach to General
  Game Playing", 2008). Some choices may be drawn from the average so far: smooth UCT (Heinrich and
  Silver, "Smooth UCT Search in Computer Poker", 2015). Or all are drawn from mixed strategies, by
  regret matching or Exp3 (``players/mixing.py``).
- Flat, with the root's actions in turn: perfect information Monte Carlo.
- With ``samples``, iterations cycle through the same few determinizations, so that actions are
  compared in the same deals.
- With ``widening``, nodes grow with their visits (progressive widening, Coulom 2007); the next
  edge to be tried is the best of a few by the value one step ahead.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.chance import renew_chance
from kibitz.core.contract import Rules, apply_action, legal_actions, redeterminize
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, array_at, copy_bytes, record_at
from kibitz.core.randomness import random_below, random_unit, start_stream
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.players.belief import BELIEF, draw_particle
from kibitz.players.decision import tell_best
from kibitz.players.evaluation import is_deal_over
from kibitz.players.graph import (
    EDGE,
    INT32,
    NODE,
    NOTHING,
    add_edges,
    count_choice,
    find_edge,
    find_node,
    fresh_edge,
    insight_key,
    make_node,
    make_room,
    mixed,
    observation_key,
    recycle,
)
from kibitz.players.guide import ask_guide
from kibitz.players.memory import SearchMemory, play_on
from kibitz.players.mixing import add_to_average, draw_from_mix, learn_from_draw
from kibitz.players.network import NETWORK, run_network, write_policy
from kibitz.players.playouts import value_ahead
from kibitz.players.policies import MAX_DEPTH, Keys, Selection
from kibitz.players.search import acting_player, is_out_of_time, may_go_on
from kibitz.players.selection import select_available, select_by_average, select_puct

MOST_SEED = 2**31 - 1
LEAST_PRIOR = 1e-6
NOT_GUIDED = -1
"""The result when no edge has the action that the guide chooses."""


def search_open_loop(memory: SearchMemory, me: Any, search: Any, game: Rules) -> None:
    """Searches from the state at hand until the budget is spent."""
    graph = memory.graph
    root_key = key_of_root(memory, game)
    memory.line_length = 0
    first_sample = random_below(me.rng, MOST_SEED) if memory.policies.samples > 0 else 0
    while may_go_on(search):
        if graph.crowded != 0:
            recycle(graph, find_node(graph, root_key))
        memory.iteration += 1
        begin_iteration(memory, me, game, first_sample, search.iterations)
        if memory.policies.flat != 0:
            try_in_turn(memory, search, game, root_key)
        else:
            descend_open_loop(memory, me, search, game, root_key)
        if not play_on(memory, me, search, game):
            break
        back_up_open_loop(memory)
        search.iterations += 1
        tell_best(memory, me, search, find_node(graph, root_key))
    memory.root = find_node(graph, root_key)


def key_of_root(memory: SearchMemory, game: Rules) -> int:
    """The key of the node where the player who thinks decides.

    Others who decide before them in the same step do so in secret, so their actions do not matter.
    """
    if memory.policies.keys == Keys.PATH:
        return mixed(0, memory.player)
    state = memory.work
    header = record_at(state, HEADER)
    copy_bytes(state, memory.observation, game.state_size)
    for _ in range(game.players):
        if header.player == memory.player or header.status != Status.PLAYING:
            break
        if legal_actions(game, state, memory.buffer) == 0:
            break
        apply_action(game, state, record_at(memory.buffer, ACTION_LIST).items[0])
    return observation_key(game, state, memory.aside, memory.player)


def begin_iteration(memory: SearchMemory, me: Any, game: Rules, seed: int, iteration: int) -> None:
    """Sets the working state to the root, with fresh chance or a sample of what is hidden.

    Args:
        seed: the seed of this decision's samples, with the policy ``samples``.
        iteration: the number of iterations before it in this decision.
    """
    policies = memory.policies
    copy_bytes(memory.work, memory.observation, game.state_size)
    rng = me.rng
    if policies.samples > 0:
        rng = memory.sample
        start_stream(rng, seed, iteration % policies.samples)
    if memory.belief != 0:
        draw_particle(record_at(memory.belief, BELIEF), game, memory.work, rng)
    elif policies.determinizes != 0:
        redeterminize(game, memory.work, memory.player, rng)
    else:
        renew_chance(rng, record_at(memory.work, HEADER))


def descend_open_loop(
    memory: SearchMemory, me: Any, search: Any, game: Rules, root_key: int
) -> None:
    """Plays the working state on until an edge is followed for the first time; notes the path.

    A first visit does not end the descent before the searching player has decided at the root,
    even where others decide in secret before in the same step.
    """
    graph = memory.graph
    policies = memory.policies
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_nodes = array_at(memory.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(memory.path_edges, INT32, MAX_DEPTH)
    header = record_at(memory.work, HEADER)
    legal = record_at(memory.buffer, ACTION_LIST)
    by_path = policies.keys == Keys.PATH
    path_key = 0
    used = -1
    decided = False
    memory.depth = 0
    while header.status == Status.PLAYING and memory.depth < policies.depth:
        if is_deal_over(search, memory.work) or is_out_of_time(search):
            break
        count = legal_actions(game, memory.work, memory.buffer)
        if count == 0:
            break
        mover = header.player
        at_root = memory.depth == 0 and mover == memory.player
        if count == 1 and not by_path and not at_root:
            apply_action(game, memory.work, legal.items[0])
            search.calls += 1
            continue
        if at_root:
            key = root_key
        elif by_path:
            key = mixed(path_key, mover)
            if policies.determinizes != 0 and mover == memory.player and count > 1:
                key = mixed(key, insight_key(game, memory.work, mover))
        else:
            key = observation_key(game, memory.work, memory.aside, mover)
        node = edges[used].child if used >= 0 else NOTHING
        if node == NOTHING or nodes[node].key != key:
            node = find_node(graph, key)
            if node == NOTHING:
                node = make_node(graph, key, mover)
            if used >= 0:
                edges[used].child = node
        if node == NOTHING or nodes[node].passed == memory.iteration:
            break
        nodes[node].passed = memory.iteration
        if not find_available(memory, node, count):
            break
        used = select_edge(memory, me, search, game, node)
        path_nodes[memory.depth] = node
        path_edges[memory.depth] = used
        memory.depth += 1
        decided = decided or key == root_key
        ends = decided and edges[used].visits == 0
        path_key = mixed(key, edges[used].action)
        apply_action(game, memory.work, edges[used].action)
        search.calls += 1
        if ends:
            break


def select_edge(memory: SearchMemory, me: Any, search: Any, game: Rules, node: int) -> int:
    """The edge of a node that the iteration follows, by the policies.

    Args:
        memory: the search memory, with the legal actions and their edges.
        search: counts the calls, and has the address of the guide.
        node: the node of the player to move.
    """
    graph = memory.graph
    policies = memory.policies
    others = acting_player(memory.work) != memory.player
    if policies.trust > 0.0 and others and random_unit(me.rng) < policies.trust:
        used = guided_edge(memory, search, node)
        if used != NOT_GUIDED:
            return used
    if policies.smooth > 0.0 and random_unit(me.rng) < policies.smooth:
        return select_by_average(memory, node, me.rng)
    if policies.selection != Selection.UCB:
        return draw_from_mix(memory, node, policies.gamma, me.rng)
    if policies.network != 0:
        set_priors(memory, search, node)
        return select_puct(memory, node, me.rng)
    used = select_available(memory, node, me.rng)
    if policies.widening > 0.0:
        if array_at(graph.edges, EDGE, graph.edge_room)[used].visits == 0:
            return best_untried(memory, me, search, game, used)
    return used


def set_priors(memory: SearchMemory, search: Any, node: int) -> None:
    """Asks the network about a node, unless the priors of all available edges are known.

    The network sees what the mover sees in the present determinization; an edge keeps the prior
    that it had when it was first available.

    Args:
        memory: the search memory, with the legal actions and their edges.
        search: has the address of the rules.
        node: the node of the player to move.
    """
    graph = memory.graph
    count = memory.legal_count
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    first = array_at(graph.nodes, NODE, graph.room)[node].first
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    known = 0
    while known < count and edges[first + available[known]].average > 0.0:
        known += 1
    if known == count:
        return
    network = memory.policies.network
    room = record_at(network, NETWORK).room
    last = run_network(network, search.rules, memory.work, acting_player(memory.work), room)
    write_policy(network, last, memory.buffer, count, memory.shares)
    shares = array_at(memory.shares, FLOAT64, count)
    for k in range(count):
        edge = edges[first + available[k]]
        if edge.average <= 0.0:
            edge.average = max(shares[k], LEAST_PRIOR)


def guided_edge(memory: SearchMemory, search: Any, node: int) -> int:
    """The edge of the action that the guide chooses in the working state, or ``NOT_GUIDED``.

    Args:
        memory: the search memory, with the legal actions and their edges.
        node: the node of the player to move.
    """
    count = memory.legal_count
    action = ask_guide(search, memory.work, memory.buffer, count)
    legal = record_at(memory.buffer, ACTION_LIST)
    first = array_at(memory.graph.nodes, NODE, memory.graph.room)[node].first
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    for k in range(count):
        if legal.items[k] == action:
            return int(first + available[k])
    return NOT_GUIDED


def try_in_turn(memory: SearchMemory, search: Any, game: Rules, root_key: int) -> None:
    """Plays the root's next action on the working state; all actions are tried equally often."""
    graph = memory.graph
    root = find_node(graph, root_key)
    if root == NOTHING:
        root = make_node(graph, root_key, memory.player)
        count = legal_actions(game, memory.work, memory.buffer)
        add_edges(graph, root, record_at(memory.buffer, ACTION_LIST), count)
    node = array_at(graph.nodes, NODE, graph.room)[root]
    memory.depth = 0
    if node.count == 0:
        return
    used = node.first + search.iterations % node.count
    array_at(memory.path_nodes, INT32, MAX_DEPTH)[0] = root
    array_at(memory.path_edges, INT32, MAX_DEPTH)[0] = used
    memory.depth = 1
    apply_action(game, memory.work, array_at(graph.edges, EDGE, graph.edge_room)[used].action)
    search.calls += 1


def find_available(memory: SearchMemory, number: int, count: int) -> bool:
    """Finds a node's edges of the legal actions, adds missing ones, and counts their availability.

    Writes the index of each edge within the node, and the number of edges, to the search memory.

    Args:
        number: the number of the node in the graph.
        count: the number of legal actions.

    Returns:
        Whether there was room for all edges.
    """
    graph = memory.graph
    legal = record_at(memory.buffer, ACTION_LIST)
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    memory.legal_count = count
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    if node.count == 0 and not add_edges(graph, number, legal, count):
        return False
    hint = 0  # legal actions mostly come in the order of the edges
    for i in range(count):
        used = node.first + hint
        if hint >= node.count or edges[used].action != legal.items[i]:
            used = find_edge(graph, number, legal.items[i], hint)
            if used < 0:
                if node.count == node.room and not make_room(graph, number, 2 * node.count):
                    return False
                used = node.first + node.count
                fresh_edge(graph, edges[used], number, legal.items[i])
                node.count += 1
        edges[used].available += 1
        available[i] = used - node.first
        hint = used - node.first + 1
    return True


def best_untried(memory: SearchMemory, me: Any, search: Any, game: Rules, used: int) -> int:
    """The best, by the value one step ahead, of the edge `used` and random ones never tried."""
    tries = memory.policies.tries
    if tries == 1:
        return used
    graph = memory.graph
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    first = array_at(graph.nodes, NODE, graph.room)[edges[used].owner].first
    available = array_at(memory.available, INT32, MAX_ACTIONS)
    best = used
    best_value = value_ahead(game, search, memory.work, edges[best].action)
    for _ in range(1, tries):
        other = first + available[random_below(me.rng, memory.legal_count)]
        if other != best and edges[other].visits == 0:
            value = value_ahead(game, search, memory.work, edges[other].action)
            if value > best_value:
                best, best_value = other, value
    return best


def back_up_open_loop(memory: SearchMemory) -> None:
    """Adds the values of an iteration to the edges on its path."""
    path_nodes = array_at(memory.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(memory.path_edges, INT32, MAX_DEPTH)
    values = array_at(memory.values, FLOAT64, MAX_PLAYERS)
    for i in range(memory.depth):
        if memory.policies.selection != Selection.UCB:
            learn_mix(memory, path_nodes[i], path_edges[i], values)
        count_choice(memory.graph, path_nodes[i], path_edges[i], values)


def learn_mix(memory: SearchMemory, number: int, used: int, values: Any) -> None:
    """Adds a node's strategy to its average, and then updates it by the value of an action."""
    graph = memory.graph
    value = values[array_at(graph.nodes, NODE, graph.room)[number].mover]
    add_to_average(graph, number, memory.policies.selection, 1.0)
    learn_from_draw(memory, number, used, value, 1.0)
