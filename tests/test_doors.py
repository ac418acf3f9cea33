"""The doors of the library: each takes a game in whichever way it is given, and names mistakes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.checks.certify import certify
from kibitz.core.errors import (
    AgentError,
    KibitzError,
    ParameterError,
    UnknownGameError,
    UnknownNameError,
)
from kibitz.library.tictactoe import TicTacToe
from kibitz.loading import Playable, find_table
from kibitz.rl.vector import make_vec
from kibitz.runs import Experiment
from kibitz.studies.solving.tree import grow_tree
from kibitz.studies.tournament import StoppingRule, tournaments_by_budget
from kibitz.studies.tuning import AgentProblem, GameProblem

TWO = ["random", "first-legal"]

LIBRARY = Path(kibitz.__file__).parent / "recycle/library"

WAYS: dict[str, Callable[[], Playable]] = {
    "name": lambda: "tic-tac-toe",
    "spelled name": lambda: "Tic Tac_Toe",
    "path": lambda: LIBRARY / "kuhn-poker.rcy",
    "path as text": lambda: str(LIBRARY / "kuhn-poker.rcy"),
    "class": lambda: TicTacToe,
    "game": lambda: kibitz.load("tic-tac-toe"),
    "table": lambda: kibitz.load("tic-tac-toe").table(2),
}

DOORS: dict[str, Callable[[Any], Any]] = {
    "load": lambda game: kibitz.load(game),
    "Session": lambda game: kibitz.Session(game, ["random", None], seed=1),
    "record": lambda game: kibitz.record(game),
    "playtest": lambda game: kibitz.playtest(game, games=2),
    "playtest_variants": lambda game: kibitz.playtest_variants(game, {"players": [2]}, games=2),
    "compare": lambda game: kibitz.compare({"one": game, "other": game}, games=2),
    "agents": lambda game: kibitz.agents(game=game),
    "play": lambda game: kibitz.play(game, ["random", "first-legal"], 2),
    "Experiment": lambda game: Experiment.of(game, ["random", "random"], 2),
    "tournament": lambda game: kibitz.tournament(game, ["random", "first-legal"], games=2),
    "tournament of tables": lambda game: kibitz.tournament(
        {"one": game}, ["random", "first-legal"], games=2
    ),
    "make_vec": lambda game: make_vec(game, 2),
    "AgentProblem": lambda game: AgentProblem(game, "mcts:iterations=2"),
    "certify": lambda game: certify(game, states=1, swaps=1, outputs=0, sets=0, agents=()),
}
GAMES: dict[str, Callable[[Any], Any]] = {
    "load": lambda result: result.name,
    "Session": lambda result: result.table.game.name,
    "record": lambda result: result.game,
    "playtest": lambda result: result.game,
    "playtest_variants": lambda result: result.game,
    "play": lambda result: result.experiment.game,
    "Experiment": lambda result: result.game,
    "tournament": lambda result: result.tables[0].title.lower().replace(" ", "-"),
    "tournament of tables": lambda result: result.tables[0].title.lower().replace(" ", "-"),
    "make_vec": lambda result: result.table.game.name,
    "AgentProblem": lambda result: result.table.game.name,
    "certify": lambda result: result.game,
}
"""The name of the game of a result, where the result names it."""


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("way", WAYS)
def test_every_door_takes_a_game_in_every_way(door: str, way: str) -> None:
    name = "kuhn-poker" if "path" in way else "tic-tac-toe"
    result = DOORS[door](WAYS[way]())
    if door in GAMES:
        assert GAMES[door](result) == name
    else:
        assert result == DOORS[door](name)


@pytest.mark.parametrize("door", [door for door in DOORS if door != "agents"])
def test_every_door_says_that_there_is_no_such_game(door: str) -> None:
    with pytest.raises(UnknownGameError, match=r"no game 'tic-tac-to'\. Did you mean"):
        DOORS[door]("tic-tac-to")
    with pytest.raises(UnknownGameError, match="3 names no game: give a name"):
        DOORS[door](3)


LINEUPS: dict[str, Callable[[], Any]] = {
    "text": lambda: "first-legal osla",
    "list": lambda: ["first-legal", "osla"],
    "tuple of texts and agents": lambda: ("first-legal", kibitz.make_agent("osla")),
}

OF_AGENTS: dict[str, Callable[[Any], Any]] = {
    "playtest": lambda lineup: kibitz.playtest("tic-tac-toe", lineup, games=2).lineup,
    "play": lambda lineup: kibitz.play("tic-tac-toe", lineup, 2).experiment.agents,
    "record": lambda lineup: kibitz.record("tic-tac-toe", lineup).agents,
    "compare": lambda lineup: (
        kibitz.compare({"a": "tic-tac-toe", "b": "nim"}, lineup, games=2).agents
    ),
    "playtest_variants": lambda lineup: (
        kibitz.playtest_variants("tic-tac-toe", {"players": [2]}, agents=lineup, games=2)
        .variants[0]
        .playtest.lineup
    ),
    "ladder": lambda lineup: [
        (result := kibitz.ladder("tic-tac-toe", lineup, games=2)).lowest,
        *[rung.agent for rung in result.rungs],
    ],
    "tournament": lambda lineup: kibitz.tournament("tic-tac-toe", lineup, games=2).agents,
    "exploitability": lambda lineup: [
        row.policy for row in kibitz.exploitability("kuhn-poker", lineup, samples=1).policies[2:]
    ],
    "AgentProblem": lambda lineup: (
        AgentProblem("tic-tac-toe", "mcts:iterations=2", against=lineup).field
    ),
}


@pytest.mark.parametrize("way", LINEUPS)
@pytest.mark.parametrize("door", OF_AGENTS)
def test_every_door_takes_agents_in_every_way(door: str, way: str) -> None:
    assert [*OF_AGENTS[door](LINEUPS[way]())] == ["first-legal", "osla"]


@pytest.mark.parametrize("door", OF_AGENTS)
def test_every_door_refuses_what_is_no_agent(door: str) -> None:
    with pytest.raises(KibitzError, match=r"no agent 'olsa'\. Did you mean 'osla'"):
        OF_AGENTS[door]("random olsa")
    with pytest.raises(KibitzError, match="3 is no agent: give a name"):
        OF_AGENTS[door](3)
    with pytest.raises(KibitzError, match="' ' names no agent"):
        OF_AGENTS[door](["random", " "])


@pytest.mark.parametrize("way", [way for way in WAYS if "path" not in way])
def test_a_game_of_python_is_checked_however_it_is_given(way: str) -> None:
    assert kibitz.check(WAYS[way](), games=1, actions=1).ok


@pytest.mark.parametrize("way", WAYS)
def test_a_small_game_is_enumerated_however_it_is_given(way: str) -> None:
    game = WAYS[way]()
    if kibitz.load(game).name == "kuhn-poker":
        assert len(grow_tree(game).roots) == 6


def test_a_record_is_replayed_with_its_game_however_it_is_given() -> None:
    record = kibitz.record("tic-tac-toe", parameters={"size": 4})
    for way in ("name", "class", "game"):
        states = [*kibitz.replay(record, WAYS[way]())]
        assert len(states) == len(record.moves) + 1
        assert states[0].table.parameters["size"] == 4


def test_the_seats_of_a_session_say_how_many_play() -> None:
    assert kibitz.Session("love-letter", ["random"] * 3).table.players == 3
    with pytest.raises(ParameterError, match="2 to 4 players, not 5"):
        kibitz.Session("love-letter", ["random"] * 5)


@pytest.mark.parametrize(
    ("mistake", "error", "says"),
    [
        (lambda: kibitz.games(3), ParameterError, "a word to search for = 3 should be a text"),
        (lambda: kibitz.games(players=2.5), ParameterError, "players = 2.5 should be a whole"),
        (lambda: kibitz.agents(3), ParameterError, "a word to search for = 3 should be a text"),
        (lambda: kibitz.games(category=3), ParameterError, "should be a text"),
        (lambda: kibitz.perft("tic-tac-toe", 2), ParameterError, "should be a state"),
        (lambda: [*kibitz.replay("game.json")], ParameterError, "Record.read reads a file"),
        (lambda: StoppingRule("high"), ParameterError, "sure = 'high' should be a number"),
        (lambda: StoppingRule(margin=None), ParameterError, "margin = None should be a number"),
        (lambda: GameProblem("agram", goals=[3]), ParameterError, "a goal = 3 should be a text"),
        (lambda: kibitz.load("(game)", language=3), UnknownNameError, "3 is no language: give"),
        (lambda: kibitz.check("tic-tac-toe", games="1"), ParameterError, "games = '1'"),
        (
            lambda: kibitz.check("agram", games=-1),
            ParameterError,
            "games = -1 should be 0 or more",
        ),
        (lambda: kibitz.check("agram", actions=5), ParameterError, "are for games in Python"),
        (lambda: kibitz.check("nim", actions=5), ParameterError, "are for games in Python"),
        (lambda: kibitz.check("agram", parameters=["hand=3"]), ParameterError, "should be a dict"),
        (
            lambda: kibitz.check(kibitz.load("agram").table(3), players=2),
            ParameterError,
            "a table has its players and parameters already",
        ),
        (lambda: kibitz.ladder("tic-tac-toe", "random"), ParameterError, "needs 2 agents or more"),
        (lambda: kibitz.study("tic-tac-toe", seconds=-5), ParameterError, "seconds = -5 should"),
        (lambda: kibitz.exploitability("kuhn-poker", seed="s"), ParameterError, "seed = 's'"),
        (lambda: kibitz.playtest("tic-tac-toe", games="1"), ParameterError, "games = '1'"),
        (lambda: kibitz.playtest("tic-tac-toe", players="2"), ParameterError, "players"),
        (lambda: kibitz.playtest("tic-tac-toe", seed="2"), ParameterError, "seed = "),
        (lambda: kibitz.record("tic-tac-toe", agents=3), KibitzError, "3 is no agent"),
        (lambda: kibitz.record("tic-tac-toe", agents=[3]), KibitzError, "3 is no agent"),
        (lambda: kibitz.Session("tic-tac-toe", [3, None]), KibitzError, "3 is no agent"),
        (lambda: kibitz.Session("tic-tac-toe", 2), KibitzError, "seats = 2 should be a list"),
        (lambda: kibitz.perft(kibitz.load("tic-tac-toe").new_state(), "3"), ParameterError, "3"),
        (lambda: find_table("tic-tac-toe", 2, ["size"]), ParameterError, "parameters = "),
        (lambda: kibitz.compare(["agram", "war"]), ParameterError, "variants = "),
        (lambda: kibitz.playtest_variants("tic-tac-toe", {"size": 3}), ParameterError, "size = 3"),
        (lambda: kibitz.load(3), UnknownGameError, "3 names no game: give a name"),
        (lambda: find_table("tic-tac-toe", "2"), ParameterError, "for 2 players, not '2'"),
        (lambda: find_table("tic-tac-toe", 2, {3: 3}), ParameterError, "no parameter 3"),
        (lambda: kibitz.record("tic-tac-toe", seed="1"), ParameterError, "seed = '1'"),
        (lambda: kibitz.check("tic-tac-toe", seed="1"), ParameterError, "seed = '1'"),
        (lambda: kibitz.check("tic-tac-toe", players="2"), ParameterError, "players = '2'"),
        (
            lambda: kibitz.play("tic-tac-toe", TWO, 2, workers="2"),
            ParameterError,
            "workers = '2' should be a whole number",
        ),
        (lambda: certify("tic-tac-toe", seed="1"), ParameterError, "seed = '1'"),
        (lambda: AgentProblem("gops", "mcts:iterations=2", against=[]), AgentError, "against"),
        (lambda: GameProblem("gops", "fairness<=1"), ParameterError, "goals = 'fairness<=1'"),
        (
            lambda: tournaments_by_budget("tic-tac-toe", TWO, [1]),
            ParameterError,
            "budgets = 1 should be a text such as '10ms'",
        ),
        (
            lambda: tournaments_by_budget("tic-tac-toe", TWO, "1ms"),
            ParameterError,
            "budgets = '1ms' should",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_cure(
    mistake: Callable[[], object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=re.escape(says)):
        mistake()


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"agents": "osla"}, ParameterError, "needs two agents or more"),
        ({"games": "2"}, ParameterError, "games = '2' should be a whole number"),
        ({"games": 2.5}, ParameterError, "games = 2.5 should be a whole number"),
        ({"seed": "1"}, ParameterError, "seed = '1' should be a whole number"),
        ({"sure": 0.9}, ParameterError, "sure = 0.9 should be a StoppingRule"),
        ({"decision_budget": 1}, ParameterError, "decision_budget = 1 should be a text"),
        ({"randomize": ["size"]}, ParameterError, "randomize = ['size'] should be a dict"),
        ({"format": "knockout"}, ParameterError, "format = 'knockout' should be round-robin,"),
    ],
)
def test_what_a_tournament_cannot_use_is_named(
    options: dict[str, Any], error: type[Exception], says: str
) -> None:
    arguments: dict[str, Any] = {"agents": ["osla", "random"], "games": 2} | options
    with pytest.raises(error, match=re.escape(says)):
        kibitz.tournament("tic-tac-toe", **arguments)


def test_a_tournament_is_kept_in_a_folder_given_as_text_and_its_format_by_name(
    tmp_path: Path,
) -> None:
    by_name: dict[str, Any] = {"format": "knock-out"}
    tournament = kibitz.tournament(
        "tic-tac-toe", TWO, games=2, out=str(tmp_path / "kept"), **by_name
    )
    assert tournament.tables[0].rounds
    assert [*(tmp_path / "kept").iterdir()]


def test_an_unknown_measured_value_is_named_with_those_that_there_are() -> None:
    playtest = kibitz.playtest("tic-tac-toe", games=2)
    assert playtest["finished"] == playtest.finished == 2
    with pytest.raises(KeyError, match=r"no measured value 'finishd'\. Did you mean 'finished'"):
        playtest["finishd"]
    with pytest.raises(KeyError, match="no measured value 'to_json'"):
        playtest["to_json"]
    with pytest.raises(KeyError, match=r"no parameter 'sice'\. Did you mean 'size'"):
        kibitz.load("tic-tac-toe").table().parameters["sice"]
