"""The ledger of a stored run: which shards are written, with their errors and times.

In a folder it is a file with a line for each shard, locked by whoever plays the run. In an object
store nothing can be appended or locked: there each shard has an object of its own. Two processes
that play the same run there do the same work twice, and write the same.
"""

from __future__ import annotations

import abc
import contextlib
import json
import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from kibitz.core.errors import FileError
from kibitz.core.files import lock_file
from kibitz.runs.places import is_store, listed_anew, read_together, reason, write_whole
from kibitz.runs.rows import Rows

logger = logging.getLogger("kibitz")

LEDGER = "ledger.jsonl"
OBJECTS = "ledger"
"""The file in a folder; the prefix of the objects in a store."""


@dataclass(slots=True)
class Entry:
    """A line of the ledger: a shard's extent, time, errors and the checksums of its files.

    Attributes:
        first: the first game of the shard.
        played: how many of its games were played.
        seconds, explanations, exceptions: as ``Rows`` has them.
        checksums: the CRC-32 of each table's file, by the table's name.
    """

    first: int
    played: int
    seconds: float
    explanations: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    exceptions: dict[int, str] = field(default_factory=dict)
    checksums: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """The entry that describes some rows."""
        return cls(
            rows.shard.first,
            len(rows.results),
            rows.seconds,
            rows.explanations,
            rows.exceptions,
        )

    def describe(self, rows: Rows) -> None:
        """Copies time and errors into the rows that this entry describes."""
        rows.seconds = self.seconds
        rows.explanations = self.explanations
        rows.exceptions = self.exceptions

    def text(self) -> str:
        """The entry as a line of JSON."""
        explanations = [[*key, *value] for key, value in sorted(self.explanations.items())]
        document = {
            "first": self.first,
            "played": self.played,
            "seconds": round(self.seconds, 6),
            "explanations": explanations,
            "exceptions": sorted(self.exceptions.items()),
            "checksums": self.checksums,
        }
        return json.dumps(document, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, line: str) -> Self:
        """The entry that ``text`` wrote.

        Raises:
            ValueError, KeyError, TypeError: it is no such line.
        """
        document = json.loads(line)
        return cls(
            int(document["first"]),
            int(document["played"]),
            float(document["seconds"]),
            {(a, b): (game, why) for a, b, game, why in document["explanations"]},
            dict(document["exceptions"]),
            {str(table): int(crc) for table, crc in document["checksums"].items()},
        )


class _LeftOut:
    """Warns of what cannot be read, once each time."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, what: str) -> None:
        if what not in self._told:
            self._told.add(what)
            logger.warning(what)


class Ledger(abc.ABC):
    """Where the entries of a run are kept."""

    @staticmethod
    def of(folder: Path) -> Ledger:
        """The ledger of the run at a place."""
        return StoreLedger(folder) if is_store(folder) else FolderLedger(folder)

    @abc.abstractmethod
    def begin(self) -> None:
        """Makes the ledger of a new run."""

    @abc.abstractmethod
    def read(self) -> dict[int, Entry]:
        """All entries, by the first game of their shards.

        What is damaged or missing is left out, with a warning: the games are played again as if
        they had never been.

        Raises:
            FileError: it cannot be read.
        """

    @abc.abstractmethod
    def open(self) -> None:
        """Prepares it for additions.

        Raises:
            BlockingIOError: another process plays the run.
            OSError: it cannot be written.
        """

    @abc.abstractmethod
    def add(self, entry: Entry) -> None:
        """Adds an entry; it lasts once this returns."""

    @abc.abstractmethod
    def forget(self, entry: Entry) -> None:
        """Removes an entry that another one of the same shard has replaced."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends writing: another process may play the run now."""


class FolderLedger(Ledger):
    """A file to which lines are appended; of a shard the last one counts."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LEDGER
        self._file: Any = None
        self._left_out = _LeftOut()

    def begin(self) -> None:
        """Makes an empty file."""
        self._path.touch()

    def read(self) -> dict[int, Entry]:
        """All entries; an incomplete last line is left out without a warning."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            self._left_out.tell(f"{self._path}: is missing; all games are to be played again.")
            return {}
        except OSError as problem:
            raise FileError(f"{self._path}: {problem.strerror}.") from None
        entries: dict[int, Entry] = {}
        for number, line in enumerate(lines[:-1], 1):
            try:
                entry = Entry.read(line)
            except (ValueError, KeyError, TypeError):
                if number == len(lines) - 1:  # the end of it came to the disk, its middle not
                    continue
                self._left_out.tell(
                    f"{self._path}:{number}: is damaged; the games of this line are to be played "
                    "again."
                )
                continue
            entries[entry.first] = entry
        return entries

    def open(self) -> None:
        """Locks the file for this process, and cuts an incomplete line off."""
        self._path.touch()
        with contextlib.ExitStack() as closing:
            file = closing.enter_context(self._path.open("r+b"))
            lock_file(file)
            file.truncate(file.read().rfind(b"\n") + 1)
            file.seek(0, os.SEEK_END)
            closing.pop_all()
        self._file = file

    def add(self, entry: Entry) -> None:
        """Appends a line."""
        self._file.write(entry.text().encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def forget(self, entry: Entry) -> None:
        """Does nothing: of several lines for a shard the last one counts."""

    def close(self) -> None:
        """Unlocks the file."""
        self._file.close()


class StoreLedger(Ledger):
    """An object for each shard; of several of one shard the one with most games counts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / OBJECTS
        self._left_out = _LeftOut()

    def begin(self) -> None:
        """Does nothing: an object store needs no file for the ledger."""

    def read(self) -> dict[int, Entry]:
        """All entries."""
        entries: dict[int, Entry] = {}
        try:
            objects = listed_anew(self._folder)
            contents = read_together(objects)
        except OSError as problem:
            raise FileError(f"{self._folder}: cannot be read: {reason(problem)}.") from None
        for place, content in zip(objects, contents, strict=True):
            try:
                entry = Entry.read(content.decode())
            except (ValueError, KeyError, TypeError):
                self._left_out.tell(f"{place}: is damaged; its games are to be played again.")
                continue
            if entry.first not in entries or entries[entry.first].played < entry.played:
                entries[entry.first] = entry
        return entries

    def open(self) -> None:
        """Does nothing: object stores have no locks."""

    def add(self, entry: Entry) -> None:
        """Writes an object."""
        write_whole(self._object(entry), entry.text().encode())

    def forget(self, entry: Entry) -> None:
        """Removes its object."""
        self._object(entry).unlink(missing_ok=True)

    def close(self) -> None:
        """Does nothing: object stores have no locks."""

    def _object(self, entry: Entry) -> Path:
        return self._folder / f"{entry.first}-{entry.first + entry.played}.json"
