"""An agent's seat in games that are not played by the match loop."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kibitz.core.actions import ACTION_LIST, FIRST_ITEM
from kibitz.core.agent import AGENT, Agent, Binding
from kibitz.core.game import Table
from kibitz.core.interrupt import run_interruptibly
from kibitz.core.memory import INT64, array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import (
    AGENT_STREAM,
    is_wide,
    native_seed,
    seed_stream,
    start_stream,
)
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.players.watching import show, show_end


class AgentSeat:
    """An agent at a table, called as the match loop calls it, with its memory and random stream.

    Attributes:
        binding: the agent, bound to the table.
        watches: whether the agent follows the game, so that ``watch`` has to be called.

    Args:
        number: the seat, from 0.
    """

    def __init__(self, agent: Agent, table: Table, number: int) -> None:
        self.table = table
        self.binding: Binding = agent.bind(table)
        self._number = number
        self._seed = 0
        self.watches = self.binding.stop is not None and bool(self.binding.record["watch"][0])
        self._sees = bool(self.binding.record["sees"][0])
        self._words = np.zeros(ACTION_LIST.itemsize // 8, np.int64)
        self._actions = int(self._words.ctypes.data)
        self._room = ctypes.create_string_buffer(table.state_size)
        self._shown = ctypes.addressof(self._room)

    def begin(self, seed: int) -> None:
        """Begins a game with this seed: the agent forgets the last one."""
        self._seed = native_seed(seed)
        _native()["begin"](self.binding.address, self._seed, self._number)
        if is_wide(seed):
            rng = [0, 0, 0, 0]
            seed_stream(rng, seed, AGENT_STREAM + self._number)
            self.binding.record["rng"] = rng

    def watch(self, state: State) -> None:
        """Shows what the seat sees of a state, if the agent follows the game.

        To be called at its beginning and after every action.

        Raises:
            KeyboardInterrupt: it was interrupted; what the agent has learned from this is lost.
        """
        stop = self.binding.stop
        if self.watches and stop is not None:
            stop[0] = 0
            with self.table.borrowed(stop) as rules:
                addresses = self.binding.address, rules.address, state.address, self._shown
                run_interruptibly(lambda: _native()["show"](*addresses, self._seed), stop)
            self.table.raise_pending()

    def end(self, state: State) -> None:
        """Tells the agent, if it wants to know, that the game is over; `state` is the last one.

        Raises:
            BaseException: what an agent in Python raised.
        """
        if state.status == Status.FINISHED and self.binding.record["end"][0]:
            with self.table.borrowed() as rules:
                addresses = self.binding.address, rules.address, state.address, self._shown
                _native()["show_end"](*addresses, self._seed)
            self.table.raise_pending()
            self.binding.raise_kept()

    def decide(self, state: State, legal: Sequence[int]) -> int:
        """Asks the agent for the action of the player to move.

        Raises:
            AgentError: it returns no legal action.
            KeyboardInterrupt: the user interrupted it.
        """
        table, binding = state.table, self.binding
        self._words[0] = len(legal)
        self._words[FIRST_ITEM : FIRST_ITEM + len(legal)] = legal
        if self._sees:
            table.call(
                "determinize", state.address, state.current_player, self._shown, binding.stream
            )
        action = binding.answer(table, self._shown, self._actions, len(legal))
        table.raise_pending()
        return action


def begin(agent: int, seed: int, number: int) -> None:
    """Begins a game for an agent in a seat: it forgets the last one. Compiled."""
    me = record_at(agent, AGENT)
    start_stream(me.rng, seed, AGENT_STREAM + number)
    me.seat = number
    me.games += 1
    if me.memory_size > 0:
        array_at(me.memory, INT64, 1)[0] = 0


@functools.cache
def _native() -> Mapping[str, Callable[..., None]]:
    """``begin``, ``show`` and ``show_end``, compiled."""
    exports = {
        "begin": Export(begin, "viii"),
        "show": Export(show, "viiiii"),
        "show_end": Export(show_end, "viiiii"),
    }
    addresses = compile_native("what seats are shown", exports)
    return {name: export.bind(addresses[name]) for name, export in exports.items()}
