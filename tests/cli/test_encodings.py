"""Results are printed wherever they go: characters that an encoding lacks are replaced."""

from __future__ import annotations

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

ALIKE = "--games 20 --seed 1"
COMMANDS = [
    "games",
    "show love-letter",
    "agents mcts",
    f"playtest agram {ALIKE}",
    f"playtest agram {ALIKE} --json",
    f"compare agram -p 2 --vary hand=3,4 {ALIKE}",
    f"ladder agram -p 2 --rungs random --rungs osla {ALIKE}",
    "tournament agram -p 2 -a 'random osla' --games 20",
    "record agram --seed 1",
    "check agram --games 1",
    "perft tic-tac-toe --depth 2",
    "exploitability kuhn-poker --agents random",
    "translate kuhn-poker",
    "picture agram --seed 1",
]


def printed(arguments: list[str], encoding: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """What a command writes to a standard output of this encoding."""
    content = io.BytesIO()
    stream = io.TextIOWrapper(content, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.degrade_characters()
    with pytest.raises(SystemExit) as end:
        app(arguments)
    assert end.value.code in (0, None), arguments
    stream.flush()
    return content.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_its_results_in_ascii(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    text = printed(shlex.split(command), "ascii", monkeypatch).decode("ascii")
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
    print("─ ± · \u2013 ½ ř ♥", flush=True)
    shown = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert (
        shown.strip()
        == {
            "latin-1": "- ± · - ½ r ?",
            "cp437": "─ ± · - ½ r ?",
            "ascii": "- +- . - 1/2 r ?",
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
