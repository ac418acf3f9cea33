"""How much memory and work the rules of a game may take: to be grounded, and to be proved."""

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
_ROWS = 25_000
"""Rows that grounding may join for each megabyte: a few seconds' work for all of them."""
_WORK = 4_000
"""Rows that a question to the prover may lead to for each megabyte: a second or so for all;"""
_ANSWERS = 400
"""answers to it, and questions on the way, for each megabyte. These take a fifth of the memory,
so that less than the usual megabytes leave the prover as it is."""


@dataclass(frozen=True)
class Limits:
    """What the rules of a game may take.

    Attributes:
        megabytes: of memory.
    """

    megabytes: int = _MEGABYTES

    @classmethod
    def chosen(cls) -> Limits:
        """As the environment variable says, or else fit for the file of a stranger.

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
        """Bytes that tables, or a network, may take."""
        return self.megabytes << 20

    @property
    def rows(self) -> int:
        """Rows that grounding may join."""
        return self.megabytes * _ROWS

    @property
    def work(self) -> int:
        """Rows that a question to the prover may lead to, at all conditions together."""
        return max(self.megabytes, _MEGABYTES) * _WORK

    @property
    def answers(self) -> int:
        """Answers that a question to the prover may lead to, with questions on the way."""
        return max(self.megabytes, _MEGABYTES) * _ANSWERS


class OutOfMemoryError(Exception):
    """Tables would take more memory than they may."""


class Memory:
    """The bytes that tables take.

    Args:
        most: how many they may be.

    Attributes:
        kept: how many they are.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept = 0

    def keep(self, count: int) -> None:
        """Takes note of bytes that are kept from now on, or given back.

        Raises:
            OutOfMemoryError: they are too many.
        """
        self.kept += count
        self.need(0)

    def need(self, passing: int) -> None:
        """Makes sure that there is room for so many bytes for a while.

        Raises:
            OutOfMemoryError: there is not.
        """
        if self.kept + passing > self.most:
            raise OutOfMemoryError
