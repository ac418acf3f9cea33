"""Monte Carlo tree search, with and without information sets.

One search serves several algorithms, by options:

- ``mcts``: UCT (Kocsis and Szepesvári 2006) for any number of players (max^n), on the
  observation it is given. *Open loop* derives states anew in every iteration with fresh chance;
  *closed loop* keeps chance as it was first met, so that each node is one state.
- ``ismcts``: single-observer information set MCTS (Cowling, Powley and Whitehouse 2012): a
  new sample of the hidden in every iteration, and UCB over the actions that are available in
  it. With ``trees=many`` every player's nodes are their own information sets, so that
  opponents do not share the searcher's ignorance of their hands.

Where luck weighs more than an action does, ``samples`` has the iterations go round in a few
samples: what is hidden and the game's own chance are drawn for these once, so that actions are
compared by the same deals; rollouts are drawn anew each time. Where most random actions do harm,
``tries`` has rollouts play the best of a few, as the heuristic says one step ahead. Then
``widening`` lets a node grow slowly (progressive widening, Coulom 2007): the best of a few untried
actions is tried as often as the square root of the node's visits allows.

The root child with the most visits is played; among equals the one of the highest value.
"""

from __future__ import annotations

import enum
import math
from typing import Any

from kibitz.agents.evaluation import evaluate
from kibitz.agents.graph import mixed
from kibitz.agents.playouts import play_out, value_ahead
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
)
from kibitz.agents.tree import (
    INT32,
    MAX_DEPTH,
    NODE,
    NODE_SIZE,
    ROOT,
    back_up,
    clear_table,
    find_place,
    make_node,
    table_size,
    tree_memory,
    upper_bound,
)
from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import (
    RULES,
    Rules,
    apply_action,
    legal_actions,
    mask_hidden,
    redeterminize,
)
from kibitz.core.errors import AgentOptionError
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below, split_stream, start_stream
from kibitz.core.status import MAX_PLAYERS, Status

STATES = 3
"""Working states: one played on, one to look at through others' eyes, one to look ahead in."""
LUCK_SIZE = padded(8 * 4)
"""Room for the random stream of a sample."""
VALUES_SIZE = padded(8 * MAX_PLAYERS)
"""Room for each player's value of one iteration."""


MOST_SEED = 2**31 - 1


class Loop(enum.IntEnum):
    """Whether chance is met anew in every iteration."""

    OPEN = 0
    CLOSED = 1


class Trees(enum.IntEnum):
    """Whose information sets the nodes are."""

    SINGLE = 0
    MANY = 1


class TreeOptions(Budgeted):
    """Options common to the tree searches."""

    c = Tunable(1.4142135623730951, (0.0, 100.0), "weight of exploration in UCB")
    rollout_length = Tunable(-1, range(-1, 100_001), "actions of a rollout; -1: to the end")
    tries = Tunable(
        1,
        range(1, 101),
        "random actions of which a rollout plays the best; of several each costs a call",
    )
    widening = Tunable(
        0.0, (0.0, 100.0), "children for the square root of visits, in open loop; 0: all"
    )
    samples = Tunable(0, range(10_001), "samples to go round in, in open loop; 0: ever fresh ones")
    depth = Tunable(0, range(MAX_DEPTH), "deepest level of the tree; 0: unlimited")
    max_nodes = Tunable(200_000, range(100, 100_000_001), "nodes of the tree; more are not kept")


class MctsOptions(TreeOptions):
    """Options of ``mcts``."""

    loop = Tunable(Loop.OPEN, doc="open: fresh chance in each iteration; closed: as first met")

    def __init__(self, /, **values: Any) -> None:
        super().__init__(**values)
        chosen = self.as_dict()
        if chosen["loop"] == Loop.CLOSED:
            for name in ("samples", "widening"):
                if chosen[name] != 0:
                    raise AgentOptionError(
                        f"option {name} is for loop=open and does nothing with loop=closed:"
                        " leave one of them out."
                    )


class IsmctsOptions(TreeOptions):
    """Options of ``ismcts``."""

    c = Tunable(0.7, (0.0, 100.0), "weight of exploration in UCB")
    trees = Tunable(Trees.SINGLE, doc="single: the searcher's view; many: each player's own")


TREE_OPTIONS = TreeOptions.dtype()
"""What the options of both searches begin with: so either can be read as it."""
MCTS_OPTIONS = MctsOptions.dtype()
ISMCTS_OPTIONS = IsmctsOptions.dtype()


class MctsAgent(NativeAgent):
    """Monte Carlo tree search on the observation as it is given."""

    name = "mcts"
    Options = MctsOptions

    def memory_size(self, table: Table) -> int:
        return tree_search_memory(table, self.options.max_nodes + MAX_ACTIONS)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches, and returns the most visited action."""
        options = record_at(record_at(agent, AGENT).options, MCTS_OPTIONS)
        if options.loop == Loop.CLOSED:
            return search_closed(agent, rules, observation, actions, count)
        return search_open(agent, rules, observation, actions, count, False, False)


class IsmctsAgent(NativeAgent):
    """Information set Monte Carlo tree search."""

    name = "ismcts"
    Options = IsmctsOptions

    def memory_size(self, table: Table) -> int:
        return tree_search_memory(table, self.options.max_nodes + MAX_ACTIONS)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches, and returns the most visited action."""
        options = record_at(record_at(agent, AGENT).options, ISMCTS_OPTIONS)
        many = options.trees == Trees.MANY
        return search_open(agent, rules, observation, actions, count, True, many)


def tree_search_memory(table: Table, nodes: int) -> int:
    """Bytes for a search with a tree of so many nodes."""
    return search_memory(table, STATES) + VALUES_SIZE + LUCK_SIZE + tree_memory(nodes)


def search_open(
    agent: Address,
    rules: Address,
    observation: Address,
    actions: Address,
    count: int,
    resample: bool,
    many: bool,
) -> int:
    """Open-loop search; with `resample` over information sets, with `many` of every player."""
    me = record_at(agent, AGENT)
    game = record_at(rules, RULES)
    options = record_at(me.options, TREE_OPTIONS)
    search = record_at(me.memory, SEARCH)
    begin(search, me, options.iterations, options.milliseconds, options.calls)
    player = acting_player(observation)
    work = state_address(me.memory, game, 0)
    view = state_address(me.memory, game, 1)
    ahead = state_address(me.memory, game, 2)
    buffer = state_address(me.memory, game, STATES)
    header = record_at(work, HEADER)
    legal = record_at(buffer, ACTION_LIST)

    base = after_states(me.memory, game, STATES)
    values = array_at(base, FLOAT64, MAX_PLAYERS)
    base += VALUES_SIZE
    luck = array_at(base, INT64, 4)
    base += LUCK_SIZE
    first_sample = random_below(me.rng, MOST_SEED) if options.samples > 0 else 0
    room = options.max_nodes
    if search.iteration_limit > 0 and 2 * search.iteration_limit + 2 < room:
        room = 2 * search.iteration_limit + 2
    nodes = array_at(base, NODE, room)
    base += NODE_SIZE * room
    places = table_size(room)
    clear_table(base, places)
    table = array_at(base, INT32, places)
    path = array_at(base + 4 * places, INT32, MAX_DEPTH)
    make_node(nodes, ROOT, -1, 0, player)
    used = 1

    while may_go_on(search):
        copy_bytes(work, observation, game.state_size)
        if options.samples > 0:
            start_stream(luck, first_sample, search.iterations % options.samples)
            begin_world(game, work, player, luck, resample)
        else:
            begin_world(game, work, player, me.rng, resample)
        node = ROOT
        depth = 0
        growing = True
        while growing and header.status == Status.PLAYING and depth < MAX_DEPTH:
            if options.depth > 0 and depth >= options.depth:
                break
            number = legal_actions(game, work, buffer)
            if number == 0:
                break
            mover = header.player
            if many and depth > 0:
                key = view_key(game, work, view, mover)
                place = find_place(nodes, table, -2, key, mover)
                if table[place] == 0:
                    if used >= room:
                        break
                    make_node(nodes, used, -2, key, mover)
                    table[place] = used
                    used += 1
                node = table[place]
            chosen = select_available(
                nodes,
                table,
                node,
                mover,
                legal,
                number,
                options.c,
                options.widening,
                random_below(me.rng, number),
            )
            action = legal.items[chosen]
            place = find_place(nodes, table, node, action, mover)
            if table[place] == 0 and options.widening > 0.0:
                action = best_untried(
                    me, game, search, work, ahead, nodes, table, node, action, options.tries
                )
                place = find_place(nodes, table, node, action, mover)
            if table[place] == 0:
                if used >= room:
                    break
                make_node(nodes, used, node, action, mover)
                nodes[used].available = 1
                table[place] = used
                used += 1
                growing = False
            node = table[place]
            path[depth] = node
            depth += 1
            apply_action(game, work, action)
            search.calls += 1
        length = options.rollout_length
        if not play_out(game, search, work, ahead, buffer, me.rng, length, options.tries):
            break
        evaluate(game, work, values)
        back_up(nodes, path, depth, values)
        search.iterations += 1

    return most_visited(me, nodes, table, record_at(actions, ACTION_LIST), count, player)


def begin_world(game: Rules, state: Address, player: int, rng: Any, resample: bool) -> None:
    """Draws the luck to come, and with `resample` what `player` cannot know, too."""
    if resample:
        redeterminize(game, state, player, rng)
    else:
        split_stream(rng, record_at(state, HEADER).rng)


def most_visited(me: Any, nodes: Any, table: Any, legal: Any, count: int, player: int) -> int:
    """The root's action with the most visits, among equals the one of the highest value."""
    best = random_below(me.rng, count)
    most = 0
    highest = 0.0
    for i in range(count):
        node = table[find_place(nodes, table, ROOT, legal.items[i], player)]
        visits = nodes[node].visits if node > 0 else 0
        value = nodes[node].total / visits if visits > 0 else 0.0
        advise(me, legal.items[i], visits, value)
        if visits > most or (visits == most and value > highest):
            best = i
            most = visits
            highest = value
    return int(legal.items[best])


def select_available(
    nodes: Any,
    table: Any,
    parent: int,
    mover: int,
    legal: Any,
    number: int,
    c: float,
    widening: float,
    start: int,
) -> int:
    """The index of the action to try: one never tried, else the one of the highest bound.

    Every action that is available is counted as such (Cowling et al. 2012). The list is walked
    from `start`, so that a random start breaks ties at random. With `widening` one never tried is
    chosen only while fewer have been tried than that, for the square root of the visits.
    """
    best = start
    best_bound = -1.0
    untried = -1
    tried = 0
    visits = 0
    for k in range(number):
        i = start + k
        if i >= number:
            i -= number
        node = table[find_place(nodes, table, parent, legal.items[i], mover)]
        if node == 0:
            if untried < 0:
                untried = i
        else:
            nodes[node].available += 1
            tried += 1
            visits += nodes[node].visits
            if untried < 0 or widening > 0.0:
                bound = 1e300
                if nodes[node].visits > 0:
                    bound = upper_bound(nodes[node], nodes[node].available, c)
                if bound > best_bound:
                    best_bound = bound
                    best = i
    if untried < 0 or (widening > 0.0 and tried > 0 and tried >= widening * math.sqrt(visits)):
        return best
    return untried


def best_untried(
    me: Any,
    game: Rules,
    search: Any,
    state: Address,
    ahead: Address,
    nodes: Any,
    table: Any,
    parent: int,
    action: int,
    tries: int,
) -> int:
    """The best of `action` and random others that were never tried, one step ahead."""
    mover = acting_player(state)
    buffer = state_address(me.memory, game, STATES)
    legal = record_at(buffer, ACTION_LIST)
    best = action
    best_value = -1.0
    if tries > 1:
        best_value = value_ahead(game, search, state, ahead, best, mover)
    for _ in range(1, tries):
        other = legal.items[random_below(me.rng, legal.count)]
        if other != best and table[find_place(nodes, table, parent, other, mover)] == 0:
            value = value_ahead(game, search, state, ahead, other, mover)
            if value > best_value:
                best, best_value = other, value
    return int(best)


def view_key(rules: Rules, state: Address, view: Address, player: int) -> int:
    """A hash of what `player` sees of `state`; `view` is room for a copy."""
    copy_bytes(view, state, rules.state_size)
    mask_hidden(rules, view, player)
    words = array_at(view, INT64, rules.state_size // 8)
    key = 1469598103934665603
    for i in range(len(words)):
        key = mixed(key, words[i])
    return key


def search_closed(
    agent: Address, rules: Address, observation: Address, actions: Address, count: int
) -> int:
    """Closed-loop search: all iterations share the random stream of the root.

    So the same actions always lead to the same state, and a node's children never change.
    """
    me = record_at(agent, AGENT)
    game = record_at(rules, RULES)
    options = record_at(me.options, TREE_OPTIONS)
    search = record_at(me.memory, SEARCH)
    begin(search, me, options.iterations, options.milliseconds, options.calls)
    work = state_address(me.memory, game, 0)
    ahead = state_address(me.memory, game, 2)
    buffer = state_address(me.memory, game, STATES)
    header = record_at(work, HEADER)
    base = after_states(me.memory, game, STATES)
    values = array_at(base, FLOAT64, MAX_PLAYERS)
    base += VALUES_SIZE
    room = options.max_nodes + count  # so that there always is room for the root's children
    nodes = array_at(base, NODE, room)
    path = array_at(base + NODE_SIZE * room, INT32, MAX_DEPTH)
    make_node(nodes, ROOT, -1, 0, acting_player(observation))
    used = 1

    while may_go_on(search):
        copy_bytes(work, observation, game.state_size)
        node = ROOT
        depth = 0
        while header.status == Status.PLAYING and depth < MAX_DEPTH:
            if options.depth > 0 and depth >= options.depth:
                break
            if nodes[node].first == 0:
                number = legal_actions(game, work, buffer)
                if number == 0 or used + number > room:
                    break
                add_children(nodes, node, used, record_at(buffer, ACTION_LIST), header.player)
                shuffle_children(nodes, used, number, me.rng)
                used += number
            node = select_child(nodes, node, options.c)
            path[depth] = node
            depth += 1
            apply_action(game, work, nodes[node].action)
            search.calls += 1
            if nodes[node].visits == 0:
                break
        length = options.rollout_length
        if not play_out(game, search, work, ahead, buffer, me.rng, length, options.tries):
            break
        evaluate(game, work, values)
        back_up(nodes, path, depth, values)
        nodes[ROOT].visits += 1
        search.iterations += 1

    if nodes[ROOT].first == 0:
        return int(record_at(actions, ACTION_LIST).items[random_below(me.rng, count)])
    best = nodes[ROOT].first
    for child in range(nodes[ROOT].first, nodes[ROOT].first + nodes[ROOT].children):
        visits = nodes[child].visits
        advise(me, nodes[child].action, visits, nodes[child].total / max(1, visits))
        more = visits > nodes[best].visits
        if more or (visits == nodes[best].visits and nodes[child].total > nodes[best].total):
            best = child
    return int(nodes[best].action)


def add_children(nodes: Any, parent: int, first: int, legal: Any, mover: int) -> None:
    """Makes a node for each legal action, from number `first` on."""
    for i in range(legal.count):
        make_node(nodes, first + i, parent, legal.items[i], mover)
    nodes[parent].first = first
    nodes[parent].children = legal.count


def shuffle_children(nodes: Any, first: int, number: int, rng: Any) -> None:
    """Puts fresh children in random order, so that they are tried in random order."""
    for i in range(number - 1, 0, -1):
        j = random_below(rng, i + 1)
        action = nodes[first + i].action
        nodes[first + i].action = nodes[first + j].action
        nodes[first + j].action = action


def select_child(nodes: Any, parent: int, c: float) -> int:
    """The first child never tried, else the one of the highest bound."""
    first = nodes[parent].first
    best = first
    best_bound = -1.0
    for child in range(first, first + nodes[parent].children):
        if nodes[child].visits == 0:
            return child
        bound = upper_bound(nodes[child], nodes[parent].visits, c)
        if bound > best_bound:
            best_bound = bound
            best = child
    return best
