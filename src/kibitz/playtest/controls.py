"""Control variates: luck with the known mean 0 is taken out of results, and fewer games suffice.

A judge says what each draw of chance gained an agent, and what the choices of opponents did that
play at random. Both are 0 on average. So what goes with them in the results is noise, and is
subtracted (Lavenberg and Welch, "A Perspective on the Use of Control Variables", 1981). It is the
idea of AIVAT (Burch et al., 2018), with coefficients that are estimated: where the judge's values
say little of a game the gain is small. Draws have the mean 0 with rollouts to the end of the
game.

The judge's values are those of random play. How much more, or less, a stroke of luck means to
these agents depends on how the game stands. What comes next has the mean 0 however it is weighted,
if the weight was known before; so luck counts several times, weighted by powers of how well the
agent stood and by how far the game had come, and the regression finds the mixture. That weight
comes from the other half of the rollouts: errors of the same half would not have the mean 0.

Who wins how often is asked in duplicate deals: there the deal itself cancels out, whose mean for
a seat is not known. Variants of a game are compared deal by deal anyway.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.agents.search import Rollout
from kibitz.arena.judge import Judge
from kibitz.core.errors import ParameterError
from kibitz.core.status import Status
from kibitz.playtest.judged import Judged
from kibitz.playtest.statistics import Interval, student_quantile
from kibitz.runs import Experiment, Rows

Array = np.ndarray[Any, Any]

CONTROL_JUDGE = "rollouts:samples=64,by=osla"
"""Who says what luck gained in tournaments."""
FEWEST_DEALS = 20
"""Of fewer deals a regression says nothing; beyond two it has so many for each variate."""
EARLY = 10.0
"""Luck early in the game is luck weighted by exp(-actions / this)."""
SOURCES = 2
"""Draws, and the choices of random players."""
WEIGHTS = 4
"""Each source of luck counts so often, with other weights."""


@dataclass(frozen=True)
class Controlled:
    """A share of wins, with luck taken out.

    Attributes:
        share: the estimate.
        interval: its 95 % interval.
        deals: of how many deals.
        error: its standard error.
        freedom: how many degrees of freedom that has.
        gain: how many times as many deals would be needed without control variates.
    """

    share: float
    interval: Interval
    deals: int
    error: float
    freedom: int
    gain: float


def controls(rows: Iterable[Rows], experiment: Experiment, agent: int = 0) -> tuple[Array, Array]:
    """An agent's shares of wins, and its gains by luck, by deal.

    Only deals of which all games were finished are there.

    Args:
        rows: of an experiment with judgements.
        experiment: that was played.
        agent: its number in the experiment.

    Returns:
        float64[deals]: the mean share of wins; float64[deals, SOURCES * WEIGHTS]: what draws
        gained the agent, and what the choices of random opponents did, with each weight, on
        average over the games of a deal; the most telling ones first.

    Raises:
        ParameterError: deals are not duplicate, or not judged by rollouts to the end of the game.
    """
    if not experiment.duplicate:
        raise ParameterError("Control variates need duplicate deals.")
    check_judge(experiment)
    wins: dict[int, list[Array]] = {}
    for part in rows:
        if not len(part.steps):
            continue
        judged = Judged(part.steps, part.judged_options)
        numbers = judged.steps["game"][judged.starts]
        results = part.results[numbers - part.shard.first]
        sitting = results["seats"]["agent"]
        seat = np.argmax(sitting == agent, axis=1)
        luck = luck_of(judged, sitting, seat, experiment)
        outcome = judged.outcomes[np.arange(judged.games), seat]
        table = np.column_stack([outcome, luck])
        for game in np.flatnonzero(results["status"] == Status.FINISHED):
            wins.setdefault(int(numbers[game]) // experiment.deal_games, []).append(table[game])
    whole = [np.mean(v, axis=0) for v in wins.values() if len(v) == experiment.deal_games]
    means = np.array(whole).reshape(-1, 1 + SOURCES * WEIGHTS)
    return means[:, 0], means[:, 1:]


def check_judge(experiment: Experiment) -> None:
    """Checks that luck has the mean 0 by the judge of an experiment, so that it can be taken out.

    Raises:
        ParameterError: it is not judged by rollouts to the end of the game.
    """
    judge = Judge.of(experiment.judge) if experiment.judge else None
    if judge is None or judge.agent is not None:
        raise ParameterError("Control variates need a judge of rollouts.")
    if judge.options.rollout != Rollout.END or judge.options.length:
        raise ParameterError("Control variates need rollouts to the end of the game.")


def luck_of(judged: Judged, sitting: Array, seat: Array, experiment: Experiment) -> Array:
    """A seat's gain by luck in each game, by weight and source: 0 on average.

    Args:
        judged: the games.
        sitting: the agent in each seat of each game.
        seat: whose luck, by game.
        experiment: that was played.
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
        for where, then, now, soon in sources:
            change = now - then
            ahead = then[:, ::-1] - 1.0 / experiment.players  # by the other half
            weight = soon[:, None] if power == WEIGHTS - 1 else ahead**power
            columns.append(np.bincount(where, (change * weight).mean(axis=1), judged.games))
    return np.stack(columns, axis=1)


def controlled(shares: Array, luck: Array) -> Controlled:
    """The mean of shares, corrected by their regression on luck, whose mean is 0.

    The coefficients are those of a regression; the interval is Student's, of what it leaves.

    Args:
        shares: float64[deals].
        luck: float64[deals, variates], the most telling first.
    """
    deals = len(shares)
    used = luck[:, luck.std(axis=0) > 1e-12] if deals else luck[:, :0]
    most = max(2, deals // FEWEST_DEALS) if deals >= FEWEST_DEALS else 0
    used = used[:, :most]
    plain = float(shares.var(ddof=1)) if deals > 1 else 0.0
    design = np.column_stack([np.ones(deals), used])
    solution, *_ = np.linalg.lstsq(design, shares, rcond=None)
    left = shares - design @ solution
    freedom = deals - design.shape[1]
    if freedom < 1:
        mean = float(shares.mean()) if deals else 0.0
        return Controlled(mean, (0.0, 1.0), deals, 1.0, 1, 1.0)
    residual = float(left @ left) / freedom
    # the intercept is where luck is 0: its variance has a part for how far luck was from that
    spread = float(np.linalg.pinv(design.T @ design)[0, 0])
    share = float(solution[0])
    error = float(np.sqrt(residual * spread))
    half = student_quantile(freedom) * error
    gain = plain / deals / error**2 if plain > 0 and error > 0 else 1.0
    return Controlled(share, (share - half, share + half), deals, error, freedom, gain)
