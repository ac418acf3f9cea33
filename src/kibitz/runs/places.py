"""Places of runs: a folder of this machine, or the address of an object store.

Stores are those of ``fsspec``: ``s3://BUCKET/RUN``, ``gs://...``, ``memory://RUN``. They are used
as ``pathlib`` paths (``universal_pathlib``). Unlike a file, an object is written whole or not at
all, and cannot be appended to or locked.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kibitz.core.errors import FileError, MissingExtraError, ParameterError
from kibitz.core.files import write_bytes
from kibitz.core.interrupt import deferred
from kibitz.core.wording import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ADDRESS = "://"


def place_at(where: str | Path) -> Path:
    """A folder by its path, or a place in an object store by its address.

    >>> place_at("runs/letters").name
    'letters'

    Raises:
        FileError: the store cannot be reached, or is of an unknown kind.
        MissingExtraError: the extra ``store`` is not installed.
        ParameterError: `where` is neither a path nor a text, or the text is empty.
    """
    if not isinstance(where, str) or ADDRESS not in where:
        return _path_of(where)
    try:
        from upath import UPath
    except ImportError:
        raise MissingExtraError("Addresses of object stores", "store") from None
    try:
        place = UPath(where)
        place.exists()
    except Exception as problem:  # each store has errors of its own
        raise FileError(f"{where}: cannot be reached: {reason(problem)}.") from None
    return cast("Path", place)


def folder_at(where: str | Path) -> Path:
    """A folder of this machine by its path, for files that are appended to.

    >>> folder_at("tuned").name
    'tuned'

    Raises:
        ParameterError: `where` is neither a path nor a text, the text is empty, or it is an
            address.
    """
    path = _path_of(where)
    if is_store(path) or (isinstance(where, str) and ADDRESS in where):
        raise ParameterError(f"{where}: give the path of a folder of this machine, no address.")
    return path


def _path_of(where: str | Path) -> Path:
    if isinstance(where, str):
        if not where.strip():
            raise ParameterError("The path of the folder is empty; the current one is '.'.")
        return Path(where)
    # paths into stores do not share a class with others
    if not hasattr(type(where), "is_dir"):
        raise ParameterError(f"{where!r} should be a folder: a path, or its text.")
    return where


def check_unused(place: Path, belongs: Callable[[Path], bool] = lambda _: False) -> None:
    """Checks that a folder is missing or empty, hidden files and expected ones aside.

    Args:
        belongs: whether a path in the folder is expected.

    Raises:
        FileError: the folder holds other files, which the message names.
    """
    if not place.exists():
        return
    if not place.is_dir():
        raise FileError(f"{place}: is not a folder; choose another name.")
    inside = sorted(place.iterdir(), key=lambda item: item.name)
    others = [repr(item.name) for item in inside if item.name[:1] != "." and not belongs(item)]
    if others:
        shown = [*others[:3], "more"] if len(others) > 3 else others
        raise FileError(
            f"{place}: is not an empty folder, it holds {listed(shown)}; choose another one, or "
            "move what it holds away."
        )


def is_store(place: Path) -> bool:
    """Whether a place is in an object store."""
    return not isinstance(place, Path)


def write_whole(place: Path, content: bytes | memoryview) -> None:
    """Writes a file whole or not at all.

    Raises:
        OSError, FileError: the file cannot be written.
    """
    if is_store(place):
        with deferred():
            place.write_bytes(bytes(content))
    else:
        write_bytes(place, content)


def read_together(places: Sequence[Path]) -> list[bytes]:
    """The contents of files of one store, requested at the same time."""
    if not places:
        return []
    system: Any = cast("Any", places[0]).fs
    paths = [cast("Any", place).path for place in places]
    contents: dict[str, bytes] = system.cat(paths)
    return [contents[path] for path in paths]


def listed_anew(place: Path) -> list[Path]:
    """The contents of a folder of a store, read anew; empty if there is no such folder."""
    cast("Any", place).fs.invalidate_cache()
    return [*place.iterdir()] if place.exists() else []


def remove(place: Path) -> None:
    """Removes a folder with all that is in it."""
    if is_store(place):
        cast("Any", place).fs.rm(cast("Any", place).path, recursive=True)
    else:
        shutil.rmtree(place)


def reason(problem: Exception) -> str:
    """A short message for an exception: its first line, without a full stop."""
    words = getattr(problem, "strerror", None) or str(problem).strip() or type(problem).__name__
    return str(words).splitlines()[0].rstrip(".")
