"""The reservoir: what it keeps, and how often."""

from __future__ import annotations

import numpy as np
import pytest

from kibitz.rl.reservoir import Reservoir


@pytest.mark.parametrize("sizes", [(5,), (2, 3), (1, 1, 1, 1, 1)])
def test_as_long_as_there_is_room_everything_stays(sizes: tuple[int, ...]) -> None:
    reservoir = Reservoir(5, seed=1)
    numbers = np.arange(5)
    for end, count in zip(np.cumsum(sizes), sizes, strict=True):
        rows = numbers[end - count : end]
        reservoir.add(rows, np.stack([rows, -rows], axis=1))
    single, pairs = reservoir.draw(1000)
    assert set(single.tolist()) == set(range(5))
    assert np.array_equal(pairs, np.stack([single, -single], axis=1))
    assert len(reservoir) == 5


def test_later_rows_stay_in_proportion_to_when_they_came() -> None:
    total = np.zeros(4)
    for seed in range(60):
        reservoir = Reservoir(200, seed)
        for first in range(0, 8000, 50):
            reservoir.add(np.arange(first, first + 50))
        (rows,) = reservoir.draw(2000)
        total += np.bincount(rows // 2000, minlength=4)
        assert len(reservoir) == 200
        assert reservoir.seen == 8000
    # the quarters of a linear weight
    assert total / total.sum() == pytest.approx(np.array([1, 3, 5, 7]) / 16, abs=0.02)


def test_the_seed_decides() -> None:
    drawn = []
    for _ in range(2):
        reservoir = Reservoir(10, seed=4)
        reservoir.add(np.arange(1000))
        drawn.append(reservoir.draw(50)[0])
    assert np.array_equal(*drawn)


@pytest.mark.parametrize("count", [0, 6, 300])
def test_it_goes_on_as_if_it_had_never_stopped(count: int) -> None:
    uninterrupted, before, after = (Reservoir(10, seed) for seed in (4, 4, 5))
    for reservoir in (uninterrupted, before):
        for first in range(0, count, 6):
            reservoir.add(np.arange(first, first + 6), np.ones((6, 2), np.float16))
    after.go_on(before.state())
    for reservoir in (uninterrupted, after):
        reservoir.add(np.arange(1000, 1100), np.zeros((100, 2), np.float16))
    for ours, theirs in zip(uninterrupted.draw(50), after.draw(50), strict=True):
        assert np.array_equal(ours, theirs)


def test_what_is_no_state_of_it_is_refused() -> None:
    reservoir = Reservoir(10, seed=4)
    reservoir.add(np.arange(6))
    with pytest.raises(ValueError, match="6 rows in a reservoir of 4"):
        Reservoir(4, seed=4).go_on(reservoir.state())
