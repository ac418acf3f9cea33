"""Mistakes in the code of authors: commands name the file and the line, and go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.test_loading import OWN

import kibitz as package
from kibitz.core.errors import GameDefinitionError

WORDS = """
    def describe(self, state, observer):
        return {}["nothing"]
"""
TURNS = "state.player = 1 - state.player"


@pytest.fixture
def walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_code: None
) -> Callable[[str, str], str]:
    """Writes a game with these rules and hooks; returns its file."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, hooks: str = "", apply: str = TURNS) -> str:
        Path(f"{name}.py").write_text(OWN.format(name=name, apply=apply).rstrip() + hooks)
        return f"{name}.py"

    return write  # type: ignore[return-value]


def test_a_mistake_in_describe_is_named_with_its_line(walk: Any, kibitz: Any) -> None:
    file = walk("clumsy", WORDS)
    line = Path(file).read_text().splitlines().index('        return {}["nothing"]') + 1
    outcome = kibitz("record", file)
    assert outcome.code == 2
    assert f"{file}:{line}, in describe: KeyError: 'nothing'" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_faulty_game_is_left_out_of_a_tournament(walk: Any, kibitz: Any) -> None:
    broken = walk("wrong", apply="state.seat[4 + state.tick].score = 1.0")
    outcome = kibitz(
        "tournament", broken, "tic-tac-toe", "--agents", "random first-legal", "--games", "4"
    )
    assert outcome.code == 0
    assert f"Left out: {broken}: walk-wrong: " in outcome.stderr
    tournament = package.tournament(
        {"bad": broken, "good": "tic-tac-toe"}, ["random", "first-legal"], games=4
    )
    assert [table.label for table in tournament.tables] == ["good"]
    assert "walk-wrong" in tournament.left_out[0]
    with pytest.raises(GameDefinitionError):
        package.tournament({"bad": broken}, ["random", "first-legal"], games=4)
