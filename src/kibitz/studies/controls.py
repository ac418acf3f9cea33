"""Control variates: results are corrected for luck, whose mean is 0, so that fewer games suffice.

A judge estimates what an agent gained by each draw of chance and by each choice of an opponent
that plays at random. Both gains are 0 on average. The part of the results that correlates with
them is noise and is subtracted (Lavenberg and Welch, "A Perspective on the Use of Control
Variables", 1981). This is the idea of AIVAT (Burch et al., 2018) with estimated coefficients: the
gain is small in games for which the judge's values say little. Draws have the mean 0 only if
rollouts go to the end of the game.

The judge's values are those of random play; how much luck matters to other agents depends on the
position. A gain by luck has the mean 0 with any weight that is known before it. So each source of
luck enters several times, weighted by powers of the agent's standing and by the progress of the
game, and a regression estimates the mixture. The weight is computed from the other half of the
rollouts, because errors of the same half would not have the mean 0.

Win rates are measured on duplicate deals, where the deal itself cancels out: its mean for a seat
is not known. Variants of a game are compared deal by deal anyway.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.arena.judge import Judge
from kibitz.core.errors import ParameterError
from kibitz.core.statistics import Interval, student_quantile
from kibitz.core.status import Status
from kibitz.players.search import Rollout
from kibitz.runs import Experiment, Rows
from kibitz.studies.judged import Judged

Array = np.ndarray[Any, Any]

CONTROL_JUDGE = "rollouts:samples=64,by=osla"
"""The judge that estimates luck in tournaments."""

FEWEST_DEALS = 20
"""Minimum number of deals for a regression, and deals per control variate beyond the second."""

EARLY = 10.0
"""Number of actions after which the weight for early luck has fallen to 1/e."""

SOURCES = 2
"""Number of sources of luck: draws, and the choices of random players."""

WEIGHTS = 4
"""Number of weights with which each source of luck enters the regression."""


@dataclass(frozen=True)
class Controlled:
    """A mean, such as a share of wins, from which luck was removed.

    Attributes:
        interval: 95 % interval of the share.
        error: standard error of the share.
        freedom: degrees of freedom of the standard error.
        gain: factor by which more deals would be needed without control variates.
    """

    share: float
    interval: Interval
    deals: int
    error: float
    freedom: int
    gain: float


def controls(rows: Iterable[Rows], experiment: Experiment, agent: int = 0) -> tuple[Array, Array]:
    """An agent's shares of wins, and its gains by luck, by deal.

    Deals with an unfinished game are left out.

    Args:
        rows: rows with judgements, one item per shard.
        experiment: the experiment to which the rows belong.
        agent: number of the agent in the experiment.

    Returns:
        The mean share of wins as float64[deals], and the mean gains over the games of a deal as
        float64[deals, SOURCES * WEIGHTS]: by draws and by choices of random opponents, for each
        weight, those that explain most first.

    Raises:
        ParameterError: deals are not duplicate, or not judged by rollouts to the end of the game.
    """
    if not experiment.duplicate:
        raise ParameterError("Control variates need duplicate deals.")
    check_judge(experiment)
    wins: dict[int, list[Array]] = {}
    for shard_rows in rows:
        if not len(shard_rows.steps):
            continue
        judged = Judged(shard_rows.steps, shard_rows.judged_options, 1 / experiment.players)
        numbers = judged.steps["game"][judged.starts]
        results = shard_rows.results[numbers - shard_rows.shard.first]
        sitting = results["seats"]["agent"]
        seat = np.argmax(sitting == agent, axis=1)
        luck = luck_of(judged, sitting, seat, experiment)
        outcome = judged.outcomes[np.arange(judged.games), seat]
        table = np.column_stack([outcome, luck])
        for game in np.flatnonzero(results["status"] == Status.FINISHED):
            wins.setdefault(int(numbers[game]) // experiment.deal_games, []).append(table[game])
    complete = [np.mean(v, axis=0) for v in wins.values() if len(v) == experiment.deal_games]
    means = np.array(complete).reshape(-1, 1 + SOURCES * WEIGHTS)
    return means[:, 0], means[:, 1:]


def check_judge(experiment: Experiment) -> None:
    """Checks that the judge of an experiment gives luck the mean 0, as control variates need it.

    Raises:
        ParameterError: the judge does not make rollouts to the end of the game.
    """
    judge = Judge.of(experiment.judge) if experiment.judge else None
    if judge is None or judge.agent is not None:
        raise ParameterError("Control variates need a judge of rollouts.")
    if judge.options.rollout != Rollout.END or judge.options.length:
        raise ParameterError("Control variates need rollouts to the end of the game.")


def luck_of(judged: Judged, sitting: Array, seat: Array, experiment: Experiment) -> Array:
    """A seat's gain by luck in each game, as float64[games, weights * sources] with the mean 0.

    Args:
        sitting: number of the agent in each seat of each game.
        seat: the seat whose luck is returned, by game.
        experiment: the experiment to which the games belong.
    """
    steps, game = judged.steps, judged.game
    mine = (np.arange(len(steps)), seat[game])
    before, after = steps["seats"]["before"][mine], steps["seats"]["after"][mine]
    drawn = np.flatnonzero((game[1:] == game[:-1]) & (steps["chance"][1:] != 0))
    who = sitting[game, np.maximum(steps["seat"], 0)]
    judge = Judge.of(experiment.judge)
    is_luck = np.array([judge.plays_as(label) for label in experiment.agents])[who]
    chosen = np.flatnonzero(is_luck & (steps["seat"] >= 0) & (steps["options"] == steps["drawn"]))
    early = np.exp(-steps["action"] / EARLY)
    sources = (
        (game[drawn], after[drawn], before[drawn + 1], early[drawn]),
        (game[chosen], before[chosen], after[chosen], early[chosen]),
    )
    columns: list[Array] = []
    for power in range(WEIGHTS):
        for where, earlier, later, soon in sources:
            change = later - earlier
            ahead = (
                earlier[:, ::-1] - 1.0 / experiment.players
            )  # from the other half of the rollouts
            weight = soon[:, None] if power == WEIGHTS - 1 else ahead**power
            columns.append(np.bincount(where, (change * weight).mean(axis=1), judged.games))
    return np.stack(columns, axis=1)


def controlled(shares: Array, luck: Array) -> Controlled:
    """The mean of shares, corrected by their regression on luck, whose mean is 0.

    The interval is Student's, for the residuals of the regression.

    Args:
        shares: float64[deals].
        luck: float64[deals, variates], those that explain most first; few deals use only these.
    """
    deals = len(shares)
    used = luck[:, luck.std(axis=0) > 1e-12] if deals else luck[:, :0]
    most = max(2, deals // FEWEST_DEALS) if deals >= FEWEST_DEALS else 0
    used = used[:, :most]
    plain = float(shares.var(ddof=1)) if deals > 1 else 0.0
    design = np.column_stack([np.ones(deals), used])
    solution, *_ = np.linalg.lstsq(design, shares, rcond=None)
    residuals = shares - design @ solution
    freedom = deals - design.shape[1]
    if freedom < 1:
        mean = float(shares.mean()) if deals else 0.0
        return Controlled(mean, (0.0, 1.0), deals, 1.0, 1, 1.0)
    residual = float(residuals @ residuals) / freedom
    # the variance of the intercept includes how far the mean luck was from 0
    spread = float(np.linalg.pinv(design.T @ design)[0, 0])
    share = float(solution[0])
    error = float(np.sqrt(residual * spread))
    half = student_quantile(freedom) * error
    gain = plain / deals / error**2 if plain > 0 and error > 0 else 1.0
    return Controlled(share, (share - half, share + half), deals, error, freedom, gain)
