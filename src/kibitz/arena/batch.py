"""Many games at once: a run of seeded games on all cores, which can be stopped and kept."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.arena.match import MATCH, native_play_games, result_dtype
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import Agent, Binding
from kibitz.core.errors import AgentError
from kibitz.core.game import Table

Progress = Callable[[int], None]
"""Called now and then with the number of games played so far."""


@dataclass
class Batch:
    """The outcome of a run.

    Attributes:
        table: what was played.
        agents: who played, in the order given; seats rotate among them.
        seed: of the run.
        results: a record (``result_dtype``) for each game played, in order.
        wanted: how many games were asked for.
        seconds: how long it took.
    """

    table: Table
    agents: list[Agent]
    seed: int
    results: np.ndarray[Any, Any]
    wanted: int
    seconds: float

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before all games were played."""
        return len(self.results) < self.wanted


class Worker:
    """What one thread needs to play: a table of its own, bound agents, room for a game."""

    def __init__(self, table: Table, agents: Sequence[Agent], stop: np.ndarray[Any, Any]) -> None:
        self.table = table.fork()
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
        self._play = native_play_games()

    def play(self, first: int, count: int) -> int:
        """Plays a span of the run's games; returns how many it finished."""
        return self._play(int(self.match.ctypes.data), first, count)

    def state_bytes(self) -> bytes:
        """The state in which the last game ended."""
        return self._rooms[0].raw

    def raise_exceptions(self) -> None:
        """Raises what rules or agents left in Python raised while native code called them."""
        self.table.raise_pending()
        for binding in self.bindings:
            if binding.exception is not None:
                raise binding.exception


def play_batch(
    table: Table,
    agents: Sequence[Agent],
    games: int,
    seed: int = 0,
    *,
    rotate: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Plays `games` games; the same seed gives the same results for any number of workers.

    Agents that decide in Python, and uncompiled rules, are played by one thread, since only
    one can run Python at a time. A keyboard interrupt ends the run early; the games finished
    by then are kept.

    Args:
        agents: one for each seat of the first game; with `rotate` they move on by one seat
            from game to game.
        workers: threads; by default one for each core.

    Raises:
        AgentError: an agent raised an exception or cannot play this game.
    """
    if len(agents) != table.players:
        raise AgentError(f"{len(agents)} agents cannot fill {table.players} seats.")
    results = np.zeros(games, result_dtype(table.players))
    stop = np.zeros(1, np.int64)
    cores = workers or available_cores()
    if not table.game.compiled or any(_decides_in_python(agent) for agent in agents):
        cores = 1
    began = time.perf_counter()
    crew = [Worker(table, agents, stop) for _ in range(max(1, min(cores, games)))]
    for worker in crew:
        worker.match["results"] = results.ctypes.data
        worker.match["result_size"] = results.itemsize
        worker.match["seed"] = seed
        worker.match["rotate"] = rotate
    played = _share_out(crew, games, stop, progress)
    seconds = time.perf_counter() - began
    return Batch(table, list(agents), seed, results[played], games, seconds)


def available_cores() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _decides_in_python(agent: Agent) -> bool:
    from kibitz.core.agent import NativeAgent

    return not isinstance(agent, NativeAgent)


def _share_out(
    crew: list[Worker], games: int, stop: np.ndarray[Any, Any], progress: Progress | None
) -> np.ndarray[Any, Any]:
    """Has the crew play all games, in spans that grow while they are quick.

    Returns a mask of the games that were played.
    """
    played = np.zeros(games, bool)
    lock = threading.Lock()
    next_game = 0

    def work(worker: Worker) -> None:
        nonlocal next_game
        span = 1
        while not stop[0]:
            with lock:
                first = next_game
                span = min(span, max(1, (games - first) // (2 * len(crew))), games - first)
                next_game += max(0, span)
            if first >= games:
                return
            began = time.perf_counter()
            done = worker.play(first, span)
            played[first : first + done] = True
            if worker.table.exception or any(b.exception for b in worker.bindings):
                stop[0] = 1
                return
            if time.perf_counter() - began < 0.05:
                span *= 2

    with ThreadPoolExecutor(len(crew)) as pool:
        waiting: set[Future[None]] = {pool.submit(work, worker) for worker in crew}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                if progress:
                    progress(int(played.sum()))
        except KeyboardInterrupt:
            stop[0] = 1
            wait(waiting)
    for worker in crew:
        try:
            worker.raise_exceptions()
        except KeyboardInterrupt:
            break
    return played


