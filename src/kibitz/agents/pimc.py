"""PIMC: perfect information Monte Carlo, flat, as the RECYCLE paper's PIPMC player does it.

For every legal action the hidden is sampled a number of times; each sample is played to the
end by random players; the action of the best average outcome is chosen. In a long game
``rollout_length`` ends playouts sooner, and they count by the heuristic, or by the score so far.
Source: Bell, Goadrich, "Automated Playtesting with RECYCLED CARDSTOCK", 2016. Its player takes 20
samples of each action, as here, and gains as much in Agram against random players: 15 to 18
points more than its share of wins (``tests/recycle/test_pimc.py``).
"""

from __future__ import annotations

from kibitz.agents.decision import decide_by_mean
from kibitz.agents.evaluation import Measure, begin_deal
from kibitz.agents.memory import core_memory, memory_of, prepare, prepare_graph, set_policies
from kibitz.agents.open_loop import search_open_loop
from kibitz.agents.search import SEARCH, RolloutOptions, acting_player, begin
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.memory import record_at
from kibitz.core.parameters import Tunable


class PimcOptions(RolloutOptions):
    """Options of ``pimc``; an iteration is one determinization for one action."""

    determinizations = Tunable(
        20, range(100_001), "samples of the hidden for each action; 0: until a limit is met"
    )
    playouts = Tunable(1, range(1, 10_001), "random playouts of each sample")
    by = Tunable(
        Measure.RANK,
        doc="what counts of an outcome: the rank, the score, or the value of the state",
    )


PIMC_OPTIONS = PimcOptions.dtype()
NODES = 1
"""The root is the only one."""


class PimcAgent(NativeAgent):
    """Averages random playouts over samples of the hidden, for each action."""

    name = "pimc"
    Options = PimcOptions

    def memory_size(self, table: Table) -> int:
        return core_memory(table, NODES)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The action of the best average outcome; ties at random."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        options = record_at(me.options, PIMC_OPTIONS)
        search = record_at(me.memory, SEARCH)
        memory = memory_of(me, game)
        begin(search, me, options.iterations, options.milliseconds, options.calls)
        begin_deal(game, search, observation, options.rollout)
        wanted = options.determinizations * count
        if wanted > 0 and (options.iterations == 0 or wanted < options.iterations):
            search.iteration_limit = wanted
        prepare(memory, search, me, game, observation, acting_player(observation))
        prepare_graph(memory, game, NODES, NODES, False, True)
        set_policies(memory, options)
        memory.policies.determinizes = 1
        memory.policies.flat = 1
        memory.policies.measure = options.by
        memory.policies.playouts = options.playouts
        search_open_loop(memory, me, search, game)
        return decide_by_mean(memory, me, record_at(actions, ACTION_LIST), count)
