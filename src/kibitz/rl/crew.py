"""Threads that wait for work: what steps tables side by side."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from queue import SimpleQueue

from kibitz.core.interrupt import deferred

Work = Callable[[int, range], int]
"""A native call for a place and some tables, which releases the GIL. It raises nothing."""

Order = Callable[[], None]


class Crew:
    """Does several pieces of work at once: the calling thread and others, each in its place.

    The threads are kept, since to start some, or to go through an executor's locks, takes longer
    than a step of a thousand tables. Who has done the own pieces takes from what the others have
    left, so that nobody waits for a thread that wakes up late or shares its core with others.
    """

    def __init__(self, size: int) -> None:
        """
        Args:
            size: how many places there are, that of the calling thread included.
        """
        self._orders: list[SimpleQueue[Order | None]] = [SimpleQueue() for _ in range(size - 1)]
        for orders in self._orders:
            threading.Thread(target=_serve, args=(orders,), daemon=True).start()
        self._end = weakref.finalize(self, _dismiss, self._orders)

    def __call__(self, work: Work, pieces: Sequence[Sequence[range]]) -> list[int]:
        """Does all pieces; returns what they gave that is not 0.

        An interrupt is raised when all are done.

        Args:
            work: what is done with each piece, by whichever place takes it.
            pieces: for each place those with which it begins, in order: its memory knows them.

        Raises:
            RuntimeError: the threads have been ended.
        """
        if self._orders and not self._end.alive:
            raise RuntimeError("These threads have been ended: make new tables.")
        left = [deque(own) for own in pieces]
        done: SimpleQueue[int] = SimpleQueue()
        with deferred():
            for place, orders in enumerate(self._orders, 1):
                orders.put(partial(_take, work, left, place, done))
            _take(work, left, 0, done)
            outcomes = [done.get() for own in pieces for _ in own]
        return [outcome for outcome in outcomes if outcome]

    def close(self) -> None:
        """Ends the threads."""
        self._end()


def _take(work: Work, left: Sequence[deque[range]], place: int, done: SimpleQueue[int]) -> None:
    """Does the pieces of a place, the first one first, and then the last ones of the others."""
    own = left[place]
    for pieces in (own, *left[place + 1 :], *left[:place]):
        take = pieces.popleft if pieces is own else pieces.pop
        while pieces:
            try:
                piece = take()
            except IndexError:  # somebody else was quicker
                break
            done.put(work(place, piece))


def _serve(orders: SimpleQueue[Order | None]) -> None:
    while (order := orders.get()) is not None:
        order()


def _dismiss(queues: Sequence[SimpleQueue[Order | None]]) -> None:
    for orders in queues:
        orders.put(None)
