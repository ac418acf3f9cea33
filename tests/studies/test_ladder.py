"""The skill ladder: known answers."""

from __future__ import annotations

import math

import pytest
from tests.reporting import as_text

import kibitz
from kibitz.core.errors import ParameterError
from kibitz.core.statistics import wilson_interval
from kibitz.studies.ladder import MOST_ELO, Ladder, Rung, _is_more, elo
from kibitz.studies.ladder_report import _elo


def printed(ladder: Ladder) -> str:
    text = as_text(ladder)
    assert max(map(len, text.splitlines())) <= 80
    return " ".join(text.split())


COIN = """(game
  (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (A, B)))))
  (do ((shuffle (game iloc STOCK))))
  (choice ((turn pass) (inc (game sto NOTHING))))
  (do (((== (cardatt RANK (top (game iloc STOCK))) A) (inc ((0 player) sto WON)))
       ((== (cardatt RANK (top (game iloc STOCK))) B) (inc ((1 player) sto WON)))))
  (scoring max ((current player) sto WON)))"""


def test_a_coin_is_all_luck() -> None:
    coin = kibitz.load(COIN, language="recycle").table(2)
    rungs = ["random", "osla", "ismcts:iterations=10"]
    ladder = kibitz.ladder(coin, agents=rungs, games=400)
    assert ladder.clear_rungs == 0
    assert ladder.top is None
    assert ladder.elo_range is None
    assert "nobody can play this game better than others" in printed(ladder)


def test_nim_is_all_skill() -> None:
    """Perfect play wins always against whoever plays at random."""
    ladder = kibitz.ladder("nim", agents=["random", "ggp:iterations=2000"], games=100)
    [rung] = ladder.rungs
    assert rung.share > 0.9
    assert ladder.top is rung
    assert ladder.elo_range is not None
    assert ladder.elo_range[0] > 350


def test_tic_tac_toe_ends_where_nothing_is_gained() -> None:
    rungs = ["random", "osla", *["mcts:iterations=500"] * 5]
    ladder = kibitz.ladder("tic-tac-toe", agents=rungs, games=200)
    assert len(ladder.rungs) < len(rungs) - 1
    assert ladder.top is not None
    assert not ladder.rungs[-1].is_clear


def test_each_rung_plays_against_the_best_so_far() -> None:
    rungs = ["random", "osla", "random", "first-legal"]
    ladder = kibitz.ladder("love-letter", agents=rungs, players=3, games=200)
    assert [rung.against for rung in ladder.rungs] == ["random", "osla", "osla"]
    assert [rung.is_clear for rung in ladder.rungs] == [True, False, False]
    assert ladder.rungs[0].fair == pytest.approx(1 / 3)
    text = printed(ladder)
    assert "It pays up to osla; no gain was seen beyond it." in text
    assert "3 random 2" in text


def test_a_game_that_is_won_together() -> None:
    ladder = kibitz.ladder("pandemic", agents=["random", "osla"], players=2, games=60)
    assert [rung.against for rung in ladder.rungs] == [None, None]
    assert ladder.rungs[0].fair is None
    assert ladder.rungs[1].is_clear
    assert "agent in all seats" in printed(ladder)


def test_a_rung_that_is_not_clear_is_not_what_the_next_has_to_beat() -> None:
    """One step ahead tells little of Monty Hall; who searches switches, and wins two of three."""
    ladder = kibitz.ladder("monty-hall", agents=["random", "osla", "ggp:iterations=25"], games=400)
    lowest, ahead, search = ladder.rungs
    assert not ahead.is_clear
    assert search.is_clear
    assert search.fair == ahead.fair == lowest.share
    assert search.share == pytest.approx(2 / 3, abs=0.07)


def test_both_shares_of_teams_are_estimates() -> None:
    """18 of 30 games are not more than 12 of 30 by more than chance, 22 are."""
    before = wilson_interval(12, 30)
    for won, clear in ((18, False), (22, True)):
        interval = wilson_interval(won, 30)
        assert _is_more(won / 30, interval, 12 / 30, before) == clear
    assert wilson_interval(18, 30)[0] > 12 / 30  # as if the other share were certain


def test_equal_players_have_no_signed_zero() -> None:
    rung = Rung("b", "a", 100, 0.5, (0.4, 0.6), 0.5, False, -0.1, (-70.2, -0.2))
    assert _elo(rung) == "+0 (-70 to 0)"


def test_the_same_again() -> None:
    first, second = (
        kibitz.ladder("agram", agents=["random", "osla"], games=100, workers=workers).to_json()
        for workers in (1, 2)
    )
    assert first == second


def test_slips_are_told() -> None:
    with pytest.raises(ParameterError, match="2 agents or more"):
        kibitz.ladder("agram", agents=["random"])
    with pytest.raises(kibitz.KibitzError, match="plays love-letter only"):
        kibitz.ladder("agram", agents=["random", "love-letter-reflex"])


def test_elo() -> None:
    """Odds of ten to one are 400 points, and even odds are 0."""
    for players in range(2, 6):
        assert elo(1 / players, players) == pytest.approx(0)
        assert elo(10 / (9 + players), players) == pytest.approx(400)
    assert elo(1.0, 2) == MOST_ELO
    assert elo(0.0, 2) == -MOST_ELO
    assert elo(0.3, 2) == pytest.approx(-elo(0.7, 2))


def test_the_range_adds_up_the_clear_steps() -> None:
    ladder = kibitz.ladder(
        "love-letter", agents=["random", "osla", "love-letter-counting"], games=600
    )
    assert ladder.elo_range is not None
    points, (low, high) = ladder.elo_range
    clear = [rung for rung in ladder.rungs if rung.is_clear]
    assert points == pytest.approx(sum(rung.elo for rung in clear if rung.elo is not None))
    widths = [rung.elo_interval[1] - rung.elo for rung in clear if rung.elo and rung.elo_interval]
    assert high - points == pytest.approx(math.hypot(*widths))
    assert low < points < high
