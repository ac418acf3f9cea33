"""How many games a test saves that ends when it is sure: ``python -m benchmarks.sequential``.

Two agents whose shares of wins are 10 percentage points apart, in games that are drawn at random.
Compared are tests of a fixed size that are planned for just this difference: one that tells the
wrong order with the same probability (5 %) and misses the right one as often, and the 95 %
interval of a match, which is two-sided. The test at hand does not know the difference; it has only
a margin that matters.
"""

from __future__ import annotations

import sys
from statistics import NormalDist
from typing import Any

import numpy as np

from kibitz.tournament.sequential import SequentialTest, Verdict

DIFFERENCE = 0.10
SURE = 0.95
GAMES_A_DEAL = 2
CORRELATIONS = {"games on their own": 0.0, "duplicate deals that balance": -0.6}


def drawn(rng: np.random.Generator, correlation: float, mean: float, count: int) -> Any:
    """Scores of deals of two games, with a correlation between these."""
    win = 0.5 + mean / 2
    both = win * win + correlation * win * (1 - win)
    chances = [1 - 2 * win + both, 2 * (win - both), both]
    return rng.choice([-1.0, 0.0, 1.0], count, p=chances)


def main(times: int = 2000) -> None:
    """Prints games and errors of each."""
    z = NormalDist().inv_cdf(SURE)
    two_sided = NormalDist().inv_cdf(0.5 + SURE / 2)
    rng = np.random.default_rng(1)
    for name, correlation in CORRELATIONS.items():
        for mean in (0.0, DIFFERENCE / 2, DIFFERENCE, 1.5 * DIFFERENCE):
            told = dict.fromkeys(Verdict, 0)
            deals = []
            for _ in range(times):
                test = SequentialTest(SURE)
                told[test.add(drawn(rng, correlation, mean, 20_000).tolist())] += 1
                deals.append(test.count)
            games = GAMES_A_DEAL * float(np.mean(deals))
            shares = ", ".join(f"{v.value} {n / times:.1%}" for v, n in told.items() if n)
            print(f"{name}, difference {100 * mean:g} points: {games:.0f} games; {shares}")
            if mean == DIFFERENCE:
                variance = float(drawn(rng, correlation, mean, 1_000_000).var())
                for what, quantile in (("one-sided", z), ("interval", two_sided)):
                    fixed = GAMES_A_DEAL * (quantile + z) ** 2 * variance / mean**2
                    print(f"  fixed size, {what}: {fixed:.0f} games, {fixed / games:.2f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
