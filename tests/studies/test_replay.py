"""The parts of what decides who wins, on games whose parts can be computed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.studies.known_games import Coin, Dictated, Guess
from tests.studies.test_verdicts import HIGHEST, NIM

import kibitz
from kibitz.core.agent import make_agent
from kibitz.core.game import Table
from kibitz.core.randomness import random_below
from kibitz.core.results import win
from kibitz.recycle.game import RecycleGame
from kibitz.studies.replay import PARTS, Origins, origins, replay, replay_seeds
from kibitz.syntax.source import Source

KUHN = {"seat": 1 / 64, "deal": 25 / 64, "chance": 0.0, "choices": 38 / 64, "both": 0.0}
"""Random players: the higher card wins 7/8 for the first player and 3/4 for the second one."""


class LastSeat(Coin):
    """The second player wins 22 of 25 games, whatever happens."""

    @staticmethod
    def apply_action(state, params, action):
        win(state, int(random_below(state.rng, 25) < 22))


DEALS = 200


def replayed(table: Table, agent: str = "random", deals: int = 100) -> Origins:
    return replay(table, make_agent(agent), deals, seed=3)


def shares(result: Origins) -> dict[str, float]:
    return {part.name: part.share for part in result.parts}


def test_games_share_the_deal_chance_and_choices() -> None:
    seeds = replay_seeds(5, seed=1).reshape(5, 2, 2)
    assert len(np.unique(seeds["deal"])) == 5
    assert len(np.unique(seeds["chance"])) == len(np.unique(seeds["agents"])) == 10
    assert (seeds["chance"][:, :, 0] == seeds["chance"][:, :, 1]).all()
    assert (seeds["agents"][:, 0] == seeds["agents"][:, 1]).all()


@pytest.mark.parametrize(
    ("known", "part"),
    [(Coin, "chance"), (Dictated, "deal"), (Guess, "choices")],
)
def test_one_part_decides(known: type[Coin], part: str) -> None:
    """In Guess a card is hidden, but whether the guess is right is up to the guesser, who
    chooses at random, as much as to the deal: either alone explains nothing."""
    result = replayed(known(compiled=False).table())
    assert sum(shares(result).values()) == pytest.approx(1)
    assert all(0 <= of.interval[0] <= of.share <= of.interval[1] <= 1 for of in result.parts)
    assert result[part].interval[1] == 1
    assert result[part].share > 0.85
    assert result.luck is not None
    assert result.luck.share == pytest.approx(result["deal"].share + result["chance"].share)


def test_the_parts_of_kuhn_poker() -> None:
    result = replayed(kibitz.load("kuhn-poker").table(), deals=1500)
    for name in PARTS:
        low, high = result[name].interval
        assert low - 0.02 <= KUHN[name] <= high + 0.02
        assert result[name].share == pytest.approx(KUHN[name], abs=0.06)


def test_a_seat_that_wins_is_not_luck() -> None:
    """Of the variance 1/4 around a fair share, 0.38² is the seat's, the rest a lottery's."""
    result = replayed(LastSeat(compiled=False).table(), deals=300)
    assert result["seat"].share == pytest.approx(0.38**2 * 4, abs=0.1)
    assert result["seat"].interval[0] < 0.38**2 * 4 < result["seat"].interval[1]
    assert result["deal"].share < 0.1


def test_a_game_that_one_seat_always_wins_has_no_luck() -> None:
    table = RecycleGame(Source("game.rcy", NIM)).table()
    result = replayed(table, "first-legal", deals=12)
    assert result.luck is not None
    assert (result["seat"].share, result.luck.share) == (1.0, 0.0)
    assert result.luck.interval[1] < 0.3  # twelve deals cannot exclude it


def test_the_highest_deal_decides() -> None:
    """Who has the higher card wins, whatever is chosen."""
    table = RecycleGame(Source("game.rcy", HIGHEST)).table()
    assert shares(replayed(table, "osla")) == {
        "seat": pytest.approx(0, abs=0.05),
        "deal": pytest.approx(1, abs=0.05),
        "chance": 0,
        "choices": 0,
        "both": 0,
    }


def test_games_without_a_winner_have_no_parts() -> None:
    """Perfect players of tic-tac-toe always draw."""
    result = replayed(kibitz.load("tic-tac-toe").table(), "mcts:iterations=2000", deals=12)
    assert (result.parts, result.luck, result.deals) == ((), None, 12)


def test_too_few_deals_say_nothing() -> None:
    assert replayed(Coin(compiled=False).table(), deals=5).parts == ()


@pytest.mark.parametrize(
    ("deal", "chance", "choices"), [(1, 0, 0), (0.5, 0.3, 0.2), (0.2, 0.2, 0.2)]
)
def test_intervals_hold_the_truth(deal: float, chance: float, choices: float) -> None:
    """Of a game whose winner is that of the deal, of chance, or of a choice, each so often."""
    random = np.random.default_rng(1)
    held = np.zeros(6)
    parts = deal, chance, choices
    both = 1 - sum(parts)
    runs = 500
    for _ in range(runs):
        who = random.random((DEALS, 1, 1))
        sources = [
            random.integers(2, size=shape)
            for shape in ((DEALS, 1, 1), (DEALS, 2, 1), (DEALS, 1, 2), (DEALS, 2, 2))
        ]
        won = np.select(
            [who < deal, who < deal + chance, who < sum(parts)],
            [np.broadcast_to(source, (DEALS, 2, 2)) for source in sources[:3]],
            sources[3],
        )
        gains = np.stack([won - 0.5, 0.5 - won], axis=-1)
        result = origins(gains, "agent")
        truth = [0.0, *parts, both, deal + chance]
        assert result.luck is not None
        for i, part in enumerate([*result.parts, result.luck]):
            held[i] += part.interval[0] - 1e-9 <= truth[i] <= part.interval[1] + 1e-9
    assert (held / runs > 0.92).all(), held / runs
