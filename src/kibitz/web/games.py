"""Games as pages name them: an installed game by its name, or rules in the workspace by a file."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core.errors import FileError
from kibitz.core.game import Game, Table
from kibitz.loading import from_text, language_for, load_installed
from kibitz.syntax.source import Source


@dataclass(frozen=True)
class GameChoice:
    """The choice of a game, with players and parameters.

    Attributes:
        name: of an installed game, or of the file that the text was in.
        text: the rules as they were when the table was opened; ``None`` for installed games.
    """

    name: str
    text: str | None = None

    def game(self) -> Game:
        """The game; its rules are read once.

        Raises:
            KibitzError: there is none of this name, or its text is wrong.
        """
        return _loaded(self.name, self.text)

    def table(self, players: int | None, parameters: Mapping[str, Any]) -> Table:
        """The table for these players and parameters.

        Raises:
            KibitzError: a value or the text is wrong.
        """
        return self.game().table(players, parameters)

    @property
    def page(self) -> str:
        """The address of the game's page."""
        return f"/game/{self.name}" if self.text is None else f"/file/{self.name}"

    def to_json(self) -> dict[str, Any]:
        """The name of the game, and the text of a file, as JSON."""
        return {"name": self.name} if self.text is None else {"name": self.name, "text": self.text}

    @classmethod
    def from_json(cls, document: Any) -> GameChoice:
        """Reads a choice that ``to_json`` wrote.

        Raises:
            FileError: it is something else.
        """
        name = document.get("name") if isinstance(document, dict) else None
        text = document.get("text") if isinstance(document, dict) else None
        if not isinstance(name, str) or not isinstance(text, str | None):
            raise FileError("a table needs the name of its game, and its text where it has one.")
        return cls(name, text)


@functools.lru_cache(maxsize=128)
def _loaded(name: str, text: str | None) -> Game:
    if text is None:
        return load_installed(name)
    language = language_for(name)
    if language is None or language.runs_code:
        raise FileError(f"{name}: is not a file with rules that are read here.")
    return from_text(Source(name, text), language.name, Path(name).stem)
