"""``kibitz tune``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run

DASH = Path(__file__).parents[1] / "studies" / "tuning" / "dash.rcy"


def test_tuning_an_agent(kibitz: Run, tmp_path: Path) -> None:
    folder = tmp_path / "tuned"
    words = ("tune", "agent", "mcts:iterations=20", "tic-tac-toe", "--games", 300)
    words += ("--space", "rollout_length=-1,0 c=0.5,1", "--out", folder)
    shown = kibitz(*words)
    assert shown.code == 0
    assert "Tuning mcts:iterations=20 in Tic-Tac-Toe, 2 players, seed 0" in shown.flat
    assert "One step away" in shown.flat
    assert max(map(len, shown.stdout.splitlines())) <= 80
    again = kibitz(*words, "--json", "-").json()
    assert again["tune"] == "agent"
    assert again["games"] <= 300
    assert [axis["name"] for axis in again["space"]] == ["rollout_length", "c"]


def test_tuning_a_game(kibitz: Run, tmp_path: Path) -> None:
    page, report = tmp_path / "dash.html", tmp_path / "dash.md"
    words = ("tune", "game", DASH, "--goal", "fairness<=2", "--space", "bonus=0..2")
    shown = kibitz(*words, "--games", 4000, "--html", page, "--markdown", report)
    assert shown.code == 0
    assert "Better: bonus=1." in shown.flat
    assert "--set bonus=1" in shown.flat
    assert "<svg" in page.read_text()
    assert "### What mattered" in report.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("agent", "mtcs", "agram"), "Did you mean 'mcts'"),
        (("agent", "mcts", "agram", "--by", "ntbae"), "Did you mean 'ntbea'"),
        (("agent", "mcts", "agram", "--space", "cc=1,2"), "no name to tune 'cc'"),
        (("game", "agram", "--goal", "fair"), "is no goal"),
        (("game", "agram", "--goal", "fairness<=1", "--games", "10"), "too few"),
        (("game", "agram", "--goal", "fairness<=1", "--set", "hands=3"), "Did you mean 'hand'"),
    ],
)
def test_mistakes(kibitz: Run, words: tuple[str, ...], message: str) -> None:
    shown = kibitz("tune", *words)
    assert shown.code == 2
    assert message in shown.flat


def test_without_a_command_it_explains_itself(kibitz: Run) -> None:
    assert "kibitz tune agent ismcts" in kibitz("tune").flat
