"""The n-tuple bandit model: estimates of the worth of values and combinations of values.

Each *tuple* is a set of axes: every single axis, every pair, and all of them. For each combination
of values of a tuple the model stores the number of its evaluations and the sum of their values.
So an evaluation of a point also informs about all points that share values with it.

Source: Lucas, Liu and Perez-Liebana, "The N-Tuple Bandit Evolutionary Algorithm for Game Agent
Optimisation", CEC 2018.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.core.statistics import f_tail, holm
from kibitz.studies.tuning.space import Point

Floats = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]


class NTupleModel:
    """Statistics of all 1-tuples, 2-tuples and of the whole points.

    Args:
        sizes: number of values of each axis.

    Attributes:
        total: number of evaluations that were added.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        axes = range(len(self.sizes))
        self._singles = list(axes)
        self._pairs = list(itertools.combinations(axes, 2))
        # a single axis is stored as a pair with an added axis that has one value only
        none = len(self.sizes)
        columns = [(a, none) for a in self._singles] + self._pairs
        self._left = np.array([a for a, _ in columns])
        self._right = np.array([b for _, b in columns])
        widths = np.array([*self.sizes, 1])
        lengths = widths[self._left] * widths[self._right]
        self._strides = widths[self._right]
        self._offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        cells = int(lengths.sum())
        self._counts = np.zeros(cells)
        self._sums = np.zeros(cells)
        self._squares = np.zeros(cells)
        self._whole: dict[Point, tuple[int, float]] = {}
        self._has_whole = len(self.sizes) > 2  # otherwise a single or a pair is the whole point
        self.total = 0
        self._sum = self._square = 0.0

    @property
    def tuples(self) -> int:
        """The number of tuples."""
        return len(self._offsets) + self._has_whole

    @property
    def spread(self) -> float:
        """The standard deviation of the values that were added; 1 where they do not differ."""
        if self.total < 2:
            return 1.0
        variance = (self._square - self._sum**2 / self.total) / (self.total - 1)
        return float(np.sqrt(variance)) if variance > 1e-12 * (1 + self._square) else 1.0

    def _cells(self, points: Sequence[Point]) -> Integers:
        """The cells of each point's combinations, as int64[points, tuples]."""
        extended = np.zeros((len(points), len(self.sizes) + 1), np.int64)
        extended[:, :-1] = points
        cells: Integers = (
            self._offsets + extended[:, self._left] * self._strides + extended[:, self._right]
        )
        return cells

    def add(self, point: Point, value: float) -> None:
        """Adds a value of a point."""
        [cells] = self._cells([point])
        self._counts[cells] += 1
        self._sums[cells] += value
        self._squares[cells] += value * value
        count, before = self._whole.get(point, (0, 0.0))
        self._whole[point] = count + 1, before + value
        self.total += 1
        self._sum += value
        self._square += value * value

    def _wholes(self, points: Sequence[Point]) -> tuple[Floats, Floats]:
        """The number of evaluations of each point itself, and the sum of its values."""
        evaluated = np.array([self._whole.get(tuple(point), (0, 0.0)) for point in points])
        return evaluated[:, 0], evaluated[:, 1]

    def means(self, points: Sequence[Point]) -> Floats:
        """The estimated value of each point: the mean over its evaluated combinations.

        Without any it is the mean of all values.
        """
        cells = self._cells(points)
        counts, sums = self._counts[cells], self._sums[cells]
        if self._has_whole:
            count, value = self._wholes(points)
            counts = np.column_stack([counts, count])
            sums = np.column_stack([sums, value])
        evaluated = counts > 0
        averages = np.where(evaluated, sums / np.maximum(counts, 1), 0.0)
        known = evaluated.sum(axis=1)
        overall = self._sum / self.total if self.total else 0.0
        means: Floats = np.where(known > 0, averages.sum(axis=1) / np.maximum(known, 1), overall)
        return means

    def exploration(self, points: Sequence[Point], epsilon: float) -> Floats:
        """The exploration term of each point: the mean of sqrt(ln(1 + N) / (n + epsilon)).

        N is the number of all evaluations, n that of the point's combination in a tuple.
        """
        counts = self._counts[self._cells(points)]
        if self._has_whole:
            counts = np.column_stack([counts, self._wholes(points)[0]])
        terms: Floats = np.sqrt(np.log1p(self.total) / (counts + epsilon)).mean(axis=1)
        return terms

    # -- what matters -----------------------------------------------------------------------

    def effects(self) -> list[float]:
        """The share of the variance of the values that each axis explains.

        It is the omega squared of the main effect (Hays, "Statistics for Psychologists", 1963),
        which noise does not bias: 0 is expected for an axis without effect. Values that a search
        tried often count more.
        """
        return [self._effect(place) for place in range(len(self._singles))]

    def interactions(self) -> dict[tuple[int, int], float]:
        """The share of the variance that each pair of axes explains beyond its single axes."""
        shares = {}
        for number, (a, b) in enumerate(self._pairs):
            joint = self._effect(len(self._singles) + number)
            shares[a, b] = max(0.0, joint - self._effect(a) - self._effect(b))
        return shares

    def chances(self) -> list[float]:
        """The p-value of the effect of each axis (F-test), with Holm's correction for all axes."""
        p_values = []
        for place in self._singles:
            groups, between, noise = self._variances(place)
            within = self.total - groups
            if groups < 2 or within < 1 or between <= 0:
                p_values.append(1.0)
            else:
                ratio = between / (groups - 1) / noise if noise > 0 else math.inf
                p_values.append(f_tail(ratio, groups - 1, within))
        return holm(p_values)

    def _effect(self, number: int) -> float:
        """Omega squared of the cells of a tuple, 0 to 1."""
        groups, between, noise = self._variances(number)
        if groups < 2 or self.total - groups < 1:
            return 0.0
        total_variance = self._square - self._sum**2 / self.total + noise
        if total_variance <= 0:
            return 0.0
        return float(min(1.0, max(0.0, (between - (groups - 1) * noise) / total_variance)))

    def _variances(self, number: int) -> tuple[int, float, float]:
        """Evaluated cells of a tuple, the sum of squares between them, and the variance within."""
        begin = self._offsets[number]
        end = self._offsets[number + 1] if number + 1 < len(self._offsets) else len(self._counts)
        counts, sums = self._counts[begin:end], self._sums[begin:end]
        evaluated = counts > 0
        groups = int(evaluated.sum())
        if not groups:
            return 0, 0.0, 0.0
        middle = self._sum**2 / self.total
        between = float((sums[evaluated] ** 2 / counts[evaluated]).sum() - middle)
        within = max(0.0, self._square - middle - between)
        return groups, between, within / max(1, self.total - groups)

    def averages(self, axis: int) -> list[tuple[int, float | None, float | None]]:
        """For each value of an axis: number of evaluations, mean, and standard error."""
        averages: list[tuple[int, float | None, float | None]] = []
        begin = int(self._offsets[axis])
        for cell in range(begin, begin + self.sizes[axis]):
            count = int(self._counts[cell])
            if count == 0:
                averages.append((0, None, None))
                continue
            mean = float(self._sums[cell] / count)
            error = None
            if count > 1:
                spread = max(0.0, float(self._squares[cell] - count * mean**2)) / (count - 1)
                error = (spread / count) ** 0.5
            averages.append((count, mean, error))
        return averages
