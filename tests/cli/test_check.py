"""``kibitz check`` and ``kibitz perft``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_a_sound_game_passes(kibitz: Run) -> None:
    shown = kibitz("check", "tic-tac-toe", "--games", 2)
    assert shown.code == 0
    assert "laws hold" in shown.stdout


def test_a_broken_game_fails_with_exit_code_1(kibitz: Run, broken_game: Path) -> None:
    shown = kibitz("check", broken_game, "--games", 2)
    assert shown.code == 1
    assert "the player to move always has a legal action" in shown.stdout


def test_check_as_json(kibitz: Run, broken_game: Path) -> None:
    assert kibitz("check", "tic-tac-toe", "--games", 2, "--json").json()["ok"] is True
    shown = kibitz("check", broken_game, "--games", 2, "--json")
    assert shown.code == 1
    assert shown.json()["ok"] is False


def test_perft_counts(kibitz: Run) -> None:
    shown = kibitz("perft", "tic-tac-toe", "--depth", 9)
    assert shown.code == 0
    assert "Tic-Tac-Toe, 2 players, seed 0" in shown.stdout
    assert "      9    127,872\n" in shown.stdout
    assert "255,168 of them end the game" in shown.stdout


def test_perft_as_json(kibitz: Run) -> None:
    document = kibitz("perft", "tic-tac-toe", "-d", 3, "--set", "size=4", "--json").json()
    assert document["histories"] == [16, 16 * 15, 16 * 15 * 14]
    assert document["parameters"] == {"size": 4}
    assert document["games"] == document["broken"] == 0


def test_perft_of_a_game_that_breaks_off(kibitz: Run, broken_game: Path) -> None:
    assert "1 break off" in kibitz("perft", broken_game, "--depth", 5).stdout
