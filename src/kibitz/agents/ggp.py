"""A search for any game, as general game players need it: ``ggp``.

Monte Carlo tree search (UCT) for one, two or many players, with simultaneous moves, chance and
hidden information. What it learns lasts for a game: its graph (``agents/graph.py``) is kept from
one decision to the next.

It begins as if nothing were hidden, in closed loop (``agents/closed_loop.py``) with
transpositions, proofs and, for a player alone, the best line so far. Once something is hidden
(``agents/hidden_information.py``), it searches in open loop (``agents/open_loop.py``) for the rest
of the game, with a determinization in each iteration and a node for each information set.
"""

from __future__ import annotations

from kibitz.agents.closed_loop import search_closed_loop
from kibitz.agents.decision import decide_by_proof, decide_by_visits
from kibitz.agents.evaluation import begin_deal
from kibitz.agents.hidden_information import look_for_hidden_information
from kibitz.agents.memory import Keys, core_memory, memory_of, prepare, prepare_graph, set_policies
from kibitz.agents.open_loop import search_open_loop
from kibitz.agents.search import SEARCH, RolloutOptions, acting_player, begin
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.memory import record_at
from kibitz.core.parameters import Tunable
from kibitz.core.status import MAX_PLAYERS


class GgpOptions(RolloutOptions):
    """Options of ``ggp``."""

    c = Tunable(0.7, (0.0, 100.0), "weight of exploration in UCB")
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
        return core_memory(table, self.options.max_nodes)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches on, and returns the best action."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        options = record_at(me.options, GGP_OPTIONS)
        search = record_at(me.memory, SEARCH)
        memory = memory_of(me, game)
        legal = record_at(actions, ACTION_LIST)
        fresh = search.in_use == 0
        player = acting_player(observation) if options.role < 0 else options.role
        begin(search, me, options.iterations, options.milliseconds, options.calls)
        begin_deal(game, search, observation, options.rollout)
        prepare(memory, search, me, game, observation, player)
        prepare_graph(memory, game, options.max_nodes, options.max_nodes, True, fresh)
        set_policies(memory, options)
        policies = memory.policies
        policies.keys = Keys.STATE
        policies.determinizes = 1
        policies.solves = 1
        policies.c = options.c
        policies.smooth = options.smooth
        look_for_hidden_information(memory, me, game, count)
        if memory.hidden == 0:
            search_closed_loop(memory, me, search, game)
        if memory.hidden == 0:
            return decide_by_proof(memory, me, legal, count)
        policies.keys = Keys.OBSERVATION
        search_open_loop(memory, me, search, game)
        return decide_by_visits(memory, me, legal, count)
