"""``kibitz replay`` of games of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run

import kibitz as package
from kibitz import load

COIN = """
(role you) (init (step 1))
(<= (legal you (take ?n)) (true (step ?s)) (number ?n)) (number 1) (number 2)
(<= (next (step 2)) (true (step 1))) (<= (next (took ?n)) (does you (take ?n)))
(<= (next (took ?n)) (true (took ?n))) (<= terminal (true (step 2)))
(<= (goal you 100) (true (took 1))) (<= (goal you 50) (true (took 2)))
"""


def test_the_command_replays_by_the_kept_rules_and_shows_what_changed(
    tmp_path: Path, kibitz: Run
) -> None:
    file = tmp_path / "coin-of-mine.kif"
    file.write_text(COIN)
    place = tmp_path / "game.json"
    package.record(load(file), "random", 1).write(place)
    assert kibitz("replay", place).code == 0
    file.write_text(COIN.replace("(goal you 50)", "(goal you 60\x1b)"))
    shown = kibitz("replay", place)
    assert shown.code == 0
    assert f"{file} has changed since the game was recorded" in shown.stderr
    assert "+ (<= (goal you 100) (true (took 1))) (<= (goal you 60?)" in shown.stderr
    assert "by the rules in the record" in shown.flat


def test_rules_beside_a_record_are_compared_from_any_folder(
    tmp_path: Path, kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home, elsewhere):
        folder.mkdir()
    monkeypatch.chdir(home)
    Path("coin-of-mine.kif").write_text(COIN)
    package.record(load("coin-of-mine.kif"), "random", 1).write("game.json")
    Path("coin-of-mine.kif").write_text(COIN.replace("(goal you 50)", "(goal you 60)"))
    monkeypatch.chdir(elsewhere)
    shown = kibitz("replay", "../home/game.json")
    assert shown.code == 0
    assert "home/coin-of-mine.kif has changed since the game was recorded" in shown.flat
