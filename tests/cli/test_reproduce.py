"""``kibitz reproduce``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run

from kibitz.reproduce import PAPERS, bench


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "QUICK", 1000)


def test_a_paper_as_text_page_and_markdown(kibitz: Run, tmp_path: Path) -> None:
    page, text = tmp_path / "a.html", tmp_path / "a.md"
    words = ("reproduce", "love-letter", "--quick", "--html", page, "--markdown", text)
    shown = kibitz(*words)
    assert shown.code == 0
    assert "numbers agree." in shown.flat
    assert page.read_text().startswith("<!doctype html>")
    assert text.read_text().startswith("## Wang and Zhang")


def test_help_names_every_paper(kibitz: Run) -> None:
    shown = kibitz("reproduce", "--help")
    for name, paper in PAPERS.items():
        assert f"{name} " in shown.flat
        assert paper.title.partition(":")[0] in shown.flat


def test_an_unknown_paper(kibitz: Run) -> None:
    shown = kibitz("reproduce", "tagg")
    assert shown.code == 2
    assert "There is no paper 'tagg'." in shown.flat
