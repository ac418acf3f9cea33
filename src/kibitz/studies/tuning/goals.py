"""Goals for a game, in terms of its measures: ``fairness<=1``, ``minutes=25``, ``ties<=5 %``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.core.errors import ParameterError, did_you_mean
from kibitz.core.statistics import Interval, Z
from kibitz.core.wording import counted
from kibitz.reports.numbers import number, percent
from kibitz.studies.measures import MEASURES, columns
from kibitz.studies.playing import Measuring
from kibitz.studies.questions import SECONDS_A_DECISION
from kibitz.studies.sample import Sample
from kibitz.studies.tuning.problem import Goal, Statistic

FAIRNESS = "fairness"
"""Name of the goal for the distance of seats from a fair share of the wins."""

MINUTES = "minutes"
"""Name of the goal for the length of a game."""

UNFINISHED = "unfinished"
"""Name of the goal for the share of games that break off."""

NAMES = {
    FAIRNESS: "by how many points the seat that is farthest from a fair share of the wins is off",
    MINUTES: f"decisions a game, at {SECONDS_A_DECISION} seconds each",
    UNFINISHED: "games that break off",
}
"""Descriptions of the goals that are not measures of a playtest, by name."""

ALIASES = {
    "decisions": "decisions a game",
    "actions": "actions a game (forced ones too)",
    "turns": "turns a game",
    "rounds": "rounds a game",
    "ties": "games tied",
    "luck": "luck_share",
}
"""Measures by their shorter names in goals."""

SHARE_TOLERANCE = 0.01
"""Default tolerance of goals for shares."""

USUAL_TOLERANCE = 0.05
"""Default tolerance of other goals, relative to the target."""


@dataclass(frozen=True)
class Played:
    """The games of a point, from which goals read their values.

    Attributes:
        samples: the games, in parts.
        measuring: measures all games, where a goal needs a member of the JSON.
        cache: results that are computed once.
    """

    players: int
    samples: Sequence[Sample]
    measuring: Measuring | None
    cache: dict[str, Any] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(len(sample.games) for sample in self.samples)

    def columns(self) -> dict[str, tuple[Statistic, bool]]:
        """The mean over finished games, and whether it is a share, by the title of the column."""
        if "columns" not in self.cache:
            self.cache["columns"] = self._columns()
        means: dict[str, tuple[Statistic, bool]] = self.cache["columns"]
        return means

    def _columns(self) -> dict[str, tuple[Statistic, bool]]:
        by_title: dict[str, tuple[list[Any], list[Any], bool]] = {}
        for sample in self.samples:
            for column in columns(sample):
                values, weights, _ = by_title.setdefault(column.title, ([], [], column.is_share))
                values.append(np.asarray(column.values, float))
                unit_weights = np.ones(len(values[-1]))
                weights.append(unit_weights if column.weights is None else column.weights)
        return {
            title: (_ratio(np.concatenate(values), np.concatenate(weights)), is_share)
            for title, (values, weights, is_share) in by_title.items()
            if any(len(numbers) for numbers in values)
        }

    def unfinished(self) -> Statistic:
        """The share of games that break off."""
        games = self.games
        share = sum(int((~sample.is_finished).sum()) for sample in self.samples) / max(1, games)
        # a share of 0 gets a variance as if half a game had broken off
        spread = max(share * (1 - share), 0.5 / max(1, games))
        return Statistic(share, spread / max(1, games))

    def document(self) -> Mapping[str, Any]:
        """The JSON of the playtest."""
        if "document" not in self.cache:
            assert self.measuring is not None
            self.cache["document"] = self.measuring.finish(0.0).to_json()
        document: Mapping[str, Any] = self.cache["document"]
        return document


def _ratio(values: Any, weights: Any) -> Statistic:
    """The sum of values over that of weights, with its variance by the delta method."""
    count, total = len(values), float(weights.sum())
    if total == 0:
        return Statistic(0.0, 0.0)
    mean = float(values.sum() / total)
    if count < 2:
        return Statistic(mean, mean * mean + 1.0)
    influence = (values - mean * weights) / weights.mean()
    return Statistic(mean, float(influence.var(ddof=1) / count))


Reading = Callable[[Played], tuple[Statistic, ...]]
"""A function that reads from games the means from which a goal's value is computed."""


@dataclass(frozen=True)
class MeasureGoal(Goal):
    """A goal for a measure of a game.

    Attributes:
        text: the goal as the user wrote it.
        name: name of the measure.
        sense: ``"="``, ``"<="`` or ``">="``.
        target: target in the measure's unit.
        tolerance: distance from the target that still meets it; the unit of the loss.
        is_share: whether values are shown in per cent.
        unit: unit of values that are not shares, such as ``"points"``.
        read: reads the means from games.
        farthest: whether the value is the largest distance of the means from 0, in points.
    """

    text: str
    name: str
    sense: str
    target: float
    tolerance: float
    is_share: bool
    unit: str
    read: Reading
    farthest: bool = False

    def value(self, statistics: Sequence[Statistic]) -> Statistic:
        """The mean, or, for fairness, the distance in points of the seat farthest from fair."""
        if not self.farthest:
            return statistics[0]
        worst = max(statistics, key=lambda mean: abs(mean.value))
        return Statistic(100 * abs(worst.value), 1e4 * worst.variance)

    def loss(self, statistics: Sequence[Statistic]) -> float:
        """The distance from the target in tolerances, less the part expected from noise."""
        value = self.value(statistics)
        off = value.value - self.target
        if self.farthest:  # noise moves it away from 0, not to both sides
            off = math.sqrt(max(0.0, value.value**2 - value.variance)) - self.target
        elif self.sense == "=":
            off = math.sqrt(max(0.0, off * off - value.variance))
        wrong = {"=": abs(off), "<=": max(0.0, off), ">=": max(0.0, -off)}[self.sense]
        return wrong / self.tolerance

    def optimiser_value(self, statistics: Sequence[Statistic]) -> float:
        """A decreasing logarithm of the loss, so that very bad points do not dominate."""
        return -math.log1p(self.loss(statistics))

    def is_met(self, value: Statistic) -> bool:
        """Whether the value is within the tolerance of the target, or on its right side."""
        off = value.value - self.target
        room = 0.0 if self.farthest else self.tolerance
        return {"=": abs(off) <= room, "<=": off <= room, ">=": off >= -room}[self.sense]

    def possible(self, interval: Interval) -> Interval:
        """The part of an interval between 0 and 1 for shares, from 0 on for distances."""
        low, high = interval
        if self.is_share or self.farthest:
            low = max(0.0, low)
        return low, min(1.0, high) if self.is_share else high

    def show(self, value: float, interval: Interval | None = None) -> str:
        """A value in per cent or in its unit, with its interval if there is one."""
        inside = None if interval is None else self.possible(interval)
        if self.is_share:
            return percent(value, inside)
        unit = f" {self.unit}" if self.unit else ""
        if inside is None:
            return f"{number(value)}{unit}"
        low, high = inside
        return f"{number(value)}{unit} ({number(low)} to {number(high)})"

    def show_difference(self, value: float, interval: Interval) -> str:
        """A difference with its sign and interval; of shares in percentage points."""
        factor = 100 if self.is_share else 1
        unit = " points" if self.is_share else f" {self.unit}" if self.unit else ""
        low, high = (factor * bound for bound in interval)
        return f"{factor * value:+.3g}{unit} ({low:+.3g} to {high:+.3g})"

    def to_json(self) -> dict[str, Any]:
        """The measure, the sense, the target and the tolerance."""
        return {
            "goal": self.text,
            "measure": self.name,
            "sense": self.sense,
            "target": self.target,
            "tolerance": self.tolerance,
            "share": self.is_share,
        }


_GOAL = re.compile(
    r"\s*(?P<name>.+?)\s*(?P<sense><=|>=|=)\s*(?P<target>[-+]?[\d.]+)\s*(?P<percent>%)?"
    r"\s*(?:(?:±|\+-)\s*(?P<tolerance>[\d.]+)\s*%?)?\s*"
)


@dataclass(frozen=True)
class Wanted:
    """A parsed goal whose measure is not looked up yet.

    Attributes:
        text: the whole goal.
        name: name of the measure; aliases are resolved.
        sense: ``"="``, ``"<="`` or ``">="``.
        target: the target as written.
        percent: whether the target was written in per cent.
        tolerance: the tolerance as written after ±, if any.
    """

    text: str
    name: str
    sense: str
    target: float
    percent: bool
    tolerance: float | None

    @classmethod
    def read(cls, text: str) -> Wanted:
        """Reads an argument of ``--goal``.

        >>> Wanted.read("seat 1 wins = 50 % ± 2").target
        50.0

        Raises:
            ParameterError: the text is not a goal.
        """
        match = _GOAL.fullmatch(text)
        try:
            if match is None:
                raise ValueError
            tolerance = match["tolerance"]
            return cls(
                text.strip(),
                ALIASES.get(match["name"].lower(), match["name"]),
                match["sense"],
                float(match["target"]),
                bool(match["percent"]),
                None if tolerance is None else float(tolerance),
            )
        except ValueError:
            raise ParameterError(
                f"{text!r} is no goal: write a measure, '=', '<=' or '>=', and a number, as in "
                "'fairness<=1', 'minutes=25' or 'seat 1 wins=50 %', with '±' and a number for "
                "how near is near enough."
            ) from None

    @property
    def path(self) -> str:
        """The name without ``max`` and ``min``, as a path in the JSON."""
        return self.name.split(" ", 1)[-1] if self.name[:4] in ("max ", "min ") else self.name

    @property
    def member(self) -> str:
        """The member of the JSON that it may name: the first word of its path."""
        return re.split(r"[.\[]", self.path, maxsplit=1)[0]


def needs_document(goal: Wanted) -> bool:
    """Whether a goal may name a member of the JSON of a playtest."""
    return any(goal.member in measure.members for measure in MEASURES) and (goal.name not in NAMES)


def resolve(goal: Wanted, played: Played) -> MeasureGoal:
    """The measure of a goal, looked up in the results of a few games.

    Raises:
        ParameterError: there is no such measure; the message suggests one.
    """
    name = goal.name
    titles = played.columns()
    if name == FAIRNESS:
        seats = [f"seat {seat + 1} wins" for seat in range(played.players)]
        if played.players < 2:
            raise ParameterError("A player alone has nobody to be fair to.")

        def off(games: Played) -> tuple[Statistic, ...]:
            means = games.columns()
            fair = 1 / games.players
            shares = [means[seat][0] for seat in seats if seat in means]
            # without a finished game the value is the worst possible
            return tuple(Statistic(s.value - fair, s.variance) for s in shares) or (
                Statistic(1 - fair, 0.0),
            ) * len(seats)

        return _goal(goal, False, "points", off, tolerance=1.0, farthest=True)
    if name == MINUTES:
        factor = SECONDS_A_DECISION / 60
        read = _column("decisions a game", factor)
        return _goal(goal, False, "minutes", read)
    if name == UNFINISHED:
        return _goal(goal, True, "", lambda games: (games.unfinished(),))
    if name in titles:
        return _goal(goal, titles[name][1], "", _column(name))
    if needs_document(goal):
        _member(goal, played.document())
        return _goal(goal, goal.percent, "", lambda games: (_member(goal, games.document()),))
    raise ParameterError(did_you_mean(name, [*NAMES, *ALIASES, *titles], "measure"))


def _column(title: str, factor: float = 1.0) -> Reading:
    def read(games: Played) -> tuple[Statistic, ...]:
        column = games.columns().get(title)
        if column is None:  # no game was finished
            return (Statistic(0.0, 0.0),)
        return (Statistic(factor * column[0].value, factor**2 * column[0].variance),)

    return read


def _goal(
    goal: Wanted,
    is_share: bool,
    unit: str,
    read: Reading,
    tolerance: float | None = None,
    farthest: bool = False,
) -> MeasureGoal:
    """The goal with its target and tolerance converted to the measure's unit."""
    scale = 0.01 if is_share or goal.percent else 1.0
    target = scale * goal.target
    if farthest and goal.sense != "<=":
        raise ParameterError(f"{goal.text!r}: fairness is wanted at most: fairness<=1.")
    if goal.tolerance is not None:
        tolerance = scale * goal.tolerance
    elif tolerance is None:
        tolerance = SHARE_TOLERANCE if scale != 1.0 else USUAL_TOLERANCE * abs(target) or 1.0
    if tolerance <= 0:
        raise ParameterError(f"{goal.text!r}: what is behind ± should be more than 0.")
    return MeasureGoal(
        goal.text,
        goal.name,
        goal.sense,
        target,
        tolerance,
        is_share or goal.percent,
        unit,
        read,
        farthest,
    )


def _member(goal: Wanted, document: Mapping[str, Any]) -> Statistic:
    """A number in the JSON of a playtest, with the variance that follows from its interval.

    Raises:
        ParameterError: there is no number, or several without ``max`` or ``min``.
    """
    places = [(value, around, key) for value, around, key in _follow(goal.path, document)]
    numbers = [
        (float(value), _variance(around, key))
        for value, around, key in places
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    most, least = goal.name.startswith("max "), goal.name.startswith("min ")
    if not numbers:
        raise ParameterError(
            f"{goal.text!r}: the measure {goal.path} has no value in these games; "
            "docs/playtest-json.md explains what it needs."
        )
    if len(numbers) > 1 and not (most or least):
        raise ParameterError(
            f"{goal.text!r}: {goal.path} has {counted(len(numbers), 'value')}: write max or "
            "min before it."
        )
    return Statistic(*(min(numbers) if least else max(numbers)))


def _follow(path: str, document: Any) -> Iterator[tuple[Any, Mapping[str, Any], str]]:
    """The values at a path, each with the object that contains it and its name there."""
    head, _, remainder = path.partition(".")
    name, bracket, _ = head.partition("[")
    if not isinstance(document, Mapping) or name not in document:
        return
    value = document[name]
    if bracket:
        for item in value if isinstance(value, list) else ():
            yield from _follow(remainder, item)
    elif remainder:
        yield from _follow(remainder, value)
    elif isinstance(value, Mapping) and "mean" in value:
        yield value["mean"], value, "mean"
    else:
        yield value, document, name


def _variance(around: Mapping[str, Any], key: str) -> float:
    """The variance of a value by the interval in the same object; 0 without an interval."""
    names = (f"{key}_interval", f"{key.rpartition('_')[0]}_interval")
    usual = "interval" if key in ("mean", "value", "share", "spread") else ""
    for name in (*names, usual):
        interval = around.get(name)
        if isinstance(interval, list) and len(interval) == 2:
            return float(((interval[1] - interval[0]) / (2 * Z)) ** 2)
    return 0.0
