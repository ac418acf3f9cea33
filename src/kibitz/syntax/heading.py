"""What comments at the beginning of rules say in the same way in every language."""

from __future__ import annotations

import re

_WORDS = re.compile(r"(categories|mechanics):\s*(\S.*)$", re.IGNORECASE)


class SearchWords:
    """The categories and mechanics that a heading lists: ``Mechanics: bidding, partnerships``."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, ...]] = {}

    @property
    def categories(self) -> tuple[str, ...]:
        """What sort of game it is."""
        return self._found.get("categories", ())

    @property
    def mechanics(self) -> tuple[str, ...]:
        """What is done in it."""
        return self._found.get("mechanics", ())

    def takes(self, line: str) -> bool:
        """Whether a line of the comment lists some; then they are noted."""
        if (said := _WORDS.match(line)) is None:
            return False
        words = tuple(word.strip() for word in said[2].rstrip(".").split(",") if word.strip())
        self._found[said[1].lower()] = words
        return True
