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

A file is written under a temporary name, forced to the disk and renamed; then a line is added to
the ledger. Files that the ledger does not list are ignored. So a process that is killed loses only
the shards that it was playing. They are played again, and since rows depend on the experiment
alone, the files have the same bytes as without the interruption. The same holds for files that
are damaged or lost later: the ledger has their checksums. In an object store
(``kibitz.runs.places``) the ledger is an object for each shard, and nothing is renamed.
"""

from __future__ import annotations

import json
import shlex
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import kibitz
from kibitz.core.errors import FileError
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.ledger import LEDGER, Entry, Ledger
from kibitz.runs.places import check_unused, is_store, reason, write_whole
from kibitz.runs.rows import Rows, tables_of

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 3
"""Version of the format of a stored run."""

RUN = "run.json"
"""Name of the file that describes a run."""

COMPRESSION = {"decisions": "lz4"}
"""Compression of tables that do not use Zstandard: decisions are many and need a fast method."""


class Cut(NamedTuple):
    """The division into shards of the games of a run up to a number of games."""

    games: int
    shard_games: int

    def checked(self) -> Self:
        """This object, if its numbers are valid.

        Raises:
            ValueError: a number is not a positive integer.
        """
        if not all(isinstance(number, int) and number > 0 for number in self):
            raise ValueError
        return self


class Run:
    """A run that is stored in a folder or an object store (see ``place_at``)."""

    def __init__(
        self, folder: Path, experiment: Experiment, begun: str, earlier: Sequence[Cut] = ()
    ) -> None:
        self.folder = folder
        self.experiment = experiment
        self.begun = begun
        self.entries: dict[int, Entry] = {}
        self._earlier = tuple(earlier)
        self._damaged: dict[int, Entry] = {}
        self._ledger = Ledger.of(folder)

    # -- beginning and opening --------------------------------------------------------------

    @classmethod
    def create(
        cls, folder: Path, experiment: Experiment, rules: tuple[str, str] | None = None
    ) -> Run:
        """Creates a run in a folder that is empty or does not exist.

        Files that a process left when it was killed in this method are accepted.

        Args:
            rules: the suffix and the text of the game, if it is a text.

        Raises:
            FileError: the folder holds other files, or cannot be written.
        """
        try:
            tables = tables_of(experiment)

            def left_behind(place: Path) -> bool:
                if place.is_dir():
                    return place.name in tables and not any(place.iterdir())
                if rules is not None and place.name == f"rules{rules[0]}":
                    return place.read_bytes() == rules[1].encode()
                return place.name == LEDGER and not place.read_bytes()

            check_unused(folder, left_behind)
            if not is_store(folder):
                for table in tables:
                    (folder / table).mkdir(parents=True, exist_ok=True)
            if rules is not None:
                write_whole(folder / f"rules{rules[0]}", rules[1].encode())
            run = cls(folder, experiment, datetime.now(UTC).isoformat(timespec="seconds"))
            run._ledger.begin()
            run._describe()  # last: this file makes it a run
        except OSError as problem:
            raise FileError(f"{folder}: cannot be written: {reason(problem)}.") from None
        return run

    def _describe(self) -> None:
        """Writes the description of the run."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "kibitz": kibitz.__version__,
            "begun": self.begun,
            "experiment": self.experiment.to_json(),
        }
        if self._earlier:
            document["earlier"] = [cut._asdict() for cut in self._earlier]
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        write_whole(self.folder / RUN, text.encode())

    def grow(self, experiment: Experiment) -> None:
        """Adds games to a locked run; the games that it has stay in their files.

        Args:
            experiment: the run's own experiment with more games.

        Raises:
            FileError: the folder cannot be written.
        """
        self._earlier = (*self._earlier, Cut(self.experiment.games, self.experiment.shard_games))
        self.experiment = experiment
        try:
            self._describe()
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be written: {reason(problem)}.") from None

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Whether there is a run in a folder."""
        return (folder / RUN).exists()

    @classmethod
    def open(cls, folder: Path) -> Run:
        """The run in a folder.

        Raises:
            FileError: the folder holds no run, or its description is damaged.
        """
        file = folder / RUN
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except OSError:
            raise FileError(f"{folder}: holds no run; it has no {RUN}.") from None
        except (ValueError, RecursionError):
            raise FileError(f"{file}: is damaged: it is no JSON.") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise FileError(f"{file}: is no run of this version of Kibitz.")
        experiment = Experiment.from_json(document.get("experiment"), str(file))
        try:
            earlier = [Cut(**cut).checked() for cut in document.get("earlier", ())]
        except (TypeError, ValueError):
            raise FileError(f'{file}: is damaged: its member "earlier" is wrong.') from None
        run = cls(folder, experiment, str(document.get("begun", "")), earlier)
        run.entries = run._own(run._ledger.read())
        return run

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the run's tables."""
        return tables_of(self.experiment)

    # -- what is there ----------------------------------------------------------------------

    @property
    def played(self) -> int:
        """The number of games that are stored."""
        return sum(entry.played for entry in self.entries.values())

    @property
    def complete(self) -> bool:
        """Whether all games of the experiment are stored."""
        return self.played == self.experiment.games

    @property
    def resuming(self) -> str:
        """The command that plays the missing or damaged games."""
        return f"kibitz runs resume {shlex.quote(str(self.folder))}"

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

    def shards(self) -> Iterator[Shard]:
        """All shards of the run, in order."""
        begin = 0
        for end, size in self._cuts():
            while begin < end:
                stop = min((begin // size + 1) * size, end)
                yield Shard(begin, stop - begin)
                begin = stop

    def _cuts(self) -> tuple[Cut, ...]:
        return (*self._earlier, Cut(self.experiment.games, self.experiment.shard_games))

    def _shard_of(self, game: int) -> int:
        """The first game of the shard that contains a game."""
        begin = 0
        for end, size in self._cuts():
            if game < end:
                return max(begin, game - game % size)
            begin = end
        raise IndexError(game)

    def missing(self) -> Iterator[Shard]:
        """The shards that are not stored, and the missing games of those stored in part."""
        for first, games in self.shards():
            played = self.entries[first].played if first in self.entries else 0
            if played < games:
                yield Shard(first + played, games - played)

    def rows(self, games: range | None = None) -> Iterator[Rows]:
        """The rows of each stored shard, in order.

        Args:
            games: selects the shards whose first game is in this range; by default all.

        Raises:
            FileError: a file is missing or damaged.
        """
        for shard in self.shards():
            if shard.first in self.entries and (games is None or shard.first in games):
                try:
                    yield self._read(shard, self.entries[shard.first])
                except FileError as problem:
                    raise FileError(
                        f"{problem} To play its games again: {self.resuming}"
                    ) from None

    def table(self, name: str) -> pa.Table:
        """One of ``tables``, over all shards, as an Arrow table.

        Raises:
            FileError: a file is missing or damaged.
        """
        import pyarrow as pa

        return pa.concat_tables(self.batches(name))

    def batches(self, name: str) -> Iterator[pa.Table]:
        """One of ``tables``, shard by shard, which saves memory."""
        for rows in self.rows():
            yield getattr(rows, name)()

    def set_damaged_aside(self, games: range | None = None) -> Iterator[str]:
        """Checks the stored shards of a locked run; damaged ones count as missing from then on.

        Args:
            games: selects the shards whose first game is in this range; by default all.

        Yields:
            A message for each damaged shard.
        """
        for shard in self.shards():
            if shard.first in self.entries and (games is None or shard.first in games):
                entry = self.entries[shard.first]
                try:
                    self._read(shard, entry)
                except FileError as problem:
                    self._damaged[shard.first] = self.entries.pop(shard.first)
                    last = entry.first + entry.played - 1
                    yield f"{problem} Games {entry.first} to {last} are played again."

    def is_damaged(self, shard: Shard) -> bool:
        """Whether a shard was set aside as damaged."""
        return shard.first in self._damaged

    # -- writing ----------------------------------------------------------------------------

    def __enter__(self) -> Self:
        """Locks the run for this process, and removes files that the ledger does not list.

        Raises:
            FileError: another process plays the run, or the folder cannot be written.
        """
        try:
            self._ledger.open()
            try:
                entries = self._ledger.read()
                self._remove_unknown_files(entries)
                self.entries = self._own(entries)
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

    def _own(self, entries: Mapping[int, Entry]) -> dict[int, Entry]:
        """The entries that match a shard of the run; others are damaged."""
        games = dict(self.shards())
        return {
            first: entry
            for first, entry in entries.items()
            if 0 < entry.played <= games.get(first, 0)
        }

    def _remove_unknown_files(self, entries: Mapping[int, Entry]) -> None:
        if is_store(self.folder):  # another process may be writing them
            return
        known = {self._file(name, entry) for name in self.tables for entry in entries.values()}
        for name in self.tables:
            (self.folder / name).mkdir(exist_ok=True)
            for file in (self.folder / name).iterdir():
                if file not in known:
                    file.unlink()

    def add(self, rows: Rows) -> None:
        """Stores the rows of a shard, or of the missing games of one that is stored in part.

        Raises:
            FileError: the folder cannot be written.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        start = self._shard_of(rows.shard.first)
        if (begun := self.entries.get(start)) is not None:
            rows = self._read(Shard(start, begun.played), begun).then(rows)
        replaced = begun or self._damaged.pop(start, None)
        try:
            entry = Entry.of(rows)
            for name in self.tables:
                sink = pa.BufferOutputStream()
                compression = COMPRESSION.get(name, "zstd")
                pq.write_table(getattr(rows, name)(), sink, compression=compression)
                content = memoryview(sink.getvalue())
                write_whole(self._file(name, entry), content)
                entry.checksums[name] = zlib.crc32(content)
            self._ledger.add(entry)
            if replaced is not None and replaced.played != entry.played:
                self._ledger.forget(replaced)
                for name in self.tables:
                    self._file(name, replaced).unlink(missing_ok=True)
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be written: {reason(problem)}.") from None
        self.entries[start] = entry

    def files(self, table: str) -> list[Path]:
        """The files with the rows of a table, in order."""
        return [self._file(table, self.entries[first]) for first in sorted(self.entries)]

    def _file(self, table: str, entry: Entry) -> Path:
        return self.folder / table / f"{entry.first}-{entry.first + entry.played}.parquet"

    def _read(self, shard: Shard, entry: Entry) -> Rows:
        """The rows of a shard.

        Raises:
            FileError: a file is missing or damaged.
        """
        try:
            tables = {
                name: _read_table(self._file(name, entry), entry.checksums[name])
                for name in self.tables
            }
            rows = Rows.from_tables(shard, self.experiment.players, tables)
            if len(rows.results) != entry.played:
                raise ValueError
        except (KeyError, TypeError, ValueError):
            file = self._file(self.tables[0], entry)
            raise FileError(f"{file}: does not belong to this run, or is damaged.") from None
        entry.describe(rows)
        return rows


def _read_table(file: Path, checksum: int) -> pa.Table:
    """The table in a Parquet file.

    Args:
        checksum: the expected CRC-32 of the file.

    Raises:
        FileError: the file is missing or damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        content = file.read_bytes()
    except OSError as problem:
        raise FileError(f"{file}: cannot be read: {reason(problem)}.") from None
    try:
        if checksum != zlib.crc32(content):
            raise ValueError
        opened = pq.ParquetFile(pa.py_buffer(content))
        return opened.read(use_threads=False)  # a pool of threads may abort a process that ends
    except (pa.ArrowException, OSError, ValueError):
        raise FileError(f"{file}: cannot be read: it is damaged.") from None
