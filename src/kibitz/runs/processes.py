"""Plays the shards of an experiment in several processes, for rules and agents in Python.

Only one thread of a process can run Python: uncompiled rules, rules of GDL that are not grounded,
agents in Python. Each process receives the job and then shards, one by one
(``kibitz.runs.messages``). A process that dies is replaced, and its shard is played again.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, cast

import numpy as np

from kibitz.arena.worker import decides_in_python
from kibitz.core.agent import Agent
from kibitz.core.errors import KibitzError
from kibitz.core.game import Table
from kibitz.runs.cluster import RayRunner
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.messages import PROBLEM, READY, Job, rows_from_bytes, shard_to_bytes
from kibitz.runs.rows import Rows
from kibitz.runs.runner import AHEAD, WATCH_SECONDS, Runner, ThreadRunner, Workers

logger = logging.getLogger("kibitz")

MOST_DEATHS = 2
"""Number of processes that may die while playing a shard, before the run fails."""


class ProcessRunner(Runner):
    """Plays shards in other processes of this machine."""

    def __init__(
        self, job: Job, *, workers: int, stop: np.ndarray[Any, Any] | None = None
    ) -> None:
        """
        Args:
            workers: number of processes.
            stop: see ``Runner``.

        Raises:
            ParameterError: there are fewer workers than one.
        """
        super().__init__(job.experiment, workers, stop)
        self._job = job
        self._size = min(workers, job.experiment.shard_count)
        self._played = 0

    @property
    def played(self) -> int:
        """The number of games of the shards that have been received."""
        return self._played

    def _play_all(
        self, todo: Iterator[Shard], take: Callable[[Rows], None], watch: Callable[[], None]
    ) -> None:
        processes = _WorkerProcesses(self._job, self._size, todo)
        try:
            while True:
                if self.stop[0]:
                    processes.stop()
                else:
                    processes.send()
                if not processes.shards:
                    return
                self._played += processes.receive()
                watch()
                for rows in processes.in_order():
                    take(rows)
        finally:
            processes.end()


def runner_for(
    experiment: Experiment,
    table: Table,
    agents: Sequence[Agent],
    *,
    workers: Workers = None,
    stop: np.ndarray[Any, Any] | None = None,
) -> Runner:
    """Chooses the runner for an experiment: threads, processes where Python decides, or a cluster.

    Native code is played by threads. If the rules or an agent are Python, several workers are
    processes; by default such games are played in this process, where they can be debugged, can
    print, and can learn. So are games and agents that other processes cannot import.

    Args:
        workers: number of workers, by default one per core, or one where Python decides. Or a
            cluster: ``"ray"`` starts one on this machine, ``"ray:ADDRESS"`` joins one.
        stop: see ``Runner``.

    Raises:
        AgentError: an agent cannot play this game.
        KibitzError: the cluster cannot import the game or an agent.
        MissingExtraError: the extra ``ray`` is not installed.
        ParameterError: `workers` is below 1, or the name of no cluster.
    """
    if isinstance(workers, str):
        job = Job.of(experiment, table, agents)
        if job is None:
            raise KibitzError(
                f"{experiment.game} or an agent is Python code that other machines cannot import; "
                "install it there as a module."
            )
        return RayRunner(job, place=workers, stop=stop)
    threads = ThreadRunner(experiment, table, agents, workers=workers, stop=stop)  # compiles all
    if workers is None or workers == 1 or not decides_in_python(table, agents):
        return threads
    job = Job.of(experiment, table, agents)
    if job is not None:
        return ProcessRunner(job, workers=workers, stop=stop)
    logger.warning(
        "One worker plays: %s or an agent is Python code that other processes cannot import.",
        experiment.game,
    )
    return threads


class _WorkerProcesses:
    """The worker processes of a run, and their shards.

    Attributes:
        shards: the shards that were begun and not yet returned, in order.
    """

    def __init__(self, job: Job, size: int, todo: Iterator[Shard]) -> None:
        self.shards: deque[Shard] = deque()
        self._job = job
        self._size = size
        self._todo = todo
        self._lost: deque[Shard] = deque()
        self._deaths: Counter[Shard] = Counter()
        self._rows: dict[Shard, Rows] = {}
        self._processes: list[_Process] = []
        self._stopped = False

    def send(self) -> None:
        """Gives a shard to every idle process, starting processes as needed."""
        while self._lost or len(self.shards) < AHEAD * self._size:
            process = next(
                (candidate for candidate in self._processes if candidate.shard is None), None
            )
            if process is None and len(self._processes) == self._size:
                return
            if self._lost:
                shard = self._lost.popleft()
            elif (following := next(self._todo, None)) is not None:
                shard = following
                self.shards.append(shard)
            else:
                return
            if process is None:
                process = _Process(self._job)
                self._processes.append(process)
            process.send(shard)

    def stop(self) -> None:
        """Interrupts all processes; they return what they have played."""
        if self._stopped:
            return
        self._stopped = True
        for shard in self._lost:
            self.shards.remove(shard)
        for process in self._processes:
            process.interrupt()

    def receive(self) -> int:
        """Receives finished shards, waiting a moment for them; returns their number of games.

        Raises:
            KibitzError: a game cannot be played, or too many processes died of a shard.
        """
        played = 0
        busy = {
            candidate.connection: candidate
            for candidate in self._processes
            if candidate.shard is not None
        }
        for connection in wait(list(busy), WATCH_SECONDS):
            process = busy[cast("Connection", connection)]
            shard = process.shard
            assert shard is not None
            try:
                rows = process.receive()
            except (EOFError, OSError):
                self._processes.remove(process)
                self._note_death(shard, process.end())
                continue
            if rows is not None:
                self._rows[shard] = rows
                played += len(rows.results)
        return played

    def _note_death(self, shard: Shard, how: str) -> None:
        """Queues the shard of a dead process again.

        Raises:
            KibitzError: too many processes have died of the shard.
        """
        self._deaths[shard] += 1
        if self._stopped:
            self.shards.remove(shard)
        elif self._deaths[shard] < MOST_DEATHS:
            self._lost.append(shard)
        else:
            raise KibitzError(
                f"The process that played games {shard.first} to "
                f"{shard.first + shard.games - 1} ended by itself, {MOST_DEATHS} times, the last "
                f"time with {how}."
            )

    def in_order(self) -> Iterator[Rows]:
        """The rows of the next shards in order, up to the first that was not received yet."""
        while self.shards and self.shards[0] in self._rows:
            yield self._rows.pop(self.shards.popleft())

    def end(self) -> None:
        """Ends all processes."""
        for process in self._processes:
            process.end()


class _Process:
    """A worker process, which plays one shard at a time.

    Attributes:
        connection: connection to the process.
        shard: the shard that it plays; ``None`` if it is idle.
    """

    def __init__(self, job: Job) -> None:
        mine, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "kibitz.runs.process", str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C at the terminal reaches it through ``interrupt``
            )
        self.connection = Connection(mine.detach())
        self.shard: Shard | None = None
        self._experiment = job.experiment
        self._ready = False
        self._send(job.to_bytes())

    def send(self, shard: Shard) -> None:
        """Sends a shard to be played."""
        self.shard = shard
        self._send(shard_to_bytes(shard))

    def _send(self, content: bytes) -> None:
        with contextlib.suppress(OSError):  # if the process has died, `receive` notices it
            self.connection.send_bytes(content)

    def receive(self) -> Rows | None:
        """The rows of its shard; ``None`` if the process has only reported that it is ready.

        Raises:
            EOFError, OSError: the process has died.
            KibitzError: the process cannot play; the message is its own.
        """
        kind = self.connection.recv_bytes()
        if kind == READY:
            self._ready = True
            return None
        if kind == PROBLEM:
            raise KibitzError(self.connection.recv_bytes().decode())
        assert self.shard is not None
        rows = rows_from_bytes(self.connection.recv_bytes, self.shard, self._experiment)
        self.shard = None
        return rows

    def interrupt(self) -> None:
        """Ends its shard early; the rows played so far are then sent."""
        if self._ready:
            self._process.send_signal(signal.SIGINT)
        else:  # it has played nothing, and is not prepared for signals
            self._process.kill()

    def end(self) -> str:
        """Ends the process; returns its signal or exit code in words."""
        self.connection.close()
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"
