"""Groups of actions: a game whose every number is known."""

import pytest
from tests.studies import tiny_games

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.results import win
from kibitz.runs import Experiment, ThreadRunner
from kibitz.studies.measures import Measurement
from kibitz.studies.measures.choices import Choices
from kibitz.studies.sample import RunMetadata, Sample


class LeftWins(tiny_games.Tiny):
    """The first player goes left and wins, or right and loses."""

    max_ticks = 1

    @staticmethod
    def apply_action(state, params, action):
        win(state, action >> 8 & 1)


def found(game, agents="random", games=400, **more):
    playtest = kibitz.playtest(game, agents=agents, games=games, record=["decisions"], **more)
    return {(choice.agent, choice.pattern): choice for choice in playtest["choices"]}


def test_an_option_that_wins_gains_the_whole_game():
    """Going left wins always, going right never: at even chances the gain is 1, and -1."""
    choices = found(LeftWins(compiled=False), players=2)
    go_left, go_right = choices["random", "go left"], choices["random", "go right"]
    assert go_left.offered == go_right.offered == 400
    assert go_left.chosen + go_right.chosen == 400
    assert go_left.rate == pytest.approx(0.5, abs=0.1)
    assert go_left.rate_interval[0] < go_left.rate < go_left.rate_interval[1]
    assert (go_left.win_rate, go_right.win_rate) == (1, 0)
    assert go_left.gain == pytest.approx(1)
    assert go_right.gain == pytest.approx(-1)
    assert go_left.expected == go_right.expected == 200


def test_what_is_no_choice_is_not_counted_as_one():
    """Both options go somewhere: all decisions belong to ``go *``, and none is a choice of it."""
    every = found(LeftWins(compiled=False), players=2)["random", "go *"]
    assert (every.always, every.offered, every.chosen) == (400, 0, 0)
    assert every.rate is every.win_rate is every.gain is None


def test_a_dummy_choice_gains_nothing():
    choices = found(tiny_games.is_won_by(1, 0), players=2, parameters={"chance": 100})
    go_left = choices["random", "go left"]
    assert go_left.gain_interval[0] < 0 < go_left.gain_interval[1]
    assert abs(go_left.gain) < 0.1


def test_agents_are_told_apart_and_only_random_play_has_a_gain():
    agents = ["first-legal", "random"]
    choices = found(LeftWins(compiled=False), agents, players=2)
    first = choices["first-legal", "go left"]
    assert (first.rate, first.preference, first.gain) == (1.0, 2.0, None)
    assert first.offered == 200  # they take turns in the first seat
    assert choices["random", "go left"].gain == pytest.approx(1)


def test_random_love_letter_shows_that_playing_the_princess_loses():
    princess = found("love-letter")["random", "play Princess"]
    assert princess.gain_interval[1] < -0.05
    assert princess.preference == pytest.approx(1, abs=0.1)


def test_any_division_into_shards_gives_the_same_choices():
    table = LeftWins(compiled=False).table(2)
    agents = make_agents(["random"], 2)
    metadata = RunMetadata.of(table, agents, True)

    def measured(size):
        experiment = Experiment(
            "tiny", "", 2, {}, ("random", "random"), 60, shard_games=size, record=("decisions",)
        )
        measurement = Measurement(metadata, ["decisions"])
        ThreadRunner(experiment, table, agents).play(
            lambda rows: measurement.add(Sample(metadata, rows))
        )
        return measurement.finish()["choices"]

    once = measured(60)
    assert len(once) == 3
    assert measured(7) == once


def test_without_decisions_there_are_no_choices():
    assert kibitz.playtest("tic-tac-toe", games=5)["choices"] == ()
    assert Choices.members.keys() >= {"choices"}
