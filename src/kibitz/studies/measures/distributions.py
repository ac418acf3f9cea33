"""Distributions of game lengths and final scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from kibitz.studies.histogram import MOST_BINS, Histogram
from kibitz.studies.measures.base import Measure, as_json
from kibitz.studies.sample import RunMetadata, Sample

LOW = "where the bin begins"
"""Documentation of the lower bound of a bin."""

HIGH = "where it ends; a value that is equal to it belongs to the next bin"
"""Documentation of the upper bound of a bin."""


class DecisionsHistogram(Measure):
    """The distribution of the number of decisions per game."""

    members: ClassVar[dict[str, str]] = {
        "decisions_histogram": "how many games have so many decisions: a list of the bins of a "
        f"histogram that hold anything, at most {MOST_BINS}",
        "decisions_histogram[].low": LOW,
        "decisions_histogram[].high": HIGH,
        "decisions_histogram[].count": "the finished games in it",
    }
    unit = "decisions"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Histogram()

    def add(self, sample: Sample) -> None:
        self._games.add(sample.finished["decisions"])

    def finish(self) -> dict[str, Any]:
        return {"decisions_histogram": self._games.bins()}


class ScoresHistogram(Measure):
    """The distributions of the final scores of seats in first place and of all others."""

    members: ClassVar[dict[str, str]] = {
        "scores_histogram": "an object with two such histograms of final scores",
        "scores_histogram.first": "of those in the first place",
        "scores_histogram.first[].low": LOW,
        "scores_histogram.first[].high": HIGH,
        "scores_histogram.first[].count": "the seats in it, over all finished games",
        "scores_histogram.others": "of all others",
        "scores_histogram.others[].low": LOW,
        "scores_histogram.others[].high": HIGH,
        "scores_histogram.others[].count": "likewise",
    }
    unit = "points"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._scores = {"first": Histogram(), "others": Histogram()}

    def add(self, sample: Sample) -> None:
        scores = sample.finished["seats"]["score"].reshape(sample.places.shape)
        self._scores["first"].add(scores[sample.first])
        self._scores["others"].add(scores[~sample.first])

    def finish(self) -> dict[str, Any]:
        return {
            "scores_histogram": {who: histogram.bins() for who, histogram in self._scores.items()}
        }

    @classmethod
    def to_json(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        histograms = values["scores_histogram"]
        return {"scores_histogram": {who: as_json(bins) for who, bins in histograms.items()}}
