"""The space of a search: for each option or parameter the values to try.

A *point* is a tuple with one number for each axis: the index of its value. So all optimisers
search the same finite grid, whatever the values are.
"""

from __future__ import annotations

import bisect
import enum
import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import ParameterError, did_you_mean
from kibitz.core.parameters import GameParameters, Tunable, by_name

Point = tuple[int, ...]

MOST_VALUES = 9
"""Default of the maximum number of values of an axis."""

ALIKE = 0.02
"""Relative difference from the start below which a value is left out."""

MOST_STEPS = 200
"""Maximum number of values of an axis that can be requested."""

WIDE = 4.0
"""Minimum ratio of the ends of an interval of reals that is divided by equal factors."""

DIGITS = 3
"""Significant digits of a value within an interval of reals."""

MOST_TRIES = 1000
"""Maximum number of attempts to draw a feasible point."""

Feasible = Callable[[Point], bool]
"""Whether the values of a point can be combined."""


@dataclass(frozen=True)
class Axis:
    """An option or a parameter, and the values that are tried.

    Attributes:
        tunable: declaration of the option or parameter.
        values: distinct values, in order.
        start: index of the value that the search starts from.
    """

    tunable: Tunable
    values: tuple[Any, ...]
    start: int

    @property
    def name(self) -> str:
        """The name of the option or the parameter."""
        return self.tunable.name

    @property
    def is_ordered(self) -> bool:
        """Whether its values are numbers, so that some are nearer to each other than others."""
        return self.tunable.type in (int, float)

    @property
    def words(self) -> tuple[str, ...]:
        """The values, as a person would write them."""
        return tuple(self.tunable.show(value) for value in self.values)

    def steps(self, number: int) -> Iterator[int]:
        """The indices of the values one step away: neighbours of a number, else all others."""
        for other in range(len(self.values)):
            if other != number and (not self.is_ordered or abs(other - number) == 1):
                yield other

    def to_json(self) -> dict[str, Any]:
        """Name, values and start, in words."""
        return {"name": self.name, "values": list(self.words), "start": self.words[self.start]}


@dataclass(frozen=True)
class Space:
    """The grid that is searched.

    Attributes:
        axes: at least one axis, each with at least two values.
    """

    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        if not self.axes:
            raise ParameterError("There is nothing to tune: no option has two values to try.")

    @classmethod
    def of(
        cls,
        declared: Mapping[str, Tunable],
        start: Mapping[str, Any],
        narrowed: Mapping[str, str] | None = None,
    ) -> Space:
        """The space of declared options or parameters.

        Args:
            declared: declarations by name.
            start: the values that the search starts from, by name.
            narrowed: names of those that are searched, each with a text of its values: ``""`` (the
                usual ones), ``"0.3..2"``, ``"0.3..2/5"`` (five values) or ``"1,2,5"``. By default
                all that have usual values.

        Raises:
            ParameterError: a name or a value is wrong, or nothing is left to search.
        """
        axes = []
        for name in declared if narrowed is None else by_name("narrowed", narrowed):
            if name not in declared:
                raise ParameterError(did_you_mean(name, declared, "name to tune"))
            tunable = declared[name]
            if narrowed is None:
                values = usual_values(tunable)
                if not values:
                    continue
            else:
                values = _read(tunable, narrowed[name])
            axes.append(_axis(tunable, values, start[name]))
        return cls(tuple(axis for axis in axes if len(axis.values) > 1))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each axis."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def count(self) -> int:
        """The number of points."""
        return math.prod(self.sizes)

    @property
    def start(self) -> Point:
        """The point that the search starts from."""
        return tuple(axis.start for axis in self.axes)

    def values(self, point: Point) -> dict[str, Any]:
        """The values of a point, by name."""
        return {axis.name: axis.values[i] for axis, i in zip(self.axes, point, strict=True)}

    def words(self, point: Point) -> dict[str, str]:
        """The values of a point, as a person would write them."""
        return {axis.name: axis.words[i] for axis, i in zip(self.axes, point, strict=True)}

    def changed(self, point: Point) -> dict[str, str]:
        """The values that differ from the start, as a person would write them."""
        start = self.start
        words = self.words(point)
        return {
            axis.name: words[axis.name]
            for axis, mine, first in zip(self.axes, point, start, strict=True)
            if mine != first
        }

    def neighbours(self, point: Point) -> Iterator[Point]:
        """The points that are one step away along one axis."""
        for place, axis in enumerate(self.axes):
            for other in axis.steps(point[place]):
                yield (*point[:place], other, *point[place + 1 :])

    def draw(self, rng: random.Random, feasible: Feasible) -> Point:
        """A random feasible point, all being equally probable; the start if none is found."""
        for _ in range(MOST_TRIES):
            point = tuple(rng.randrange(size) for size in self.sizes)
            if feasible(point):
                return point
        return self.start

    def points(self) -> Iterator[Point]:
        """All points, in order."""
        return itertools.product(*(range(size) for size in self.sizes))

    def to_json(self) -> list[dict[str, Any]]:
        """The axes as JSON types."""
        return [axis.to_json() for axis in self.axes]


def usual_values(tunable: Tunable) -> tuple[Any, ...]:
    """The values of an option or a parameter that are tried by default."""
    if tunable.tune is not None:
        return tunable.tune
    if tunable.is_continuous:
        return _between(float(tunable.values[0]), float(tunable.values[-1]), MOST_VALUES)
    return _thinned(tuple(tunable.values), MOST_VALUES)


def read_space(words: Sequence[str]) -> dict[str, str] | None:
    """Reads arguments of ``--space`` for ``Space.of``: ``["c=0.3..2 rollout", "samples=0,5,10"]``.

    >>> read_space(["c=0.3..2 rollout", "samples=0,5"])
    {'c': '0.3..2', 'rollout': '', 'samples': '0,5'}

    Raises:
        ParameterError: a name is given twice.
    """
    texts: dict[str, str] = {}
    for word in itertools.chain.from_iterable(text.split() for text in words):
        name, _, values = word.partition("=")
        name = name.replace("-", "_")
        if name in texts:
            raise ParameterError(f"{name} is given twice in what is to be searched.")
        texts[name] = values.removesuffix("...")
    return texts or None


def tunable_names(parameters: type[GameParameters]) -> list[str]:
    """The names of the options or parameters that are searched by default."""
    return [
        name for name, tunable in parameters.tunables.items() if len(usual_values(tunable)) > 1
    ]


def _axis(tunable: Tunable, values: Sequence[Any], start: Any) -> Axis:
    """The axis of these values; the start is added where it is missing."""
    tried = list(dict.fromkeys(values))
    if isinstance(start, int | float) and not isinstance(start, bool | enum.IntEnum):
        near = ALIKE * abs(start)
        tried = [value for value in tried if value == start or abs(value - start) > near]
        tried.sort()
        if start not in tried:
            bisect.insort(tried, start)
    elif start not in tried:
        tried.insert(0, start)
    return Axis(tunable, tuple(tried), tried.index(start))


_RANGE = re.compile(r"(?P<low>[^./]*(?:\.\d[^./]*)?)\.\.(?P<high>[^/]*)(?:/(?P<steps>\d+))?")


def _read(tunable: Tunable, text: str) -> tuple[Any, ...]:
    """Reads the values in a text.

    Raises:
        ParameterError: a value is not allowed, or the text has another form.
    """
    if not text:
        values = usual_values(tunable)
        if not values:
            raise ParameterError(
                f"{tunable.name} has no values that are usually tried: say which, as in "
                f"{tunable.name}=1,2,5."
            )
        return values
    matched = _RANGE.fullmatch(text)
    if matched is None:
        return tuple(tunable.parse(word) for word in text.split(",") if word)
    low, high = tunable.parse(matched["low"]), tunable.parse(matched["high"])
    steps = None if matched["steps"] is None else int(matched["steps"])
    if not low < high or tunable.type not in (int, float):
        raise ParameterError(f"{tunable.name}={text}: a range goes from a number to a larger one.")
    if steps is not None and not 2 <= steps <= MOST_STEPS:
        raise ParameterError(f"{tunable.name}={text}: 2 to {MOST_STEPS} values can be tried.")
    if tunable.is_continuous:
        return tuple(map(tunable.parse, _between(low, high, steps or MOST_VALUES)))
    allowed = tuple(value for value in tunable.values if low <= value <= high)
    return _thinned(allowed, steps or MOST_VALUES)


def _between(low: float, high: float, count: int) -> tuple[float, ...]:
    """Up to `count` values from `low` to `high`: by equal factors if far apart, else evenly."""
    if low > 0 and high / low >= WIDE:
        inner = [low * (high / low) ** (i / (count - 1)) for i in range(1, count - 1)]
    else:
        inner = [low + (high - low) * i / (count - 1) for i in range(1, count - 1)]
    rounded = (float(f"{value:.{DIGITS}g}") for value in inner)
    inside = [value for value in rounded if low < value < high]
    return tuple(dict.fromkeys([low, *inside, high]))


def _thinned(values: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """At most `count` of the values, evenly spread, including the first and the last."""
    if len(values) <= count:
        return values
    last = len(values) - 1
    return tuple(values[round(i * last / (count - 1))] for i in range(count))
