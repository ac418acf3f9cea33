"""The few statistics that a playtest needs, each a page of a textbook.

Everything is at the 95 % level: an interval computed like this holds the true value in 95 of
100 playtests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95
QUANTILE = 0.5 + CONFIDENCE / 2
Z = NormalDist().inv_cdf(QUANTILE)
"""1.96: the normal distribution's quantile for a two-sided 95 % interval."""

SIGNIFICANT = 0.05
"""Differences less probable than this by chance alone are called differences."""

Interval = tuple[float, float]


def wilson_interval(successes: float, n: float, z: float = Z) -> Interval:
    """The interval of a proportion of which `successes` out of `n` were seen.

    `z` is the normal quantile of its confidence, by default that of 95 %.

    Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
    the American Statistical Association 22, 1927. Unlike the simpler formula it is right near
    0 and 1 too. With fractional successes (shared wins) it is a little too wide.

    >>> low, high = wilson_interval(81, 263)
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)

    Raises:
        ValueError: there are fewer than none or more than `n` successes.
    """
    if n <= 0:
        return 0.0, 1.0
    # sums of shares such as 1/3 may miss a whole number by a rounding error
    if not -1e-6 <= successes <= n + 1e-6:
        raise ValueError(f"{successes} successes out of {n}")
    p = min(1.0, max(0.0, successes / n))
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # exact at the ends, where rounding errors would show
    return max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half))


def student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution with so many degrees of freedom.

    Exact for 1 and 2; beyond, the expansion 26.7.5 of Abramowitz and Stegun, *Handbook of
    Mathematical Functions*, 1964, which is 0.1 % off at 3 and soon nothing.

    >>> [round(student_quantile(n), 2) for n in (1, 2, 5, 10, 30, 1000)]
    [12.71, 4.3, 2.57, 2.23, 2.04, 1.96]
    """
    if freedom == 1:
        return math.tan(math.pi * (QUANTILE - 0.5))
    if freedom == 2:
        return (2 * QUANTILE - 1) * math.sqrt(2 / (4 * QUANTILE * (1 - QUANTILE)))
    z, v = Z, freedom
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4)
    )


DOUBTED = 2
"""So many clusters beside those that were seen are taken to vary as independent trials do: a few
that happen to go alike do not prove that all do."""


def effective_trials(
    rate: float, trials: float, clusters: int, residuals: float, unknown: float
) -> float:
    """The effective number of independent trials among those of clusters, such as deals.

    The variance of a ratio of sums over clusters (Cochran, *Sampling Techniques*, 1977, section
    2.11), compared with that of independent trials (the design effect of Kish, *Survey Sampling*,
    1965). Clusters whose trials balance each other count more. A variance that few clusters tell
    is itself uncertain: so they count for less, as Student's quantile is larger for few clusters
    than for as many trials (Korn and Graubard, "Confidence Intervals for Proportions With Small
    Expected Number of Positive Counts Estimated From Survey Data", Survey Methodology 24, 1998).
    Clusters of one trial each are so many trials.

    >>> round(effective_trials(0.3, 50, 50, 50 * 0.3 * 0.7, 50), 9)
    50.0

    Args:
        rate: the proportion of successes.
        trials: of how many; each cluster has one at least.
        clusters: in how many clusters they were.
        residuals: the sum over clusters of (successes - rate * trials)².
        unknown: the answer where the rate is 0 or 1, or there is one cluster or trial: these do
            not tell.
    """
    alone = rate * (1 - rate)
    if alone <= 0 or min(clusters, trials) < 2:
        return unknown
    variance = max(0.0, residuals) * clusters / (clusters - 1) / trials**2
    effect = variance / (alone / (trials - 1))
    effect = max(effect, DOUBTED / (clusters + DOUBTED))  # that of clusters that are all alike
    surer = student_quantile(round(trials) - 1) / student_quantile(clusters - 1)
    return trials / effect * surer**2


def student_tail(t: float, freedom: int) -> float:
    """The probability that chance alone gives a Student's t at least this far from 0.

    By the transformation to a normal quantile of Wallace, "Bounds on Normal Approximations to
    Student's and the Chi-Square Distributions", 1959: at 5 % within a hundredth of itself from 5
    degrees of freedom on, a little too much below.

    >>> [round(student_tail(t, n), 3) for t, n in ((2.571, 5), (2.228, 10), (1.962, 1000))]
    [0.05, 0.05, 0.05]
    """
    z = math.sqrt(freedom * math.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return 2 * NormalDist().cdf(-z)


def f_tail(ratio: float, between: int, within: int) -> float:
    """The probability that chance alone gives a ratio of variances at least this large.

    By the normal approximation of Paulson, "An Approximate Normalization of the Analysis of
    Variance Distribution", 1942: at 5 % within half a point from 3 degrees of freedom within on.

    >>> [round(f_tail(f, *n), 2) for f, n in ((4.103, (2, 10)), (2.711, (5, 20)))]
    [0.05, 0.05]

    Args:
        ratio: of the variance between groups to that within them.
        between: the degrees of freedom of the one.
        within: of the other.
    """
    if ratio <= 0:
        return 1.0
    one, two = 2 / (9 * between), 2 / (9 * within)
    root = ratio ** (1 / 3) if math.isfinite(ratio) else 1e9
    z = ((1 - two) * root - (1 - one)) / math.sqrt(two * root * root + one)
    return NormalDist().cdf(-z)


@dataclass(frozen=True)
class Summary:
    """Count, mean, spread and range of some numbers.

    Attributes:
        count: how many there are.
        mean: their mean, or ``None`` when there are none.
        sd: their standard deviation, with n - 1; ``None`` when there are fewer than two.
        min, max: the smallest and the largest.
        interval: the 95 % interval of the mean, or ``None`` when there are fewer than two.
    """

    count: int = 0
    mean: float | None = None
    sd: float | None = None
    min: float | None = None
    max: float | None = None
    interval: Interval | None = None

    def to_json(self) -> dict[str, Any]:
        """Mean, sd, min, max and interval by name."""
        return {
            "mean": self.mean,
            "sd": self.sd,
            "min": self.min,
            "max": self.max,
            "interval": None if self.interval is None else list(self.interval),
        }


def chi_square_tail(statistic: float, freedom: int) -> float:
    """The probability that chance alone gives a chi-square statistic at least this large.

    Closed forms for a whole number of degrees of freedom: Abramowitz and Stegun 26.4.4 and
    26.4.5.

    >>> round(chi_square_tail(3.841, 1), 3), round(chi_square_tail(5.991, 2), 3)
    (0.05, 0.05)

    Raises:
        ValueError: there is no degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom")
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    if freedom % 2:
        tail = math.erfc(math.sqrt(half))
        power = 0.5
    else:
        tail = math.exp(-half)
        power = 1.0
    while power < freedom / 2:
        tail += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        power += 1
    return min(1.0, tail)


@dataclass(frozen=True)
class Fairness:
    """Whether the seats win equally often.

    Attributes:
        fair_share: what each seat should win: 1 / players.
        index: 1 when all seats win equally often, 0 when one always wins.
        chi_square, freedom: the test statistic and its degrees of freedom.
        p_value: how probable differences as large as these are in a fair game; ``None`` when
            there are too few games to say.
    """

    fair_share: float
    index: float
    chi_square: float
    freedom: int
    p_value: float | None

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "fair_share": self.fair_share,
            "index": self.index,
            "chi_square": self.chi_square,
            "degrees_of_freedom": self.freedom,
            "p_value": self.p_value,
        }


MINIMUM_EXPECTED = 5
"""The chi-square test needs so many expected wins for each seat (Cochran 1954)."""


def seat_fairness(
    wins: Sequence[float], games: int, winners: float, freedom: int | None = None
) -> Fairness:
    """Tests whether seats win equally often (Pearson's chi-square test).

    Shared wins vary less than whole ones, so the statistic is divided by the variance that
    remains: (w - 1/k) / (1 - 1/k), where w is the mean of 1 / winners over the games and k
    the number of seats. Without ties that is 1. It follows from the variance of the share of
    a seat when all orders of the seats are equally likely. Partners, who always win together,
    are no two seats: then there are fewer degrees of freedom, and the statistic is as much smaller
    (Rao and Scott, "On Chi-Squared Tests for Multiway Contingency Tables with Cell Proportions
    Estimated from Survey Data", The Annals of Statistics 12, 1984).

    Args:
        wins: of each seat, a shared win counting 1 / winners.
        games: how many were played to the end.
        winners: the mean over games of 1 / (number of players in first place).
        freedom: how many degrees of freedom the wins of the seats have; by default all but one.
    """
    seats = len(wins)
    freedom = seats - 1 if freedom is None else freedom
    fair = 1 / seats
    shares = [w / games for w in wins] if games else [fair] * seats
    distance = sum(abs(share - fair) for share in shares) / 2
    index = 1 - distance / (1 - fair)
    expected = games * fair
    spread = (winners - fair) / (1 - fair)
    if spread <= 1e-12:  # every game was shared by all
        return Fairness(fair, index, 0.0, freedom, 1.0 if expected >= MINIMUM_EXPECTED else None)
    statistic = sum((w - expected) ** 2 for w in wins) / expected / spread
    statistic *= freedom / (seats - 1)
    enough = expected * spread >= MINIMUM_EXPECTED
    p_value = chi_square_tail(statistic, freedom) if enough else None
    return Fairness(fair, index, statistic, freedom, p_value)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values with Holm's correction for looking at all of them.

    Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6, 1979.

    >>> holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    worst = 0.0
    for rank, place in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = worst
    return corrected
