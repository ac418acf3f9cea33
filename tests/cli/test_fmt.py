"""``kibitz fmt``."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, python

UNTIDY = "(game (setup (create players 2)) ;; two\n\n\n (scoring max 1))\n"
TIDY = "(game\n  (setup\n    (create players 2))  ;; two\n\n  (scoring max 1))\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.rcy"
    path.write_text(UNTIDY)
    return path


def test_a_file_is_formatted(kibitz: Run, file: Path) -> None:
    shown = kibitz("fmt", file)
    assert shown.code == 0
    assert shown.stdout == ""
    assert shown.stderr == f"{file}: formatted.\n"
    assert file.read_text() == TIDY
    assert [path.name for path in file.parent.iterdir()] == ["game.rcy"]
    assert kibitz("fmt", file).stderr == "It is well formatted already.\n"


def test_check_changes_nothing(kibitz: Run, file: Path) -> None:
    shown = kibitz("fmt", "--check", file)
    assert shown.code == 1
    assert "would change" in shown.stderr
    assert file.read_text() == UNTIDY
    file.write_text(TIDY)
    assert kibitz("fmt", "--check", file).code == 0


def test_to_standard_output(kibitz: Run, file: Path) -> None:
    shown = kibitz("fmt", "--stdout", file)
    assert shown.code == 0
    assert shown.stdout == TIDY
    assert shown.stderr == ""
    assert file.read_text() == UNTIDY


def test_from_standard_input(kibitz: Run) -> None:
    shown = kibitz("fmt", "-", input=UNTIDY)
    assert (shown.code, shown.stdout, shown.stderr) == (0, TIDY, "")


def test_several_files(kibitz: Run, tmp_path: Path, file: Path) -> None:
    other = tmp_path / "other.rcy"
    other.write_text(TIDY)
    shown = kibitz("fmt", file, tmp_path / "none.rcy", other)
    assert shown.code == 2
    assert "none.rcy: cannot be read" in shown.stderr
    assert file.read_text() == other.read_text() == TIDY
    assert kibitz("fmt", file, other).stderr == "All 2 files are well formatted already.\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"(game (setup (create players 2)\n (scoring max 1))", "This '(' is never closed."),
        (b"(game) )", "closes nothing"),
        (b"import os\nprint((1))\n", "is not a game in RECYCLE"),
        (b"(define (f x) x)", "is not a game in RECYCLE"),
        (b"", "is not a game in RECYCLE"),
        (b"(game \xff)", "is not a text in UTF-8 (line 1)"),
        (b"(game)" + b" " * 1_000_000, "is longer than"),
        (b"(game " * 500, "[too-deep]"),
    ],
    ids=["open", "closed", "python", "lisp", "empty", "bytes", "huge", "deep"],
)
def test_a_file_that_is_left_alone(kibitz: Run, file: Path, content: bytes, message: str) -> None:
    file.write_bytes(content)
    shown = kibitz("fmt", file)
    assert shown.code == 2
    assert message in shown.stderr
    assert "Traceback" not in shown.stderr
    assert file.read_bytes() == content


def test_line_ends_and_the_mark_stay(kibitz: Run, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + UNTIDY.replace("\n", "\r\n").encode())
    assert kibitz("fmt", file).code == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode()


@pytest.mark.skipif(sys.platform == "win32", reason="about POSIX files")
def test_permissions_and_links_stay(kibitz: Run, tmp_path: Path, file: Path) -> None:
    file.chmod(0o640)
    link = tmp_path / "link.rcy"
    link.symlink_to(file)
    assert kibitz("fmt", link).code == 0
    assert link.is_symlink()
    assert file.read_text() == TIDY
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="about POSIX files")
def test_only_regular_files(kibitz: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.rcy")
    for name in ("pipe.rcy", "."):
        shown = kibitz("fmt", tmp_path / name)
        assert shown.code == 2
        assert "is not a regular file" in shown.stderr


def test_a_full_disk_leaves_the_file_whole(
    kibitz: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    shown = kibitz("fmt", file)
    assert shown.code == 2
    assert "cannot be written: No space left on device" in shown.stderr
    assert file.read_text() == UNTIDY
    assert [path.name for path in file.parent.iterdir()] == ["game.rcy"]


def test_nothing_heavy_is_imported(file: Path) -> None:
    code = (
        f"import sys; from kibitz.cli import app; app(['fmt', {str(file)!r}, '--stdout'],"
        " standalone_mode=False); print('numpy' in sys.modules, 'rich' in sys.modules)"
    )
    assert python("-c", code).stdout.splitlines()[-1] == "False False"


def test_rules_in_kif(kibitz: Run) -> None:
    untidy = "(role  a)\n(<= terminal\n  (true b))\n"
    shown = kibitz("fmt", "-", input=untidy)
    assert (shown.code, shown.stdout) == (0, "(role a)\n(<= terminal (true b))\n")


def test_what_is_in_no_language(kibitz: Run) -> None:
    shown = kibitz("fmt", "-", input="(hello world)\n")
    assert shown.code == 2
    assert "nor in GDL" in shown.stderr
