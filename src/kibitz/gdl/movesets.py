"""Compact sets of moves, which list their members or those of the complement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from kibitz.gdl.tables import Array


class MoveSet(NamedTuple):
    """A set of a role's moves in canonical form: its members, or the complement if smaller.

    Attributes:
        total: the number of the role's moves.
        listed: the places of the listed moves among these, sorted, as bytes of 32-bit numbers.
        but: whether the listed moves are the complement.
    """

    total: int
    listed: bytes
    but: bool

    @classmethod
    def of(cls, places: Iterable[int], total: int) -> MoveSet:
        """The set of the moves at these places."""
        mask = np.zeros(total, bool)
        mask[list(places)] = True
        return cls._of_mask(mask)

    @classmethod
    def one(cls, place: int, total: int) -> MoveSet:
        """The set of a single move."""
        return cls(total, np.int32(place).tobytes(), False) if total > 1 else cls.all(total)

    @classmethod
    def all(cls, total: int) -> MoveSet:
        """The set of all moves."""
        return cls(total, b"", True)

    @classmethod
    def _of_mask(cls, mask: Array) -> MoveSet:
        but = 2 * int(np.count_nonzero(mask)) > len(mask)
        return cls(len(mask), np.flatnonzero(mask ^ but).astype(np.int32).tobytes(), but)

    @property
    def places(self) -> Array:
        """The listed places, which are those of the members or of the complement."""
        return np.frombuffer(self.listed, np.int32)

    @property
    def empty(self) -> bool:
        """Whether the set has no members."""
        return not self.listed and not self.but

    @property
    def full(self) -> bool:
        """Whether the set has all moves."""
        return not self.listed and self.but

    def __invert__(self) -> MoveSet:
        """The complement."""
        if 2 * len(self.places) == self.total:
            return self._of_mask(~self._mask())
        return self._replace(but=not self.but)

    def __and__(self, other: MoveSet) -> MoveSet:
        """The intersection."""
        return self._of_mask(self._mask() & other._mask())

    @classmethod
    def union(cls, sets: list[MoveSet]) -> MoveSet:
        """The union of one or more sets."""
        if len(sets) == 1:
            return sets[0]
        mask = np.zeros(sets[0].total, bool)
        for moves in sets:
            if moves.but:
                mask |= moves._mask()
        mask[
            np.frombuffer(b"".join(moves.listed for moves in sets if not moves.but), np.int32)
        ] = True
        return cls._of_mask(mask)

    def _mask(self) -> Array:
        mask = np.full(self.total, self.but)
        mask[self.places] = not self.but
        return mask
