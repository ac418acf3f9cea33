"""The number of actions per turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from kibitz.core.statistics import Summary
from kibitz.studies.measures.base import Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import RunMetadata, Sample


class ActionsPerTurn(Measure):
    """The mean number of actions per turn of each game that counts turns."""

    members: ClassVar[dict[str, str]] = {
        "actions_per_turn": "actions of a game / turns of it, over the games that count turns"
    }
    unit = "actions"
    formula = "mean over games of actions / turns"
    source = (
        "TAG's actions per turn (APT), which divides whole numbers and so rounds every game down"
    )

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(1)

    def add(self, sample: Sample) -> None:
        games = sample.finished[sample.finished["turns"] > 0]
        self._games.add(games["ticks"] / games["turns"])

    def finish(self) -> dict[str, Any]:
        return {"actions_per_turn": self._games.summary()}

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        summary: Summary = values["actions_per_turn"]
        if summary.max and (summary.min, summary.max) != (1, 1):
            yield Line("actions a turn", summary)
