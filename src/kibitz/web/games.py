"""Games as pages name them: an installed game by its name, or rules in the workspace by a file.

Pages never have a text's ``Game``: that is read in another process, which sends a ``Description``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core.errors import FileError
from kibitz.core.game import Game, Table
from kibitz.core.parameters import Text, Tunable
from kibitz.loading import from_text, language_for, load_installed
from kibitz.syntax.source import Source
from kibitz.web.seating import choices


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
            KibitzError: no game has this name, or its text is wrong.
        """
        return _loaded(self.name, self.text)

    def table(self, players: int | None, parameters: Mapping[str, Any]) -> Table:
        """The table for these players and parameters.

        Raises:
            KibitzError: a value or the text is wrong.
        """
        return self.game().table(players, parameters)

    def describe(self) -> Description:
        """What pages show of the game.

        Raises:
            KibitzError: no game has this name, or its text is wrong.
        """
        return Description.of(self.game())

    @property
    def is_text(self) -> bool:
        """Whether it is a text, which can be anybody's, and no installed game."""
        return self.text is not None

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


@dataclass(frozen=True)
class Field:
    """A parameter as a form offers it.

    Attributes:
        kind: ``switch``, ``select`` or ``number``.
        doc: the help of the parameter.
        defaults: by the number of players.
        words: what can be selected.
        least, most, step: the range of a number.
    """

    kind: str
    doc: str
    defaults: Mapping[int, Any]
    words: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    step: int = 1

    @classmethod
    def of(cls, tunable: Tunable, players: range) -> Field:
        """The field for a parameter of a game, which may depend on the number of players."""
        defaults = {n: tunable.default_for(n) for n in players}
        if tunable.type is bool:
            return cls("switch", tunable.doc, defaults)
        values = tunable.values
        if isinstance(tunable, Text) or not isinstance(values, range):
            shown = {n: tunable.show(value) for n, value in defaults.items()}
            return cls("select", tunable.doc, shown, tuple(map(tunable.show, values)))
        return cls("number", tunable.doc, defaults, (), min(values), max(values), values.step)


@dataclass(frozen=True)
class Description:
    """What pages show of a game, as plain data.

    Attributes:
        name, title, about, categories, mechanics, source: as the game has them.
        players: the smallest and the largest table.
        usual_players: at a table unless somebody says otherwise.
        seats: the choices for a seat, with words; see ``seating.choices``.
        fields: the parameters by name.
    """

    name: str
    title: str
    about: str
    categories: tuple[str, ...]
    mechanics: tuple[str, ...]
    source: str
    players: tuple[int, int]
    usual_players: int
    seats: Mapping[str, str]
    fields: Mapping[str, Field]

    @classmethod
    def of(cls, game: Game) -> Description:
        """The description of a game."""
        low, high = game.players
        return cls(
            game.name,
            game.title or game.name,
            game.about(),
            tuple(game.categories),
            tuple(game.mechanics),
            game.source,
            (low, high),
            game.usual_players,
            choices(game),
            {
                name: Field.of(tunable, range(low, high + 1))
                for name, tunable in game.Parameters.tunables.items()
            },
        )

    @property
    def first_opponent(self) -> str:
        """The opponent that a page proposes."""
        return list(self.seats)[1]
