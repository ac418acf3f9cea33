"""One agent against others, deal by deal: duplicate deals, and intervals that hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.statistics import wilson_interval
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.studies.contest import DealScores, effective_games

Array = np.ndarray[Any, Any]


def rows_of(
    table: Table, agents: list[str], games: int, workers: int = 1, size: int = 0
) -> list[Rows]:
    seated = make_agents(agents, table.players)
    experiment = Experiment.of(table, seated, games, 3, duplicate=True, shard_games=size)
    shards: list[Rows] = []
    ThreadRunner(experiment, table, seated, workers=workers).play(shards.append)
    return shards


def test_games_of_a_deal_have_its_seed_and_agents_that_move_on() -> None:
    table = kibitz.load("agram").table(3)
    [*rows] = rows_of(table, ["random", "osla", "first-legal"], 12)
    results = np.concatenate([shard.results for shard in rows])
    assert results["seats"]["agent"].tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 4
    seeds = results["seed"].reshape(4, 3)
    assert (seeds == seeds[:, :1]).all()
    assert len(np.unique(seeds)) == 4


def test_the_same_agents_play_the_same_game_from_every_seat() -> None:
    """The seat decides who wins, and all agents win equally often: luck cancels out."""
    table = kibitz.load("agram").table(3)
    rows = rows_of(table, ["random"] * 3, 30)
    results = np.concatenate([shard.results for shard in rows])
    places = results["seats"]["place"].reshape(10, 3, 3)
    assert (places == places[:, :1]).all()
    scores = DealScores.of(rows, 3)
    assert scores.share == pytest.approx(1 / 3)
    assert scores.wins.tolist() == [1.0] * 10
    assert scores.effective > 3 * scores.finished
    low, high = scores.interval
    assert low < 1 / 3 < high


def test_workers_and_shards_make_no_difference() -> None:
    """Shards that cut deals in two, too."""
    table = kibitz.load("love-letter").table(3)
    single, parallel = (
        DealScores.of(rows_of(table, ["osla", "random", "random"], 36, *how), 3)
        for how in ((1, 36), (2, 5))
    )
    assert single.numbers.tolist() == parallel.numbers.tolist() == list(range(12))
    assert single.wins.tolist() == parallel.wins.tolist()
    assert single.games.tolist() == [3.0] * 12


def test_a_game_of_a_deal_can_be_recorded() -> None:
    table = kibitz.load("love-letter").table(2)
    rows = rows_of(table, ["osla", "random"], 8)
    for result in np.concatenate([shard.results for shard in rows]):
        seated = [["osla", "random"][number] for number in result["seats"]["agent"]]
        record = kibitz.record(table, seated, int(result["seed"]))
        assert record.result.places == tuple(result["seats"]["place"])


def test_only_agents_that_change_seats_play_a_deal_more_than_once() -> None:
    table = kibitz.load("agram").table(2)
    with pytest.raises(ParameterError, match="change seats"):
        Experiment.of(table, make_agents(["random"], 2), 10, rotate=False, duplicate=True)


@pytest.mark.parametrize("deals", [25, 50, 200])
@pytest.mark.parametrize(
    "chances", [(0.05, 0.9, 0.05), (0.25, 0.5, 0.25), (0.02, 0.4, 0.58), (0.5, 0.0, 0.5)]
)
def test_intervals_hold(deals: int, chances: tuple[float, float, float]) -> None:
    """Deals in which wins balance each other, are independent, or go together."""
    rng = np.random.default_rng(deals)
    truth = (chances[1] + 2 * chances[2]) / 2
    times, held = 1000, 0
    for wins in rng.choice(3, (times, deals), p=chances).astype(float):
        effective = effective_games(wins, np.full(deals, 2.0))
        share = wins.sum() / (2 * deals)
        low, high = wilson_interval(share * effective, effective)
        held += low - 1e-12 <= truth <= high + 1e-12
    assert held / times > 0.93  # 0.95, less 2.9 standard errors


def test_games_on_their_own_amount_to_as_many() -> None:
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 2, 4000).astype(float)
    assert effective_games(wins, np.ones(4000)) == pytest.approx(4000, rel=0.01)
    pairs = wins.reshape(-1, 2).sum(axis=1)
    assert effective_games(pairs, np.full(2000, 2.0)) == pytest.approx(4000, rel=0.1)
    assert effective_games(np.zeros(0), np.zeros(0)) == 0


@pytest.mark.parametrize("won", [50, 56, 60, 70])
def test_the_p_value_of_games_on_their_own_is_that_of_the_binomial(won):
    wins = np.repeat([1.0, 0.0], [won, 100 - won])
    scores = DealScores(np.arange(100), np.ones(100), wins, 0)
    ways = [math.comb(100, k) / 2**100 for k in range(101)]
    near = abs(won - 50)
    high = sum(way for k, way in enumerate(ways) if abs(k - 50) >= near)
    low = sum(way for k, way in enumerate(ways) if abs(k - 50) > near)
    assert 0.8 * low < scores.p_value(0.5) <= min(1.0, 1.1 * high)


def test_deals_that_balance_make_a_share_surer():
    """Of each deal two of three games are won: that is no chance."""
    even = DealScores(np.arange(20), np.full(20, 3.0), np.full(20, 2.0), 0)
    alone = DealScores(np.arange(60), np.ones(60), np.repeat([1.0, 0.0], [40, 20]), 0)
    assert even.share == alone.share
    assert even.p_value(0.5) < 1e-6 < alone.p_value(0.5)
    assert even.p_value(even.share) == 1
