"""Stored runs: a folder, or a place in an object store, of Parquet files and a ledger.

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
experiment alone, the files are the same bytes as without the interruption. In an object store
(``kibitz.runs.places``) the ledger is an object for each shard, and nothing is renamed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

import kibitz
from kibitz.core.errors import FileError
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.ledger import Entry, Ledger
from kibitz.runs.places import is_store, reason, write_whole
from kibitz.runs.rows import Rows, tables_of

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 2
RUN = "run.json"
COMPRESSION = {"decisions": "lz4"}
"""Decisions are so many that they are written with what is quickest; all else with Zstandard."""


class Run:
    """A run that is stored in a folder, or in an object store (see ``place_at``)."""

    def __init__(self, folder: Path, experiment: Experiment, begun: str) -> None:
        self.folder = folder
        self.experiment = experiment
        self.begun = begun
        self.entries: dict[int, Entry] = {}
        self._ledger = Ledger.of(folder)

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
            if not is_store(folder):
                for table in tables_of(experiment):
                    (folder / table).mkdir(parents=True, exist_ok=True)
            if rules is not None:
                write_whole(folder / f"rules{rules[0]}", rules[1].encode())
            run = cls(folder, experiment, datetime.now(UTC).isoformat(timespec="seconds"))
            document = {
                "format": FORMAT,
                "kibitz": kibitz.__version__,
                "begun": run.begun,
                "experiment": experiment.to_json(),
            }
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            run._ledger.begin()
            write_whole(folder / RUN, text.encode())
        except OSError as problem:
            raise FileError(f"{folder}: cannot be written: {reason(problem)}.") from None
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
        run.entries = run._ledger.read()
        return run

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
        try:
            self._ledger.open()
            try:
                self.entries = self._ledger.read()
                self._remove_unknown_files()
            except BaseException:
                self._ledger.close()
                raise
        except BlockingIOError:
            raise FileError(f"{self.folder}: is being played by another process.") from None
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be written: {reason(problem)}.") from None
        return self

    def __exit__(self, *_: object) -> None:
        """Unlocks the run."""
        self._ledger.close()

    def _remove_unknown_files(self) -> None:
        if is_store(self.folder):  # another process may just write them
            return
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
                write_whole(self._file(name, entry), memoryview(sink.getvalue()))
            self._ledger.add(entry)
            if begun is not None:
                self._ledger.forget(begun)
                for name in self.tables:
                    self._file(name, begun).unlink(missing_ok=True)
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be written: {reason(problem)}.") from None
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
                tables[name] = pq.read_table(pa.py_buffer(file.read_bytes()))
            except pa.ArrowException:
                raise FileError(f"{file}: cannot be read: it is damaged.") from None
            except OSError as problem:
                raise FileError(f"{file}: cannot be read: {reason(problem)}.") from None
        rows = Rows.from_tables(shard, self.experiment.players, tables)
        entry.describe(rows)
        return rows
