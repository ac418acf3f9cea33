"""``kibitz tournament``."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_a_tournament(kibitz: Run) -> None:
    words = ("tournament", "tic-tac-toe", "--agents", "random osla", "--games", 60)
    shown = kibitz(*words)
    assert "Tic-Tac-Toe, 2 players: osla is the strongest, by " in shown.flat
    assert max(map(len, shown.stdout.splitlines())) <= 80
    document = kibitz(*words, "--json", "-").json()
    assert document["agents"] == ["random", "osla"]
    assert document["tables"][0]["matches"][0]["games"] == 60


def test_one_agent_is_too_few(kibitz: Run) -> None:
    shown = kibitz("tournament", "agram", "--agents", "random")
    assert shown.code == 2
    assert "two agents or more" in shown.flat
