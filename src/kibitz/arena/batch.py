"""Many games at once: a run of seeded games on all cores, which can be stopped and kept.

A game that cannot be finished is an outcome like any other: its status says why. Where a rule
or an agent written in Python raised an exception, the first one is kept with the batch.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.arena.match import (
    LOOP_FROM,
    MATCH,
    TRACED,
    native_play_games,
    result_dtype,
)
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import Agent, Binding, NativeAgent
from kibitz.core.errors import AgentError, ParameterError
from kibitz.core.game import Table
from kibitz.core.interrupt import deferred, run_interruptibly, take
from kibitz.core.randomness import check_seed
from kibitz.core.state import State
from kibitz.core.status import Status

MOST_GAMES = 10_000_000
"""The results of a run are kept in memory, some 200 bytes a game."""

MOST_VISITS = 1_000_000
"""Beyond these a suspicion would come too late for any game."""

BROKEN_ROOM = 32
"""A thread keeps the states of so many games that broke off in different ways."""

Progress = Callable[[int], None]
"""Called now and then with the number of games played so far."""


@dataclass
class Batch:
    """The outcome of a run.

    Attributes:
        table: what was played.
        agents: who played, in the order given.
        seed: of the run.
        results: a record (``result_dtype``) for each game played, in order.
        wanted: how many games were asked for.
        seconds: how long it took, without compiling.
        rotate: whether the agents moved on by one seat from game to game.
        exceptions: what rules or agents written in Python raised first, by the status that it
            gave the game.
        explanations: why rules broke games off, in their own words, by status and phase.
        branching: for each of the first actions of a game how many options there were, summed
            over the finished games; and the sums of the squares.
        loops: after how many visits of a state a loop was suspected; 0: never.
    """

    table: Table
    agents: list[Agent]
    seed: int
    results: np.ndarray[Any, Any]
    wanted: int
    seconds: float
    rotate: bool = True
    exceptions: dict[Status, Exception] = field(default_factory=dict)
    explanations: dict[tuple[Status, int], str] = field(default_factory=dict)
    branching: np.ndarray[Any, Any] = field(default_factory=lambda: np.zeros((2, 0), np.int64))
    loops: int = 0

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before all games were played."""
        return len(self.results) < self.wanted


class Worker:
    """What one thread needs to play: a table of its own, bound agents, room for a game.

    Attributes:
        branching: the numbers of options in the finished games, added up; then their squares.
    """

    def __init__(
        self, table: Table, agents: Sequence[Agent], stop: np.ndarray[Any, Any], loops: int
    ) -> None:
        self.table = table.fork()
        self._stop = stop  # what is only known by its address must be kept alive
        self.bindings: list[Binding] = [agent.bind(self.table) for agent in agents]
        self._rooms = [
            ctypes.create_string_buffer(size)
            for size in (table.state_size, table.state_size, ACTION_LIST.itemsize)
        ]
        self.match = np.zeros(1, MATCH)
        self.match["rules"] = self.table.rules
        for i, binding in enumerate(self.bindings):
            binding.record["stop"] = stop.ctypes.data
            self.match["agents"][0, i] = binding.address
        for name, room in zip(("state", "observation", "actions"), self._rooms, strict=True):
            self.match[name] = ctypes.addressof(room)
        self.match["stop"] = stop.ctypes.data
        self.match["loop_from"] = loop_from(table)
        self.match["loop_visits"] = loops
        self.match["broken_room"] = BROKEN_ROOM
        self.branching = np.zeros((2, TRACED), np.int64)
        self._trace = np.zeros(TRACED, np.int32)
        self._mark = np.zeros(table.state_size, np.uint8)
        self._broken = np.zeros(BROKEN_ROOM * (8 + table.state_size), np.uint8)
        for name in ("branching", "trace", "mark", "broken"):
            array = self.branching if name == "branching" else getattr(self, f"_{name}")
            self.match[name] = array.ctypes.data
        self._play = native_play_games()

    def play(self, first: int, count: int) -> int:
        """Plays a span of the run's games; returns how many it finished."""
        return self._play(int(self.match.ctypes.data), first, count)

    def state_bytes(self) -> bytes:
        """The state in which the last game ended."""
        return self._rooms[0].raw

    def broken_states(self) -> Iterator[tuple[int, State]]:
        """States in which games broke off, one for each status and phase, and their games."""
        size = 8 + self.table.state_size
        for i in range(int(self.match["broken_kept"][0])):
            content = self._broken[i * size : (i + 1) * size]
            number = int(content[:8].view(np.int64)[0])
            yield number, State(self.table, content[8:].tobytes())

    def take_exception(self) -> tuple[Status, BaseException] | None:
        """What rules or agents in Python raised while native code called them, if anything.

        An agent's exception ended the game. That of a rule may have come up in an agent's
        thoughts only; it is a fault of the rules all the same.
        """
        found: tuple[Status, BaseException] | None = None
        if self.table.exception is not None:
            found = Status.RULES_ERROR, self.table.exception
            self.table.exception = None
        for binding in self.bindings:
            if binding.exception is not None:
                found = Status.AGENT_ERROR, binding.exception
                binding.exception = None
        return found


def play_batch(
    table: Table,
    agents: Sequence[Agent],
    games: int,
    seed: int = 0,
    *,
    rotate: bool = True,
    workers: int | None = None,
    loops: int | None = None,
    progress: Progress | None = None,
    stop: np.ndarray[Any, Any] | None = None,
) -> Batch:
    """Plays `games` games; the same seed gives the same results for any number of workers.

    Agents that decide in Python, and uncompiled rules, are played by the calling thread, since
    only one can run Python at a time. A keyboard interrupt ends the run early, also one that such
    an agent raises; the games finished by then are kept.

    Args:
        table: what is played.
        agents: one for each seat of the first game.
        games: how many.
        seed: of the run; that of each game is derived from it.
        rotate: whether the agents move on by one seat from game to game.
        workers: threads; by default one for each core.
        loops: a game that is in the same state for this time is broken off as a suspected
            loop; 0: never; by default as the game says.
        progress: called now and then with the number of games played so far.
        stop: an array of one 64-bit integer; when it turns non-zero the run ends early.

    Raises:
        AgentError: there are too few or too many agents, or one cannot play this game.
        ParameterError: a number is out of range.
    """
    if len(agents) != table.players:
        raise AgentError(f"{len(agents)} agents cannot fill {table.players} seats.")
    check_seed(seed)
    _check(games, workers)
    loops = checked_loops(table, loops)
    crew_size = workers or available_cores()
    python = decides_in_python(table, agents)
    if python:
        crew_size = 1
    if stop is None:
        stop = np.zeros(1, np.int64)
    crew = [Worker(table, agents, stop, loops) for _ in range(min(crew_size, games))]
    results = np.zeros(games, result_dtype(table.players))
    for worker in crew:
        worker.match["results"] = results.ctypes.data
        worker.match["result_size"] = results.itemsize
        worker.match["seed"] = seed
        worker.match["rotate"] = rotate
    run = _Run(crew, results, stop, python)
    began = time.perf_counter()
    run.play(progress)
    seconds = time.perf_counter() - began
    kept = results if run.played.all() else results[run.played]
    return Batch(
        table=table,
        agents=list(agents),
        seed=seed,
        results=kept,
        wanted=games,
        seconds=seconds,
        rotate=rotate,
        exceptions=run.exceptions,
        explanations=run.explanations(),
        branching=run.branching(),
        loops=loops,
    )


def decides_in_python(table: Table, agents: Sequence[Agent]) -> bool:
    """Whether the rules or an agent are Python code, which only one thread can run at a time."""
    return not table.game.compiled or not all(isinstance(a, NativeAgent) for a in agents)


def checked_loops(table: Table, loops: int | None) -> int:
    """At which visit of a state a loop is suspected; by default when the game says.

    Raises:
        ParameterError: a loop cannot be suspected at the first visit.
    """
    if loops is None:
        loops = table.game.loops
    if loops != 0 and not 2 <= loops <= MOST_VISITS:
        raise ParameterError(
            f"loops = {loops} should be 2 to {MOST_VISITS:,}, or 0 to suspect no loops."
        )
    return loops


def loop_from(table: Table) -> int:
    """The action from which on a game is watched for loops."""
    if table.game.timed:
        return 2**62
    return min(LOOP_FROM, table.game.max_ticks // 2)


def available_cores() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _check(games: int, workers: int | None) -> None:
    if not 1 <= games <= MOST_GAMES:
        raise ParameterError(f"games = {games} should be 1 to {MOST_GAMES:,}.")
    if workers is not None and workers < 1:
        raise ParameterError(f"workers = {workers} should be at least 1.")


class _Run:
    """The games of a run being shared out to a crew."""

    def __init__(
        self,
        crew: list[Worker],
        results: np.ndarray[Any, Any],
        stop: np.ndarray[Any, Any],
        python: bool,
    ) -> None:
        self.crew = crew
        self.results = results
        self.stop = stop
        self.python = python
        self.played = np.zeros(len(results), bool)
        self.exceptions: dict[Status, Exception] = {}
        self._lock = threading.Lock()
        self._next = 0

    def play(self, progress: Progress | None) -> None:
        """Has the crew play until all is done or someone stops it."""
        with deferred(self.stop):
            try:
                if self.python:
                    run_interruptibly(lambda: self._work(self.crew[0], progress), self.stop)
                else:
                    self._share_out(progress)
            except KeyboardInterrupt:  # raised by whoever shows the progress
                self.stop[0] = 1
            take()

    def _share_out(self, progress: Progress | None) -> None:
        """Gives every worker a thread."""
        with ThreadPoolExecutor(len(self.crew)) as pool:
            waiting: set[Future[None]] = set()
            try:
                waiting = {pool.submit(self._work, worker) for worker in self.crew}
                while waiting:
                    done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                    if progress:
                        progress(int(self.played.sum()))
            except BaseException:
                self.stop[0] = 1
                raise

    def branching(self) -> np.ndarray[Any, Any]:
        """The numbers of options, action by action, of all finished games."""
        total = np.sum([worker.branching for worker in self.crew], axis=0)
        return total[:, : np.count_nonzero(total[0])]

    def explanations(self) -> dict[tuple[Status, int], str]:
        """Why rules broke games off, in their own words, by status and phase."""
        found: dict[tuple[Status, int], tuple[int, str]] = {}
        for worker in self.crew:
            for number, state in worker.broken_states():
                key = state.status, int(state.view.phase)
                if (why := state.explanation()) and (number, why) < found.get(key, (2**62, "")):
                    found[key] = number, why
        return {key: why for key, (_, why) in found.items()}

    def _take(self, span: int, share: int) -> tuple[int, int]:
        """The next games to play: the first, and how many, at most `span`."""
        with self._lock:
            first = self._next
            left = len(self.results) - first
            count = min(span, max(1, left // share), left)
            self._next += count
        return first, count

    def _work(self, worker: Worker, progress: Progress | None = None) -> None:
        """Plays spans of games, which grow while they are quick."""
        span = 1
        while not self.stop[0]:
            first, count = self._take(span, 2 * len(self.crew))
            if count == 0:
                return
            began = time.perf_counter()
            done = worker.play(first, count)
            if self.python and not self._went_well(worker, first):
                return
            self.played[first : first + done] = True
            if progress:
                progress(int(self.played.sum()))
            if not self.python and time.perf_counter() - began < 0.05:
                span = 2 * count

    def _went_well(self, worker: Worker, number: int) -> bool:
        """Deals with what was raised in a game; says whether to go on."""
        raised = worker.take_exception()
        if raised is None:
            return True
        status, exception = raised
        if isinstance(exception, KeyboardInterrupt):
            self.stop[0] = 1
            return False
        if not isinstance(exception, Exception):
            raise exception
        self.results["status"][number] = status
        self.exceptions.setdefault(status, exception)
        return True
