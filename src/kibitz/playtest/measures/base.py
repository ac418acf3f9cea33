"""``Measure``: a quantity that a playtest measures, accumulated shard by shard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.playtest.sample import Array, RunMetadata, Sample
from kibitz.playtest.statistics import Interval, Summary


class Measure(ABC):
    """A quantity that a playtest measures.

    It is made for a run, is given the games shard by shard, and finishes with values by
    name. The values become attributes of the ``Playtest`` and members of its JSON; the measure
    also gives their lines in the report and their places in ``docs/playtest-json.md``.

    Attributes:
        needs: what must be recorded besides games and seats, a name of
            ``kibitz.runs.experiment.RECORDS``; without it nothing is measured. Empty: nothing.
        members: what the documentation says of each member of the JSON, by its path.
        unit: what the values count.
        formula: how they are worked out, in a line, where the name does not tell.
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
        """Adds the games of a shard, if what the measure ``needs`` was recorded."""

    @abstractmethod
    def finish(self) -> dict[str, Any]:
        """The values of all games together, by name."""

    @classmethod
    def to_json(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The members of the JSON, from the values of all measures."""
        return {name: as_json(values[name]) for name in cls.members if name in values}

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        """Numbers that each finished game has, by which variants of a game are compared."""
        return iter(())

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        """Lines of the report's table of measures, from the values of all measures."""
        return iter(())


@dataclass(frozen=True)
class Column:
    """A number that each finished game has: the mean over games is what is compared.

    Attributes:
        title: what it says of a game.
        values: one for each finished game; or, with
        weights: the sum of the values is divided by that of these, as options by decisions.
        is_share: whether it is a share, to be told in per cent.
    """

    title: str
    values: Array
    weights: Array | None = None
    is_share: bool = False


@dataclass(frozen=True)
class Line:
    """A line of the report's table of measures.

    Attributes:
        title: what was measured.
        summary: a number a game or a decision; or
        share: a share of something,
        interval: with its interval.
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
