"""Plays the shards of an experiment on all cores.

A runner takes shards and returns their rows, in the order of the shards. ``ThreadRunner`` uses
threads: native code does not hold the interpreter lock, so they run in parallel, share compiled
rules and cost nothing to start. ``ProcessRunner`` (``kibitz.runs.processes``) is for Python code.
"""

from __future__ import annotations

import abc
import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np

from kibitz.arena.worker import available_cores, decides_in_python
from kibitz.core import interrupt
from kibitz.core.agent import Agent
from kibitz.core.game import Table
from kibitz.core.interrupt import deferred, run_interruptibly
from kibitz.core.parameters import whole_number
from kibitz.core.progress import Progress
from kibitz.core.status import Status
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.randomized import RandomizedShardPlayer, shard_player
from kibitz.runs.rows import Rows
from kibitz.runs.shard import ShardPlayer

Workers = int | str | None
"""A number of workers on this machine, ``None`` for one per core, or a cluster.

A cluster is ``"ray"`` or ``"ray:ADDRESS"``."""

AHEAD = 2
"""Maximum number of shards per worker that are being played or wait for earlier ones."""

WATCH_SECONDS = 0.1
"""Time between two reports of progress."""


class Runner(abc.ABC):
    """Plays shards of an experiment.

    Attributes:
        stop: an array of one 64-bit integer; a non-zero value ends the games early.
    """

    def __init__(
        self,
        experiment: Experiment,
        workers: int | None,
        stop: np.ndarray[Any, Any] | None,
    ) -> None:
        if workers is not None:
            whole_number("workers", workers, 1)
        self.experiment = experiment
        self.stop = np.zeros(1, np.int64) if stop is None else stop

    @property
    @abc.abstractmethod
    def played(self) -> int:
        """The number of games played so far."""

    def _join(self) -> None:  # noqa: B027 (most runners reach nobody)
        """Connects to the machines that play, if they are others; called if there is work.

        Raises:
            KibitzError: the machines cannot be reached.
        """

    @abc.abstractmethod
    def _play_all(
        self, todo: Iterator[Shard], take: Callable[[Rows], None], watch: Callable[[], None]
    ) -> None:
        """Plays all shards until the stop word is set.

        Args:
            take: called with the rows of each shard, in order; they may be incomplete.
            watch: called from time to time.

        Raises:
            KeyboardInterrupt: it ends the run early, too.
        """

    def play(
        self,
        take: Callable[[Rows], None],
        shards: Iterable[Shard] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Plays shards and hands their rows over, in order; by default the whole experiment.

        An interrupt, or the stop word, ends the run early; the rows so far of the shards that
        were being played are handed over. Interrupts are not raised, except while a cluster is
        joined.

        Args:
            take: called in this thread with the rows of each shard.

        Raises:
            KibitzError: a cluster cannot be reached, or cannot play the games.
        """

        def watch() -> None:
            try:
                if progress:
                    progress("games", self.played, total)
            except KeyboardInterrupt:
                self.stop[0] = 1

        def hand_over(rows: Rows) -> None:
            watch()
            if len(rows.results):
                take(rows)

        total = self.experiment.games
        todo = iter(self.experiment.shards() if shards is None else shards)
        first = next(todo, None)
        if first is not None:
            self._join()
        with deferred(self.stop):
            try:
                watch()
                if first is not None:
                    self._play_all(chain([first], todo), hand_over, watch)
            except KeyboardInterrupt:
                self.stop[0] = 1
            interrupt.take_pending()


class ThreadRunner(Runner):
    """Plays shards in threads of this process.

    Agents that decide in Python, and uncompiled rules, are played by one thread, since only
    one can run Python at a time.
    """

    def __init__(
        self,
        experiment: Experiment,
        table: Table,
        agents: Sequence[Agent],
        *,
        workers: int | None = None,
        stop: np.ndarray[Any, Any] | None = None,
        seeds: np.ndarray[Any, Any] | None = None,
    ) -> None:
        """
        Args:
            workers: number of threads; by default one per core.
            stop: see ``Runner``.
            seeds: a ``SEEDS`` record for each game; by default they follow from the seed of the
                experiment.

        Raises:
            AgentError: an agent cannot play this game.
            ParameterError: `workers` is below 1.
        """
        super().__init__(experiment, workers, stop)
        self._python = decides_in_python(table, agents)
        size = 1 if self._python else min(workers or available_cores(), experiment.games)
        self._players = [
            shard_player(experiment, table, agents, self.stop, seeds) for _ in range(size)
        ]

    @property
    def played(self) -> int:
        """How many games have been played so far."""
        return sum(player.played for player in self._players)

    @property
    def exceptions(self) -> dict[Status, Exception]:
        """The first exception of rules or agents written in Python, by status."""
        return {k: v for player in reversed(self._players) for k, v in player.exceptions.items()}

    def _play_all(
        self, todo: Iterator[Shard], take: Callable[[Rows], None], watch: Callable[[], None]
    ) -> None:
        if self._python:
            run_interruptibly(lambda: self._play_here(todo, take), self.stop)
        else:
            self._share_out(todo, take, watch)

    def _play_here(self, todo: Iterator[Shard], take: Callable[[Rows], None]) -> None:
        """Plays the shards in this thread."""
        for shard in todo:
            take(self._players[0].play(shard))
            if self.stop[0]:
                return

    def _share_out(
        self, todo: Iterator[Shard], take: Callable[[Rows], None], watch: Callable[[], None]
    ) -> None:
        """Plays the shards in a thread for each worker."""
        waiting: queue.SimpleQueue[tuple[int, Shard] | None] = queue.SimpleQueue()
        finished: queue.SimpleQueue[tuple[int, Rows | BaseException]] = queue.SimpleQueue()

        def work(player: ShardPlayer | RandomizedShardPlayer) -> None:
            while item := waiting.get():
                number, shard = item
                try:
                    finished.put((number, player.play(shard)))
                except BaseException as problem:  # for the thread that takes the rows
                    finished.put((number, problem))

        numbered = enumerate(todo)
        sent = taken = 0
        early: dict[int, Rows | BaseException] = {}
        with ThreadPoolExecutor(len(self._players)) as pool:
            try:
                for player in self._players:
                    pool.submit(work, player)
                while True:
                    while sent - taken < AHEAD * len(self._players) and not self.stop[0]:
                        if (item := next(numbered, None)) is None:
                            break
                        waiting.put(item)
                        sent += 1
                    if sent == taken:
                        return
                    while taken not in early:
                        try:
                            number, rows = finished.get(timeout=WATCH_SECONDS)
                        except queue.Empty:
                            watch()
                        else:
                            early[number] = rows
                    rows = early.pop(taken)
                    if isinstance(rows, BaseException):
                        raise rows
                    take(rows)
                    taken += 1
            except BaseException:
                self.stop[0] = 1
                raise
            finally:
                for _ in self._players:
                    waiting.put(None)
