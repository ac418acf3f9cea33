"""Ratings from the winners of games, for any number of players.

The model of Plackett and Luce (Plackett, "The Analysis of Permutations", 1975; for two players
that of Bradley and Terry, 1952): each player wins with a weight of the exponential of their
strength. A share of games is decided by luck alone:

    P(player i wins) = (1 - luck) * exp(s_i) / sum_j exp(s_j) + luck / players

Strengths are given in Elo points: 400 points are ten times the weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from kibitz.core.errors import ParameterError
from kibitz.core.statistics import DOUBTED, QUANTILE, Interval, chi_square_tail
from kibitz.studies.values import pair

Floats = np.ndarray[Any, np.dtype[Any]]
Integers = np.ndarray[Any, np.dtype[Any]]

ELO = 400 / math.log(10)
"""Elo points for a factor e of the weight."""

SPREAD = 700 / ELO
"""Standard deviation of the prior of strengths.

It matters for few games, and for players that always win or lose: their strength would be
infinite."""

LUCKS = np.linspace(0.0, 0.95, 20)
"""The shares of luck that are tried; by the prior, 0 is as likely as all others together."""

STEPS = 200
"""Maximum number of steps of Newton's method."""

ENOUGH = 1e-9
"""Precision at which Newton's method ends."""


@dataclass(frozen=True)
class Rating:
    """The rating of a player.

    Attributes:
        elo: Elo points above the mean of all players.
        interval: 95 % interval of these points.
        games: number of games in which the player took part.
        wins: first places; one shared by k players counts 1/k for each.
    """

    elo: float
    interval: Interval
    games: int
    wins: float

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "elo": self.elo,
            "interval": pair(self.interval),
            "games": self.games,
            "wins": self.wins,
        }


@dataclass(frozen=True)
class Ratings:
    """The ratings of all players.

    The posterior of strengths is a mixture: a normal distribution for each share of luck, with the
    posterior weight of that share.

    Attributes:
        players: ratings in the order of the players' numbers.
        luck: share of games that luck alone decides; 0 where it is not estimated.
        luck_interval: 95 % interval of ``luck``; ``None`` where it is not estimated.
        fit: p-value of a test of the model; ``None`` if no degree of freedom is left for it.
        weights: float64[shares of luck], posterior weights.
        means: float64[shares of luck, players], Elo points.
        covariances: float64[shares of luck, players, players], of these points.
    """

    players: tuple[Rating, ...]
    luck: float
    luck_interval: Interval | None
    fit: float | None
    weights: Floats
    means: Floats
    covariances: Floats

    def difference(self, first: int, other: int) -> tuple[float, Interval]:
        """The difference in Elo points between two players, with its 95 % interval."""
        contrast = np.zeros(len(self.players))
        contrast[first] += 1
        contrast[other] -= 1
        return _estimate(contrast, self.weights, self.means, self.covariances)


def rate(
    seats: Integers,
    wins: Floats,
    count: int,
    deals: Integers | None = None,
    *,
    with_luck: bool = True,
) -> Ratings:
    """Rates players by their wins.

    For each share of luck the strengths are the likeliest ones with normal errors (Laplace's
    approximation); the result is averaged over the shares of luck.

    Args:
        seats: int64[games, seats], number of the player in each seat.
        wins: float64[games, seats], each seat's share of the first place.
        deals: int64[games], number of the deal of each game. Games of a deal share their luck,
            which the intervals take into account (clustered standard errors, Liang and Zeger
            1986). By default each game has its own deal.
        with_luck: whether to estimate the share of luck, which takes three players at least.

    Raises:
        ParameterError: there are no games, or a player takes part in none.
    """
    if len(seats) == 0:
        raise ParameterError("Nobody can be rated without a game.")
    played = np.array([(seats == player).any(axis=1).sum() for player in range(count)])
    if (played == 0).any():
        raise ParameterError(f"Player {int(np.argmin(played))} took part in no game.")
    lineups, lineup = np.unique(seats, axis=0, return_inverse=True)
    lineup = lineup.reshape(-1)
    grouped = np.zeros((len(lineups), seats.shape[1]))
    np.add.at(grouped, lineup, wins)
    lucks = LUCKS if with_luck and count > 2 else LUCKS[:1]
    centred = np.eye(count) - 1 / count
    means, covariances, values, determinants, effects = [], [], [], [], []
    strengths = np.zeros(count)
    for luck in lucks:
        strengths, information = _fit(lineups, grouped, strengths, float(luck))
        spread, effect = _covariance(
            lineups[lineup], wins, deals, strengths, float(luck), information
        )
        means.append(ELO * centred @ strengths)
        covariances.append(ELO**2 * centred @ spread @ centred.T)
        values.append(_value(lineups, grouped, strengths, float(luck)))
        determinants.append(float(np.linalg.slogdet(information)[1]))
        effects.append(effect)
    best = int(np.argmax(values))
    logs = np.array(values) / effects[best] - np.array(determinants) / 2
    logs[0] += math.log(max(1, len(lucks) - 1))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    mixture = (weights, np.array(means), np.array(covariances))
    won = np.zeros(count)
    np.add.at(won, seats.reshape(-1), wins.reshape(-1))
    estimates = [_estimate(row, *mixture) for row in np.eye(count)]
    return Ratings(
        tuple(
            Rating(elo, interval, int(games), float(share))
            for (elo, interval), games, share in zip(estimates, played, won, strict=True)
        ),
        float(weights @ lucks),
        _quantiles(lucks, weights) if len(lucks) > 1 else None,
        _goodness(lineups, grouped, means[best] / ELO, float(lucks[best])),
        *mixture,
    )


def pooled(tables: Sequence[Ratings]) -> Ratings:
    """The mean of ratings of the same players at several tables, each counting the same.

    Tables may differ in games, seats and luck. The interval is that of the mean over these
    tables; it does not predict other tables.

    Raises:
        ParameterError: there are no ratings.
    """
    if not tables:
        raise ParameterError("Ratings of no table cannot be pooled.")
    count = len(tables)
    means = np.zeros(len(tables[0].players))
    spread = np.zeros((len(means), len(means)))
    for table in tables:
        middle = table.weights @ table.means
        apart = table.means - middle
        means += middle / count
        within = np.einsum("k,kij->ij", table.weights, table.covariances)
        between = np.einsum("k,ki,kj->ij", table.weights, apart, apart)
        spread += (within + between) / count**2
    mixture = np.ones(1), means[None], spread[None]
    estimates = [_estimate(row, *mixture) for row in np.eye(len(means))]
    return Ratings(
        tuple(
            Rating(
                elo,
                interval,
                sum(table.players[player].games for table in tables),
                sum(table.players[player].wins for table in tables),
            )
            for player, (elo, interval) in enumerate(estimates)
        ),
        sum(table.luck for table in tables) / count,
        None,
        None,
        *mixture,
    )


def _estimate(
    contrast: Floats, weights: Floats, means: Floats, covariances: Floats
) -> tuple[float, Interval]:
    """The mean and the 95 % interval of a sum of Elo points under the mixture."""
    middles = means @ contrast
    errors = np.sqrt(np.maximum(1e-12, np.einsum("i,kij,j->k", contrast, covariances, contrast)))
    components = [
        (float(weight), NormalDist(float(middle), float(error)))
        for weight, middle, error in zip(weights, middles, errors, strict=True)
    ]

    def quantile(probability: float) -> float:
        low = float((middles - 10 * errors).min())
        high = float((middles + 10 * errors).max())
        for _ in range(60):
            at = (low + high) / 2
            if sum(weight * component.cdf(at) for weight, component in components) < probability:
                low = at
            else:
                high = at
        return (low + high) / 2

    return float(weights @ middles), (quantile(1 - QUANTILE), quantile(QUANTILE))


def _quantiles(values: Floats, weights: Floats) -> Interval:
    """The 95 % interval of a discrete distribution with sorted values."""
    reached = np.cumsum(weights)
    low = int(np.searchsorted(reached, 1 - QUANTILE))
    high = min(len(values) - 1, int(np.searchsorted(reached, QUANTILE)))
    return float(values[low]), float(values[high])


def _shares(lineups: Integers, strengths: Floats, luck: float) -> tuple[Floats, Floats]:
    """The probability that each seat wins: by strength alone, and with luck."""
    by_seat = strengths[lineups]
    weights = np.exp(by_seat - by_seat.max(axis=1, keepdims=True))
    skill = weights / weights.sum(axis=1, keepdims=True)
    return skill, (1 - luck) * skill + luck / lineups.shape[1]


def _slopes(lineups: Integers, wins: Floats, strengths: Floats, luck: float) -> Floats:
    """The derivative of the log-likelihood of each row with respect to each strength."""
    skill, share = _shares(lineups, strengths, luck)
    # d share_s / d strength_t = (1 - luck) * skill_s * ([s = t] - skill_t)
    through = (1 - luck) * wins / share * skill
    by_seat = through - skill * through.sum(axis=1, keepdims=True)
    slopes = np.zeros((len(lineups), len(strengths)))
    rows = np.arange(len(lineups))
    for seat in range(lineups.shape[1]):
        np.add.at(slopes, (rows, lineups[:, seat]), by_seat[:, seat])
    return slopes


def _value(lineups: Integers, wins: Floats, strengths: Floats, luck: float) -> float:
    """The log-likelihood, including the prior."""
    _, share = _shares(lineups, strengths, luck)
    return float((wins * np.log(share)).sum() - (strengths**2).sum() / (2 * SPREAD**2))


def _gradient(lineups: Integers, wins: Floats, strengths: Floats, luck: float) -> Floats:
    slopes: Floats = _slopes(lineups, wins, strengths, luck).sum(axis=0)
    return slopes - strengths / SPREAD**2


def _fit(lineups: Integers, wins: Floats, strengths: Floats, luck: float) -> tuple[Floats, Floats]:
    """The likeliest strengths, by Newton's method with halved steps, and their information."""
    value = _value(lineups, wins, strengths, luck)
    for _ in range(STEPS):
        step = np.linalg.solve(
            _information(lineups, wins, strengths, luck),
            _gradient(lineups, wins, strengths, luck),
        )
        size = 1.0
        while True:
            tried = strengths + size * step
            found = _value(lineups, wins, tried, luck)
            if found >= value or size < 1e-6:
                break
            size /= 2
        if found - value < ENOUGH:
            break
        strengths, value = tried, found
    return strengths, _information(lineups, wins, strengths, luck)


def _information(lineups: Integers, wins: Floats, strengths: Floats, luck: float) -> Floats:
    """The expected information on the strengths, including the prior."""
    skill, share = _shares(lineups, strengths, luck)
    games = wins.sum(axis=1, keepdims=True)
    count = len(strengths)
    matrix = np.eye(count) / SPREAD**2
    seats = lineups.shape[1]
    # the derivative of the share of seat s by the strength of seat t
    by = (1 - luck) * skill[:, :, None] * (np.eye(seats) - skill[:, None, :])
    inner = np.einsum("lst,lsu,ls->ltu", by, by, games / share)
    for t in range(seats):
        for u in range(seats):
            np.add.at(matrix, (lineups[:, t], lineups[:, u]), inner[:, t, u])
    return matrix


def _covariance(
    lineups: Integers,
    wins: Floats,
    deals: Integers | None,
    strengths: Floats,
    luck: float,
    information: Floats,
) -> tuple[Floats, float]:
    """The covariance of the strengths by the sandwich estimator, and the design effect.

    The design effect is the variance between deals over that of independent games.
    """
    slopes = _slopes(lineups, wins, strengths, luck)
    if deals is not None:
        _, cluster = np.unique(deals, return_inverse=True)
        sums = np.zeros((int(cluster.max()) + 1, len(strengths)))
        np.add.at(sums, cluster.reshape(-1), slopes)
        slopes = sums
    count = len(slopes)
    if count < 2:
        alone: Floats = np.linalg.inv(information)
        return alone, 1.0
    slopes = slopes - slopes.mean(axis=0)
    known = information - np.eye(len(strengths)) / SPREAD**2
    # a few similar deals prove little: add imaginary deals that vary as independent games do
    doubted = DOUBTED / count
    meat = (slopes.T @ slopes * (count / (count - 1)) + doubted * known) / (1 + doubted)
    bread = np.linalg.inv(information)
    effect = float(np.trace(meat) / max(np.trace(known), 1e-12))
    covariance: Floats = bread @ meat @ bread
    return covariance, max(0.05, effect)


def _goodness(lineups: Integers, wins: Floats, strengths: Floats, luck: float) -> float | None:
    """The p-value of Pearson's test of the wins of each player in each line-up, seats ignored."""
    _, share = _shares(lineups, strengths, luck)
    observed: dict[tuple[int, ...], dict[int, float]] = {}
    expected: dict[tuple[int, ...], dict[int, float]] = {}
    for lineup, won, chance in zip(lineups, wins, share, strict=True):
        key = tuple(sorted(lineup))
        games = won.sum()
        for seat, player in enumerate(lineup):
            for table, value in ((observed, won[seat]), (expected, games * chance[seat])):
                cells = table.setdefault(key, {})
                cells[player] = cells.get(player, 0.0) + float(value)
    freedom = sum(len(cells) - 1 for cells in expected.values())
    freedom -= len(strengths) - 1 + (luck > 0)
    if freedom < 1:
        return None
    statistic = sum(
        (observed[key][player] - mean) ** 2 / max(mean, 1e-9)
        for key, cells in expected.items()
        for player, mean in cells.items()
    )
    return chi_square_tail(statistic, freedom)


def cycles(shares: Sequence[Sequence[Interval | None]]) -> list[tuple[int, int, int]]:
    """Triples of players of which each beats the next, and the last the first, significantly.

    Args:
        shares: 95 % intervals of the share of wins less a fair share, of each player (row)
            against each other one (column); ``None`` where they did not meet.
    """
    count = len(shares)

    def beats(first: int, other: int) -> bool:
        interval = shares[first][other]
        return interval is not None and interval[0] > 0

    return [
        (a, b, c)
        for a in range(count)
        for b in range(count)
        for c in range(count)
        if a < min(b, c) and beats(a, b) and beats(b, c) and beats(c, a)
    ]
