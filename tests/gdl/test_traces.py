"""Agreement with the traces of a reference engine, where its corpus is at hand.

The games and their traces are no part of this project.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.shared import SHARED

from kibitz.core.state import State
from kibitz.gdl.game import GdlGame, load
from kibitz.gdl.steps import Steps
from kibitz.syntax.source import Source

CORPUS = SHARED / "corpus" / "gdl"
MICRO = sorted(CORPUS.glob("micro/*.kif"))
PUBLIC = sorted(CORPUS.glob("public/*.kif"))

LARGE = frozenset(
    [
        "amazons_8x8",
        "atariGo_7x7",
        "checkersSmall",
        "chess_200",
        "chinook",
        "hex",
        "kalaha6x2x4",
        "pacman3p",
        "quarto",
        "racer",
        "reversi",
        "rubiksCube",
        "ruleDepthExponential",
        "skirmish",
        "skirmishNew",
        "speedChess",
        "sudokuGrade1",
        "tron_10x10",
        "twisty-passages",
    ]
)
"""Games that take seconds to ground: with ``KIBITZ_SLOW=1`` they are checked too."""

WRONG = {"test_case_3a": "(move correct_correct)"}
"""Traces in which the reference distinguishes ``(p)`` from ``p``, with the right first move."""


def trace(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path.with_suffix(".jsonl.gz"), "rt") as lines:
        yield from map(json.loads, lines)


def facts(game: GdlGame, state: State) -> list[str]:
    return sorted(game.rules.facts.true(state.view.facts))


def agree(path: Path, grounded: bool = True, most_steps: int = 100_000) -> int:
    """Follows the traces of a game; how many steps they had."""
    game = GdlGame(Source.load(path), grounded=grounded)
    table = game.table()
    steps = Steps(table)
    names = game.rules.actions.names
    spelling, roles = game.description.spelling, game.description.roles
    labels = [spelling[role] for role in roles]
    checked = 0
    state = table.new_state()
    for line in trace(path):
        if line["type"] == "game":
            assert labels == line["roles"]
            assert facts(game, state) == line["initial"]
        elif line["type"] == "playout":
            state = table.new_state()
        elif line["type"] == "step":
            assert not state.is_terminal
            chosen = []
            for role, label in enumerate(labels):
                legal = steps.legal(state, role)
                assert sorted(names[move] for move in legal) == line["legal"][label]
                chosen += [move for move in legal if names[move] == line["move"][role]]
                assert sorted(map(str, steps.goals(state, role))) == line["goals"][label]
            steps.play(state, chosen)
            assert facts(game, state) == line["next"]
            checked += 1
            if checked >= most_steps:
                break
        else:
            assert state.is_terminal == line["terminal"]
            for role, label in enumerate(labels):
                assert sorted(map(str, steps.goals(state, role))) == line["goals"][label]
    return checked


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
@pytest.mark.parametrize("path", MICRO, ids=lambda path: path.stem)
def test_micro_games(path: Path) -> None:
    if path.stem in WRONG:
        game = load(path)
        table = game.table()
        state = table.new_state()
        (move,) = Steps(table).legal(state, 0)
        assert game.rules.actions.names[move] == WRONG[path.stem]
    else:
        assert agree(path) > 0


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
@pytest.mark.parametrize("path", MICRO + PUBLIC, ids=lambda path: path.stem)
def test_rule_by_rule(path: Path) -> None:
    if path.stem not in WRONG:
        assert agree(path, grounded=False, most_steps=3) > 0


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.stem)
def test_public_games(path: Path) -> None:
    if path.stem in LARGE and not os.environ.get("KIBITZ_SLOW"):
        pytest.skip("large: set KIBITZ_SLOW=1")
    assert agree(path) > 0
