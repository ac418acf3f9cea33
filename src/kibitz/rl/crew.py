"""Threads that wait for work: what steps tables side by side."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from kibitz.core.interrupt import deferred

Work = Callable[[], int]
"""A native call that releases the GIL. It raises nothing."""


class Crew:
    """Does several pieces of work at once: one in the calling thread, each other in its own.

    The threads are kept, since to start some, or to go through an executor's locks, takes longer
    than a step of a thousand tables.
    """

    def __init__(self, size: int) -> None:
        """
        Args:
            size: how many pieces are done at once.
        """
        self._work: list[SimpleQueue[Work | None]] = [SimpleQueue() for _ in range(size - 1)]
        self._done: SimpleQueue[int] = SimpleQueue()
        for queue in self._work:
            threading.Thread(target=_serve, args=(queue, self._done), daemon=True).start()
        self._end = weakref.finalize(self, _dismiss, self._work)

    def __call__(self, work: Sequence[Work]) -> list[int]:
        """Does as many pieces as there are places; returns what they gave that is not 0.

        An interrupt is raised when all are done.

        Raises:
            RuntimeError: the threads have been ended.
        """
        if self._work and not self._end.alive:
            raise RuntimeError("These threads have been ended: make new tables.")
        with deferred():
            for queue, piece in zip(self._work, work[1:], strict=True):
                queue.put(piece)
            outcomes = [work[0]()]
            outcomes += [self._done.get() for _ in self._work]
        return [outcome for outcome in outcomes if outcome]

    def close(self) -> None:
        """Ends the threads."""
        self._end()


def _serve(queue: SimpleQueue[Work | None], done: SimpleQueue[int]) -> None:
    while (work := queue.get()) is not None:
        done.put(work())


def _dismiss(queues: Sequence[SimpleQueue[Work | None]]) -> None:
    for queue in queues:
        queue.put(None)
