"""Threads that wait for work, by which tables are stepped in parallel."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

from kibitz.core.interrupt import deferred

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

    def __init__(self, size: int) -> None:
        """
        Args:
            size: how many places there are, that of the calling thread included.
        """
        self._orders: list[SimpleQueue[Order | None]] = [SimpleQueue() for _ in range(size - 1)]
        for orders in self._orders:
            threading.Thread(target=_serve, args=(orders,), daemon=True).start()
        self._end = weakref.finalize(self, _dismiss, self._orders)
        self._one_caller = threading.Lock()

    def __call__(self, offer: Offer, work: Work) -> int:
        """Runs all work; an interrupt is raised afterwards.

        A thread that is late may begin when the next work is there already, and takes from that.
        So nothing is offered that is not waited for.

        Returns:
            What the offer says.

        Raises:
            RuntimeError: the threads have been ended.
        """
        said: SimpleQueue[bool] = SimpleQueue()
        with deferred(), self._one_caller:
            if self._orders and not self._end.alive:
                raise RuntimeError("These threads have been ended: make new tables.")
            refused = offer()
            if refused != -1:
                return refused
            for place, orders in enumerate(self._orders, 1):
                orders.put(partial(_say, work, place, said))
            done = work(0)
            for _ in self._orders:  # who answers has ended all that it took
                done = done or said.get()
        return -1

    def close(self) -> None:
        """Ends the threads."""
        self._end()


def _say(work: Work, place: int, said: SimpleQueue[bool]) -> None:
    said.put(work(place))


def _serve(orders: SimpleQueue[Order | None]) -> None:
    while (order := orders.get()) is not None:
        order()
        del order  # which holds memory


def _dismiss(queues: list[SimpleQueue[Order | None]]) -> None:
    for orders in queues:
        orders.put(None)
