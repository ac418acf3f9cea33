"""The strength of PIMC against random players, compared with CardStock of 2016.

Agram is compared with an exact copy of its player, in the first seat for 20,000 games of each
size; the engine itself gives a gain of 0.161, with a standard error of 0.017, for two players. A
player who sees the cards would gain visibly more. Pairs is compared with 100 games of the engine
itself.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.game import Table
from kibitz.core.status import Status
from kibitz.recycle import library
from kibitz.recycle.game import RecycleGame
from kibitz.runs import Batch
from kibitz.syntax.source import Source

GAMES = 2500
THEIR_GAMES = {"agram": 20_000, "pairs": 100}
GAIN = {2: 0.151, 4: 0.179}
"""Share of wins in Agram beyond an equal share, by the number of players."""
GAIN_OF_CHEATS = {2: 0.358, 4: 0.332}
"""The gain of players who see all cards, by the number of players."""
MARGIN = 0.05


def one_against_random(table: Table) -> Batch:
    agents = make_agents(["pimc", *["random"] * (table.players - 1)], table.players)
    batch = kibitz.play(table, agents, GAMES, seed=1, rotate=False)
    assert (batch.results["status"] == Status.FINISHED).all()
    return batch


def tolerance(game: str, share: float) -> float:
    """Four standard errors of the difference between theirs and ours."""
    return 4 * math.sqrt(share * (1 - share) * (1 / THEIR_GAMES[game] + 1 / GAMES))


def gain(table: Table) -> float:
    """The share of wins of the first seat beyond an equal share."""
    places = one_against_random(table).results["seats"]["place"]
    return float((places[:, 0] == 1).mean()) - 1 / table.players


@pytest.mark.parametrize("players", GAIN)
def test_agram(players: int) -> None:
    theirs = GAIN[players]
    within = tolerance("agram", 1 / players + theirs)
    assert within < MARGIN
    assert gain(kibitz.load("agram").table(players)) == pytest.approx(theirs, abs=within)


@pytest.mark.parametrize("players", GAIN)
def test_a_player_who_sees_the_cards_of_agram_is_found_out(players: int) -> None:
    hidden = library.agram.text.text
    open_hands = hidden.replace("iloc HAND", "vloc HAND")
    assert open_hands != hidden
    cheat = RecycleGame(Source("open-agram.rcy", open_hands))
    gained = gain(cheat.table(players))
    assert gained == pytest.approx(GAIN_OF_CHEATS[players], abs=MARGIN)
    assert gained > GAIN[players] + MARGIN


@pytest.mark.parametrize(("players", "safe"), [(2, 0.94), (3, 1.0), (4, 0.97), (5, 0.97)])
def test_pairs(players: int, safe: float) -> None:
    places = one_against_random(kibitz.load("pairs").table(players)).results["seats"]["place"]
    last = places == places.max(axis=1, keepdims=True)
    lost = float(np.mean(last[:, 0] / last.sum(axis=1)))
    assert lost < 0.2 / players
    assert 1 - lost == pytest.approx(safe, abs=tolerance("pairs", lost))
