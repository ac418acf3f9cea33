"""The length of games in decisions, actions, turns and rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from kibitz.studies.measures.base import Column, Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import RunMetadata, Sample


class _PerGame(Measure):
    """A count that is stored for each finished game.

    Attributes:
        column: the field of the game's row that holds the count.
        title: the name in the report.
    """

    column: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(1)

    def add(self, sample: Sample) -> None:
        self._games.add(sample.finished[self.column])

    def finish(self) -> dict[str, Any]:
        [name] = self.members
        return {name: self._games.summary(whole=True)}

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        yield Column(cls.title, sample.finished[cls.column])

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        [name] = cls.members
        if values[name].max:  # a game need not count turns or rounds
            yield Line(cls.title, values[name])


class Decisions(_PerGame):
    """The number of decisions per game: actions for which there was more than one option."""

    members: ClassVar[dict[str, str]] = {
        "decisions_per_game": "how often a player had a choice; forced moves do not count"
    }
    unit = "decisions"
    column = "decisions"
    title = "decisions a game"


class Actions(_PerGame):
    """The number of actions per game, forced ones included."""

    members: ClassVar[dict[str, str]] = {"ticks_per_game": "actions played, forced ones included"}
    unit = "actions"
    column = "ticks"
    title = "actions a game (forced ones too)"


class Turns(_PerGame):
    """The number of completed turns per game, for games that count them."""

    members: ClassVar[dict[str, str]] = {
        "turns_per_game": "turns that the game counted as completed; 0 where it counts none"
    }
    unit = "turns"
    column = "turns"
    title = "turns a game"


class Rounds(_PerGame):
    """The number of completed rounds per game, for games that count them."""

    members: ClassVar[dict[str, str]] = {"rounds_per_game": "rounds, likewise"}
    unit = "rounds"
    column = "rounds"
    title = "rounds a game"
