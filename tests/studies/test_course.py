"""Leads: curves whose every number is known, drawn by hand."""

import numpy as np
import pytest

import kibitz
from kibitz.authoring import Action, ActionKinds, Game, add, finish_by_score, pack
from kibitz.studies.curves import Curves
from kibitz.studies.measures.course import decided_at, growth, lead_changes, was_last


def curves(*games):
    """Curves of two seats or more: for each game its values, moment by moment."""
    values = np.array([moment for game in games for moment in game], float)
    starts = np.cumsum([0, *map(len, games)])
    final = values[starts[1:] - 1]
    won = final == final.max(axis=1, keepdims=True)
    return Curves("score", starts, values, won / won.sum(axis=1, keepdims=True))


DICTATED = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]
LATE = [(0, 0), (0, 1), (0, 2), (0, 2), (3, 2)]
SEESAW = [(0, 0), (1, 0), (1, 2), (3, 2), (3, 4)]


def test_a_dictated_game_is_decided_at_move_0_and_a_late_one_at_its_end():
    assert decided_at(curves(DICTATED, LATE, SEESAW)).tolist() == [0, 1, 1]
    turned = [(0, 0), (0, 1), (2, 1), (3, 1), (4, 1)]
    assert decided_at(curves(turned)).tolist() == [0.5]


def test_lead_changes_are_counted_and_shared_leads_are_none():
    assert lead_changes(curves(DICTATED, LATE, SEESAW)).tolist() == [0, 1, 3]
    shared = [(0, 0), (1, 0), (1, 1), (2, 1)]
    assert lead_changes(curves(shared)).tolist() == [0]


def test_a_comeback_is_from_the_last_place_after_the_first_quarter():
    early = [(0, 0), (0, 1), (2, 1), (3, 1), (4, 1)]
    assert was_last(curves(DICTATED, LATE, SEESAW, early)).tolist() == [False, True, True, False]


@pytest.mark.parametrize(("final", "expected"), [((2, 0), 0), ((4, 0), 1), ((1, 1), -1)])
def test_lead_growth_is_0_where_leads_stay_1_where_they_double_and_minus_1_where_they_vanish(
    final, expected
):
    moved, distance = growth(curves([(0, 0), (2, 0), final]))
    assert (moved / distance).tolist() == [expected]


class Steps(ActionKinds):
    TAKE = Action("take {n}", n=("one", "none"))


class Race(Game):
    """A game of twelve turns with a random score each; leads neither grow nor shrink."""

    name = "race"
    players = (2, 3)
    max_ticks = 100
    Actions = Steps

    @staticmethod
    def setup(state, params):
        pass

    @staticmethod
    def legal_actions(state, params, actions):
        add(actions, pack(Steps.TAKE, 0))
        add(actions, pack(Steps.TAKE, 1))

    @staticmethod
    def apply_action(state, params, action):
        state.seat[state.player].score += 1 - (action >> 8 & 1)
        state.player = (state.player + 1) % state.players
        if state.tick == 12 * state.players:
            finish_by_score(state)


class Snowball(Race):
    """A game in which the leader scores more: a runaway leader by rule."""

    name = "snowball"

    @staticmethod
    def apply_action(state, params, action):
        seat = state.seat[state.player]
        seat.score += (1 - (action >> 8 & 1)) * (1 + seat.score)
        state.player = (state.player + 1) % state.players
        if state.tick == 12 * state.players:
            finish_by_score(state)


def played(game, **more):
    return kibitz.playtest(game(compiled=False), games=150, record=["decisions"], **more)


def test_a_runaway_leader_is_told_from_a_fair_race():
    race, snowball = played(Race, players=2), played(Snowball, players=2)
    assert race["course_by"] == snowball["course_by"] == "score"
    low, high = race["lead_growth_interval"]
    assert low < 0 < high
    assert high < 0.5
    assert snowball["lead_growth_interval"][0] > 1


def test_players_in_turn_wait_for_all_others():
    playtest = played(Race, players=3)
    assert playtest["waiting"].mean == pytest.approx((11 * 2 * 3 + 0 + 1 + 2) / 36)
    assert playtest["longest_wait"].mean == 2
    assert playtest["eliminated"] == playtest["out_for"] == 0


def test_exploding_kittens_puts_everybody_out_but_one():
    playtest = kibitz.playtest("exploding-kittens", players=4, games=60, record=["decisions"])
    assert playtest["eliminated"] == pytest.approx(0.5, abs=0.01)  # the last one goes as it ends
    assert 0 < playtest["out_for"] < 0.5
    assert playtest["longest_wait"].mean > 6


def test_a_game_that_nobody_leads_has_no_course():
    playtest = kibitz.playtest(kibitz.load("connect-four"), games=10, record=["decisions"])
    assert playtest["course_by"] is None
    assert playtest["lead_growth"] is None


def test_the_heuristic_is_that_of_whoever_decides():
    board = kibitz.playtest("tic-tac-toe", games=100, record=["decisions"])
    heuristic = board["heuristic"]
    assert -1 <= heuristic.min < 0 < heuristic.max <= 1
    assert heuristic.interval[0] < heuristic.mean < heuristic.interval[1]
    assert heuristic.count == round(100 * board.decisions_per_game.mean)
    assert board["heuristic_values"] > 3
    assert kibitz.playtest("tic-tac-toe", games=3)["heuristic"].mean is None
