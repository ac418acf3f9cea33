"""Files that are written whole or not at all."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path

from kibitz.core.errors import FileError
from kibitz.core.interrupt import deferred


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text as ``write_bytes`` does."""
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Writes a file beside its place and moves it there, so that nobody ever finds half of it.

    What is no regular file, such as a pipe, is written to directly. An interrupt waits until it is
    done.

    Raises:
        FileError: it cannot be written; what was there before is still there.
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


def write_new(folder: Path, stem: str, suffix: str, text: str) -> Path:
    """Writes a file as ``write_text`` does, and never over another: its name gets a number.

    Returns the path: ``stem.json``, or ``stem.2.json`` and so on.

    Raises:
        FileError: it cannot be written.
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


__all__ = ["write_new", "write_text"]
