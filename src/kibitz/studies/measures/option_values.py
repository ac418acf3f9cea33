"""What options are worth to those who can choose them, in judged games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.statistics import Interval
from kibitz.studies.measures.base import Measure
from kibitz.studies.measures.groups import Groups
from kibitz.studies.moments import ratio_half, residuals_of
from kibitz.studies.sample import Array, RunMetadata, Sample
from kibitz.studies.values import pair

FEWEST_GAMES = 12
"""Minimum number of judged games in which an option was offered, for its worth to be known."""


@dataclass(frozen=True)
class OptionValue:
    """What a group of options is worth to a player who can also choose something else.

    Attributes:
        pattern: the wording of the group, in which ``*`` stands for any letters.
        decisions: number of judged decisions at which it and another option could be chosen.
        gain: the judge's value of these options less that of the others at the same decision, in
            shares of a win, on average over decisions.
    """

    pattern: str
    decisions: int
    gain: float
    interval: Interval

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "pattern": self.pattern,
            "decisions": self.decisions,
            "gain": self.gain,
            "interval": pair(self.interval),
        }


class OptionValues(Measure):
    """The judge's values of options, compared with those of the others at the same decision.

    All options of a decision are valued, the one that was chosen and those that were not. So who
    chose, when, and with which prospects makes no difference: what is compared is what one player
    would have gained at one moment. Games are the sample of the intervals.
    """

    needs = "judgements"
    members: ClassVar[dict[str, str]] = {
        "option_values": "what the judge thinks of groups of options at decisions where something "
        "else can be chosen, too; empty where no games were judged",
        "option_values[].pattern": "the group: words in which `*` stands for any letters",
        "option_values[].decisions": "the judged decisions at which it was offered",
        "option_values[].gain": "its value less that of the other options at the same decision, "
        "in shares of a win, on average over decisions",
        "option_values[].interval": "its interval",
    }
    unit = "shares of a win"
    formula = "mean over decisions of (mean value of the group - mean value of the others)"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._groups = Groups(metadata.table)
        self._sums = np.zeros((6, 0))  # games, decisions, gain, their squares and product

    def add(self, sample: Sample) -> None:
        judged = sample.judged
        if judged is None or not len(judged.options):
            return
        step, place = judged.option_steps
        values = judged.options["seen"].mean(axis=1)
        known = ~np.isnan(values) & (place < judged.steps["drawn"][step])
        known &= judged.steps["options"][step] > 1
        if not known.any():
            return
        step, values, codes = step[known], values[known], judged.options["code"][known]
        distinct, position = np.unique(codes, return_inverse=True)
        groups = self._groups.of(distinct)[position]
        wide = len(self._groups.patterns)
        total = np.bincount(step, values, len(judged.steps))
        count = np.bincount(step, minlength=len(judged.steps))
        slots = [(slot >= 0, slot) for slot in groups.T]
        keys = np.concatenate([step[of] * np.int64(wide) + slot[of] for of, slot in slots])
        worth = np.concatenate([values[of] for of, _ in slots])
        pairs, where, inside = np.unique(keys, return_inverse=True, return_counts=True)
        own = np.bincount(where, worth, len(pairs))
        at, group = np.divmod(pairs, wide)
        outside = count[at] - inside
        real = outside > 0
        gain = own[real] / inside[real] - (total[at] - own)[real] / outside[real]
        self._add_games(judged.game[at[real]] * np.int64(wide) + group[real], gain, wide)

    def _add_games(self, keys: Array, gain: Array, wide: int) -> None:
        """Adds gains, by the game and the group of each as game * wide + group."""
        clusters, place = np.unique(keys, return_inverse=True)
        n, g = (np.bincount(place, of, len(clusters)) for of in (np.ones(len(gain)), gain))
        self._sums = np.pad(self._sums, ((0, 0), (0, wide - self._sums.shape[1])))
        for row, values in enumerate((n > 0, n, g, n * n, g * g, n * g)):
            self._sums[row] += np.bincount(clusters % wide, values, wide)

    def finish(self) -> dict[str, Any]:
        values: list[OptionValue] = []
        for pattern, sums in zip(self._groups.patterns, self._sums.T.tolist(), strict=False):
            games, decisions, total, of_decisions, of_gains, crossed = sums
            if games < FEWEST_GAMES:
                continue
            gain = total / decisions
            residual = residuals_of(gain, of_gains, crossed, of_decisions)
            half = ratio_half(residual, decisions, int(games)) or 1.0
            interval = max(-1.0, gain - half), min(1.0, gain + half)
            values.append(OptionValue(pattern, int(decisions), gain, interval))
        values.sort(key=lambda value: (-value.decisions, value.pattern))
        return {"option_values": tuple(values)}
