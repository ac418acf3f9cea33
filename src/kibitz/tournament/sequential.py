"""A sequential test of who of two agents is stronger, which may be read after each deal.

Somebody bets deal after deal that one of the two is stronger, at odds that are fair or bad if they
are wrong. Then their stake ever grows by a factor of 20 with a probability of at most 1/20
(Ville's inequality), however long it goes on. So a claim is made once betting on it has gained
that much. This is the test by betting of Waudby-Smith and Ramdas, "Estimating Means of Bounded
Random Variables by Betting", 2023. For wins and losses alone, and a given difference, it is Wald's
sequential probability ratio test (1945); with two claims of a difference and one of none it has
the shape of that of Sobel and Wald (1949), and as in engine testing (the generalised test over
pairs of games) the spread is that of deals.

What is won beyond what is enough is worth nothing. So nobody bets more than it takes (who avoids
the overshoot needs fewer games: Fischer and Ramdas, "Improving Wald's (Approximate) Sequential
Probability Ratio Test by Avoiding Overshoot", 2024; theirs knows the distribution).
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
"""A difference in shares of wins that matters: 55 against 45 of 100 games of two players."""
MOST = 0.9
"""The largest share of the stake that a bet may lose."""
DOUBTED = 6
"""The spread is estimated as if so many deals had had that of games on their own."""
ROUNDING = 1e-9
"""Enough is reached in spite of errors of rounding."""


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

    For scores that are drawn alike, the probability of a wrong verdict is at most 1 - `sure`,
    whenever the test is ended. A mean of exactly 0 has no wrong side: then each of the two is
    told with at most that probability. Wrong is *equal*, too, if the mean is `margin` or more
    away from 0.

    Attributes:
        verdict: what is sure so far.
        count: how many scores were needed for it, or were added so far.
    """

    def __init__(self, sure: float, *, margin: float = MARGIN, spread: float = 0.5) -> None:
        """
        Args:
            sure: with which probability the verdict is right.
            margin: a difference that matters, above 0. Smaller ones may be told to be none; of
                this size they are found with the fewest scores.
            spread: the variance of scores that is expected beforehand. It matters for the number
                of scores, not for the verdict.

        Raises:
            ParameterError: a number is none, or out of range.
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
        self._above = self._below = 0.0  # logarithms of stakes: of bets on a mean above 0, below
        self._not_high = self._not_low = 0.0  # and on one below the margin, and above its negative

    def add(self, scores: Iterable[float]) -> Verdict:
        """Adds scores from -1 to 1, until something is sure; returns what is."""
        for score in scores:
            if self.verdict is not Verdict.OPEN:
                break
            self._bet(float(score))
        return self.verdict

    def _bet(self, score: float) -> None:
        """Bets before a score is known, and looks at what was won."""
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
        """The logarithm of a stake after betting a share of it; once it is enough it stays.

        Args:
            stake: its logarithm.
            bet: the share.
            won: for each that was bet.
            most: that could have been won.
        """
        if stake >= self._enough:
            return stake
        needed = math.expm1(self._enough - stake + ROUNDING) / most
        return stake + math.log1p(min(bet, needed) * won)

    def _estimates(self) -> tuple[float, float, float]:
        """The mean of the scores so far, of their squares, and the error of the first."""
        counted = DOUBTED + self.count
        mean = self._sum / counted
        square = (DOUBTED * self._spread + self._squares) / counted
        return mean, square, math.sqrt(max(0.0, square - mean * mean) / counted)


def _stake(gain: float, square: float, worst: float) -> float:
    """The share of the stake that makes it grow fastest, given the mean `gain` of a bet.

    (Kelly, "A New Interpretation of Information Rate", 1956, to the second order.)
    """
    return min(MOST / worst, gain / (square + gain * gain))
