"""``neural``: a trained network plays by its policy, without a search."""

from __future__ import annotations

import numpy as np

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.agent import AGENT, AgentOptions, Binding, NativeAgent, NativeBinding
from kibitz.core.errors import AgentError
from kibitz.core.game import Table
from kibitz.core.memory import FLOAT64, array_at, record_at
from kibitz.core.parameters import FileName
from kibitz.core.randomness import random_unit
from kibitz.players.mcts import CHOOSE
from kibitz.players.network import (
    NETWORK,
    Network,
    load_network,
    network_at,
    network_room,
    run_network,
    seat_value,
    write_policy,
)
from kibitz.players.policies import FinalChoice
from kibitz.players.search import acting_player, advise, padded

NEURAL = np.dtype([("choose", np.int64), ("network", NETWORK)])
"""The record that ``act`` reads as the options of the agent."""
NETWORK_AT = NEURAL.fields["network"][1]  # type: ignore[index]

SHARES_AT = 64
"""The offset of the probabilities in the working memory, behind the word that marks a new game."""
ROOM_AT = SHARES_AT + padded(8 * MAX_ACTIONS)
"""The offset of the network's working memory."""


class NeuralOptions(AgentOptions):
    """Options of ``neural``."""

    file = FileName("", "the network: a file that 'kibitz learn' wrote")
    choose = CHOOSE


class NeuralAgent(NativeAgent):
    """Plays by the policy of a network: the likeliest action, or one drawn by the policy (mix).

    The network is evaluated by compiled code; playing needs no library but NumPy.
    """

    name = "neural"
    takes_long = False
    Options = NeuralOptions

    @property
    def mixes(self) -> bool:
        """Whether it draws its action from its policy."""
        return bool(self.options.choose == FinalChoice.MIX)

    @property
    def network(self) -> Network:
        """The network, read from its file.

        Raises:
            AgentError: no file is named.
            FileError: the file cannot be read, or is not a network.
        """
        if not self.options.file:
            raise AgentError(
                "The agent neural needs a network: neural:file=NAME.npz. 'kibitz learn GAME' "
                "makes one."
            )
        return load_network(self.options.file)

    def check_game(self, table: Table) -> None:
        """Raises AgentError when the network was made for another table."""
        super().check_game(table)
        network_at(self.network, table)

    def memory_size(self, table: Table) -> int:
        """Memory for the probabilities and for the layers."""
        return ROOM_AT + network_room(self.network)

    def record(self, table: Table) -> bytes:
        """The options, and the record of the network at this table; the binding keeps it alive."""
        record = np.zeros(1, NEURAL)
        record["choose"] = self.options.choose
        record["network"] = network_at(self.network, table)
        return record.tobytes()

    def bind(self, table: Table) -> Binding:
        """Binds the agent to a table."""
        self.check_game(table)
        return _NeuralBinding(self, table)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The likeliest action, or one drawn by its probability."""
        me = record_at(agent, AGENT)
        own = record_at(me.options, NEURAL)
        legal = record_at(actions, ACTION_LIST)
        player = acting_player(observation)
        network = me.options + NETWORK_AT
        last = run_network(network, rules, observation, player, me.memory + ROOM_AT)
        write_policy(network, last, actions, count, me.memory + SHARES_AT)
        shares = array_at(me.memory + SHARES_AT, FLOAT64, count)
        value = seat_value(own.network, last, 0) / own.network.scale
        value = 0.5 + 0.5 * min(1.0, max(-1.0, value))
        best = 0
        for i in range(count):
            advise(me, legal.items[i], shares[i], value)
            if shares[i] > shares[best]:
                best = i
        if own.choose == FinalChoice.MIX:
            remaining = random_unit(me.rng)
            for i in range(count):
                remaining -= shares[i]
                if remaining < 0.0:
                    return int(legal.items[i])
        return int(legal.items[best])


class _NeuralBinding(NativeBinding):
    """The agent at a table: keeps objects alive that compiled code knows only by address."""

    def __init__(self, agent: NeuralAgent, table: Table) -> None:
        self._kept = (agent.network, table.encoder)
        super().__init__(agent, table)
