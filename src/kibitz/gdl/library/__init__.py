"""Games in GDL that come with Kibitz, written from public rules, one in each file.

The games are attributes of this module: ``library.connect_four`` is the game that
``connect-four.kif`` describes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kibitz.gdl.game import GdlGame
from kibitz.syntax.source import Source

FOLDER = Path(__file__).parent


@cache
def game(name: str) -> GdlGame:
    """Loads the game with a name, that of its file.

    Raises:
        AttributeError: the library has no such game.
    """
    file = FOLDER / f"{name}.kif"
    if not file.is_file():
        raise AttributeError(f"there is no game {name!r} in GDL's library")
    return GdlGame(Source.load(file), name)


def __getattr__(name: str) -> GdlGame:
    return game(name.replace("_", "-"))
