"""Threads that wait for work, by which tables are stepped in parallel."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from queue import SimpleQueue
from typing import Any

import numpy as np

from kibitz.core.interrupt import SignalWatch, StoppedError, deferred

Work = Callable[[int], bool]
"""Native work for a place, which releases the GIL and raises nothing. It takes from what is left
until there is no more, and says whether all of it is done, by whomever."""

Offer = Callable[[], int]
"""Lays the work out, and returns -1; or another number that says why there is none."""

Order = Callable[[], None]


class TableThreads:
    """Runs shared work in several threads: the calling one and others, each with its own tables.

    The threads are kept, since to start some, or to go through an executor's locks, takes longer
    than a step of a thousand tables. Nobody waits for a thread that wakes up when all is done.
    """

    def __init__(self, size: int, stop: np.ndarray[Any, Any]) -> None:
        """
        Args:
            size: how many places there are, that of the calling thread included.
            stop: the stop word that the work watches.
        """
        self._stop = stop
        self._watches: list[SignalWatch] = []
        self._orders: list[SimpleQueue[Order | None]] = [SimpleQueue() for _ in range(size - 1)]
        for orders in self._orders:
            threading.Thread(target=_serve, args=(orders,), daemon=True).start()
        self._end = weakref.finalize(self, _dismiss, self._orders, self._watches)
        self._one_caller = threading.Lock()

    def __call__(self, offer: Offer, work: Work) -> int:
        """Runs all work, until it is done or an interrupt sets the stop word.

        A thread that is late may begin when the next work is there already, and takes from that.
        So nothing is offered that is not waited for.

        Returns:
            What the offer says.

        Raises:
            KeyboardInterrupt: it was interrupted.
            RuntimeError: the threads have been ended.
            StoppedError: it was interrupted where the interrupt is raised later.
        """
        answers: SimpleQueue[bool] = SimpleQueue()
        with deferred(self._stop), self._one_caller, self._watch():
            if self._orders and not self._end.alive:
                raise RuntimeError("These threads have been ended: make new tables.")
            refused = offer()
            if refused != -1:
                return refused
            for place, orders in enumerate(self._orders, 1):
                orders.put(partial(_answer, work, place, answers))
            done = work(0)
            for _ in self._orders:  # who answers has ended all that it took
                done = done or answers.get()
        if self._stop[0]:
            raise StoppedError
        return -1

    def _watch(self) -> AbstractContextManager[object]:
        """A block in which a signal sets the stop word while native code is running."""
        if threading.current_thread() is not threading.main_thread():
            return nullcontext()
        if not self._watches:
            self._watches.append(SignalWatch())
        return self._watches[0]

    def close(self) -> None:
        """Ends the threads."""
        self._end()


def _answer(work: Work, place: int, answers: SimpleQueue[bool]) -> None:
    answers.put(work(place))


def _serve(orders: SimpleQueue[Order | None]) -> None:
    while (order := orders.get()) is not None:
        order()
        del order  # which holds memory


def _dismiss(queues: list[SimpleQueue[Order | None]], watches: list[SignalWatch]) -> None:
    for orders in queues:
        orders.put(None)
    while watches:
        watches.pop().close()
