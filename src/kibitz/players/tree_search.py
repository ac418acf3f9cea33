"""The tree search: one compiled function for all agents that differ only in their policies."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, Agent, Binding, NativeAgent, NativeBinding
from kibitz.core.contract import RULES, Rules
from kibitz.core.errors import AgentError
from kibitz.core.game import Table
from kibitz.core.memory import Address, record_at
from kibitz.core.randomness import split_stream
from kibitz.players.belief import Belief, belief_at, belief_memory, belief_of, holds
from kibitz.players.closed_loop import search_closed_loop
from kibitz.players.decision import decide_by_mean, decide_by_proof, decide_by_weight
from kibitz.players.evaluation import begin_deal
from kibitz.players.guide import NO_GUIDE, make_guide
from kibitz.players.hidden_information import can_hide, look_for_hidden_information
from kibitz.players.memory import (
    SearchMemory,
    copy_policies,
    core_memory,
    memory_of,
    prepare,
    prepare_graph,
)
from kibitz.players.network import Network, load_network, network_at, network_room
from kibitz.players.open_loop import search_open_loop
from kibitz.players.particle_filter import follow
from kibitz.players.policies import MAX_DEPTH, POLICIES, FinalChoice, Keys, Loop
from kibitz.players.search import SEARCH, WITHOUT_LIMIT, Utility, acting_player, begin, padded


class TreeSearchAgent(NativeAgent):
    """The base of agents that search a tree; each sets the policies that are not its options."""

    compiled_as = "the tree search"

    @property
    def mixes(self) -> bool:
        """Whether it draws its action in proportion to weights."""
        return bool(self.options.as_dict().get("choose", FinalChoice.MOST) == FinalChoice.MIX)

    def policies(self, table: Table) -> dict[str, Any]:
        """The policies that this preset sets besides its options."""
        return {}

    def record(self, table: Table) -> bytes:
        """All policies: those of the preset, those named by options, and defaults."""
        values = {"role": -1, "playouts": 1, "tries": 1}
        values |= self.options.as_dict()
        values["by"] = self.options.utility_at(table)
        values |= self.policies(table)
        record = np.zeros(1, POLICIES)
        for name in POLICIES.names or ():
            record[name] = values.get(name, 0)
        if record["depth"] == 0:
            record["depth"] = MAX_DEPTH
        most = most_iterations(record[0])
        if record["lasts"] == 0 and most > 0:
            record["max_nodes"] = min(int(record["max_nodes"][0]), most)
        return record.tobytes()

    def guide(self) -> Agent | None:
        """The agent that its option ``guide`` names."""
        name = self.options.as_dict().get("guide", NO_GUIDE)
        return None if name == NO_GUIDE else make_guide(name)

    def prior(self) -> Network | None:
        """The network that its option ``prior`` names.

        Raises:
            FileError: the file cannot be read, or is not a network.
        """
        name = self.options.as_dict().get("prior", "")
        return load_network(name) if name else None

    def bind(self, table: Table) -> Binding:
        """Binds the agent to a table."""
        self.check_game(table)
        return _TreeBinding(self, table)

    def check_game(self, table: Table) -> None:
        """Raises AgentError when it, its guide or its network cannot play this game."""
        super().check_game(table)
        network = self.prior()
        if network is not None:
            network_at(network, table)
            utility = self.options.utility_at(table)
            if utility != UTILITY_OF[network.by]:
                raise AgentError(
                    f"{self.label}: the network's values are about the {network.by}, and the "
                    f"search is by {Utility(utility).name.lower()}: say by={network.by}."
                )
        guide = self.guide()
        if guide is not None:
            guide.check_game(table)

    def memory_size(self, table: Table) -> int:
        """Memory for the nodes that the policies allow."""
        (policies,) = np.frombuffer(self.record(table), POLICIES)
        size = core_memory(table, policies)
        if policies["belief"] != Belief.UNIFORM:
            size = padded(size) + belief_memory(table.state_size, int(policies["particles"]))
        return size

    def watches(self, table: Table) -> bool:
        """Whether it must see all actions, to infer hidden information from them."""
        (policies,) = np.frombuffer(self.record(table), POLICIES)
        return bool(
            policies["belief"] != Belief.UNIFORM and can_hide(record_at(table.address, RULES))
        )

    @staticmethod
    def watch(agent: int, rules: int, observation: int) -> None:
        """Updates its belief."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        policies = record_at(me.options, POLICIES)
        belief = belief_of(me, game, policies.particles)
        record_at(belief.search, SEARCH).rules = rules
        if me.guide != 0:
            split_stream(me.watch_rng, record_at(me.guide, AGENT).rng)
        follow(belief, me, game, observation)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches, and returns the action that it decides on."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        search = record_at(me.memory, SEARCH)
        search.rules = rules
        if me.guide != 0:
            split_stream(me.rng, record_at(me.guide, AGENT).rng)
        legal = record_at(actions, ACTION_LIST)
        memory = begin_search(search, me, game, observation, count)
        policies = memory.policies
        if policies.solves != 0:
            look_for_hidden_information(memory, me, game, count)
        if policies.loop == Loop.CLOSED and memory.hidden == 0:
            search_closed_loop(memory, me, search, game)
            if policies.solves == 0:
                return decide_by_weight(memory, me, legal, count)
            if memory.hidden == 0:
                return decide_by_proof(memory, me, legal, count)
        if memory.hidden != 0:
            policies.keys = Keys.OBSERVATION
        search_open_loop(memory, me, search, game)
        if policies.flat != 0:
            return decide_by_mean(memory, me, legal, count)
        return decide_by_weight(memory, me, legal, count)


def most_iterations(policies: Any) -> int:
    """The most iterations that a decision can have by the limits of its policies; 0: any number.

    An iteration makes at most one node, so a search that does not last needs no more nodes.
    """
    if policies["iterations"] > 0 or policies["calls"] > 0:
        return int(policies["iterations"] or policies["calls"])
    limited = policies["milliseconds"] > 0 or policies["determinizations"] > 0
    return 0 if limited else WITHOUT_LIMIT


UTILITY_OF = {"place": Utility.PLACE, "score": Utility.SCORE}
"""The utility that a search must have, by the quantity that its network predicts."""


class _TreeBinding(NativeBinding):
    """A tree search at a table, with its network and the network's working memory."""

    def __init__(self, agent: TreeSearchAgent, table: Table) -> None:
        super().__init__(agent, table)
        network = agent.prior()
        if network is not None:
            self._room = np.zeros(network_room(network), np.int8)
            self._network = network_at(network, table)
            self._network["room"] = self._room.ctypes.data
            self._kept = (network, table.encoder)
            policies = np.frombuffer(self._options, POLICIES, 1)  # type: ignore[call-overload]
            policies["network"] = self._network.ctypes.data


def begin_search(
    search: Any, me: Any, game: Rules, observation: Address, count: int
) -> SearchMemory:
    """Starts the budget and lays out the memory, with an empty graph unless it lasts.

    Args:
        count: the number of legal actions.
    """
    memory = memory_of(me, game)
    copy_policies(me, game)
    policies = memory.policies
    fresh = search.in_use == 0 or policies.lasts == 0
    begin(search, me, policies.iterations, policies.milliseconds, policies.calls)
    search.by = policies.by
    begin_deal(game, search, observation, policies.rollout)
    limit = policies.determinizations * count
    if limit > 0 and (policies.iterations == 0 or limit < policies.iterations):
        search.iteration_limit = limit
    memory.observation = observation
    memory.player = policies.role if policies.role >= 0 else acting_player(observation)
    prepare(memory, search, me, game)
    memory.belief = 0
    if policies.belief != Belief.UNIFORM:
        belief = belief_of(me, game, policies.particles)
        if holds(belief, me, game, observation, memory.player):
            memory.belief = belief_at(me, game, policies.particles)
    room = policies.max_nodes
    if policies.lasts == 0 and search.iteration_limit > 0 and search.iteration_limit < room:
        room = search.iteration_limit  # an iteration makes one node at most
    prepare_graph(memory, search, game, room, fresh)
    return memory
