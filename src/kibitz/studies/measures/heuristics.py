"""The heuristic value of the game for the deciding player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from kibitz.core.statistics import Summary
from kibitz.studies.measures.base import Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import RunMetadata, Sample

MOST_DISTINCT = 10_000
"""Maximum of the count of distinct heuristic values."""


class Heuristics(Measure):
    """The distribution of the deciding player's heuristic value over all decisions."""

    members: ClassVar[dict[str, str]] = {
        "heuristic": "how well whoever decides stands by the game's heuristic, -1 to 1, over all "
        "decisions; an object with `mean`, `sd`, `min`, `max`, `interval` (whose sample is "
        "games); all `null` unless decisions were recorded",
        "heuristic_values": f"how many distinct values it had, up to {MOST_DISTINCT}: few of them "
        "tell a search little",
    }
    unit = "-1 to 1"
    source = "TAG's reward sparsity, which also looks one action ahead and counts no values"
    needs = "decisions"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(2)  # of each game: the sum of the values, and decisions
        self._all = Moments(1)
        self._distinct: set[float] = set()

    def add(self, sample: Sample) -> None:
        traces = sample.traces
        at = np.flatnonzero(traces.is_choice)
        values = traces.heuristics[at, traces.steps["seat"][at]]
        game = traces.steps["game"][at]
        self._games.add(
            np.bincount(game, values, traces.games), np.bincount(game, minlength=traces.games)
        )
        self._all.add(values)
        self._distinct.update(np.unique(values).tolist()[:MOST_DISTINCT])

    def finish(self) -> dict[str, Any]:
        if not self._all.count:
            return {"heuristic": Summary(), "heuristic_values": None}
        summary = self._all.summary()
        interval = self._games.ratio_interval()
        return {
            "heuristic": Summary(
                summary.count, summary.mean, summary.sd, summary.min, summary.max, interval
            ),
            "heuristic_values": min(len(self._distinct), MOST_DISTINCT),
        }

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        if values["heuristic"].sd:
            yield Line("heuristic of who decides", values["heuristic"])
