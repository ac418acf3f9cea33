"""Comparison of the variants of a game: their measures, and the significant differences.

All variants are played from the same seed: game number i has the same luck in all of them, as far
as their rules draw random numbers in the same order. Games are compared in pairs, so that common
luck cancels out. If the games are judged, the luck of each variant is removed from the
differences as well (``controls``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

import kibitz
from kibitz.arena.judge import Judge
from kibitz.core.agent import Lineup, agents_at
from kibitz.core.errors import ParameterError
from kibitz.core.parameters import by_name
from kibitz.core.progress import Progress, part_of
from kibitz.core.statistics import (
    SIGNIFICANT,
    Interval,
    holm,
    student_quantile,
    student_tail,
)
from kibitz.loading import Playable, find_table
from kibitz.reports.notebook import Reported
from kibitz.runs import (
    Design,
    Experiment,
    Rows,
    Runner,
    Workers,
    runner_for,
)
from kibitz.studies.controls import SOURCES, check_judge, controlled, luck_of
from kibitz.studies.measures import Column, columns
from kibitz.studies.results import FORMAT
from kibitz.studies.sample import Array, RunMetadata, Sample
from kibitz.studies.values import pair

MOST_VARIANTS = 20
"""Maximum number of variants in a comparison."""

ROUNDS = 16
"""Number of rounds in which the variants take turns, so that an interrupt leaves games of each."""

UNFINISHED = "games unfinished"
"""Title of the measure that counts unfinished games."""

JUDGEMENTS = "judgements"
"""Name of the rows that a run records of judged games."""


@dataclass(frozen=True)
class Difference:
    """The difference of a measure between a variant and the first variant.

    Attributes:
        value: the variant's value less that of the first variant.
        interval: 95 % interval; ``None`` for fewer than two games.
        p_value: probability that chance alone makes as large a difference (paired t-test); in a
            ``Comparison`` it is corrected for all differences together (Holm, "A Simple
            Sequentially Rejective Multiple Test Procedure", 1979).
        gain: factor by which more games would be needed for this interval without common luck and
            without removing luck; ``None`` if all games differ by the same amount.
    """

    value: float
    interval: Interval | None
    p_value: float
    gain: float | None

    @property
    def is_significant(self) -> bool:
        """Whether the difference is larger than chance explains."""
        return self.p_value < SIGNIFICANT

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "value": self.value,
            "interval": pair(self.interval),
            "p_value": self.p_value,
            "gain": self.gain,
        }


@dataclass(frozen=True)
class Row:
    """One measure of all variants.

    Attributes:
        values: one value per variant; ``None`` where there is nothing to measure.
        differences: one per variant except the first; ``None`` where there is nothing to measure.
    """

    title: str
    is_share: bool
    values: tuple[float | None, ...]
    differences: tuple[Difference | None, ...]

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "measure": self.title,
            "share": self.is_share,
            "values": list(self.values),
            "differences": [None if d is None else d.to_json() for d in self.differences],
        }


@dataclass(frozen=True)
class Comparison(Reported):
    """The measures of several variants, compared with the first variant.

    Attributes:
        labels: names of the variants.
        agents: labels, seat by seat of the first game.
        games: number of games of each variant that were compared.
        wanted: number of games of each variant that were requested.
        controlled: whether luck is removed from the differences.
        rows: the measures that all variants have.
    """

    labels: tuple[str, ...]
    agents: tuple[str, ...]
    seed: int
    games: int
    wanted: int
    controlled: bool
    rows: tuple[Row, ...]
    version: str = field(default_factory=lambda: kibitz.__version__)

    @property
    def interrupted(self) -> bool:
        """Whether the comparison was stopped before all games were played."""
        return self.games < self.wanted

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "variants": list(self.labels),
            "agents": list(self.agents),
            "seed": self.seed,
            "games": self.games,
            "wanted": self.wanted,
            "interrupted": self.interrupted,
            "controlled": self.controlled,
            "measures": [row.to_json() for row in self.rows],
        }


def compare(
    variants: Mapping[str, Playable],
    agents: Lineup = "random",
    *,
    games: int = 1000,
    seed: int = 0,
    rotate: bool = True,
    loops: int | None = None,
    record: str | Collection[str] = (),
    judge: Judge | str | None = None,
    judged: int = 0,
    randomize: str | Collection[str] = (),
    workers: Workers = None,
    progress: Progress | None = None,
) -> Comparison:
    """Plays variants from the same seed and compares them with the first one.

    >>> import kibitz
    >>> board = kibitz.load("tic-tac-toe")
    >>> boards = {"3": board.table(size=3), "4": board.table(size=4)}
    >>> comparison = kibitz.compare(boards, games=200)
    >>> row = next(row for row in comparison.rows if row.title == "decisions a game")
    >>> row.values[0] < row.values[1], row.differences[0].is_significant
    (True, True)

    Args:
        variants: games or tables by name.
        agents: one for each seat; the last one fills the remaining seats.
        games: number of games per variant.
        rotate, loops, judge, judged, randomize: see ``playtest``.
        record: see ``playtest``. If all games are judged, luck is removed from the differences;
            this needs a judge that makes rollouts to the end of the game.
        workers: number of threads, or of processes if the rules or an agent are Python.

    Raises:
        AgentError: an agent cannot play a variant.
        ParameterError: there are fewer than two variants, or too many; or the judge is not one of
            rollouts to the end of the game.
        KeyboardInterrupt: stopped before any game of the last variant. A later interrupt ends the
            games early, and those that were played of all variants are compared.
    """
    comparing = Comparing(
        variants,
        agents,
        games,
        seed,
        workers,
        rotate=rotate,
        loops=loops,
        record=record,
        judge=judge,
        judged=judged,
        randomize=randomize,
    )
    comparing.play(progress)
    if comparing.stop[0] and not comparing.played:
        raise KeyboardInterrupt  # there is nothing to compare
    return comparing.found()


class Comparing:
    """A comparison while its games are played; ``compare`` has the same arguments and errors.

    Attributes:
        stop: one 64-bit integer; non-zero ends the games early.
    """

    def __init__(
        self,
        variants: Mapping[str, Playable],
        agents: Lineup,
        games: int,
        seed: int,
        workers: Workers = None,
        **design: Unpack[Design],
    ) -> None:
        tables = [find_table(variant) for variant in by_name("variants", variants).values()]
        if not 2 <= len(tables) <= MOST_VARIANTS:
            raise ParameterError(f"{len(tables)} variants: 2 to {MOST_VARIANTS} can be compared.")
        seated = [agents_at(table, agents) for table in tables]
        self.stop = np.zeros(1, np.int64)  # set by an interrupt
        self._labels = tuple(variants)
        self._agents = tuple(agent.label for agent in seated[0])
        self._seed, self._wanted = seed, games
        self._gathered: list[_VariantGames] = []
        self._runners: list[Runner] = []
        for table, sitting in zip(tables, seated, strict=True):
            experiment = Experiment.of(table, sitting, games, seed, **design)
            self._runners.append(
                runner_for(experiment, table, sitting, workers=workers, stop=self.stop)
            )
            if JUDGEMENTS in experiment.record:
                check_judge(experiment)
            metadata = RunMetadata.of(table, sitting, experiment.rotate)
            self._gathered.append(_VariantGames(metadata, experiment))

    @property
    def played(self) -> int:
        """The number of games that have been played of every variant."""
        return min(games.played for games in self._gathered)

    @property
    def measured(self) -> list[dict[str, Measured]]:
        """The values of each game of each variant, by measure."""
        return [games.measured for games in self._gathered]

    def play(
        self, progress: Progress | None = None, after_round: Callable[[], object] | None = None
    ) -> None:
        """Plays all games, or until it is stopped.

        Args:
            after_round: called after each round, when all variants have equally many games.
        """
        shards = list(self._runners[0].experiment.shards())
        size = -(-len(shards) // ROUNDS)
        total = self._wanted * len(self._runners)
        for first in range(0, len(shards), size):  # in turn: an interrupt leaves some of each
            for runner, games in zip(self._runners, self._gathered, strict=True):
                if not self.stop[0]:
                    before = sum(other.played for other in self._gathered) - runner.played
                    runner.play(
                        games.add, shards[first : first + size], part_of(progress, before, total)
                    )
            if after_round is not None:
                after_round()

    def found(self) -> Comparison:
        """The comparison of the games played so far."""
        return Comparison(
            labels=self._labels,
            agents=self._agents,
            seed=self._seed,
            games=self.played,
            wanted=self._wanted,
            controlled=self._gathered[0].luck is not None,
            rows=_rows(self.measured, self.played, [games.luck for games in self._gathered]),
        )


@dataclass
class Measured:
    """A measure of a variant, game by game: the sum of ``values`` over the sum of ``weights``.

    Unfinished games have the value 0 and the weight 0.
    """

    is_share: bool
    values: Array
    weights: Array

    @property
    def value(self) -> float | None:
        """The value of the measure over all games."""
        weight = self.weights.sum()
        return float(self.values.sum() / weight) if weight else None

    def __getitem__(self, games: slice) -> Measured:
        """The measure of some of the games."""
        return Measured(self.is_share, self.values[games], self.weights[games])

    def says_the_same(self, other: Measured) -> bool:
        """Whether another measure has the same numbers for every game."""
        return np.array_equal(self.values, other.values) and np.array_equal(
            self.weights, other.weights
        )

    def influence(self) -> Array:
        """How much each game adds to the value: these numbers have the mean 0.

        For a mean it is the deviation from it; for a ratio that of the linearized ratio (the delta
        method).
        """
        value = self.value or 0.0
        return np.asarray((self.values - value * self.weights) / self.weights.mean())


class _VariantGames:
    """The values of a variant, game by game.

    Attributes:
        luck: float64[games, seats - 1], a seat's gain by all chance of a game; ``None`` unless
            games are judged. The last seat is left out: its gain follows from the others.
    """

    def __init__(self, metadata: RunMetadata, experiment: Experiment) -> None:
        games, is_judged = experiment.games, JUDGEMENTS in experiment.record
        self.played = 0
        self.luck = np.full((games, metadata.players - 1), np.nan) if is_judged else None
        self.measured: dict[str, Measured] = {}
        self._metadata = metadata
        self._experiment = experiment
        self._games = games

    def add(self, rows: Rows) -> None:
        """Adds the games of a shard."""
        sample = Sample(self._metadata, rows)
        first = rows.shard.first
        finished = first + np.flatnonzero(sample.is_finished)
        for column in columns(sample):
            weights = np.ones(len(finished)) if column.weights is None else column.weights
            self._put(column, finished, column.values, weights)
        every = first + np.arange(len(sample.games))
        unfinished = Column(UNFINISHED, ~sample.is_finished, is_share=True)
        self._put(unfinished, every, unfinished.values, np.ones(len(every)))
        if self.luck is not None and sample.judged is not None:
            numbers = sample.judged.steps["game"][sample.judged.starts]
            sitting = sample.games["seats"]["agent"][numbers - first]
            for seat in range(self.luck.shape[1]):
                seats = np.full(len(sitting), seat)
                gains = luck_of(sample.judged, sitting, seats, self._experiment)
                self.luck[numbers, seat] = gains[:, :SOURCES].sum(axis=1)
        self.played += len(sample.games)

    def _put(self, column: Column, places: Array, values: Array, weights: Array) -> None:
        if column.title not in self.measured:
            self.measured[column.title] = Measured(
                column.is_share, np.zeros(self._games), np.zeros(self._games)
            )
        measured = self.measured[column.title]
        measured.values[places] = values
        measured.weights[places] = weights


def _rows(
    variants: Sequence[Mapping[str, Measured]], games: int, luck: Sequence[Array | None]
) -> tuple[Row, ...]:
    """The measures that all variants have, with their differences.

    Measures that are 0 for all variants, or that repeat another one in every game, are left out.
    """
    measures = [
        {title: measured[:games] for title, measured in variant.items()} for variant in variants
    ]
    titles: list[str] = []
    for title in measures[0]:
        everywhere = all(title in variant for variant in measures)
        if everywhere and any(variant[title].value for variant in measures):
            if not any(
                all(v[title].says_the_same(v[other]) for v in measures) for other in titles
            ):
                titles.append(title)
    of_both = [_of_both(luck[0], other, games) for other in luck[1:]]
    differences = {
        title: [
            difference_of(measures[0][title], other[title], chance)
            for other, chance in zip(measures[1:], of_both, strict=True)
        ]
        for title in titles
    }
    corrected = iter(
        holm([d.p_value for row in differences.values() for d in row if d is not None])
    )
    return tuple(
        Row(
            title,
            measures[0][title].is_share,
            tuple(variant[title].value for variant in measures),
            tuple(None if d is None else replace(d, p_value=next(corrected)) for d in row),
        )
        for title, row in differences.items()
    )


def _of_both(first: Array | None, other: Array | None, games: int) -> Array:
    """The luck of two variants by game; without columns if the luck of a game is unknown."""
    if first is None or other is None:
        return np.zeros((games, 0))
    seats = np.concatenate([np.arange(luck.shape[1]) for luck in (first, other)])
    both = np.column_stack([first[:games], other[:games]])[:, np.argsort(seats, kind="stable")]
    # games that were not finished may be left out because of their luck
    return both if np.isfinite(both).all() else both[:, :0]


def difference_of(
    first: Measured, other: Measured, luck: Array | None = None
) -> Difference | None:
    """The difference of a measure of two variants, not corrected for multiple comparisons.

    Args:
        luck: float64[games, sources] with the mean 0, whose effect is removed.
    """
    if first.value is None or other.value is None:
        return None
    value = other.value - first.value
    games = len(first.values)
    if games < 2:
        return Difference(value, None, 1.0, None)
    mine, theirs = first.influence(), other.influence()
    apart = theirs - mine
    alone = float(mine.var(ddof=1) + theirs.var(ddof=1))
    # If the variants do not differ, both signs are equally probable in each game. All games have
    # the same sign with this probability, which limits the p-value of any test.
    one_sign = 2.0 ** (1 - games)
    if float(apart.std()) == 0:
        return Difference(value, (value, value), 1.0 if value == 0 else one_sign, None)
    corrected = controlled(apart, np.zeros((games, 0)) if luck is None else luck)
    value += corrected.share  # the correction for luck: 0 without control variates
    half = student_quantile(corrected.freedom) * corrected.error
    chance = max(one_sign, student_tail(abs(value) / corrected.error, corrected.freedom))
    interval = value - half, value + half
    return Difference(value, interval, chance, alone / (games * corrected.error**2))
