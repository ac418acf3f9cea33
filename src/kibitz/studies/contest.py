"""Contests of one agent against others on duplicate deals: its win rate and the interval.

Deals are played as in duplicate bridge: each deal once for each seat, and the agents move on by
one seat each time. So the luck of the deal cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.agent import Agent, make_agents
from kibitz.core.game import Table
from kibitz.core.progress import Progress
from kibitz.core.statistics import Interval, effective_trials, wilson_interval
from kibitz.core.status import Status
from kibitz.runs import Experiment, Rows, Workers, runner_for

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class DealScores:
    """The games of one agent against others, by deal.

    Attributes:
        numbers: int64[deals], the deals with at least one finished game.
        games: float64[deals], the number of finished games.
        wins: float64[deals], wins of the agent; a first place shared by k players counts 1/k,
            times the weight of a win.
        unfinished: number of unfinished games, which do not count.
    """

    numbers: Array
    games: Array
    wins: Array
    unfinished: int

    @classmethod
    def of(
        cls,
        rows: Iterable[Rows],
        deal_games: int,
        agent: int | Sequence[int] = 0,
        weight: float = 1.0,
    ) -> DealScores:
        """The scores of an agent, or of a team, in the rows of a run.

        Args:
            rows: one item per shard.
            deal_games: number of consecutive games with the same deal.
            agent: number in the experiment of the agent, or of each agent of the team.
            weight: weight of a win. With the number of players per side a first place that
                partners share is a whole win.
        """
        deals, wins, unfinished = [np.zeros(0, np.int64)], [np.zeros(0)], 0
        for shard_rows in rows:
            finished = shard_rows.results["status"] == Status.FINISHED
            unfinished += int((~finished).sum())
            seats = shard_rows.results["seats"][finished]
            won = (first_places(seats) * np.isin(seats["agent"], agent)).sum(axis=1)
            deals.append((shard_rows.shard.first + np.flatnonzero(finished)) // deal_games)
            wins.append(weight * won)
        numbers, where = np.unique(np.concatenate(deals), return_inverse=True)
        games = np.bincount(where, minlength=len(numbers)).astype(np.float64)
        total = np.bincount(where, np.concatenate(wins), len(numbers))
        return cls(numbers, games, total, unfinished)

    @property
    def finished(self) -> int:
        """How many games were finished."""
        return int(self.games.sum())

    @property
    def share(self) -> float:
        """The share of games that were won."""
        return float(self.wins.sum() / self.games.sum()) if len(self.games) else 0.0

    @property
    def effective(self) -> float:
        """The number of independent games to which these games amount in the interval."""
        return effective_games(self.wins, self.games)

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the share: Wilson's, for the effective number of games."""
        effective = self.effective
        return wilson_interval(self.share * effective, effective)

    def p_value(self, fair: float) -> float:
        """The probability that chance alone takes the share as far from `fair` (score test)."""
        games = self.effective
        if not games or not 0 < fair < 1:
            return 1.0
        deviation = abs(self.share - fair) / math.sqrt(fair * (1 - fair) / games)
        return math.erfc(deviation / math.sqrt(2))


def play_contest(
    table: Table,
    agent: Agent,
    others: Agent,
    games: int,
    seed: int,
    *,
    workers: Workers = None,
    progress: Progress | None = None,
) -> tuple[DealScores, int]:
    """Plays an agent against others, each deal once in every seat.

    A win of the agent's side is a whole win, so that equal agents win ``fair_share`` of the games.

    Args:
        others: the agent in all other seats.
        games: minimum number of games; it is rounded up to whole deals.
        seed: contests with the same seed have the same deals.
        workers: number of threads, or of processes if the rules or an agent are Python.

    Returns:
        The agent's scores, and the number of games planned: fewer were played if it was stopped.

    Raises:
        AgentError: an agent cannot play this game.
    """
    players = table.players
    seated = make_agents([agent, others], players)
    rounded = -(-games // players) * players
    experiment = Experiment.of(table, seated, rounded, seed, duplicate=True)
    runner = runner_for(experiment, table, seated, workers=workers)
    rows: list[Rows] = []
    runner.play(rows.append, progress=progress)
    return DealScores.of(rows, players, weight=players / len(table.sides)), rounded


def first_places(seats: Array) -> Array:
    """Each seat's share of the first place, as float64[games, seats]."""
    first = seats["place"] == 1
    return np.asarray(first / np.maximum(1, first.sum(axis=1, keepdims=True)))


def effective_games(wins: Array, games: Array) -> float:
    """The number of independent games to which games amount, from wins and games by deal."""
    total = float(games.sum())
    share = float(wins.sum()) / total if total else 0.0
    residuals = float(((wins - share * games) ** 2).sum())
    return effective_trials(share, total, len(games), residuals, total)
