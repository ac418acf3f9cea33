"""``kibitz ladder``."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_a_ladder(kibitz: Run) -> None:
    shown = kibitz("ladder", "tic-tac-toe", "--agents", "random osla", "--games", 50)
    assert "Skill pays: 1 step up the ladder gains more than chance explains." in shown.flat
    assert "It pays as far up as was tried, up to osla." in shown.flat


def test_as_json(kibitz: Run) -> None:
    words = ("ladder", "agram", "-a", "random", "-a", "osla", "-g", 40, "--json", "-")
    document = kibitz(*words).json()
    assert document["lowest"] == "random"
    assert [rung["agent"] for rung in document["rungs"]] == ["osla"]
    assert document["rungs"][0]["fair"] == 0.25


def test_a_misspelt_rung(kibitz: Run) -> None:
    shown = kibitz("ladder", "agram", "--agents", "random olsa")
    assert shown.code == 2
    assert "olsa" in shown.flat
