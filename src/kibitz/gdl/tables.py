"""Sets of rows of numbers, and indexes on them: what joins are made of.

Everything works on whole arrays at a time. Rows are found by a 64-bit key made of their numbers;
what a key finds is compared, so that equal keys of different rows do no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_PACKED = 63
"""Bits of a key that holds numbers side by side."""


class Grown:
    """An array that rows are added to.

    Args:
        width: numbers in a row; ``None``: rows are single numbers.
    """

    def __init__(self, width: int | None = None) -> None:
        self._data = np.empty((16,) if width is None else (16, width), np.int32)
        self.count = 0

    def append(self, rows: Array) -> None:
        """Adds rows."""
        end = self.count + len(rows)
        if end > len(self._data):
            data = np.empty((max(end, 2 * len(self._data)), *self._data.shape[1:]), np.int32)
            data[: self.count] = self._data[: self.count]
            self._data = data
        self._data[self.count : end] = rows
        self.count = end

    @property
    def rows(self) -> Array:
        """All that was added."""
        return self._data[: self.count]

    @property
    def nbytes(self) -> int:
        """Memory, in bytes."""
        return int(self._data.nbytes)


class Index:
    """Numbers by keys: sorted runs, each at least twice as long as the next."""

    def __init__(self) -> None:
        self._runs: list[tuple[Array, Array]] = []

    def add(self, keys: Array, values: Array) -> None:
        """Files values under keys."""
        if not len(keys):
            return
        run = keys, values
        while self._runs and len(self._runs[-1][0]) < 2 * len(run[0]):
            last = self._runs.pop()
            run = np.concatenate([last[0], run[0]]), np.concatenate([last[1], run[1]])
        order = np.argsort(run[0], kind="stable")
        self._runs.append((run[0][order], run[1][order]))

    def spans(self, keys: Array) -> list[tuple[Array, Array, Array]]:
        """For each run its values, and for each key where they begin and how many they are."""
        found = []
        for run, values in self._runs:
            begin = np.searchsorted(run, keys, "left")
            found.append((values, begin, np.searchsorted(run, keys, "right") - begin))
        return found

    def first(self, keys: Array) -> Array:
        """For each key the value that is filed under it, or -1: of those where it is one."""
        found = np.full(len(keys), -1, np.int64)
        for run, values in self._runs:
            place = np.searchsorted(run, keys)
            place[place == len(run)] = 0
            hits = run[place] == keys
            found[hits] = values[place[hits]]
        return found

    @property
    def nbytes(self) -> int:
        """Memory, in bytes."""
        return sum(run.nbytes + values.nbytes for run, values in self._runs)


def multipliers(width: int, bits: int) -> Array:
    """What to multiply columns by to get keys: numbers side by side if there is room."""
    if width * bits <= _PACKED:
        return np.int64(1) << (np.arange(width, dtype=np.int64)[::-1] * bits)
    return _odd(np.random.default_rng(width), width)


def _odd(random: np.random.Generator, width: int) -> Array:
    return random.integers(-(1 << 62), 1 << 62, width, np.int64) * 2 + 1


def keys(columns: Sequence[Array], factors: Array, count: int) -> Array:
    """The keys of rows, given by column."""
    result = np.zeros(count, np.int64)
    for column, factor in zip(columns, factors, strict=True):
        result += column.astype(np.int64) * factor
    return result


class Table:
    """Rows, none twice, numbered in the order in which they came."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._rows = Grown(width)
        self._bits = 10
        self._factors = multipliers(width, self._bits)
        self._index = Index()
        self._random = np.random.default_rng(1)

    @property
    def rows(self) -> Array:
        """All rows."""
        return self._rows.rows

    @property
    def nbytes(self) -> int:
        """Memory, in bytes."""
        return self._rows.nbytes + self._index.nbytes

    def __len__(self) -> int:
        return self._rows.count

    def find(self, rows: Array) -> Array:
        """The numbers of rows, -1 for those that are not there."""
        if not len(self):
            return np.full(len(rows), -1, np.int64)
        found = self._index.first(self._keys(rows))
        other = (self.rows[found] != rows).any(axis=1)
        found[other] = -1
        return found

    def add(self, rows: Array) -> Array:
        """Adds the rows that are not there yet; the numbers of all of them."""
        if not len(rows):
            return np.empty(0, np.int64)
        while True:
            numbers = self._added(rows)
            if numbers is not None:
                return numbers
            self._rekey(int(rows.max()).bit_length())

    def _added(self, rows: Array) -> Array | None:
        """As `add`; ``None``: different rows have equal keys."""
        found_keys = self._keys(rows)
        order = np.argsort(found_keys, kind="stable")
        ranked = found_keys[order]
        leads = np.ones(len(rows), bool)
        leads[1:] = ranked[1:] != ranked[:-1]
        firsts = order[leads]
        group = np.cumsum(leads) - 1
        if len(firsts) < len(rows) and (rows[order] != rows[firsts[group]]).any():
            return None
        numbers = self._index.first(found_keys[firsts])
        there = numbers >= 0
        if (self.rows[numbers[there]] != rows[firsts[there]]).any():
            return None
        new = firsts[~there]
        new.sort()
        fresh = np.arange(len(self), len(self) + len(new))
        self._rows.append(rows[new])
        self._index.add(found_keys[new], fresh.astype(np.int32))
        place = np.empty(len(rows), np.int64)
        place[new] = fresh
        numbers[~there] = place[firsts[~there]]
        result = np.empty(len(rows), np.int64)
        result[order] = numbers[group]
        return result

    def _keys(self, rows: Array) -> Array:
        return keys(list(rows.T), self._factors, len(rows))

    def _rekey(self, bits: int) -> None:
        """Makes keys anew: with room for larger numbers, or else with other factors."""
        while True:
            bits = max(bits, self._bits + 1)
            packed = self.width * bits <= _PACKED
            self._bits = bits if packed else _PACKED
            self._factors = (
                multipliers(self.width, bits) if packed else _odd(self._random, self.width)
            )
            found = self._keys(self.rows)
            if len(np.unique(found)) == len(found):
                break
        self._index = Index()
        self._index.add(found, np.arange(len(found), dtype=np.int32))


def distinct(rows: Array) -> Array:
    """The rows without repetitions, but for a rare one that is left."""
    if len(rows) < 2 or not rows.shape[1]:
        return rows[:1]
    bits = int(rows.max()).bit_length() + 1
    found = keys(list(rows.T), multipliers(rows.shape[1], bits), len(rows))
    order = np.argsort(found, kind="stable")
    rows = rows[order]
    leads = np.ones(len(rows), bool)
    leads[1:] = (found[order][1:] != found[order][:-1]) | (rows[1:] != rows[:-1]).any(axis=1)
    return rows[leads]
