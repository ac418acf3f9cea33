"""Limits on the memory and work of grounding and of the prover."""

from __future__ import annotations

import os
from dataclasses import dataclass

from kibitz.core.errors import KibitzError

MEMORY = "KIBITZ_GDL_MEMORY"
"""The environment variable with the megabytes that rules may use."""

CURE = f"fewer variables in a rule help, `base` and `input`, or a larger {MEMORY}"

MOST_MOVES = 100_000
"""Moves that a role of a network may have."""

_MEGABYTES = 500
_ROWS = 30_000
"""Rows that grounding may join for each megabyte: a few seconds' work for all of them."""
_WORK = 4_000
"""Rows that a question to the prover may lead to for each megabyte: a second or so for all;"""
_ANSWERS = 400
"""answers to it, and questions on the way, for each megabyte. These take a fifth of the memory,
so that less than the usual megabytes leave the prover as it is."""


@dataclass(frozen=True)
class Limits:
    """The limits for one game's rules.

    Attributes:
        megabytes: of memory.
    """

    megabytes: int = _MEGABYTES

    @classmethod
    def chosen(cls) -> Limits:
        """The limits set by the environment, or the default, which is safe for unknown files.

        Raises:
            KibitzError: the variable is no number of megabytes.
        """
        text = os.environ.get(MEMORY, "").strip()
        if not text:
            return cls()
        if not text.isdecimal() or not int(text):
            raise KibitzError(f"{MEMORY} should be a number of megabytes, not {text!r}.")
        return cls(int(text))

    @property
    def size(self) -> int:
        """Bytes for the tables of grounding, or for the network."""
        return self.megabytes << 20

    @property
    def rows(self) -> int:
        """Rows that the joins of grounding may make."""
        return self.megabytes * _ROWS

    @property
    def work(self) -> int:
        """Rows that one question to the prover may make in all its joins."""
        return max(self.megabytes, _MEGABYTES) * _WORK

    @property
    def answers(self) -> int:
        """Answers and subgoals that one question to the prover may make."""
        return max(self.megabytes, _MEGABYTES) * _ANSWERS


class OutOfMemoryError(Exception):
    """The tables would exceed the memory limit."""


class Ledger:
    """A ledger of the bytes that tables take.

    Args:
        most: how many they may be.

    Attributes:
        kept: how many they are.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept = 0

    def keep(self, count: int) -> None:
        """Enters bytes that are allocated, or, if negative, freed.

        Raises:
            OutOfMemoryError: they are too many.
        """
        self.kept += count
        self.need(0)

    def need(self, passing: int) -> None:
        """Checks that so many bytes can be used for a while.

        Raises:
            OutOfMemoryError: there is not.
        """
        if self.kept + passing > self.most:
            raise OutOfMemoryError
