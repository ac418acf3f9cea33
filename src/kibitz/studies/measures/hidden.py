"""How much is hidden from the deciding player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from kibitz.studies.measures.base import Column, Line, Measure, rate
from kibitz.studies.moments import Moments
from kibitz.studies.sample import RunMetadata, Sample


class Hidden(Measure):
    """The share of pieces that the deciding player does not see."""

    members: ClassVar[dict[str, str]] = {
        "hidden_share": "the share of all pieces that the player to decide does not see, on "
        "average over all decisions; `null` when the game can hide nothing",
        "hidden_interval": "its interval",
    }
    unit = "share of pieces"
    formula = "sum over decisions of unseen / all pieces, / number of decisions"
    source = "TAG's hidden information (there under the name of visibility)"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(2)  # of each game: hidden shares added up, and decisions

    def add(self, sample: Sample) -> None:
        self._games.add(sample.finished["hidden"], sample.finished["decisions"])

    def finish(self) -> dict[str, Any]:
        hidden, decisions = self._games.total
        known = self.metadata.hides
        return {
            "hidden_share": rate(float(hidden), int(decisions)) if known else None,
            "hidden_interval": self._games.ratio_interval() if known else None,
        }

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        games = sample.finished
        yield Column("hidden from who decides", games["hidden"], games["decisions"], is_share=True)

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        if (share := values["hidden_share"]) is not None:
            yield Line("hidden from who decides", None, share, values["hidden_interval"])
