"""Processes of a service without a match: a spare one, and one for previewed rules."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kibitz.workers.fork_server import ForkServer, Worker


@dataclass(frozen=True)
class _Previewed:
    """Previewed rules, the process that compiles them, and the time of the PREVIEW."""

    rules: str
    worker: Worker
    since: float


class Standby:
    """A spare process, and the process of the rules that were previewed last.

    Args:
        fork_server: makes new processes.
        patience: seconds for which previewed rules are kept.
    """

    def __init__(self, fork_server: ForkServer, patience: float) -> None:
        self._fork_server = fork_server
        self._patience = patience
        self._spare: Worker | None = None
        self._previewed: _Previewed | None = None

    async def worker(self, rules: str) -> Worker:
        """A process for these rules: that of their preview, the spare one, or a new one.

        Raises:
            OSError: no process can be made.
        """
        previewed = self._previewed
        if previewed is not None and previewed.rules == rules and not previewed.worker.ended:
            self._previewed = None
            return previewed.worker
        spare, self._spare = self._spare, None
        if spare is not None and not spare.ended:
            return spare
        return await self._fork_server.worker()

    def keep(self, worker: Worker) -> None:
        """Keeps an unused process as the spare one."""
        if self._spare is None:
            self._spare = worker
        else:
            worker.end()

    def keep_for(self, rules: str, worker: Worker, since: float) -> None:
        """Keeps a process that has previewed these rules, for a START with them.

        Args:
            since: the time of the PREVIEW, on the monotonic clock.
        """
        if self._previewed is not None:
            self._previewed.worker.end()
        self._previewed = _Previewed(rules, worker, since)

    def sweep(self) -> None:
        """Ends the process of previewed rules that are older than the patience."""
        previewed = self._previewed
        if previewed is not None and time.monotonic() - previewed.since > self._patience:
            self._previewed = None
            previewed.worker.end()

    def end(self) -> None:
        """Ends both processes."""
        for worker in (self._spare, self._previewed.worker if self._previewed else None):
            if worker is not None:
                worker.end()
