"""Intervals and tests for playtests.

Intervals are at the 95 % level by default: such an interval contains the true value in 95 of 100
playtests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95
"""The confidence level of intervals."""

QUANTILE = 0.5 + CONFIDENCE / 2
"""The probability below the upper end of a two-sided interval at this level: 0.975."""

Z = NormalDist().inv_cdf(QUANTILE)
"""The normal distribution's quantile for a two-sided 95 % interval: 1.96."""
WIDER = 2.576 / 1.96
"""Factor by which a 99 % interval is wider than a 95 % interval."""

SIGNIFICANT = 0.05
"""Differences with a smaller p-value are called significant."""

Interval = tuple[float, float]


def widened(interval: Interval, middle: float, factor: float = WIDER) -> Interval:
    """An interval around `middle`, wider by a factor: by default 99 % for one of 95 %."""
    low, high = interval
    return middle - (middle - low) * factor, middle + (high - middle) * factor


def wilson_interval(successes: float, n: float, z: float = Z) -> Interval:
    """The interval of a proportion, estimated by `successes` out of `n` trials.

    `z` is the normal quantile of the confidence level, by default that of 95 %.
    Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
    the American Statistical Association 22, 1927. Unlike the simpler formula it is right near
    0 and 1 too. With fractional successes (shared wins) it is a little too wide.

    >>> low, high = wilson_interval(81, 263)
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)

    Raises:
        ValueError: `successes` is negative or more than `n`.
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
    """The 97.5 % quantile of Student's distribution with `freedom` degrees of freedom.

    It is exact for 1 and 2. Beyond, it is the expansion 26.7.5 of Abramowitz and Stegun, *Handbook
    of Mathematical Functions*, 1964, whose error is 0.1 % at 3 and decreases quickly.

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
"""Number of imaginary clusters of independent trials that ``effective_trials`` adds.

A few clusters that happen to be alike do not prove that all are."""


def effective_trials(
    rate: float, trials: float, clusters: int, residuals: float, unknown: float
) -> float:
    """The effective number of independent trials among those of clusters, such as deals.

    The variance of a ratio of sums over clusters (Cochran, *Sampling Techniques*, 1977, section
    2.11) is compared with that of independent trials (the design effect of Kish, *Survey
    Sampling*, 1965). Clusters whose trials balance each other count more. The variance of few
    clusters is itself uncertain. So the number is reduced by the square of the ratio of Student's
    quantiles for trials and for clusters (Korn and Graubard, "Confidence Intervals for
    Proportions With Small Expected Number of Positive Counts Estimated From Survey Data", Survey
    Methodology 24, 1998). For clusters of one trial it is the number of trials.

    >>> round(effective_trials(0.3, 50, 50, 50 * 0.3 * 0.7, 50), 9)
    50.0

    Args:
        rate: proportion of successes.
        trials: number of trials; each cluster has one at least.
        residuals: the sum over clusters of (successes - rate * trials)².
        unknown: result if the variance cannot be estimated: the rate is 0 or 1, or there are
            fewer than two clusters or trials.
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
    Student's and the Chi-Square Distributions", 1959. At 5 % its relative error is below 1 % from
    5 degrees of freedom on; with fewer the probability is a little too large.

    >>> [round(student_tail(t, n), 3) for t, n in ((2.571, 5), (2.228, 10), (1.962, 1000))]
    [0.05, 0.05, 0.05]
    """
    z = math.sqrt(freedom * math.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return 2 * NormalDist().cdf(-z)


def f_tail(ratio: float, between: int, within: int) -> float:
    """The probability that chance alone gives a ratio of variances at least this large.

    By the normal approximation of Paulson, "An Approximate Normalization of the Analysis of
    Variance Distribution", 1942. At 5 % its error is below half a percentage point if `within` is
    at least 3.

    >>> [round(f_tail(f, *n), 2) for f, n in ((4.103, (2, 10)), (2.711, (5, 20)))]
    [0.05, 0.05]

    Args:
        ratio: variance between groups over variance within them.
        between: degrees of freedom of the variance between groups.
        within: degrees of freedom of the variance within groups.
    """
    if ratio <= 0:
        return 1.0
    first, two = 2 / (9 * between), 2 / (9 * within)
    root = ratio ** (1 / 3) if math.isfinite(ratio) else 1e9
    z = ((1 - two) * root - (1 - first)) / math.sqrt(two * root * root + first)
    return NormalDist().cdf(-z)


@dataclass(frozen=True)
class Summary:
    """Count, mean, spread and range of some numbers; a field is ``None`` if it is undefined.

    Attributes:
        sd: sample standard deviation, with the divisor ``count - 1``.
        interval: 95 % interval of the mean.
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
        ValueError: `freedom` is below 1.
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
        fair_share: win rate of each seat in a fair game: 1 / players.
        index: 1 when all seats win equally often, 0 when one always wins.
        freedom: degrees of freedom of the test statistic.
        p_value: probability of differences as large as these in a fair game; ``None`` when there
            are too few games for the test.
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
"""Minimum number of expected wins per seat for the chi-square test (Cochran 1954)."""


def seat_fairness(
    wins: Sequence[float], games: int, winners: float, freedom: int | None = None
) -> Fairness:
    """Tests whether seats win equally often (Pearson's chi-square test).

    Shared wins vary less than whole ones, so the statistic is divided by the relative variance
    (w - 1/k) / (1 - 1/k), where w is the mean of 1 / winners over the games and k the number of
    seats. It is 1 without ties, and follows from the variance of a seat's share when all orders of
    the seats are equally likely. Partners, who always win together, count as one seat: the degrees
    of freedom and, in proportion, the statistic are smaller (Rao and Scott, "On Chi-Squared Tests
    for Multiway Contingency Tables with Cell Proportions Estimated from Survey Data", The Annals
    of Statistics 12, 1984).

    Args:
        wins: wins of each seat; a shared win counts 1 / winners.
        games: number of finished games.
        winners: the mean over games of 1 / (number of players in first place).
        freedom: degrees of freedom of the wins of the seats; by default one less than seats.
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
    """The p-values with Holm's correction for multiple tests, in the same order.

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
