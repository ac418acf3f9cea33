"""A sequential test of which of two agents is stronger, which is valid after each deal.

A bettor bets deal after deal that one agent is stronger. If the claim is wrong the odds are fair
or worse, so the stake ever grows by a factor of 20 with a probability of at most 1/20, however
long the betting goes on (Ville's inequality). A claim is accepted once betting on it has gained
that much. This is the test by betting of Waudby-Smith and Ramdas, "Estimating Means of Bounded
Random Variables by Betting", 2023. For wins and losses alone, and a given difference, it is Wald's
sequential probability ratio test (1945). With a claim for each agent and one of equality it
resembles the test of Sobel and Wald (1949). As in engine testing, the spread is that of deals.

Gains beyond the required factor are useless, so no bet is larger than necessary. Avoiding the
overshoot saves games (Fischer and Ramdas, "Improving Wald's (Approximate) Sequential Probability
Ratio Test by Avoiding Overshoot", 2024, for a known distribution).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from kibitz.core.errors import ParameterError
from kibitz.core.parameters import real_number

Array = np.ndarray[Any, Any]

MARGIN = 0.10
"""Default of the smallest relevant difference in shares of wins: 55 against 45 of 100 games."""

MOST = 0.9
"""Maximum share of the stake that a bet may lose."""

DOUBTED = 6
"""Number of imaginary deals with the expected spread that are added to the estimate."""

ROUNDING = 1e-9
"""Allowance for rounding errors in the gain that is needed."""


class Verdict(enum.Enum):
    """The verdict of a test."""

    OPEN = "open"
    ONE = "one"
    OTHER = "other"
    EQUAL = "equal"


class SequentialTest:
    """Tests, score after score, whether their mean is above 0, below, or near it.

    >>> test = SequentialTest(0.95)
    >>> test.add([1.0] * 10), test.add([1.0] * 15)
    (<Verdict.OPEN: 'open'>, <Verdict.ONE: 'one'>)

    For identically distributed scores the probability of a wrong verdict is at most 1 - `sure`,
    whenever the test ends. For a mean of exactly 0, each of the verdicts ``ONE`` and ``OTHER``
    has at most that probability. ``EQUAL`` is wrong if the mean is `margin` or more away from 0.

    Attributes:
        verdict: the verdict so far.
        count: number of scores used so far; none are used after a verdict.
    """

    def __init__(self, sure: float, *, margin: float = MARGIN, spread: float = 0.5) -> None:
        """
        Args:
            sure: probability that the verdict is right.
            margin: smallest relevant difference, between 0 and 1. Smaller ones may be called
                equal; differences of this size need the fewest scores.
            spread: expected variance of scores. It affects the number of scores that are needed,
                not the validity of the verdict.

        Raises:
            ParameterError: an argument is not a number, or out of range.
        """
        sure, margin = real_number("sure", sure), real_number("margin", margin)
        if not 0.5 <= sure < 1:
            raise ParameterError(f"sure = {sure} should be at least 0.5 and less than 1.")
        if not 0 < margin < 1:
            raise ParameterError(f"margin = {margin} should be between 0 and 1.")
        self.verdict = Verdict.OPEN
        self.count = 0
        self._margin = margin
        self._enough = -math.log1p(-sure)
        self._spread = spread
        self._sum = self._squares = 0.0
        self._above = self._below = (
            0.0  # logarithms of the stakes of bets on a mean above or below 0
        )
        self._not_high = self._not_low = 0.0  # and of bets on |mean| < margin, for either sign

    def add(self, scores: Iterable[float]) -> Verdict:
        """Adds scores from -1 to 1 until there is a verdict; returns the verdict so far."""
        for score in scores:
            if self.verdict is not Verdict.OPEN:
                break
            self._bet(float(score))
        return self.verdict

    def _bet(self, score: float) -> None:
        """Places the bets, updates the stakes by the score, and sets the verdict."""
        mean, square, error = self._estimates()
        margin = self._margin
        up = _stake(max(margin, mean - error), square, 1.0)
        down = _stake(max(margin, -mean - error), square, 1.0)
        near = _stake(margin, square, 1.0 + margin)
        self._above = self._after(self._above, up, score, 1.0)
        self._below = self._after(self._below, down, -score, 1.0)
        self._not_high = self._after(self._not_high, near, margin - score, 1.0 + margin)
        self._not_low = self._after(self._not_low, near, margin + score, 1.0 + margin)
        self.count += 1
        self._sum += score
        self._squares += score * score
        if self._above >= self._enough:
            self.verdict = Verdict.ONE
        elif self._below >= self._enough:
            self.verdict = Verdict.OTHER
        elif min(self._not_high, self._not_low) >= self._enough:
            self.verdict = Verdict.EQUAL

    def _after(self, stake: float, bet: float, won: float, most: float) -> float:
        """The logarithm of a stake after betting a share of it; it stays once it is enough.

        Args:
            stake: logarithm of the stake before.
            bet: share of the stake that is bet at most.
            won: gain per unit bet.
            most: maximum gain per unit bet.
        """
        if stake >= self._enough:
            return stake
        needed = math.expm1(self._enough - stake + ROUNDING) / most
        return stake + math.log1p(min(bet, needed) * won)

    def _estimates(self) -> tuple[float, float, float]:
        """Estimates of the mean score, the mean square, and the error of the mean."""
        counted = DOUBTED + self.count
        mean = self._sum / counted
        square = (DOUBTED * self._spread + self._squares) / counted
        return mean, square, math.sqrt(max(0.0, square - mean * mean) / counted)


def _stake(gain: float, square: float, worst: float) -> float:
    """The share of the stake to bet for the fastest growth, given the mean `gain` of a bet.

    By Kelly, "A New Interpretation of Information Rate", 1956, to the second order.
    """
    return min(MOST / worst, gain / (square + gain * gain))
