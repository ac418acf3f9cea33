"""Plays the shards of an experiment on all cores.

A runner is anything that takes shards and gives their rows, in the order of the shards. This
one uses threads: native code runs beside Python, so they share compiled rules and cost nothing
to start.
"""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from kibitz.arena.match import result_dtype
from kibitz.arena.worker import Worker, available_cores, decides_in_python
from kibitz.core import interrupt
from kibitz.core.agent import Agent
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.interrupt import deferred, run_interruptibly
from kibitz.core.records import joined
from kibitz.core.status import Status
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.rows import Rows

Progress = Callable[[int], None]
"""Called now and then with the number of games played so far."""

AHEAD = 2
"""So many shards for each worker are being played or wait for earlier ones to be taken."""
WATCH_SECONDS = 0.1
QUICK_SECONDS = 0.05
"""A worker looks up from its games about this often."""


class ThreadRunner:
    """Plays shards in threads of this process.

    Agents that decide in Python, and uncompiled rules, are played by one thread, since only
    one can run Python at a time.

    Attributes:
        stop: an array of one 64-bit integer; when it turns non-zero the games end early.
        exceptions: what rules or agents written in Python raised first, by status.
    """

    def __init__(
        self,
        experiment: Experiment,
        table: Table,
        agents: Sequence[Agent],
        *,
        workers: int | None = None,
        stop: np.ndarray[Any, Any] | None = None,
    ) -> None:
        """
        Raises:
            AgentError: an agent cannot play this game.
            ParameterError: there are fewer workers than one.
        """
        if workers is not None and workers < 1:
            raise ParameterError(f"workers = {workers} should be at least 1.")
        self.experiment = experiment
        self.stop = np.zeros(1, np.int64) if stop is None else stop
        self.exceptions: dict[Status, Exception] = {}
        self._python = decides_in_python(table, agents)
        size = 1 if self._python else min(workers or available_cores(), experiment.games)
        self._crew = [
            Worker(table, agents, self.stop, experiment.loops, experiment.record)
            for _ in range(size)
        ]
        for worker in self._crew:
            worker.match["seed"] = experiment.seed
            worker.match["rotate"] = experiment.rotate
        self._played = [0] * size

    def play(
        self,
        take: Callable[[Rows], None],
        shards: Iterable[Shard] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Plays shards and hands their rows over, in order; by default the whole experiment.

        An interrupt, or the stop word, ends the run early: of the shards that were being played
        the rows so far are handed over. No interrupt is raised while somebody takes rows.

        Args:
            take: called in this thread with the rows of each shard.
            shards: what is to be played.
            progress: called in this thread, now and then.
        """
        todo = iter(self.experiment.shards() if shards is None else shards)

        def hand_over(rows: Rows) -> None:
            self._tell(progress)
            if len(rows.results):
                take(rows)

        with deferred(self.stop):
            try:
                if self._python:
                    run_interruptibly(lambda: self._play_here(todo, hand_over), self.stop)
                else:
                    self._share_out(todo, hand_over, progress)
            except KeyboardInterrupt:
                self.stop[0] = 1
            interrupt.take_pending()

    def _play_here(self, todo: Iterator[Shard], hand_over: Callable[[Rows], None]) -> None:
        """Plays in this thread."""
        for shard in todo:
            hand_over(self._play_shard(0, shard))
            if self.stop[0]:
                return

    def _share_out(
        self,
        todo: Iterator[Shard],
        hand_over: Callable[[Rows], None],
        progress: Progress | None,
    ) -> None:
        """Gives every worker a thread."""
        idle: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(len(self._crew)):
            idle.put(number)

        def work(shard: Shard) -> Rows:
            number = idle.get()
            try:
                return self._play_shard(number, shard)
            finally:
                idle.put(number)

        going: deque[Future[Rows]] = deque()
        with ThreadPoolExecutor(len(self._crew)) as pool:
            try:
                while True:
                    while len(going) < AHEAD * len(self._crew) and not self.stop[0]:
                        if (shard := next(todo, None)) is None:
                            break
                        going.append(pool.submit(work, shard))
                    if not going:
                        return
                    while not wait([going[0]], WATCH_SECONDS).done:
                        self._tell(progress)
                    hand_over(going.popleft().result())
            except BaseException:
                self.stop[0] = 1
                raise

    def _tell(self, progress: Progress | None) -> None:
        """Says how far it is. Whoever shows that may interrupt the run."""
        try:
            if progress:
                progress(sum(self._played))
        except KeyboardInterrupt:
            self.stop[0] = 1

    def _play_shard(self, number: int, shard: Shard) -> Rows:
        """Plays a shard in spans that grow while they are quick."""
        worker, match = self._crew[number], self._crew[number].match
        results = np.zeros(shard.games, result_dtype(self.experiment.players))
        match["results"] = results.ctypes.data - shard.first * results.itemsize
        match["result_size"] = results.itemsize
        match["broken_kept"] = 0
        worker.branching[:] = 0
        began = time.perf_counter()
        done, span, exceptions = 0, 1, dict[int, str]()
        logged = [worker.take_decisions()]
        while done < shard.games and not self.stop[0]:
            started = time.perf_counter()
            wanted = 1 if self._python else min(span, shard.games - done)
            played = worker.play(shard.first + done, wanted)
            if self._python and not self._went_well(worker, results[done], exceptions):
                break
            done += played
            if played < wanted:
                logged.append(worker.take_decisions())
            self._played[number] += played
            if time.perf_counter() - started < QUICK_SECONDS:
                span *= 2
        logged.append(worker.take_decisions())
        decisions, opinions = (joined(parts) for parts in zip(*logged, strict=True))
        explanations: dict[tuple[int, int], tuple[int, str]] = {}
        for game, state in worker.broken_states():
            if game < shard.first + done and (why := state.explanation()):
                key = int(state.status), int(state.view.phase)
                explanations[key] = min((game, why), explanations.get(key, (game, why)))
        return Rows(
            shard,
            results[:done],
            worker.branching[:, : np.count_nonzero(worker.branching[0])].copy(),
            time.perf_counter() - began,
            explanations,
            exceptions,
            decisions,
            opinions,
        )

    def _went_well(self, worker: Worker, result: Any, exceptions: dict[int, str]) -> bool:
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
        result["status"] = status
        self.exceptions.setdefault(status, exception)
        exceptions.setdefault(status, f"{type(exception).__name__}: {exception}")
        return True
