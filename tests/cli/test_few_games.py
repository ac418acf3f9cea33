"""Reports of games without opponents, and of runs that were stopped before a game was over."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_encodings import printed
from tests.cli.test_one_player import SOLO

from kibitz.cli import terminal

VARIED = {"solo.rcy": "pass_when_stuck=true,false", "pandemic": "epidemics=4,5"}
SLOW = "mcts:iterations=100000000", "mcts:iterations=99999999"
REPORTS = [
    "playtest GAME --agents AGENT --games 4 --html r.html",
    "playtest GAME --agents AGENT --games 4 --vary VARIED",
    "compare GAME --agents AGENT --games 4 --vary VARIED",
    "ladder GAME --agents AGENTS --games 4",
    "tune agent osla GAME --games 40 --html r.html",
]
ONLY_STOPPED = [
    "playtest GAME --time 1 --html r.html",
    "playtest tic-tac-toe --agents AGENT --html r.html --out run",
    "tournament tic-tac-toe --agents AGENTS --html r.html",
]
ODD = re.compile(r"\b(?:nan|NaN|inf|Infinity|None)\b(?! surely)")
"""What should be in no report; sentences may begin with "None surely"."""


def report(
    command: str, game: str, stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, Any]:
    """The text and the JSON of a command's report, checked together with its page."""
    first, second = SLOW if stopped else ("random", "first-legal")
    words = command.replace("AGENTS", f"'{first} {second}'").replace("AGENT", first)
    words = words.replace("VARIED", VARIED[game]).replace("GAME", game)
    arguments = [*shlex.split(words), "--json", "r.json"]
    text = printed(arguments, "ascii", monkeypatch, 130 if stopped else 0).decode("ascii")
    assert not ODD.search(text), text
    page, file = Path("r.html"), Path("r.json")
    if page.exists():
        content = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", page.read_text(), flags=re.S)
        assert not ODD.search(content)
    return text, json.loads(
        file.read_text(), parse_constant=pytest.fail
    ) if file.exists() else None


@pytest.fixture(autouse=True)
def solo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("solo.rcy").write_text(SOLO)


@pytest.fixture
def stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has somebody press Ctrl-C when the first progress is shown."""

    @contextmanager
    def progress(*_: object, **__: object) -> Iterator[Callable[..., None]]:
        def update(*_: object) -> None:
            raise KeyboardInterrupt

        yield update

    monkeypatch.setattr(terminal, "progress", progress)


@pytest.mark.parametrize("game", VARIED)
@pytest.mark.parametrize("command", REPORTS)
def test_games_without_opponents_are_reported(
    command: str, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, document = report(command, game, False, monkeypatch)
    assert len(text) > 100
    assert document


@pytest.mark.usefixtures("stop")
@pytest.mark.parametrize("game", VARIED)
@pytest.mark.parametrize("command", [*REPORTS, *ONLY_STOPPED])
def test_what_was_stopped_before_a_game_was_over_is_reported(
    command: str, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, document = report(command, game, True, monkeypatch)
    assert document is None or document["interrupted"]
    if "--out run" in command:
        text = printed(["runs", "show", "run"], "ascii", monkeypatch).decode("ascii")
        assert "Stopped after 0 of 1,000 games" in " ".join(text.split())
