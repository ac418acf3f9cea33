"""``kibitz playtest``."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from kibitz.cli import terminal
from kibitz.core.progress import Progress
from kibitz.languages.recycle import RECYCLE
from kibitz.recycle import library
from kibitz.syntax.source import Diagnostic, Severity, Span


def test_the_report_goes_to_stdout(kibitz: Run) -> None:
    shown = kibitz("playtest", "love-letter", "--games", 50, "--agents", "random")
    assert shown.code == 0
    assert "Love Letter: 50 games of 2 players, seed 0" in shown.stdout
    assert "All 50 games were finished." in shown.stdout
    *lines, command = shown.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert command.startswith("  The same games again: kibitz playtest love-letter ")


def test_it_says_which_number_of_players_it_took(kibitz: Run) -> None:
    sentence = "With 2 players; --players takes 2 to 4."
    assert sentence in kibitz("playtest", "love-letter", "--games", 5).stderr
    assert sentence not in kibitz("playtest", "love-letter", "--games", 5, "-p", 2).stderr
    assert "--players takes" not in kibitz("playtest", "tic-tac-toe", "--games", 5).stderr


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


def test_variants_are_compared(kibitz: Run) -> None:
    shown = kibitz("playtest", "love-letter", "-g", 20, "--vary", "players=2..3")
    assert "Love Letter: 2 variants of 20 games each, seed 0" in shown.stdout
    assert shown.stderr == ""
    assert max(map(len, shown.stdout.splitlines())) <= 80
    document = kibitz(
        *("playtest", "love-letter", "-g", 5, "-p", 3, "--json", "-"),
        *("--vary", "tokens-to-win=1,2", "--vary", "tie-rule=shared,discards", "-s", "guards=4"),
    ).json()
    assert [variant["values"] for variant in document["variants"]] == [
        {"tokens_to_win": tokens, "tie_rule": rule}
        for tokens in (1, 2)
        for rule in ("shared", "discards")
    ]
    assert {variant["playtest"]["parameters"]["guards"] for variant in document["variants"]} == {4}
    assert {variant["playtest"]["players"] for variant in document["variants"]} == {3}


def test_defaults_follow_the_number_of_players(kibitz: Run) -> None:
    document = kibitz(
        "playtest", "love-letter", "-g", 5, "--vary", "players=2,4", "--json", "-"
    ).json()
    tokens = [v["playtest"]["parameters"]["tokens_to_win"] for v in document["variants"]]
    assert tokens[0] > tokens[1]


def test_wrong_variants_are_told(kibitz: Run) -> None:
    shown = kibitz("playtest", "tic-tac-toe", "--vary", "size=3..9")
    assert shown.code == 2
    assert "size = 8 is not allowed" in shown.stderr
    assert "Did you mean 'size'?" in kibitz("playtest", "tic-tac-toe", "--vary", "seize=3").flat
    assert "NAME=LOW..HIGH" in kibitz("playtest", "tic-tac-toe", "--vary", "size").flat


def test_ctrl_c_keeps_the_variants_played_so_far(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals: list[int] = []

    def stop(done: int, total: int) -> bool:
        totals.append(total)
        return done > 100

    monkeypatch.setattr(terminal, "progress", stopping(stop))
    shown = kibitz("playtest", "tic-tac-toe", "-g", 100, "--vary", "size=3..5", "--json", "-")
    document = shown.json()
    assert set(totals) == {300}
    assert document["interrupted"] is True
    assert len(document["variants"]) == 2
    assert document["variants"][0]["playtest"]["games"] == 100
    assert shown.code == 130
    assert re.search(r"Stopped: keeping the \d+ of 300 games", shown.stderr)


def test_options_at_each_action_are_shown_on_request(kibitz: Run) -> None:
    shown = kibitz("playtest", "tic-tac-toe", "-g", 5, "--branching").stdout
    assert "options at action" in shown


RING = """
from kibitz.components import Note
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.game import Game
from kibitz.core.layout import GameState
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.randomness import random_below


class Move(ActionKinds):
    STEP = Action("step")


class Board(GameState):
    at = Note()


class Parameters(GameParameters):
    chance = Tunable(0, range(2), "whether a number is drawn")


class Ring(Game):
    name = "ring"
    players = (2, 2)
    max_ticks = 500
    State = Board
    Parameters = Parameters
    Actions = Move

    @staticmethod
    def setup(state, params):
        pass

    @staticmethod
    def legal_actions(state, params, actions):
        add(actions, pack(Move.STEP))

    @staticmethod
    def apply_action(state, params, action):
        if params.chance:
            random_below(state.rng, 6)
        state.at.values[0] = (state.at.values[0] + 1) % 5
        state.turn += 1
"""


def test_loops_from_the_command_line(kibitz: Run, tmp_path: Path, own_code: None) -> None:
    file = tmp_path / "ring_rules.py"
    file.write_text(RING)
    shown = kibitz("playtest", file, "-g", 2)
    assert "loop: went round in circles" in shown.flat
    shown = kibitz("playtest", file, "-g", 2, "--set", "chance=1", "--loops", 4, "--json", "-")
    document = shown.json()
    assert document["outcomes"]["suspected_loop"] == 2
    seed = document["first_unfinished"]["suspected_loop"]["seed"]
    record = ("record", file, "--seed", seed, "--set", "chance=1")
    assert "seems to go round in circles" in kibitz(*record, "--loops", 4).flat
    assert "The game was not finished: limit." in kibitz(*record).flat
    assert "2 to 1,000,000" in kibitz("playtest", file, "--loops", 1).flat
    shown = kibitz("play", file)
    assert shown.code == 2
    assert "the game goes round in circles: it has been here before" in shown.flat
    assert shown.stdout.count("the only move") == 5


ENDLESS = ("playtest", "tic-tac-toe", "--games", "100000", "--agents", "mcts:iterations=3000")


def stopping(when: Callable[[int, int], bool]) -> Callable[[], object]:
    """A progress display during which someone presses Ctrl-C."""

    @contextmanager
    def progress() -> Iterator[Progress]:
        def update(_: str, done: int, total: int) -> None:
            if when(done, total):
                raise KeyboardInterrupt

        yield update

    return progress


def test_ctrl_c_keeps_the_games_played_so_far(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "progress", stopping(lambda done, _: done > 0))
    shown = kibitz(*ENDLESS, "--json", "-")
    document = shown.json()
    assert document["interrupted"] is True
    assert 0 < document["games"] < 100_000
    assert f"Stopped: keeping the {document['games']:,} of 100,000 games" in shown.stderr
    assert shown.code == 130


def test_ctrl_c_before_the_first_game_is_over(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "progress", stopping(lambda *_: True))
    arguments = ("playtest", "tic-tac-toe", "--agents", "mcts:iterations=100000000")
    shown = kibitz(*arguments)
    assert "Stopped: keeping the 0 of 1,000 games played so far." in shown.stderr
    assert "Traceback" not in shown.stderr
    assert shown.code == 130
    assert kibitz(*arguments, "--json", "-").json()["games"] == 0


def test_ctrl_c_before_anything_was_played(kibitz: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "progress", interrupted)
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
    output = read_until(keyboard, r"[1-9][\d,]* of 100,000 games")
    process.send_signal(signal.SIGINT)
    output += read_until(keyboard, "played so far")
    report, _ = process.communicate(timeout=120)
    os.close(keyboard)
    match = re.search(r"Stopped: keeping the ([\d,]+) of 100,000 games", output)
    assert match is not None
    assert f"Stopped after {match[1]} of 100,000 games" in report
    assert process.returncode == 130


def read_until(descriptor: int, pattern: str) -> str:
    """The output of a terminal up to the pattern or to its end."""
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


def test_several_games_are_played_one_by_one(kibitz: Run) -> None:
    shown = kibitz("playtest", "a.rcy", "my game.rcy")
    assert shown.code == 2
    assert "\n  kibitz compare a.rcy 'my game.rcy'\n" in shown.stderr


def test_the_last_agent_fills_the_seats_at_every_number_of_players(kibitz: Run) -> None:
    words = ("-g", 20, "--agents", "first-legal random", "--json", "-")
    document = kibitz("playtest", "love-letter", "--vary", "players=2..4", *words).json()
    for players, variant in zip((2, 3, 4), document["variants"], strict=True):
        agents = variant["playtest"]["agents"]
        assert [(entry["agent"], entry["games"]) for entry in agents] == [
            ("first-legal", 20),
            ("random", 20 * (players - 1)),
        ]


LIBRARY = Path(library.__file__).parent


def own_agram(tmp_path: Path, old: str = "", new: str = "") -> Path:
    file = tmp_path / "my agram with a long name that does not fit into a line.rcy"
    file.write_text((LIBRARY / "agram.rcy").read_text().replace(old, new))
    return file


def test_a_command_to_copy_is_one_line(kibitz: Run, tmp_path: Path) -> None:
    file = own_agram(tmp_path, "HAND 1-6", "HAND 1-10")
    settings = ("--set", "hand=10", "--set", "decider=3")
    for words in (settings, ("--vary", "hand=10", "--set", "decider=3")):
        shown = kibitz("playtest", file, "--games", 10, "--players", 5, *words)
        (command,) = [line for line in shown.stdout.splitlines() if "kibitz record" in line]
        assert len(command) > 80
        replay = kibitz(*shlex.split(command)[1:])
        assert "the top card of an empty place" in replay.flat


def test_the_gravest_warning_comes_before_the_report(kibitz: Run, tmp_path: Path) -> None:
    file = own_agram(tmp_path, "('P sto LATEST) 1)", "('P sto LATST) 1)")
    shown = kibitz("playtest", file, "--games", 5, "--players", 2, "--json", "-")
    assert shown.json()["games"] == 5
    first, second = shown.stderr.splitlines()[-2:]
    assert first.startswith(f"{file}:68:16: warning: ")
    assert second.endswith(f": kibitz check {shlex.quote(str(file))}")
    quiet = kibitz("playtest", own_agram(tmp_path), "--games", 5, "--players", 2)
    assert "warning" not in quiet.stderr


def test_a_grave_warning_is_told_rather_than_the_first() -> None:
    codes = ["tie", "never-filled", "similar-names", "endless"]
    warnings = [
        Diagnostic(Severity.WARNING, code, code, Span(i, i)) for i, code in enumerate(codes)
    ]
    assert RECYCLE.gravest(warnings).code == "endless"
    assert RECYCLE.gravest(warnings[:3]).code == "never-filled"
    assert RECYCLE.gravest(warnings[::2]).code == "tie"


def test_long_runs_say_now_and_then_how_far_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[str] = []
    reported = threading.Event()

    def say(text: str) -> None:
        lines.append(text)
        reported.set()

    monkeypatch.setattr(terminal, "say", say)
    with terminal.progress() as progress:
        progress("games", 300, 2000)
    assert lines == []  # a short run
    monkeypatch.setattr(terminal, "FIRST_LINE", 0.001)
    with terminal.progress() as progress:
        progress("games", 1500, 2000)
        lines.clear()
        reported.clear()
        assert reported.wait(60)
    assert lines[0].startswith("1,500 of 2,000 games, ")
    assert capsys.readouterr().out == ""


def test_a_misspelt_agent_is_told_before_anything_is_compiled(
    kibitz: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(*_: object) -> None:
        raise AssertionError("a table was made first")

    monkeypatch.setattr("kibitz.cli.playtest.variant_tables", compiled)
    for more in ([], ["--vary", "players=2..4"]):
        shown = kibitz("playtest", "love-letter", "--agents", "randon", *more)
        assert shown.code == 2
        assert "randon" in shown.stderr


def test_commas_between_agents_will_do(kibitz: Run) -> None:
    shown = kibitz("playtest", "love-letter", "--games", 4, "--agents", "osla,random")
    assert shown.code == 0
    assert "Played by osla and random, changing seats." in shown.stdout


def test_a_page_and_plots(kibitz: Run, tmp_path: Path) -> None:
    page, folder = tmp_path / "letters.html", tmp_path / "plots"
    kibitz("playtest", "love-letter", "--games", 50, "--html", page, "--plots", folder)
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert {file.suffix for file in folder.iterdir()} == {".png", ".svg"}


def test_pages_are_for_one_run(kibitz: Run, tmp_path: Path) -> None:
    shown = kibitz(
        "playtest", "tic-tac-toe", "--vary", "size=3,4", "--html", tmp_path / "page.html"
    )
    assert shown.code == 2
    assert "without --vary" in shown.flat


def test_a_page_that_cannot_be_written_is_said_before_playing(kibitz: Run, tmp_path: Path) -> None:
    shown = kibitz("playtest", "tic-tac-toe", "--html", tmp_path / "nowhere" / "page.html")
    assert shown.code == 2
    assert "nowhere" in shown.flat


@pytest.mark.parametrize("option", ["--plots", "--csv"])
def test_a_file_in_the_way_of_a_folder_is_said_before_playing(
    kibitz: Run, tmp_path: Path, option: str
) -> None:
    (tmp_path / "file").write_text("mine")
    shown = kibitz("playtest", "tic-tac-toe", option, tmp_path / "file" / "tables")
    assert shown.code == 2
    assert f"{tmp_path / 'file'} is a file." in shown.flat
    assert shown.stdout == ""
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device without room")
def test_the_report_is_printed_where_the_disk_is_full(kibitz: Run) -> None:
    shown = kibitz("playtest", "tic-tac-toe", "--games", 5, "--json", "/dev/full")
    assert shown.code == 2
    assert "5 games of 2 players" in shown.stdout
    assert "/dev/full: cannot be written: No space left on device." in shown.flat


def test_randomized_parameters(kibitz: Run) -> None:
    words = ("playtest", "tic-tac-toe", "-g", 40, "-a", "random", "--randomize")
    shown = kibitz(*words)
    assert "Each game drew from their ranges: size." in shown.flat
    document = kibitz(*words, "--json", "-").json()
    assert document["randomized"] == ["size"]
    [longest] = [game for game in document["examples"] if game["kind"] == "longest"]
    result = kibitz(
        "record", "tic-tac-toe", "-a", "random", "--seed", longest["seed"], "--randomize"
    )
    assert result.code == 0
    assert kibitz(*words, "--vary", "size=3,4").code != 0
    assert "no parameters left" in kibitz(*words, "--set", "size=4").flat


def test_variants_are_judged_and_refuse_what_is_of_one_run(kibitz: Run) -> None:
    words = ("playtest", "tic-tac-toe", "-g", 2, "--vary", "size=3")
    assert "--branching" in kibitz(*words, "--branching").flat
    document = kibitz(*words, "--judge", "rollouts:samples=2", "--json", "-").json()
    assert [variant["playtest"]["judged_games"] for variant in document["variants"]] == [2]


def test_the_usage_names_one_game(kibitz: Run) -> None:
    for command in ("playtest", "study"):
        assert f"{command} [OPTIONS] {{GAME}} " in kibitz(command, "--help").flat + " "
