"""What strangers wrote in records, runs, rules and messages does not control the terminal."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from tests.cli.conftest import Outcome, Run

from kibitz.cli import terminal
from kibitz.cli.ggp import player

EVIL = "\x1b[2J\x9b1m\x07\u202e"
"""Clears the screen, in two ways, rings the bell, and turns the direction of writing."""
PLAIN = "?[2J?1m??"
CONTROLS = set("\x1b\x9b\x07\u202e")

RULES = f"""
(role {EVIL}) (init (step 1))
(<= (legal {EVIL} (take ?n)) (true (step ?s)) (number ?n)) (number 1) (number 2)
(<= (next (took ?n)) (does {EVIL} (take ?n)))
(<= terminal (true (took ?n))) (goal {EVIL} 50)
"""


def check(outcome: Outcome, code: int = 0) -> None:
    """Checks that what was printed names the stranger's text, and controls nothing."""
    assert outcome.code == code, outcome.stderr
    assert not CONTROLS & set(outcome.stdout + outcome.stderr)
    assert PLAIN in outcome.flat


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def change(file: Path, **members: Any) -> None:
    """Writes a JSON object anew with other members."""
    file.write_text(json.dumps(json.loads(file.read_text()) | members))


def test_the_agents_of_a_record(kibitz: Run, place: Path) -> None:
    kibitz("record", "tic-tac-toe", "--out", "game.json")
    change(place / "game.json", agents=[EVIL, EVIL])
    check(kibitz("replay", "game.json"))


def test_the_rules_in_a_record(kibitz: Run, place: Path) -> None:
    (place / "evil.kif").write_text(RULES)
    kibitz("record", "evil.kif", "--out", "game.json")
    for options in ((), ("--step",)):
        shown = kibitz("replay", "game.json", *options, input="\n" * 9)
        assert shown.code == 0
        assert "take" in shown.stdout
        assert not CONTROLS & set(shown.stdout)


def test_a_run(kibitz: Run, place: Path) -> None:
    kibitz("playtest", "tic-tac-toe", "--games", 2, "--out", "run")
    experiment = json.loads((place / "run/run.json").read_text())["experiment"]
    change(place / "run/run.json", experiment=experiment | {"agents": [EVIL], "game": EVIL})
    check(kibitz("runs", "list"))
    check(kibitz("runs", "show", "run"), 2)
    check(kibitz("runs", "query", "run", f"select '{EVIL}' as \"{EVIL}\""))
    check(kibitz("runs", "delete", "run", input="n\n"), 1)


def test_the_folder_of_a_tournament(kibitz: Run, place: Path) -> None:
    command = (
        "ggp",
        "tournament",
        "--games",
        "nim",
        "--players",
        "legal,random",
        "--out",
        "folder",
    )
    (place / "folder").mkdir()
    (place / "folder/tournament.json").write_text(json.dumps({"games": [EVIL]}))
    check(kibitz(*command), 2)


@pytest.mark.parametrize("command", ["check", "playtest", "fmt"])
def test_the_name_of_a_file_and_its_words(kibitz: Run, place: Path, command: str) -> None:
    file = place / f"{EVIL}.rcy"
    file.write_text(f"(game ({EVIL} 3))")
    shown = kibitz(command, file.name)
    if command == "fmt":
        check(shown)
    else:
        check(shown, 1 if command == "check" else 2)
        assert f"{PLAIN}.rcy:1:" in shown.flat


def test_the_message_of_a_game_manager(capsys: pytest.CaptureFixture[str]) -> None:
    player._tell(f"{EVIL}: START")
    assert capsys.readouterr().out.endswith(f" {PLAIN}: START\n")


def test_the_warning_of_a_library(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "lastResort", None)
    terminal.print_warnings()
    assert logging.lastResort is not None
    logging.lastResort.emit(logging.makeLogRecord({"msg": f"run.json: {EVIL}", "levelno": 30}))
    assert capsys.readouterr().err == f"run.json: {PLAIN}\n"


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    grid = Table(EVIL)
    grid.add_row(EVIL)
    terminal.out().print(grid)
    shown = capsys.readouterr().out
    assert "?[2J?" in shown
    assert not CONTROLS & set(shown)


def test_the_progress_of_a_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with terminal.progress(stages=True) as show:
        show(f"[bold]{EVIL}", 1, 2)
    shown = capsys.readouterr().err
    assert f"[bold]{PLAIN}" in shown
    assert not set("\x9b\x07\u202e") & set(shown)


def test_json_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_json({EVIL: [f"{EVIL}\n\t"]})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {EVIL: [f"{EVIL}\n\t"]}
    assert not CONTROLS & set(shown)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_content_is_exact_except_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    terminal.write_file(terminal.STDOUT, EVIL)
    assert capsys.readouterr().out == (PLAIN if is_terminal else EVIL) + "\n"


def test_colours_of_a_report_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_text(f"\x1b[31merror\x1b[0m: {EVIL}", coloured=True)
    assert capsys.readouterr().out == f"\x1b[31merror\x1b[0m: {PLAIN}\n"


def test_commands_print_by_the_functions_of_the_terminal() -> None:
    folder = Path(terminal.__file__).parent
    prompt = 'print(printable(prompt), end="", flush=True)'
    for file in folder.rglob("*.py"):
        if file.name != "terminal.py":
            lines = [line.strip() for line in file.read_text().splitlines()]
            assert [line for line in lines if line.startswith("print(")] in ([], [prompt]), file
