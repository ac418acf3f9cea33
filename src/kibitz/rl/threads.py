"""Waiting threads that step tables in parallel."""

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
"""Native work of one thread, given its place; it releases the GIL and raises nothing. It takes
shares of the work until none is left, and returns whether all threads together are done."""

Offer = Callable[[], int]
"""Prepares the work and returns -1, or another number that says why there is none."""

Order = Callable[[], None]


class TableThreads:
    """Runs shared work in several threads: the calling one and others, each with its own tables.

    The threads are kept, since starting them, or the locks of an executor, takes longer than a
    step of a thousand tables. A thread that wakes up after all work is done is not waited for.
    """

    def __init__(self, size: int, stop: np.ndarray[Any, Any]) -> None:
        """
        Args:
            size: the number of threads, the calling one included.
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

        A late thread may begin when the next work is already offered, and takes from that. So all
        work that is offered has to be waited for.

        Returns:
            The result of the offer.

        Raises:
            KeyboardInterrupt: the work was interrupted.
            RuntimeError: the threads have been ended.
            StoppedError: the work was interrupted in a block that defers interrupts.
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
            for _ in self._orders:  # a thread that answers has finished its shares
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
        del order  # it keeps memory alive


def _dismiss(queues: list[SimpleQueue[Order | None]], watches: list[SignalWatch]) -> None:
    for orders in queues:
        orders.put(None)
    while watches:
        watches.pop().close()
