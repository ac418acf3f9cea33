"""``Measure``: a quantity that a playtest measures, accumulated shard by shard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.core.statistics import Interval, Summary
from kibitz.studies.sample import Array, RunMetadata, Sample


class Measure(ABC):
    """A quantity that a playtest measures.

    A measure belongs to one run: ``add`` takes its games shard by shard, ``finish`` returns the
    values by name. The values become attributes of the ``Playtest`` and members of its JSON; the
    measure also defines their lines in the report and their entries in
    ``docs/playtest-json.md``.

    Attributes:
        needs: the rows that it needs besides games and seats, a name of
            ``kibitz.runs.experiment.RECORDS``; empty if none. A run without them is not measured.
        members: the documentation of each member of the JSON, by its path.
        unit: the unit of the values.
        formula: how the values are computed, in one line, where the name does not say it.
        source: the publication or the system that it comes from, if any.
    """

    needs: ClassVar[str] = ""
    members: ClassVar[dict[str, str]]
    unit: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    source: ClassVar[str] = ""

    def __init__(self, metadata: RunMetadata) -> None:
        self.metadata = metadata

    @abstractmethod
    def add(self, sample: Sample) -> None:
        """Adds the games of a shard; called only if the rows in ``needs`` were recorded."""

    @abstractmethod
    def finish(self) -> dict[str, Any]:
        """The values of all games together, by name."""

    @classmethod
    def to_json(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The members of the JSON, from the values of all measures."""
        return {name: as_json(values[name]) for name in cls.members if name in values}

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        """Numbers of each finished game, by which variants of a game are compared."""
        return iter(())

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        """Lines of the report's table of measures, from the values of all measures."""
        return iter(())


@dataclass(frozen=True)
class Column:
    """A number of each finished game; comparisons use its mean over games.

    Attributes:
        title: the name of the number in a comparison.
        values: one value for each finished game.
        weights: with weights, the sum of the values is divided by the sum of the weights instead
            of the number of games: for example options by decisions.
        is_share: whether it is a share, shown in per cent.
    """

    title: str
    values: Array
    weights: Array | None = None
    is_share: bool = False


@dataclass(frozen=True)
class Line:
    """A line of the report's table of measures: either a summary, or a share with its interval.

    Attributes:
        summary: a quantity per game or per decision.
        interval: the interval of the share.
    """

    title: str
    summary: Summary | None = None
    share: float | None = None
    interval: Interval | None = None


def as_json(value: Any) -> Any:
    """A value as JSON types: by its own ``to_json``, where it has one."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    return value


def rate(count: float, n: int) -> float | None:
    """The share ``count / n``; ``None`` if `n` is 0."""
    return count / n if n else None
