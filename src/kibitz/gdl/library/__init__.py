"""Games in GDL that come with Kibitz, written from public rules: a file each.

As attributes of this module they are the classes of the games: ``library.connect_four`` is the
one that ``connect-four.kif`` describes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kibitz.gdl.game import GdlGame, game_class
from kibitz.syntax.source import Source

FOLDER = Path(__file__).parent


@cache
def _class(name: str) -> type[GdlGame]:
    file = FOLDER / f"{name}.kif"
    if not file.is_file():
        raise AttributeError(f"there is no game {name!r} in GDL's library")
    return game_class(Source.load(file), name)


def __getattr__(name: str) -> type[GdlGame]:
    return _class(name.replace("_", "-"))
