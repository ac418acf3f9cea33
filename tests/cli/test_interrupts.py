"""Interrupts of ``kibitz play`` at every line, and ends of its terminal."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.core.interrupting import interrupted_at_each_line

import kibitz as package
from kibitz.cli import play
from kibitz.cli.play import Console, seat_agents
from kibitz.core.interrupt import Interrupted, allowed, raise_only_where_allowed
from kibitz.players.human import HumanAgent
from kibitz.sessions import Record, Session, verify

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


@pytest.mark.parametrize(("game", "players"), [("tic-tac-toe", 2), ("uno", 4)])
def test_a_game_left_at_any_line_is_kept_up_to_its_last_action(
    game: str, players: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kept.json"
    table = package.load(game).table(players)

    def played() -> None:
        answers = iter(["1", "q", ""])
        person = HumanAgent(lambda _: next(answers), lambda _: None, quick=True)
        session = Session(table, seat_agents(table, 1, ["random"]), 3)
        raise_only_where_allowed()
        allowed(lambda: Console(session, person).play(game, str(file)))

    raised = []
    step = 1 if game == "tic-tac-toe" else 7
    for problem in interrupted_at_each_line(played, [play], step=step):
        shown_moves = len(
            re.findall(r"^(?:You|Player \d+): ", capsys.readouterr().out, re.MULTILINE)
        )
        raised.append(type(problem))
        if file.exists():
            record = Record.read(file)
            verify(record, table)
            if game == "tic-tac-toe":  # a line for each action
                assert shown_moves <= len(record.moves) <= shown_moves + 1
            file.unlink()
        else:
            assert isinstance(problem, Interrupted)
            assert shown_moves == 0
    assert set(raised) == {Interrupted, typer.Exit, type(None)}


@pytest.mark.parametrize("ends", ["terminal", "pipes"])
def test_an_input_that_is_closed_ends_the_search_and_the_game_is_kept(
    ends: str, tmp_path: Path
) -> None:
    """Also where no signal tells, since it is not the terminal that controls the process."""
    if ends == "terminal":
        ours, theirs = os.openpty()
        reading, input_end, shown = ours, theirs, theirs
    else:
        input_end, ours = os.pipe()
        reading, shown = os.pipe()
    words = ["play", "tic-tac-toe", "--seat", "2", "--against", "mcts:iterations=100000000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "kibitz", *words, "--out", "kept.json"],
        stdin=input_end,
        stdout=shown,
        stderr=shown,
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    for end in {input_end, shown}:
        os.close(end)
    output = b""
    while b"You are player 2" not in output:
        output += os.read(reading, 4096)
    os.close(ours)
    assert process.wait(timeout=60) == 128 + signal.SIGHUP
    if reading != ours:
        os.close(reading)
    record = Record.read(tmp_path / "kept.json")
    assert record.result.status == "interrupted"
    verify(record)


def test_a_game_whose_reader_has_gone_is_kept_as_far_as_it_was_told(tmp_path: Path) -> None:
    words = ["record", "uno", "--players", "3", "--seed", "5", "--json", "kept.json"]
    with subprocess.Popen(
        [sys.executable, "-m", "kibitz", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == 128 + signal.SIGPIPE
    assert b"Traceback" not in errors
    record = Record.read(tmp_path / "kept.json")
    assert record.result.status == "interrupted"
    verify(record)


def test_results_whose_reader_has_gone_end_a_playtest_as_elsewhere() -> None:
    reading, shown = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "kibitz", "playtest", "tic-tac-toe", "--games", "9"],
        stdout=shown,
        stderr=subprocess.PIPE,
        timeout=300,
        check=False,
    )
    os.close(shown)
    assert ended.returncode == 128 + signal.SIGPIPE
    assert b"Traceback" not in ended.stderr


def test_a_lost_terminal_ends_a_search_as_a_hangup(tmp_path: Path) -> None:
    """Whether the signal comes first or what is written there fails: the exit code is the same."""
    ours, theirs = os.openpty()
    words = ["record", "tic-tac-toe", "--agents", "mcts:iterations=100000000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "kibitz", *words],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    os.close(theirs)
    output = b""
    while b"Seed 0" not in output:
        output += os.read(ours, 4096)
    os.close(ours)
    assert process.wait(60) == 128 + signal.SIGHUP
