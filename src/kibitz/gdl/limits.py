"""How much memory and work the rules of a game may take until it can be played."""

from __future__ import annotations

import os
from dataclasses import dataclass

from kibitz.core.errors import KibitzError

MEMORY = "KIBITZ_GDL_MEMORY"
"""The environment variable with the megabytes that grounding may use."""

_MEGABYTES = 500
_ROWS = 300_000
"""Rows that may be joined for each megabyte: some seconds' work for ten of them."""


@dataclass(frozen=True)
class Limits:
    """What grounding may take.

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
        """Bytes that tables may take."""
        return self.megabytes << 20

    @property
    def rows(self) -> int:
        """Rows that may be joined."""
        return self.megabytes * _ROWS
