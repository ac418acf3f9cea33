"""A reservoir: a random sample, of limited size, of all decisions of a training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Reservoir:
    """A random sample of all rows that were added, in which later rows have more weight.

    Each row is kept with a probability proportional to its number: linear averaging, which
    forgets early play (Tammelin, "Solving Large Imperfect Information Games Using CFR+",
    2014), by reservoir sampling with weights (Chao, "A general purpose unequal probability
    sampling plan", 1982).

    Attributes:
        seen: the number of rows that were added.
    """

    def __init__(self, room: int, seed: int) -> None:
        """
        Args:
            room: the maximum number of rows that are kept.
            seed: the seed of the choice of rows.
        """
        self.room = room
        self.seen = 0
        self._rng = np.random.default_rng(seed)
        self._columns: tuple[Array, ...] = ()

    def __len__(self) -> int:
        return min(self.seen, self.room)

    def add(self, *columns: Array) -> None:
        """Adds rows, given by columns of the same length."""
        if not self._columns:
            self._columns = tuple(
                np.empty((self.room, *column.shape[1:]), column.dtype) for column in columns
            )
        count = len(columns[0])
        first = min(count, self.room - len(self))
        places = np.arange(self.seen, self.seen + first)
        self._write(places, columns, np.arange(first))
        number = self.seen + 1 + np.arange(first, count)
        taken = first + np.flatnonzero(self._rng.random(count - first) < 2 * self.room / number)
        self._write(self._rng.integers(self.room, size=len(taken)), columns, taken)
        self.seen += count

    def _write(self, places: Array, columns: tuple[Array, ...], rows: Array) -> None:
        for target, column in zip(self._columns, columns, strict=True):
            target[places] = column[rows]

    def draw(self, count: int) -> tuple[Array, ...]:
        """Draws ``count`` random rows with replacement, as columns, from at least one row."""
        rows = self._rng.integers(len(self), size=count)
        return tuple(column[rows] for column in self._columns)

    def state(self) -> dict[str, Any]:
        """The data to resume from, with the filled part of the columns."""
        return {
            "seen": self.seen,
            "random": json.dumps(self._rng.bit_generator.state),
            "columns": [column[: len(self)] for column in self._columns],
        }

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Restores what ``state`` gave.

        Raises:
            ValueError: the number of rows contradicts the rows seen and the room.
            KeyError: a member is missing.
        """
        self.seen = int(state["seen"])
        self._rng.bit_generator.state = json.loads(state["random"])
        self._columns = ()
        for column in state["columns"]:
            if len(column) != len(self):
                raise ValueError(f"{len(column)} rows in a reservoir of {len(self)}")
            target = np.empty((self.room, *column.shape[1:]), column.dtype)
            target[: len(column)] = column
            self._columns = (*self._columns, target)
