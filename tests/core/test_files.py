"""Files are written whole or not at all, and none is lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from kibitz.core.errors import FileError
from kibitz.core.files import write_new, write_text


def test_a_file_is_replaced_with_its_permissions_and_links(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(link, "new\n")
    assert link.is_symlink()
    assert file.read_bytes() == b"new\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [file, link]


def test_what_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FileError, match="file: cannot be written: No space left"):
        write_text(file, "new")
    with pytest.raises(FileError, match="No space left"):
        write_new(tmp_path, "other", ".json", "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    listening = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    listening.start()
    write_text(pipe, "new")
    listening.join(20)
    assert heard == ["new"]
    assert pipe.is_fifo()


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    paths = [write_new(tmp_path, "m.1", ".json", str(number)) for number in range(3)]
    assert [path.name for path in paths] == ["m.1.json", "m.1.2.json", "m.1.3.json"]
    assert [path.read_text() for path in paths] == ["0", "1", "2"]
