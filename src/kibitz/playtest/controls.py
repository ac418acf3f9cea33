"""Control variates: luck with the known mean 0 is taken out of results, and fewer games suffice.

A judge says what each draw of chance gained an agent, and what the choices of opponents did that
play at random. Both are 0 on average. So what goes with them in the results is noise, and is
subtracted (Lavenberg and Welch, "A Perspective on the Use of Control Variables", 1981). It is the
idea of AIVAT (Burch et al., 2018), with coefficients that are estimated: where the judge's values
say little of a game the gain is small. Draws have the mean 0 with rollouts to the end of the game.

It needs duplicate deals: then the deal itself cancels out, whose mean for a seat is not known.
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
from kibitz.playtest.judged import DRAWS, Judged
from kibitz.playtest.statistics import Interval, student_quantile
from kibitz.runs import Experiment, Rows

Array = np.ndarray[Any, Any]

RANDOM = "random"
"""The agent whose every option is as likely."""
FEWEST_DEALS = 20
"""Of fewer deals a regression says nothing."""


@dataclass(frozen=True)
class Controlled:
    """A share of wins, with luck taken out.

    Attributes:
        share: the estimate.
        interval: its 95 % interval.
        deals: of how many deals.
        gain: how many times as many deals would be needed without control variates.
    """

    share: float
    interval: Interval
    deals: int
    gain: float


def controls(rows: Iterable[Rows], experiment: Experiment, agent: int = 0) -> tuple[Array, Array]:
    """An agent's shares of wins and what luck gained it, by deal.

    Only deals of which all games were finished are there.

    Args:
        rows: of an experiment with judgements.
        experiment: that was played.
        agent: its number in the experiment.

    Returns:
        float64[deals]: the mean share of wins; float64[deals, 2]: what draws gained the agent, and
        what the choices of random opponents did, on average over the games of a deal.

    Raises:
        ParameterError: deals are not duplicate, or not judged by rollouts to the end of the game.
    """
    judge = Judge.of(experiment.judge) if experiment.judge else None
    if not experiment.duplicate or judge is None or judge.agent is not None:
        raise ParameterError("Control variates need duplicate deals and a judge of rollouts.")
    if judge.options.rollout != Rollout.END or judge.options.length:
        raise ParameterError("Control variates need rollouts to the end of the game.")
    wins: dict[int, list[tuple[float, float, float]]] = {}
    chance = [label == RANDOM for label in experiment.agents]
    for part in rows:
        if not len(part.steps):
            continue
        judged = Judged(part.steps, part.judged_options)
        numbers = judged.steps["game"][judged.starts]
        results = part.results[numbers - part.shard.first]
        good = results["status"] == Status.FINISHED
        sitting = results["seats"]["agent"]
        seat = np.argmax(sitting == agent, axis=1)
        games = np.arange(judged.games)
        ledger = judged.ledger()
        drawn = ledger[games, seat, DRAWS]
        change = (judged.after - judged.before)[np.arange(len(judged.game)), seat[judged.game]]
        mover = np.maximum(judged.steps["seat"], 0)
        who = sitting[judged.game, mover]
        is_random = np.array(chance)[who] & (who != agent) & (judged.steps["seat"] >= 0)
        is_random &= judged.steps["options"] == judged.steps["drawn"]
        played = np.bincount(judged.game, np.where(is_random, change, 0.0), judged.games)
        outcome = judged.outcomes[games, seat]
        for game in np.flatnonzero(good):
            deal = int(numbers[game]) // experiment.deal_games
            row = float(outcome[game]), float(drawn[game]), float(played[game])
            wins.setdefault(deal, []).append(row)
    whole = [np.mean(v, axis=0) for v in wins.values() if len(v) == experiment.deal_games]
    table = np.array(whole).reshape(-1, 3)
    return table[:, 0], table[:, 1:]


def controlled(shares: Array, luck: Array) -> Controlled:
    """The mean of shares less what goes with luck, whose mean is 0.

    The coefficients are those of a regression; the interval is Student's, of what it leaves.

    Args:
        shares: float64[deals].
        luck: float64[deals, sources].
    """
    deals = len(shares)
    used = luck[:, luck.std(axis=0) > 1e-12] if deals else luck[:, :0]
    plain = float(shares.var(ddof=1)) if deals > 1 else 0.0
    if deals < FEWEST_DEALS:
        used = used[:, :0]
    design = np.column_stack([np.ones(deals), used])
    solution, *_ = np.linalg.lstsq(design, shares, rcond=None)
    left = shares - design @ solution
    freedom = deals - design.shape[1]
    if freedom < 1:
        return Controlled(float(shares.mean()) if deals else 0.0, (0.0, 1.0), deals, 1.0)
    residual = float(left @ left) / freedom
    # the intercept is where luck is 0: its variance has a part for how far luck was from that
    spread = float(np.linalg.pinv(design.T @ design)[0, 0])
    share = float(solution[0])
    half = student_quantile(freedom) * (residual * spread) ** 0.5
    gain = plain / deals / (residual * spread) if residual > 0 else 1.0
    return Controlled(share, (share - half, share + half), deals, gain)
