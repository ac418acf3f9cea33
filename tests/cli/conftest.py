"""Fixtures that run the command line."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer import testing
from typer.testing import CliRunner

from kibitz.cli import app
from kibitz.core import registry


class Outcome:
    """The output and the exit code of a command."""

    def __init__(self, stdout: str, stderr: str, code: int) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.code = code

    @property
    def flat(self) -> str:
        """All output without line breaks, so that wrapping does not matter."""
        return " ".join((self.stdout + " " + self.stderr).split())

    def json(self) -> Any:
        """Standard output as strict JSON."""
        return json.loads(self.stdout, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


Run = Callable[..., Outcome]

_command = functools.cache(typer.main.get_command)
"""All commands with their options, which take longer to make than most tests to run."""


@pytest.fixture
def kibitz(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process: ``kibitz("games", "--json", input="...")``.

    Games that it registers are forgotten after the test.
    """
    monkeypatch.setattr(registry, "_added", dict(registry._added))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("KIBITZ_TRACEBACK", raising=False)
    monkeypatch.setattr(testing, "_get_command", _command, raising=False)

    def run(*arguments: object, input: str = "") -> Outcome:
        words = [str(argument) for argument in arguments]
        result = CliRunner().invoke(app, words, input=input, prog_name="kibitz")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.stdout, result.stderr, result.exit_code)

    return run


def python(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs another Python process."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "COLUMNS": "80"} | options.pop("env", {}),
        **options,
    )


@pytest.fixture
def own_code(tmp_path: Path) -> Iterator[None]:
    """Forgets the modules and games that a test has imported from its folder."""
    path, games = list(sys.path), dict(registry._added)
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
    sys.path[:] = path
    registry._added.clear()
    registry._added.update(games)


@pytest.fixture
def broken_game(tmp_path: Path, own_code: None) -> Path:
    """A game whose rules leave the player without an action."""
    file = tmp_path / "broken_rules.py"
    file.write_text(
        '''
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.game import Game


class Move(ActionKinds):
    GO = Action("go")


class Broken(Game):
    """A game that ends nowhere."""

    name = "broken"
    title = "Broken"
    players = (2, 2)
    Actions = Move

    @staticmethod
    def setup(state, params):
        pass

    @staticmethod
    def legal_actions(state, params, actions):
        if state.tick < 3:
            add(actions, pack(Move.GO))

    @staticmethod
    def apply_action(state, params, action):
        state.player = 1 - state.player
'''
    )
    return file
