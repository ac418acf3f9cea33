"""Threads that share work do each piece once, and wait for nobody who is late."""

from __future__ import annotations

import threading

import pytest

from kibitz.rl.crew import Crew


def test_every_piece_is_done_once_whoever_does_it() -> None:
    crew = Crew(3)
    pieces = [[range(i, i + 1) for i in range(p * 40, (p + 1) * 40)] for p in range(3)]
    for _ in range(50):
        done: list[int] = []

        def work(place: int, piece: range, done: list[int] = done) -> int:
            done.append(piece.start)
            return piece.start if piece.start % 10 == 0 else 0

        outcomes = crew(work, pieces)
        assert sorted(done) == list(range(120))
        assert sorted(outcomes) == list(range(10, 120, 10))
    crew.close()


def test_what_a_late_thread_has_left_is_done_by_the_others() -> None:
    """The second place is held up with its first piece until the first one has done all others."""
    crew = Crew(2)
    pieces = [[range(i, i + 1) for i in range(p * 10, (p + 1) * 10)] for p in range(2)]
    begun, rest = threading.Event(), threading.Event()
    done: list[tuple[int, int]] = []

    def work(place: int, piece: range) -> int:
        if place == 1:
            begun.set()
            assert rest.wait(60)
        else:
            assert begun.wait(60)
        done.append((place, piece.start))
        if len(done) == 19:
            rest.set()
        return 0

    crew(work, pieces)
    assert done[:10] == [(0, i) for i in range(10)]
    assert done[10:19] == [(0, i) for i in range(19, 10, -1)]
    assert done[19] == (1, 10)
    crew.close()


def test_an_order_that_came_too_late_does_nothing() -> None:
    """A thread that wakes up when all is done finds nothing left, and does the next order."""
    crew = Crew(2)
    assert crew(lambda place, piece: 1 + place, [[range(1)], []]) == [1]
    places: set[int] = set()
    both = threading.Barrier(2)

    def work(place: int, piece: range) -> int:
        both.wait(60)
        places.add(place)
        return 0

    assert crew(work, [[range(1)], [range(1, 2)]]) == []
    assert places == {0, 1}
    crew.close()


def test_after_the_end_nothing_is_done() -> None:
    crew = Crew(2)
    crew.close()
    with pytest.raises(RuntimeError, match="have been ended"):
        crew(lambda place, piece: 0, [[range(1)], [range(1, 2)]])
