"""Results of sides: teams, all players together, and one player alone."""

from pathlib import Path

import pytest
from tests.reporting import as_text
from tests.studies.tiny_games import Left, is_lost_together, is_won_by

import kibitz
from kibitz.studies.sentences import sentences

FIREWORKS = Path(__file__).parents[1] / "recycle" / "data" / "fireworks.rcy"


def shown(result):
    """The report as one line of text."""
    return " ".join(as_text(result).split())


def pairs(*scores):
    return is_won_by(*scores, sides=lambda self, players, parameters: [(0, 2), (1, 3)])


def group(*scores, **attributes):
    attributes |= {"sides": lambda self, players, parameters: [range(players)]}
    return is_won_by(*scores, played_for="score", **attributes)


def test_a_win_of_partners_is_no_tie():
    result = kibitz.playtest(pairs(5, 2, 5, 2), players=4, games=20)
    assert [seat.win_rate for seat in result.seats] == [1, 0, 1, 0]
    assert (result.tie_rate, result.seats[0].sole_wins, result.has_teams) == (0, 20, True)
    assert (result.fairness.fair_share, result.fairness.freedom) == (0.5, 1)
    text = shown(result)
    assert "Seats 1 and 3 win 100.0 %" in text
    assert "more than their fair 50 %" in text
    assert result.to_json()["sides"] == [[1, 3], [2, 4]]


def test_sides_with_the_same_score_share_the_first_place():
    result = kibitz.playtest(pairs(5, 5, 5, 5), players=4, games=20)
    assert [seat.win_rate for seat in result.seats] == [0.5] * 4
    assert result.tie_rate == 1


def test_a_group_that_plays_for_points_is_reported_by_its_score():
    result = kibitz.playtest(group(3, 3, 3), players=3, games=20)
    assert (result.won_together, result.lost_together, result.tie_rate) == (0, 0, 0)
    assert (result.is_cooperative, result.is_only_scored, result.fairness) == (True, True, None)
    text = shown(result)
    assert "The group scores 3 ±0 on average (3 to 3)." in text
    assert "tie" not in text
    assert "win" not in text


def test_one_player_who_plays_for_points_is_reported_by_the_score():
    result = kibitz.playtest(group(4, players=(1, 1)), games=5)
    assert next(s.text for s in sentences(result)).startswith("The player scores 4 ±0")


def test_a_group_that_loses_together():
    sides = {"sides": lambda self, players, parameters: [range(players)]}
    result = kibitz.playtest(is_lost_together(**sides), players=3, games=20)
    assert (result.lost_together, result.is_only_scored) == (20, False)
    assert "The players win together in 0.0 %" in shown(result)


@pytest.mark.parametrize("lowest", [False, True])
def test_a_ladder_of_a_group_compares_scores(lowest):
    game = group(3, 3, lowest_score_wins=lowest)
    ladder = kibitz.ladder(game, agents=["random", Left()], players=2, games=10)
    assert ladder.by_score
    assert [rung.share for rung in ladder.rungs] == [3, 3]
    assert ladder.clear_rungs == 0
    assert "mean score" in shown(ladder)


def test_agents_of_a_cooperative_game_want_its_score():
    table = kibitz.load(FIREWORKS).table(3)
    chance, search = (
        kibitz.playtest(table, agents=[agent], games=30, seed=1).seats[0].score
        for agent in ("random", "ismcts:iterations=100")
    )
    assert search.interval[0] > chance.interval[1]
    assert search.mean > 2 * chance.mean


def test_one_skilled_partner_of_whist_is_compared_with_one_of_two_sides():
    budget = "random=100,skilled=0,contest=20,ladder=0,policies=0,iterations=5"
    study = kibitz.study("whist", budget=budget)
    assert study.contest.fair_share == 0.5
    text = shown(study)
    assert "50 % would be equal" in text
    assert "tie" not in text
