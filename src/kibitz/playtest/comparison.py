"""Comparison of variants: the measures, and which differences are more than chance.

All variants are played from the same seed: game number i has the same luck in all of them, as far
as the rules ask for it in the same order. So what is compared is game by game, and luck that they
share cancels out. Where games are judged, what goes with the luck of each variant is taken out of
the differences, too (``controls``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

import kibitz
from kibitz.core.agent import Lineup, make_agents
from kibitz.core.errors import ParameterError
from kibitz.core.parameters import by_name, check_keywords
from kibitz.core.progress import Progress, part_of
from kibitz.loading import Playable, find_table
from kibitz.playtest.controls import SOURCES, check_judge, controlled, luck_of
from kibitz.playtest.measures import Column, columns
from kibitz.playtest.results import FORMAT
from kibitz.playtest.sample import Array, RunMetadata, Sample
from kibitz.playtest.statistics import (
    SIGNIFICANT,
    Interval,
    holm,
    student_quantile,
    student_tail,
)
from kibitz.playtest.values import pair
from kibitz.reports.document import Reported
from kibitz.runs import (
    Design,
    Experiment,
    Rows,
    Runner,
    Workers,
    runner_for,
)

MOST_VARIANTS = 20
ROUNDS = 16
"""The variants take turns so often, so that an interrupt leaves games of all of them."""
UNFINISHED = "games unfinished"
JUDGEMENTS = "judgements"
"""What is recorded of judged games."""


@dataclass(frozen=True)
class Difference:
    """How a variant differs from the first one.

    Attributes:
        value: this variant's number less that of the first one.
        interval: its 95 % interval; ``None`` of fewer than two games.
        p_value: how often chance alone makes as large a difference (paired t-test), all that is
            looked at taken together (Holm, "A Simple Sequentially Rejective Multiple Test
            Procedure", 1979).
        gain: how many times as many games would be needed for that interval if the variants
            did not share their luck, and it were not taken out; ``None`` where nothing differs in
            any game.
    """

    value: float
    interval: Interval | None
    p_value: float
    gain: float | None

    @property
    def is_significant(self) -> bool:
        """Whether it is more than chance."""
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
        title: what was measured.
        is_share: whether it is a share.
        values: of each variant; ``None`` where there is nothing to measure.
        differences: of each variant but the first; ``None`` likewise.
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
    """Variants side by side.

    Attributes:
        labels: what the variants are called; the first one is what the others are compared with.
        agents: who played, seat by seat of the first game.
        seed: of all of them.
        games: how many of each were compared.
        wanted: how many were asked for.
        controlled: whether luck is taken out of the differences.
        rows: the measures that all of them have.
        version: of Kibitz.
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
        """Whether it was stopped before all games were played."""
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
    *,
    agents: Lineup = "random",
    games: int = 1000,
    seed: int = 0,
    workers: Workers = None,
    progress: Progress | None = None,
    **design: Unpack[Design],
) -> Comparison:
    """Plays variants from the same seed and compares them with the first one.

    >>> import kibitz
    >>> board = kibitz.load("tic-tac-toe")
    >>> found = compare({"3": board.table(size=3), "4": board.table(size=4)}, games=200)
    >>> row = next(row for row in found.rows if row.title == "decisions a game")
    >>> row.values[0] < row.values[1], row.differences[0].is_significant
    (True, True)

    Args:
        variants: what is played, by what it is called.
        agents: one for each seat, the last one for those that are left.
        games: how many to play of each.
        seed: of all of them.
        workers: threads, or processes where the rules or an agent are Python.
        design: how they are played: see ``kibitz.runs.Design``. Where all games are judged luck
            is taken out of the differences; the judge makes rollouts to the end of the game.

    Raises:
        AgentError: an agent cannot play there.
        ParameterError: there are fewer than two variants, or too many; deals are duplicate; or
            another judge is asked.
        KeyboardInterrupt: it was stopped at once, before any game of the last variant. Later, what
            was played of all of them is compared.
    """
    check_keywords(design, Design, compare)
    comparing = Comparing(variants, agents, games, seed, workers, **design)
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
        if design.get("duplicate"):
            raise ParameterError(
                "Variants are compared game by game: each needs a deal of its own."
            )
        seated = [make_agents(agents, table.players) for table in tables]
        self.stop = np.zeros(1, np.int64)  # set by an interrupt
        self._labels = tuple(variants)
        self._agents = tuple(agent.label for agent in seated[0])
        self._seed, self._wanted = seed, games
        self._gathered: list[_Games] = []
        self._runners: list[Runner] = []
        for table, sitting in zip(tables, seated, strict=True):
            experiment = Experiment.of(table, sitting, games, seed, **design)
            self._runners.append(
                runner_for(experiment, table, sitting, workers=workers, stop=self.stop)
            )
            if JUDGEMENTS in experiment.record:
                check_judge(experiment)
            metadata = RunMetadata.of(table, sitting, experiment.rotate)
            self._gathered.append(_Games(metadata, experiment))

    @property
    def played(self) -> int:
        """How many games of every variant have been played."""
        return min(one.played for one in self._gathered)

    @property
    def measured(self) -> list[dict[str, Measured]]:
        """The values of each game of each variant, by measure."""
        return [one.measured for one in self._gathered]

    def play(
        self, progress: Progress | None = None, looked: Callable[[], object] | None = None
    ) -> None:
        """Plays all games, or until it is stopped.

        Args:
                looked: called after each round, when as many games of all have been played.
        """
        shards = list(self._runners[0].experiment.shards())
        size = -(-len(shards) // ROUNDS)
        total = self._wanted * len(self._runners)
        for first in range(0, len(shards), size):  # in turn: an interrupt leaves some of each
            for runner, one in zip(self._runners, self._gathered, strict=True):
                if not self.stop[0]:
                    before = sum(other.played for other in self._gathered) - runner.played
                    runner.play(
                        one.add, shards[first : first + size], part_of(progress, before, total)
                    )
            if looked is not None:
                looked()

    def found(self) -> Comparison:
        """The comparison by the games that were played."""
        return Comparison(
            labels=self._labels,
            agents=self._agents,
            seed=self._seed,
            games=self.played,
            wanted=self._wanted,
            controlled=self._gathered[0].luck is not None,
            rows=_rows(self.measured, self.played, [one.luck for one in self._gathered]),
        )


@dataclass
class Measured:
    """A measure of each game of a variant: the sum of values over that of weights is its value.

    Games that were not finished have neither.
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


class _Games:
    """The values of a variant, game by game.

    Attributes:
        luck: float64[games, seats - 1]: what luck gained a seat, all chance together; where games
            are not judged there is none. What the last seat gains the others lose.
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
        here = first + np.flatnonzero(sample.is_finished)
        for column in columns(sample):
            weights = np.ones(len(here)) if column.weights is None else column.weights
            self._put(column, here, column.values, weights)
        every = first + np.arange(len(sample.games))
        unfinished = Column(UNFINISHED, ~sample.is_finished, is_share=True)
        self._put(unfinished, every, unfinished.values, np.ones(len(every)))
        if self.luck is not None and sample.judged is not None:
            numbers = sample.judged.steps["game"][sample.judged.starts]
            sitting = sample.games["seats"]["agent"][numbers - first]
            for seat in range(self.luck.shape[1]):
                seats = np.full(len(sitting), seat)
                found = luck_of(sample.judged, sitting, seats, self._experiment)
                self.luck[numbers, seat] = found[:, :SOURCES].sum(axis=1)
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

    What is 0 everywhere is left out, and what says the same of every game as another measure.
    """
    cut = [{title: one[:games] for title, one in variant.items()} for variant in variants]
    told: list[str] = []
    for title in cut[0]:
        everywhere = all(title in variant for variant in cut)
        if everywhere and any(variant[title].value for variant in cut):
            if not any(all(v[title].says_the_same(v[other]) for v in cut) for other in told):
                told.append(title)
    of_both = [_of_both(luck[0], other, games) for other in luck[1:]]
    found = {
        title: [
            difference_of(cut[0][title], other[title], chance)
            for other, chance in zip(cut[1:], of_both, strict=True)
        ]
        for title in told
    }
    corrected = iter(holm([d.p_value for row in found.values() for d in row if d is not None]))
    return tuple(
        Row(
            title,
            cut[0][title].is_share,
            tuple(variant[title].value for variant in cut),
            tuple(None if d is None else replace(d, p_value=next(corrected)) for d in row),
        )
        for title, row in found.items()
    )


def _of_both(first: Array | None, other: Array | None, games: int) -> Array:
    """The luck of two variants by game; no column where it is unknown for a game."""
    if first is None or other is None:
        return np.zeros((games, 0))
    seats = np.concatenate([np.arange(one.shape[1]) for one in (first, other)])
    both = np.column_stack([first[:games], other[:games]])[:, np.argsort(seats, kind="stable")]
    # games that were not finished may be left out because of their luck
    return both if np.isfinite(both).all() else both[:, :0]


def difference_of(
    first: Measured, other: Measured, luck: Array | None = None
) -> Difference | None:
    """The difference of two variants, without correction for several comparisons.

    Args:
        first: a measure of the one.
        other: that of the other.
        luck: float64[games, sources] of the mean 0; what goes with it is taken out.
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
    # If variants do not differ, either sign is as probable in each game: so all games have the
    # same one with this probability, and no test can be surer.
    one_sign = 2.0 ** (1 - games)
    if float(apart.std()) == 0:
        return Difference(value, (value, value), 1.0 if value == 0 else one_sign, None)
    found = controlled(apart, np.zeros((games, 0)) if luck is None else luck)
    value += found.share  # the mean of what is left: 0 where no luck is taken out
    half = student_quantile(found.freedom) * found.error
    chance = max(one_sign, student_tail(abs(value) / found.error, found.freedom))
    interval = value - half, value + half
    return Difference(value, interval, chance, alone / (games * found.error**2))
