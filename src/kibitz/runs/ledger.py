"""The ledger of a stored run: which shards are written, with their errors and times."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Self

from kibitz.runs.rows import Rows


@dataclass(slots=True)
class Entry:
    """A line of the ledger: a shard's extent, time and errors.

    Attributes:
        first: the first game of the shard.
        played: how many of its games were played.
        seconds, explanations, exceptions: as ``Rows`` has them.
    """

    first: int
    played: int
    seconds: float
    explanations: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    exceptions: dict[int, str] = field(default_factory=dict)

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
        )
