"""How much choices matter, in judged games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from kibitz.studies.measures.base import Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import RunMetadata, Sample
from kibitz.studies.values import pair

PARTS = 10
"""Number of equal parts of a game for the gain by progress."""


class Choosing(Measure):
    """The gain of the best and of the chosen option over the mean option of a decision."""

    needs = "judgements"
    members: ClassVar[dict[str, str]] = {
        "choice_gain": "what the best option of a decision gains over the mean option, in shares "
        "of a win, as the mover sees it: the option that looks best in one half of the judge's "
        "rollouts, valued by the other half; on average over decisions; `null` where no games "
        "were judged, as all that follows",
        "choice_gain_interval": "its interval",
        "chosen_gain": "what the chosen option gains over the mean option",
        "chosen_gain_interval": "its interval",
        "choice_gain_per_game": "the sum of the gains of the best options over a player's "
        "decisions in a game, on average",
        "choice_gain_by_progress": "the mean gain of the best option in each tenth of the game; "
        "`null` where nobody decides",
    }
    unit = "shares of a win"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(3)  # per game: gains of the best, of the chosen, decisions
        self._parts = np.zeros((2, PARTS))

    def add(self, sample: Sample) -> None:
        judged = sample.judged
        if judged is None:
            return
        decisions, best, chosen = judged.gains()
        game, games = judged.game[decisions], judged.games
        self._games.add(*(np.bincount(game, of, games) for of in (best, chosen, None)))
        tenth = np.minimum((judged.progress[decisions] * PARTS).astype(np.int64), PARTS - 1)
        for row, of in enumerate((best, None)):
            self._parts[row] += np.bincount(tenth, of, PARTS)

    def finish(self) -> dict[str, Any]:
        moments = self._games
        best, chosen, decisions = (float(total) for total in moments.total)
        if not decisions:
            empty: tuple[float, ...] = ()
            return dict.fromkeys(self.members) | {"choice_gain_by_progress": empty}
        gains, counts = self._parts
        return {
            "choice_gain": best / decisions,
            "choice_gain_interval": moments.ratio_interval(0, 2),
            "chosen_gain": chosen / decisions,
            "chosen_gain_interval": moments.ratio_interval(1, 2),
            "choice_gain_per_game": best / moments.count / self.metadata.players,
            "choice_gain_by_progress": tuple(
                float(gain / count) if count else None
                for gain, count in zip(gains, counts, strict=True)
            ),
        }

    @classmethod
    def to_json(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        document = super().to_json(values)
        for name in ("choice_gain_interval", "chosen_gain_interval"):
            document[name] = pair(values[name])
        return document

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        gain = values["choice_gain"]
        if gain is not None:
            yield Line("best option over the mean", None, gain, values["choice_gain_interval"])
