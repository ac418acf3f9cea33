"""The store of every tree search: nodes with a key, their edges, and recycling.

The key of a node is a 64-bit hash: of the actions that led to it, of the state, or of what the
player to move sees of it. Unless it is a hash of actions, several paths may lead to one node; so
the nodes form a graph. The edges of a node are its actions and lie together in memory. The
statistics of an action are kept at its edge, so that selection reads one piece of memory. When
memory runs short, half of the nodes are dropped, those visited least and longest ago; so a search
never has to stop, and can continue with the same graph at the next decision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.contract import Rules
from kibitz.core.hidden import FORGOTTEN, SLOT, count_seen, is_shown, mask_hidden, slot_length
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, INT64, Address, array_at, clear_bytes, copy_bytes, record_at
from kibitz.players.search import padded

FLOAT32 = np.dtype(np.float32)
INT32 = np.dtype(np.int32)

GRAPH = np.dtype(
    [
        (name, np.int64)
        for name in (
            "players",
            "room",  # number of nodes that fit, including number 0, which stands for no node
            "edge_room",
            "places",  # of the hash table
            "state_size",  # of a node's copy of its state, in bytes; 0: none is kept
            "nodes",  # addresses: NODE[room]
            "edges",  # EDGE[edge_room]
            "bounds",  # FLOAT32[2 * players * room]: of each node for each player, low and high
            "states",
            "table",  # INT32[places]: numbers of nodes, by their keys
            "used",  # the first node that was never used
            "free",  # the first of the nodes given up, linked by `first`; 0: none
            "spare",  # number of nodes given up
            "edges_used",
            "generation",  # of the decision at hand
            "crowded",  # whether there was no room for something
        )
    ]
    + [
        (name, np.float64)
        for name in (
            "least",  # value that there can be, or -infinity,
            "most",  # or infinity
            "low",  # the least value that selection has to expect,
            "high",  # and the most: both are known, or have been met
        )
    ]
)

NODE = np.dtype(
    [
        ("key", np.int64),
        ("first", np.int32),  # its first edge
        ("count", np.int32),  # number of its edges; 0: not expanded yet
        ("room", np.int32),  # number of edges that fit
        ("mover", np.int32),  # whose decision it is; -1: the node is not in use
        ("visits", np.int32),
        ("touched", np.int32),  # the generation of the last visit
        ("passed", np.int32),  # the last iteration that came by
        ("plies", np.int32),  # to the end, where the outcome is certain
    ]
)

EDGE = np.dtype(
    [
        ("action", np.int64),
        ("total", np.float64),  # of values to the mover
        ("regret", np.float64),  # of not having chosen it, where players mix; or Exp3's rewards
        ("average", np.float64),  # its weight in the strategies so far, where players mix;
        # with a network its prior probability, 0: not known yet
        ("visits", np.int32),
        ("available", np.int32),  # how often the action could be chosen, where that varies
        ("child", np.int32),  # the node it leads to, or led to last; 0: unknown or given up
        ("owner", np.int32),  # the node it belongs to
        ("low", np.float32),  # bounds of the value to the mover
        ("high", np.float32),
        ("plies", np.int32),  # to the end, where the outcome is certain
        ("chance", np.int32),  # whether it leads to different nodes
    ]
)

NODE_SIZE = NODE.itemsize
EDGE_SIZE = EDGE.itemsize
NOTHING = 0
"""The number that stands for no node."""
EDGES_PER_NODE = 6
"""The edges reserved for each node of a large graph: nodes visited only once need no edges."""
EDGES_PER_FEW_NODES = 256
"""The edges reserved for each node of a small graph, whose nodes may all have many actions."""
EDGES_OF_FEW_NODES = 1_200_000
"""The most edges that a graph gets by ``EDGES_PER_FEW_NODES``."""
MOST_KEPT_STATE = 512
"""The size in bytes of the largest states that are kept with nodes; larger ones are replayed."""

BEFORE_COUNTERS = HEADER.fields["players"][1] // 8  # type: ignore[index]
_COUNTERS = HEADER.fields["turn"][1] // 8  # type: ignore[index]
_AFTER_COUNTERS = HEADER.fields["first_player"][1] // 8  # type: ignore[index]
_RANKS = 34


# --- memory ---------------------------------------------------------------------------------


def graph_memory(players: int, state_size: int, room: int) -> int:
    """Bytes for a graph of `room` nodes."""
    sizes = (
        room * NODE_SIZE,
        edge_room(room) * EDGE_SIZE,
        room * 8 * players,
        room * kept_size(state_size),
        table_size(room) * 4,
    )
    return sum(padded(size) for size in sizes)


def kept_size(state_size: int) -> int:
    """Bytes of the state that is kept with a node; 0 if none is kept."""
    return padded(state_size) if state_size <= MOST_KEPT_STATE else 0


def edge_room(room: int) -> int:
    """The number of edges to reserve for `room` nodes."""
    few = min(EDGES_PER_FEW_NODES * room, EDGES_OF_FEW_NODES)
    return max(few, EDGES_PER_NODE * room) + 4 * MAX_ACTIONS


def table_size(nodes: int) -> int:
    """Places of the hash table: a power of two, at least twice the nodes."""
    size = 16
    while size < 2 * nodes:
        size *= 2
    return size


def lay_out(
    graph: Any,
    base: Address,
    rules: Rules,
    nodes: int,
    room: int,
    keeps_states: bool,
) -> None:
    """Lays out the graph in memory.

    Args:
        graph: the ``GRAPH`` record.
        base: where the memory begins.
        nodes: the number of nodes that fit into the memory.
        room: the number of nodes to use.
        keeps_states: whether small states are kept with their nodes.
    """
    graph.players = rules.players
    graph.room = room
    graph.edge_room = edge_room(nodes)
    graph.places = table_size(room)
    graph.state_size = kept_size(rules.state_size) if keeps_states else 0
    graph.nodes = base
    graph.edges = graph.nodes + padded(room * NODE_SIZE)
    graph.bounds = graph.edges + padded(graph.edge_room * EDGE_SIZE)
    graph.states = graph.bounds + padded(room * 8 * rules.players)
    graph.table = graph.states + padded(room * graph.state_size)


def empty(graph: Any) -> None:
    """Forgets all nodes."""
    graph.used = 1
    graph.free = NOTHING
    graph.spare = 0
    graph.edges_used = 0
    graph.crowded = 0
    clear_bytes(graph.table, 4 * graph.places)


# --- values -----------------------------------------------------------------------------------


def set_range(graph: Any, open_ended: bool) -> None:
    """Sets the range of possible values: 0 to 1, or unbounded, where none has been met yet."""
    graph.least = -math.inf if open_ended else 0.0
    graph.most = math.inf if open_ended else 1.0
    graph.low = math.inf if open_ended else 0.0
    graph.high = -math.inf if open_ended else 1.0


def note_values(graph: Any, values: Any) -> None:
    """Widens the range of values that were met, where values are unbounded.

    Selection scales values by this range, so exploration does not depend on the unit of the score
    (Schrittwieser et al., "Mastering Atari, Go, chess and shogi by planning with a learned model",
    2020, appendix B).
    """
    if graph.most == 1.0:
        return
    for p in range(graph.players):
        graph.low = min(graph.low, values[p])
        graph.high = max(graph.high, values[p])


def unit_of(graph: Any) -> float:
    """The factor that scales differences of values to 0 to 1."""
    return 1.0 / (graph.high - graph.low) if graph.high > graph.low else 0.0


def share_of_range(graph: Any, value: float) -> float:
    """A value scaled from the range of values to 0 to 1."""
    if graph.high <= graph.low:
        return 0.5
    return min(1.0, max(0.0, (value - graph.low) * unit_of(graph)))


# --- keys -----------------------------------------------------------------------------------


def state_key(rules: Rules, state: Address) -> int:
    """A hash of a state without its random stream and, unless ``rules.timed``, without its age."""
    words = array_at(state, INT64, rules.state_size >> 3)
    key = -7046029254386353131
    for i in range(BEFORE_COUNTERS, _COUNTERS):
        key = mixed(key, words[i])
    header = record_at(state, HEADER)
    key = mixed(key, header.turn_owner)
    if rules.timed:
        key = mixed(key, header.turn | header.round << 32)
        key = mixed(key, header.tick)
    for i in range(_AFTER_COUNTERS, len(words)):
        key = mixed(key, words[i])
    return key ^ key >> 29


def observation_key(rules: Rules, state: Address, view: Address, player: int) -> int:
    """A hash of what `player` sees of a state; `view` is room for a copy."""
    copy_bytes(view, state, rules.state_size)
    mask_hidden(rules, view, player)
    return state_key(rules, view)


def insight_key(rules: Rules, state: Address, player: int) -> int:
    """A hash of what `player` has seen in places whose contents are not shown to them.

    It changes with a look at another's card or with a percept, but not with a card drawn.
    """
    key = 0
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    for s in range(rules.slot_count):
        slot = slots[s]
        if slot.pool == FORGOTTEN or count_seen(state + slot.seen, slot.capacity, player) == 0:
            continue
        if slot.shown_to >= 0 and is_shown(state + slot.shown_to, player):
            continue
        values = array_at(state + slot.values, INT16, slot.capacity)
        masks = array_at(state + slot.seen, INT16, slot.capacity)
        for i in range(slot_length(slot, state)):
            if masks[i] >> player & 1 != 0:
                key = mixed(mixed(key, s << 16 | i), values[i])
    return key


def mixed(key: int, word: int) -> int:
    """A hash of a key and another word; with an action, the key of the extended path."""
    key = (key ^ word) * -7046029254386353131
    return key ^ key >> 32


# --- nodes and edges ------------------------------------------------------------------------


def find_place(graph: Any, key: int) -> int:
    """The place in the hash table of the node with this key, or the free one where it belongs."""
    nodes = array_at(graph.nodes, NODE, graph.room)
    table = array_at(graph.table, INT32, graph.places)
    mask = graph.places - 1
    place = key & mask
    while table[place] != NOTHING and nodes[table[place]].key != key:
        place = (place + 1) & mask
    return place


def find_node(graph: Any, key: int) -> int:
    """The number of the node with this key, or 0."""
    return int(array_at(graph.table, INT32, graph.places)[find_place(graph, key)])


def make_node(graph: Any, key: int, mover: int) -> int:
    """Makes a node; returns its number, or 0 if there is no room."""
    nodes = array_at(graph.nodes, NODE, graph.room)
    number = graph.free
    if number != NOTHING:
        graph.free = nodes[number].first
        graph.spare -= 1
    elif graph.used < graph.room:
        number = graph.used
        graph.used += 1
    else:
        graph.crowded = 1
        return NOTHING
    node = nodes[number]
    node.key = key
    node.first = 0
    node.count = 0
    node.room = 0
    node.mover = mover
    node.visits = 0
    node.touched = graph.generation
    node.passed = 0
    node.plies = 0
    bounds = bounds_of(graph, number)
    for p in range(graph.players):
        bounds[2 * p] = graph.least
        bounds[2 * p + 1] = graph.most
    array_at(graph.table, INT32, graph.places)[find_place(graph, key)] = number
    return int(number)


def bounds_of(graph: Any, number: int) -> Any:
    """A node's bounds: low and high for each player."""
    return array_at(graph.bounds + 8 * graph.players * number, FLOAT32, 2 * graph.players)


def kept_state(graph: Any, number: int) -> Address:
    """The address of the state that is kept with a node."""
    return int(graph.states + graph.state_size * number)


def add_edges(graph: Any, number: int, legal: Any, count: int) -> bool:
    """Gives a node an edge for each legal action; returns whether there was room."""
    if not make_room(graph, number, count):
        return False
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    node = array_at(graph.nodes, NODE, graph.room)[number]
    for i in range(count):
        fresh_edge(graph, edges[node.first + i], number, legal.items[i])
    node.count = count
    return True


def fresh_edge(graph: Any, edge: Any, owner: int, action: int) -> None:
    """Initialises an edge without visits."""
    edge.action = action
    edge.total = 0.0
    edge.regret = 0.0
    edge.average = 0.0
    edge.visits = 0
    edge.available = 0
    edge.child = NOTHING
    edge.owner = owner
    edge.low = graph.least
    edge.high = graph.most
    edge.plies = 0
    edge.chance = 0


def make_room(graph: Any, number: int, count: int) -> bool:
    """Gives a node room for `count` edges, which may move them; returns whether it succeeded."""
    node = array_at(graph.nodes, NODE, graph.room)[number]
    if node.room >= count:
        return True
    if graph.edges_used + count > graph.edge_room:
        graph.crowded = 1
        return False
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    if node.count > 0:
        copy_bytes(
            graph.edges + EDGE_SIZE * graph.edges_used,
            graph.edges + EDGE_SIZE * node.first,
            EDGE_SIZE * node.count,
        )
    for i in range(node.count, count):
        fresh_edge(graph, edges[graph.edges_used + i], number, -1)
    node.first = graph.edges_used
    node.room = count
    graph.edges_used += count
    return True


def find_edge(graph: Any, number: int, action: int, hint: int) -> int:
    """The edge of a node's action, or -1.

    Args:
        number: the number of the node in the graph.
        hint: the index, within the node, of the edge to look at first; the later ones follow.
    """
    node = array_at(graph.nodes, NODE, graph.room)[number]
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    for i in range(node.first + hint, node.first + node.count):
        if edges[i].action == action:
            return int(i)
    for i in range(node.first, node.first + min(hint, node.count)):
        if edges[i].action == action:
            return int(i)
    return -1


def count_visit(graph: Any, number: int) -> None:
    """Counts a visit of a node."""
    node = array_at(graph.nodes, NODE, graph.room)[number]
    node.visits += 1
    node.touched = graph.generation


def count_choice(graph: Any, number: int, used: int, values: Any) -> None:
    """Counts a visit of a node and of the edge `used`, and adds the value to the mover."""
    count_visit(graph, number)
    edge = array_at(graph.edges, EDGE, graph.edge_room)[used]
    edge.visits += 1
    edge.total += values[array_at(graph.nodes, NODE, graph.room)[number].mover]


# --- recycling ------------------------------------------------------------------------------


def recycle(graph: Any, root: int) -> None:
    """Frees the nodes of least use until at most half of the room is taken."""
    nodes = array_at(graph.nodes, NODE, graph.room)
    limit = lowest_rank(graph)
    for number in range(1, graph.used):
        node = nodes[number]
        if node.mover >= 0 and number != root and rank(graph, node) < limit:
            node.mover = -1
            node.first = graph.free
            graph.free = number
            graph.spare += 1
    move_edges_together(graph)
    clear_bytes(graph.table, 4 * graph.places)
    table = array_at(graph.table, INT32, graph.places)
    for number in range(1, graph.used):
        if nodes[number].mover >= 0:
            table[find_place(graph, nodes[number].key)] = number
    graph.crowded = 0


def rank(graph: Any, node: Any) -> int:
    """The logarithm of a node's visits, lowered for each decision since its last visit."""
    visits = node.visits >> min(30, 2 * (graph.generation - node.touched))
    bits = 0
    while visits > 0:
        visits >>= 1
        bits += 1
    return bits


def lowest_rank(graph: Any) -> int:
    """The lowest rank for which all nodes of at least this rank fill at most half of the room."""
    nodes = array_at(graph.nodes, NODE, graph.room)
    count = array_at(graph.table, INT64, _RANKS)  # the table will be written anew
    edge_count = array_at(graph.table + 8 * _RANKS, INT64, _RANKS)
    for i in range(_RANKS):
        count[i] = 0
        edge_count[i] = 0
    for number in range(1, graph.used):
        if nodes[number].mover >= 0:
            high = rank(graph, nodes[number])
            count[high] += 1
            edge_count[high] += nodes[number].room
    limit = _RANKS
    nodes_left = graph.room >> 1
    edges_left = graph.edge_room >> 1
    while limit > 0 and count[limit - 1] <= nodes_left and edge_count[limit - 1] <= edges_left:
        limit -= 1
        nodes_left -= count[limit]
        edges_left -= edge_count[limit]
    return limit


def move_edges_together(graph: Any) -> None:
    """Compacts the edges of the nodes that remain."""
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    target = 0
    i = 0
    while i < graph.edges_used:
        node = nodes[edges[i].owner]
        if node.mover < 0 or node.first != i or node.room == 0:
            i += 1
            continue
        node.first = target
        for _ in range(node.room):
            if i != target:
                copy_bytes(
                    graph.edges + EDGE_SIZE * target, graph.edges + EDGE_SIZE * i, EDGE_SIZE
                )
            if nodes[edges[target].child].mover < 0:
                edges[target].child = NOTHING
            target += 1
            i += 1
    graph.edges_used = target
