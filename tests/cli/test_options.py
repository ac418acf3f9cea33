"""How agents are written on the command line, and groups of options."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from tests.cli.conftest import Run

import kibitz
from kibitz.cli.groups import OptionGroup, with_groups
from kibitz.cli.options import player_count
from kibitz.core.agent import split_agents
from kibitz.core.errors import AgentError
from kibitz.recycle import library


@pytest.mark.parametrize(
    ("values", "agents"),
    [
        (["mcts"], ["mcts"]),
        (["mcts random"], ["mcts", "random"]),
        (
            ["mcts:iterations=100,c=0.7 random random"],
            ["mcts:iterations=100,c=0.7"] + ["random"] * 2,
        ),
        (["osla + random"], ["osla", "random"]),
        (["osla;random"], ["osla", "random"]),
        (["osla+random", "mcts"], ["osla", "random", "mcts"]),
        (["mcts:c=1e+1+random"], ["mcts:c=1e+1", "random"]),
        (["mcts:c=1,iterations=5"], ["mcts:c=1,iterations=5"]),
        (["own.py:Mine,:9147,[::1]:9148"], ["own.py:Mine", ":9147", "[::1]:9148"]),
        (["127.0.0.1:1,10.0.0.7:2 legal"], ["127.0.0.1:1", "10.0.0.7:2", "legal"]),
    ],
)
def test_agents_are_separated(values: list[str], agents: list[str]) -> None:
    assert split_agents(values) == agents


def test_a_file_with_spaces_in_its_name_is_one_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my agent.json").write_text("{}")
    assert split_agents(["my agent.json"]) == ["my agent.json"]


def test_no_agent_at_all_is_refused() -> None:
    with pytest.raises(AgentError, match="names no agent"):
        split_agents([" "])


def test_several_agents_make_as_many_players() -> None:
    game = kibitz.load("love-letter")
    assert player_count(game, ["random"], None) is None
    assert player_count(game, ["random"], 4) == 4
    assert player_count(game, ["random", "osla", "osla"], None) == 3


def test_agents_too_few_for_a_game_leave_it_at_its_usual_number_of_players() -> None:
    assert player_count(kibitz.load("hearts"), ["osla", "random"], None) is None


RECYCLE = Path(library.__file__).parent / "hearts.rcy"


@pytest.mark.parametrize("command", ["playtest", "record", "play", "perft", "check"])
@pytest.mark.parametrize("game", ["nim", RECYCLE])
def test_the_number_of_players_is_no_parameter(kibitz: Run, command: str, game: object) -> None:
    if (command, game) == ("check", "nim"):
        return  # takes no parameters at all
    more = ["--depth", 1] if command == "perft" else []
    shown = kibitz(command, game, *more, "--set", "players=3")
    assert shown.code != 0
    assert "give it by --players N" in shown.flat


@pytest.mark.parametrize("command", ["playtest", "record", "play"])
@pytest.mark.parametrize("name", ["players", "self", "seed", "compiled", "game", "name"])
def test_names_of_other_arguments_are_no_parameters(
    kibitz: Run, tmp_path: Path, command: str, name: str
) -> None:
    file = tmp_path / "values.json"
    file.write_text(json.dumps({name: 3}))
    for options in (("--set", f"{name}=3"), ("--parameters", file)):
        shown = kibitz(command, "nim", *options)
        assert shown.code != 0
        assert ("--players N" if name == "players" else f"parameter '{name}'") in shown.flat


@dataclass(frozen=True)
class _Pair(OptionGroup):
    one: int = 1
    two: Annotated[str, typer.Option("--second")] = "b"


def test_a_group_stands_for_its_options_in_its_place() -> None:
    calls: list[object] = []

    def command(first: str, *, pair: _Pair, last: bool = False) -> None:
        calls.append((first, pair, last))

    expanded = with_groups(command)
    assert list(inspect.signature(expanded).parameters) == ["first", "one", "two", "last"]
    expanded(first="a", one=5, two="c", last=True)
    assert calls == [("a", _Pair(5, "c"), True)]


@dataclass(frozen=True)
class _Required(OptionGroup):
    first: str
    second: int = 2


def test_an_option_of_a_group_may_be_required() -> None:
    def command(*, group: _Required) -> None:
        pass

    first, second = inspect.signature(with_groups(command)).parameters.values()
    assert (first.default, second.default) == (inspect.Parameter.empty, 2)


def test_a_command_without_groups_is_left_as_it_is() -> None:
    def command(first: str) -> None:
        pass

    assert with_groups(command) is command


def test_json_is_alike_for_all_commands(kibitz: Run) -> None:
    """Without a file it is printed, and ``-`` says so, too."""
    assert kibitz("games", "--json", "-").json() == kibitz("games", "--json").json()
    assert kibitz("games", "--json", "agram").json()[0]["name"] == "agram"
    play = ("playtest", "tic-tac-toe", "--seed", 3)
    printed = kibitz(*play, "--games", 5, "--json", "-").json()
    for words in ((*play, "--games", 5, "--json"), (*play, "--json", "--games", 5)):
        assert kibitz(*words).json()["seats"][0]["wins"] == printed["seats"][0]["wins"]


def test_json_to_a_file_where_it_is_only_printed(kibitz: Run) -> None:
    shown = kibitz("show", "tic-tac-toe", "--json", "toe.json")
    assert shown.code == 2
    assert "write: kibitz show ... --json > toe.json" in shown.flat
