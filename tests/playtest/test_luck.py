"""The ledger of luck and skill, of games of which it is known."""

from __future__ import annotations

import numpy as np
import pytest
from tests.playtest.known_games import Coin, Dictated, Guess, Nim

from kibitz.core.agent import make_agents
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.playtest import Playtest, playtest_game
from kibitz.playtest.judged import Judged
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.sessions.record import record_game


def judged(game: Game, games: int = 60, judge: str = "rollouts:samples=8", **more) -> Playtest:
    return playtest_game(game, games=games, seed=3, record=["judgements"], judge=judge, **more)


def shares(found: Playtest) -> dict[str, float]:
    return {source.name: source.share for source in found["ledger"]}


def test_a_coin_toss_is_all_luck() -> None:
    found = judged(Coin(compiled=False), judge="rollouts:samples=40")
    assert shares(found)["draws"] == pytest.approx(1, abs=0.1)
    assert found["luck_share"] == pytest.approx(1, abs=0.1)
    assert found["choice_gain"] == pytest.approx(0, abs=0.02)
    assert found["deal_spread_interval"][0] == 0


def test_nim_is_all_skill() -> None:
    found = judged(Nim(compiled=False))
    assert found["luck_share"] == pytest.approx(0, abs=0.05)  # a judge's noise, and no more
    sources = shares(found)
    assert sources["draws"] == 0
    assert sources["own choices"] + sources["others' choices"] == pytest.approx(1, abs=0.15)
    assert found["choice_gain"] > 0.1
    assert found["choice_gain_per_game"] > 0.3


def test_a_dictated_game_is_all_deal() -> None:
    found = judged(Dictated(compiled=False))
    assert shares(found) == pytest.approx(
        {"deal": 1, "draws": 0, "own choices": 0, "others' choices": 0, "error": 0}
    )
    assert found["deal_spread"] == pytest.approx(0.5, abs=0.03)
    assert found["winner_chance"] == (1,) * 11
    assert found["choice_gain"] == 0
    assert found["judge_error"] == 0


def test_a_guess_is_a_choice_without_a_better_option() -> None:
    found = judged(Guess(compiled=False), judge="rollouts:samples=40")
    assert found["choice_gain"] == pytest.approx(0, abs=0.03)  # as the guesser sees it
    assert shares(found)["own choices"] == pytest.approx(0.5, abs=0.05)  # with everything open
    assert found["winner_chance"][0] == pytest.approx(0.5, abs=0.1)


def test_a_ledger_adds_up_and_its_luck_has_the_mean_0() -> None:
    table = load("love-letter").table(3, tokens_to_win=1)
    agents = make_agents(["random"], 3)
    experiment = Experiment.of(table, agents, 200, seed=5, record=["judgements"])
    rows: list[Rows] = []
    ThreadRunner(experiment, table, agents).play(rows.append)
    total = rows[0]
    for part in rows[1:]:
        total = total.then(part)
    found = Judged(total.steps, total.judged_options)
    ledger = found.ledger()
    assert np.abs(ledger.sum(axis=2) - (found.outcomes - 1 / 3)).max() < 1e-9
    draws = ledger[:, :, 2]
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0)) < 3.5 * error).all()
    assert draws.std() > 0.1


def test_each_player_and_game_has_an_account() -> None:
    """Its sources add up to the outcome, which is that of the game with this seed."""
    agents = ["osla", "random"]
    found = judged(load("agram"), 6, players=2, judge="rollouts:samples=2", agents=agents)
    assert len(found["accounts"]) == 12
    for one in found["accounts"]:
        gained = one.place + one.deal + one.draws + one.own + one.others + one.error
        assert abs(1 / 2 + gained - one.outcome) < 1e-9
    table = load("agram").table(2)
    for first, second in zip(*[iter(found["accounts"])] * 2, strict=True):
        assert first.seed == second.seed
        assert {first.agent, second.agent} == set(agents)
        record = record_game(table, [first.agent, second.agent], first.seed)
        winner = record.result.places.index(1) + 1
        assert [one.seat for one in (first, second) if one.outcome == 1] == [winner]


def test_shards_add_up() -> None:
    once, more = (judged(load("agram"), 90, players=3, workers=workers) for workers in (1, 2))
    for name in (
        "ledger",
        "mean_draws",
        "deal_spread",
        "winner_chance",
        "choice_gain",
        "accounts",
    ):
        assert once[name] == more[name]
    assert sum(shares(once).values()) == pytest.approx(1)


def test_without_judgements_there_is_nothing() -> None:
    found = playtest_game("tic-tac-toe", games=5)
    assert found["judged_games"] == 0
    assert found["ledger"] == ()
    assert found["luck_share"] is found["choice_gain"] is None


def test_a_skilled_player_gains_by_choosing() -> None:
    random = judged(Nim(compiled=False))
    skilled = judged(Nim(compiled=False), games=15, agents="mcts:iterations=30")
    assert random["chosen_gain"] == pytest.approx(0, abs=0.05)
    assert skilled["chosen_gain"] > 0.1
