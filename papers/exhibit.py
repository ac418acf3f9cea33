"""Numbers of a paper beside ours, and whether they agree."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from kibitz import Playtest
from kibitz.playtest.commands import playtest_command

Interval = tuple[float, float]

Z = NormalDist().inv_cdf(0.975)
"""Standard errors from the middle of a 95 % interval to its ends."""
TOLERANCE = 3.0
"""Numbers agree that lie within so many standard errors of their difference."""


class Unit(enum.Enum):
    """What a number counts."""

    NUMBER = "number"
    SHARE = "share"
    GAIN = "gain"
    """Points above a fair share."""
    SECONDS = "seconds"


class Layout(enum.Enum):
    """How an exhibit is drawn."""

    LINES = "lines"
    BARS = "bars"
    TABLE = "table"
    """It is not drawn: the table says it all."""


@dataclass(frozen=True)
class Reference:
    """A number that somebody else has published or measured.

    Attributes:
        source: who, such as "paper".
        value: the number.
        error: its standard error, from the number of games and the digits that were printed.
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
        label: what it is of: a row of the table, a place on the horizontal axis.
        ours: the number.
        interval: its 95 % interval; ``None`` where it is not compared, as for times.
        series: the line or group of bars that it belongs to; empty if there is one only.
        references: what it is compared with; may be none.
        reason: why it is not the same, where that is known.
        command: plays its games again, or the first of them.
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
        """Whether a reference is the same number but for chance; ``None``: not comparable."""
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
    """A table, a figure or a passage of a paper, made again.

    Attributes:
        name: as the paper calls it, such as "Figure 4".
        title: what it shows.
        about: how it was made again, in a sentence or two.
        figures: the numbers, in the paper's order.
        unit: of the numbers.
        x, y: the titles of the axes.
        layout: how it is drawn.
        notes: what there is to know about differences.
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
        """Its name as part of an address, or of a file's name."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def sources(self) -> list[str]:
        """The sources of all references, in the order in which they come."""
        found = (reference.source for one in self.figures for reference in one.references)
        return list(dict.fromkeys(found))

    @property
    def commands(self) -> list[str]:
        """What plays the games of the figures again."""
        return list(dict.fromkeys(figure.command for figure in self.figures if figure.command))

    def comparisons(self) -> Iterator[bool]:
        """Whether they agree, for all pairs of a figure and a comparable reference."""
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
    """A share of so many games, printed with so many digits behind the point."""
    return Reference(
        source, value, math.hypot(math.sqrt(value * (1 - value) / games), rounding(digits))
    )


def of_mean(source: str, value: float, sd: float | None, games: int, digits: int) -> Reference:
    """A mean over so many games; `sd` is that of a game, taken from ours."""
    return Reference(source, value, math.hypot((sd or 0.0) / math.sqrt(games), rounding(digits)))


def rounding(digits: int) -> float:
    """The standard error of a number that is rounded to so many digits behind the point."""
    return 10.0**-digits / math.sqrt(12)
