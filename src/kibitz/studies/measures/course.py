"""The course of games: leads, when games are decided, and comebacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from kibitz.core.statistics import Summary, wilson_interval
from kibitz.studies.curves import BY_HEURISTIC, BY_SCORE, Curves, curves_of
from kibitz.studies.measures.base import Line, Measure, rate
from kibitz.studies.moments import Moments
from kibitz.studies.sample import Array, RunMetadata, Sample

LEAST_TOLD = 0.5
"""Minimum share of games with a leader before the end for a kind of curve to be used."""


class _CurveSums:
    """The sums over all curves by score, or by heuristic."""

    def __init__(self) -> None:
        self.games = self.telling = 0
        self.decided = Moments(1)
        self.changes = Moments(1)
        self.growth = Moments(2)
        self.led_at_half = self.leaders_won = 0
        self.won = self.came_back = 0

    def add(self, curves: Curves) -> None:
        self.games += len(curves.lengths)
        self.telling += int(curves.tells.sum())
        leads = curves.tells
        self.decided.add(decided_at(curves)[leads & (curves.winners >= 0)])
        self.changes.add(lead_changes(curves)[leads])
        self.growth.add(*(sums[leads] for sums in growth(curves)))
        leader, winner = curves.leaders[curves.middles], curves.winners
        led = leads & (leader >= 0) & (winner >= 0)
        self.led_at_half += int(led.sum())
        self.leaders_won += int((led & (leader == winner)).sum())
        self.won += int((leads & (winner >= 0)).sum())
        self.came_back += int((leads & (winner >= 0) & was_last(curves)).sum())


class Course(Measure):
    """Leads, by score or, where nobody scores before the end, by the game's heuristic."""

    needs = "decisions"
    members: ClassVar[dict[str, str]] = {
        "course_by": "by what it is told who leads: `score`; `heuristic`, in games without a "
        f"score before the end; `null` where nobody leads in {LEAST_TOLD:.0%} of the games, and "
        "where no decisions were recorded: then all that follows is `null`, too",
        "decided_at": "the share of a game's actions after which the winner has the lead for "
        "good; an object with `mean`, `sd`, `min`, `max`, `interval`, as the next one",
        "lead_changes": "how often the lead passes to somebody else in a game",
        "leader_at_half_wins": "of the games with a leader when half of the actions are played, "
        "and with one winner, the share that the leader wins",
        "leader_at_half_interval": "its interval",
        "comebacks": "of the games with one winner the share in which the winner was alone in the "
        "last place at some time after the first quarter of it",
        "comebacks_interval": "its interval",
        "lead_growth": "how the leads at half-time grow in the second half: 0: they stay, as if "
        "the second half were another game; 1: they double; -1: they vanish",
        "lead_growth_interval": "its interval",
    }
    unit = "shares of the game; changes a game"
    formula = (
        "lead growth: Σ d (e - d) / Σ d², of each seat's distance from the mean at half-time (d) "
        "and at the end (e)"
    )
    source = "lead changes and decisiveness after Browne and Maire, Evolutionary Game Design, 2010"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._by = {BY_SCORE: _CurveSums(), BY_HEURISTIC: _CurveSums()}

    def add(self, sample: Sample) -> None:
        for curves in curves_of(sample):
            self._by[curves.by].add(curves)

    def finish(self) -> dict[str, Any]:
        for by, sums in self._by.items():
            if sums.games and sums.telling >= LEAST_TOLD * sums.games:
                return _values(by, sums)
        return _values(None, _CurveSums())

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        by = values["course_by"]
        if by is None:
            return
        changes: Summary = values["lead_changes"]
        yield Line(f"lead changes a game (by {by})", changes)
        yield Line(
            "leader at half-time wins",
            None,
            values["leader_at_half_wins"],
            values["leader_at_half_interval"],
        )


def _values(by: str | None, sums: _CurveSums) -> dict[str, Any]:
    """The values of the measure, by name."""
    moved, distance = sums.growth.total

    def interval(successes: int, n: int) -> tuple[float, float] | None:
        return wilson_interval(successes, n) if n else None

    return {
        "course_by": by,
        "decided_at": sums.decided.summary(),
        "lead_changes": sums.changes.summary(whole=True),
        "leader_at_half_wins": rate(sums.leaders_won, sums.led_at_half),
        "leader_at_half_interval": interval(sums.leaders_won, sums.led_at_half),
        "comebacks": rate(sums.came_back, sums.won),
        "comebacks_interval": interval(sums.came_back, sums.won),
        "lead_growth": float(moved / distance) if distance else None,
        "lead_growth_interval": sums.growth.ratio_interval() if distance else None,
    }


def decided_at(curves: Curves) -> Array:
    """The share of each game's actions after which its winner stays in the lead.

    It is 0 if the winner leads from the beginning, and means nothing without a single winner.
    """
    behind = curves.leaders != curves.winners[curves.game]
    behind[curves.ends] = False
    moment = np.arange(len(behind)) - curves.starts[:-1][curves.game]
    last = np.full(len(curves.lengths), -1)
    np.maximum.at(last, curves.game[behind], moment[behind])
    return (last + 1) / np.maximum(curves.lengths, 1)


def lead_changes(curves: Curves) -> Array:
    """How often the lead passes to another seat in each game; a shared lead is no change."""
    moments = np.flatnonzero(curves.leaders >= 0)
    leader, game = curves.leaders[moments], curves.game[moments]
    passes = (leader[1:] != leader[:-1]) & (game[1:] == game[:-1])
    return np.bincount(game[1:][passes], minlength=len(curves.lengths))


def growth(curves: Curves) -> tuple[Array, Array]:
    """Σ d (e - d) and Σ d² of each game, over its seats.

    d and e are a seat's distance from the mean of the seats at half-time and at the end.
    """
    middle, end = curves.values[curves.middles], curves.values[curves.ends]
    d = middle - middle.mean(axis=1, keepdims=True)
    e = end - end.mean(axis=1, keepdims=True)
    return (d * (e - d)).sum(axis=1), (d * d).sum(axis=1)


def was_last(curves: Curves) -> Array:
    """Whether each game's winner was alone in last place at some time after the first quarter."""
    worst = curves.values.min(axis=1)
    alone = (curves.values == worst[:, None]).sum(axis=1) == 1
    last = np.where(alone, curves.values.argmin(axis=1), -2)
    moment = np.arange(len(last)) - curves.starts[:-1][curves.game]
    late = moment > curves.lengths[curves.game] / 4
    return curves.per_game((last == curves.winners[curves.game]) & late) > 0
