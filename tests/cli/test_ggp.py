"""``kibitz ggp``: the commands, from arguments to output."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.fork_servers import kept_fork_servers
from tests.ggp.foreign import ForeignPlayer, ggp_base, serving

from kibitz.cli import terminal
from kibitz.ggp.record import MatchRecord

__all__ = ["kept_fork_servers"]

pytestmark = pytest.mark.usefixtures("kept_fork_servers")

TINY = """
(role a) (role b) (init s) (legal a x) (legal a y) (legal b z) (goal a 70) (goal b 30)
(<= terminal (not (true s)))
"""


@pytest.fixture
def wee(tmp_path: Path) -> Path:
    file = tmp_path / "wee.kif"
    file.write_text(TINY)
    return file


def test_a_match_is_told_step_by_step_and_recorded(kibitz: Run, wee: Path, tmp_path: Path) -> None:
    out = tmp_path / "record.json"
    shown = kibitz(
        "ggp", "match", wee, "--players", "legal,random", "--start", 9, "--out", out, "--states"
    )
    assert shown.code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].startswith("wee, match kibitz.wee-")
    assert "  a: legal, ready after" in lines[1]
    assert lines[3].startswith("  1. x ")
    assert "   z " in lines[3]
    assert lines[5] == "Over after 1 step."
    assert lines[6].split() == ["Role", "Player", "Goal", "Errors", "Seconds", "a", "move"]
    assert lines[7].split()[:4] == ["a", "legal", "70", "0"]
    record = MatchRecord.from_json(json.loads(out.read_text()))
    assert record.goals == [70, 30]
    shown = kibitz("replay", out)
    assert shown.code == 0
    replayed = shown.stdout.splitlines()
    assert replayed[3:8] == ["", "     s", "", lines[3], ""]
    assert shown.stdout.startswith("wee, match kibitz.wee-")
    assert "The record agrees with the rules in it." in shown.stdout


def test_several_matches_have_a_file_each_and_json_is_all_there_is(
    kibitz: Run, wee: Path, tmp_path: Path
) -> None:
    out = tmp_path / "record.json"
    shown = kibitz(
        "ggp", "match", wee, "-p", "legal", "-p", "legal", "-g", 2, "--out", out, "--json",
        "--scramble", "--seed", 5,
    )  # fmt: skip
    documents = shown.json()
    assert [document["goalValues"] for document in documents] == [[70, 30]] * 2
    assert [document["scrambled"] for document in documents] == [True] * 2
    assert sorted(file.name for file in tmp_path.glob("*.json")) == [
        "record.1.json",
        "record.2.json",
    ]


def test_a_record_that_is_not_of_the_game_is_told(kibitz: Run, wee: Path, tmp_path: Path) -> None:
    out = tmp_path / "record.json"
    kibitz("ggp", "match", wee, "--players", "legal,legal", "--out", out)
    other = tmp_path / "other.kif"
    other.write_text(TINY.replace("70", "60"))
    shown = kibitz("replay", out, other)
    assert shown.code == 1
    assert "the goals are [60, 30], not [70, 30]" in shown.stderr
    shown = kibitz("replay", out, "monty-hall")
    assert shown.code == 1
    assert "contradicts" in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("match", "nim", "--players", "legal"), "nim has 2 roles: first, second. 1 player was"),
        (("match", "nim", "--players", "legal,legal,legal"), "3 players were named"),
        (("match", "nim", "--players", "legal,dunce"), "There is no player 'dunce'"),
        (("match", "nim", "--players", "legal,mcts:q=1"), "mcts:q=1"),
        (("match", "nim", "--players", "legal,localhost:99999"), "ports are numbered"),
        (("match", "love-letter", "--players", "legal"), "love-letter is not in GDL"),
        (("match", "missing.kif", "--players", "legal"), "no such file"),
        (("match", "nim", "--players", "legal,legal", "--out", "no/where.json"), "no folder"),
        (("player", "--agent", "dunce"), "There is no player 'dunce'"),
        (("player", "--agent", "none.py:X"), "there is no such file"),
        (("player", "--agent", "random", "--record-dir", __file__), "is no folder"),
        (("player", "--agent", "random", "--record-dir", f"{__file__}/x"), "cannot be made"),
        (("player", "--agent", "random", "--host", "no-such-host.invalid"), "There is no host"),
        (
            ("tournament", "--games", "nim", "--players", "legal,legal", "--out", "x"),
            "named twice",
        ),
        (
            ("tournament", "--games", "nim", "--players", "legal", "--out", "s3://x"),
            "give the path of a folder of this machine",
        ),
        (
            ("tournament", "--games", "nosuch", "--players", "legal", "--out", "x"),
            "no game 'nosuch'",
        ),
    ],
)
def test_what_is_wrong_is_told_with_the_cure(
    kibitz: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = kibitz("ggp", *arguments)
    assert shown.code == 2
    assert message in shown.flat
    assert "Traceback" not in shown.flat
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_told(kibitz: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        shown = kibitz("ggp", "player", "--agent", "random", "--port", port)
    assert shown.code == 2
    assert f"Port {port} is taken" in shown.stderr


@pytest.mark.parametrize("between", [" ", ",", ";", " + ", "+"])
def test_players_are_separated_as_agents_are(kibitz: Run, wee: Path, between: str) -> None:
    players = between.join(["mcts:iterations=10,c=0.7", "legal", "random"])
    shown = kibitz("ggp", "match", wee, "--players", players)
    assert "3 players were named" in shown.stderr


def test_a_match_with_a_player_that_listens(kibitz: Run, wee: Path) -> None:
    with serving(player="legal") as player:
        shown = kibitz("ggp", "match", wee, "--players", f"localhost:{player.port},random")
        assert "begins, as a" in player.lines[0]
    assert shown.code == 0
    assert f"a: localhost:{player.port}, ready" in shown.stdout


def test_a_tournament_ends_with_a_table_and_is_not_played_twice(
    kibitz: Run, wee: Path, tmp_path: Path
) -> None:
    command = ("ggp", "tournament", "--games", wee, "--players", "legal,random", "--out")
    shown = kibitz(*command, tmp_path / "results")
    assert shown.code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "   1 of 2  wee: legal, random: 70 30"
    assert lines[2].split()[0] == "Player"
    numbers = lines[3].split()[-10:]
    assert " ".join(numbers) == "50.0 0.0 to 100.0 +0 (-278 to +278) 2 0"
    again = kibitz(*command, tmp_path / "results", "--json")
    assert "2 of 2 matches have been played before" in again.stderr
    assert [player["goal"]["mean"] for player in again.json()["players"]] == [50.0, 50.0]


def launch(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "kibitz", "ggp", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def test_a_player_whose_output_is_lost_ends_as_one_that_is_told_to() -> None:
    with launch("player", "--agent", "legal", "--port", "0") as process:
        assert process.stdout is not None
        process.stdout.close()
        try:
            assert process.wait(120) in (-signal.SIGPIPE, 128 + signal.SIGPIPE)
        finally:
            process.kill()


def test_a_player_tells_what_happens_and_ends_with_ctrl_c() -> None:
    process = launch("player", "--agent", "legal", "--port", "0", "--name", "Slow and steady")
    assert process.stdout is not None
    first = process.stdout.readline()
    port = int(first.split(":")[3].split(";")[0])
    assert "( name Slow_and_steady )" in ggp_base(port, "(INFO)")
    assert ggp_base(port, f"(START m1 a ({TINY}) 9 9)") == "ready"
    assert ggp_base(port, "(PLAY m1 NIL)") == "x"
    assert ggp_base(port, "(STOP m1 (x z))") == "done"
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    lines = [line.partition(" ")[2] for line in output.splitlines()]
    assert lines[0] == "m1: begins, as a; clocks 9 s and 9 s"
    assert lines[1].startswith("m1: ready after ")
    assert lines[2].startswith("m1: x after ")
    assert lines[3:] == ["m1: over, 70 for us (70 30)", "stopped"]


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_aborts_a_match_and_keeps_its_record(
    tmp_path: Path, kind: signal.Signals
) -> None:
    out = tmp_path / "record.json"
    process = launch(
        "match", "gdl-tic-tac-toe", "--players", "mcts,legal", "--play", "60", "--out", str(out)
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "black: legal, ready" in line:
            break
    time.sleep(0.5)
    process.send_signal(kind)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + kind
    assert "Aborted after 0 steps: it was interrupted." in output
    record = MatchRecord.from_json(json.loads(out.read_text()))
    assert record.aborted
    assert record.moves == []
    assert "Traceback" not in output
    assert [file.name for file in tmp_path.iterdir()] == ["record.json"]


def test_who_is_not_ready_is_told_and_not_called_ready(
    kibitz: Run, wee: Path, tmp_path: Path
) -> None:
    with ForeignPlayer(
        lambda c, message: "((name Deep) (status busy))" if "INFO" in message else "busy"
    ) as a:
        players = f"localhost:{a.port},legal"
        out = tmp_path / "record.json"
        shown = kibitz("ggp", "match", wee, "--players", players, "--out", out)
    assert f"localhost:{a.port}: Deep, busy" in shown.stdout
    assert f"a: localhost:{a.port}, not ready: it answered START with 'busy'" in shown.stdout
    assert "[IL busy]" in shown.stdout
    assert "not ready: it answered START with 'busy'" in kibitz("replay", out).stdout


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return int(closed.getsockname()[1])


def test_a_match_is_not_begun_without_a_player(kibitz: Run, wee: Path, tmp_path: Path) -> None:
    port = free_port()
    out = tmp_path / "record.json"
    players = f"127.0.0.1:{port},legal"
    shown = kibitz("ggp", "match", wee, "--players", players, "--wait", 0.1, "--out", out)
    assert shown.code == 2
    assert f"127.0.0.1:{port} does not listen yet; waiting for it up to 0.1 s" in shown.stderr
    assert f"127.0.0.1:{port} does not take calls" in shown.flat
    assert "No match is begun without a player" in shown.flat
    assert "--wait sets it" in shown.flat
    assert "match kibitz.wee" not in shown.stdout
    assert not out.exists()
    games = "ggp", "tournament", "--games", wee, "--out", tmp_path / "results"
    shown = kibitz(*games, "--players", players, "--wait", 0.1)
    assert shown.code == 2
    assert "No match is begun without a player" in shown.flat


def test_a_host_that_does_not_exist_is_told_at_once(kibitz: Run, wee: Path) -> None:
    shown = kibitz("ggp", "match", wee, "--players", "no-such-host.invalid:9147,legal")
    assert shown.code == 2
    assert "no-such-host.invalid:9147 does not take calls" in shown.flat
    assert "waiting" not in shown.stderr


def test_a_match_waits_for_a_player_that_comes_late(
    kibitz: Run, wee: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is started only when the manager says that it waits."""
    late = ForeignPlayer(
        lambda c, message: "y" if "PLAY" in message else "ready", port=free_port()
    )
    with contextlib.ExitStack() as stack:
        say = terminal.say

        def started(line: str) -> None:
            if "does not listen yet" in line:
                stack.enter_context(late)
            say(line)

        monkeypatch.setattr(terminal, "say", started)
        shown = kibitz("ggp", "match", wee, "--players", f"127.0.0.1:{late.port},legal")
    assert shown.code == 0
    assert f"a: 127.0.0.1:{late.port}, ready after" in shown.stdout
    assert [message.split()[1] for message in late.heard] == ["INFO", "START", "PLAY", "STOP"]
    assert "Over after 1 step." in shown.stdout
    assert " 70 " in shown.stdout


def test_a_player_says_that_it_compiles_before_it_listens(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "kibitz", "ggp", "player", "--agent", "random", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "KIBITZ_CACHE": str(tmp_path)},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert line.startswith("Compiling ")
    assert "players listen after that" in line


def test_two_games_of_one_name_are_told(kibitz: Run, wee: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "wee.kif"
    other.parent.mkdir()
    other.write_text(TINY)
    games = f"{wee},{other}"
    shown = kibitz("ggp", "tournament", "-g", games, "-p", "legal", "--out", tmp_path / "out")
    assert shown.code == 2
    assert "Two of the games are called wee" in shown.flat


def test_all_games_in_gdl_are_found(kibitz: Run) -> None:
    from kibitz.gdl import library

    own = {file.stem for file in Path(library.__file__).parent.glob("*.kif")}
    assert own <= {game["name"] for game in kibitz("games", "gdl", "--json").json()}
    assert len(own) >= 8


def test_options_for_agents_do_not_go_with_handlers(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    kibitz("new", file.name, "--dir", tmp_path)
    shown = kibitz("ggp", "player", "--handlers", file, "--seed", 3)
    assert shown.code == 2
    assert "--seed is for agents" in shown.stderr


def test_moves_at_random_for_a_player_that_fails_are_told(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "bug.py"
    file.write_text(
        "from kibitz.ggp import Player\n"
        "class Bug(Player):\n    def choose(self, state, seconds): return 1/0\n"
    )
    shown = kibitz(
        "ggp", "match", "gdl-tic-tac-toe", "--players", f"{file}:Bug,legal", "--out", "-"
    )
    assert shown.code == 1
    assert "moves were drawn at random in its place: the player failed: Zero" in shown.stderr
    assert "[SU the player failed: ZeroDivisionError: division by zero]" in shown.stdout
    row = next(line for line in shown.stdout.splitlines() if line.startswith("white"))
    assert int(row.split()[3]) >= 3
