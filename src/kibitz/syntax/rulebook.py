"""The rules of a game in words, as the languages write them for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Line(NamedTuple):
    """A sentence of the rules, and how deep it stands within those before it."""

    depth: int
    text: str


@dataclass(frozen=True)
class Chapter:
    """A part of the rules, such as the setup."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Rulebook:
    """The rules of a game in words.

    Attributes:
        title: The title of the game.
        about: What the author says about the game.
        source: The address of the rules; may be empty.
        chapters: The rules, in the order in which a player needs them.
    """

    title: str
    about: str
    source: str
    chapters: tuple[Chapter, ...]

    interrupted = False

    def to_json(self) -> dict[str, Any]:
        """The rules as JSON types."""
        return {
            "title": self.title,
            "about": self.about,
            "source": self.source,
            "chapters": [
                {
                    "title": chapter.title,
                    "lines": [{"depth": depth, "text": text} for depth, text in chapter.lines],
                }
                for chapter in self.chapters
            ],
        }
