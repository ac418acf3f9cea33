"""``kibitz games``, ``show`` and ``agents``."""

from __future__ import annotations

import enum
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from kibitz.core import registry
from kibitz.core.agent import make_agent
from kibitz.core.errors import GameDefinitionError


def test_games_lists_all(kibitz: Run) -> None:
    shown = kibitz("games")
    assert shown.code == 0
    for name in registry.names():
        assert name in shown.stdout


def test_a_wide_terminal_has_room_for_titles(kibitz: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Six-card Golf" not in kibitz("games").stdout
    monkeypatch.setenv("COLUMNS", "140")
    assert "Six-card Golf" in kibitz("games").stdout


def test_games_can_be_searched(kibitz: Run) -> None:
    shown = kibitz("games", "DEDUCTION")
    assert "love-letter" in shown.stdout
    assert "tic-tac-toe" not in shown.stdout


def test_games_says_when_nothing_is_found(kibitz: Run) -> None:
    shown = kibitz("games", "zeppelin")
    assert shown.stdout == ""
    assert "No game mentions 'zeppelin'" in shown.stderr


def test_games_by_players_category_and_mechanic(kibitz: Run) -> None:
    games = kibitz("games", "--players", 5, "--mechanic", "Trick-Taking", "--json").json()
    assert [game["name"] for game in games] == ["agram", "hearts"]
    games = kibitz("games", "--category", "GDL", "--players", 1, "--json").json()
    assert [game["name"] for game in games] == ["monty-hall", "sliding-puzzle"]
    assert "No game matches" in kibitz("games", "--players", 99).stderr


def test_agents_of_a_game(kibitz: Run) -> None:
    names = [agent["name"] for agent in kibitz("agents", "--game", "uno", "--json").json()]
    assert "mcts" in names
    assert "love-letter-reflex" not in names


def test_games_as_json(kibitz: Run) -> None:
    document = {game["name"]: game for game in kibitz("games", "--json").json()}
    assert document["love-letter"]["title"] == "Love Letter"
    assert document["love-letter"]["players"] == [2, 4]
    assert "deduction" in document["love-letter"]["categories"]
    assert kibitz("games", "zeppelin", "--json").json() == []


def test_a_game_that_cannot_be_loaded_hides_no_other(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = registry.load

    def fail_once(name: str, **how: object) -> object:
        if name == "love-letter":
            raise GameDefinitionError("the game love-letter cannot be loaded")
        return find(name)

    monkeypatch.setattr(registry, "load", fail_once)
    shown = kibitz("games", "--json")
    assert "tic-tac-toe" in [game["name"] for game in shown.json()]
    assert "Left out: the game love-letter cannot be loaded" in shown.stderr


def test_show_tells_all_there_is(kibitz: Run) -> None:
    shown = kibitz("show", "love-letter")
    for text in (
        "Love Letter (love-letter)",
        "Seiji Kanai",
        "2 to 4",
        "bytes",
        "tie_rule discards discards, shared",
        "hands deck, up to 2, one each seen by its owner",
        "play {card} on {target}",
        "ismcts",
        "love-letter-reflex",
    ):
        assert text in shown.flat
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_show_tells_defaults_that_depend_on_the_players(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert "bandits_each 2 with 2 players, else 1 1 to 2" in kibitz("show", "colt-express").flat
    assert "tokens_to_win 7 with 2 players, 5 with 3, else 4" in kibitz("show", "love-letter").flat


@pytest.mark.parametrize("game", ["pandemic", "colt-express", "love-letter"])
def test_show_breaks_no_name_and_fits(kibitz: Run, game: str) -> None:
    shown = kibitz("show", game).stdout
    assert max(map(len, shown.splitlines())) <= 80
    words = shown.split()
    for parameter in registry.load(game).Parameters.tunables.values():
        assert parameter.name in words
        for value in parameter.values if issubclass(parameter.type, enum.IntEnum) else ():
            assert parameter.show(value) in [word.strip(",") for word in words]


def test_show_as_json(kibitz: Run) -> None:
    document = kibitz("show", "love-letter", "--json").json()
    parameters = {p["name"]: p for p in document["parameters"]}
    assert parameters["guards"] == {
        "name": "guards",
        "default": 5,
        "allowed": "a whole number from 1 to 8",
        "doc": "how many Guards",
    }
    assert parameters["tokens_to_win"]["default"] == {"2": 7, "3": 5, "4": 4}
    assert parameters["tie_rule"]["default"] == "discards"
    components = {c["name"]: c for c in document["components"]}
    assert components["hands"] == {
        "name": "hands",
        "type": "Deck",
        "per_player": True,
        "seen_by": "owner",
        "capacity": 2,
    }
    assert document["actions"][0] == {"kind": "play", "words": "play {card}", "number": 8}
    assert document["state_bytes"] == registry.load("love-letter").table().layout.dtype.itemsize


def test_show_tells_who_plays_with_people(kibitz: Run) -> None:
    assert "Default agent kibitz (plays with you, gives hints)" in kibitz("show", "nim").flat
    document = kibitz("show", "pandemic", "--json").json()
    assert document["default_agent"] == registry.load("pandemic").default_agent
    assert "mostly kibitz; see 'kibitz show GAME'" in kibitz("play", "--help").flat


@pytest.mark.parametrize("game", registry.names())
def test_every_game_names_an_agent_that_can_play_it(game: str) -> None:
    loaded = registry.load(game, compiled=False)
    make_agent(loaded.default_agent).check_game(loaded.table())


def test_agents_for_other_games_are_not_shown(kibitz: Run) -> None:
    agents = kibitz("show", "tic-tac-toe", "--json").json()["agents"]
    assert "mcts" in agents
    assert "love-letter-reflex" not in agents


def test_agents_lists_all(kibitz: Run) -> None:
    shown = kibitz("agents")
    for name in ("first-legal", "ismcts", "kibitz", "love-letter-reflex", "mcts", "osla", "rhea"):
        assert name in shown.stdout


def test_agents_shows_the_options_of_one(kibitz: Run) -> None:
    shown = kibitz("agents", "mcts")
    assert "iterations for a decision" in shown.flat
    assert "loop open open, closed" in shown.flat
    assert kibitz("agents", "mcts:c=2").stdout == shown.stdout


def test_an_agent_without_options(kibitz: Run) -> None:
    assert "It has no options." in kibitz("agents", "random").stdout


def test_agents_as_json(kibitz: Run) -> None:
    documents = {document["name"]: document for document in kibitz("agents", "--json").json()}
    options = {option["name"]: option for option in documents["ismcts"]["options"]}
    assert options["c"]["default"] == 0.7
    assert options["trees"]["allowed"] == "one of single, many"
    assert documents["love-letter-reflex"]["game"] == "love-letter"
    assert kibitz("agents", "ismcts", "--json").json() == documents["ismcts"]


def test_a_game_of_ones_own_by_file_and_by_module(
    kibitz: Run, broken_game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_file = kibitz("show", broken_game, "--json").json()
    assert by_file["title"] == "Broken"
    assert kibitz("show", f"{broken_game}:Broken", "--json").json() == by_file
    monkeypatch.chdir(broken_game.parent)
    assert kibitz("show", "broken_rules:Broken", "--json").json() == by_file
