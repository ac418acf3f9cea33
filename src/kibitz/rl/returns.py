"""Returns of decisions: advantages and value targets, from the rewards after them.

Several seats decide in turn at one table, and rewards come at the end of a game only. So a seat's
next value is that of its own next decision, whatever happens between; and where the stretch that
was played ends, the values of all seats as whoever decides there sees them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def lambda_returns(
    values: Array, to_act: Array, rewards: Array, done: Array, last: Array, trace: float
) -> tuple[Array, Array]:
    """The advantages of decisions, and the lambda returns of each seat.

    Generalised advantage estimation (Schulman, Moritz, Levine, Jordan and Abbeel,
    "High-Dimensional Continuous Control Using Generalized Advantage Estimation", 2016), without
    discounting, for each seat on its own.

    Args:
        values: (steps, tables), the value of the state to the seat to act.
        to_act: (steps, tables), the seat to act.
        rewards: (steps, tables, players), the rewards of a game that the step ended.
        done: (steps, tables), whether the step ended a game.
        last: (tables, players), the value to each seat after the last step.
        trace: lambda, from 0 (only the values count) to 1 (only the rewards count).

    Returns:
        Advantages (steps, tables), and returns (steps, tables, players) by seat; the return of a
        seat that does not act is that of its next decision.
    """
    steps, tables = to_act.shape
    rows = np.arange(tables)
    advantages = np.empty((steps, tables), np.float32)
    returns = np.empty(rewards.shape, np.float32)
    expected, returned = last.astype(np.float32), last.astype(np.float32)
    for t in range(steps - 1, -1, -1):
        over = done[t][:, None]
        expected = np.where(over, rewards[t], expected)
        returned = np.where(over, rewards[t], returned)
        seat = to_act[t]
        target = (1.0 - trace) * expected[rows, seat] + trace * returned[rows, seat]
        advantages[t] = target - values[t]
        returned[rows, seat] = target
        expected[rows, seat] = values[t]
        returns[t] = returned
    return advantages, returns


def from_observer(by_seat: Array, observer: Array) -> Array:
    """Reorders columns from seats to the turn order that begins with an observer.

    Args:
        by_seat: (rows, players), by seat.
        observer: (rows,), the seat of the observer of each row.
    """
    players = by_seat.shape[1]
    order = (observer[:, None] + np.arange(players)) % players
    return np.asarray(np.take_along_axis(by_seat, order, axis=1))


def by_seat(from_one: Array, observer: Array) -> Array:
    """The inverse of ``from_observer``."""
    players = from_one.shape[1]
    order = (np.arange(players) - observer[:, None]) % players
    return np.asarray(np.take_along_axis(from_one, order, axis=1))
