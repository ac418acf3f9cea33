"""Measures of other systems: games whose every number is known."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from tests.studies import tiny_games

import kibitz
from kibitz.arena.judging import OPTION, step_dtype
from kibitz.studies.judged import Judged
from kibitz.studies.measures.kingmaking import Kingmaking
from kibitz.studies.measures.published import _WinChances


def judged(*games, options=None):
    """Judged games of two players who decide in turn: each a list of the first one's chances.

    The two options of a decision are worth a tenth more and less than the state, to the mover, or
    as `options` says.
    """
    steps, choices = [], []
    for number, chances in enumerate(games):
        for action, chance in enumerate(chances):
            step = np.zeros((), step_dtype(2))
            last = action == len(chances) - 1
            step["game"], step["action"] = number, action
            step["seat"] = -1 if last else action % 2
            step["options"] = step["judged"] = step["drawn"] = 0 if last else 2
            step["chosen"] = -1 if last else 0
            after = chance if last else chances[action + 1]
            for p, (before, later) in enumerate([(chance, after), (1 - chance, 1 - after)]):
                step["seats"][p]["before"], step["seats"][p]["after"] = before, later
            steps.append(step)
            own = chance if action % 2 == 0 else 1 - chance
            for extra in () if last else options or (0.1, -0.1):
                option = np.zeros((), OPTION)
                option["seen"] = option["open"] = own + extra
                choices.append(option)
    return Judged(np.array(steps), np.array(choices), 0.5)


def looked_at(*games, winners, **more):
    judgements = judged(*games, **more)
    all_of_them = _WinChances(judgements, np.array(winners))
    values = {**all_of_them.courses(), **all_of_them.decisions()}
    return {
        name: float(top.sum() / bottom.sum()) if bottom.sum() else None
        for name, (top, bottom) in values.items()
    }


LOST_AND_WON = [0.5, 0.25, 0.5, 0.75, 1.0]
"""The first player trails once, leads once and wins."""


def test_the_course_of_one_game_by_hand():
    values = looked_at(LOST_AND_WON, winners=[0])
    assert values["behind"] == pytest.approx(math.sqrt(0.5))  # the one moment behind
    assert values["drama"] == pytest.approx(math.sqrt(0.5) / 4)
    assert values["deficit"] == pytest.approx(0.5 / 4)
    assert values["threshold"] == 0.75  # the loser had it once
    assert values["decisive"] == 0  # and the winner not more before the end
    # leads of 0, .5, 0, .5 where a straight line has 0, .25, .5, .75
    assert values["uncertainty"] == pytest.approx((0 - 0.25 + 0.5 + 0.25) / 4)
    assert values["variance"] == pytest.approx(np.var(LOST_AND_WON[:4]))
    assert values["killer"] == values["killer crossed"] == 0.25  # .5 to .75 by the first one


def test_lead_changes_as_a_share_of_the_moves():
    """.5 belongs to the first seat: from it to the second one and back is two changes."""
    assert looked_at(LOST_AND_WON, winners=[0])["changes"] == 0.5


def test_a_dictated_game_has_no_drama_and_all_security():
    values = looked_at([0.9, 0.9, 0.9, 0.9, 1.0], winners=[0])
    assert values["behind"] is None
    assert values["drama"] == values["deficit"] == values["trailing by game"] == 0
    assert values["trailing"] is None  # published: not a number
    assert values["security"] == values["security by game"] == 1
    assert values["decided at"] == 0
    assert values["decisive"] > 0.7


def test_decisiveness_of_a_game_that_is_never_decided_before_its_end():
    """Published, the last decision counts as decided; corrected, none does."""
    values = looked_at([0.5, 0.5, 0.5, 0.5, 1.0], winners=[0])
    assert values["decided at"] == 1
    assert values["late"] == 1 - (2 - 1) / 2


def test_spread_and_clarity_of_two_options():
    values = looked_at(LOST_AND_WON, winners=[0])
    assert values["spread"] == pytest.approx(0.2)
    assert values["spread crossed"] == pytest.approx(0.2)
    assert values["clarity"] == 1
    clear = looked_at(LOST_AND_WON, winners=[0], options=(0.4, -0.4))
    assert clear["clarity"] == clear["clarity crossed"] == 0


def test_the_judges_noise_makes_a_published_spread_but_no_crossed_one():
    """Options of equal worth, seen through noise: a dummy choice has the spread 0."""
    noise = np.random.default_rng(5)
    judgements = judged(*[[0.5] * 9] * 500)
    judgements.options["seen"] = 0.5 + noise.normal(0, 0.1, judgements.options["seen"].shape)
    crossed, plain = judgements.extremes(), judgements.extremes(crossed=False)
    decides = judgements.steps["options"] > 1
    error = 0.1 / math.sqrt(decides.sum())
    assert abs((crossed[0] - crossed[1])[decides].mean()) < 4 * error
    assert (plain[0] - plain[1])[decides].mean() > 0.05


def test_coolness_counts_the_falls_of_a_players_own_chance():
    """Own chances of the first one: .5, .5; of the second: .75, .25, a fall: one of two."""
    assert looked_at(LOST_AND_WON, winners=[0])["coolness"] == 0.5


def named(playtest, member):
    return {formula.name: formula for formula in playtest[member]}


def test_balance_fairness_and_uniformity_of_a_game_that_the_first_seat_always_wins():
    formulas = named(
        kibitz.playtest(tiny_games.is_won_by(1, 0), games=50, players=2), "published_outcomes"
    )
    assert formulas["Browne: balance"].published == 0
    assert formulas["CardStock: fairness"].published == 0
    assert formulas["CardStock: fairness"].corrected == 0
    assert formulas["Browne: completion"].published == 1
    assert formulas["Ludii: outcome uniformity"].published == 1  # everybody always gets the same


def test_balance_and_fairness_of_a_game_that_is_always_shared():
    formulas = named(
        kibitz.playtest(tiny_games.is_won_by(1, 1), games=50, players=2), "published_outcomes"
    )
    assert formulas["Browne: balance"].published == 1
    assert formulas["CardStock: fairness"].published == 1


def test_completion_counts_games_without_an_end():
    playtest = kibitz.playtest(tiny_games.fails(), games=200, parameters={"chance": 50})
    completion = named(playtest, "published_outcomes")["Browne: completion"]
    low, high = completion.published_interval
    assert low < completion.published == playtest.finished / 200 < high


def test_order_is_1_for_who_always_wins_and_needs_one_against_others():
    agents = ["first-legal", "random"]
    playtest = kibitz.playtest("tic-tac-toe", agents=agents, games=100)
    order = named(playtest, "published_outcomes").get("CardStock: order")
    rate = playtest.agents[0].win_rate
    assert order.published == pytest.approx(2 * rate - 1)
    same = kibitz.playtest("tic-tac-toe", games=10)
    assert "CardStock: order" not in named(same, "published_outcomes")


def test_convergence_of_options_that_become_one_less_each_time():
    """Tic-tac-toe: 9, 8, 7 ...: a slope of -1, which is CardStock's 1; and a correlation of -1."""
    playtest = kibitz.playtest("tic-tac-toe", games=50, record=["decisions"])
    [convergence] = playtest["published_options"]
    assert convergence.published == pytest.approx(1)
    assert convergence.corrected == pytest.approx(1)


def kingmaking_of(judgements):
    """What the measure says of judged games of three players."""
    table = SimpleNamespace(sides=((0,), (1,), (2,)))
    measure = Kingmaking(SimpleNamespace(players=3, table=table, fair_share=1 / 3))
    measure.add(SimpleNamespace(judged=judgements))
    return measure.finish()


def test_a_player_who_cannot_win_and_decides_who_does_is_a_kingmaker():
    """Three players: the last one, without a chance, gives the game to one of the others."""
    steps = np.zeros(2, step_dtype(3))
    steps["seat"], steps["options"], steps["judged"], steps["drawn"] = (
        [2, -1],
        [2, 0],
        [2, 0],
        [2, 0],
    )
    steps["seats"]["before"][0] = np.array([0.5, 0.5, 0.0])[:, None]
    steps["seats"]["after"][0] = np.array([1.0, 0.0, 0.0])[:, None]
    judgements = Judged(steps, np.zeros(2, OPTION), 1 / 3)

    values = kingmaking_of(judgements)
    assert values["kingmaking"] == pytest.approx((0.25 + 0.25) / (1 - 1 / 3))
    assert values["kingmaker_decisions"] == 1
    steps["seats"]["before"][0] = np.array([0.4, 0.4, 0.2])[:, None]  # it can win: no kingmaker
    assert kingmaking_of(Judged(steps, np.zeros(2, OPTION), 1 / 3))["kingmaking"] == 0


def test_kingmaking_needs_three_players():
    assert kibitz.playtest("tic-tac-toe", games=3, record=["judgements"])["kingmaking"] is None
