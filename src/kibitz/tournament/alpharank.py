"""Alpha-rank: how strong agents are that beat each other in circles.

A population plays one agent. Now and then a mutant plays another one; if that does better it
takes over. The share of time for which the population plays each agent is its rank: a circle
shares it, and who always loses has none (Omidshafiei et al., "Alpha-Rank: Multi-Agent Evaluation
by Evolution", 2019; here with one population).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.errors import ParameterError
from kibitz.playtest.statistics import QUANTILE, Interval

Floats = np.ndarray[Any, np.dtype[Any]]

POPULATION = 20
NOISE = 1e-6
"""In the limit of strong selection the worse one takes over with this probability."""
DRAWS = 400
"""So many tables of results, drawn as they might have come out, make an interval."""


def alpha_rank(
    payoffs: Floats, *, alpha: float | None = None, population: int = POPULATION
) -> Floats:
    """The share of time for which a population plays each agent.

    >>> alpha_rank(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])).round(3).tolist()
    [0.333, 0.333, 0.333]

    Args:
        payoffs: float[agents, agents]: of each agent (row) against each other one (column).
        alpha: how strongly the better one is selected; ``None``: in the limit.
        population: how many there are.

    Returns:
        float64[agents], whose sum is 1.

    Raises:
        ParameterError: the table is not square, or the population too small.
    """
    payoffs = np.asarray(payoffs, np.float64)
    count = len(payoffs)
    if payoffs.shape != (count, count) or count < 2 or population < 2:
        raise ParameterError("Alpha-rank needs a square table of two agents or more.")
    chain = np.zeros((count, count))
    for resident in range(count):
        for mutant in range(count):
            if mutant != resident:
                chain[resident, mutant] = _fixation(
                    payoffs, mutant, resident, alpha, population
                ) / (count - 1)
        chain[resident, resident] = 1 - chain[resident].sum()
    # the stationary distribution: pi (chain - 1) = 0 with the sum 1
    system = np.vstack([(chain - np.eye(count)).T, np.ones(count)])
    wanted = np.append(np.zeros(count), 1.0)
    found = np.linalg.lstsq(system, wanted, rcond=None)[0]
    shares: Floats = np.maximum(0.0, found)
    return shares / shares.sum()


def _fixation(
    payoffs: Floats, mutant: int, resident: int, alpha: float | None, population: int
) -> float:
    """With which probability one mutant's kind takes over."""
    gain = payoffs[mutant, resident] - payoffs[resident, mutant]
    if alpha is None:
        if abs(gain) < 1e-14:
            return 0.5
        return 1 - NOISE if gain > 0 else NOISE
    mutants = np.arange(1, population)
    others = population - mutants
    # what a mutant gets among so many of its kind, and what a resident gets
    mine = (mutants - 1) * payoffs[mutant, mutant] + others * payoffs[mutant, resident]
    theirs = (others - 1) * payoffs[resident, resident] + mutants * payoffs[resident, mutant]
    steps = -alpha * np.cumsum(mine - theirs) / (population - 1)
    logs = np.append(0.0, steps)
    most = logs.max()
    return float(np.exp(-most) / np.exp(logs - most).sum())


def alpha_rank_intervals(
    payoffs: Floats, errors: Floats, *, draws: int = DRAWS
) -> tuple[Floats, list[Interval]]:
    """The ranks of results that are not sure, in the limit of strong selection.

    Args:
        payoffs: float[agents, agents]: less what a fair share is.
        errors: float[agents, agents]: their standard errors.
        draws: how many tables are drawn as they might have come out, with normal errors.

    Returns:
        The mean of the ranks, and their 95 % intervals.
    """
    rng = np.random.default_rng(0)
    found = np.array(
        [alpha_rank(payoffs + errors * rng.standard_normal(payoffs.shape)) for _ in range(draws)]
    )
    mean = found.mean(axis=0)
    low, high = np.quantile(found, [1 - QUANTILE, QUANTILE], axis=0)
    # ranks jump from value to value: the mean may be beyond nearly all of them
    bounds = np.minimum(low, mean).tolist(), np.maximum(high, mean).tolist()
    return mean, list(zip(*bounds, strict=True))
