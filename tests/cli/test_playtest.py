"""``kibitz playtest``."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from kibitz.cli import terminal


def test_the_report_goes_to_stdout(kibitz: Run) -> None:
    shown = kibitz("playtest", "love-letter", "--games", 50, "--agents", "random")
    assert shown.code == 0
    assert "Love Letter: 50 games of 2 players, seed 0" in shown.stdout
    assert "All 50 games were finished." in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_it_says_which_number_of_players_it_took(kibitz: Run) -> None:
    sentence = "With 2 players, the fewest; --players takes 2 to 4."
    assert sentence in kibitz("playtest", "love-letter", "--games", 5).stderr
    assert sentence not in kibitz("playtest", "love-letter", "--games", 5, "-p", 2).stderr
    assert "players, the fewest" not in kibitz("playtest", "tic-tac-toe", "--games", 5).stderr


def test_several_agents_set_the_number_of_players(kibitz: Run) -> None:
    shown = kibitz("playtest", "love-letter", "-g", 5, "-a", "osla random", "-a", "random")
    assert "5 games of 3 players" in shown.stdout
    assert shown.stderr == ""


def test_json_to_stdout_is_nothing_but_json(kibitz: Run) -> None:
    shown = kibitz("playtest", "tic-tac-toe", "--games", 20, "--seed", 5, "--json", "-")
    document = shown.json()
    assert document["games"] == 20
    assert document["seed"] == 5
    assert document["interrupted"] is False


def test_json_to_a_file_comes_with_the_report(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    shown = kibitz("playtest", "tic-tac-toe", "--games", 20, "--json", file)
    assert json.loads(file.read_text())["games"] == 20
    assert "20 games of 2 players" in shown.stdout


def test_the_same_seed_gives_the_same_games(kibitz: Run) -> None:
    def scores(*more: object) -> object:
        document = kibitz("playtest", "love-letter", "-g", 30, "--json", "-", *more).json()
        return document["seats"][0]["mean_score"], document["ticks_per_game"]

    assert scores("--seed", 1) == scores("--seed", 1, "--workers", 3)
    assert scores("--seed", 1) != scores("--seed", 2)


def test_settings_override_the_parameters_file(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "short.json"
    file.write_text('{"tokens_to_win": 1, "guards": 4}')
    shown = kibitz(
        *("playtest", "love-letter", "-g", 5, "--json", "-"),
        *("--parameters", file, "--set", "guards=3", "-s", "tie-rule=shared"),
    )
    parameters = shown.json()["parameters"]
    assert parameters["tokens_to_win"] == 1
    assert parameters["guards"] == 3
    assert parameters["tie_rule"] == "shared"


def test_agents_keep_their_seats_on_request(kibitz: Run) -> None:
    arguments = ("playtest", "tic-tac-toe", "-g", 10, "-a", "osla+random", "--json", "-")
    assert kibitz(*arguments).json()["rotated"] is True
    document = kibitz(*arguments, "--no-rotate").json()
    assert document["rotated"] is False
    assert [seat["agent"] for seat in document["seats"]] == ["osla", "random"]


def test_unfinished_games_are_reported_with_a_seed(kibitz: Run, broken_game: Path) -> None:
    shown = kibitz("playtest", broken_game, "-g", 10, "--json", "-")
    document = shown.json()
    assert document["outcomes"]["dead_end"] == 10
    seed = document["first_unfinished"]["dead_end"]["seed"]
    assert "dead end" in kibitz("record", broken_game, "--seed", seed).flat


ENDLESS = ("playtest", "tic-tac-toe", "--games", "100000", "--agents", "mcts:iterations=3000")


def stopping(when: Callable[[int], bool]) -> Callable[[int], object]:
    """A progress display during which someone presses Ctrl-C."""

    @contextmanager
    def progress(total: int) -> Iterator[Callable[[int], None]]:
        def update(done: int) -> None:
            if when(done):
                raise KeyboardInterrupt

        yield update

    return progress


def test_ctrl_c_keeps_the_games_played_so_far(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "games_progress", stopping(lambda done: done > 0))
    shown = kibitz(*ENDLESS, "--json", "-")
    document = shown.json()
    assert document["interrupted"] is True
    assert 0 < document["games"] < 100_000
    assert f"Stopped: keeping the {document['games']:,} of 100,000 games" in shown.stderr
    assert shown.code == 130


def test_ctrl_c_before_the_first_game_is_over(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "games_progress", stopping(lambda done: True))
    arguments = ("playtest", "tic-tac-toe", "--agents", "mcts:iterations=100000000")
    shown = kibitz(*arguments)
    assert "Stopped: keeping the 0 of 1,000 games played so far." in shown.stderr
    assert "Traceback" not in shown.stderr
    assert shown.code == 130
    assert kibitz(*arguments, "--json", "-").json()["games"] == 0


def test_ctrl_c_before_anything_was_played(kibitz: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "games_progress", interrupted)
    shown = kibitz(*ENDLESS)
    assert shown.stderr.strip() == "Stopped."
    assert shown.code == 130


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
def test_ctrl_c_at_a_terminal() -> None:
    """A real process shows its progress at a terminal, gets SIGINT, and still reports."""
    import pty

    keyboard, terminal_end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "kibitz", *ENDLESS],
        stdin=terminal_end,
        stdout=subprocess.PIPE,
        stderr=terminal_end,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(terminal_end)
    seen = read_until(keyboard, r"[1-9][\d,]* of 100,000 games")
    process.send_signal(signal.SIGINT)
    seen += read_until(keyboard, "played so far")
    report, _ = process.communicate(timeout=120)
    os.close(keyboard)
    kept = re.search(r"Stopped: keeping the ([\d,]+) of 100,000 games", seen)
    assert kept is not None
    assert f"Stopped after {kept[1]} of 100,000 games" in report
    assert process.returncode == 130


def read_until(descriptor: int, pattern: str) -> str:
    """What a terminal shows, until the pattern appears in it or nothing more comes."""
    text = ""
    while not re.search(pattern, text):
        try:
            more = os.read(descriptor, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        text += more.decode(errors="replace")
    return text
