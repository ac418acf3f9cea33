"""Averages that playouts learn: the values of actions, and of pairs of successive actions.

An action that was good in other playouts of the same search is likely to be good in this one.
So playouts take the legal action of the highest average so far, and with a probability of
epsilon any:

- MAST, the move-average sampling technique: an average for each action of each player (Finnsson
  and Björnsson, "Simulation-Based Approach to General Game Playing", AAAI 2008).
- NST, the N-gram selection technique: also one for each action after another one, here N = 2.
  Where that has enough visits, the mean of both counts (Tak, Winands and Björnsson, "N-Grams and
  the Last-Good-Reply Policy Applied in General Game Playing", IEEE TCIAIG 2012).

The averages are kept in a hash table by the action and the player; where two fall into the same
place, the later one takes it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kibitz.core.memory import Address, array_at, clear_bytes
from kibitz.core.randomness import random_below, random_unit
from kibitz.players.graph import mixed
from kibitz.players.search import Learn

AVERAGE = np.dtype([("key", np.int64), ("mean", np.float64), ("visits", np.int64)])
NOTE = np.dtype([("key", np.int64), ("mover", np.int64)])

PLACES = 8192
MOST_NOTES = 8192
"""The most notes of an iteration; later choices are not learned from."""
ENOUGH = 7
"""The visits that a pair of successive actions needs to count, as in Tak et al."""
TABLE_SIZE = PLACES * AVERAGE.itemsize
NOTES_SIZE = MOST_NOTES * NOTE.itemsize


def lay_out_averages(averages: Any, base: Address, learn: int, epsilon: float) -> None:
    """Lays out the table and the notes in memory.

    Args:
        averages: an ``AVERAGES`` record.
        base: where ``TABLE_SIZE + NOTES_SIZE`` bytes begin.
        learn: a ``Learn``.
        epsilon: the probability of a random action.
    """
    averages.table = base
    averages.notes = base + TABLE_SIZE
    averages.count = 0
    averages.learn = learn
    averages.epsilon = epsilon
    averages.before = 0


def forget_averages(averages: Any) -> None:
    """Empties the table."""
    clear_bytes(averages.table, TABLE_SIZE)


def key_of(action: int, mover: int) -> int:
    """The key of an action of a player; never 0, which marks an empty place."""
    return mixed(mover + 1, action) | 1


def pair_of(key: int, before: int) -> int:
    """The key of an action, given by its own key, after the action `before`."""
    return mixed(key, before) | 1


def expected(averages: Any, action: int, mover: int) -> float:
    """The average value of an action to `mover`; infinity if it was never tried."""
    table = array_at(averages.table, AVERAGE, PLACES)
    key = key_of(action, mover)
    single = table[(key >> 1) & (PLACES - 1)]
    if single.key != key:
        return math.inf
    if averages.learn == Learn.NST:
        key = pair_of(key, averages.before)
        pair = table[(key >> 1) & (PLACES - 1)]
        if pair.key == key and pair.visits >= ENOUGH:
            return float(0.5 * (single.mean + pair.mean))
    return float(single.mean)


def best_by_average(averages: Any, mover: int, legal: Any, count: int, rng: Any) -> int:
    """The legal action of the highest average, or with probability epsilon a random one.

    Ties are broken at random.
    """
    k = random_below(rng, count)
    best = legal.items[k]
    if random_unit(rng) < averages.epsilon:
        return int(best)
    best_value = -math.inf
    for _ in range(count):
        value = expected(averages, legal.items[k], mover)
        if value > best_value:
            best, best_value = legal.items[k], value
        k = k + 1 if k + 1 < count else 0
    return int(best)


def note_action(averages: Any, action: int, mover: int) -> None:
    """Notes a choice of this iteration, from which ``learn_from`` updates the averages."""
    if averages.count + 2 > MOST_NOTES:
        return
    notes = array_at(averages.notes, NOTE, MOST_NOTES)
    key = key_of(action, mover)
    notes[averages.count].key = key
    notes[averages.count].mover = mover
    averages.count += 1
    if averages.learn == Learn.NST:
        notes[averages.count].key = pair_of(key, averages.before)
        notes[averages.count].mover = mover
        averages.count += 1
    averages.before = action


def learn_from(averages: Any, values: Any) -> None:
    """Updates the average of every noted choice by the value to its player; clears the notes."""
    table = array_at(averages.table, AVERAGE, PLACES)
    notes = array_at(averages.notes, NOTE, MOST_NOTES)
    for i in range(averages.count):
        entry = table[(notes[i].key >> 1) & (PLACES - 1)]
        if entry.key != notes[i].key:
            entry.key = notes[i].key
            entry.mean = 0.0
            entry.visits = 0
        entry.visits += 1
        entry.mean += (values[notes[i].mover] - entry.mean) / entry.visits
    averages.count = 0
