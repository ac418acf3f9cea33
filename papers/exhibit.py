"""Exhibits: numbers of a paper beside ours, and whether they agree."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from kibitz import Playtest
from kibitz.studies.commands import playtest_command

Interval = tuple[float, float]

Z = NormalDist().inv_cdf(0.975)
"""Half the width of a 95 % interval in standard errors."""

TOLERANCE = 3.0
"""Maximum difference of numbers that agree, in standard errors of the difference."""


class Unit(enum.Enum):
    """The unit of a number."""

    NUMBER = "number"
    SHARE = "share"
    GAIN = "gain"
    """Points above a fair share."""
    SECONDS = "seconds"


class Layout(enum.Enum):
    """The form in which an exhibit is drawn."""

    LINES = "lines"
    BARS = "bars"
    TABLE = "table"
    """There is only a table."""


@dataclass(frozen=True)
class Reference:
    """A number of another source, published or measured.

    Attributes:
        source: name of the source, such as "paper".
        error: standard error, from the number of games and the digits that were printed.
    """

    source: str
    value: float
    error: float

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {"source": self.source, "value": self.value, "error": self.error}


@dataclass(frozen=True)
class Figure:
    """One number of ours, with the references that it is compared with.

    Attributes:
        label: the row of the table, or the place on the horizontal axis.
        ours: our number.
        interval: 95 % interval; ``None`` where numbers are not compared, as for times.
        series: the line or group of bars to which it belongs; empty if there is only one.
        references: numbers of other sources, if any.
        reason: why it differs from them, where that is known.
        command: the command that plays its games again, or the first of them.
    """

    label: str
    ours: float
    interval: Interval | None
    series: str = ""
    references: tuple[Reference, ...] = ()
    reason: str = ""
    command: str = ""

    @classmethod
    def of(
        cls,
        played: Playtest,
        label: str,
        ours: float,
        interval: Interval | None,
        series: str = "",
        references: tuple[Reference, ...] = (),
        reason: str = "",
    ) -> Figure:
        """A figure measured in a playtest, with the command that plays its games again."""
        command = playtest_command(played)
        return cls(label, ours, interval, series, references, reason, command)

    def agrees(self, reference: Reference) -> bool | None:
        """Whether a reference differs by no more than chance; ``None`` if not comparable."""
        if self.interval is None:
            return None
        low, high = self.interval
        error = math.hypot((high - low) / (2 * Z), reference.error)
        return abs(self.ours - reference.value) <= TOLERANCE * error + 1e-12

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "label": self.label,
            "series": self.series,
            "ours": self.ours,
            "interval": None if self.interval is None else list(self.interval),
            "references": [
                {**reference.to_json(), "agrees": self.agrees(reference)}
                for reference in self.references
            ],
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Exhibit:
    """A reproduced table, figure or passage of a paper.

    Attributes:
        name: name in the paper, such as "Figure 4".
        about: how it was reproduced, in a sentence or two.
        figures: the numbers, in the paper's order.
        unit: unit of the numbers.
        x, y: titles of the axes.
        notes: notes on differences from the paper.
    """

    name: str
    title: str
    about: str
    figures: tuple[Figure, ...]
    unit: Unit
    x: str
    y: str
    layout: Layout = Layout.LINES
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name as part of an address or a file name."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def sources(self) -> list[str]:
        """The sources of all references, in order of appearance."""
        sources = (reference.source for figure in self.figures for reference in figure.references)
        return list(dict.fromkeys(sources))

    @property
    def commands(self) -> list[str]:
        """The commands that play the games of the figures again."""
        return list(dict.fromkeys(figure.command for figure in self.figures if figure.command))

    def comparisons(self) -> Iterator[bool]:
        """For each pair of a figure and a comparable reference, whether they agree."""
        for figure in self.figures:
            for reference in figure.references:
                agreed = figure.agrees(reference)
                if agreed is not None:
                    yield agreed

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "name": self.name,
            "title": self.title,
            "about": self.about,
            "unit": self.unit.value,
            "figures": [figure.to_json() for figure in self.figures],
            "notes": list(self.notes),
            "commands": self.commands,
        }


def of_share(source: str, value: float, games: int, digits: int = 4) -> Reference:
    """A reference to a share of games, printed with a number of decimal places."""
    return Reference(
        source, value, math.hypot(math.sqrt(value * (1 - value) / games), rounding(digits))
    )


def of_mean(source: str, value: float, sd: float | None, games: int, digits: int) -> Reference:
    """A reference to a mean over games; `sd` is the standard deviation in our games."""
    return Reference(source, value, math.hypot((sd or 0.0) / math.sqrt(games), rounding(digits)))


def rounding(digits: int) -> float:
    """The standard error of a number that is rounded to a number of decimal places."""
    return 10.0**-digits / math.sqrt(12)
