"""Goals for a game, in terms of its measures: ``fairness<=1``, ``minutes=25``, ``ties<=5 %``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.core.errors import ParameterError, did_you_mean
from kibitz.core.wording import counted
from kibitz.playtest.measures import MEASURES, columns
from kibitz.playtest.playing import Measuring
from kibitz.playtest.questions import SECONDS_A_DECISION
from kibitz.playtest.sample import Sample
from kibitz.playtest.statistics import Interval, Z
from kibitz.reports.numbers import number, percent
from kibitz.tuning.problem import Goal, Statistic

FAIRNESS = "fairness"
MINUTES = "minutes"
UNFINISHED = "unfinished"

NAMES = {
    FAIRNESS: "by how many points the seat that is farthest from a fair share of the wins is off",
    MINUTES: f"decisions a game, at {SECONDS_A_DECISION} seconds each",
    UNFINISHED: "games that break off",
}
"""Goals with a name of their own, and what they say."""
ALIASES = {
    "decisions": "decisions a game",
    "actions": "actions a game (forced ones too)",
    "turns": "turns a game",
    "rounds": "rounds a game",
    "ties": "games tied",
    "luck": "luck_share",
}
"""Shorter names."""

SHARE_TOLERANCE = 0.01
USUAL_TOLERANCE = 0.05
"""A value this near to the target is as good as the target: of a share, and relative to others."""


@dataclass(frozen=True)
class Played:
    """Games of a point, as goals look at them.

    Attributes:
        players: at the table.
        samples: what was played, in parts.
        measuring: measures all of it, once, where a goal asks for a member of the JSON.
    """

    players: int
    samples: Sequence[Sample]
    measuring: Measuring | None
    cache: dict[str, Any] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(len(sample.games) for sample in self.samples)

    def columns(self) -> dict[str, tuple[Statistic, bool]]:
        """The mean value of finished games, and whether it is a share, by title."""
        if "columns" not in self.cache:
            self.cache["columns"] = self._columns()
        found: dict[str, tuple[Statistic, bool]] = self.cache["columns"]
        return found

    def _columns(self) -> dict[str, tuple[Statistic, bool]]:
        parts: dict[str, tuple[list[Any], list[Any], bool]] = {}
        for sample in self.samples:
            for column in columns(sample):
                values, weights, _ = parts.setdefault(column.title, ([], [], column.is_share))
                values.append(np.asarray(column.values, float))
                ones = np.ones(len(values[-1]))
                weights.append(ones if column.weights is None else column.weights)
        return {
            title: (_ratio(np.concatenate(values), np.concatenate(weights)), is_share)
            for title, (values, weights, is_share) in parts.items()
            if any(len(part) for part in values)
        }

    def unfinished(self) -> Statistic:
        """The share of games that break off."""
        games = self.games
        share = sum(int((~sample.is_finished).sum()) for sample in self.samples) / max(1, games)
        # the variance of a share that is 0 so far is that of one game in twice as many
        spread = max(share * (1 - share), 0.5 / max(1, games))
        return Statistic(share, spread / max(1, games))

    def document(self) -> Mapping[str, Any]:
        """The JSON of the playtest."""
        if "document" not in self.cache:
            assert self.measuring is not None
            self.cache["document"] = self.measuring.finish(0.0).to_json()
        found: Mapping[str, Any] = self.cache["document"]
        return found


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
"""The means of which a goal is computed."""


@dataclass(frozen=True)
class MeasureGoal(Goal):
    """A measure, and its target.

    Attributes:
        text: as a person wrote it.
        name: of the measure.
        sense: ``"="``, ``"<="`` or ``">="``.
        target: the value wanted, in the measure's unit.
        tolerance: a value this near to the target is as good; distances count in it.
        is_share: whether it is told in per cent.
        unit: of other values, such as ``"points"``.
        read: finds its means in games.
        farthest: whether the value is how far off that mean is that is farthest from the fair
            share.
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
        """The mean; of seats how many points the farthest one is off."""
        if not self.farthest:
            return statistics[0]
        worst = max(statistics, key=lambda one: abs(one.value))
        return Statistic(100 * abs(worst.value), 1e4 * worst.variance)

    def loss(self, statistics: Sequence[Statistic]) -> float:
        """The distance from the target, in tolerances, without what noise is likely to add."""
        found = self.value(statistics)
        off = found.value - self.target
        if self.farthest:  # noise moves it away from 0, not to both sides
            off = math.sqrt(max(0.0, found.value**2 - found.variance)) - self.target
        elif self.sense == "=":
            off = math.sqrt(max(0.0, off * off - found.variance))
        wrong = {"=": abs(off), "<=": max(0.0, off), ">=": max(0.0, -off)}[self.sense]
        return wrong / self.tolerance

    def optimiser_value(self, statistics: Sequence[Statistic]) -> float:
        """The logarithm of the distance, so that the worst points do not hide the others."""
        return -math.log1p(self.loss(statistics))

    def is_met(self, value: Statistic) -> bool:
        """Whether the value is at the target, or on its right side, or within the tolerance."""
        off = value.value - self.target
        room = 0.0 if self.farthest else self.tolerance
        return {"=": abs(off) <= room, "<=": off <= room, ">=": off >= -room}[self.sense]

    def possible(self, interval: Interval) -> Interval:
        """Of shares from 0 to 1, of distances from 0 on."""
        low, high = interval
        if self.is_share or self.farthest:
            low = max(0.0, low)
        return low, min(1.0, high) if self.is_share else high

    def show(self, value: float, interval: Interval | None = None) -> str:
        """In per cent, or in its unit."""
        inside = None if interval is None else self.possible(interval)
        if self.is_share:
            return percent(value, inside)
        unit = f" {self.unit}" if self.unit else ""
        if inside is None:
            return f"{number(value)}{unit}"
        low, high = inside
        return f"{number(value)}{unit} ({number(low)} to {number(high)})"

    def show_difference(self, value: float, interval: Interval) -> str:
        """With its sign; of shares in percentage points."""
        factor = 100 if self.is_share else 1
        unit = " points" if self.is_share else f" {self.unit}" if self.unit else ""
        low, high = (factor * bound for bound in interval)
        return f"{factor * value:+.3g}{unit} ({low:+.3g} to {high:+.3g})"

    def to_json(self) -> dict[str, Any]:
        """The measure and the target."""
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
    """A goal as it was written, before its measure is looked up.

    Attributes:
        text: all of it.
        name: of the measure.
        sense: ``"="``, ``"<="`` or ``">="``.
        target: the number, as it was written.
        percent: whether there was a % behind it.
        tolerance: the number behind ±, if there is one.
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
            ParameterError: it has another form.
        """
        found = _GOAL.fullmatch(text)
        try:
            if found is None:
                raise ValueError
            tolerance = found["tolerance"]
            return cls(
                text.strip(),
                ALIASES.get(found["name"].lower(), found["name"]),
                found["sense"],
                float(found["target"]),
                bool(found["percent"]),
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


def needs_document(wanted: Wanted) -> bool:
    """Whether it may name a member of the JSON."""
    return any(wanted.member in measure.members for measure in MEASURES) and (
        wanted.name not in NAMES
    )


def resolve(wanted: Wanted, played: Played) -> MeasureGoal:
    """The measure of a goal, looked up in the results of a few games.

    Raises:
        ParameterError: there is no such measure; the message lists those that there are.
    """
    name = wanted.name
    titles = played.columns()
    if name == FAIRNESS:
        seats = [f"seat {seat + 1} wins" for seat in range(played.players)]
        if played.players < 2:
            raise ParameterError("A player alone has nobody to be fair to.")

        def off(games: Played) -> tuple[Statistic, ...]:
            found = games.columns()
            fair = 1 / games.players
            shares = [found[seat][0] for seat in seats if seat in found]
            # where no game was finished nothing is known, and nothing is worse
            return tuple(Statistic(s.value - fair, s.variance) for s in shares) or (
                Statistic(1 - fair, 0.0),
            ) * len(seats)

        return _goal(wanted, False, "points", off, tolerance=1.0, farthest=True)
    if name == MINUTES:
        factor = SECONDS_A_DECISION / 60
        read = _column("decisions a game", factor)
        return _goal(wanted, False, "minutes", read)
    if name == UNFINISHED:
        return _goal(wanted, True, "", lambda games: (games.unfinished(),))
    if name in titles:
        return _goal(wanted, titles[name][1], "", _column(name))
    if needs_document(wanted):
        _member(wanted, played.document())
        return _goal(
            wanted, wanted.percent, "", lambda games: (_member(wanted, games.document()),)
        )
    raise ParameterError(did_you_mean(name, [*NAMES, *ALIASES, *titles], "measure"))


def _column(title: str, factor: float = 1.0) -> Reading:
    def read(games: Played) -> tuple[Statistic, ...]:
        found = games.columns().get(title)
        if found is None:  # no game was finished
            return (Statistic(0.0, 0.0),)
        return (Statistic(factor * found[0].value, factor**2 * found[0].variance),)

    return read


def _goal(
    wanted: Wanted,
    is_share: bool,
    unit: str,
    read: Reading,
    tolerance: float | None = None,
    farthest: bool = False,
) -> MeasureGoal:
    """The goal with its numbers in the measure's unit."""
    scale = 0.01 if is_share or wanted.percent else 1.0
    target = scale * wanted.target
    if farthest and wanted.sense != "<=":
        raise ParameterError(f"{wanted.text!r}: fairness is wanted at most: fairness<=1.")
    if wanted.tolerance is not None:
        tolerance = scale * wanted.tolerance
    elif tolerance is None:
        tolerance = SHARE_TOLERANCE if scale != 1.0 else USUAL_TOLERANCE * abs(target) or 1.0
    if tolerance <= 0:
        raise ParameterError(f"{wanted.text!r}: what is behind ± should be more than 0.")
    return MeasureGoal(
        wanted.text,
        wanted.name,
        wanted.sense,
        target,
        tolerance,
        is_share or wanted.percent,
        unit,
        read,
        farthest,
    )


def _member(wanted: Wanted, document: Mapping[str, Any]) -> Statistic:
    """A number in the JSON of a playtest, with the variance that its interval says.

    Raises:
        ParameterError: there is none.
    """
    places = [(found, around, key) for found, around, key in _follow(wanted.path, document)]
    numbers = [
        (float(found), _variance(around, key))
        for found, around, key in places
        if isinstance(found, int | float) and not isinstance(found, bool)
    ]
    most, least = wanted.name.startswith("max "), wanted.name.startswith("min ")
    if not numbers:
        raise ParameterError(
            f"{wanted.text!r}: the measure {wanted.path} has no value in these games; "
            "docs/playtest-json.md explains what it needs."
        )
    if len(numbers) > 1 and not (most or least):
        raise ParameterError(
            f"{wanted.text!r}: {wanted.path} has {counted(len(numbers), 'value')}: write max or "
            "min before it."
        )
    return Statistic(*(min(numbers) if least else max(numbers)))


def _follow(path: str, document: Any) -> Iterator[tuple[Any, Mapping[str, Any], str]]:
    """The value at a path, with the object that contains it, and its name there."""
    head, _, rest = path.partition(".")
    name, bracket, _ = head.partition("[")
    if not isinstance(document, Mapping) or name not in document:
        return
    found = document[name]
    if bracket:
        for item in found if isinstance(found, list) else ():
            yield from _follow(rest, item)
    elif rest:
        yield from _follow(rest, found)
    elif isinstance(found, Mapping) and "mean" in found:
        yield found["mean"], found, "mean"
    else:
        yield found, document, name


def _variance(around: Mapping[str, Any], key: str) -> float:
    """The variance of a value that has an interval beside it; 0 where it has none."""
    names = (f"{key}_interval", f"{key.rpartition('_')[0]}_interval")
    usual = "interval" if key in ("mean", "value", "share", "spread") else ""
    for name in (*names, usual):
        interval = around.get(name)
        if isinstance(interval, list) and len(interval) == 2:
            return float(((interval[1] - interval[0]) / (2 * Z)) ** 2)
    return 0.0
