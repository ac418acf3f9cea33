"""The number of distinct successor states of a decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from kibitz.core.statistics import Summary
from kibitz.studies.measures.base import Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import RunMetadata, Sample


class Successors(Measure):
    """Distinct successors of a decision's state: options with the same result count once."""

    needs = "successors"
    members: ClassVar[dict[str, str]] = {
        "successors_per_decision": "how many different states the options of a decision led to, "
        "the random stream aside, over all decisions of all games; all `null` unless they "
        "were recorded (`--record successors`)"
    }
    unit = "states"
    formula = "sum of the distinct successors / number of decisions"
    source = (
        "TAG's branching factor, which counts the state itself, too, and hardly ever finds two "
        "successors equal"
    )

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(2)  # of each game: successors, and decisions

    def add(self, sample: Sample) -> None:
        games = sample.finished[sample.finished["successors"] >= 0]
        self._games.add(games["successors"], games["decisions"])

    def finish(self) -> dict[str, Any]:
        successors, decisions = map(int, self._games.total)
        if decisions == 0:
            return {"successors_per_decision": Summary()}
        interval = self._games.ratio_interval()
        summary = Summary(decisions, successors / decisions, interval=interval)
        return {"successors_per_decision": summary}

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        if values["successors_per_decision"].count:
            yield Line("distinct successors a decision", values["successors_per_decision"])
