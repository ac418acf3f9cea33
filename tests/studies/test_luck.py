"""The ledger of luck and skill, in games where their shares are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.studies.known_games import Coin, Dictated, Guess, Nim

import kibitz
from kibitz.arena.judging import OPTION, step_dtype
from kibitz.core.agent import make_agents
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.studies import Playtest
from kibitz.studies.judged import Judged
from kibitz.studies.measures.luck import Luck


def judged(game: Game, games: int = 60, judge: str = "rollouts:samples=8", **more) -> Playtest:
    return kibitz.playtest(game, games=games, seed=3, record=["judgements"], judge=judge, **more)


def shares(playtest: Playtest) -> dict[str, float]:
    return {source.name: source.share for source in playtest["ledger"]}


def test_a_coin_toss_is_all_luck() -> None:
    playtest = judged(Coin(compiled=False), judge="rollouts:samples=40")
    assert shares(playtest)["draws"] == pytest.approx(1, abs=0.1)
    assert playtest["luck_share"] == pytest.approx(1, abs=0.1)
    assert playtest["choice_gain"] == pytest.approx(0, abs=0.02)
    assert playtest["deal_spread_interval"][0] == 0


def test_nim_is_all_skill() -> None:
    playtest = judged(Nim(compiled=False))
    assert playtest["luck_share"] == pytest.approx(0, abs=0.05)  # a judge's noise, and no more
    sources = shares(playtest)
    assert sources["draws"] == 0
    assert sources["own choices"] + sources["others' choices"] == pytest.approx(1, abs=0.15)
    assert playtest["choice_gain"] > 0.1
    assert playtest["choice_gain_per_game"] > 0.3


def test_a_dictated_game_is_all_deal() -> None:
    playtest = judged(Dictated(compiled=False))
    assert shares(playtest) == pytest.approx(
        {"deal": 1, "draws": 0, "own choices": 0, "others' choices": 0, "error": 0}
    )
    assert playtest["deal_spread"] == pytest.approx(0.5, abs=0.03)
    assert playtest["winner_chance"] == (1,) * 11
    assert playtest["choice_gain"] == 0
    assert playtest["judge_error"] == 0


def test_a_guess_is_a_choice_without_a_better_option() -> None:
    playtest = judged(Guess(compiled=False), judge="rollouts:samples=40")
    assert playtest["choice_gain"] == pytest.approx(0, abs=0.03)  # as the guesser sees it
    assert shares(playtest)["own choices"] == pytest.approx(0.5, abs=0.05)  # with everything open
    assert playtest["winner_chance"][0] == pytest.approx(0.5, abs=0.1)


def test_a_ledger_adds_up_and_its_luck_has_the_mean_0() -> None:
    table = load("love-letter").table(3, tokens_to_win=1)
    agents = make_agents(["random"], 3)
    experiment = Experiment.of(table, agents, 200, seed=5, record=["judgements"])
    rows: list[Rows] = []
    ThreadRunner(experiment, table, agents).play(rows.append)
    total = rows[0]
    for shard in rows[1:]:
        total = total.then(shard)
    judgements = Judged(total.steps, total.judged_options, 1 / 3)
    ledger = judgements.ledger()
    assert np.abs(ledger.sum(axis=2) - (judgements.outcomes - 1 / 3)).max() < 1e-9
    draws = ledger[:, :, 2]
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0)) < 3.5 * error).all()
    assert draws.std() > 0.1


def test_each_player_and_game_has_an_account() -> None:
    """Its sources add up to the outcome, which is that of the game with this seed."""
    agents = ["osla", "random"]
    playtest = judged(load("agram"), 6, players=2, judge="rollouts:samples=2", agents=agents)
    assert len(playtest["accounts"]) == 12
    for account in playtest["accounts"]:
        gained = (
            account.place
            + account.deal
            + account.draws
            + account.own
            + account.others
            + account.error
        )
        assert abs(1 / 2 + gained - account.outcome) < 1e-9
    table = load("agram").table(2)
    for first, second in zip(*[iter(playtest["accounts"])] * 2, strict=True):
        assert first.seed == second.seed
        assert {first.agent, second.agent} == set(agents)
        record = kibitz.record(table, [first.agent, second.agent], first.seed)
        winner = record.result.places.index(1) + 1
        assert [account.seat for account in (first, second) if account.outcome == 1] == [winner]


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
    playtest = kibitz.playtest("tic-tac-toe", games=5)
    assert playtest["judged_games"] == 0
    assert playtest["ledger"] == ()
    assert playtest["luck_share"] is playtest["choice_gain"] is None


def test_a_skilled_player_gains_by_choosing() -> None:
    random = judged(Nim(compiled=False))
    skilled = judged(Nim(compiled=False), games=15, agents="mcts:iterations=30")
    assert random["chosen_gain"] == pytest.approx(0, abs=0.05)
    assert skilled["chosen_gain"] > 0.1


def by_hand(
    games: list[list[tuple[int, float, float, int]]],
    options: list[tuple[float, float]],
    first: int = 0,
) -> Judged:
    """Judged games of two players.

    Each step is its seat, the value to the first seat before and after the choice, and whether
    chance had a part since the step before.
    """
    steps = []
    for number, game in enumerate(games, first):
        for action, (seat, before, after, chance) in enumerate(game):
            step = np.zeros((), step_dtype(2))
            step["game"], step["action"] = number, action
            step["seat"], step["chance"] = seat, chance
            for half, apart in enumerate((-0.05, 0.05)):  # a value is the mean of its halves
                step["seats"]["before"][:, half] = before + apart, 1 - before + apart
                step["seats"]["after"][:, half] = after + apart, 1 - after + apart
            steps.append(step)
    judged_options = np.zeros(len(options), OPTION)
    judged_options["seen"] = np.reshape(options, (-1, 2))
    return Judged(np.array(steps), judged_options, 0.5)


WON = [(0, 0.6, 0.7, 0), (1, 0.8, 0.5, 1), (0, 0.45, 0.55, 0), (-1, 1.0, 1.0, 1)]
LOST = [(1, 0.3, 0.3, 1), (1, 0.25, 0.2, 0), (-1, 0.0, 0.0, 0)]


def test_the_ledger_of_two_games_by_hand() -> None:
    ledger = by_hand([WON, LOST], []).ledger()
    # place, deal, draws, own choices, others' choices, error
    won = [-0.05, 0.15, 0.1 + 0.45, 0.1 + 0.1, -0.3, -0.05]
    lost = [-0.05, -0.15, 0, 0, -0.05, -0.05 - 0.2]
    assert ledger[:, 0].tolist() == [pytest.approx(won), pytest.approx(lost)]
    won = [0.05, -0.15, -0.55, 0.3, -0.2, 0.05]
    lost = [0.05, 0.15, 0, 0.05, 0, 0.25]
    assert ledger[:, 1].tolist() == [pytest.approx(won), pytest.approx(lost)]


def test_the_judges_error_by_hand() -> None:
    """Half the root of the mean square by which two halves differ, over all shards."""
    luck = Luck(SimpleNamespace(agents=("random", "random")))  # type: ignore[arg-type]
    nan = float("nan")
    shards: Any = [
        (0, WON, [(0.5, 0.7), (0.2, 0.1), (nan, nan)]),
        (1, LOST, [(1.0, 0.6), (0.3, nan)]),
    ]
    for first, game, options in shards:
        played = np.zeros(1, [("seed", np.int64), ("seats", [("agent", np.int32)], (2,))])
        rows = SimpleNamespace(shard=SimpleNamespace(first=first))
        judged_games = by_hand([game], options, first)
        luck.add(SimpleNamespace(judged=judged_games, rows=rows, games=played))  # type: ignore[arg-type]
    values = luck.finish()
    assert values["judged_games"] == 2
    assert values["judge_error"] == pytest.approx(np.sqrt((0.04 + 0.01 + 0.16) / 3) / 2)
