"""``kibitz tournament``."""

from __future__ import annotations

from pathlib import Path

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


def test_formats_times_and_a_page(kibitz: Run, tmp_path: Path) -> None:
    page = tmp_path / "cup.html"
    words = ("tournament", "tic-tac-toe", "-a", "mcts osla random", "-g", 10, "-f", "ladder")
    shown = kibitz(*words, "--times", "2it 20it", "--html", page)
    assert "Strength against time" in shown.stdout
    assert "2 iterations" in shown.flat
    assert "Ladder of 3 agents" in shown.flat
    assert "strength against time" in page.read_text()


def test_all_games_of_a_kind(kibitz: Run) -> None:
    words = ("tournament", "--mechanic", "bluff", "-a", "random first-legal", "-g", 4)
    document = kibitz(*words, "-p", "2-3", "--json", "-").json()
    labels = [table["table"] for table in document["tables"]]
    assert "kuhn-poker 2" in labels
    assert {table["players"] for table in document["tables"]} <= {2, 3}
    assert document["overall"] or len(labels) == 1


def test_slips_are_told(kibitz: Run) -> None:
    for words, message in (
        (("-a", "random osla"), "Nothing to play"),
        (("agram",), "Who takes part"),
        (("agram", "-a", "random osla", "-p", "4-2"), "such as 3"),
        (("agram", "-a", "random osla", "-t", "soon"), "is no time for a decision"),
        (("agram", "-a", "random osla", "-t", "5it"), "Nobody here searches"),
        (("agram", "-a", "random osla", "--margin", "5"), "give that, too"),
        (("agram", "-a", "random osla", "-f", "teams"), "no fixed teams"),
        (("agram", "-a", "random osla", "-f", "swiss"), "knock-out"),
        (("pandemic", "-a", "random osla"), "win together"),
        (("agram", "-a", "mcts osla", "-t", " 5it  5it "), "each of them once"),
        (("--language", "klingon", "-a", "random osla"), "There is no language 'klingon'"),
        (("--category", "klingon", "-a", "random osla"), "No game for two players"),
    ):
        shown = kibitz("tournament", *words)
        assert shown.code == 2, words
        assert message in shown.flat
