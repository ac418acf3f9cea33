"""The games that are known by name, from this package and from others.

A package adds games through the entry point group ``kibitz.games``: the entry's name is the
game's name, its value the class, such as ``my_game = "my_package:MyGame"``.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from kibitz.core.errors import GameDefinitionError, UnknownGameError, did_you_mean
from kibitz.core.game import Game
from kibitz.core.plugins import canonical, installed

ENTRY_POINTS = "kibitz.games"

_added: dict[str, type[Game]] = {}
_loaded = threading.local()  # a game's tables have scratch memory, which threads cannot share


def register(game: type[Game]) -> type[Game]:
    """Makes a game class known by its name in this process; usable as a decorator."""
    if not game.name:
        raise GameDefinitionError(f"{game.__name__} needs a name to be registered.")
    _added[canonical(game.name)] = game
    return game


def names() -> list[str]:
    """The names of all games, sorted."""
    return sorted({*_added, *installed(ENTRY_POINTS)})


def game_class(name: str) -> type[Game]:
    """The class of the game called `name`; case, spaces and underscores do not matter.

    Raises:
        UnknownGameError: there is none; the message lists those that exist.
        GameDefinitionError: it is registered but cannot be imported.
    """
    wanted = canonical(name)
    if wanted in _added:
        return _added[wanted]
    if wanted not in installed(ENTRY_POINTS):
        raise UnknownGameError(did_you_mean(wanted, names(), "game"))
    entry = installed(ENTRY_POINTS)[wanted]
    try:
        game = entry.load()
    except Exception as problem:
        raise GameDefinitionError(
            f"the game {wanted} is registered as {entry.value}, which cannot be loaded: {problem}"
        ) from problem
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise GameDefinitionError(
            f"the game {wanted} is registered as {entry.value}, which is no subclass of Game."
        )
    return game


def load(name: str, *, compiled: bool | None = None) -> Game:
    """The game called `name`, ready to be played; the same one each time in a thread.

    Args:
        name: as ``kibitz games`` lists it.
        compiled: ``False`` leaves the rules in Python for a debugger; see ``Game``.

    Raises:
        UnknownGameError: there is no such game.
    """
    cls = game_class(name)
    key = (cls, compiled, os.environ.get("KIBITZ_COMPILE"))
    known: dict[Any, Game] = _loaded.__dict__
    if key not in known:
        known[key] = cls(compiled=compiled)
    return known[key]
