"""How well one PIMC player does against random ones, beside what CardStock's of 2016 did.

Theirs sat in the first seat for 100 games of each size, hence a standard error of five points.
Ours may not see more than they may: with open hands it would win 85 % of games of two.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import kibitz
from kibitz.arena.batch import Batch, play_batch
from kibitz.core.agent import make_agents
from kibitz.core.status import Status

GAMES = 1000
THEIR_ERROR = 0.05


def one_against_random(game: str, players: int) -> Batch:
    agents = make_agents(["pimc", *["random"] * (players - 1)], players)
    table = kibitz.load(game).table(players)
    batch = play_batch(table, agents, GAMES, seed=1, rotate=False)
    assert (batch.results["status"] == Status.FINISHED).all()
    return batch


def tolerance(share: float) -> float:
    """Four standard errors of the difference between theirs and ours."""
    return 4 * math.hypot(THEIR_ERROR, math.sqrt(share * (1 - share) / GAMES))


@pytest.mark.parametrize(("players", "gain"), [(2, 0.29), (3, 0.17), (4, 0.19), (5, 0.26)])
def test_agram(players: int, gain: float) -> None:
    batch = one_against_random("agram", players)
    won = float((batch.results["seats"]["place"][:, 0] == 1).mean())
    assert won - 1 / players > 0.1
    assert won - 1 / players == pytest.approx(gain, abs=tolerance(won))


@pytest.mark.parametrize(("players", "safe"), [(2, 0.94), (3, 1.0), (4, 0.97), (5, 0.97)])
def test_pairs(players: int, safe: float) -> None:
    places = one_against_random("pairs", players).results["seats"]["place"]
    last = places == places.max(axis=1, keepdims=True)
    lost = float(np.mean(last[:, 0] / last.sum(axis=1)))
    assert lost < 0.5 / players
    assert 1 - lost == pytest.approx(safe, abs=tolerance(lost))
