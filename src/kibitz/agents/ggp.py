"""A search for any game, as general game players need it: ``ggp``.

Monte Carlo tree search (UCT) for one, two or many players, with simultaneous moves, chance and
hidden information. What it learns lasts for a game: its graph of positions (``agents/graph.py``)
is kept from one decision to the next. Nodes are what the player to move can tell of a state;
where nothing is hidden, that makes a table of transpositions.

It begins as if nothing were hidden (``agents/perfect_search.py``), with proofs and, for a player
alone, the best line so far (``agents/single_player.py``). Once something is
(``agents/secrecy.py``), it samples for the rest of the game (``agents/imperfect_search.py``).
"""

from __future__ import annotations

from kibitz.agents.decision import decide_imperfect, decide_perfect
from kibitz.agents.imperfect_search import search_imperfect
from kibitz.agents.mind import MIND, STATES, mind_memory, prepare
from kibitz.agents.perfect_search import search_perfect
from kibitz.agents.search import SEARCH, Budgeted, acting_player, after_states, begin
from kibitz.agents.secrecy import look_for_secrets
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.memory import record_at
from kibitz.core.parameters import Tunable
from kibitz.core.status import MAX_PLAYERS


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
        return mind_memory(table, self.options.max_nodes)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches on, and returns the best action."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        options = record_at(me.options, GGP_OPTIONS)
        search = record_at(me.memory, SEARCH)
        mind = record_at(after_states(me.memory, game, STATES), MIND)
        legal = record_at(actions, ACTION_LIST)
        fresh = search.in_use == 0
        begin(search, me, options.iterations, options.milliseconds, options.calls)
        prepare(mind, search, me.memory, game, options.max_nodes, fresh)
        mind.observation = observation
        mind.player = acting_player(observation) if options.role < 0 else options.role
        look_for_secrets(mind, me, game, count)
        if mind.secret == 0:
            search_perfect(mind, me, search, game, options)
        if mind.secret == 0:
            return decide_perfect(mind, me, legal, count)
        search_imperfect(mind, me, search, game, options)
        return decide_imperfect(mind, me, legal, count)
