"""The memory of a tree search: its policies, its working states and its graph.

It lies in one piece behind the ``SEARCH`` record and the working states of the agent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.chance import chance_mark, renew_chance
from kibitz.core.contract import Rules
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, array_at, copy_bytes, record_at
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.players.averages import (
    NOTES_SIZE,
    TABLE_SIZE,
    forget_averages,
    lay_out_averages,
    learn_from,
    note_action,
)
from kibitz.players.evaluation import evaluate, value_of, values_deal
from kibitz.players.graph import (
    EDGE,
    GRAPH,
    INT32,
    NODE,
    empty,
    graph_memory,
    lay_out,
    note_values,
    set_range,
)
from kibitz.players.network import NETWORK, run_network, write_values
from kibitz.players.playouts import play_out
from kibitz.players.policies import MAX_DEPTH, POLICIES, Loop
from kibitz.players.search import (
    Learn,
    Utility,
    acting_player,
    after_states,
    padded,
    search_memory,
    state_address,
)

STATES = 5
"""The number of working states.

They are the state of an iteration, one for observations and looking ahead, the state where
playouts begin, the state before a choice that may be taken back, and one to try actions in.
"""


MEMORY = np.dtype(
    [
        ("graph", GRAPH),
        ("policies", POLICIES),
        ("observation", np.int64),  # addresses: of the state at hand,
        ("work", np.int64),  # of the state that an iteration plays on,
        ("aside", np.int64),  # of one for observations and for looking ahead,
        ("leaf", np.int64),  # of the one where several playouts begin,
        ("buffer", np.int64),  # of an ACTION_LIST,
        ("values", np.int64),  # FLOAT64[MAX_PLAYERS]: of an iteration
        ("path_nodes", np.int64),  # INT32[MAX_DEPTH]: the path of an iteration,
        ("path_edges", np.int64),  # INT32[MAX_DEPTH]: of which the end is cut off when longer
        ("available", np.int64),  # INT32[MAX_ACTIONS]: edges of the legal actions, in their node
        ("legal_count", np.int64),  # number of these actions
        ("shares", np.int64),  # FLOAT64[MAX_ACTIONS]: a network's policy
        ("trace", np.int64),  # INT64[MAX_DEPTH]: choices of the playout behind the path
        ("line", np.int64),  # INT64[MAX_DEPTH]: choices of the best line
        ("line_keys", np.int64),  # INT64[MAX_DEPTH]: of the states where they are made
        ("player", np.int64),  # who thinks
        ("root", np.int64),  # the node of the state at hand
        ("depth", np.int64),  # of the path
        ("line_length", np.int64),
        ("line_at", np.int64),  # index of the state at hand in the line
        ("line_value", np.float64),
        ("iteration", np.int64),  # in this game
        ("hidden", np.int64),  # whether anything is hidden in this game
        ("chance", np.int64),  # whether there is chance in it
        ("outcomes", np.int64),  # seen
        ("varies", np.int64),  # whether they add up to different sums
        ("total", np.float64),  # what they add up to
        ("sums", np.float64, (MAX_PLAYERS,)),  # of the values of several playouts
        ("before", np.float64, (MAX_PLAYERS,)),  # what the state where they begin is worth
        ("belief", np.int64),  # address of a BELIEF that holds now; 0: there is none
        ("sample", np.int64, (4,)),  # the random stream of a sample
    ]
)

SearchMemory = Any
"""The type of a ``MEMORY`` record."""

MEMORY_SIZE = padded(MEMORY.itemsize)
POLICIES_AT = MEMORY.fields["policies"][1]  # type: ignore[index]
POLICIES_SIZE = POLICIES.itemsize
VALUES_SIZE = padded(8 * MAX_PLAYERS)
PATH_SIZE = 4 * MAX_DEPTH
AVAILABLE_SIZE = 4 * MAX_ACTIONS
SHARES_SIZE = 8 * MAX_ACTIONS
REPLIES_SIZE = padded(ACTION_LIST.itemsize)
LINE_SIZE = 8 * MAX_DEPTH
SPARE_NODES = 2
"""The nodes beside those of ``max_nodes``: number 0, for no node, and the current state's."""


def core_memory(table: Table, policies: Any) -> int:
    """Bytes of working memory for a tree search by these ``POLICIES``."""
    own = MEMORY_SIZE + VALUES_SIZE + 2 * PATH_SIZE + AVAILABLE_SIZE + 3 * LINE_SIZE
    own += SHARES_SIZE + REPLIES_SIZE
    own += TABLE_SIZE + NOTES_SIZE
    nodes = int(policies["max_nodes"]) + SPARE_NODES
    graph = graph_memory(table.players, table.state_size, nodes)
    return search_memory(table, STATES) + own + graph


def memory_of(agent: Any, game: Rules) -> SearchMemory:
    """The record in the working memory of an agent."""
    return record_at(after_states(agent.memory, game, STATES), MEMORY)


def prepare(memory: SearchMemory, search: Any, agent: Any, game: Rules) -> None:
    """Sets all addresses but that of the graph, and how playouts choose, for the next decision.

    Choices of playouts are recorded where there is a single player.
    """
    memory.work = state_address(agent.memory, game, 0)
    memory.aside = state_address(agent.memory, game, 1)
    memory.leaf = state_address(agent.memory, game, 2)
    memory.buffer = state_address(agent.memory, game, STATES)
    memory.values = after_states(agent.memory, game, STATES) + MEMORY_SIZE
    memory.path_nodes = memory.values + VALUES_SIZE
    memory.path_edges = memory.path_nodes + PATH_SIZE
    memory.available = memory.path_edges + PATH_SIZE
    memory.shares = memory.available + AVAILABLE_SIZE
    memory.trace = memory.shares + SHARES_SIZE
    memory.line = memory.trace + LINE_SIZE
    memory.line_keys = memory.line + LINE_SIZE
    search.trace = memory.trace
    search.trace_room = MAX_DEPTH if game.players == 1 else 0
    search.actions = memory.buffer
    search.ahead = memory.aside
    search.before = state_address(agent.memory, game, 3)
    search.trial = state_address(agent.memory, game, 4)
    search.replies = memory.line_keys + LINE_SIZE
    search.rollout_length = memory.policies.rollout_length
    search.tries = memory.policies.tries
    search.decisive = memory.policies.decisive


def prepare_graph(memory: SearchMemory, search: Any, game: Rules, room: int, fresh: bool) -> None:
    """Lays out the averages and the graph for the next decision.

    Args:
        room: the number of nodes to use; a smaller graph is emptied faster.
        fresh: whether the search begins with an empty graph.
    """
    base = memory.line_keys + LINE_SIZE + REPLIES_SIZE
    policies = memory.policies
    lay_out_averages(search.averages, base, policies.learn, policies.epsilon)
    if fresh and policies.learn != Learn.NONE:
        forget_averages(search.averages)
    base += TABLE_SIZE + NOTES_SIZE
    nodes = policies.max_nodes + SPARE_NODES
    lay_out(memory.graph, base, game, nodes, room + SPARE_NODES, policies.loop == Loop.CLOSED)
    if fresh:
        if memory.graph.used > 0:
            empty(memory.graph)
        memory.graph.used = 1  # memory that was never used is large, and zero already
        memory.graph.generation = 0
        memory.line_length = 0
        memory.iteration = 0
        memory.hidden = 0
        memory.chance = 0
        memory.outcomes = 0
        memory.varies = 0
        set_range(memory.graph, memory.policies.by == Utility.SCORE)
    memory.graph.generation += 1


def copy_policies(agent: Any, game: Rules) -> None:
    """Copies an agent's policies into its memory, because some change during a search."""
    place = after_states(agent.memory, game, STATES) + POLICIES_AT
    copy_bytes(place, agent.options, POLICIES_SIZE)


def play_on(memory: SearchMemory, me: Any, search: Any, game: Rules) -> bool:
    """Runs a playout from the working state and evaluates its end; ``False`` if time ran out.

    With a network its value replaces the playout, or is averaged with it.
    """
    header = record_at(memory.work, HEADER)
    policies = memory.policies
    values = array_at(memory.values, FLOAT64, MAX_PLAYERS)
    repeats = policies.playouts > 1
    mixes = policies.mix > 0.0 and header.status == Status.PLAYING
    mixes = mixes and not values_deal(search, memory.work)
    weight = policies.mix
    if mixes:
        for p in range(game.players):
            memory.before[p] = value_of(game, search, memory.work, p)
    if policies.network != 0 and header.status == Status.PLAYING:
        ask_network(memory, search)
        mixes = True
        weight = policies.leaf
        if weight == 1.0:
            for p in range(game.players):
                values[p] = memory.before[p]
            note_values(memory.graph, values)
            return True
    if repeats:
        copy_bytes(memory.leaf, memory.work, game.state_size)
    for number in range(policies.playouts):
        if number > 0:
            copy_bytes(memory.work, memory.leaf, game.state_size)
            renew_chance(me.rng, header)
        drawn = chance_mark(header)
        if policies.learn != Learn.NONE:
            note_path(memory, search)
        if not play_out(game, search, memory.work, me.rng):
            return False
        if chance_mark(header) != drawn:
            memory.chance = 1
        evaluate(game, search, memory.work, values)
        if policies.learn != Learn.NONE:
            learn_from(search.averages, values)
        if repeats:
            for p in range(game.players):
                memory.sums[p] = values[p] + (memory.sums[p] if number > 0 else 0.0)
                values[p] = memory.sums[p] / (number + 1)
    if mixes:
        for p in range(game.players):
            values[p] += weight * (memory.before[p] - values[p])
    note_values(memory.graph, values)
    return True


def ask_network(memory: SearchMemory, search: Any) -> None:
    """Writes the network's values of the working state, from the observation of its mover."""
    network = record_at(memory.policies.network, NETWORK)
    mover = acting_player(memory.work)
    last = run_network(memory.policies.network, search.rules, memory.work, mover, network.room)
    write_values(network, last, mover, memory.policies.by == Utility.SCORE, memory.before)


def note_path(memory: SearchMemory, search: Any) -> None:
    """Notes the choices of the path, so that averages learn from them as from the playout's."""
    graph = memory.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    path_nodes = array_at(memory.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(memory.path_edges, INT32, MAX_DEPTH)
    search.averages.before = 0
    for i in range(memory.depth):
        note_action(search.averages, edges[path_edges[i]].action, nodes[path_nodes[i]].mover)
