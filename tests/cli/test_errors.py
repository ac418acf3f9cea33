"""Errors are one message, with exit code 2 and no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, python

from kibitz.cli import terminal
from kibitz.core.errors import PlayError
from kibitz.core.native import cache_folder

MISTAKES = {
    "show love-leter": "There is no game 'love-leter'. Did you mean 'love-letter'? Known: ",
    "agents mtcs": "There is no agent 'mtcs'. Did you mean 'mcts'? Known: ",
    "playtest chess": "There is no game 'chess'. Known: ",
    "playtest tic-tac-toe --agents nobody": "There is no agent 'nobody'. Known: ",
    "playtest tic-tac-toe --agents mcts:itrations=5": "Did you mean 'iterations'?",
    "playtest tic-tac-toe --agents mcts:c=x": "c = x is not allowed: a number from 0.0 to 100.0",
    "playtest tic-tac-toe --agents mcts:c": "'c' should be of the form name=value",
    "playtest tic-tac-toe --agents love-letter-reflex": "plays love-letter only",
    "playtest love-letter --players 2 -a osla;osla;osla": "3 agents for 2 players",
    "playtest love-letter virus -g 5": "playtest takes one game at a time",
    "playtest love-letter --players 9": "love-letter is for 2 to 4 players, not 9.",
    "tournament agram -a osla;random --sure 0.9 --margin 0": "--margin 0 should be above 0 and",
    "playtest love-letter --set gaurds=2": "Did you mean 'guards'?",
    "playtest love-letter --set guards=99": "a whole number from 1 to 8",
    "playtest love-letter --set guards": "'guards' should be of the form name=value",
    "playtest love-letter --parameters none.json": "none.json: cannot be read: No such file",
    "playtest love-letter --parameters broken.json": "broken.json:2:9: is not JSON",
    "playtest love-letter --parameters list.json": "expected a JSON object",
    "playtest love-letter --json nowhere/results.json": "there is no folder nowhere",
    "playtest love-letter --json .": "is a folder",
    "playtest tic-tac-toe --games 0": "Invalid value for '--games'",
    "playtest tic-tac-toe --gmaes 5": "No such option: --gmaes",
    f"playtest tic-tac-toe --seed {2**63}": "should be a whole number of 64 bits",
    f"play tic-tac-toe --seed {-(2**63) - 1}": "should be a whole number of 64 bits",
    f"perft tic-tac-toe -d 2 --seed {10**30}": "should be a whole number of 64 bits",
    "playtset tic-tac-toe": "No such command 'playtset'. Did you mean 'playtest'",
    "play love-letter --seat 3": "Seat 3 is not among 1 to 2.",
    "play love-letter --against nobody": "There is no agent 'nobody'",
    "play love-letter --players 3 --against osla+osla+osla": "3 opponents for 2 seats",
    "play love-letter --hint nobody": "There is no agent 'nobody'",
    "play love-letter --resume none.json": "none.json: cannot be read",
    "play love-letter --resume object.json": "object.json: format",
    "record love-letter --agents nobody": "There is no agent 'nobody'",
    "record love-letter --out nowhere/game.txt": "there is no folder nowhere",
    "replay none.json": "none.json: cannot be read: No such file",
    "replay broken.json": "broken.json:2:9: is not JSON",
    "replay object.json": "object.json: format",
    "check nowhere.py": "nowhere.py: there is no such file.",
    "check none.module:Game": "none.module cannot be imported: ModuleNotFoundError",
    "check json:Game": "json has no game class 'Game'",
    "check empty.py": "which game is meant? It has no class derived from Game.",
    "check fails.py": "fails.py, line 2)",
    "check garbled.py": "SyntaxError: invalid syntax (garbled.py, line 1)",
    "perft tic-tac-toe": "Missing option '--depth'",
    "new My-Game": "'My-Game' cannot be a game's name",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_explained(
    kibitz: Run,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own_code: None,
) -> None:
    (tmp_path / "broken.json").write_text('{\n  "a": 1')
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "object.json").write_text("{}")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "fails.py").write_text("\n1 / 0")
    (tmp_path / "garbled.py").write_text("class is")
    monkeypatch.chdir(tmp_path)
    shown = kibitz(*command.split())
    assert MISTAKES[command] in " ".join(shown.stderr.split())
    assert shown.code == 2
    assert shown.stdout == ""
    assert "Traceback" not in shown.stderr


def test_a_traceback_on_request(kibitz: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_TRACEBACK", "1")
    shown = kibitz("show", "chess")
    assert "Traceback" in shown.stderr
    assert "UnknownGameError" in shown.stderr
    assert shown.code == 2


def test_a_game_that_went_wrong_tells_its_seed(kibitz: Run, broken_game: Path) -> None:
    shown = kibitz("record", broken_game, "--seed", 77)
    assert "Traceback" not in shown.stderr
    assert "77" in shown.flat
    assert "dead end" in shown.flat


def test_a_play_error_without_its_seed_gets_one(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show_error(PlayError("It broke.", seed=4711))
    assert capsys.readouterr().err == "kibitz: It broke.\nThe game's seed was 4711.\n"


def test_json_output_survives_a_compilation_notice(kibitz: Run, tmp_path: Path) -> None:
    arguments = ["playtest", "tic-tac-toe", "--games", "5", "--json", "-"]
    assert kibitz(*arguments).code == 0
    for file in cache_folder().glob("*.o"):  # all but the game is compiled already
        if not file.name.startswith("tic-tac-toe"):
            (tmp_path / file.name).symlink_to(file)
    notice = "Compiling tic-tac-toe, which is done once ..."
    code = f"from kibitz.cli import main; import sys; sys.argv[1:] = {arguments}; main()"
    result = python("-c", code, env={"KIBITZ_CACHE": str(tmp_path)})
    assert notice in result.stderr
    assert result.stdout.startswith("{")
    assert result.stdout.rstrip().endswith("}")
    assert result.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX pipe")
def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "kibitz", "show", "love-letter", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        process.wait(timeout=60)
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors
