"""Alpha-rank: published examples, and what must hold."""

from __future__ import annotations

import numpy as np
import pytest

from kibitz.core.errors import ParameterError
from kibitz.studies.tournament.alpharank import alpha_rank, alpha_rank_intervals

ROCK_PAPER_SCISSORS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def test_the_published_example_of_han_and_others() -> None:
    """Han et al. (2013), as in the tests of OpenSpiel's alpharank: m = 20, alpha = 0.1."""
    r, t, p, s, delta, eps = 1.0, 2.0, 0.0, -1.0, 4.0, 0.25
    payoffs = np.array(
        [
            [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
            [r, r, s, s, s],
            [0, t, p, p, p],
            [t - delta, t, p, p, p],
            [r, t, p, p, p],
        ]
    )
    expected = [0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039]
    assert alpha_rank(payoffs, alpha=0.1, population=20) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("alpha", [None, 0.1, 1.0, 100.0])
def test_a_circle_shares_the_rank(alpha: float | None) -> None:
    assert alpha_rank(ROCK_PAPER_SCISSORS, alpha=alpha) == pytest.approx([1 / 3] * 3)


def test_a_biased_circle() -> None:
    """Rock, paper, scissors with other stakes: the closed form for constant sums.

    With a gain g the fixation probability is (1 - exp(-u)) / (1 - exp(-m u)), u = alpha m g /
    (m - 1).
    """
    payoffs = np.array([[0, -0.5, 1], [0.5, 0, -0.1], [-1, 0.1, 0]])
    m, alpha = 20, 0.1
    chain = np.zeros((3, 3))
    for s in range(3):
        for r in range(3):
            if r != s:
                u = alpha * m / (m - 1) * payoffs[r, s]
                chain[s, r] = (1 - np.exp(-u)) / (1 - np.exp(-m * u)) / 2
        chain[s, s] = 1 - chain[s].sum()
    expected = np.linalg.matrix_power(chain, 1 << 20)[0]
    assert alpha_rank(payoffs, alpha=alpha, population=m) == pytest.approx(expected, abs=1e-9)


def test_who_beats_all_has_the_whole_rank() -> None:
    payoffs = np.array([[0.0, 1, 1], [-1, 0, 1], [-1, -1, 0]])
    assert alpha_rank(payoffs) == pytest.approx([1, 0, 0], abs=1e-4)


def test_a_circle_above_a_loser() -> None:
    payoffs = np.zeros((4, 4))
    payoffs[:3, :3] = ROCK_PAPER_SCISSORS
    payoffs[:3, 3], payoffs[3, :3] = 1, -1
    assert alpha_rank(payoffs) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-4)


def test_results_that_are_not_sure_have_wide_intervals() -> None:
    payoffs = np.array([[0, 0.02], [-0.02, 0]])
    means, intervals = alpha_rank_intervals(payoffs, np.full((2, 2), 0.1))
    assert means.sum() == pytest.approx(1)
    assert intervals[0][0] < 0.01
    assert intervals[0][1] > 0.99
    _, sure = alpha_rank_intervals(payoffs, np.full((2, 2), 1e-5))
    assert sure[0][0] > 0.99


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="square"):
        alpha_rank(np.zeros((2, 3)))
