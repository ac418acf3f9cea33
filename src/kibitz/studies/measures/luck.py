"""The shares of luck and skill, and the sources of luck, in judged games."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.statistics import Interval
from kibitz.studies.judged import DEAL, DRAWS, ERROR, OTHERS, OWN, Judged
from kibitz.studies.measures.base import Line, Measure
from kibitz.studies.moments import Moments
from kibitz.studies.sample import Array, RunMetadata, Sample
from kibitz.studies.values import pair

SOURCES = {
    "deal": (DEAL,),
    "draws": (DRAWS,),
    "own choices": (OWN,),
    "others' choices": (OTHERS,),
    "error": (ERROR,),
}
"""The entries of a ledger that each reported source adds up, by the name of the source."""

ENTRIES = ("place", "deal", "draws", "own", "others", "error")
"""The fields of an ``Account``, in the order of the entries of a ledger."""

MOMENTS = 10
"""Number of equal parts of a game, at whose ends the winner's chance is measured."""


@dataclass(frozen=True)
class Source:
    """How much of the variance of the outcome comes from one source.

    Attributes:
        name: ``deal``, ``draws``, ``own choices``, ``others' choices`` or ``error``.
        share: covariance of the source with the outcome, over the variance of the outcome.
        spread: standard deviation over games and seats in shares of a win, judge's noise included.
    """

    name: str
    share: float
    interval: Interval | None
    spread: float

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "source": self.name,
            "share": self.share,
            "interval": pair(self.interval),
            "spread": self.spread,
        }


@dataclass(frozen=True)
class Account:
    """A player's gains and losses in a game, in shares of the win.

    The entries add up to the outcome less the fair share. In a single game they contain the
    judge's noise.

    Attributes:
        seed: the seed of this game, not of the run.
        seat: counted from 1.
        agent: label of the agent in that seat.
        place: gain by the seat: its mean value after the deal over all games, less the fair share.
        deal: gain by the first deal, compared with the mean deal.
        draws: gain by later chance, deals of later rounds included.
        own: gain by the player's own choices.
        others: gain by the other players' choices.
        error: remainder that is due to errors of the judge.
        outcome: the player's share of the win.
    """

    seed: int
    seat: int
    agent: str
    place: float
    deal: float
    draws: float
    own: float
    others: float
    error: float
    outcome: float


class Luck(Measure):
    """The shares of luck and skill in the outcome.

    The value ``accounts``, which is not in the JSON, has an ``Account`` for each player and game.
    """

    needs = "judgements"
    members: ClassVar[dict[str, str]] = {
        "judged_games": "the games that were judged; without any, all that follows is `null` or "
        "empty",
        "ledger": "a list of sources that add up to the outcome: `deal`, `draws` (chance after "
        "the deal), `own choices`, `others' choices`, `error` (of the judge)",
        "ledger[].source": "its name",
        "ledger[].share": "of the variance of the outcome what goes with the source: its "
        "covariance with the outcome within a seat, over the outcome's variance; the shares add "
        "up to 1, and the judge's noise does not bias them",
        "ledger[].interval": "its interval",
        "ledger[].spread": "its standard deviation in shares of a win, with the judge's noise",
        "luck_share": "the shares of `deal` and `draws` together",
        "luck_share_interval": "its interval",
        "mean_draws": "for each seat the mean that draws gain it, and `interval`: it holds 0 "
        "where the judge has no bias",
        "mean_draws[].mean": "the mean",
        "mean_draws[].interval": "its interval",
        "deal_spread": "the standard deviation of win chances by deal: how often the same deal "
        "would be won, if it were played many times; from the covariance of the judge's halves, "
        "so that its noise adds nothing",
        "deal_spread_interval": "its interval",
        "judge_error": "the standard error of the judge's value of an option, from its halves",
        "winner_chance": "the winner's chance after 0, 10, ... 100 % of the actions, with "
        "everything open, on average",
    }
    unit = "shares of a win"
    formula = "share of source x in the outcome y: Σ cov(x, y) / Σ var(y), over the seats"
    source = "backgammon analysis; Duersch, Lambrecht and Oechssler, 2020, on luck and skill"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._ledgers: list[Array] = []
        self._outcomes: list[Array] = []
        self._seeds: list[Array] = []
        self._seated: list[Array] = []
        self._first: list[Array] = []
        self._squares = self._options = 0.0
        self._chance = np.zeros(MOMENTS + 1)
        self._winners = 0.0

    def add(self, sample: Sample) -> None:
        judged = sample.judged
        if judged is None:
            return
        self._ledgers.append(judged.ledger())
        self._outcomes.append(judged.outcomes)
        games = judged.steps["game"][judged.starts] - sample.rows.shard.first
        self._seeds.append(sample.games["seed"][games])
        self._seated.append(sample.games["seats"]["agent"][games])
        self._first.append(judged.steps["seats"]["before"][judged.starts])
        halves = judged.options["seen"]
        halves = halves[~np.isnan(halves).any(axis=1)]
        self._squares += float(((halves[:, 0] - halves[:, 1]) ** 2).sum())
        self._options += len(halves)
        self._add_chances(judged)

    def _add_chances(self, judged: Judged) -> None:
        """Adds the winners' chances at the last step up to each tenth of the game."""
        won = judged.outcomes * (judged.outcomes > judged.fair_share)
        ends = np.flatnonzero(judged.steps["seat"] < 0)
        moment = 2 * judged.game + judged.progress
        for tenth in range(MOMENTS + 1):
            until = 2 * np.arange(judged.games) + tenth / MOMENTS
            at = np.searchsorted(moment, until + 1e-9, "right") - 1
            at = np.clip(at, judged.starts, ends)
            self._chance[tenth] += float((won * judged.before[at]).sum())
        self._winners += float(won.sum())

    def finish(self) -> dict[str, Any]:
        if not self._ledgers:
            return _nothing()
        ledger, outcomes = np.concatenate(self._ledgers), np.concatenate(self._outcomes)
        games = len(outcomes)
        apart = outcomes - outcomes.mean(axis=0)
        squares = (apart**2).sum(axis=1)
        sources = [
            _source(name, ledger[:, :, list(of)].sum(axis=2), apart, squares)
            for name, of in SOURCES.items()
        ]
        luck = _source("luck", ledger[:, :, [DEAL, DRAWS]].sum(axis=2), apart, squares)
        spread, spread_interval = _spread_by_deal(np.concatenate(self._first))
        decided = squares.sum() > 0
        return {
            "judged_games": games,
            "ledger": tuple(sources) if decided else (),
            "accounts": self._accounts(ledger, outcomes),
            "luck_share": luck.share if decided else None,
            "luck_share_interval": luck.interval if decided else None,
            "mean_draws": tuple(_mean(ledger[:, p, DRAWS]) for p in range(ledger.shape[1])),
            "deal_spread": spread,
            "deal_spread_interval": spread_interval,
            "judge_error": math.sqrt(self._squares / self._options) / 2 if self._options else None,
            "winner_chance": tuple((self._chance / self._winners).tolist())
            if self._winners
            else (),
        }

    def _accounts(self, ledger: Array, outcomes: Array) -> tuple[Account, ...]:
        """An account for each game and seat."""
        seeds = np.concatenate(self._seeds).tolist()
        seated = np.concatenate(self._seated).tolist()
        return tuple(
            Account(
                seed=seed,
                seat=seat + 1,
                agent=self.metadata.agents[who],
                outcome=outcome,
                **dict(zip(ENTRIES, gained, strict=True)),
            )
            for seed, agents, of_seats, outcome_of in zip(
                seeds, seated, ledger.tolist(), outcomes.tolist(), strict=True
            )
            for seat, (who, gained, outcome) in enumerate(
                zip(agents, of_seats, outcome_of, strict=True)
            )
        )

    @classmethod
    def to_json(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        document = super().to_json(values)
        for name in ("luck_share_interval", "deal_spread_interval"):
            document[name] = pair(values[name])
        return document

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        for source in values["ledger"]:
            yield Line(f"of the outcome: {source.name}", None, source.share, source.interval)


def _nothing() -> dict[str, Any]:
    empty = ("ledger", "mean_draws", "winner_chance")
    names = (name for name in Luck.members if "[" not in name)
    values: dict[str, Any] = {name: () if name in empty else None for name in names}
    return values | {"judged_games": 0, "accounts": ()}


def _source(name: str, gained: Array, apart: Array, squares: Array) -> Source:
    """The share of the outcome that a source explains: a ratio of sums over games.

    Args:
        gained: gain of each seat by the source, in each game.
        apart: each seat's outcome, less the seat's mean over games.
        squares: sum over seats of the squares of ``apart``, by game.
    """
    own = gained - gained.mean(axis=0)
    moments = Moments.of((own * apart).sum(axis=1), squares)
    total = float(squares.sum())
    share = float((own * apart).sum()) / total if total else 0.0
    spread = float(np.sqrt((own**2).mean()))
    return Source(name, share, moments.ratio_interval() if total else None, spread)


def _mean(values: Array) -> dict[str, Any]:
    summary = Moments.of(values).summary()
    return {"mean": summary.mean, "interval": pair(summary.interval)}


def _spread_by_deal(first: Array) -> tuple[float | None, Interval | None]:
    """The standard deviation of win chances by deal, from two independent estimates of each.

    Args:
        first: value after the deal, by game, seat and half of the judge's rollouts.
    """
    if len(first) < 2:
        return None, None
    apart = first - first.mean(axis=0)
    products = (apart[:, :, 0] * apart[:, :, 1]).mean(axis=1) * len(first) / (len(first) - 1)
    summary = Moments.of(products).summary()
    low, high = summary.interval or (0.0, 0.0)
    root = [math.sqrt(max(0.0, value)) for value in (summary.mean or 0.0, low, high)]
    return root[0], (root[1], root[2])
