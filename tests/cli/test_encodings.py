"""Results are printed wherever they go: characters that an encoding lacks are replaced."""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.cli import terminal
from kibitz.cli.app import app

needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="needs kibitz[learn]"
)
ALIKE = "--games 20 --seed 1"
COMMANDS = [
    "games",
    "show love-letter",
    "agents mcts",
    f"playtest agram {ALIKE}",
    f"playtest agram {ALIKE} --json",
    f"compare agram -p 2 --vary hand=3,4 {ALIKE}",
    f"ladder agram -p 2 --agents random --agents osla {ALIKE}",
    "tournament agram -p 2 -a 'random osla' --games 20",
    "record agram --seed 1",
    "check agram --games 1",
    "perft tic-tac-toe --depth 2",
    "exploitability kuhn-poker --agents random",
    "translate kuhn-poker",
    "picture agram --seed 1",
    "play tic-tac-toe --seed 1 --quick",
    "record kuhn-poker --seed 1 --out game.json; replay game.json",
    "record kuhn-poker --seed 1 --out game.json; replay game.json --step",
    "certify kuhn-poker --states 2 --swaps 2 --sets 1 --outputs 1",
    "tune agent osla tic-tac-toe --games 40",
    "playtest agram --games 4 --out run; runs list",
    "playtest agram --games 4 --out run; runs show run",
    "playtest agram --games 4 --out run; runs query run 'from games'",
    "ggp match nim --players legal,legal --start 60 --play 60",
    "new my-game",
    "new mine.rcy; fmt mine.rcy --stdout",
    pytest.param(
        "learn tic-tac-toe --games 100 --out net --hidden 16 -a random", marks=needs_torch
    ),
]


def printed(
    arguments: list[str], encoding: str, monkeypatch: pytest.MonkeyPatch, code: int = 0
) -> bytes:
    """What a command that ends with this code writes to a standard output of this encoding."""
    content = io.BytesIO()
    stream = io.TextIOWrapper(content, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.degrade_characters()
    with pytest.raises(SystemExit) as end:
        app(arguments)
    assert (end.value.code or 0) == code, arguments
    stream.flush()
    return content.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_its_results_in_ascii(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    for step in command.split("; "):
        text = printed(shlex.split(step), "ascii", monkeypatch).decode("ascii")
    assert len(text) > 20
    if "--json" in command:
        assert json.loads(text)


@pytest.mark.parametrize("encoding", ["latin-1", "cp437", "ascii"])
def test_what_an_encoding_has_is_printed_as_it_is(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.degrade_characters()
    print("─ ± · \u2013 ½ ř ▲ µ ♥ ☃", flush=True)
    shown = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert (
        shown.strip()
        == {
            "latin-1": "- ± · - ½ r ^ µ H ?",
            "cp437": "─ ± · - ½ r ^ µ H ?",
            "ascii": "- +- . - 1/2 r ^ u H ?",
        }[encoding]
    )


def test_an_error_handler_that_was_asked_for_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="xmlcharrefreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.degrade_characters()
    assert stream.errors == "xmlcharrefreplace"


def test_the_process_degrades_by_itself() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "kibitz", "playtest", "agram", "--games", "20"]
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=True)
    assert "games" in done.stdout.decode("latin-1")


def test_every_character_of_the_reports_has_something_similar_in_ascii() -> None:
    """Signs of a report must not become the same question mark."""
    sources = Path(terminal.__file__).parents[1]
    characters = {
        character
        for pattern in ("*/*report*.py", "*/sentences.py", "*/tables.py", "reports/[!h]*.py")
        for file in sources.glob(pattern)
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for character in node.value
        if not character.isascii()
    }
    lacking = {character for character in characters if terminal._in_ascii(character) == "?"}
    assert not lacking
