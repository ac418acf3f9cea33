"""Workers: each plays games with compiled code, in one thread."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from kibitz.arena.decisions import DECISION, DECISION_LOG, SEEN
from kibitz.arena.match import (
    LOOP_FROM,
    MATCH,
    TRACED,
    native_play_games,
)
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import ADVICE, ADVICE_ITEM, Agent, Binding
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.records import joined
from kibitz.core.state import State
from kibitz.core.status import Status

MOST_VISITS = 1_000_000
"""The most visits of a state before a loop is suspected; more would be too late for any game."""

BROKEN_ROOM = 32
"""The most states that a worker keeps of games that broke off in different ways."""

DECISION_ROOM = 1 << 17
"""The number of decisions that the log holds, with four opinions each."""

Array = np.ndarray[Any, Any]


class Worker:
    """The resources of one thread: its own table, bound agents, memory for a game.

    Attributes:
        branching: the sums of the numbers of options in the finished games, and of their squares.
    """

    def __init__(
        self,
        table: Table,
        agents: Sequence[Agent],
        stop: Array,
        loops: int,
        record: Collection[str] = (),
    ) -> None:
        """
        Args:
            table: the table, which the worker forks.
            stop: one 64-bit integer; non-zero ends the games.
            loops: the visit of a state at which a loop is suspected; 0: never.
            record: the records to keep besides results: "decisions", "successors".

        Raises:
            AgentError: an agent cannot play this game.
        """
        self.table = table.fork()
        self._stop = stop  # keeps it alive: native code knows only its address
        self.bindings: list[Binding] = [agent.bind(self.table) for agent in agents]
        self._rooms = [
            ctypes.create_string_buffer(size)
            for size in (table.state_size, table.state_size, ACTION_LIST.itemsize)
        ]
        self.match = np.zeros(1, MATCH)
        self.table.stop_by(stop)
        self.match["rules"] = self.table.address
        for i, binding in enumerate(self.bindings):
            binding.record["stop"] = stop.ctypes.data
            self.match["agents"][0, i] = binding.address
        for name, room in zip(("state", "observation", "actions"), self._rooms, strict=True):
            self.match[name] = ctypes.addressof(room)
        self.match["stop"] = stop.ctypes.data
        self.match["loop_from"] = loop_from(table)
        self.match["loop_visits"] = loops
        self.match["pause_at"] = -1
        self.match["deal_games"] = 1
        self.match["broken_room"] = BROKEN_ROOM
        self.branching = np.zeros((2, TRACED), np.int64)
        self._trace = np.zeros(TRACED, np.int32)
        self._mark = np.zeros(table.state_size, np.uint8)
        self._broken = np.zeros(BROKEN_ROOM * (8 + table.state_size), np.uint8)
        for name in ("branching", "trace", "mark", "broken"):
            array = self.branching if name == "branching" else getattr(self, f"_{name}")
            self.match[name] = array.ctypes.data
        self._log: Array | None = None
        if "decisions" in record:
            self._log = np.zeros(1, DECISION_LOG)
            self.match["decision_log"] = self._log.ctypes.data
            self._make_room(DECISION_ROOM)
            self._advice = np.zeros(len(agents), ADVICE)
            for i, binding in enumerate(self.bindings):
                binding.record["advice"] = self._advice[i : i + 1].ctypes.data
        if "successors" in record:
            self._successor = np.zeros(table.state_size, np.uint8)
            self._seen = np.zeros(1, SEEN)
            self.match["successor"] = self._successor.ctypes.data
            self.match["seen"] = self._seen.ctypes.data
        self._play = native_play_games()

    def play(self, first: int, count: int) -> int:
        """Plays consecutive games of the run; returns how many it finished.

        It plays fewer if the log of decisions is full: ``take_decisions`` empties it.
        """
        return self._play(int(self.match.ctypes.data), first, count)

    def take_decisions(self) -> tuple[Array, Array]:
        """Empties the log of decisions; returns the decisions and the opinions on them.

        If not even one game fitted into the log, its size is doubled.
        """
        if self._log is None:
            return np.zeros(0, DECISION), np.zeros(0, ADVICE_ITEM)
        [log] = self._log
        decisions = joined([self._decisions[: log["count"]]])
        opinions = joined([self._opinions[: log["opinion_count"]]])
        if log["full"] and not len(decisions):
            self._make_room(2 * int(log["room"]))
        self._log[["count", "opinion_count", "full"]] = 0
        return decisions, opinions

    def _make_room(self, decisions: int) -> None:
        """Allocates memory for a log of `decisions` decisions."""
        assert self._log is not None
        self._decisions = np.zeros(decisions, DECISION)
        self._opinions = np.zeros(4 * decisions, ADVICE_ITEM)
        self._log["decisions"] = self._decisions.ctypes.data
        self._log["room"] = decisions
        self._log["opinions"] = self._opinions.ctypes.data
        self._log["opinion_room"] = 4 * decisions

    def state_bytes(self) -> bytes:
        """The state in which the last game ended."""
        return self._rooms[0].raw

    def broken_states(self) -> Iterator[tuple[int, State]]:
        """Games that broke off, one for each status and phase: their numbers and last states."""
        size = 8 + self.table.state_size
        for i in range(int(self.match["broken_kept"][0])):
            content = self._broken[i * size : (i + 1) * size]
            number = int(content[:8].view(np.int64)[0])
            yield number, State(self.table, content[8:].tobytes())

    def take_exception(self) -> tuple[Status, BaseException] | None:
        """Takes the exception that rules or agents in Python raised in native code, if any.

        An agent's exception ended the game. A rule may have raised its exception only during an
        agent's search; it is an error of the rules all the same.
        """
        exception: tuple[Status, BaseException] | None = None
        if self.table.exception is not None:
            exception = Status.RULES_ERROR, self.table.exception
            self.table.exception = None
        for binding in self.bindings:
            if binding.exception is not None:
                exception = Status.AGENT_ERROR, binding.exception
                binding.exception = None
        return exception


def decides_in_python(table: Table, agents: Sequence[Agent]) -> bool:
    """Whether the rules or an agent are Python code, which runs in one thread at a time."""
    return not table.rules.compiled or any(agent.decides_in_python(table) for agent in agents)


def checked_loops(table: Table, loops: int | None) -> int:
    """The number of visits of a state at which a loop is suspected; ``None``: the game's own.

    Raises:
        ParameterError: the number is out of range.
    """
    if loops is None:
        loops = table.game.loops
    if not isinstance(loops, int | np.integer) or (loops != 0 and not 2 <= loops <= MOST_VISITS):
        raise ParameterError(
            f"loops = {loops!r} should be 2 to {MOST_VISITS:,}, or 0 to suspect no loops."
        )
    return loops


def loop_from(table: Table) -> int:
    """The number of the action from which on a game is watched for loops."""
    if table.game.timed:
        return 2**62
    return min(LOOP_FROM, table.game.max_ticks // 2)


def available_cores() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
