"""How much of the outcome is decided by players who cannot win, in judged games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from kibitz.studies.measures.base import Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import RunMetadata, Sample

HOPELESS = 0.02
"""A player with a smaller chance to win, before and after a choice, counts as unable to win."""


class Kingmaking(Measure):
    """The share of the outcome that players without a chance to win decide.

    During a game the win chances move from the fair share to the outcome. The expected squares of
    their changes add up to the variance of the outcome, which is 1 - 1/n over all n seats. The
    measure is the part of it that belongs to the choices of hopeless players. The square of a
    change is estimated by the product of the changes in the judge's two halves: their errors are
    independent, so they add no bias.
    """

    members: ClassVar[dict[str, str]] = {
        "kingmaking": "the share of the outcome's variance that is decided by the choices of "
        f"players whose own chance is below {HOPELESS:.0%}; `null` for fewer than three sides, "
        "and where no games were judged",
        "kingmaking_interval": "its interval",
        "kingmaker_decisions": "the decisions of such players in a game, on average",
    }
    unit = "share of the outcome"
    formula = "Σ over their decisions of Σ over the others of Δ₁Δ₂ / (games · (1 - 1/n))"
    source = "AIVAT's decomposition, Burch et al., 2018, for the choices of one kind of player"
    needs = "judgements"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(3)  # per game: squared changes, the outcome's variance, decisions

    def add(self, sample: Sample) -> None:
        judged, fair = sample.judged, self.metadata.fair_share
        if judged is None or len(self.metadata.table.sides) < 3:
            return
        steps = judged.steps
        seat = np.maximum(steps["seat"], 0)
        at = np.arange(len(steps))
        hopeless = (steps["seat"] >= 0) & (steps["options"] > 1)
        hopeless &= judged.before[at, seat] < HOPELESS
        hopeless &= judged.after[at, seat] < HOPELESS
        change = steps["seats"]["after"] - steps["seats"]["before"]
        moved = np.where(hopeless, change.prod(axis=2).sum(axis=1), 0.0)
        self._games.add(
            np.bincount(judged.game, moved, judged.games),
            np.full(judged.games, self.metadata.players * fair * (1 - fair)),
            np.bincount(judged.game, hopeless, judged.games),
        )

    def finish(self) -> dict[str, Any]:
        games = self._games
        if not games.count:
            return dict.fromkeys(self.members)
        moved, all_of_it, decisions = (float(total) for total in games.total)
        return {
            "kingmaking": moved / all_of_it,
            "kingmaking_interval": games.ratio_interval(0, 1),
            "kingmaker_decisions": decisions / games.count,
        }

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        if values["kingmaking"] is not None:
            yield Line(
                "decided by who cannot win",
                None,
                values["kingmaking"],
                values["kingmaking_interval"],
            )
