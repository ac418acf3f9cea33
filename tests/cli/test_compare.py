"""``kibitz compare``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run


def test_settings(kibitz: Run) -> None:
    shown = kibitz("compare", "agram", "--vary", "hand=4,6", "--games", 50)
    assert shown.stdout.startswith("2 variants of 50 games each, seed 0\n")
    assert "hand=6 differs from hand=4: decisions a game" in shown.flat
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_files(kibitz: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "first.rcy", tmp_path / "second.rcy"
    for file in (first, second):
        kibitz("new", file)
    comparison = kibitz("compare", first, second, "--games", 20, "--json", "-").json()
    assert comparison["variants"] == [str(first), str(second)]
    assert {d["value"] for m in comparison["measures"] for d in m["differences"]} == {0}
    shown = kibitz("compare", first, second, "--games", 20).stdout
    assert f"A: {first}" in shown.replace("\n", "")


def test_more_than_two(kibitz: Run) -> None:
    shown = kibitz("compare", "love-letter", "--vary", "players=2..4", "--games", 30)
    assert "players=4 differs from players=2" in shown.flat


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agram"], "What should agram be compared with?"),
        (["agram", "agram"], "agram is given twice"),
        (["agram", "--vary", "hand=4"], "What should agram be compared with?"),
        (["agram", "--vary", "hat=4,5"], "hat"),
        (["agram", "nothing"], "nothing"),
    ],
)
def test_what_cannot_be_compared(kibitz: Run, arguments: list[str], message: str) -> None:
    shown = kibitz("compare", *arguments)
    assert shown.code == 2
    assert message in shown.flat


def test_luck_can_be_taken_out(kibitz: Run) -> None:
    comparison = kibitz(
        "compare", "agram", "--vary", "hand=4,6", "--games", 30, "--control", "--json", "-"
    )
    assert comparison.json()["controlled"] is True
