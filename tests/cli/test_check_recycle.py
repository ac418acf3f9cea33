"""``kibitz check`` for games in RECYCLE."""

from __future__ import annotations

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
    assert shown.stdout == "sound.rcy: nothing to complain about.\n"
    assert shown.stderr == ""


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
    for line in ("sound.rcy: nothing", "doubtful.rcy: 1 warning.", "broken.rcy: 1 error"):
        assert line in shown.stdout
    shown = kibitz("check", "sound.rcy", "missing.rcy", "doubtful.rcy")
    assert shown.code == 2
    assert "missing.rcy: there is no such file" in shown.stderr
    assert "doubtful.rcy: 1 warning." in shown.stdout


def test_a_game_in_python_beside_a_text(kibitz: Run, folder: Path) -> None:
    shown = kibitz("check", "tic-tac-toe", "sound.rcy", "--games", 1)
    assert shown.code == 0
    assert "laws hold" in shown.stdout
    assert "sound.rcy: nothing" in shown.stdout


def test_as_json(kibitz: Run, folder: Path) -> None:
    document = kibitz("check", "doubtful.rcy", "--json").json()
    assert document["file"] == "doubtful.rcy"
    assert (document["ok"], document["errors"], document["warnings"]) == (True, 0, 1)
    (found,) = document["diagnostics"]
    assert (found["severity"], found["code"]) == ("warning", "never-set")
    assert (found["line"], found["column"]) == (18, 6)
    assert found["message"]
    assert found["hint"]
    shown = kibitz("check", "doubtful.rcy", "broken.rcy", "--json", "--strict")
    assert shown.code == 1
    assert [one["ok"] for one in shown.json()] == [False, False]


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


def test_parameters_are_for_texts(kibitz: Run) -> None:
    shown = kibitz("check", "tic-tac-toe", "--set", "size=4")
    assert shown.code == 2
    assert "--set is for games in RECYCLE" in shown.stderr


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xef\xbb\xbf" + SOUND.encode(), "nothing to complain about."),
        (SOUND.replace("\n", "\r\n").encode(), "nothing to complain about."),
        (SOUND.replace("\n", "\r").encode(), "nothing to complain about."),
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
    assert shown.code == (0 if line.startswith("nothing") else 1)
    assert line in shown.stdout.splitlines()[-1]
    assert "Traceback" not in shown.flat


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.rcy", "none.rcy: there is no such file"),
        ("folder.rcy", "folder.rcy: is no regular file"),
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
    assert "sound.txt: nothing" in kibitz("check", "sound.txt").stdout


def test_nothing_heavy_is_imported(folder: Path) -> None:
    code = (
        "import sys; from kibitz.cli import app; "
        "app(['check', 'sound.rcy'], standalone_mode=False); "
        "print('numpy' in sys.modules, 'numba' in sys.modules, 'rich' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout.splitlines()[-1] == "False False False"
