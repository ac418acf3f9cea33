"""An agent's seat in games that are not played by the match loop."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import Agent, Binding
from kibitz.core.game import Table
from kibitz.core.interrupt import run_interruptibly
from kibitz.core.memory import INT64, array_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import AGENT_STREAM, native_seed, seed_stream
from kibitz.core.state import State
from kibitz.players.watching import show


class AgentSeat:
    """An agent at a table, called as the match loop calls it, with its memory and random stream.

    Attributes:
        binding: the agent, bound to the table.

    Args:
        number: the seat, from 0.
    """

    def __init__(self, agent: Agent, table: Table, number: int) -> None:
        self.table = table
        self.binding: Binding = agent.bind(table)
        self._number = number
        self._seed = 0

    def begin(self, seed: int) -> None:
        """Begins a game with this seed: the agent forgets the last one."""
        record = self.binding.record[0]
        rng = [0, 0, 0, 0]
        seed_stream(rng, seed, AGENT_STREAM + self._number)
        record["rng"] = rng
        record["seat"] = self._number
        self._seed = native_seed(seed)
        record["games"] += 1
        if record["memory_size"] > 0:
            array_at(int(record["memory"]), INT64, 1)[0] = 0

    def watch(self, state: State) -> None:
        """Shows what the seat sees of a state, if the agent follows the game.

        To be called at its beginning and after every action.

        Raises:
            KeyboardInterrupt: it was interrupted; what the agent has learned from this is lost.
        """
        stop = self.binding.stop
        if stop is not None and self.binding.record["watch"][0]:
            room = ctypes.create_string_buffer(self.table.state_size)
            stop[0] = 0
            with self.table.borrowed(stop) as rules:
                addresses = self.binding.address, rules.address, state.address
                run_interruptibly(
                    lambda: _show()(*addresses, ctypes.addressof(room), self._seed), stop
                )
            self.table.raise_pending()

    def decide(self, state: State, legal: Sequence[int]) -> int:
        """Asks the agent for the action of the player to move.

        Raises:
            AgentError: it returns no legal action.
            KeyboardInterrupt: the user interrupted it.
        """
        table, binding = state.table, self.binding
        actions = np.zeros(1, ACTION_LIST)
        actions["count"] = len(legal)
        actions["items"][0, : len(legal)] = legal
        shown = ctypes.create_string_buffer(table.state_size)
        if binding.record["sees"][0]:
            table.call(
                "determinize",
                state.address,
                state.current_player,
                ctypes.addressof(shown),
                binding.stream,
            )
        action = binding.answer(
            table, ctypes.addressof(shown), int(actions.ctypes.data), len(legal)
        )
        table.raise_pending()
        return action


@functools.cache
def _show() -> Callable[..., None]:
    """``show``, compiled."""
    export = Export(show, "viiiii")
    return export.bind(compile_native("what seats are shown", {"show": export})["show"])
