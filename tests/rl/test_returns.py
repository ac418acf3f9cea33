"""Returns of decisions, against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.rl.returns import by_seat, from_observer, lambda_returns


def by_definition(
    values: np.ndarray,
    to_act: np.ndarray,
    rewards: np.ndarray,
    done: np.ndarray,
    last: np.ndarray,
    trace: float,
    t: int,
    table: int,
    seat: int,
) -> float:
    """The return of a seat after its decision at ``t``, followed decision by decision."""
    weight, total = 1.0, 0.0
    for u in range(t, len(to_act)):
        if u > t and to_act[u, table] == seat:
            total += weight * (1 - trace) * values[u, table]
            weight *= trace
        if done[u, table]:
            return total + weight * rewards[u, table, seat]
    return total + weight * last[table, seat]


@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.integers(1, 12),
    tables=st.integers(1, 4),
    players=st.integers(1, 4),
    trace=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
)
def test_returns_are_what_the_definition_says(
    seed: int, steps: int, tables: int, players: int, trace: float
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(steps, tables)).astype(np.float32)
    to_act = rng.integers(players, size=(steps, tables))
    done = rng.random((steps, tables)) < 0.3
    rewards = rng.normal(size=(steps, tables, players)).astype(np.float32) * done[:, :, None]
    last = rng.normal(size=(tables, players)).astype(np.float32)
    advantages, returns = lambda_returns(values, to_act, rewards, done, last, trace)
    for t in range(steps):
        for table in range(tables):
            seat = to_act[t, table]
            expected = by_definition(values, to_act, rewards, done, last, trace, t, table, seat)
            assert returns[t, table, seat] == pytest.approx(expected, abs=1e-4)
            own = advantages[t, table] + values[t, table]
            assert own == pytest.approx(expected, abs=1e-4)


@given(seed=st.integers(0, 999), players=st.integers(1, 6))
def test_the_order_of_seats_goes_there_and_back(seed: int, players: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(5, players))
    observer = rng.integers(players, size=5)
    rotated = from_observer(numbers, observer)
    assert np.array_equal(by_seat(rotated, observer), numbers)
    for row in range(5):
        assert rotated[row, 0] == numbers[row, observer[row]]
        assert rotated[row, -1] == numbers[row, observer[row] - 1]
