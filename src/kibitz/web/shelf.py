"""The installed games as the first page shows them: kind, length, picture, and what selects them.

The pictures and the lengths are files of the package, written by ``python -m tests.web.shelf``, so
that the first page compiles and plays nothing.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from kibitz.core.game import Game
from kibitz.loading import games, language_called

KINDS = {
    "cooperative": "Board game",
    "board game": "Board game",
    "card game": "Card game",
    "abstract": "Abstract game",
    "puzzle": "Puzzle",
}
"""The kind of a game for its categories; the first category that is here counts."""
OTHER = "Other game"
"""The kind of a game that has none of these categories."""
LENGTHS = {"short": range(1, 40), "medium": range(40, 150), "long": range(150, 1 << 30)}
"""The lengths that can be selected, in actions of a game between agents."""
PICTURES = files("kibitz.web") / "static" / "games"
"""The folder of pictures, ``NAME.svg``, and of ``actions.json``."""


@dataclass(frozen=True)
class Tile:
    """A game on the first page.

    Attributes:
        name, title, about: as the game has them.
        kind: one of ``KINDS``, or ``OTHER``.
        players: the smallest and the largest table.
        language: the title of the language that describes it.
        actions: median number of actions in a game between agents; 0: not known.
        picture: the address of its picture; empty without one.
        searched: the words among which a search looks, in small letters.
    """

    name: str
    title: str
    about: str
    kind: str
    players: tuple[int, int]
    language: str
    actions: int
    picture: str
    searched: str

    @classmethod
    def of(cls, game: Game, actions: int, picture: str) -> Tile:
        """The tile of a game."""
        texts = (game.name, game.title, game.about(), *game.categories, *game.mechanics)
        return cls(
            game.name,
            game.title or game.name,
            game.about(),
            next((KINDS[c] for c in game.categories if c in KINDS), OTHER),
            game.players,
            language_called(game.language).title,
            actions,
            picture,
            " ".join(texts).lower(),
        )

    @property
    def length(self) -> str:
        """Its length as it can be selected; empty where it is not known."""
        return next((name for name, span in LENGTHS.items() if self.actions in span), "")

    @property
    def players_in_words(self) -> str:
        """For how many players it is, such as ``2 to 4 players``."""
        low, high = self.players
        return f"{low if low == high else f'{low} to {high}'} player{'s' * (high > 1)}"


@dataclass(frozen=True)
class Selection:
    """What somebody looks for on the first page; an empty value selects everything.

    Attributes:
        words: separated by spaces; a game matches if it has all of them.
        kind, length, language: as ``Tile`` has them.
        players: a number of players that the game can have.
    """

    words: str = ""
    kind: str = ""
    players: int = 0
    length: str = ""
    language: str = ""

    def of(self, tiles: Iterable[Tile]) -> list[Tile]:
        """The tiles that match."""
        words = self.words.lower().split()
        return [
            tile
            for tile in tiles
            if all(word in tile.searched for word in words)
            and self.kind in ("", tile.kind)
            and (not self.players or tile.players[0] <= self.players <= tile.players[1])
            and self.length in ("", tile.length)
            and self.language in ("", tile.language)
        ]


@functools.cache
def tiles() -> Sequence[Tile]:
    """The tiles of all installed games, by title."""
    counted = json.loads((PICTURES / "actions.json").read_text("utf-8"))
    made = [
        Tile.of(
            game,
            counted.get(game.name, 0),
            f"/static/games/{game.name}.svg" if (PICTURES / f"{game.name}.svg").is_file() else "",
        )
        for game in games()
    ]
    return sorted(made, key=lambda tile: (tile.title.lower(), tile.name))
