"""Plays the shards of an experiment on a Ray cluster, on many machines or on this one.

It needs the extra ``kibitz[ray]`` on every machine. Rules that are a text travel as a text, and
are compiled once on each machine, where ``kibitz.core.native`` keeps machine code. Rules and
agents that are Python code are imported there: they are installed, or in a folder that all share.

A *task* plays some consecutive shards in one process and returns their rows. Ray plays tasks
again whose process or machine was lost. The rows of a shard depend on the experiment alone, so
nothing is lost or doubled. Reference: P. Moritz et al., "Ray: A Distributed Framework for Emerging
AI Applications", OSDI 2018.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import KibitzError, MissingExtraError, ParameterError
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.messages import (
    Job,
    rows_from_bytes,
    rows_to_bytes,
    shard_from_bytes,
    shard_to_bytes,
)
from kibitz.runs.randomized import RandomizedShardPlayer, shard_player
from kibitz.runs.rows import Rows
from kibitz.runs.runner import AHEAD, WATCH_SECONDS, Runner
from kibitz.runs.shard import ShardPlayer

RAY = "ray"
"""The word for a cluster of Ray; an address may follow, as in ``ray:10.0.0.1:6379``."""

TASK_SECONDS = 2.0
"""Approximate duration of a task, long enough that the overhead of a task does not matter."""

MOST_SHARDS_A_TASK = 256
"""Maximum number of shards of a task."""

RETRIES = 4
"""Maximum number of times that Ray repeats a task whose process or machine was lost."""

REACH_SECONDS = 10.0
"""Time within which the first machine of a cluster has to answer."""

JOBS_KEPT = 2
"""Number of jobs whose compiled tables a worker process keeps."""


class RayRunner(Runner):
    """Plays shards on a Ray cluster, with one task for each of its cores at a time."""

    def __init__(
        self, job: Job, *, place: str = RAY, stop: np.ndarray[Any, Any] | None = None
    ) -> None:
        """Prepares a run; the first shard joins the cluster, or starts one on this machine.

        A cluster that is started here ends with this process.

        Args:
            place: ``ray``, or ``ray:ADDRESS``.
            stop: see ``Runner``.

        Raises:
            MissingExtraError: the extra ``ray`` is not installed.
            ParameterError: `place` is not a cluster.
        """
        super().__init__(job.experiment, None, stop)
        self._job = job.to_bytes()
        self._played = 0
        self._address = _address(place)

    @property
    def played(self) -> int:
        """The number of games of the tasks that are complete."""
        return self._played

    def _join(self) -> None:
        _join(self._address)

    def _play_all(
        self, todo: Iterator[Shard], take: Callable[[Rows], None], watch: Callable[[], None]
    ) -> None:
        import ray

        play = _remote_play()
        job = ray.put(self._job)
        pending: deque[_Task] = deque()
        size = 1
        try:
            while not self.stop[0]:
                while len(pending) < AHEAD * _cores(int(time.monotonic())):
                    shards = list(islice(todo, size))
                    if not shards:
                        break
                    pending.append(_Task(play.remote(job, [*map(shard_to_bytes, shards)]), shards))
                if not pending:
                    return
                self._note_ended(pending)
                watch()
                if pending[0].ended:
                    task = pending.popleft()
                    seconds = 0.0
                    for rows in task.rows(self.experiment):
                        seconds += rows.seconds
                        take(rows)
                    size = _next_size(len(task.shards), seconds)
        finally:
            for task in pending:
                with contextlib.suppress(Exception):  # the cluster may be gone
                    ray.cancel(task.answer, force=True)

    def _note_ended(self, pending: deque[_Task]) -> None:
        """Waits a moment for tasks, and marks those that have ended."""
        import ray

        waiting = {task.answer: task for task in pending if not task.ended}
        if pending[0].ended or not waiting:
            return
        ended, _ = ray.wait([*waiting], num_returns=1, timeout=WATCH_SECONDS, fetch_local=False)
        for answer in ended:
            waiting[answer].ended = True
            self._played += sum(shard.games for shard in waiting[answer].shards)


@dataclass(eq=False)
class _Task:
    """Shards that are played by one process of the cluster."""

    answer: Any
    shards: Sequence[Shard]
    ended: bool = False

    def rows(self, experiment: Experiment) -> Iterator[Rows]:
        """The rows of its shards, in order.

        Raises:
            KibitzError: the task failed, or was lost too often.
        """
        import ray

        try:
            played = ray.get(self.answer)
        except ray.exceptions.RayTaskError as problem:
            cause = problem.cause
            own = isinstance(cause, KibitzError)
            why = str(cause) if own else f"{type(cause).__name__}: {cause}"
            raise KibitzError(f"A machine of the cluster cannot play: {why}") from None
        except ray.exceptions.RayError as problem:
            first, last = self.shards[0], self.shards[-1]
            raise KibitzError(
                f"Games {first.first} to {last.first + last.games - 1} were begun {RETRIES + 1} "
                f"times on the cluster, and lost each time: {_first_line(problem)}"
            ) from None
        for shard, messages in zip(self.shards, played, strict=True):
            yield rows_from_bytes(iter(messages).__next__, shard, experiment)


def _play(job: bytes, shards: Sequence[bytes]) -> list[list[bytes]]:
    """Plays shards in a process of the cluster: the function of a task."""
    experiment, player = _player(job)
    return [[*rows_to_bytes(player.play(shard_from_bytes(shard)), experiment)] for shard in shards]


@functools.cache
def _remote_play() -> Any:
    """The function of a task, registered with Ray; it is sent to each process once."""
    import ray

    return ray.remote(num_cpus=1, max_retries=RETRIES)(_play)


@functools.lru_cache(JOBS_KEPT)
def _player(job: bytes) -> tuple[Experiment, ShardPlayer | RandomizedShardPlayer]:
    described = Job.from_bytes(job)
    table, agents = described.seated()
    stop = np.zeros(1, np.int64)
    return described.experiment, shard_player(described.experiment, table, agents, stop)


def _next_size(shards: int, seconds: float) -> int:
    """The number of shards of the next task, when one of `shards` took `seconds`."""
    size = shards * TASK_SECONDS / max(seconds, 1e-3)
    return int(min(max(size, 1), 2 * shards, MOST_SHARDS_A_TASK))


def _address(place: str) -> str:
    """The address of a cluster; empty for one of this machine.

    Raises:
        MissingExtraError: the extra ``ray`` is not installed.
        ParameterError: `place` is not a cluster.
    """
    word, _, address = place.partition(":")
    if word != RAY:
        raise ParameterError(f"{place!r} is no cluster; write {RAY} or {RAY}:ADDRESS.")
    if find_spec("ray") is None:
        raise MissingExtraError("Runs on a cluster", RAY)
    return address


def _join(address: str) -> None:
    """Connects this process to a cluster, once.

    A cluster that is started here can be used only with the token in ``~/.ray/auth_token``, which
    Ray checks.

    Raises:
        KibitzError: there is no cluster at this address.
    """
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # its own future default
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent home
    late = False
    if (
        address and _has_token()
    ):  # Ray uses the token for its own clusters, but must be told for others
        late = "RAY_AUTH_MODE" not in os.environ and "ray" in sys.modules
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    import ray

    if ray.is_initialized():
        return
    try:
        _reach(address)
        ray.init(
            address=address or "local",
            include_dashboard=None if address else False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (OSError, RuntimeError, ValueError) as problem:
        why = _first_line(problem).rstrip(".")
        raise KibitzError(
            f"The cluster {address} cannot be used: {why}. Does it run ('ray start --head' on its "
            "first machine), and is its ~/.ray/auth_token here, too?"
            + " Ray was imported before, without it: set RAY_AUTH_MODE=token before Python starts."
            * late
            if address
            else f"No cluster can be started on this machine: {why}."
        ) from None


def _has_token() -> bool:
    """Whether there is a token for clusters, in one of the places where Ray looks for it."""
    if os.environ.get("RAY_AUTH_TOKEN"):
        return True
    usual = Path.home() / ".ray" / "auth_token"
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or usual).is_file()


def _reach(address: str) -> None:
    """Checks that a server listens at ``HOST:PORT``; Ray itself would try for minutes.

    Raises:
        OSError: no server answers.
    """
    host, _, port = address.rpartition(":")
    if port.isdecimal() and "/" not in host:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_SECONDS):
            pass


@functools.lru_cache(1)
def _cores(second: int) -> int:
    """The number of cores of the cluster, cached for the given second as machines come and go."""
    import ray

    resources: Callable[[], dict[str, float]] = ray.cluster_resources
    return max(1, int(resources().get("CPU", 1)))


def _first_line(problem: Exception) -> str:
    words = getattr(problem, "strerror", None) or str(problem).strip() or type(problem).__name__
    return str(words).splitlines()[0]
