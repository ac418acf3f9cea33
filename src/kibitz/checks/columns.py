"""Many states of a table as arrays: a number in all of them, or what a component holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz.checks.contents import Leaf
from kibitz.core.layout import Instance, Slots
from kibitz.core.state import State

Floats = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Contents = np.ndarray[Any, np.dtype[np.uint8]]
"""The bytes of states, one state in each row."""


def contents_of(states: Sequence[State]) -> Contents:
    """The bytes of some states of a table."""
    return np.array([np.frombuffer(bytes(state), np.uint8) for state in states])


def numbers_in(contents: Contents, leaf: Leaf) -> np.ndarray[Any, np.dtype[Any]]:
    """A number in each state."""
    return _read(contents, leaf.offset, leaf.dtype, 1)[:, 0]


def _read(
    contents: Contents, offset: int, dtype: np.dtype[Any], count: int
) -> np.ndarray[Any, np.dtype[Any]]:
    raw = contents[:, offset : offset + count * dtype.itemsize]
    return np.ascontiguousarray(raw).view(dtype)


class Column(NamedTuple):
    """What a component holds, in each state by place.

    Attributes:
        values: the values, less the least possible one.
        used: which places are in use.
        hidden: which of these a seat does not know.
        lengths: the number of places in use in each state.
    """

    values: np.ndarray[Any, np.dtype[np.int16]]
    used: Mask
    hidden: Mask
    lengths: np.ndarray[Any, np.dtype[np.int16]]

    @classmethod
    def of(cls, contents: Contents, instance: Instance, slots: Slots, seat: int) -> Column:
        """What a component holds, and hides from a seat."""
        short, start = np.dtype(np.int16), instance.offset
        values = _read(contents, start + slots.values, short, slots.capacity)
        masks = _read(contents, start + slots.seen, short, slots.capacity)
        if slots.count is None:
            lengths = np.full(len(contents), slots.capacity, short)
        else:
            lengths = _read(contents, start + slots.count, short, 1)[:, 0]
        used = np.arange(slots.capacity) < lengths[:, None]
        return cls(values - short.type(slots.low), used, used & (masks >> seat & 1 == 0), lengths)

    def at(self, index: int) -> Mask:
        """The place in use with an index, which counts from the end if it is negative."""
        places = index if index >= 0 else (self.lengths + index)[:, None]
        return self.used & (np.arange(self.used.shape[1]) == places)

    def counts(self, mask: Mask, kinds: int) -> Floats:
        """The number of each of `kinds` values at the places of a mask, in each state."""
        counts = np.zeros((len(self.values), kinds))
        rows, places = np.nonzero(mask)
        np.add.at(counts, (rows, self.values[rows, places]), 1.0)
        return counts
