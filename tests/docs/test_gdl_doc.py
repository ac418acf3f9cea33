"""The page about GDL: its game is correct, its players play, its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kibitz
from kibitz import gdl
from kibitz.arena.perft import perft
from kibitz.gdl import checker, simulation
from kibitz.gdl.library import FOLDER
from kibitz.gdl.rules import KEYWORDS
from kibitz.syntax.source import Source

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "gdl.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.S | re.M)


RULES = blocks("kif")[0]


def test_the_game_is_sound_and_has_eight_games() -> None:
    source = Source("matches.kif", RULES)
    assert checker.diagnose(source) == []
    assert simulation.simulate(source) == []
    counts = perft(gdl.load(RULES).new_state(), 5)
    assert counts.games == 8


def test_the_players_play(capsys: pytest.CaptureFixture[str]) -> None:
    page = {"__name__": "page", "rules": RULES}
    for block in blocks("python"):
        exec(compile(block, "gdl.md", "exec"), page)
    assert capsys.readouterr().out in ("[100, 0]\n", "[0, 100]\n")


def test_every_subroutine_error_and_word_is_told() -> None:
    for name in gdl.__all__:
        assert f"`{name}" in PAGE, name
    for word in KEYWORDS.keys() - {"percept"}:
        assert re.search(rf"`\(?{word}\b", PAGE), word
    for game in FOLDER.glob("*.kif"):
        assert f"`{game.stem}`" in PAGE
        assert kibitz.load(game.stem)


def test_every_code_of_the_checker_is_told() -> None:
    text = Path(checker.__file__).read_text("utf-8") + Path(simulation.__file__).read_text("utf-8")
    codes = set(re.findall(r'(?:error|warn|tell|Finding)\(\s*"([a-z-]+)"', text))
    assert len(codes) > 15
    for code in codes:
        assert f"`{code}`" in PAGE, code
