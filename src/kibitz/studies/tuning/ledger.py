"""The ledger of a search: the blocks that were played, in a folder, so that it can be resumed.

::

    DIR/tuning.json     what is tuned, and how
    DIR/blocks.jsonl    a line for each block of games, once it is played

A search is a function of its description and of its blocks. So it is resumed by running it
again: blocks that are in the ledger are taken from it, and the others are played.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Self

import kibitz
from kibitz.core.errors import FileError
from kibitz.core.files import lock_file, write_text
from kibitz.core.interrupt import deferred
from kibitz.core.parameters import read_json_object
from kibitz.runs.places import check_unused
from kibitz.studies.tuning.problem import Block
from kibitz.studies.tuning.space import Point

DESCRIPTION = "tuning.json"
"""Name of the file that describes the search."""

BLOCKS = "blocks.jsonl"
"""Name of the file with the blocks."""

FORMAT = 1
"""Version of the format of both files."""

Key = tuple[str, Point, int, int]
"""The phase of the search, the point, the number of the first game, and the number of games."""


class Ledger:
    """The blocks of a search, in memory and, if there is a folder, in its files.

    Args:
        folder: the folder of the search; ``None`` keeps the blocks in memory only.
        description: everything that the search depends on, as JSON types.

    Raises:
        FileError: the folder holds another search or other files, or cannot be used.
    """

    def __init__(self, folder: Path | None, description: dict[str, Any]) -> None:
        self.folder = folder
        self.blocks: dict[Key, Block] = {}
        self._description = description
        self._file: Any = None
        self._sound = 0  # bytes of the file that can be read
        if folder is None:
            return
        if (folder / DESCRIPTION).exists():
            self._check(folder / DESCRIPTION)
        else:
            self._create(folder)
        self._read(folder / BLOCKS)

    @property
    def games(self) -> int:
        """The number of games of all blocks."""
        return sum(block.games for block in self.blocks.values())

    def _create(self, folder: Path) -> None:
        try:
            check_unused(folder)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / BLOCKS).touch()
        except OSError as problem:
            raise FileError(f"{folder}: cannot be written: {problem.strerror}.") from None
        document = {"format": FORMAT, "kibitz": kibitz.__version__, **self._description}
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        write_text(folder / DESCRIPTION, text)

    def _check(self, file: Path) -> None:
        """Checks that the folder holds this search."""
        document = read_json_object(file)
        if document.get("format") != FORMAT:
            raise FileError(f"{file}: is no search of this version of Kibitz.")
        mine = json.loads(json.dumps(self._description))
        differ = [name for name, value in mine.items() if document.get(name) != value]
        if differ:
            raise FileError(
                f"{file.parent}: holds another search: its {', '.join(differ)} differ"
                f"{'s' if len(differ) == 1 else ''}. Give the same options to go on with it, or "
                "another folder."
            )

    def _read(self, file: Path) -> None:
        """Reads the blocks; an incomplete last line is left out."""
        try:
            lines = file.read_bytes().split(b"\n")
        except OSError as problem:
            raise FileError(f"{file}: cannot be read: {problem.strerror}.") from None
        self._sound = 0
        for number, line in enumerate(lines[:-1], 1):
            try:
                document = json.loads(line)
                point = tuple(map(int, document["point"]))
                key = str(document["phase"]), point, int(document["first"]), int(document["games"])
                self.blocks[key] = Block.from_json(document)
                self._sound += len(line) + 1
            except (KeyError, TypeError, ValueError):
                if number == len(lines) - 1:  # a crash may have stored its end, but not its middle
                    continue
                raise FileError(f"{file}:{number}: is damaged.") from None

    def __enter__(self) -> Self:
        """Locks the folder for this process.

        Raises:
            FileError: another process uses the folder, or it cannot be written.
        """
        if self.folder is None:
            return self
        file = self.folder / BLOCKS
        try:
            self._file = file.open("r+b")
            lock_file(self._file)
            self._read(file)  # another process may have written it meanwhile
            self._file.truncate(self._sound)
            self._file.seek(0, os.SEEK_END)
        except BlockingIOError:
            self._file.close()
            raise FileError(f"{self.folder}: is being used by another process.") from None
        except OSError as problem:
            raise FileError(f"{file}: cannot be written: {problem.strerror}.") from None
        return self

    def __exit__(self, *_: object) -> None:
        """Unlocks the folder."""
        if self._file is not None:
            self._file.close()

    def add(self, key: Key, block: Block) -> None:
        """Stores a block; interrupts are deferred while it is written.

        Raises:
            FileError: the file cannot be written.
        """
        self.blocks[key] = block
        if self._file is None:
            return
        phase, point, first, _ = key
        document = {"phase": phase, "point": list(point), "first": first, **block.to_json()}
        try:
            with deferred():
                self._file.write((json.dumps(document) + "\n").encode())
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be written: {problem.strerror}.") from None
