"""``kibitz picture``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from tests.cli.conftest import Run


def test_picture_writes_an_svg(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "table.svg"
    shown = kibitz("picture", "tic-tac-toe", "--moves", 3, "--width", 390, "--out", file)
    assert (shown.code, shown.stdout) == (0, "")
    root = ET.parse(file).getroot()
    assert root.get("width") == "390"
    assert (
        file.read_text() == kibitz(*["picture", "tic-tac-toe", "-m", "3", "--width", "390"]).stdout
    )


def test_a_picture_of_a_record(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    kibitz("record", "tic-tac-toe", "--seed", 5, "--out", file)
    seeded = kibitz("picture", "tic-tac-toe", "--seed", 5, "-m", 4, "--seat", 1)
    assert kibitz("picture", file, "-m", 4, "--seat", 1).stdout == seeded.stdout
    ended = kibitz("picture", file).stdout
    assert "has won" in ended or "A draw" in ended


def test_a_picture_shows_what_the_seat_sees(kibitz: Run) -> None:
    mine = kibitz("picture", "love-letter", "--seat", 1).stdout
    assert "hidden card" in mine
    assert mine != kibitz("picture", "love-letter", "--seat", 2).stdout
    assert "hidden card" not in kibitz("picture", "love-letter", "--open").stdout


def test_mistakes_in_the_options(kibitz: Run) -> None:
    shown = kibitz("picture", "tic-tac-toe", "--seat", 3)
    assert (shown.code, shown.flat) == (2, "kibitz: --seat 3: there are 2 players.")
    assert "at least 240 pixels" in kibitz("picture", "tic-tac-toe", "--width", 10).flat
    assert "no folder" in kibitz("picture", "tic-tac-toe", "--out", "no/such/x.svg").flat
