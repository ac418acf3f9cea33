"""Bounded reading of files, and atomic writing: whole, or not at all."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path
from typing import Any, BinaryIO

from kibitz.core.errors import FileError
from kibitz.core.interrupt import deferred


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """Reads a file that may be anybody's.

    Raises:
        FileError: it cannot be read, or is longer than `most` bytes.
    """
    try:
        with Path(path).open("rb") as file:
            return checked_length(file.read(most + 1), most, str(path))
    except OSError as problem:
        raise FileError(f"{path}: cannot be read: {problem.strerror}.") from None
    except ValueError as problem:  # a name with a zero byte
        raise FileError(f"{path!r}: cannot be read: {problem}.") from None


def checked_length(content: bytes, most: int, name: str) -> bytes:
    """Returns what was read of a file.

    Raises:
        FileError: it is longer than `most` bytes.
    """
    if len(content) > most:
        raise FileError(f"{name}: is longer than {most:,} bytes.")
    return content


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text as ``write_bytes`` does."""
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Writes a file atomically: to a temporary file, which then replaces it.

    A path that is not a regular file, such as a pipe, is written directly. Interrupts are
    deferred.

    Raises:
        FileError: the file cannot be written; an existing one is unchanged.
    """
    try:
        with deferred():
            _write(Path(path).resolve(), content)  # a link stays a link
    except OSError as problem:
        raise FileError(f"{path}: cannot be written: {problem.strerror}.") from None


def _write(place: Path, content: bytes | memoryview) -> None:
    if place.exists() and not place.is_file():
        place.write_bytes(content)
        return
    partial = place.with_name(f".{place.name[:100]}.{os.getpid()}")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, partial)
        os.replace(partial, place)
    finally:
        partial.unlink(missing_ok=True)


def is_trusted(status: os.stat_result) -> bool:
    """Whether only this user and root can write to a file or folder.

    It is always true on Windows, whose files have no such bits.
    """
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid in (0, os.getuid()) and not status.st_mode & 0o022


_LOCKED_BYTE = 1 << 30
"""The byte that is locked on Windows: beyond all content, since it cannot be read while locked."""


def lock_file(file: BinaryIO) -> None:
    """Locks an open file until it is closed or the process ends.

    Raises:
        BlockingIOError: another process has locked it.
        OSError: the file system has no locks.
    """
    try:
        import fcntl
    except ImportError:
        _lock_on_windows(file)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_on_windows(file: BinaryIO) -> None:
    import msvcrt

    windows: Any = msvcrt  # its functions are unknown to type checkers elsewhere
    place = file.tell()
    file.seek(_LOCKED_BYTE)
    try:
        windows.locking(file.fileno(), windows.LK_NBLCK, 1)
    except OSError as problem:
        raise BlockingIOError(problem.errno, "is locked by another process") from None
    finally:
        file.seek(place)


def write_new(folder: Path, stem: str, suffix: str, text: str) -> Path:
    """Writes a new file as ``write_text`` does, with a number in its name if the name is taken.

    Returns the path: ``stem.json``, or ``stem.2.json`` and so on.

    Raises:
        FileError: the file cannot be written.
    """
    for number in itertools.count(1):
        path = folder / (f"{stem}{suffix}" if number == 1 else f"{stem}.{number}{suffix}")
        try:
            path.touch(exist_ok=False)  # the name is ours
        except FileExistsError:
            continue
        except OSError as problem:
            raise FileError(f"{path}: cannot be written: {problem.strerror}.") from None
        try:
            write_text(path, text)
        except FileError:
            path.unlink(missing_ok=True)
            raise
        return path
    raise AssertionError


__all__ = [
    "checked_length",
    "is_trusted",
    "lock_file",
    "read_bytes",
    "write_bytes",
    "write_new",
    "write_text",
]
