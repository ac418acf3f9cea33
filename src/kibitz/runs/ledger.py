"""The ledger of a stored run: the shards that are written, with their errors and times.

In a folder it is a file with a line for each shard, locked by the process that plays the run. In
an object store nothing can be appended or locked, so each shard has an object of its own. Two
processes that play the same run there do the same work twice and write the same objects.
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
"""Name of the file with the ledger in a folder."""

OBJECTS = "ledger"
"""Prefix of the objects of the ledger in a store."""


@dataclass(slots=True)
class Entry:
    """A line of the ledger: a shard's extent, time, errors and the checksums of its files.

    Attributes:
        first: the first game of the shard.
        played: number of its games that were played.
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
            ValueError, KeyError, TypeError: the line is damaged.
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
    """Warns of damaged or missing entries, once each."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            logger.warning(message)


class Ledger(abc.ABC):
    """The storage of the entries of a run."""

    @staticmethod
    def of(folder: Path) -> Ledger:
        """The ledger of the run at a place."""
        return StoreLedger(folder) if is_store(folder) else FolderLedger(folder)

    @abc.abstractmethod
    def begin(self) -> None:
        """Creates the ledger of a new run."""

    @abc.abstractmethod
    def read(self) -> dict[int, Entry]:
        """All entries, by the first game of their shards.

        Damaged or missing entries are left out with a warning, so that their games are played
        again.

        Raises:
            FileError: the ledger cannot be read.
        """

    @abc.abstractmethod
    def open(self) -> None:
        """Prepares the ledger for additions.

        Raises:
            BlockingIOError: another process plays the run.
            OSError: the ledger cannot be written.
        """

    @abc.abstractmethod
    def add(self, entry: Entry) -> None:
        """Adds an entry, which is stored durably when this returns."""

    @abc.abstractmethod
    def forget(self, entry: Entry) -> None:
        """Removes an entry that was replaced by another one of the same shard."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends writing, so that another process may play the run."""


class FolderLedger(Ledger):
    """A ledger in a file to which lines are appended; the last line of a shard counts."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LEDGER
        self._file: Any = None
        self._left_out = _LeftOut()

    def begin(self) -> None:
        """Creates an empty file."""
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
                if number == len(lines) - 1:  # a crash may have stored its end, but not its middle
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
    """A ledger with an object for each shard; of several for one shard, that with most games."""

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
