"""``kibitz check`` and ``kibitz perft``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from kibitz.cli import terminal
from kibitz.core.progress import Progress
from kibitz.loading import language_and_source
from kibitz.syntax.language import CheckOptions


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


def test_how_much_was_looked_at_is_told(kibitz: Run) -> None:
    shown = kibitz("check", "tic-tac-toe", "--games", 2)
    assert "Played 2 games of " in shown.stdout
    assert "looked at all of them one by one" in shown.stdout
    few = kibitz("check", "love-letter", "--games", 1, "--players", 4, "--actions", 1)
    assert "one by one: all of 0 games, and of 1 beginning, end and parts between." in few.flat


def test_a_game_of_the_library_goes_by_its_name(kibitz: Run) -> None:
    for game in ("nim", "agram"):
        shown = kibitz("check", game, "--games", 2)
        assert f"\n{game}: no problems." in shown.stdout
        assert kibitz("check", game, "--games", 2, "--json").json()["game"] == game


def test_what_was_played_of_a_game_in_gdl_is_told(kibitz: Run) -> None:
    assert "Played 2 random games of 15 steps." in kibitz("check", "nim", "-g", 2).stdout
    assert "Played" not in kibitz("check", "nim", "--games", 0).stdout


def test_ctrl_c_shows_what_was_found_so_far(
    kibitz: Run, broken_game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def progress() -> Iterator[Progress]:
        def update(stage: str, done: int, total: int) -> None:
            assert total == 40
            if done == 1:
                raise KeyboardInterrupt

        yield update

    monkeypatch.setattr(terminal, "progress", progress)
    shown = kibitz("check", "tic-tac-toe", broken_game, "--games", 40)
    assert shown.code == 130
    assert "Stopped." in shown.stderr
    assert "tic-tac-toe: no law was found broken so far." in shown.stdout
    assert "Played 1 game of " in shown.stdout
    assert "is broken" not in shown.stdout
    document = kibitz("check", "tic-tac-toe", "--games", 40, "--json").json()
    assert document["complete"] is False


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        ("tic-tac-toe", [(0, 2), (1, 2), (2, 2)]),
        ("gdl-tic-tac-toe", [(0, 0)]),
        ("agram", [(0, 0)]),
    ],
)
def test_a_check_reports_its_progress(game: str, counts: list[tuple[int, int]]) -> None:
    """A total of 0 games means that their number is not known beforehand."""
    reported: list[tuple[int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        assert stage.endswith(" ...")
        reported.append((done, total))

    language, source = language_and_source(game)
    language.check(game, source, CheckOptions(games=2, progress=progress))
    assert reported == counts


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
