"""The number of options."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from kibitz.arena.match import TRACED
from kibitz.core.statistics import Summary
from kibitz.studies.measures.base import Column, Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import Array, RunMetadata, Sample
from kibitz.studies.values import OptionsAt


class _Options(Measure):
    """The number of options per decision, or per action, over all games together."""

    forced: ClassVar[bool]
    """Whether forced actions count, as actions with one option."""

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = Moments(2)  # of each game: options, and decisions
        self._options = self._squares = self._count = 0
        self._fewest: int | None = None
        self._most = 0

    def add(self, sample: Sample) -> None:
        games = sample.finished
        decisions = games["decisions"].astype(np.int64)
        forced = games["ticks"] - decisions if self.forced else np.zeros_like(decisions)
        self._games.add(games["options"] + forced, decisions + forced)
        self._count += int((decisions + forced).sum())
        self._options += int((games["options"] + forced).sum())
        self._squares += int((games["options_squared"] + forced).sum())
        with_decisions = games[games["decisions"] > 0]
        if len(with_decisions):
            self._include(
                int(with_decisions["fewest_options"].min()),
                int(with_decisions["most_options"].max()),
            )
        if forced.any():
            self._include(1, 1)

    def _include(self, fewest: int, most: int) -> None:
        self._fewest = fewest if self._fewest is None else min(self._fewest, fewest)
        self._most = max(self._most, most)

    def finish(self) -> dict[str, Any]:
        [name] = self.members
        n = self._count
        if n == 0:
            return {name: Summary()}
        mean = self._options / n
        sd = None
        if n > 1:
            sd = math.sqrt(max(0.0, self._squares - n * mean**2) / (n - 1))
        interval = self._games.ratio_interval()
        return {name: Summary(n, mean, sd, self._fewest, self._most, interval)}


class OptionsPerDecision(_Options):
    """The number of options per decision, forced actions left out."""

    members: ClassVar[dict[str, str]] = {
        "options_per_decision": "how many actions there were to choose from, over all decisions "
        "of all games; the interval takes games, not decisions, as the sample"
    }
    unit = "options"
    formula = "sum of the options / number of decisions"
    forced = False

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        games = sample.finished
        yield Column("options a decision", games["options"], games["decisions"])

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        if values["options_per_decision"].max:
            yield Line("options a decision", values["options_per_decision"])


class OptionsPerAction(_Options):
    """The number of options per action, forced actions included."""

    members: ClassVar[dict[str, str]] = {
        "options_per_action": "the same over all actions, forced ones included: these have one "
        "option"
    }
    unit = "options"
    formula = "(sum of the options + forced actions) / number of actions"
    source = 'CardStock counts like this: "branching factor"'
    forced = True

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        every = values["options_per_action"]
        if every.max and every.mean != values["options_per_decision"].mean:
            yield Line("options an action (forced ones too)", every)


class OptionsByAction(Measure):
    """The mean number of options at the first, second, ... action of a game."""

    members: ClassVar[dict[str, str]] = {
        "options_at": "a list with an object for the first action of a game, the second, and so "
        f"on, up to {TRACED}: how many options there were",
        "options_at[].action": "which action, from 1",
        "options_at[].games": "the finished games that were so long",
        "options_at[].mean": "the mean number of options, forced actions included",
        "options_at[].sd": "its standard deviation over the games",
    }
    unit = "options"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._sums = np.zeros((2, TRACED), np.int64)
        self._longer = np.zeros(TRACED, np.int64)  # games with a first action, a second, ...

    def add(self, sample: Sample) -> None:
        branching: Array = sample.rows.branching
        self._sums[:, : branching.shape[1]] += branching
        lengths = np.minimum(sample.finished["ticks"], TRACED)
        ended = np.bincount(lengths, minlength=TRACED + 1)
        self._longer += len(lengths) - np.cumsum(ended)[:TRACED]

    def finish(self) -> dict[str, Any]:
        return {"options_at": tuple(self._each())}

    def _each(self) -> Iterator[OptionsAt]:
        columns = zip(*self._sums.tolist(), self._longer.tolist(), strict=True)
        for action, (options, squares, games) in enumerate(columns):
            if games == 0:
                return
            mean = options / games
            sd = None
            if games > 1:
                sd = math.sqrt(max(0.0, squares - games * mean**2) / (games - 1))
            yield OptionsAt(action + 1, games, mean, sd)
