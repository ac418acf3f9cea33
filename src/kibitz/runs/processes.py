"""Plays the shards of an experiment in several processes, for rules and agents in Python.

Only one thread of a process can run Python: uncompiled rules, rules of GDL that are not grounded,
agents in Python. Each process has the job described to it and is sent shards, one by one
(``kibitz.runs.messages``). One that dies is replaced, and its shard played again.
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
"""A shard that so many processes died of is not tried again."""


class ProcessRunner(Runner):
    """Plays shards in other processes of this machine."""

    def __init__(
        self, job: Job, *, workers: int, stop: np.ndarray[Any, Any] | None = None
    ) -> None:
        """
        Args:
            job: the experiment, and where its game and agents are found.
            workers: how many processes.
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
        """How many games have been played so far, of shards that are complete."""
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

    Native code is played by threads. Where the rules or an agent are Python, several workers are
    processes; by default such games are played in this process, where they can be debugged, can
    print, and can learn. So are games and agents that other processes cannot import.

    Args:
        experiment: what is played.
        table: where.
        agents: who plays.
        workers: how many; by default one for each core, or one where Python decides. A cluster
            is named by a word: ``"ray"`` starts one on this machine, ``"ray:ADDRESS"`` joins one.
        stop: see ``Runner``.

    Raises:
        AgentError: an agent cannot play this game.
        KibitzError: there is no such cluster, or it cannot import the game or an agent.
        ParameterError: there are fewer workers than one.
    """
    if isinstance(workers, str):
        job = Job.of(experiment, table, agents)
        if job is None:
            raise KibitzError(
                f"{experiment.game} or an agent is Python code that other machines cannot import; "
                "install it there as a module."
            )
        return RayRunner(job, place=workers, stop=stop)
    here = ThreadRunner(experiment, table, agents, workers=workers, stop=stop)  # compiles all
    if workers is None or workers == 1 or not decides_in_python(table, agents):
        return here
    job = Job.of(experiment, table, agents)
    if job is not None:
        return ProcessRunner(job, workers=workers, stop=stop)
    logger.warning(
        "One worker plays: %s or an agent is Python code that other processes cannot import.",
        experiment.game,
    )
    return here


class _WorkerProcesses:
    """The worker processes of a run, and the shards that they were given.

    Attributes:
        shards: those that were begun and not handed over, in order.
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
            process = next((one for one in self._processes if one.shard is None), None)
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
        """Receives finished shards, waiting a moment for them; returns how many games they have.

        Raises:
            KibitzError: a game cannot be played.
        """
        played = 0
        busy = {one.connection: one for one in self._processes if one.shard is not None}
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
            KibitzError: too many processes have died of it.
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
        """The rows of the next shards in order, as far as they have been received."""
        while self.shards and self.shards[0] in self._rows:
            yield self._rows.pop(self.shards.popleft())

    def end(self) -> None:
        """Ends all processes."""
        for process in self._processes:
            process.end()


class _Process:
    """A worker process, which plays one shard at a time.

    Attributes:
        connection: to it.
        shard: what it plays; ``None``: it waits for a shard.
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
        with contextlib.suppress(OSError):  # it has died, which is noticed when it should answer
            self.connection.send_bytes(content)

    def receive(self) -> Rows | None:
        """The rows of its shard; ``None`` if the process has only reported that it is ready.

        Raises:
            EOFError, OSError: it has died.
            KibitzError: it cannot play, and says why.
        """
        what = self.connection.recv_bytes()
        if what == READY:
            self._ready = True
            return None
        if what == PROBLEM:
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
