"""``kibitz check`` for games in RECYCLE."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run

SOUND = """\
;; Six
;; Players: 2-4
;; HAND 1-6: cards dealt to each player
(game
  (declare 3 'NUMP)
  (declare 2 'HAND)
  (setup
    (create players 'NUMP)
    (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F)) (SUIT (X, Y, Z, U)))))
  (do (
    (shuffle (game iloc STOCK))
    (all player 'P
      (repeat 'HAND (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
  (stage player
    (end (all player 'P (== (size ('P iloc HAND)) 0)))
    (choice (
      (any ((current player) iloc HAND) 'C
        (move 'C (top ((current player) vloc WON)))))))
  (scoring max (size ((current player) vloc WON))))
"""
DOUBTFUL = SOUND.replace("'C\n", "'C\n((== (game sto LED) 0)").replace("WON)))))))", "WON))))))))")
BROKEN = SOUND.replace("(shuffle", "(shufle")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sound.rcy").write_text(SOUND)
    (tmp_path / "doubtful.rcy").write_text(DOUBTFUL)
    (tmp_path / "broken.rcy").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_sound_game(kibitz: Run, folder: Path) -> None:
    shown = kibitz("check", "sound.rcy")
    assert shown.code == 0
    assert shown.stdout.splitlines() == [
        "Played 520 random games at 9 tables, 2 to 4 players; hand=1,6.",
        "sound.rcy: no problems.",
    ]


def test_warnings_are_no_failure(kibitz: Run, folder: Path) -> None:
    shown = kibitz("check", "doubtful.rcy")
    assert shown.code == 0
    assert "doubtful.rcy:18:6: warning: Nothing ever sets the number LED" in shown.stdout
    assert "[never-set]" in shown.stdout
    assert "((== (game sto LED) 0)" in shown.stdout
    assert shown.stdout.endswith("doubtful.rcy: 1 warning.\n")


def test_unless_it_is_strict(kibitz: Run, folder: Path) -> None:
    assert kibitz("check", "doubtful.rcy", "--strict").code == 1
    assert kibitz("check", "sound.rcy", "--strict").code == 0


def test_errors_are_failures(kibitz: Run, folder: Path) -> None:
    shown = kibitz("check", "broken.rcy")
    assert shown.code == 1
    assert "broken.rcy:11:6: error: " in shown.stdout
    assert "Did you mean shuffle?" in shown.stdout
    assert "1 error" in shown.stdout.splitlines()[-1]


def test_several_files(kibitz: Run, folder: Path) -> None:
    shown = kibitz("check", "sound.rcy", "doubtful.rcy", "broken.rcy")
    assert shown.code == 1
    for line in ("sound.rcy: no problems", "doubtful.rcy: 1 warning.", "broken.rcy: 1 error"):
        assert line in shown.stdout
    shown = kibitz("check", "sound.rcy", "missing.rcy", "doubtful.rcy")
    assert shown.code == 2
    assert "missing.rcy: there is no such file" in shown.stderr
    assert "doubtful.rcy: 1 warning." in shown.stdout


def test_a_game_in_python_beside_a_text(kibitz: Run, folder: Path) -> None:
    shown = kibitz("check", "tic-tac-toe", "sound.rcy", "--games", 1)
    assert shown.code == 0
    assert "laws hold" in shown.stdout
    assert "sound.rcy: no problems" in shown.stdout


def test_as_json(kibitz: Run, folder: Path) -> None:
    document = kibitz("check", "doubtful.rcy", "--json").json()
    assert document["file"] == "doubtful.rcy"
    assert (document["ok"], document["errors"], document["warnings"]) == (True, 0, 1)
    (diagnostic,) = document["diagnostics"]
    assert (diagnostic["severity"], diagnostic["code"]) == ("warning", "never-set")
    assert (diagnostic["line"], diagnostic["column"]) == (18, 6)
    assert diagnostic["message"]
    assert diagnostic["hint"]
    shown = kibitz("check", "doubtful.rcy", "broken.rcy", "--json", "--strict")
    assert shown.code == 1
    assert [report["ok"] for report in shown.json()] == [False, False]


def test_tables_that_are_asked_for(kibitz: Run, folder: Path) -> None:
    assert kibitz("check", "sound.rcy", "--players", 2, "--set", "hand=6").code == 0
    shown = kibitz("check", "sound.rcy", "--players", 9)
    assert shown.code == 2
    assert "for 2 to 4 players, not 9" in shown.stderr
    shown = kibitz("check", "sound.rcy", "--set", "hand=7")
    assert shown.code == 2
    assert "hand is 1 to 6, not 7" in shown.stderr
    shown = kibitz("check", "sound.rcy", "--set", "hnad=2")
    assert shown.code == 2
    assert "Did you mean 'hand'?" in shown.stderr
    shown = kibitz("check", "sound.rcy", "--set", "hand=two")
    assert shown.code == 2
    assert "hand = two is not allowed: a whole number." in shown.stderr


def test_players_without_an_option_may_pass(kibitz: Run, folder: Path) -> None:
    stuck = SOUND.replace(
        "(any ((current", "((< (size ((current player) vloc WON)) 1) (any ((current"
    )
    (folder / "stuck.rcy").write_text(stuck.replace("WON)))))))", "WON))))))))"))
    assert "[dead-end]" in kibitz("check", "stuck.rcy").stdout
    shown = kibitz("check", "stuck.rcy", "--set", "pass_when_stuck=yes")
    assert "[dead-end]" not in shown.stdout


def test_a_parameter_has_one_name_in_all_commands(kibitz: Run, folder: Path) -> None:
    """What the text calls PLAYERS is no number of players."""
    (folder / "other.rcy").write_text(
        SOUND.replace("HAND 1-6", "PLAYERS 1-6").replace("'HAND", "'PLAYERS")
    )
    for command in ("check", "record"):
        assert kibitz(command, "other.rcy", "--set", "the_players=3").code == 0


def test_parameters_of_a_game_in_python_are_fixed(kibitz: Run) -> None:
    report = kibitz("check", "tic-tac-toe", "--set", "size=4", "--games", 2, "--json").json()
    assert report["ok"]
    shown = kibitz("check", "tic-tac-toe", "--set", "sise=4")
    assert shown.code == 2
    assert "no parameter 'sise'" in shown.stderr


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xef\xbb\xbf" + SOUND.encode(), "no problems."),
        (SOUND.replace("\n", "\r\n").encode(), "no problems."),
        (SOUND.replace("\n", "\r").encode(), "no problems."),
        (b"", "1 error."),
        (b"\xff\xfe\x00", "1 error"),
        (b"\x00" * 1000, "1 error"),
        (b"(" * 10_000, "error"),
        (b")" * 10_000, "error"),
        (b"just some words", "error"),
        ("(game (setup (créer 2)))".encode("latin-1"), "error"),
    ],
    ids=["mark", "windows", "mac", "empty", "bytes", "zeros", "open", "close", "words", "latin"],
)
def test_any_file(kibitz: Run, tmp_path: Path, content: bytes, line: str) -> None:
    file = tmp_path / "game.rcy"
    file.write_bytes(content)
    shown = kibitz("check", file)
    assert shown.code == (0 if line == "no problems." else 1)
    assert line in shown.stdout.splitlines()[-1]
    assert "Traceback" not in shown.flat


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.rcy", "none.rcy: there is no such file"),
        ("folder.rcy", "folder.rcy: is not a regular file"),
        ("huge.rcy", "huge.rcy: is longer than"),
        ("nobody", "There is no game 'nobody'"),
    ],
)
def test_what_cannot_be_read(kibitz: Run, folder: Path, name: str, message: str) -> None:
    (folder / "folder.rcy").mkdir()
    (folder / "huge.rcy").write_text(" " * 1_000_001)
    shown = kibitz("check", name)
    assert shown.code == 2
    assert message in shown.stderr
    assert shown.stdout == ""


def test_a_file_with_another_ending(kibitz: Run, folder: Path) -> None:
    (folder / "sound.rcy").rename(folder / "sound.txt")
    assert "sound.txt: no problems" in kibitz("check", "sound.txt").stdout


def test_nothing_heavy_is_imported_for_reading(folder: Path) -> None:
    code = (
        "import sys; from kibitz.cli import app; "
        "app(['check', 'sound.rcy', '--games', '0'], standalone_mode=False); "
        "print('numpy' in sys.modules, 'numba' in sys.modules, 'rich' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout.splitlines()[-1] == "False False False"


GREEDY = SOUND.replace("HAND 1-6", "HAND 1-10").replace("2-4", "2-5")
"""Five players with ten cards each want 50, and there are 24."""


def test_what_fails_at_a_corner_is_told_with_its_line(kibitz: Run, folder: Path) -> None:
    (folder / "greedy.rcy").write_text(GREEDY)
    shown = kibitz("check", "greedy.rcy")
    assert shown.code == 1
    first = shown.stdout.splitlines()[0]
    assert first.startswith("greedy.rcy:13:27: error: The game breaks off: the top card of an")
    assert "in all 40 random games with 3 players and hand=10" in first
    (command,) = [line for line in shown.stdout.splitlines() if "To see one: " in line]
    words = shlex.split(command.partition("To see one: ")[2])
    replay = kibitz(*words[1:])
    assert "greedy.rcy:13:27: the top card of an empty place" in replay.flat
    assert shown.stdout.splitlines()[-1] == "greedy.rcy: 1 error."


def test_only_what_was_asked_for_is_played(kibitz: Run, folder: Path) -> None:
    (folder / "greedy.rcy").write_text(GREEDY)
    assert kibitz("check", "greedy.rcy", "--players", 2, "--set", "hand=5").code == 0
    assert kibitz("check", "greedy.rcy", "--players", 2).code == 0
    assert kibitz("check", "greedy.rcy", "--players", 3).code == 1
    read = kibitz("check", "greedy.rcy", "--games", 0)
    assert (read.code, read.stdout) == (0, "greedy.rcy: no problems.\n")


def test_what_was_played_as_json(kibitz: Run, folder: Path) -> None:
    (folder / "greedy.rcy").write_text(GREEDY)
    document = kibitz("check", "greedy.rcy", "--json", "--games", 3).json()
    (diagnostic,) = document["diagnostics"]
    assert (diagnostic["code"], diagnostic["line"]) == ("breaks-off", 13)
    tables = document["trial"]["tables"]
    assert tables[0] == {
        "players": 3,
        "parameters": {},
        "games": 15,
        "actions": 90,
        "ends": {"finished": 15},
        "decisions": [15, 15, 15],
    }
    assert {table["players"] for table in tables} == {2, 3, 4, 5}
    failed = [table for table in tables if table["ends"] == {"rules_error": 3}]
    assert {(table["players"], table["parameters"]["hand"]) for table in failed} == {
        (3, 10),
        (5, 10),
    }
    assert document["trial"]["games"] == sum(table["games"] for table in tables)


def test_a_game_in_python_cannot_only_be_read(kibitz: Run) -> None:
    shown = kibitz("check", "tic-tac-toe", "--games", 0)
    assert shown.code == 2
    assert "is in Python" in shown.stderr
