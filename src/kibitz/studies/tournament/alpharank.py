"""Alpha-rank: the strength of agents that beat each other in cycles.

A population plays one agent. From time to time a mutant plays another agent, which takes over the
population if it does better. The rank of an agent is the share of time for which the population
plays it: the agents of a cycle share the time, and an agent that always loses has the rank 0
(Omidshafiei et al., "Alpha-Rank: Multi-Agent Evaluation by Evolution", 2019; here with one
population).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.errors import ParameterError
from kibitz.core.statistics import QUANTILE, Interval

Floats = np.ndarray[Any, np.dtype[Any]]

POPULATION = 20
"""Default size of the population."""

NOISE = 1e-6
"""Probability that a worse agent takes over, in the limit of strong selection."""

DRAWS = 400
"""Number of simulated tables of results from which an interval is computed."""


def alpha_rank(
    payoffs: Floats, *, alpha: float | None = None, population: int = POPULATION
) -> Floats:
    """The share of time for which a population plays each agent.

    >>> alpha_rank(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])).round(3).tolist()
    [0.333, 0.333, 0.333]

    Args:
        payoffs: float[agents, agents], of each agent (row) against each other one (column).
        alpha: strength of selection; ``None`` for the limit of strong selection.
        population: size of the population.

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
    target = np.append(np.zeros(count), 1.0)
    solution = np.linalg.lstsq(system, target, rcond=None)[0]
    shares: Floats = np.maximum(0.0, solution)
    return shares / shares.sum()


def _fixation(
    payoffs: Floats, mutant: int, resident: int, alpha: float | None, population: int
) -> float:
    """The probability that a single mutant takes over the population."""
    gain = payoffs[mutant, resident] - payoffs[resident, mutant]
    if alpha is None:
        if abs(gain) < 1e-14:
            return 0.5
        return 1 - NOISE if gain > 0 else NOISE
    mutants = np.arange(1, population)
    others = population - mutants
    # the payoffs of a mutant and of a resident, by the number of mutants
    mine = (mutants - 1) * payoffs[mutant, mutant] + others * payoffs[mutant, resident]
    theirs = (others - 1) * payoffs[resident, resident] + mutants * payoffs[resident, mutant]
    steps = -alpha * np.cumsum(mine - theirs) / (population - 1)
    logs = np.append(0.0, steps)
    most = logs.max()
    return float(np.exp(-most) / np.exp(logs - most).sum())


def alpha_rank_intervals(
    payoffs: Floats, errors: Floats, *, draws: int = DRAWS
) -> tuple[Floats, list[Interval]]:
    """The ranks by uncertain results, in the limit of strong selection.

    Args:
        payoffs: float[agents, agents], shares of wins less a fair share.
        errors: float[agents, agents], standard errors of the payoffs.
        draws: number of simulated tables, with normal errors.

    Returns:
        The means of the ranks, and their 95 % intervals.
    """
    rng = np.random.default_rng(0)
    ranks = np.array(
        [alpha_rank(payoffs + errors * rng.standard_normal(payoffs.shape)) for _ in range(draws)]
    )
    mean = ranks.mean(axis=0)
    low, high = np.quantile(ranks, [1 - QUANTILE, QUANTILE], axis=0)
    # ranks take few values, so the mean may lie outside their quantiles
    bounds = np.minimum(low, mean).tolist(), np.maximum(high, mean).tolist()
    return mean, list(zip(*bounds, strict=True))
