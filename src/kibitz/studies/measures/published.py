"""Measures of other systems, as published and, where the published formula is wrong, corrected.

``docs/measures.md`` gives the sources and the corrections.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.statistics import Interval, Z, wilson_interval
from kibitz.studies.judged import Judged
from kibitz.studies.measures.base import Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import Array, RunMetadata, Sample
from kibitz.studies.values import pair

PER_GAME = Mapping[str, tuple[Array, Array]]
"""The values of games by measure: numerators and denominators, one of each per game.

A measure is the sum of the numerators over the sum of the denominators."""

CLEAR = 0.3
"""CardStock's clarity counts decisions whose best option exceeds the mean option by less."""

DECIDED = 0.8
"""CardStock's decisiveness takes a game as decided when the winner's chance exceeds this."""


@dataclass(frozen=True)
class Published:
    """A measure of another system.

    Attributes:
        name: the system, and its name for the measure.
        published: value by the published formula; ``None`` if there was nothing to measure.
        corrected: value by the corrected formula; ``None`` if it needs no correction.
    """

    name: str
    published: float | None
    published_interval: Interval | None
    corrected: float | None = None
    corrected_interval: Interval | None = None

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "name": self.name,
            "published": self.published,
            "published_interval": pair(self.published_interval),
            "corrected": self.corrected,
            "corrected_interval": pair(self.corrected_interval),
        }


def _documented(name: str, description: str) -> dict[str, str]:
    return {
        name: description,
        f"{name}[].name": "the system, and what it calls the measure",
        f"{name}[].published": "its value as published",
        f"{name}[].published_interval": "its interval",
        f"{name}[].corrected": "the same, corrected; `null` where it needs no correction",
        f"{name}[].corrected_interval": "its interval",
    }


class _Ratios(Measure):
    """Measures that are ratios of sums over games."""

    names: ClassVar[tuple[tuple[str, str, str], ...]]
    """Name of each measure, then its keys in ``per_game``: published, and corrected or empty."""
    most: ClassVar[dict[str, float]] = {}
    """Upper bounds of the measures, by key, whose interval is that of a proportion.

    They lie between 0 and this bound, often close to it, so a symmetric interval would not fit."""

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._sums: dict[str, Moments] = {}

    @abstractmethod
    def per_game(self, sample: Sample) -> PER_GAME:
        """The numerators and denominators of each game, by key."""

    def add(self, sample: Sample) -> None:
        for name, (sums, weights) in self.per_game(sample).items():
            self._sums.setdefault(name, Moments(2)).add(sums / self.most.get(name, 1.0), weights)

    def _value(self, name: str) -> tuple[float | None, Interval | None]:
        if name not in self._sums or not self._sums[name].total[1]:
            return None, None
        moments = self._sums[name]
        value = float(moments.total[0] / moments.total[1])
        if name not in self.most:
            return value, moments.ratio_interval()
        interval, most = moments.clustered_interval(), self.most[name]
        return most * value, interval and (most * interval[0], most * interval[1])

    def finish(self) -> dict[str, Any]:
        member = next(iter(self.members))
        if not self._sums:
            return {member: ()}
        return {
            member: tuple(
                Published(
                    title,
                    *self._value(published),
                    *(self._value(corrected) if corrected else (None, None)),
                )
                for title, published, corrected in self.names
            )
        }


class Outcomes(Measure):
    """Measures of other systems that are computed from the outcomes of games."""

    members: ClassVar[dict[str, str]] = _documented(
        "published_outcomes", "a list of measures of other systems that look at outcomes"
    )
    source = "Browne 2008; Ludii; CardStock"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        n = metadata.players
        self._wins = Moments(n)
        self._returns = Moments(2 * n)  # returns, and their squares
        self._mine = Moments(2)  # per game: wins of the single agent, and its seats
        self._games = self._finished = 0

    def add(self, sample: Sample) -> None:
        n = self.metadata.players
        self._games += len(sample.games)
        self._finished += len(sample.finished)
        self._wins.add(*sample.wins.T)
        returns = sample.finished["seats"]["returns"].reshape(-1, n)
        self._returns.add(*returns.T, *(returns**2).T)
        if (single := self._single()) is not None:
            sits = sample.finished["seats"]["agent"].reshape(-1, n) == single
            self._mine.add((sample.wins * sits).sum(axis=1), sits.sum(axis=1))

    def _single(self) -> int | None:
        """The number of the agent that plays against others which are all alike, if any."""
        agents = self.metadata.agents
        if len(agents) < 2 or len(set(agents)) != 2:
            return None
        alone = [i for i, agent in enumerate(agents) if agents.count(agent) == 1]
        return alone[0] if alone else None

    def finish(self) -> dict[str, Any]:
        n, games = self.metadata.players, self._finished
        if not games or n < 2:
            return {"published_outcomes": ()}
        rates = self._wins.total / games
        alike = len(set(self.metadata.agents)) == 1
        results = [
            Published(
                "Browne: completion", games / self._games, wilson_interval(games, self._games)
            ),
            self._uniformity(),
        ]
        if alike:
            # over all seats instead of the first one
            distance = float(np.abs(rates - 1 / n).sum()) / 2
            results += [
                Published("Browne: balance", 1 - float(rates.max() - rates.min()), self._apart()),
                Published(
                    "CardStock: fairness",
                    _fairness(float(rates[0]), n),
                    None,
                    1 - distance / (1 - 1 / n),
                    None,
                ),
            ]
        if self._mine.count:
            rate = float(self._mine.total[0] / self._mine.total[1])
            low, high = self._mine.clustered_interval() or (0.0, 1.0)
            results.append(
                Published("CardStock: order", _order(rate, n), (_order(low, n), _order(high, n)))
            )
        return {"published_outcomes": tuple(results)}

    def _apart(self) -> Interval | None:
        """The interval of the balance of two seats; ``None`` for more: no exact one exists."""
        if self.metadata.players != 2 or self._wins.count < 2:
            return None
        c = self._wins.comoment
        n = self._wins.count
        half = Z * math.sqrt(max(0.0, c[0, 0] - 2 * c[0, 1] + c[1, 1]) / (n - 1) / n)
        apart = abs(float(self._wins.total[0] - self._wins.total[1])) / n
        return max(0.0, 1 - apart - half), min(1.0, 1 - apart + half)

    def _uniformity(self) -> Published:
        """Ludii's outcome uniformity: 1 less the mean variance of the returns of a seat."""
        n, games = self.metadata.players, self._returns.count
        mean = self._returns.total[:n] / games
        variance = self._returns.total[n:] / games - mean**2
        return Published("Ludii: outcome uniformity", 1 - float(variance.mean()), None)


def _fairness(rate: float, n: int) -> float:
    """CardStock's fairness: 1 if the first seat, whose win rate is given, wins its fair share."""
    return rate * n if rate <= 1 / n else (1 - rate) * n / (n - 1)


def _order(rate: float, n: int) -> float:
    """CardStock's order: 1 for an agent that always wins, 0 for one that wins its fair share."""
    return (rate - 1 / n) / (1 - 1 / n)


class OptionRatios(_Ratios):
    """Measures of other systems that are computed from the numbers of options."""

    needs = "decisions"
    members: ClassVar[dict[str, str]] = _documented(
        "published_options",
        "the same of those that look at the numbers of options; empty unless "
        "decisions were recorded",
    )
    source = "CardStock"
    names = (("CardStock: convergence", "slope", "correlation"),)

    def per_game(self, sample: Sample) -> PER_GAME:
        traces = sample.traces
        steps = traces.steps[traces.is_choice]
        game, options = steps["game"], steps["options"].astype(np.float64)
        count = np.bincount(game, minlength=traces.games)
        index = np.arange(len(game)) - (np.cumsum(count) - count)[game]

        def total(values: Array) -> Array:
            return np.bincount(game, values, traces.games)

        measurable = count > 1
        n = np.maximum(count, 1)
        xy = total(index * options) - total(index) * total(options) / n
        xx = total(index**2) - total(index) ** 2 / n
        yy = np.maximum(0.0, total(options**2) - total(options) ** 2 / n)
        slope = xy / np.where(xx > 0, xx, 1.0)
        flat = xx * yy < 1e-9
        correlation = np.where(flat, 0.0, xy / np.sqrt(np.where(flat, 1.0, xx * yy)))
        weights = measurable.astype(np.float64)
        return {
            "slope": ((1 - (slope / 2 + 0.5)) * weights, weights),
            "correlation": ((1 - (correlation / 2 + 0.5)) * weights, weights),
        }


class WinChanceRatios(_Ratios):
    """Measures of other systems that are computed from win chances during games."""

    needs = "judgements"
    members: ClassVar[dict[str, str]] = _documented(
        "published_chances",
        "the same of those that look at win chances, in games with one "
        "winner; empty unless games were judged",
    )
    source = "Browne and Maire 2010; Ludii; CardStock"
    names = (
        ("Browne: drama", "behind", "drama"),
        ("Ludii: drama", "deficit", ""),
        ("Browne: lead change", "changes", ""),
        ("Browne: decisiveness threshold", "threshold", ""),
        ("Browne: decisive moves", "decisive", ""),
        ("Browne: uncertainty", "uncertainty", ""),
        ("Browne: killer moves", "killer", "killer crossed"),
        ("Ludii: stability", "variance", "variance crossed"),
        ("CardStock: spread", "spread", "spread crossed"),
        ("CardStock: drama", "trailing", "trailing by game"),
        ("CardStock: security", "security", "security by game"),
        ("CardStock: decisiveness", "late", "decided at"),
        ("CardStock: coolness", "coolness", ""),
        ("CardStock: clarity", "clarity", "clarity crossed"),
        ("CardStock: stability", "stability", ""),
    )
    most: ClassVar[dict[str, float]] = {"trailing": math.sqrt(0.5)}

    def per_game(self, sample: Sample) -> PER_GAME:
        judged = sample.judged
        if judged is None or self.metadata.players < 2:
            return {}
        won = judged.outcomes > 0
        sole = won.sum(axis=1) == 1
        if not sole.any():
            return {}
        games = _WinChances(judged, won.argmax(axis=1))
        measures = {**games.courses(), **games.decisions()}
        return {name: (top * sole, bottom * sole) for name, (top, bottom) in measures.items()}


class _WinChances:
    """The formulas of other systems for judged games.

    Args:
        winners: winning seat of each game.
    """

    def __init__(self, judged: Judged, winners: Array) -> None:
        self.judged = judged
        self.winners = winners
        self.games = len(winners)
        self.game = judged.game
        self.inner = judged.steps["seat"] >= 0
        self.values = judged.before
        self.mine = self.values[np.arange(len(self.game)), winners[self.game]]
        self.unit = np.ones(self.games)

    def total(self, values: Array, where: Array | None = None) -> Array:
        """The sum of values over the steps of each game (those in `where`), its end excluded."""
        chosen = self.inner if where is None else where & self.inner
        return np.bincount(self.game[chosen], values[chosen], self.games)

    def mean(self, values: Array) -> Array:
        """The mean of values over the steps of each game, its end excluded."""
        return self.total(values) / np.maximum(1, self.total(np.ones(len(values))))

    def courses(self) -> dict[str, tuple[Array, Array]]:
        """Measures of the win chances of all seats."""
        values, mine, game = self.values, self.mine, self.game
        best = values.max(axis=1)
        deficit = best - mine
        behind = deficit > 0
        root = self.total(np.sqrt(deficit)) / np.maximum(1, self.total(behind * 1.0))
        ever = self.total(behind * 1.0) > 0
        moves = np.maximum(1, self.total(np.ones(len(game))))
        leader = values.argmax(axis=1)
        passes = np.zeros(len(game))
        passes[1:] = (leader[1:] != leader[:-1]) & (game[1:] == game[:-1])
        others = values.copy()
        others[np.arange(len(game)), self.winners[game]] = 0.0
        threshold = np.zeros(self.games)
        np.maximum.at(threshold, game[self.inner], others.max(axis=1)[self.inner])
        passed = np.logical_and(self.inner, mine > threshold[game])
        step = np.arange(len(game))
        first = np.full(self.games, len(game))
        np.minimum.at(first, game[passed], step[passed])
        last = np.searchsorted(game, np.arange(self.games), side="right") - 1
        decisive = np.clip(last - first, 0, None) / moves
        second = np.sort(values, axis=1)[:, -2]
        uncertainty = self.mean(self.judged.progress - (best - second))
        halves = self.judged.steps["seats"]["before"]
        return {
            "behind": (root * ever, ever * 1.0),
            "drama": (self.total(np.sqrt(deficit)) / moves, self.unit),
            "deficit": (self.mean(deficit), self.unit),
            "changes": (np.bincount(game, passes, self.games) / moves, self.unit),
            "threshold": (threshold, self.unit),
            "decisive": (decisive, self.unit),
            "uncertainty": (uncertainty, self.unit),
            "variance": (self._variance(values, values), self.unit),
            "variance crossed": (self._variance(halves[:, :, 0], halves[:, :, 1]), self.unit),
            "stability": self._stability(),
        }

    def _variance(self, first: Array, second: Array) -> Array:
        """The mean over seats of the variance of a seat's chance over a game.

        Two independent estimates of the same chances give it without the judge's noise.
        """
        variance = np.zeros(self.games)
        for p in range(first.shape[1]):
            product = self.mean(first[:, p] * second[:, p])
            variance += product - self.mean(first[:, p]) * self.mean(second[:, p])
        return variance / first.shape[1]

    def _stability(self) -> tuple[Array, Array]:
        """Ranks that keep their seat between decisions of the first seat, and the total."""
        at = np.flatnonzero((self.judged.steps["seat"] == 0) & (self.judged.steps["options"] > 1))
        order = np.argsort(-self.values[at], axis=1, kind="stable")
        same = self.game[at][1:] == self.game[at][:-1]
        keeps = (order[1:] == order[:-1]).sum(axis=1)
        game = self.game[at][1:][same]
        places = np.full(len(game), self.values.shape[1])
        return (
            np.bincount(game, keeps[same], self.games),
            np.bincount(game, places, self.games),
        )

    def decisions(self) -> dict[str, tuple[Array, Array]]:
        """Measures of the decider's options."""
        steps = self.judged.steps
        decides = self.inner & (steps["options"] > 1)
        ones = np.ones(len(steps))
        count = self.total(ones, decides)
        best, worst, mean = self.judged.extremes()  # by half, crossed
        simple = self.judged.extremes(crossed=False)
        mover = np.maximum(steps["seat"], 0)
        lead = np.clip(mean + best, 0.0, 1.0)
        gains = steps["seats"]["after"][np.arange(len(steps)), mover]
        gains = gains - steps["seats"]["before"][np.arange(len(steps)), mover]
        winner = decides & (mover == self.winners[self.game])
        samples = self.total(ones, winner)
        players = self.values.shape[1]
        middle = (1 + (players - 2) / (players - 1)) / 2
        trails = winner & (lead < 0.5)
        low = winner & (lead < middle)
        depth = np.sqrt(np.clip(0.5 - lead, 0, None))
        fall = np.sqrt(np.clip(middle - lead, 0, None))
        has = (samples > 0) * 1.0
        each = np.maximum(samples, 1)
        late, decided = self._decided(winner, lead)
        return {
            "killer": (self._largest(gains.mean(axis=1), gains.mean(axis=1), decides), self.unit),
            "killer crossed": (
                (
                    self._largest(gains[:, 0], gains[:, 1], decides)
                    + self._largest(gains[:, 1], gains[:, 0], decides)
                )
                / 2,
                self.unit,
            ),
            "spread": (self.total(simple[0] - simple[1], decides), count),
            "spread crossed": (self.total(best - worst, decides), count),
            "clarity": (count - self.total((simple[0] >= CLEAR) * 1.0, decides), count),
            "clarity crossed": (count - self.total((best >= CLEAR) * 1.0, decides), count),
            "trailing": (self.total(depth, trails), self.total(ones, trails)),
            "trailing by game": (self.total(fall, low) / each * has, has),
            "security": (samples - self.total(ones, trails), samples),
            "security by game": ((samples - self.total(ones, low)) / each * has, has),
            "late": (late * has, has),
            "decided at": (decided * has, has),
            "coolness": self._coolness(decides, mover, lead),
        }

    def _largest(self, by: Array, of: Array, where: Array) -> Array:
        """The value `of` at the step of each game where `by` is largest; 0 without a step."""
        at = np.flatnonzero(where)
        order = at[np.lexsort((by[at], self.game[at]))]
        last = order[np.flatnonzero(np.diff(self.game[order], append=-1))]
        values = np.zeros(self.games)
        values[self.game[last]] = of[last]
        return values

    def _decided(self, winner: Array, lead: Array) -> tuple[Array, Array]:
        """Decisiveness of each game: CardStock's, and corrected.

        The corrected one is the share of the winner's decisions before the game is decided.
        """
        at = np.flatnonzero(winner)
        game = self.game[at]
        count = np.bincount(game, minlength=self.games)
        index = np.arange(len(at)) - (np.cumsum(count) - count)[game]
        high = lead[at] > DECIDED
        first = count.copy()
        np.minimum.at(first, game[high], index[high])
        k = np.maximum(count, 1)
        published = np.minimum(first, k - 1)  # the last one if it never is
        return 1 - (k - published) / k, first / k

    def _coolness(self, decides: Array, mover: Array, lead: Array) -> tuple[Array, Array]:
        """Successive decisions of a seat between which its chance does not fall, and all pairs."""
        at = np.flatnonzero(decides)
        order = at[np.lexsort((at, mover[at], self.game[at]))]
        same = (self.game[order][1:] == self.game[order][:-1]) & (
            mover[order][1:] == mover[order][:-1]
        )
        game = self.game[order][1:][same]
        cool = (lead[order][1:] >= lead[order][:-1])[same]
        return np.bincount(game, cool, self.games), np.bincount(game, minlength=self.games) * 1.0
