"""One agent against others, deal by deal: how often it wins, and how sure that is.

Deals are played as in duplicate bridge: each once for each seat, the agents moving on by one seat
each time. So nobody is lucky with the deal, and what is left to chance is how it is played.
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
from kibitz.core.status import Status
from kibitz.playtest.statistics import Interval, effective_trials, wilson_interval
from kibitz.runs import Experiment, Rows, Workers, runner_for

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class DealScores:
    """The games of one agent against others, by deal.

    Attributes:
        numbers: int64[deals]: the deals of which a game was finished.
        games: float64[deals]: how many were.
        wins: float64[deals]: of the one agent; a first place shared by k players counts 1/k.
        unfinished: how many games were not finished; they do not count.
    """

    numbers: Array
    games: Array
    wins: Array
    unfinished: int

    @classmethod
    def of(
        cls, rows: Iterable[Rows], deal_games: int, agent: int | Sequence[int] = 0
    ) -> DealScores:
        """The scores of one agent in some rows, by its number in the experiment.

        Args:
            rows: of the shards of a run.
            deal_games: how many consecutive games have the same deal.
            agent: whose wins are counted; several together where they are a team.
        """
        deals, wins, unfinished = [np.zeros(0, np.int64)], [np.zeros(0)], 0
        for part in rows:
            finished = part.results["status"] == Status.FINISHED
            unfinished += int((~finished).sum())
            seats = part.results["seats"][finished]
            won = (first_places(seats) * np.isin(seats["agent"], agent)).sum(axis=1)
            deals.append((part.shard.first + np.flatnonzero(finished)) // deal_games)
            wins.append(won)
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
        """To how many games, played on their own, they amount for the interval of the share."""
        return effective_games(self.wins, self.games)

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the share: Wilson's, of the effective number of games."""
        effective = self.effective
        return wilson_interval(self.share * effective, effective)

    def p_value(self, fair: float) -> float:
        """How often chance alone takes the share as far from a fair one: the score test."""
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

    Args:
        table: where.
        agent: the one.
        others: who sits in all other seats.
        games: how many, at least: they come in whole deals.
        seed: of the deals: contests with the same one have the same deals.
        workers: threads, or processes where the rules or an agent are Python.

    Returns:
        How the agent fared, and how many games there were to be: fewer were played if it was
        stopped.

    Raises:
        AgentError: an agent cannot play this game.
    """
    players = table.players
    seated = make_agents([agent, others], players)
    whole = -(-games // players) * players
    experiment = Experiment.of(table, seated, whole, seed, duplicate=True)
    runner = runner_for(experiment, table, seated, workers=workers)
    found: list[Rows] = []
    runner.play(found.append, progress=progress)
    return DealScores.of(found, players), whole


def first_places(seats: Array) -> Array:
    """float64[games, seats]: the share of the first place that each seat has."""
    first = seats["place"] == 1
    return np.asarray(first / np.maximum(1, first.sum(axis=1, keepdims=True)))


def effective_games(wins: Array, games: Array) -> float:
    """To how many independent games the games of some deals amount (``effective_trials``).

    Args:
        wins: by deal.
        games: by deal.
    """
    total = float(games.sum())
    share = float(wins.sum()) / total if total else 0.0
    residuals = float(((wins - share * games) ** 2).sum())
    return effective_trials(share, total, len(games), residuals, total)
