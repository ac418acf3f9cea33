"""The card games in RECYCLE that come with Kibitz, one in each file.

The games are attributes of this module: ``library.agram`` is described by ``agram.rcy``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kibitz.recycle.game import RecycleGame
from kibitz.syntax.source import Source

FOLDER = Path(__file__).parent


@cache
def game(name: str) -> RecycleGame:
    """The game with a name.

    Raises:
        AttributeError: The library has no game with this name.
    """
    file = FOLDER / f"{name}.rcy"
    if not file.is_file():
        raise AttributeError(f"there is no game {name!r} in RECYCLE's library")
    return RecycleGame(Source.load(file), name)


def __getattr__(name: str) -> RecycleGame:
    return game(name.replace("_", "-"))
