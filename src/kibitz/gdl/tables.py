"""Sets of rows of numbers with indexes, for the grounder.

Operations work on whole arrays. A row is looked up by a 64-bit key made of its numbers, and then
compared, so that equal keys of different rows do no harm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kibitz.gdl.limits import Ledger

Array = npt.NDArray[Any]

_PACKED = 63
"""The bits of a key that holds its numbers side by side."""
_GROWTH = 1.5
"""The factor by which the capacity of a full array grows."""
_FEW = 1_000
"""The number of keys below which they are looked up without being sorted."""
_SORTING = 36
"""The bytes for each key while keys and their values are sorted."""


class GrowingArray:
    """An array to which rows can be appended.

    Args:
        ledger: counts the bytes that it takes.
        width: the numbers in a row; ``None`` makes rows single numbers.
    """

    def __init__(self, ledger: Ledger, width: int | None = None) -> None:
        self._ledger = ledger
        self._data = np.empty((16,) if width is None else (16, width), np.int32)
        self.count = 0

    def append(self, rows: Array) -> None:
        """Appends rows."""
        end = self.count + len(rows)
        if end > len(self._data):
            shape = (max(end, int(_GROWTH * len(self._data))), *self._data.shape[1:])
            self._ledger.keep(4 * math.prod(shape))
            data = np.empty(shape, np.int32)
            data[: self.count] = self._data[: self.count]
            self._ledger.keep(-self._data.nbytes)
            self._data = data
        self._data[self.count : end] = rows
        self.count = end

    @property
    def rows(self) -> Array:
        """The rows appended so far."""
        return self._data[: self.count]


class KeyIndex:
    """A multimap from keys to numbers: sorted runs, each at least twice as long as the next.

    Args:
        ledger: counts the bytes that it takes.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._runs: list[tuple[Array, Array]] = []

    def add(self, keys: Array, values: Array) -> None:
        """Adds pairs of keys and values."""
        self._ledger.need(_SORTING * len(keys))
        ranked, order = sorted_with_order(keys)
        self.merge(ranked, values[order])

    def merge(self, keys: Array, values: Array) -> None:
        """Adds pairs whose keys are sorted."""
        if not len(keys):
            return
        self._ledger.keep(keys.nbytes + values.nbytes)
        runs = [(keys, values)]
        count = len(keys)
        while self._runs and len(self._runs[-1][0]) < 2 * count:
            runs.insert(0, self._runs.pop())
            count += len(runs[0][0])
        if len(runs) > 1:
            self._ledger.need(_SORTING * count)
            keys, values = (np.concatenate(columns) for columns in zip(*runs, strict=True))
            order = np.argsort(keys, kind="stable")  # Timsort: linear for runs that are in order
            keys, values = keys[order], values[order]
        self._runs.append((keys, values))

    def drop(self) -> None:
        """Removes everything."""
        self._ledger.keep(-sum(run.nbytes + values.nbytes for run, values in self._runs))
        self._runs.clear()

    def spans(self, keys: Array) -> list[tuple[Array, Array, Array]]:
        """For each run: its values, and the start and length of each key's range in these."""
        spans = []
        for run, values in self._runs:
            begin = _searched(run, keys)
            counts = np.zeros(len(keys), np.int64)
            hits = np.flatnonzero(run[np.minimum(begin, len(run) - 1)] == keys)
            counts[hits] = _searched(run, keys[hits], "right") - begin[hits]
            spans.append((values, begin, counts))
        return spans

    def first(self, keys: Array) -> Array:
        """The value of each key, or -1, where no key occurs twice in the index."""
        matches = np.full(len(keys), -1, np.int64)
        for run, values in self._runs:
            place = _searched(run, keys)
            place[place == len(run)] = 0
            hits = run[place] == keys
            matches[hits] = values[place[hits]]
        return matches


def _searched(run: Array, keys: Array, side: Literal["left", "right"] = "left") -> Array:
    """Does `np.searchsorted` with the keys sorted first, so that memory is read in order."""
    if len(keys) < _FEW or (keys[1:] >= keys[:-1]).all():
        return np.searchsorted(run, keys, side)
    ranked, order = sorted_with_order(keys)
    positions = np.empty(len(keys), np.int64)
    positions[order] = np.searchsorted(run, ranked, side)
    return positions


def sorted_with_order(keys: Array) -> tuple[Array, Array]:
    """Returns sorted keys, and their order as from a stable `np.argsort`.

    If a key and its index fit into 63 bits they are sorted as one number, which is much faster.
    """
    bits = len(keys).bit_length()
    if len(keys) and keys.min() >= 0 and int(keys.max()).bit_length() + bits <= _PACKED:
        both = keys << bits
        both |= np.arange(len(keys))
        both.sort()
        order = both & ((1 << bits) - 1)
        both >>= bits
        return both, order
    order = np.argsort(keys, kind="stable")
    return keys[order], order


def multipliers(width: int, bits: int) -> Array:
    """Factors of columns in keys: they put numbers side by side if these fit, or are random."""
    if width * bits <= _PACKED:
        return np.int64(1) << (np.arange(width, dtype=np.int64)[::-1] * bits)
    return _odd(np.random.default_rng(width), width)


def _odd(random: np.random.Generator, width: int) -> Array:
    return random.integers(-(1 << 62), 1 << 62, width, np.int64) * 2 + 1


def keys(columns: Sequence[Array], factors: Array, count: int) -> Array:
    """The 64-bit keys of `count` rows, given by column."""
    result = np.zeros(count, np.int64)
    for column, factor in zip(columns, factors, strict=True):
        result += np.multiply(column, factor, dtype=np.int64)
    return result


class RowSet:
    """A set of rows, numbered in the order of insertion.

    Args:
        ledger: counts the bytes that it takes.
        width: the numbers in a row.
    """

    def __init__(self, ledger: Ledger, width: int) -> None:
        self.width = width
        self._ledger = ledger
        self._rows = GrowingArray(ledger, width)
        self._bits = 10
        self._factors = multipliers(width, self._bits)
        self._index = KeyIndex(ledger)
        self._random = np.random.default_rng(1)

    @property
    def rows(self) -> Array:
        """All rows, in the order of insertion."""
        return self._rows.rows

    def __len__(self) -> int:
        return self._rows.count

    def find(self, rows: Array) -> Array:
        """The numbers of rows, or -1 for those that are absent."""
        if not len(self):
            return np.full(len(rows), -1, np.int64)
        numbers = self._index.first(self._keys(rows))
        other = (self.rows[numbers] != rows).any(axis=1)
        numbers[other] = -1
        return numbers

    def add(self, rows: Array) -> Array:
        """Adds the rows that are absent; returns the numbers of all `rows`."""
        if not len(rows):
            return np.empty(0, np.int64)
        if self.width:
            bits = int(rows.max()).bit_length()
            if bits > self._bits:
                self._rekey(bits)
        while True:
            numbers = self._added(rows)
            if numbers is not None:
                return numbers
            self._rekey(_PACKED)

    def _added(self, rows: Array) -> Array | None:
        """Does what `add` does, or returns ``None`` if different rows have equal keys."""
        row_keys = self._keys(rows)
        ranked, order = sorted_with_order(row_keys)
        leads = np.ones(len(rows), bool)
        leads[1:] = ranked[1:] != ranked[:-1]
        firsts = order[leads]
        group = np.cumsum(leads) - 1
        exact = self.width * self._bits <= _PACKED
        if not exact and len(firsts) < len(rows) and (rows[order] != rows[firsts[group]]).any():
            return None
        different_keys = ranked[leads]
        numbers = self._index.first(different_keys)
        present = numbers >= 0
        if not exact and (self.rows[numbers[present]] != rows[firsts[present]]).any():
            return None
        new = firsts[~present]
        new.sort()
        fresh = np.arange(len(self), len(self) + len(new))
        self._rows.append(rows[new])
        place = np.empty(len(rows), np.int64)
        place[new] = fresh
        self._index.merge(different_keys[~present], place[firsts[~present]].astype(np.int32))
        numbers[~present] = place[firsts[~present]]
        result = np.empty(len(rows), np.int64)
        result[order] = numbers[group]
        return result

    def _keys(self, rows: Array) -> Array:
        return keys(list(rows.T), self._factors, len(rows))

    def _rekey(self, bits: int) -> None:
        """Rebuilds the index with more bits for each number, or with new random factors."""
        packed = self.width * bits <= _PACKED
        self._bits = min(bits + 1, _PACKED // self.width) if packed else _PACKED
        self._index.drop()
        self._ledger.need(_SORTING * len(self))
        while True:
            self._factors = (
                multipliers(self.width, self._bits) if packed else _odd(self._random, self.width)
            )
            ranked, order = sorted_with_order(self._keys(self.rows))
            if packed or (ranked[1:] != ranked[:-1]).all():
                break
        self._index.merge(ranked, order.astype(np.int32))


def unique_dense(numbers: Array) -> Array:
    """The distinct numbers, sorted, by an array of flags; for small numbers from 0 on."""
    flags = np.zeros(1 + int(numbers.max(initial=0)), bool)
    flags[numbers] = True
    return np.flatnonzero(flags)


def unique_sparse(numbers: Array) -> Array:
    """The distinct numbers, sorted, by sorting; for few numbers of a wide range."""
    ranked = np.sort(numbers)
    leads = np.ones(len(ranked), bool)
    np.not_equal(ranked[1:], ranked[:-1], out=leads[1:])
    return ranked[leads]


def distinct(rows: Array) -> Array:
    """The distinct rows; a duplicate may remain in the rare case that keys collide."""
    if len(rows) < 2 or not rows.shape[1]:
        return rows[:1]
    width, lowest = rows.shape[1], int(rows.min())
    bits = (int(rows.max()) - lowest).bit_length() + 1
    row_keys = keys(list((rows - np.int32(lowest)).T), multipliers(width, bits), len(rows))
    leads = np.ones(len(rows), bool)
    if width * bits <= _PACKED:
        row_keys.sort()
        np.not_equal(row_keys[1:], row_keys[:-1], out=leads[1:])
        row_keys = row_keys[leads]
        columns = [
            (row_keys >> bits * place) & ((1 << bits) - 1) for place in reversed(range(width))
        ]
        return np.stack(columns, axis=1).astype(np.int32) + np.int32(lowest)
    ranked, order = sorted_with_order(row_keys)
    rows = rows[order]
    leads[1:] = (ranked[1:] != ranked[:-1]) | (rows[1:] != rows[:-1]).any(axis=1)
    return rows[leads]
