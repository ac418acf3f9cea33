"""Waiting times of players between their actions, and elimination."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from kibitz.studies.measures.base import Line, Measure, rate
from kibitz.studies.moments import Moments
from kibitz.studies.sample import Array, RunMetadata, Sample


class Waiting(Measure):
    """The number of others' actions between two actions of a player, and elimination."""

    needs = "decisions"
    members: ClassVar[dict[str, str]] = {
        "waiting": "how many actions of others there are between two actions of a player, the "
        "mean of a game; an object with `mean`, `sd`, `min`, `max`, `interval`, as the next one; "
        "all `null` unless decisions were recorded",
        "longest_wait": "the longest of a game, that before a player's first action included",
        "eliminated": "the share of the players who are out before the last action",
        "eliminated_interval": "its interval",
        "out_for": "the share of a game's actions during which the average player is out",
        "out_for_interval": "its interval",
    }
    unit = "actions"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._waits = Moments(1)
        self._longest = Moments(1)
        self._out = Moments(2)  # of each game: players out at its end, and all players
        self._idle = Moments(2)  # of each game: actions while a player is out, and all

    def add(self, sample: Sample) -> None:
        players = self.metadata.players
        if players < 2:
            return
        traces = sample.traces
        steps = traces.steps
        if not len(steps):
            return
        waits, game = _waits(steps["game"], steps["tick"], steps["seat"])
        counts = np.bincount(game, minlength=traces.games)
        total = np.bincount(game, waits, traces.games)
        self._waits.add(total[counts > 0] / counts[counts > 0])
        longest = np.zeros(traces.games, np.int64)
        np.maximum.at(longest, game, waits)
        self._longest.add(longest)
        out = (steps["out"][:, None] >> np.arange(players) & 1).sum(axis=1)
        everybody = np.full(traces.games, players)
        self._out.add(out[traces.starts[1:] - 1], everybody)
        actions = np.diff(traces.starts)
        self._idle.add(np.bincount(steps["game"], out, traces.games), actions * players)

    def finish(self) -> dict[str, Any]:
        return {
            "waiting": self._waits.summary(),
            "longest_wait": self._longest.summary(whole=True),
            "eliminated": rate(float(self._out.total[0]), int(self._out.total[1])),
            "eliminated_interval": self._out.clustered_interval(),
            "out_for": rate(float(self._idle.total[0]), int(self._idle.total[1])),
            "out_for_interval": self._idle.ratio_interval(),
        }

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        if values["waiting"].max:
            yield Line("actions of others between one's own", values["waiting"])
        if values["eliminated"]:
            yield Line(
                "players out before the end",
                None,
                values["eliminated"],
                values["eliminated_interval"],
            )


def _waits(game: Array, tick: Array, seat: Array) -> tuple[Array, Array]:
    """The number of others' actions before each action of a player, and the game of that action.

    For a player's first action the count starts at the beginning of the game. Consecutive actions
    of a player count as one.
    """
    order = np.lexsort((tick, seat, game))
    game, tick, seat = game[order], tick[order], seat[order]
    same = (game[1:] == game[:-1]) & (seat[1:] == seat[:-1])
    before = np.concatenate([[-1], np.where(same, tick[:-1], -1)])
    waits = tick - before - 1
    first = np.concatenate([[True], ~same])
    waited = (waits > 0) | first
    return waits[waited], game[waited]
