"""Means, variances and covariances of columns, accumulated part by part.

T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
variances", COMPSTAT 1982: two parts are merged without the cancellation of sums of squares.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from kibitz.core.statistics import (
    Interval,
    Summary,
    effective_trials,
    student_quantile,
    wilson_interval,
)

Array = np.ndarray[Any, Any]


class Moments:
    """Sums, extremes and co-moments of a table with a few columns.

    Attributes:
        count: number of rows.
        total: sum of each column.
        comoment: for each pair of columns, the sum of the products of their deviations from
            their means.
        low, high: least and greatest value of each column.
        positive: number of values above 0 in each column.
    """

    def __init__(self, columns: int) -> None:
        self.count = 0
        self.total = np.zeros(columns)
        self.comoment = np.zeros((columns, columns))
        self.low = np.full(columns, np.inf)
        self.high = np.full(columns, -np.inf)
        self.positive = np.zeros(columns, np.int64)

    @classmethod
    def of(cls, *columns: Array) -> Self:
        """The moments of a table given by its columns."""
        moments = cls(len(columns))
        moments.add(*columns)
        return moments

    def add(self, *columns: Array) -> None:
        """Adds rows, given by their columns."""
        table = np.column_stack([np.asarray(column, np.float64) for column in columns])
        if len(table) == 0:
            return
        added = Moments(table.shape[1])
        added.count = len(table)
        added.total = table.sum(axis=0)
        deviations = table - added.total / added.count
        added.comoment = deviations.T @ deviations
        rows = np.ascontiguousarray(table.T)  # along few columns NumPy compares 30 times as slowly
        added.low, added.high = rows.min(axis=1), rows.max(axis=1)
        added.positive = np.count_nonzero(rows > 0, axis=1)
        self.merge(added)

    def merge(self, other: Moments) -> None:
        """Adds the rows of another table with the same columns."""
        if other.count == 0:
            return
        if self.count:
            apart = other.total / other.count - self.total / self.count
            weight = self.count * other.count / (self.count + other.count)
            self.comoment = self.comoment + weight * np.outer(apart, apart)
        self.comoment = self.comoment + other.comoment
        self.count += other.count
        self.total = self.total + other.total
        self.low = np.minimum(self.low, other.low)
        self.high = np.maximum(self.high, other.high)
        self.positive = self.positive + other.positive

    def summary(self, column: int = 0, *, whole: bool = False) -> Summary:
        """The summary of a column; the interval of its mean is Student's.

        Args:
            column: index of the column.
            whole: whether to return the least and the greatest value as integers.
        """
        n = self.count
        if n == 0:
            return Summary()
        mean = float(self.total[column]) / n
        kind = int if whole else float
        low, high = kind(self.low[column]), kind(self.high[column])
        if n == 1:
            return Summary(1, mean, None, low, high)
        sd = math.sqrt(max(0.0, float(self.comoment[column, column])) / (n - 1))
        half = student_quantile(n - 1) * sd / math.sqrt(n)
        return Summary(n, mean, sd, low, high, (mean - half, mean + half))

    def ratio_interval(self, total: int = 0, count: int = 1) -> Interval | None:
        """The 95 % interval of the sum of one column over the sum of another.

        Each row stands for a game: values within a game resemble each other, so the games are
        the sample, not the values. It is the ratio estimator of Cochran, *Sampling Techniques*,
        1977, section 2.11.
        """
        n, counted = self.count, float(self.total[count])
        if n < 2 or counted == 0:
            return None
        ratio = float(self.total[total]) / counted
        variance = self._residuals(total, count, ratio) / (n * (n - 1)) / (counted / n) ** 2
        half = student_quantile(n - 1) * math.sqrt(variance)
        return ratio - half, ratio + half

    def clustered_interval(self, successes: int = 0, trials: int = 1) -> Interval | None:
        """The 95 % interval of a proportion whose trials within a game are correlated.

        It is Wilson's for the effective number of trials: more where the trials of a game balance
        each other, as the wins of opponents do, fewer where they go together.

        Args:
            successes: column with the successes of each game, whole or shared.
            trials: column with the trials of each game, at least as many as the successes.
        """
        n = float(self.total[trials])
        if n == 0:
            return None
        p = float(self.total[successes]) / n
        residuals = self._residuals(successes, trials, p)
        return effective_interval(p, n, int(self.positive[trials]), residuals)

    def _residuals(self, a: int, b: int, ratio: float) -> float:
        """The sum of the squares of a - ratio * b, whose mean is 0."""
        c = self.comoment
        return max(0.0, float(residuals_of(ratio, c[a, a], c[a, b], c[b, b])))


def residuals_of(ratio: float, squared: float, crossed: float, base_squared: float) -> float:
    """The sum of (value - ratio * base)² from sums of value², value * base and base²."""
    return squared - 2 * ratio * crossed + ratio**2 * base_squared


def effective_interval(rate: float, trials: float, games: int, residuals: float) -> Interval:
    """Wilson's interval of a proportion for the effective number of trials.

    Args:
        games: number of games with trials.
        residuals: the sum over games of (successes - rate * trials)².
    """
    effective = effective_trials(rate, trials, games, residuals, float(games))
    return wilson_interval(rate * effective, effective)


def bounded_interval(
    mean: float, bounds: tuple[float, float], trials: float, games: int, residuals: float
) -> Interval:
    """The interval of a mean of values that lie between two bounds.

    The mean is treated as a proportion of the distance between the bounds. Student's interval
    would be too narrow for scores that are 0 except for a few wins.

    Args:
        trials: number of values.
        games: number of games with values.
        residuals: the sum over games of (sum of the values - mean * number of values)².
    """
    low, high = bounds
    way = high - low
    if way == 0:
        return mean, mean
    below, above = effective_interval((mean - low) / way, trials, games, residuals / way**2)
    return low + way * below, low + way * above


def ratio_half(residuals: float, total: float, games: int) -> float | None:
    """Half the width of the 95 % interval of a ratio of sums; ``None`` for fewer than two games.

    Args:
        residuals: the sum over games of (numerator - ratio * denominator)².
        total: the sum of the denominators.
        games: number of games with a denominator.
    """
    if games < 2:
        return None
    variance = max(0.0, residuals) * games / (games - 1) / total**2
    return student_quantile(games - 1) * math.sqrt(variance)
