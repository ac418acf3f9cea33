"""Tuning games: goals, and a broken game that is repaired."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import kibitz
from kibitz.core.errors import ParameterError
from kibitz.runs import Shard
from kibitz.studies.tuning import GameProblem, tune
from kibitz.studies.tuning.goals import Wanted
from kibitz.studies.tuning.plots import in_lines, tuning_plots
from kibitz.studies.tuning.problem import Order, Statistic
from kibitz.studies.tuning.report import sentences
from kibitz.studies.tuning.results import Gain, front_of

DASH = Path(__file__).with_name("dash.rcy")


@pytest.fixture(scope="module")
def dash() -> kibitz.Game:
    return kibitz.load(DASH)


def problem_of(dash: kibitz.Game, *goals: str, space: str = "0..2") -> GameProblem:
    return GameProblem(dash, goals, narrowed={"bonus": space})


def test_a_broken_game_is_repaired(dash: kibitz.Game) -> None:
    """Who begins wins some 60 %; a bonus of one point for the other is the cure."""
    before = kibitz.playtest(dash, games=2000)
    assert before.seats[0].win_rate is not None
    assert before.seats[0].win_rate > 0.58
    problem = GameProblem(dash, ["fairness<=2"], narrowed={"bonus": "0..3", "target": "10,12,14"})
    tuning = tune(problem, games=20_000, seed=1)
    assert tuning.winner is not None
    assert problem.space.changed(tuning.winner.point)["bonus"] == "1"
    assert tuning.improved
    assert "--set bonus=1" in problem.use(tuning.winner.point)
    after = kibitz.playtest(dash, games=2000, seed=9, parameters={"bonus": 1})
    assert after.seats[0].win_rate is not None
    assert abs(after.seats[0].win_rate - 0.5) < 0.04
    [bonus] = [effect for effect in tuning.effects if effect.name == "bonus"]
    assert bonus.share > 0.3
    assert bonus.p_value < 1e-6
    assert any(text.startswith("Better: ") for text, _ in sentences(tuning))


def test_several_goals_give_a_front(dash: kibitz.Game) -> None:
    problem = GameProblem(
        dash,
        ["fairness<=1", "decisions=8"],
        narrowed={"bonus": "0..2", "target": "8,12,16"},
    )
    tuning = tune(problem, games=12_000, seed=2)
    assert tuning.front
    assert {finalist.point for finalist in tuning.front} <= {
        finalist.point for finalist in tuning.finalists
    }
    assert list(tuning.front) == front_of(tuning.finalists)
    for finalist in tuning.front:
        assert not any(other.dominates(finalist) for other in tuning.finalists)
    assert len(tuning.gains or ()) == 2
    assert len(tuning.to_json()["gains"]) == 2


def test_values_are_those_of_a_playtest(dash: kibitz.Game) -> None:
    goals = ["seat 1 wins=50 %", "ties<=1", "unfinished<=0", "minutes=2", "hidden_share<=50 %"]
    goals += ["turns_per_game=10", "max seats[].win_rate<=60 %", "fairness<=1"]
    problem = problem_of(dash, *goals)
    block = problem.play(problem.space.start, Order(7, Shard(0, 300), 2))
    plain = kibitz.playtest(dash, games=300, seed=7)
    values = [
        goal.value(statistics)
        for goal, statistics in zip(problem.goals, block.statistics, strict=True)
    ]
    rate = plain.seats[0].win_rate
    assert rate is not None
    assert values[0].value == pytest.approx(rate)
    assert values[1].value == pytest.approx(plain.tie_rate)
    assert values[2].value == 0
    assert plain.decisions_per_game.mean is not None
    assert values[3].value == pytest.approx(plain.decisions_per_game.mean / 6)
    assert values[4].value == pytest.approx(plain.hidden_share)
    assert values[5].value == pytest.approx(plain.turns_per_game.mean)
    assert values[6].value == pytest.approx(rate)
    assert values[7].value == pytest.approx(100 * abs(rate - 0.5))
    assert values[0].variance ** 0.5 == pytest.approx((rate * (1 - rate) / 300) ** 0.5, rel=0.01)


def test_noise_alone_is_not_unfair(dash: kibitz.Game) -> None:
    [goal] = problem_of(dash, "fairness<=1").goals
    noise = Statistic(0.03, 0.035**2)
    assert goal.loss((noise, Statistic(-0.03, 0.035**2))) == 0
    sure = (Statistic(0.10, 0.01**2), Statistic(-0.10, 0.01**2))
    assert goal.loss(sure) == pytest.approx(9, abs=0.1)
    assert goal.optimiser_value(sure) < goal.optimiser_value((noise, noise)) == 0


def test_distances_count_tolerances(dash: kibitz.Game) -> None:
    exact, few, most = problem_of(
        dash, "turns=10±2", "seat 1 wins>=40 % ± 5", "seat 2 wins<=45 %"
    ).goals
    assert exact.loss((Statistic(14, 0),)) == pytest.approx(2)
    assert exact.loss((Statistic(6, 0),)) == pytest.approx(2)
    assert few.loss((Statistic(0.3, 0),)) == pytest.approx(2)
    assert few.loss((Statistic(0.9, 0),)) == 0
    assert most.loss((Statistic(0.48, 0),)) == pytest.approx(3)
    assert exact.is_met(Statistic(11.9, 0))
    assert not exact.is_met(Statistic(12.1, 0))


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("fairnes<=1", "Did you mean 'fairness'"),
        ("fairness", "is no goal"),
        ("minutes=1.2.3", "is no goal"),
        ("fairness=1", "fairness<=1"),
        ("seats[].win_rate<=60 %", "write max or min"),
        ("luck_spread=3", "There is no measure"),
        ("turns=10±0", "more than 0"),
    ],
)
def test_goals_that_cannot_be(dash: kibitz.Game, goal: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        problem_of(dash, goal)


def test_a_goal_as_it_is_written() -> None:
    goal = Wanted.read(" games  tied <= 5 % ± 0.5")
    assert (goal.name, goal.sense, goal.target) == ("games  tied", "<=", 5.0)
    assert (goal.percent, goal.tolerance) == (True, 0.5)
    assert Wanted.read("turns=10+-2").tolerance == 2


def test_judged_measures(dash: kibitz.Game) -> None:
    problem = problem_of(dash, "luck>=50 %")
    block = problem.play(problem.space.start, Order(3, Shard(0, 20), 1))
    [[luck]] = block.statistics
    assert luck.variance > 0


def test_combinations_that_a_game_refuses() -> None:
    game = kibitz.load("love-letter")
    problem = GameProblem(
        game, ["decisions=40"], players=4, narrowed={"set_aside": "0..3", "guards": "1..8"}
    )
    for point in list(problem.space.points())[:8]:
        values = problem.space.values(point)
        parameters = game.Parameters(4, **values)
        assert problem.feasible(point) == (game.problem(4, parameters) is None)


def test_no_goal(dash: kibitz.Game) -> None:
    with pytest.raises(ParameterError, match="Give a goal"):
        GameProblem(dash, [])


def test_goals_are_told_where_nothing_better_was_found(dash: kibitz.Game) -> None:
    problem = GameProblem(dash, ["decisions<=1"], start={"target": 8}, narrowed={"target": "8,16"})
    tuning = tune(problem, games=2000, seed=1)
    assert tuning.winner is not None
    assert tuning.winner.point == problem.space.start
    texts = [text for text, _ in sentences(tuning)]
    assert any(text.startswith("decisions<=1: missed: ") for text in texts)
    assert "Keep what you have, or search on with more games or another --seed." in texts
    problem = GameProblem(dash, ["decisions<=99"], narrowed={"target": "8,16"})
    texts = [text for text, _ in sentences(tune(problem, games=2000, seed=1))]
    assert any(text.startswith("decisions<=99: met") for text in texts)
    assert texts[-1] == "Keep what you have."


def test_of_several_goals_it_is_said_which_are_better_and_which_worse(dash: kibitz.Game) -> None:
    problem = GameProblem(
        dash, ["fairness<=1", "decisions=8"], narrowed={"bonus": "0,1", "target": "8,16"}
    )
    tuning = tune(problem, games=4000, seed=2)
    assert tuning.winner is not None
    better = Gain(Statistic(9, 0), Statistic(1, 0), Statistic(-8, 0), True, False)
    worse = Gain(Statistic(8, 0), Statistic(9, 0), Statistic(1, 0), False, True)
    even = Gain(Statistic(8, 0), Statistic(9, 0), Statistic(1, 9), False, False)
    winner = replace(tuning.winner, point=(1, 0))
    for gains, urgent, words in (
        ((better, worse), True, "Better in fairness, worse in decisions a game: "),
        ((better, even), False, "Better in fairness: "),
        ((better, better), False, "Better in fairness and decisions a game: "),
    ):
        first = next(sentences(replace(tuning, gains=gains, winner=winner)))
        assert first.urgent == urgent
        assert first.text.startswith(words)


def test_a_gain_is_better_or_worse_beyond_chance(dash: kibitz.Game) -> None:
    problem = GameProblem(dash, ["decisions>=30"], narrowed={"target": "8,16"})
    tuning = tune(problem, games=2000, seed=1)
    [gain] = tuning.gains or ()
    assert gain.is_better
    assert not gain.is_worse
    assert gain.to_json()["worse"] is False


def test_a_drawn_interval_has_possible_values_only(dash: kibitz.Game) -> None:
    """Nobody is fewer than 0 points off a fair share, and names of points have short lines."""
    problem = problem_of(dash, "fairness<=1", "seat 1 wins=50 %", "decisions=8")
    fairness, share, decisions = problem.goals
    assert fairness.possible((-3.0, 120.0)) == (0.0, 120.0)
    assert share.possible((-0.1, 1.2)) == (0.0, 1.0)
    assert decisions.possible((-3.0, 120.0)) == (-3.0, 120.0)
    space = {"bonus": "0,1,2", "target": "8,10,12,14,16,18,20,22,24"}
    wide = GameProblem(dash, ["fairness<=1"], narrowed=space)
    tuning = tune(wide, games=4000, each=40, seed=1)
    drawn = {plot.name: str(plot.draw().to_dict()) for plot in tuning_plots(tuning)}
    bars = re.findall(r"'low': (-?[\d.e-]+)", drawn["race-1"])
    assert bars
    assert min(map(float, bars)) == 0
    assert in_lines("bonus=1, target=20, other=3") == "bonus=1, target=20,\nother=3"
    assert "'labelAngle': -90" in drawn["values"]  # of target, whose values are many
    assert "'labelAngle': 0" in drawn["values"]
