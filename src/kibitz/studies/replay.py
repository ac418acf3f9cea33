"""Where results come from: the seat, the deal, chance after the deal, or the players' choices.

Equal players play each deal four times. Two of these games share the chance after the deal, and
two the random numbers by which the players choose. So the variance of the result has exact parts:

- *seat*: how far the seats' mean results are from a fair share;
- *deal*: the variance of the mean result of a deal, over deals;
- *chance*: what chance after the deal adds to it, whatever the players choose;
- *choices*: what the players' choices add to it, whatever chance does;
- *both*: what is left, the choices and chance together.

Luck is the deal and chance. The parts are those of a nested analysis of variance (Sobol,
"Sensitivity Estimates for Nonlinear Mathematical Models", 1993), estimated by products of games
that share nothing else, so that no game's noise biases them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.agent import Agent
from kibitz.core.game import Table
from kibitz.core.progress import Progress
from kibitz.core.sides import fair_share
from kibitz.core.statistics import Interval, student_quantile, wilson_interval
from kibitz.core.status import Status
from kibitz.runs import SEEDS, play_seeds
from kibitz.studies.contest import first_places
from kibitz.studies.values import pair

Array = np.ndarray[Any, Any]

SEAT, DEAL, CHANCE, CHOICES, BOTH, LUCK = range(6)

PARTS = ("seat", "deal", "chance", "choices", "both")
"""The names of the parts of a result, which add up to all of it."""

REPLAYS = 4
"""The number of games of a deal."""

FEWEST_DEALS = 12
"""Minimum number of deals for their parts to be known."""


@dataclass(frozen=True)
class Share:
    """A part of what decides who wins.

    Attributes:
        name: one of ``PARTS``, or ``luck``.
        share: its share of the result's variance, 0 to 1.
    """

    name: str
    share: float
    interval: Interval

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {"part": self.name, "share": self.share, "interval": pair(self.interval)}


@dataclass(frozen=True)
class Origins:
    """What decides who wins between equal players.

    Attributes:
        agent: label of the agent in all seats.
        deals: number of deals, each of which was played four times to its end.
        parts: the share of each of ``PARTS``; they add up to 1. Empty where all games end alike
            for everybody, or where there are too few deals.
        luck: the shares of the deal and of chance together; ``None`` without parts.
    """

    agent: str
    deals: int
    parts: tuple[Share, ...]
    luck: Share | None

    def __getitem__(self, name: str) -> Share:
        return next(part for part in self.parts if part.name == name)

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "agent": self.agent,
            "deals": self.deals,
            "parts": [part.to_json() for part in self.parts],
            "luck": None if self.luck is None else self.luck.to_json(),
        }


def replay(
    table: Table,
    agent: Agent,
    deals: int,
    seed: int,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Origins:
    """Plays deals four times each, by the same agent in all seats.

    Raises:
        AgentError: the agent cannot play this game.
        KeyboardInterrupt: the games were stopped.
    """
    seeds = replay_seeds(deals, seed)
    results = play_seeds(table, agent, seeds, workers=workers, progress=progress)
    if len(results) < len(seeds):
        raise KeyboardInterrupt
    gains = _gains(table, results["seats"])
    complete = (results["status"] == Status.FINISHED).reshape(-1, REPLAYS).all(axis=1)
    gains = gains.reshape(deals, 2, 2, -1)[complete]
    if not table.has_rivals and len(gains):
        gains -= gains.mean()
    return origins(gains, agent.label)


def _gains(table: Table, seats: Array) -> Array:
    """What the sides gain over a fair share, by game; without rivals, the success of the group."""
    if table.is_only_scored:
        return np.array(seats["score"][:, :1])
    if not table.has_rivals:
        return np.array(seats["returns"][:, :1] > 0, np.float64)
    won = first_places(seats)[:, [side[0] for side in table.sides]]
    whole = np.maximum(won.sum(axis=1, keepdims=True), 1e-9)
    return np.asarray(won / whole - fair_share(table.sides))


def replay_seeds(deals: int, seed: int) -> Array:
    """A ``SEEDS`` record for each game: by deal, by chance after it, and by choices."""
    seeds = np.zeros((deals, 2, 2), SEEDS)
    drawn = np.random.default_rng(seed % 2**64).integers(2**63, size=(5, deals))
    seeds["deal"] = drawn[0, :, None, None]
    seeds["chance"] = drawn[1:3].T[:, :, None]
    seeds["agents"] = drawn[3:5].T[:, None, :]
    return seeds.reshape(-1)


def origins(gains: Array, agent: str) -> Origins:
    """The parts of results in which the sides gain these shares of the win over a fair one.

    Args:
        gains: float64[deals, chance (2), choices (2), sides].
    """
    deals = len(gains)
    if deals < FEWEST_DEALS or not gains.any():
        return Origins(agent, deals, (), None)
    products, means = _products(gains), gains.mean(axis=(1, 2))
    sums = products.sum(axis=0), means.sum(axis=0), (means**2).sum(axis=0)
    shares = _shares(*sums, deals)
    left_out = _shares(sums[0] - products, sums[1] - means, sums[2] - means**2, deals - 1)
    errors = np.sqrt((deals - 1) / deals * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    halves = student_quantile(deals - 1) * errors
    whole = np.maximum(shares[:LUCK], 0)
    whole /= whole.sum()
    shown = [*whole, whole[DEAL] + whole[CHANCE]]
    parts = [
        Share(name, float(share), _interval(float(share), float(raw), float(half), deals))
        for name, share, raw, half in zip((*PARTS, "luck"), shown, shares, halves, strict=True)
    ]
    return Origins(agent, deals, tuple(parts[:LUCK]), parts[LUCK])


def _products(gains: Array) -> Array:
    """By deal, the products of games that share the deal only, chance, choices, and everything."""
    a, b, c, d = gains.reshape(len(gains), REPLAYS, -1).transpose(1, 0, 2)
    deal = (a * d + b * c).sum(axis=1) / 2
    chance = (a * b + c * d).sum(axis=1) / 2
    choices = (a * c + b * d).sum(axis=1) / 2
    every = (gains**2).mean(axis=(1, 2)).sum(axis=1)
    return np.column_stack([deal, chance, choices, every])


def _shares(products: Array, means: Array, squares: Array, deals: int) -> Array:
    """The shares of all parts and of luck in the result, without bias: they may be negative.

    Args:
        products: the sums over deals of what ``_products`` gives.
        means: the sums over deals of the mean gains of the sides in a deal.
        squares: the sums over deals of the squares of these means.
        deals: number of deals in these sums.
    """
    deal, chance, choices, every = np.moveaxis(products, -1, 0) / deals
    seat = (means**2 - squares).sum(axis=-1) / (deals * (deals - 1))  # without squares of noise
    parts = [seat, deal - seat, chance - deal, choices - deal, every - chance - choices + deal]
    return np.stack([*parts, chance - seat], axis=-1) / np.maximum(every, 1e-12)[..., None]


def _interval(share: float, raw: float, half: float, deals: int) -> Interval:
    """The 95 % interval of a share, within 0 and 1.

    Where no deal differs from another one, the jackknife sees no error: as many deals could all be
    alike by chance.
    """
    least, most = wilson_interval(deals, deals)[0], wilson_interval(0, deals)[1]
    low, high = raw - half, raw + half
    low = min(low, least) if raw > 1 - 1e-9 else low
    high = max(high, most) if raw < 1e-9 and half < most else high
    low, high = (min(max(bound, 0.0), 1.0) for bound in (low, high))
    return min(low, share), max(high, share)


__all__ = ["FEWEST_DEALS", "PARTS", "Origins", "Share", "origins", "replay"]
