"""The workspace: no name leads out of it, and what is kept there is whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import FileError
from kibitz.web import limits
from kibitz.web import workspace as module
from kibitz.web.limits import LimitReachedError
from kibitz.web.workspace import TABLES, Workspace

BAD = ("..", ".", "", "../x.rcy", "a/b.rcy", "/etc/passwd", ".hidden.rcy", "a\\b.rcy", "x.rcy\0")


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


@pytest.mark.parametrize("name", [*BAD, "x.rcy\n", "é.rcy", "a" * 100 + ".rcy", "a.b.rcy"])
def test_names_that_lead_elsewhere_are_refused(place: Workspace, name: str) -> None:
    with pytest.raises(FileError):
        place.path("", name)
    with pytest.raises(FileError):
        place.text(name)


@given(st.text(max_size=40))
def test_every_allowed_name_stays_in_the_folder(name: str) -> None:
    place = Workspace.__new__(Workspace)
    place.folder = Path("/ws")
    try:
        path = place.path("tables", name)
    except FileError:
        return
    assert path.parent == Path("/ws/tables")
    assert path.resolve().parent == Path("/ws/tables")


@pytest.mark.parametrize("name", ["x.py", "x.json", "x", "x.sh"])
def test_texts_are_never_python_or_anything_else(place: Workspace, name: str) -> None:
    with pytest.raises(FileError):
        place.keep_text(name, "import os")
    assert place.texts() == []


def test_links_are_neither_read_nor_written(place: Workspace, tmp_path: Path) -> None:
    secret = tmp_path / "secret.rcy"
    secret.write_text("secret")
    (place.folder / "link.rcy").symlink_to(secret)
    with pytest.raises(FileError, match="link"):
        place.text("link.rcy")
    with pytest.raises(FileError, match="link"):
        place.keep_text("link.rcy", "mine")
    assert secret.read_text() == "secret"
    assert place.texts() == []


def test_a_folder_that_became_a_link_is_not_followed(place: Workspace, tmp_path: Path) -> None:
    (place.folder / TABLES).rmdir()
    (place.folder / TABLES).symlink_to(tmp_path)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(FileError):
        place.read(TABLES, "other.json")
    assert place.names(TABLES, ".json") == []


def test_what_is_kept_is_read_again(place: Workspace) -> None:
    place.keep_text("My game.rcy", "(game)\n")
    assert place.text("My game.rcy") == "(game)\n"
    assert place.texts() == ["My game.rcy"]
    assert place.free_name("My game", ".rcy") == "My game-2.rcy"
    assert place.free_name("../../x?", ".kif") == "x.kif"


def test_limits(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitReachedError):
        place.keep_text("a.rcy", "x" * (limits.MOST_CHARACTERS + 1))
    monkeypatch.setattr(module, "MOST_TEXTS", 1)
    place.keep_text("a.rcy", "x")
    place.keep_text("a.rcy", "y")
    with pytest.raises(LimitReachedError):
        place.keep_text("b.rcy", "x")


def test_a_folder_is_not_removed(place: Workspace) -> None:
    (place.folder / TABLES / "a.json").mkdir()
    with pytest.raises(FileError, match="cannot be removed"):
        place.remove(TABLES, "a.json")
    place.remove(TABLES, "b.json")  # what is not there is as it should be


def test_a_workspace_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    with pytest.raises(FileError, match="cannot be the workspace"):
        Workspace(tmp_path / "f")


def test_a_workspace_has_one_server(tmp_path: Path) -> None:
    with Workspace(tmp_path).claimed():
        with (
            pytest.raises(FileError, match=rf"process {os.getpid()} on .*--workspace"),
            Workspace(tmp_path).claimed(),
        ):
            pass
        with Workspace(tmp_path / "other").claimed():
            pass
    with Workspace(tmp_path).claimed():  # the file stays, the lock does not
        pass


CLAIM = """
import sys, time
from pathlib import Path
from kibitz.web.workspace import Workspace
with Workspace(Path(sys.argv[1])).claimed():
    print("claimed", flush=True)
    time.sleep(60)
"""


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CLAIM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"claimed\n"
        with (
            pytest.raises(FileError, match=f"process {process.pid} on"),
            Workspace(tmp_path).claimed(),
        ):
            pass
        process.kill()
        process.wait()
    with Workspace(tmp_path).claimed():
        pass
