"""Card games in RECYCLE that come with Kibitz: a file each.

As attributes of this module they are the classes of the games: ``library.agram`` is the one
that ``agram.rcy`` describes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kibitz.recycle.game import RecycleGame, game_class
from kibitz.syntax.source import Source

FOLDER = Path(__file__).parent


@cache
def _class(name: str) -> type[RecycleGame]:
    file = FOLDER / f"{name}.rcy"
    if not file.is_file():
        raise AttributeError(f"there is no game {name!r} in RECYCLE's library")
    return game_class(Source.load(file), name)


def __getattr__(name: str) -> type[RecycleGame]:
    return _class(name.replace("_", "-"))
