"""Groups of actions: the patterns of words by which measures add up what is chosen."""

from __future__ import annotations

import numpy as np

from kibitz.core.game import Table
from kibitz.core.phrase import things_among
from kibitz.studies.sample import Array


class Groups:
    """The groups of a table's actions, numbered as they are met.

    Attributes:
        patterns: the number of each group, by its pattern of words.
        named: the patterns of groups about something with a name, such as a card.
    """

    def __init__(self, table: Table) -> None:
        self.patterns: dict[str, int] = {}
        self.named: set[str] = set()
        self._table = table
        self._codes: dict[int, tuple[int, ...]] = {}

    def of(self, codes: Array) -> Array:
        """One row per action with the numbers of its groups, padded with -1."""
        groups = [self._groups(code) for code in codes.tolist()]
        rows = np.full((len(groups), max(map(len, groups), default=0)), -1, np.int64)
        for i, own in enumerate(groups):
            rows[i, : len(own)] = own
        return rows

    def _groups(self, code: int) -> tuple[int, ...]:
        if code not in self._codes:
            phrase = self._table.wording.phrase(code)
            names = list(phrase.patterns())
            if any(things_among(phrase.values)):
                self.named.update(names[1:])
            numbers = (self.patterns.setdefault(p, len(self.patterns)) for p in names)
            self._codes[code] = tuple(numbers)
        return self._codes[code]


def pairs_of(rows: Array, groups: Array, wide: int) -> tuple[Array, Array]:
    """All pairs of a row and a group in it, as row * wide + group, with the occurrence counts."""
    keys = [rows[slot >= 0] * np.int64(wide) + slot[slot >= 0] for slot in groups.T]
    return np.unique(np.concatenate(keys), return_counts=True)
