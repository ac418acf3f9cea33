"""Histograms that grow game by game, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

FINEST = 1 / 64
"""Initial width of a bin."""

MOST_BINS = 512
"""Maximum number of bins; beyond it the bins are made twice as wide."""


@dataclass(frozen=True)
class Bin:
    """A bin of a histogram: the number of values from ``low``, included, to ``high``, excluded."""

    low: float
    high: float
    count: int

    def to_json(self) -> dict[str, float]:
        """All fields by name, as JSON types."""
        return {"low": self.low, "high": self.high, "count": self.count}


class Histogram:
    """Counts of values in bins of equal width, which do not depend on the order of the values."""

    def __init__(self) -> None:
        self._width = FINEST
        self._counts: dict[int, int] = {}

    def add(self, values: Array) -> None:
        """Adds values, except those that are not finite."""
        values = np.asarray(values, np.float64)
        places = np.floor(values[np.isfinite(values)] / self._width)
        numbers, counts = np.unique(places, return_counts=True)
        self._include(zip(map(int, numbers.tolist()), counts.tolist(), strict=True))

    def bins(self) -> tuple[Bin, ...]:
        """The bins that hold anything, from the lowest; whole numbers get bins of width 1."""
        shown = Histogram()
        shown._width, shown._counts = self._width, dict(self._counts)
        while shown._width < 1 and all(place % 2 == 0 for place in shown._counts):
            shown._double()
        width = shown._width
        return tuple(
            Bin(place * width, (place + 1) * width, count)
            for place, count in sorted(shown._counts.items())
        )

    def _include(self, counts: Any) -> None:
        for place, count in counts:
            self._counts[place] = self._counts.get(place, 0) + count
        while len(self._counts) > MOST_BINS:
            self._double()

    def _double(self) -> None:
        """Makes bins twice as wide."""
        joined: dict[int, int] = {}
        for place, count in self._counts.items():
            joined[place // 2] = joined.get(place // 2, 0) + count
        self._width *= 2
        self._counts = joined
