import doctest
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from kibitz.core import statistics
from kibitz.core.statistics import (
    chi_square_tail,
    f_tail,
    seat_fairness,
    student_quantile,
    wilson_interval,
)
from kibitz.studies import report
from kibitz.studies.measures.performances import Fairness
from kibitz.studies.moments import Moments, bounded_interval


@pytest.mark.parametrize("module", [statistics, report])
def test_examples_in_docstrings(module):
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in
    # Medicine 17, 1998, table I, method 3
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_of_the_literature(successes, n, low, high):
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.floats(0, n), st.just(n))))
def test_wilson_interval_holds_the_proportion_and_is_symmetric(case):
    successes, n = case
    low, high = wilson_interval(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    mirrored = wilson_interval(n - successes, n)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_wilson_interval_covers_the_truth_in_95_of_100_cases():
    """The exact chance, by the binomial distribution: .95 on average, and hardly less anywhere."""
    n = 100
    intervals = [wilson_interval(k, n) for k in range(n + 1)]

    def coverage(truth):
        return sum(
            math.comb(n, k) * truth**k * (1 - truth) ** (n - k)
            for k, (low, high) in enumerate(intervals)
            if low <= truth <= high
        )

    covered = [coverage(i / 200) for i in range(4, 197)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.002)
    assert min(covered) > 0.92


def test_wilson_interval_of_nothing_and_of_nonsense():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="4 successes out of 3"):
        wilson_interval(4, 3)
    assert wilson_interval(3 * (1 / 3) * 3, 3)[1] == 1.0


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    # any table of Student's distribution
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (29, 2.045), (120, 1.980)],
)
def test_student_quantiles_of_the_tables(freedom, quantile):
    assert student_quantile(freedom) == pytest.approx(quantile, rel=0.0015)


def summarize(values):
    return Moments.of(np.array(values)).summary()


def test_moments_of_parts_are_those_of_the_whole():
    rng = np.random.default_rng(3)
    a, b = 1e9 + rng.normal(0, 1, 1000), rng.integers(0, 5, 1000)
    expected, merged = Moments.of(a, b), Moments(2)
    for start, end in ((0, 1), (1, 1), (1, 400), (400, 1000)):
        merged.merge(Moments.of(a[start:end], b[start:end]))
    assert merged.count == expected.count == 1000
    assert merged.comoment == pytest.approx(np.cov(a, b) * 999, rel=1e-6)
    assert expected.comoment == pytest.approx(merged.comoment, rel=1e-6)
    assert (merged.low == [a.min(), 0]).all()
    assert (merged.high == [a.max(), 4]).all()
    assert merged.positive.tolist() == [1000, int((b > 0).sum())]
    assert merged.summary().sd == pytest.approx(a.std(ddof=1), rel=1e-6)


def test_summary_of_few_values():
    assert summarize([]).mean is None
    summary = summarize([7])
    assert (summary.mean, summary.sd, summary.min, summary.max, summary.interval) == (
        7,
        None,
        7,
        7,
        None,
    )
    assert summarize([3, 3, 3]).interval == (3, 3)


def test_summary_against_a_worked_example():
    summary = summarize([4.9, 5.1, 5.2, 4.8, 5.0])
    half = 2.776 * 0.158114 / math.sqrt(5)
    assert summary.sd == pytest.approx(0.158114, abs=1e-6)
    assert summary.interval == pytest.approx((5.0 - half, 5.0 + half), abs=1e-3)


def test_ratio_interval_takes_games_as_the_sample():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(1000):
        level = rng.normal(5, 1, 50)  # each game has its own level of choice
        counts = rng.integers(5, 15, 50)
        totals = level * counts
        low, high = Moments.of(totals, counts).ratio_interval()
        covered += low <= 5 <= high
    assert 920 <= covered <= 980
    assert Moments.of(np.array([1]), np.array([1])).ratio_interval() is None
    assert Moments.of(np.zeros(3), np.zeros(3)).ratio_interval() is None


def test_bounded_interval_holds_for_scores_that_are_mostly_nothing():
    """Few games, each with one or two scores; a few scores are 7 and the others -3."""
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        counts = rng.integers(1, 3, 30)
        totals = 10 * rng.binomial(counts, 0.2) - 3 * counts
        mean = totals.sum() / counts.sum()
        residuals = ((totals - mean * counts) ** 2).sum()
        low, high = bounded_interval(mean, (-3, 7), counts.sum(), 30, residuals)
        assert -3 <= low <= mean <= high <= 7
        covered += low <= -1 <= high
    assert 935 <= covered <= 970


def test_bounded_interval_of_many_scores_is_the_ratios():
    rng = np.random.default_rng(4)
    counts, totals = np.full(400, 2), rng.integers(0, 101, (400, 2)).sum(axis=1)
    mean = totals.sum() / 800
    interval = bounded_interval(mean, (0, 100), 800, 400, ((totals - mean * counts) ** 2).sum())
    assert interval == pytest.approx(Moments.of(totals, counts).ratio_interval(), abs=0.05)
    assert bounded_interval(4.0, (4, 4), 800, 400, 0.0) == (4, 4)


@pytest.mark.parametrize(
    ("statistic", "freedom", "tail"),
    # any table of the chi-square distribution
    [
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (9.488, 4, 0.05),
        (16.812, 6, 0.01),
        (23.685, 14, 0.05),
        (2.167, 7, 0.95),
    ],
)
def test_chi_square_tails_of_the_tables(statistic, freedom, tail):
    assert chi_square_tail(statistic, freedom) == pytest.approx(tail, abs=1e-4)


@pytest.mark.parametrize(
    ("ratio", "between", "within", "tail"),
    # any table of the F distribution
    [
        (6.608, 1, 5, 0.05),
        (5.786, 2, 5, 0.05),
        (4.103, 2, 10, 0.05),
        (2.711, 5, 20, 0.05),
        (4.103, 5, 20, 0.01),
        (2.167, 7, 60, 0.05),
    ],
)
def test_tails_of_ratios_of_variances(ratio, between, within, tail):
    assert f_tail(ratio, between, within) == pytest.approx(tail, rel=0.06)


def test_ratios_of_variances_at_their_ends():
    assert f_tail(0, 2, 10) == 1
    assert f_tail(float("inf"), 3, 40) < 1e-6


def test_chi_square_at_its_ends():
    assert chi_square_tail(0, 3) == 1
    assert 0 <= chi_square_tail(5000, 3) < 1e-300
    with pytest.raises(ValueError, match="0 degrees"):
        chi_square_tail(1, 0)


def test_fairness_without_ties_is_pearsons_test():
    fairness = seat_fairness([44, 56, 20, 40], 160, 1.0)
    assert fairness.chi_square == pytest.approx((16 + 256 + 400 + 0) / 40)
    assert (fairness.fair_share, fairness.freedom) == (0.25, 3)
    assert fairness.p_value == pytest.approx(0.00078, abs=1e-5)


def test_fairness_with_many_shared_first_places_by_hand():
    """Of 120 games of three seats 24 are won alone, 72 shared by two and 24 by all."""
    alone, shared = [12, 8, 4], [20, 24, 28]  # shared: by all seats but this one
    wins = [a + (72 - s) / 2 + 24 / 3 for a, s in zip(alone, shared, strict=True)]
    assert wins == [46, 40, 34]
    winners = (24 * 1 + 72 / 2 + 24 / 3) / 120
    fairness = seat_fairness(wins, 120, winners)
    # the variance of a share is (17/30 - 1/3) / (1 - 1/3) = 7/20 of that without ties
    assert fairness.chi_square == pytest.approx((36 + 0 + 36) / 40 * 20 / 7)
    assert fairness.p_value == pytest.approx(math.exp(-18 / 7))  # two degrees of freedom
    assert fairness.index == pytest.approx(1 - (6 / 120) / (2 / 3))
    assert (fairness.fair_share, fairness.freedom) == (1 / 3, 2)


def test_fairness_of_partners_with_ties_by_hand():
    """Two teams of two, of 100 games 60 won, 20 lost and 20 shared by all four."""
    fairness = seat_fairness([35, 15, 35, 15], 100, 0.8 / 2 + 0.2 / 4, freedom=1)
    spread = (0.45 - 0.25) / 0.75
    assert fairness.chi_square == pytest.approx(4 * 100 / 25 / spread / 3)
    assert fairness.p_value == pytest.approx(math.erfc(math.sqrt(20 / 2)))


@pytest.mark.parametrize(("games", "p_value"), [(20, 1.0), (19, None)])
def test_ties_count_towards_too_few_games(games, p_value):
    """Of two seats that share every other game: half of the expected wins have to be five."""
    assert seat_fairness([games / 2] * 2, games, 0.75).p_value == p_value


def test_fairness_of_shards_in_which_first_places_are_shared():
    """The games of ``test_fairness_with_many_shared_first_places_by_hand``, in two shards."""
    counts = {(1, 0, 0): 12, (0, 1, 0): 8, (0, 0, 1): 4, (1, 1, 1): 24}
    counts |= {(0, 1, 1): 20, (1, 0, 1): 24, (1, 1, 0): 28}
    first = np.repeat(np.array(list(counts)), list(counts.values()), axis=0)
    together = np.zeros(1, bool)
    table = SimpleNamespace(sides=((0,), (1,), (2,)))
    measure = Fairness(SimpleNamespace(table=table, agents=("random",) * 3))
    for shard in (first[:50], first[50:]):
        winners = shard.sum(axis=1)
        shared = {"wins": shard / winners[:, None], "winners": winners, "finished": shard}
        shared["leaders"] = np.arange(3)
        measure.add(SimpleNamespace(**shared, won_together=together, lost_together=together))
    fairness = measure.finish()["fairness"]
    assert fairness.chi_square == pytest.approx((36 + 0 + 36) / 40 * 20 / 7)
    assert fairness.freedom == 2


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_fairness_raises_false_alarms_as_often_as_it_says_with_ties(seats):
    rng = np.random.default_rng(seats)
    alarms = 0
    for _ in range(1000):
        scores = rng.integers(0, 4, (200, seats))
        first = scores == scores.max(axis=1, keepdims=True)
        shares = first / first.sum(axis=1, keepdims=True)
        winners = float((1 / first.sum(axis=1)).mean())
        alarms += seat_fairness(list(shares.sum(axis=0)), 200, winners).p_value < 0.05
    assert 25 <= alarms <= 80


def test_fairness_of_partners_raises_false_alarms_as_often_as_it_says():
    """Two teams of two have one degree of freedom; with three alarms would be false too often."""
    rng = np.random.default_rng(5)
    alarms, taken_for_four = 0, 0
    for _ in range(1000):
        won = rng.binomial(200, 0.5)
        wins = [won / 2, 100 - won / 2, won / 2, 100 - won / 2]
        alarms += seat_fairness(wins, 200, 0.5, freedom=1).p_value < 0.01
        taken_for_four += seat_fairness(wins, 200, 0.5).p_value < 0.01
    assert alarms <= 20
    assert taken_for_four >= 30


@pytest.mark.parametrize(("game", "freedom"), [("whist", 1), ("agram", 3)])
def test_partners_are_no_two_seats(game, freedom):
    assert kibitz.playtest(game, games=100).fairness.freedom == freedom


def test_fairness_index_from_perfect_to_hopeless():
    assert seat_fairness([50, 50], 100, 1.0).index == 1
    assert seat_fairness([0, 0, 90], 90, 1.0).index == pytest.approx(0)
    assert seat_fairness([75, 25], 100, 1.0).index == pytest.approx(0.5)


def test_fairness_of_too_few_games_and_of_draws_only():
    assert seat_fairness([3, 0], 3, 1.0).p_value is None
    assert seat_fairness([50, 50], 100, 0.5).p_value == 1.0
