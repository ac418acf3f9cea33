"""The categories and mechanics that the comments at the top of a game's rules list."""

from __future__ import annotations

import re

_WORDS = re.compile(r"(categories|mechanics):\s*(\S.*)$", re.IGNORECASE)


class SearchWords:
    """The categories and mechanics that a heading lists: ``Mechanics: bidding, partnerships``."""

    def __init__(self) -> None:
        self._lists: dict[str, tuple[str, ...]] = {}

    @property
    def categories(self) -> tuple[str, ...]:
        """The game's categories."""
        return self._lists.get("categories", ())

    @property
    def mechanics(self) -> tuple[str, ...]:
        """The game's mechanics."""
        return self._lists.get("mechanics", ())

    def read_line(self, line: str) -> bool:
        """Reads a line of the heading; returns whether it lists categories or mechanics."""
        if (match := _WORDS.match(line)) is None:
            return False
        words = tuple(word.strip() for word in match[2].rstrip(".").split(",") if word.strip())
        self._lists[match[1].lower()] = words
        return True
