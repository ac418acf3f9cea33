"""Limits on the memory and work of grounding and of the prover."""

from __future__ import annotations

import os
from dataclasses import dataclass

from kibitz.core.errors import KibitzError

MEMORY = "KIBITZ_GDL_MEMORY"
"""The environment variable for the megabytes that the rules of a game may use."""

CURE = f"fewer variables in a rule help, `base` and `input`, or a larger {MEMORY}"

MOST_MOVES = 100_000
"""The most moves that a role can have in a network."""

_MEGABYTES = 500
"""The default limit on memory, in megabytes."""
_ROWS = 30_000
"""The rows that grounding may join for each megabyte; all take a few seconds by default."""
_WORK = 4_000
"""The rows that a question to the prover may make for each megabyte.

All take about a second by default.
"""
_ANSWERS = 400
"""The questions and answers that a question to the prover may lead to for each megabyte.

They take a fifth of the memory, so a limit below the default does not lower those of the prover.
"""


@dataclass(frozen=True)
class Limits:
    """The limits on the memory and work of evaluating a game's rules.

    Attributes:
        megabytes: the limit on memory, from which all others follow.
    """

    megabytes: int = _MEGABYTES

    @classmethod
    def chosen(cls) -> Limits:
        """The limits set by the environment, or the default, which is safe for untrusted files.

        Raises:
            KibitzError: the variable is not a positive number.
        """
        text = os.environ.get(MEMORY, "").strip()
        if not text:
            return cls()
        if not text.isdecimal() or not int(text):
            raise KibitzError(f"{MEMORY} should be a number of megabytes, not {text!r}.")
        return cls(int(text))

    @property
    def size(self) -> int:
        """The bytes for the tables of grounding, or for the network."""
        return self.megabytes << 20

    @property
    def rows(self) -> int:
        """The rows that all joins of grounding together may make."""
        return self.megabytes * _ROWS

    @property
    def work(self) -> int:
        """The rows that one question to the prover may make in all its joins."""
        return max(self.megabytes, _MEGABYTES) * _WORK

    @property
    def answers(self) -> int:
        """The questions and answers that one question to the prover may lead to."""
        return max(self.megabytes, _MEGABYTES) * _ANSWERS


class OutOfMemoryError(Exception):
    """The tables would exceed the memory limit."""


class Ledger:
    """Counts the bytes that tables take, and raises an error beyond a limit.

    Attributes:
        most: the limit, in bytes.
        kept: the bytes that are allocated.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept = 0

    def keep(self, count: int) -> None:
        """Adds bytes that are allocated or, if negative, freed.

        Raises:
            OutOfMemoryError: the sum exceeds the limit.
        """
        self.kept += count
        self.need(0)

    def need(self, passing: int) -> None:
        """Checks that the limit leaves room for temporary bytes.

        Raises:
            OutOfMemoryError: the sum with them exceeds the limit.
        """
        if self.kept + passing > self.most:
            raise OutOfMemoryError
