"""Untrusted input is data: it is never imported, run, or opened as a file.

Every entrance at which untrusted text asks for a game or an agent: records of matches, kept
games and records of games, folders of tournaments, messages. Each is tried with everything that a
person may type on the command line and a stranger may not write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Run, kibitz
from tests.ggp.foreign import serving

from kibitz.core import registry

__all__ = ["kibitz"]

TINY = "(role a) (legal a x) (init s) (goal a 70) (<= terminal (not (true s)))"
BODY = """
from pathlib import Path
Path({mark!r}).touch()
from kibitz.core.game import Game
from kibitz.core.agent import Agent
from kibitz.ggp import Player
class Name(Game): ...
class Who(Agent): ...
class Mine(Player): ...
"""


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with code that leaves a mark when it is run, and files that must not be read."""
    mark = tmp_path / "mark"
    (tmp_path / "evil.py").write_text(BODY.format(mark=str(mark)))
    package = tmp_path / "evils"
    package.mkdir()
    (package / "__init__.py").write_text(BODY.format(mark=str(mark)))
    (tmp_path / "own.kif").write_text(TINY)
    (tmp_path / "own.json").write_text('{"agent": "random"}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(registry, "_added", dict(registry._added))
    yield tmp_path
    assert not mark.exists()
    assert not {"evil", "evils"} & set(sys.modules)


def named(folder: Path) -> list[str]:
    """Names of games and players that a person may type but untrusted text may not use."""
    return [
        "evil.py",
        "evil.py:Name",
        "evil:Name",
        "evils:Name",
        "evil.Name",
        f"{folder}/evil.py:Name",
        "./evil.py",
        "../" + folder.name + "/evil.py",
        f"file://{folder}/evil.py",
        "evil.py:Mine",
        "own.kif",
        f"{folder}/own.kif",
        "own.json",
        f"{folder}/own.json",
        "kibitz.library.tictactoe.rules:TicTacToe",
        "os:system",
        "",
        "x" * 5000,
        "\x1b[31mred\nname",
    ]


def match_record(**changes: object) -> str:
    document = {
        "matchId": "m", "randomToken": "t", "startTime": 5, "gameMetaURL": "nim",
        "isCompleted": False, "isAborted": True, "states": ["( )"], "moves": [],
        "stateTimes": [5], "errors": [["", ""]], "goalValues": [], "startClock": 1,
        "playClock": 1, "scrambled": False,
    }  # fmt: skip
    return json.dumps(document | changes)


@pytest.mark.parametrize("number", range(19))
def test_a_match_record_names_installed_games_alone(kibitz: Run, trap: Path, number: int) -> None:
    name = named(trap)[number]
    (trap / "record.json").write_text(match_record(gameMetaURL=name))
    shown = kibitz("replay", "record.json")
    assert shown.code == 2
    assert "Give its rules after the record: record.json FILE.kif" in shown.flat
    assert "\x1b" not in shown.stderr
    assert len(shown.stderr) < 400


def test_a_match_record_may_bring_rules_along(kibitz: Run, trap: Path) -> None:
    changes = {"errors": [[""]], "states": ["( s )"], "gameMetaURL": "evil.py"}
    (trap / "record.json").write_text(match_record(rules=TINY, **changes))
    shown = kibitz("replay", "record.json")
    assert "agrees with the rules in it" in shown.stdout
    for text in ("evil.py:Name", "own.kif", "(", "include evil.py"):
        (trap / "record.json").write_text(match_record(rules=text, **changes))
        shown = kibitz("replay", "record.json")
        assert shown.code == 2
        assert "record.json: the rules" in shown.stderr


def test_a_person_may_name_the_game_of_a_record(kibitz: Run, trap: Path) -> None:
    changes = {"errors": [[""]], "states": ["( s )"], "gameMetaURL": "evil.py:Name"}
    (trap / "record.json").write_text(match_record(**changes))
    assert "agrees with the rules of own" in kibitz("replay", "record.json", "own.kif").stdout


def game_record(kibitz: Run, **changes: object) -> str:
    document = kibitz("record", "tic-tac-toe", "--json", "-", "--seed", 1).json()
    return json.dumps(document | changes)


@pytest.mark.parametrize("number", range(19))
def test_a_recorded_game_names_installed_games_alone(kibitz: Run, trap: Path, number: int) -> None:
    (trap / "game.json").write_text(game_record(kibitz, game=named(trap)[number]))
    shown = kibitz("replay", "game.json")
    assert shown.code == 2
    assert "no game" in shown.flat


@pytest.mark.parametrize("number", range(19))
def test_a_kept_game_names_installed_agents_alone(kibitz: Run, trap: Path, number: int) -> None:
    kibitz("play", "tic-tac-toe", "--seed", 1, "--out", "game.json", input="q\n")
    document = json.loads((trap / "game.json").read_text())
    document["agents"][1] = named(trap)[number]
    (trap / "game.json").write_text(json.dumps(document))
    shown = kibitz("play", "tic-tac-toe", "--resume", "game.json")
    assert shown.code == 2
    assert "agent" in shown.flat or "name=value" in shown.flat


@pytest.mark.parametrize("name", ["self", "players", "game", "__class__"])
def test_parameters_of_a_record_are_those_of_its_game(kibitz: Run, trap: Path, name: str) -> None:
    (trap / "game.json").write_text(game_record(kibitz, parameters={name: 3}))
    for command in (("replay", "game.json"), ("replay", "game.json", "tic-tac-toe")):
        shown = kibitz(*command)
        assert shown.code == 2
        message = "is not a parameter" if name == "players" else f"no parameter '{name}'"
        assert message in shown.flat


def test_a_folder_of_a_tournament_is_data(kibitz: Run, trap: Path) -> None:
    command = ("ggp", "tournament", "--games", "own.kif", "--players", "legal", "--out", "results")
    assert kibitz(*command).code == 0
    plan = json.loads((trap / "results" / "tournament.json").read_text())
    for name in named(trap)[:8]:
        changed = plan | {"players": [name], "games": [name]}
        (trap / "results" / "tournament.json").write_text(json.dumps(changed))
        shown = kibitz(*command)
        assert shown.code == 2
        assert "has another tournament in it" in shown.flat


def test_messages_name_no_code(trap: Path) -> None:
    with serving(player="random") as player:
        for name in named(trap)[:14]:
            assert player.say(f"(START m1 a ({name}) 1 1)") == "error"
            assert player.say(f"(START m1 a {name} 1 1)") == "error"
            assert player.say(f"(START {name} {name} ({TINY}) 1 1)") == "error"
            assert player.say(f"(PREVIEW ({name}) 1)") == "error"
            assert player.say(f"(PLAY {name} ({name}))") == "busy"
