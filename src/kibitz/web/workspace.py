"""The folder that the server reads and writes: rules, tables, records, runs; and nothing else.

Names come from browsers. A name has neither slashes nor a dot in front, and what it names is
neither a link nor lies behind one.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from kibitz.core.errors import FileError
from kibitz.core.files import lock_file, write_text
from kibitz.loading import languages
from kibitz.syntax.source import read_bytes
from kibitz.web.limits import MOST_TEXTS, LimitReachedError, check_length

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,79}(\.[A-Za-z0-9]{1,8})?")

TABLES, RECORDS, RUNS, VERSIONS = "tables", "records", "runs", "versions"
MATCHES = "matches"
LOCK = ".server"
"""The file that the server of a workspace locks; it names the process."""

MOST_VERSIONS = 50
"""Versions of a text that are kept; older ones are removed."""


def suffixes() -> tuple[str, ...]:
    """Of files with rules that the workshop edits: those of languages that run no code."""
    return tuple(
        dict.fromkeys(
            suffix
            for language in languages().values()
            if not language.runs_code
            for suffix in language.suffixes
        )
    )


class Workspace:
    """A folder with the texts, tables, records and runs of a server.

    Args:
        folder: is made if it does not exist.

    Raises:
        FileError: it cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.folder = folder.resolve(strict=True)
            for section in (TABLES, RECORDS, RUNS, VERSIONS, MATCHES):
                (self.folder / section).mkdir(exist_ok=True)
        except OSError as problem:
            raise FileError(
                f"{folder}: cannot be the workspace: {problem.strerror or problem}."
            ) from None

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Claims the workspace for the server in this process, until the end of the block.

        A second server would write the tables of the first over, and lose moves. The lock goes
        with the process, however that ends.

        Raises:
            FileError: another server has claimed it; names its process.
        """
        path = self.folder / LOCK
        try:
            with path.open("a+b") as file:
                lock_file(file)
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
                file.flush()
                yield
        except BlockingIOError:
            owner = path.read_bytes()[:200].decode(errors="replace") or "another process"
            raise FileError(
                f"{self.folder}: has a server already, {owner}. A workspace has one server: end "
                "that one, or choose another folder with --workspace."
            ) from None

    def path(self, section: str, name: str) -> Path:
        """The path of a file or folder in a section of the workspace (``""``: the workspace).

        Raises:
            FileError: the name is not allowed, or a link leads elsewhere.
        """
        if not _NAME.fullmatch(name):
            raise FileError(
                f"{name!r} cannot be a name here: letters, digits, spaces, - and _, and one "
                "suffix such as .rcy."
            )
        folder = self.folder / section if section else self.folder
        path = folder / name
        if folder.is_symlink() or path.is_symlink():
            raise FileError(f"{name}: is a link; the workspace has files only.")
        return path

    def names(self, section: str, *suffixes: str) -> list[str]:
        """The files in a section that have one of these suffixes, the latest first."""
        folder = self.folder / section if section else self.folder
        if folder.is_symlink():
            return []
        paths = [
            path
            for path in folder.iterdir()
            if path.suffix in suffixes and _NAME.fullmatch(path.name) and not path.is_symlink()
        ]
        paths.sort(key=lambda path: (-path.stat().st_mtime, path.name))
        return [path.name for path in paths]

    def read(self, section: str, name: str) -> str:
        """A file's text.

        Raises:
            FileError: it cannot be read.
        """
        path = self.path(section, name)
        try:
            return read_bytes(path).decode("utf-8-sig", errors="replace")
        except FileError as problem:
            raise FileError(str(problem).replace(str(path), name)) from None

    def write(self, section: str, name: str, text: str) -> None:
        """Writes a file, whole or not at all.

        Raises:
            FileError: it cannot be written.
        """
        write_text(self.path(section, name), text)

    def remove(self, section: str, name: str) -> None:
        """Removes a file, if it is there.

        Raises:
            FileError: it cannot be removed, or is no file.
        """
        try:
            self.path(section, name).unlink(missing_ok=True)
        except OSError as problem:
            raise FileError(f"{name}: cannot be removed: {problem.strerror}.") from None

    def keep_new(self, section: str, stem: str, suffix: str, text: str) -> str:
        """Writes a new file, with a number in its name if the name is taken; returns the name.

        Raises:
            FileError: it cannot be written.
            LimitReachedError: the section has too many files.
        """
        taken = {name.lower() for name in self.names(section, suffix)}
        if len(taken) >= MOST_TEXTS:
            raise LimitReachedError(f"There are {MOST_TEXTS:,} in {section}; remove some first.")
        name = _free(stem, suffix, taken)
        self.write(section, name, text)
        return name

    # -- texts -----------------------------------------------------------------------------

    def texts(self) -> list[str]:
        """The files with rules, the latest first."""
        return self.names("", *suffixes())

    def text(self, name: str) -> str:
        """The rules in a file.

        Raises:
            FileError: there is no such file of rules.
        """
        return self.read("", self._checked(name))

    def keep_text(self, name: str, text: str) -> None:
        """Writes rules to a file.

        Raises:
            FileError: the name is not one of a file with rules, or it cannot be written.
            LimitReachedError: the text is too long, or there are too many.
        """
        path = self.path("", self._checked(name))
        check_length(name, text)
        if not path.exists() and len(self.texts()) >= MOST_TEXTS:
            raise LimitReachedError(f"There are {MOST_TEXTS:,} texts; remove some first.")
        self.write("", name, text)

    def keep_version(self, name: str, text: str) -> None:
        """Keeps a text as a version of a file, unless it is the latest one already.

        Raises:
            FileError: the name is not one of a file with rules, or it cannot be written.
        """
        known = self.versions(name)
        if known and self.read(VERSIONS, known[0]) == text:
            return
        stem, suffix = _version_stem(self._checked(name)), Path(name).suffix
        number = 1 + (int(Path(known[0]).stem.rpartition("_")[2]) if known else 0)
        self.write(VERSIONS, f"{stem}_{number:05d}{suffix}", text)
        for old in known[MOST_VERSIONS - 1 :]:
            self.remove(VERSIONS, old)

    def versions(self, name: str) -> list[str]:
        """The names of the versions of a file in their part of the workspace, the latest first."""
        stem = _version_stem(name)
        own = re.compile(rf"{re.escape(stem)}_\d{{5}}\.\w+")
        return sorted(filter(own.fullmatch, self.names(VERSIONS, *suffixes())), reverse=True)

    def changed_at(self, section: str, name: str) -> datetime:
        """When a file was last written, in local time.

        Raises:
            FileError: it is not there.
        """
        try:
            return datetime.fromtimestamp(self.path(section, name).stat().st_mtime)
        except OSError:
            raise FileError(f"{name}: is not there any more.") from None

    def free_name(self, stem: str, suffix: str) -> str:
        """A name that no file with rules has yet."""
        return _free(stem, suffix, {name.lower() for name in self.texts()})

    def _checked(self, name: str) -> str:
        if Path(name).suffix not in suffixes():
            raise FileError(f"{name!r}: a game's file ends in {', '.join(suffixes())}.")
        return name


def _version_stem(name: str) -> str:
    """The name of a file's versions without their numbers, which no other file shares."""
    clean = re.sub(r"[^A-Za-z0-9 _-]+", "-", Path(name).stem)[:60].strip("-_ ") or "game"
    return f"{clean}_{zlib.crc32(name.encode()):08x}"


def _free(stem: str, suffix: str, taken: set[str]) -> str:
    """An allowed name that is not taken (in small letters)."""
    stem = re.sub(r"[^A-Za-z0-9 _-]+", "-", stem).strip("-_ ")[:60] or "game"
    names = (stem + (f"-{n}" if n > 1 else "") + suffix for n in range(1, len(taken) + 2))
    return next(name for name in names if name.lower() not in taken)
