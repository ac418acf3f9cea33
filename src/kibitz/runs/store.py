"""Stored runs: a folder of Parquet files and a ledger.

::

    DIR/run.json            the experiment, and when it was begun
    DIR/rules.rcy           the text of the game, where it has one
    DIR/ledger.jsonl        a line for each shard, once its rows are written
    DIR/games/0-1024.parquet    the rows of games 0 to 1023
    DIR/seats/...
    DIR/options/...
    DIR/decisions/...           where they are recorded
    DIR/events/...

A file is written beside its place, forced to the disk and renamed; then the ledger gets its
line. Files of which the ledger does not know count for nothing. So a process that is killed
loses the shards that it was playing. They are played again, and since rows depend on the
experiment alone, the files are the same bytes as without the interruption.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import kibitz
from kibitz.core.errors import FileError
from kibitz.core.files import write_bytes, write_text
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.ledger import Entry
from kibitz.runs.rows import Rows, tables_of

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 2
RUN = "run.json"
LEDGER = "ledger.jsonl"
COMPRESSION = {"decisions": "lz4"}
"""Decisions are so many that they are written with what is quickest; all else with Zstandard."""


class Run:
    """A run that is stored in a folder."""

    def __init__(self, folder: Path, experiment: Experiment, begun: str) -> None:
        self.folder = folder
        self.experiment = experiment
        self.begun = begun
        self.entries: dict[int, Entry] = {}
        self._ledger: Any = None

    # -- beginning and opening --------------------------------------------------------------

    @classmethod
    def create(
        cls, folder: Path, experiment: Experiment, rules: tuple[str, str] | None = None
    ) -> Run:
        """Begins a run in a folder that is empty or does not exist.

        Args:
            folder: where it is kept.
            experiment: what is played.
            rules: the suffix and the text of the game, if it is a text.

        Raises:
            FileError: there is something in the folder, or it cannot be written.
        """
        try:
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise FileError(f"{folder}: is not an empty folder; choose another one.")
            for table in tables_of(experiment):
                (folder / table).mkdir(parents=True, exist_ok=True)
            if rules is not None:
                write_text(folder / f"rules{rules[0]}", rules[1])
            run = cls(folder, experiment, datetime.now(UTC).isoformat(timespec="seconds"))
            document = {
                "format": FORMAT,
                "kibitz": kibitz.__version__,
                "begun": run.begun,
                "experiment": experiment.to_json(),
            }
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            (folder / LEDGER).touch()
            write_text(folder / RUN, text)
        except OSError as problem:
            raise FileError(f"{folder}: cannot be written: {problem.strerror}.") from None
        return run

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Whether there is a run in a folder."""
        return (folder / RUN).exists()

    @classmethod
    def open(cls, folder: Path) -> Run:
        """The run in a folder.

        Raises:
            FileError: there is none, or its description is damaged.
        """
        file = folder / RUN
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except OSError:
            raise FileError(f"{folder}: holds no run; it has no {RUN}.") from None
        except ValueError:
            raise FileError(f"{file}: is damaged: it is no JSON.") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise FileError(f"{file}: is no run of this version of Kibitz.")
        experiment = Experiment.from_json(document.get("experiment"), str(file))
        run = cls(folder, experiment, str(document.get("begun", "")))
        run.entries = run._read_ledger()
        return run

    def _read_ledger(self) -> dict[int, Entry]:
        """The entries of the ledger; an incomplete last line is left out."""
        try:
            lines = (self.folder / LEDGER).read_text(encoding="utf-8").split("\n")
        except OSError as problem:
            raise FileError(f"{self.folder / LEDGER}: {problem.strerror}.") from None
        entries: dict[int, Entry] = {}
        for number, line in enumerate(lines[:-1], 1):
            try:
                entry = Entry.read(line)
            except (ValueError, KeyError, TypeError):
                if number == len(lines) - 1:  # the end of it came to the disk, its middle not
                    continue
                raise FileError(f"{self.folder / LEDGER}:{number}: is damaged.") from None
            entries[entry.first] = entry
        return entries

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the run's tables."""
        return tables_of(self.experiment)

    # -- what is there ----------------------------------------------------------------------

    @property
    def played(self) -> int:
        """How many games are stored."""
        return sum(entry.played for entry in self.entries.values())

    @property
    def complete(self) -> bool:
        """Whether all games of the experiment are stored."""
        return self.played == self.experiment.games

    @property
    def rules(self) -> tuple[str, str] | None:
        """The name and the content of the file with the game's rules, if they are a text.

        Raises:
            FileError: the file cannot be read.
        """
        for file in self.folder.glob("rules.*"):
            try:
                return str(file), file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as problem:
                raise FileError(f"{file}: cannot be read: {problem}.") from None
        return None

    def missing(self) -> Iterator[Shard]:
        """The shards that are not stored yet, and the rest of those that are stored in part."""
        for first, games in self.experiment.shards():
            played = self.entries[first].played if first in self.entries else 0
            if played < games:
                yield Shard(first + played, games - played)

    def rows(self, games: range | None = None) -> Iterator[Rows]:
        """The rows of each shard, in order, as far as they are written.

        Args:
            games: only of shards that begin with one of these; by default of all.

        Raises:
            FileError: a file is missing or damaged.
        """
        for shard in self.experiment.shards():
            if shard.first in self.entries and (games is None or shard.first in games):
                yield self._read(shard, self.entries[shard.first])

    def table(self, name: str) -> pa.Table:
        """One of ``tables`` as one Arrow table.

        Raises:
            FileError: a file is missing or damaged.
        """
        import pyarrow as pa

        return pa.concat_tables(self.batches(name))

    def batches(self, name: str) -> Iterator[pa.Table]:
        """One of ``tables``, shard by shard, so that little of it is in memory."""
        for rows in self.rows():
            yield getattr(rows, name)()

    # -- writing ----------------------------------------------------------------------------

    def __enter__(self) -> Self:
        """Locks the run for this process, and removes files that the ledger does not list.

        Raises:
            FileError: another process plays it, or it cannot be written.
        """
        import fcntl

        with contextlib.ExitStack() as closing:
            try:
                ledger = closing.enter_context((self.folder / LEDGER).open("r+b"))
                fcntl.flock(ledger, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.entries = self._read_ledger()
                ledger.truncate(ledger.read().rfind(b"\n") + 1)
                ledger.seek(0, os.SEEK_END)
                self._remove_unknown_files()
            except BlockingIOError:
                raise FileError(f"{self.folder}: is being played by another process.") from None
            except OSError as problem:
                raise FileError(f"{self.folder}: cannot be written: {problem.strerror}.") from None
            closing.pop_all()
        self._ledger = ledger
        return self

    def __exit__(self, *_: object) -> None:
        """Unlocks the run."""
        self._ledger.close()

    def _remove_unknown_files(self) -> None:
        known = {
            self._file(name, entry) for name in self.tables for entry in self.entries.values()
        }
        for name in self.tables:
            for file in (self.folder / name).iterdir():
                if file not in known:
                    file.unlink()

    def add(self, rows: Rows) -> None:
        """Stores the rows of a shard, or of the rest of one that is stored in part.

        Raises:
            FileError: they cannot be written.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        start = rows.shard.first - rows.shard.first % self.experiment.shard_games
        if (begun := self.entries.get(start)) is not None:
            rows = self._read(Shard(start, begun.played), begun).then(rows)
        try:
            entry = Entry.of(rows)
            for name in self.tables:
                sink = pa.BufferOutputStream()
                compression = COMPRESSION.get(name, "zstd")
                pq.write_table(getattr(rows, name)(), sink, compression=compression)
                write_bytes(self._file(name, entry), memoryview(sink.getvalue()))
            self._ledger.write(entry.text().encode())
            self._ledger.flush()
            os.fsync(self._ledger.fileno())
            if begun is not None:
                for name in self.tables:
                    self._file(name, begun).unlink(missing_ok=True)
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be written: {problem.strerror}.") from None
        self.entries[start] = entry

    def files(self, table: str) -> list[Path]:
        """The files with the rows of a table, in order."""
        return [self._file(table, self.entries[first]) for first in sorted(self.entries)]

    def _file(self, table: str, entry: Entry) -> Path:
        return self.folder / table / f"{entry.first}-{entry.first + entry.played}.parquet"

    def _read(self, shard: Shard, entry: Entry) -> Rows:
        """The rows of a shard."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        tables: dict[str, pa.Table] = {}
        for name in self.tables:
            file = self._file(name, entry)
            try:
                tables[name] = pq.read_table(file, partitioning=None)
            except (OSError, pa.ArrowException) as problem:
                raise FileError(f"{file}: cannot be read: {problem}") from None
        rows = Rows.from_tables(shard, self.experiment.players, tables)
        entry.describe(rows)
        return rows
