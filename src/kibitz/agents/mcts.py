"""Monte Carlo tree search, with and without information sets: presets of the tree search.

- ``mcts``: UCT (Kocsis and Szepesvári 2006) for any number of players (max^n), on the
  observation it is given. *Open loop* derives states anew in every iteration with fresh chance;
  *closed loop* keeps chance as it was first met, so that each node is one state.
- ``ismcts``: single-observer information set MCTS (Cowling, Powley and Whitehouse 2012): a
  new determinization in every iteration, and UCB over the actions that are available in it. With
  ``trees=many`` every player's nodes are their own information sets, so that opponents do not
  share the searcher's ignorance of their hands.

Where luck weighs more than an action does, ``samples`` has the iterations go round in a few
determinizations, with the game's own chance drawn once for each. Where most random actions do
harm, ``tries`` has playouts, and with ``widening`` new edges too, take the best of a few.

The action with the most visits is played; among equals the one of the highest value.
"""

from __future__ import annotations

import enum
from typing import Any

from kibitz.agents.closed_loop import search_closed_loop
from kibitz.agents.decision import decide_by_visits
from kibitz.agents.evaluation import begin_deal
from kibitz.agents.graph import MAX_DEPTH
from kibitz.agents.memory import (
    Keys,
    SearchMemory,
    core_memory,
    memory_of,
    prepare,
    prepare_graph,
    set_policies,
)
from kibitz.agents.open_loop import search_open_loop
from kibitz.agents.search import SEARCH, RolloutOptions, acting_player, begin
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES
from kibitz.core.errors import AgentOptionError
from kibitz.core.game import Table
from kibitz.core.memory import Address, record_at
from kibitz.core.parameters import Tunable


class Loop(enum.IntEnum):
    """Whether chance is met anew in every iteration."""

    OPEN = 0
    CLOSED = 1


class Trees(enum.IntEnum):
    """Whose information sets the nodes are."""

    SINGLE = 0
    MANY = 1


class TreeOptions(RolloutOptions):
    """Options common to the tree searches."""

    c = Tunable(1.4142135623730951, (0.0, 100.0), "weight of exploration in UCB")
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
    max_nodes = Tunable(
        200_000, range(100, 50_000_001), "nodes kept; then those of least use are given up"
    )


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
        return core_memory(table, self.options.max_nodes)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches, and returns the most visited action."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        search = record_at(me.memory, SEARCH)
        memory = memory_of(me, game)
        closed = record_at(me.options, MCTS_OPTIONS).loop == Loop.CLOSED
        begin_search(memory, search, me, game, observation, closed)
        if closed:
            memory.policies.fixed_chance = 1
            search_closed_loop(memory, me, search, game)
        else:
            search_open_loop(memory, me, search, game)
        return decide_by_visits(memory, me, record_at(actions, ACTION_LIST), count)


class IsmctsAgent(NativeAgent):
    """Information set Monte Carlo tree search."""

    name = "ismcts"
    Options = IsmctsOptions

    def memory_size(self, table: Table) -> int:
        return core_memory(table, self.options.max_nodes)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches, and returns the most visited action."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        search = record_at(me.memory, SEARCH)
        memory = memory_of(me, game)
        begin_search(memory, search, me, game, observation, False)
        memory.policies.determinizes = 1
        if record_at(me.options, ISMCTS_OPTIONS).trees == Trees.MANY:
            memory.policies.keys = Keys.OBSERVATION
        search_open_loop(memory, me, search, game)
        return decide_by_visits(memory, me, record_at(actions, ACTION_LIST), count)


def begin_search(
    memory: SearchMemory, search: Any, me: Any, game: Any, observation: Address, closed: bool
) -> None:
    """Starts the budget and an empty tree, and sets the policies that the options name."""
    options = record_at(me.options, TREE_OPTIONS)
    begin(search, me, options.iterations, options.milliseconds, options.calls)
    begin_deal(game, search, observation, options.rollout)
    set_policies(memory, options)
    policies = memory.policies
    policies.samples = options.samples
    policies.depth = options.depth if options.depth > 0 else MAX_DEPTH
    policies.tries = options.tries
    policies.c = options.c
    policies.widening = options.widening
    room = options.max_nodes
    if search.iteration_limit > 0 and search.iteration_limit < room:
        room = search.iteration_limit  # an iteration makes one node at most
    prepare(memory, search, me, game, observation, acting_player(observation))
    prepare_graph(memory, game, options.max_nodes, room, closed, True)
