"""Card games in RECYCLE that come with Kibitz: a file each.

As attributes of this module they are the games: ``library.agram`` is the one
that ``agram.rcy`` describes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kibitz.recycle.game import RecycleGame
from kibitz.syntax.source import Source

FOLDER = Path(__file__).parent


@cache
def game(name: str) -> RecycleGame:
    """The game of that name.

    Raises:
        AttributeError: there is none.
    """
    file = FOLDER / f"{name}.rcy"
    if not file.is_file():
        raise AttributeError(f"there is no game {name!r} in RECYCLE's library")
    return RecycleGame(Source.load(file), name)


def __getattr__(name: str) -> RecycleGame:
    return game(name.replace("_", "-"))
