"""``Problem``: the task of a search: a space, goals, and how a point is played.

Games come in *blocks*. A block keeps numbers whose mean over blocks is that over all of their
games, so that blocks of one point are pooled, read from a file, and compared.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from kibitz.arena.worker import available_cores
from kibitz.core.agent import Agent
from kibitz.core.game import Table
from kibitz.core.progress import Progress
from kibitz.core.statistics import Interval, Z
from kibitz.runs import Design, Experiment, Rows, Shard, Workers, runner_for
from kibitz.studies.tuning.space import Point, Space

COIN = 0.25
"""The variance of a game that is won as often as it is lost."""

CLUSTER_CORES = 32
"""Assumed number of cores of a cluster, for dividing a block into shards."""

PIECES = 2
"""Number of shards of a block for each worker."""


@dataclass(frozen=True)
class Statistic:
    """A mean over games, with its uncertainty.

    Attributes:
        value: the mean.
        variance: squared standard error of the mean.
    """

    value: float
    variance: float

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the true mean."""
        half = Z * math.sqrt(self.variance)
        return self.value - half, self.value + half

    def less(self, other: Statistic) -> Statistic:
        """The difference of this value and one of other, independent games: variances add up."""
        return Statistic(self.value - other.value, self.variance + other.variance)


@dataclass(frozen=True)
class Block:
    """The means of consecutive games of one point.

    Attributes:
        games: number of games.
        statistics: for each goal, the means from which its value is computed.
        series: a score for each deal, if points are compared deal by deal; else empty.
        decided: whether there was any decision in these games, so that options could matter.
    """

    games: int
    statistics: tuple[tuple[Statistic, ...], ...]
    series: tuple[float, ...] = ()
    decided: bool = True

    def to_json(self) -> dict[str, Any]:
        """Everything by name; numbers keep all their digits."""
        return {
            "games": self.games,
            "statistics": [[[s.value, s.variance] for s in goal] for goal in self.statistics],
            "series": list(self.series),
            "decided": self.decided,
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Block:
        """Reads what ``to_json`` wrote.

        Raises:
            KeyError, TypeError, ValueError: the object is not a block.
        """
        return cls(
            int(document["games"]),
            tuple(
                tuple(Statistic(float(value), float(variance)) for value, variance in goal)
                for goal in document["statistics"]
            ),
            tuple(map(float, document["series"])),
            bool(document["decided"]),
        )


def pooled(blocks: Sequence[Block]) -> Block:
    """The blocks of a point as one; means are weighted by the number of games."""
    games = sum(block.games for block in blocks)
    shares = [block.games / games for block in blocks]
    statistics = []
    for goal in zip(*(block.statistics for block in blocks), strict=True):
        together = []
        for means in zip(*goal, strict=True):
            mean = sum(share * term.value for share, term in zip(shares, means, strict=True))
            within = sum(s * s * term.variance for s, term in zip(shares, means, strict=True))
            together.append(Statistic(mean, within))
        statistics.append(tuple(together))
    series = tuple(number for block in blocks for number in block.series)
    return Block(games, tuple(statistics), series, any(block.decided for block in blocks))


def mean_of(series: Sequence[float]) -> Statistic:
    """The mean of a series of independent deals.

    Its variance includes an imaginary deal that varies like the toss of a coin, because a few
    similar deals prove nothing.
    """
    count = len(series)
    if count == 0:
        return Statistic(0.0, COIN)
    values = np.asarray(series, float)
    squares = float(((values - values.mean()) ** 2).sum())
    return Statistic(float(values.mean()), (squares + COIN) / count**2)


class Goal(abc.ABC):
    """A goal of a search.

    Attributes:
        text: the goal as the user wrote it.
        name: name of the measure.
    """

    text: str
    name: str

    @abc.abstractmethod
    def value(self, statistics: Sequence[Statistic]) -> Statistic:
        """The measured value, from the means of a block."""

    @abc.abstractmethod
    def loss(self, statistics: Sequence[Statistic]) -> float:
        """The distance of a point from the goal, less the part expected from noise."""

    @abc.abstractmethod
    def optimiser_value(self, statistics: Sequence[Statistic]) -> float:
        """The value that optimisers maximise, scaled so that outliers do not dominate."""

    @abc.abstractmethod
    def possible(self, interval: Interval) -> Interval:
        """The part of an interval that values can have."""

    @abc.abstractmethod
    def show(self, value: float, interval: Interval | None = None) -> str:
        """A value in its unit, with its interval in brackets."""

    @abc.abstractmethod
    def show_difference(self, value: float, interval: Interval) -> str:
        """A difference of two values in its unit."""

    @abc.abstractmethod
    def is_met(self, value: Statistic) -> bool:
        """Whether a value meets the goal."""

    def known(self, problem: Problem, point: Point) -> float | None:
        """The value of a point, if it is known without a game."""
        return None

    def to_json(self) -> dict[str, Any]:
        """The description of the goal."""
        return {"goal": self.text, "measure": self.name}


@dataclass(frozen=True)
class Order:
    """The games of a point that are to be played, and the workers that play them.

    Attributes:
        seed: seed of the phase.
        workers: number of workers, or a cluster; by default one per core.
    """

    seed: int
    shard: Shard
    workers: Workers = None
    progress: Progress | None = None


class Problem(abc.ABC):
    """The task of a search.

    Attributes:
        kind: ``"agent"`` or ``"game"``.
        unchanged: name of the start in tables.
        title: name of the agent or game that is tuned, with its table.
        goals: at least one goal.
        unit_games: games of a block are a multiple of this, so that seats are taken equally often.
        usual_each: default number of games of an evaluation.
        usual_games: default number of games of a search.
    """

    kind: str
    unchanged: str
    title: str
    space: Space
    goals: tuple[Goal, ...]
    unit_games: int
    usual_each: int
    usual_games: int

    def __init__(self) -> None:
        self._refusals: dict[Point, str | None] = {}

    def refusal(self, point: Point) -> str | None:
        """Why the values of a point cannot be combined; ``None`` if they can."""
        if point not in self._refusals:
            self._refusals[point] = self._refusal(point)
        return self._refusals[point]

    def feasible(self, point: Point) -> bool:
        """Whether the values of a point can be combined."""
        return self.refusal(point) is None

    @property
    def refused(self) -> int:
        """The number of points found to be infeasible so far."""
        return sum(why is not None for why in self._refusals.values())

    @abc.abstractmethod
    def _refusal(self, point: Point) -> str | None:
        """Why the values of a point cannot be combined; ``None`` if they can."""

    @abc.abstractmethod
    def play(self, point: Point, order: Order) -> Block:
        """Plays the games of an order.

        Raises:
            KeyboardInterrupt: it was stopped.
        """

    def words(self, point: Point) -> str:
        """The values that differ from the start, for tables."""
        words = [f"{name}={value}" for name, value in self.space.changed(point).items()]
        return ", ".join(words) or self.unchanged

    def label(self, point: Point) -> str:
        """The name of a point."""
        return self.words(point)

    @abc.abstractmethod
    def use(self, point: Point) -> str:
        """The arguments on the command line that use a point."""

    @abc.abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Everything that the games depend on except the seed; a resumed search must match it."""


def play_rows(
    table: Table,
    agents: Sequence[Agent],
    order: Order,
    **design: Unpack[Design],
) -> list[Rows]:
    """Plays the games of an order, and returns their rows in order.

    Raises:
        KeyboardInterrupt: it was stopped.
    """
    shard, workers = order.shard, order.workers
    end = shard.first + shard.games
    experiment = Experiment.of(table, agents, end, order.seed, **design)
    cores = CLUSTER_CORES if isinstance(workers, str) else workers or available_cores()
    cores = min(cores, shard.games)
    runner = runner_for(
        experiment, table, agents, workers=cores if isinstance(workers, int) else workers
    )
    size = max(1, min(-(-shard.games // (PIECES * cores)), experiment.shard_games))
    pieces = [Shard(i, min(size, end - i)) for i in range(shard.first, end, size)]
    rows_of_shards: list[Rows] = []
    runner.play(rows_of_shards.append, pieces, order.progress)
    if runner.stop[0] or sum(len(rows.results) for rows in rows_of_shards) < shard.games:
        raise KeyboardInterrupt  # also where it came after the last game
    return rows_of_shards
