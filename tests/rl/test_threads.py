"""Threads that share work do all of it and do not wait for a thread that starts late."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import numpy as np
import pytest

from kibitz.rl import make_vec
from kibitz.rl.threads import TableThreads


def fine() -> int:
    return -1


def test_the_caller_waits_for_who_still_works() -> None:
    threads = TableThreads(3, np.zeros(1, np.int64))
    for _ in range(50):
        pieces, done = list(range(60)), []

        def work(place: int, pieces: list[int] = pieces, done: list[int] = done) -> bool:
            while pieces:
                try:
                    piece = pieces.pop()
                except IndexError:
                    break
                if place:
                    time.sleep(0.0001)
                done.append(piece)
            return len(done) == 60

        threads(fine, work)
        assert sorted(done) == list(range(60))
    threads.close()


def test_nobody_waits_for_who_is_late() -> None:
    """The second place is held up until the first one has done all, twice."""
    threads = TableThreads(2, np.zeros(1, np.int64))
    others = threading.Event()
    late: list[int] = []

    def work(place: int) -> bool:
        if place == 1:
            assert others.wait(60)
            late.append(place)
        return True

    threads(fine, work)
    threads(fine, work)
    assert late == []
    others.set()
    meeting = threading.Barrier(2)
    threads(fine, lambda place: meeting.wait(60) >= 0)
    assert late == [1, 1]
    threads.close()


def test_after_the_end_nothing_is_done() -> None:
    offers: list[int] = []
    threads = TableThreads(2, np.zeros(1, np.int64))
    threads.close()
    with pytest.raises(RuntimeError, match="have been ended"):
        threads(lambda: offers.append(1) or -1, lambda place: True)
    assert offers == []


def test_nothing_is_done_that_the_offer_refuses() -> None:
    threads = TableThreads(2, np.zeros(1, np.int64))
    assert threads(lambda: 7, lambda place: 1 // 0 == 1) == 7
    threads.close()


def test_a_late_thread_finds_nothing_at_tables_that_are_closed() -> None:
    """Their memory may be gone."""
    tables = make_vec("kuhn-poker", 8, seed=3, threads=2)
    tables.step(np.argmax(tables.masks, axis=1))
    before = [tables.state(t) for t in range(8)]
    tables.close()
    with pytest.raises(RuntimeError, match="have been ended"):
        tables.reset()
    with pytest.raises(RuntimeError, match="have been ended"):
        tables.step(np.argmax(tables.masks, axis=1))
    assert tables._native["take"](tables._addresses[1]) == 1
    assert [tables.state(t) for t in range(8)] == before


def test_tables_stepped_by_two_callers_at_once_stay_whole() -> None:
    tables = make_vec("kuhn-poker", 512, threads=2)
    callers = [threading.Thread(target=tables.reset) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    fresh = make_vec("kuhn-poker", 512)
    assert [tables.state(t) for t in range(512)] == [fresh.state(t) for t in range(512)]


def test_tables_that_are_gone_leave_no_threads_and_no_memory() -> None:
    before = threading.active_count()
    tables = make_vec("kuhn-poker", 64, threads=3)
    for _ in range(100):
        tables.step(np.argmax(tables.masks, axis=1))
    memory = weakref.ref(tables._threads[0])
    del tables
    until = time.monotonic() + 60
    while (threading.active_count() > before or memory()) and time.monotonic() < until:
        gc.collect()
        time.sleep(0.01)
    assert threading.active_count() <= before
    assert memory() is None


def test_threads_step_each_table_once_however_late_they_are() -> None:
    """Thousands of short steps: late threads meet the next step's tables."""
    single, parallel = (make_vec("kuhn-poker", 70, seed=5, threads=k) for k in (1, 5))
    for number in range(3000):
        actions = np.argmax(
            single.masks * (1 + (np.arange(single.masks.shape[1]) + number) % 3), axis=1
        )
        single.step(actions)
        parallel.step(actions)
        assert np.array_equal(single.observations, parallel.observations)
        assert np.array_equal(single.rewards, parallel.rewards)
        assert np.array_equal(single.done, parallel.done)
