import dataclasses
import functools
import json
import math
import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from tests.studies import tiny_games
from tests.studies.tiny_games import Broken, Cheat, Left

import kibitz
from kibitz.arena.judge import Judge
from kibitz.core.agent import make_agent, make_agents
from kibitz.core.errors import AgentError, ParameterError, UnknownGameError
from kibitz.core.registry import load
from kibitz.core.results import win
from kibitz.core.state import hidden_share
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.sessions import replay
from kibitz.studies import measures
from kibitz.studies.comparison import compare
from kibitz.studies.measures import (
    MEASURES,
    Column,
    Measure,
    what_to_record,
)
from kibitz.studies.sample import RunMetadata, Sample

TIMES = ("seconds", "games_per_second")


def without_times(document):
    """The JSON without what differs from run to run."""
    document = {name: value for name, value in document.items() if name not in TIMES}
    for group in ("seats", "agents"):
        document[group] = [
            {name: value for name, value in row.items() if name != "seconds_per_decision"}
            for row in document[group]
        ]
    return document


def spread(p, n):
    return 4 * math.sqrt(p * (1 - p) / n)


def test_random_tic_tac_toe_has_the_figures_of_the_literature():
    games = 20_000
    first, second = kibitz.playtest("tic-tac-toe", games=games, seed=1).seats
    assert first.sole_wins / games == pytest.approx(0.5850, abs=spread(0.5850, games))
    assert second.sole_wins / games == pytest.approx(0.2880, abs=spread(0.2880, games))
    assert first.ties / games == pytest.approx(0.1270, abs=spread(0.1270, games))
    assert first.wins == first.sole_wins + first.ties / 2
    assert first.win_rate == first.wins / games
    assert first.non_losses == first.sole_wins + first.ties
    assert first.win_interval[0] < first.win_rate < first.win_interval[1]


def test_lengths_and_choice_of_random_tic_tac_toe():
    result = kibitz.playtest("tic-tac-toe", games=20_000, seed=2)
    ticks, decisions = result.ticks_per_game, result.decisions_per_game
    assert ticks.mean == pytest.approx(7.61, abs=0.05)  # tag_measures.md: 7.61 and 7.28
    assert decisions.mean == pytest.approx(7.28, abs=0.05)
    assert (ticks.min, ticks.max, decisions.max) == (5, 9, 8)
    options = result.options_per_decision
    assert (options.min, options.max) == (2, 9)
    assert options.interval[0] < options.mean < options.interval[1]
    assert result.hidden_share is None
    assert result.tie_rate == pytest.approx(0.127, abs=0.01)


def test_options_at_each_action_of_random_tic_tac_toe():
    result = kibitz.playtest("tic-tac-toe", games=3000, seed=2)
    assert [at.action for at in result.options_at] == list(range(1, 10))
    assert [at.mean for at in result.options_at] == list(range(9, 0, -1))
    assert {at.sd for at in result.options_at} == {0.0}
    games = [at.games for at in result.options_at]
    assert games[:5] == [3000] * 5
    assert games == sorted(games, reverse=True)
    assert sum(games) == round(3000 * result.ticks_per_game.mean)


def test_forced_actions_count_as_actions_of_one_option():
    result = kibitz.playtest("love-letter", players=3, games=300, workers=2)
    every, real = result.options_per_action, result.options_per_decision
    assert every.count == round(300 * result.ticks_per_game.mean)
    assert real.count == round(300 * result.decisions_per_game.mean)
    total = sum(at.mean * at.games for at in result.options_at)
    assert every.mean == pytest.approx(total / every.count)
    forced = every.count - real.count
    assert every.mean * every.count == pytest.approx(real.mean * real.count + forced)
    assert forced > 0
    assert (every.min, every.max) == (1, real.max)
    assert every.interval[0] < every.mean < every.interval[1]
    squares = sum((at.sd**2 * (at.games - 1) if at.sd else 0) for at in result.options_at)
    between = sum(at.games * (at.mean - every.mean) ** 2 for at in result.options_at)
    assert every.sd**2 * (every.count - 1) == pytest.approx(squares + between)


def test_long_games_are_followed_for_their_first_actions():
    class Long(tiny_games.Tiny):
        max_ticks = 2000

        @classmethod
        def apply_action(cls, state, params, action):
            if state.tick == 600:
                cls.end(state)

    result = kibitz.playtest(Long(compiled=False), games=2)
    assert [at.games for at in result.options_at] == [2] * 512


def test_games_that_are_not_finished_have_no_options():
    result = kibitz.playtest(tiny_games.fails(), games=100, parameters={"chance": 50})
    assert [at.games for at in result.options_at] == [result.finished] * 4
    assert [at.mean for at in result.options_at] == [2.0] * 4
    assert kibitz.playtest(tiny_games.fails(), games=5).options_at == ()


def test_the_seat_test_finds_the_first_players_advantage_and_clears_a_fair_game():
    assert kibitz.playtest("tic-tac-toe", games=500).fairness.p_value < 1e-6
    fair = kibitz.playtest(tiny_games.is_won_by(1, 1), games=200)
    assert fair.fairness.p_value == 1.0


@pytest.mark.parametrize("agents", [("random",), ("osla", "random", "mcts:iterations=20")])
def test_the_same_seed_gives_the_same_numbers_for_any_number_of_workers(agents):
    def run(workers):
        return without_times(
            kibitz.playtest(
                "love-letter",
                players=3,
                agents=agents,
                games=60,
                seed=5,
                parameters={"tokens_to_win": 1},
                workers=workers,
            ).to_json()
        )

    expected = run(1)
    assert run(2) == expected
    assert run(3) == expected
    assert expected != without_times(
        kibitz.playtest("love-letter", players=3, games=60, seed=6).to_json()
    )


def test_hidden_information_of_love_letter():
    """Against the same games stepped through: the mean over all decisions with a choice."""
    result = kibitz.playtest("love-letter", players=4, games=20, seed=2)
    table = kibitz.load("love-letter").table(4)
    shares = []
    for game in kibitz.play(table, make_agents(["random"], 4), 20, seed=2).results:
        record = kibitz.record(table, "random", int(game["seed"]))
        for state, move in zip(replay(record, table), record.moves, strict=False):
            if not move.forced:
                shares.append(hidden_share(state, state.current_player))
    assert result.hidden_share == pytest.approx(sum(shares) / len(shares), rel=1e-12)
    assert result.hidden_interval[0] < result.hidden_share < result.hidden_interval[1]
    assert result.rounds_per_game.min >= 4


# --- who wins -----------------------------------------------------------------------------


def test_shared_first_places_count_in_parts():
    result = kibitz.playtest(tiny_games.is_won_by(5, 5, 1), players=3, games=10, rotate=False)
    first, second, third = result.seats
    assert (first.wins, first.sole_wins, first.ties, first.win_rate) == (5, 0, 10, 0.5)
    assert (second.wins, third.wins, third.ties) == (5, 0, 0)
    assert [seat.non_losses for seat in result.seats] == [10, 10, 0]
    assert [seat.score.mean for seat in result.seats] == [5, 5, 1]
    assert result.tie_rate == 1.0


def test_last_places_are_losses_and_all_others_are_not():
    result = kibitz.playtest(tiny_games.is_won_by(1, 7, 3, 1), players=4, games=4)
    assert [seat.non_loss_rate for seat in result.seats] == [0, 1, 1, 0]


def test_a_draw_of_all_is_a_loss_for_nobody():
    result = kibitz.playtest(tiny_games.is_won_by(2, 2, 2), players=3, games=3)
    assert [seat.non_losses for seat in result.seats] == [3, 3, 3]
    assert [round(seat.wins, 9) for seat in result.seats] == [1, 1, 1]


def test_winning_together_is_a_win_and_no_tie():
    result = kibitz.playtest(tiny_games.is_won_together(), players=3, games=8)
    assert (result.won_together, result.tie_rate, result.fairness) == (8, 0, None)
    assert all((s.wins, s.ties, s.non_losses) == (8, 0, 8) for s in result.seats)


def test_losing_together_is_a_loss():
    result = kibitz.playtest(tiny_games.is_lost_together(), players=3, games=8)
    assert (result.lost_together, result.fairness) == (8, None)
    assert all((s.wins, s.non_losses, s.win_rate) == (0, 0, 0) for s in result.seats)


def test_one_player():
    won = kibitz.playtest(tiny_games.is_won_by(3, players=(1, 1)), games=5)
    assert (won.seats[0].win_rate, won.fairness, won.won_together) == (1.0, None, 0)
    lost = kibitz.playtest(tiny_games.is_lost_together(players=(1, 1)), games=5)
    assert lost.seats[0].win_rate == 0


def test_agents_of_one_name_are_counted_together():
    agents = ["random", "first-legal", "random"]
    result = kibitz.playtest(tiny_games.is_won_by(9, 1, 1), players=3, agents=agents, games=9)
    random, first = result.agents
    assert (random.agent, random.games, random.wins) == ("random", 18, 6)
    assert (first.agent, first.games, first.wins) == ("first-legal", 9, 3)
    assert [seat.agent for seat in result.seats] == [None, None, None]  # they took turns
    assert result.fairness is None


def test_without_rotation_seats_have_their_agents():
    agents = ["random", "first-legal", "random"]
    result = kibitz.playtest(
        tiny_games.is_won_by(9, 1, 1), players=3, agents=agents, games=9, rotate=False
    )
    assert [seat.agent for seat in result.seats] == agents
    assert result.agents[0].wins == 9


def test_thinking_time_is_taken_of_agents_that_look():
    mcts, random = kibitz.playtest(
        "tic-tac-toe", agents=["mcts:iterations=50", "random"], games=20
    ).agents
    assert 1e-7 < mcts.seconds_per_decision < 1
    assert random.seconds_per_decision is None
    assert mcts.decisions > 20


# --- games that are not finished ----------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (tiny_games.fails, "rules_error"),
        (tiny_games.raises, "rules_error"),
        (tiny_games.is_full, "full_buffer"),
        (tiny_games.has_dead_end, "dead_end"),
    ],
)
def test_unfinished_games_are_counted_by_cause_and_reproducible(make, cause):
    game = make()
    result = kibitz.playtest(game, games=60, parameters={"chance": 30})
    if cause == "dead_end":
        result = kibitz.playtest(game, games=60)
    (unfinished,) = result.unfinished
    assert unfinished.cause == cause
    assert unfinished.ticks == 3
    assert unfinished.games > 0
    assert unfinished.games + result.finished == 60
    outcomes = result.to_json()["outcomes"]
    assert outcomes["finished"] == result.finished
    assert outcomes[cause] == unfinished.games
    assert sum(outcomes.values()) == 60
    # the seed reproduces it
    chance = 100 if cause == "dead_end" else 30
    state = game.new_state(seed=unfinished.seed, chance=chance)
    problem = IndexError if make is tiny_games.raises else kibitz.errors.PlayError
    with pytest.raises(problem):  # noqa: PT012
        while True:
            state.apply(state.legal_actions()[0])


def test_win_rates_are_of_finished_games_only():
    result = kibitz.playtest(tiny_games.fails(), games=100, parameters={"chance": 50})
    assert 20 < result.finished < 80
    first, second = result.seats
    assert (first.games, first.win_rate, second.win_rate) == (result.finished, 1.0, 0.0)
    assert result.ticks_per_game.min == 4


def test_an_endless_game_reaches_its_limit():
    class Circle(tiny_games.Tiny):
        @classmethod
        def apply_action(cls, state, params, action):
            pass

    result = kibitz.playtest(Circle(compiled=False), games=3)
    assert result.to_json()["outcomes"]["limit"] == 3
    assert result.unfinished[0].ticks == 50
    assert result.finished == 0
    assert result.decisions_per_game.mean is None
    assert result.seats[0].win_rate is None
    json.dumps(result.to_json(), allow_nan=False)


def test_what_a_rule_raised_is_told():
    (unfinished,) = kibitz.playtest(tiny_games.raises(), games=5).unfinished
    assert (unfinished.games, unfinished.error) == (5, "IndexError: no such card")
    assert unfinished.seat is None


def test_an_illegal_action_is_the_agents_fault():
    result = kibitz.playtest("tic-tac-toe", agents=[Left(), Cheat()], games=40, rotate=True)
    (unfinished,) = result.unfinished
    assert unfinished.cause == "illegal_action"
    assert unfinished.agents[unfinished.seat - 1] == "cheat"
    honest, cheat = result.agents
    assert (honest.failures, cheat.failures) == (0, unfinished.games)
    assert sum(seat.failures for seat in result.seats) == unfinished.games


def test_a_failing_agent_is_an_outcome_with_a_name():
    result = kibitz.playtest("tic-tac-toe", agents=["random", Broken()], games=10)
    (unfinished,) = result.unfinished
    assert (unfinished.cause, unfinished.games) == ("agent_error", 10)
    assert unfinished.error == "ValueError: I do not know\nwhat to do"
    assert result.agents[1].failures == 10


# --- asking for it ------------------------------------------------------------------------


def test_one_agent_serves_all_seats():
    for agents in ("random", make_agent("random"), ["random"]):
        result = kibitz.playtest("love-letter", players=4, agents=agents, games=4)
        assert [agent.games for agent in result.agents] == [16]


def test_wrong_questions_are_answered_in_words():
    with pytest.raises(UnknownGameError, match="tic-tac-toe"):
        kibitz.playtest("tictactoe")
    with pytest.raises(ParameterError, match="sizes"):
        kibitz.playtest("tic-tac-toe", parameters={"sizes": 3})
    with pytest.raises(ParameterError, match="players"):
        kibitz.playtest("tic-tac-toe", parameters={"players": 3})
    with pytest.raises(ParameterError, match="games = 0"):
        kibitz.playtest("tic-tac-toe", games=0)
    with pytest.raises(ParameterError, match="64 bits"):
        kibitz.playtest("tic-tac-toe", seed=2**63)
    with pytest.raises(ParameterError, match="workers"):
        kibitz.playtest("tic-tac-toe", workers=0)
    with pytest.raises(AgentError, match="3 agents for 2 players"):
        kibitz.playtest("tic-tac-toe", agents=["random"] * 3)


def test_negative_and_large_seeds():
    for seed in (-1, 2**63 - 1, -(2**63)):
        assert kibitz.playtest("tic-tac-toe", games=5, seed=seed).finished == 5


def test_actions_a_turn():
    assert kibitz.playtest("tic-tac-toe", games=50)["actions_per_turn"].mean == 1
    express = kibitz.playtest("colt-express", players=3, games=50)
    actions = express["actions_per_turn"]
    assert actions.count == 50
    assert actions.mean == pytest.approx(
        express.ticks_per_game.mean / express.turns_per_game.mean, rel=0.1
    )


def test_pieces_of_known_games():
    assert kibitz.playtest("tic-tac-toe", games=1)["pieces"] == 9
    assert kibitz.playtest("hearts", games=1)["pieces"] == 52


# --- JSON ---------------------------------------------------------------------------------

DOCUMENT = Path(__file__).parents[2] / "docs" / "playtest-json.md"


def members(document, prefix=""):
    for name, value in document.items():
        yield prefix + name
        if name in ("parameters", "first_unfinished"):
            continue
        if isinstance(value, dict) and "mean" not in value:
            yield from members(value, f"{prefix}{name}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from members(value[0], f"{prefix}{name}[].")


def test_the_json_has_its_members_and_they_are_documented():
    result = kibitz.playtest(
        "love-letter",
        players=3,
        games=20,
        parameters={"tokens_to_win": 1},
        record=["decisions", "judgements"],
        judge="rollouts:samples=2",
    )
    document = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert document["format"] == 2
    assert document["kibitz"] == kibitz.__version__
    assert document["parameters"]["tie_rule"] == "discards"
    for name in ("game", "players", "seed", "games", "outcomes", "seats", "seconds"):
        assert name in document
    for name in ("decisions_per_game", "options_per_decision"):
        assert {"mean", "sd", "min", "max"} <= set(document[name])
    for name in ("agent", "games", "wins", "win_rate", "win_interval", "non_loss_rate"):
        assert name in document["agents"][0]
    assert "mean_score" in document["agents"][0]
    assert [seat["seat"] for seat in document["seats"]] == [1, 2, 3]
    section, _, _ = DOCUMENT.read_text("utf-8").partition(
        "## Variants"
    )  # what follows is of several
    documented = set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
    shown = {name.replace("agents[].", "seats[].") for name in members(document)}
    assert shown == documented - {"agents[].agent"}


def test_measures_say_themselves_what_their_members_are():
    page = DOCUMENT.read_text("utf-8")
    for measure in MEASURES:
        for name, words in measure.members.items():
            assert f"| `{name}` | {words} |" in page, name


def test_the_first_unfinished_game_is_in_the_json():
    document = kibitz.playtest("tic-tac-toe", agents=[Left(), Broken()], games=3).to_json()
    first = document["first_unfinished"]["agent_error"]
    assert sorted(first) == ["agents", "error", "seat", "seed", "ticks"]
    assert first["agents"][first["seat"] - 1] == "broken"


def test_a_run_records_what_its_measures_need():
    plain = kibitz.playtest("tic-tac-toe", games=50)
    playtest = kibitz.playtest("tic-tac-toe", games=50, measure=["waiting", "ticks_per_game"])
    assert playtest["waiting"].count > 0 == plain["waiting"].count
    assert playtest["successors_per_decision"].count == 0
    assert (
        playtest["waiting"]
        == kibitz.playtest("tic-tac-toe", games=50, record=["decisions"])["waiting"]
    )
    both = kibitz.playtest("tic-tac-toe", games=50, record="successors", measure="waiting")
    assert both["successors_per_decision"].count > 0
    assert both["waiting"] == playtest["waiting"]
    assert what_to_record(["choices", "waiting", "seats"]) == ("decisions",)
    assert what_to_record(["ticks_per_game"]) == ()
    with pytest.raises(ParameterError, match=r"'wating'.*waiting"):
        kibitz.playtest("tic-tac-toe", games=5, measure=["wating"])


def test_a_measure_needs_what_it_says_and_nothing_else():
    """Whatever else was recorded changes no value."""
    record = ("decisions", "judgements", "successors")
    table = load("kuhn-poker").table()
    agents = make_agents(["ismcts:iterations=20"], 2)
    judge = Judge.of("rollouts:samples=2")
    experiment = Experiment.of(table, agents, 20, 1, record=record, judge=judge)
    shards: list[Rows] = []
    ThreadRunner(experiment, table, agents, workers=1).play(shards.append)
    rows = functools.reduce(Rows.then, shards)
    metadata = RunMetadata.of(table, agents, rotated=True)

    def values(measure, kinds):
        without = Rows.none(rows.shard, 2)
        results = rows.results.copy()
        if "successors" not in kinds:
            results["successors"] = -1
        fields = {"results": results}
        for name, kind in KINDS.items():
            if kind not in kinds:
                fields[name] = getattr(without, name)
        measurement = measure(metadata)
        measurement.add(Sample(metadata, dataclasses.replace(rows, **fields)))
        return json.dumps(measure.to_json(measurement.finish()))

    used = set()
    for measure in MEASURES:
        own = values(measure, (measure.needs,))
        assert own == values(measure, record), measure
        if measure.needs and own != json.dumps(measure.to_json(measure(metadata).finish())):
            used.add(measure.needs)
    assert used == set(record)


KINDS = {
    "decisions_made": "decisions",
    "opinions": "decisions",
    "steps": "judgements",
    "judged_options": "judgements",
}


def test_successors_are_counted_when_asked():
    playtest = kibitz.playtest("tic-tac-toe", games=300, record=["successors"])
    successors = playtest["successors_per_decision"]
    assert successors.mean == playtest.options_per_decision.mean
    assert successors.interval == playtest.options_per_decision.interval
    assert kibitz.playtest("tic-tac-toe", games=5)["successors_per_decision"].mean is None


def test_options_that_come_to_the_same_are_one_successor():
    class Same(tiny_games.Tiny):
        @staticmethod
        def end(state):
            win(state, 0)

    playtest = kibitz.playtest(Same(compiled=False), games=50, record=["successors"])
    assert playtest.options_per_decision.mean == 2
    assert playtest["successors_per_decision"].mean == 1


class _Wrong(Measure):
    """A measure with a column of a length, or a title or a value of another measure."""

    members: ClassVar = {"wrong": "nothing"}
    title = "wrong"
    length: int | None = None
    value = "wrong"

    def add(self, sample):
        pass

    def finish(self):
        return {self.value: 1}

    @classmethod
    def columns(cls, sample):
        yield Column(cls.title, np.ones(cls.length or len(sample.finished)))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"length": 1000}, "_Wrong: the column 'wrong' is of shape"),
        ({"title": "decisions a game"}, "_Wrong: .* has the title of another"),
    ],
)
def test_a_measure_with_a_wrong_column_is_named(monkeypatch, changed, message):
    for name, value in changed.items():
        monkeypatch.setattr(_Wrong, name, value)
    monkeypatch.setattr(measures, "MEASURES", (*MEASURES, _Wrong))
    tables = {str(size): load("tic-tac-toe").table(2, {"size": size}) for size in (3, 4)}
    with pytest.raises(ValueError, match=message):
        compare(tables, games=30)


def test_a_measure_that_takes_the_name_of_another_is_refused(monkeypatch):
    monkeypatch.setattr(_Wrong, "value", "actions_per_turn")
    monkeypatch.setattr(measures, "MEASURES", (*MEASURES, _Wrong))
    with pytest.raises(ValueError, match="_Wrong: another measure has 'actions_per_turn'"):
        kibitz.playtest("tic-tac-toe", games=10)
