"""Games by name, from this package and from others.

A package adds games through the entry point group ``kibitz.games``: the entry's name is the
game's name, its value the class or a game, such as ``my_game = "my_package:MyGame"``.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, overload

from kibitz.core.errors import GameDefinitionError, UnknownGameError, did_you_mean
from kibitz.core.plugins import canonical, imported, installed

ENTRY_POINTS = "kibitz.games"
LANGUAGES = "kibitz.languages"
"""The group of entry points for languages in which games are described."""

Recipe: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function with its arguments and keywords, by which another process makes a game again."""


@dataclass
class Origin:
    """How a game was made, so that another process can make it again."""

    recipe: Recipe
    where: str = ""
    """The file or code from which it was loaded; empty if its name suffices to load it."""
    before_play: Callable[[Any], None] | None = None
    """Called with every new table; it may reject the table by raising an error."""


MOST_REMADE = 32
"""The maximum number of unpickled games that a thread keeps, for more states of the same game."""


class Registrable:
    """Base of ``Game``, by which a registered object or class is recognized as a game."""

    name: str = ""
    """The name on the command line."""
    language: str
    """The name of the language in which the game is written."""
    origin: Origin

    def fork(self, compiled: bool | None = None) -> Registrable:
        """A copy of the game, for another thread."""
        raise NotImplementedError


_added: dict[str, Callable[..., Registrable]] = {}
_loaded = threading.local()  # a game's tables have scratch memory, which threads cannot share
_remade = threading.local()

G = TypeVar("G", bound=Registrable)


@overload
def register(game: type[G]) -> type[G]: ...
@overload
def register(game: G) -> G: ...
def register(game: type[G] | G) -> type[G] | G:
    """Registers a game, or its class, by name in this process; usable as a decorator."""
    if not game.name:
        class_name = game.__name__ if isinstance(game, type) else type(game).__name__
        raise GameDefinitionError(f"{class_name} needs a name to be registered.")
    _added[canonical(game.name)] = game if isinstance(game, type) else game.fork
    return game


def names() -> list[str]:
    """The names of all games, sorted."""
    return sorted({*_added, *installed(ENTRY_POINTS)})


def load(name: str, *, compiled: bool | None = None) -> Registrable:
    """The game called `name`, prepared for play; in one thread the same object each time.

    Args:
        name: as ``kibitz games`` lists it; case, spaces and underscores do not matter.
        compiled: ``False`` leaves the rules in Python for a debugger; see ``Game``.

    Raises:
        UnknownGameError: no game has that name; the message lists all names.
        GameDefinitionError: the game is registered but cannot be imported, or is not a game.
    """
    make = _factory(canonical(name))
    key = (make, compiled, os.environ.get("KIBITZ_COMPILE"))
    known: dict[Any, Registrable] = _loaded.__dict__
    if key not in known:
        game = known[key] = prepared(make(compiled=compiled))
        if canonical(name) not in _added:  # in every process its name suffices to load it
            game.origin.recipe = load, (name,), {"compiled": compiled}
    return known[key]


def remade(recipe: bytes, where: str) -> Registrable:
    """The game of a pickled recipe, prepared for play; in one thread the same object each time.

    Args:
        recipe: a ``Recipe`` as pickle writes it.
        where: ``Game.origin.where``.
    """
    known: dict[tuple[bytes, str], Registrable] = _remade.__dict__.setdefault("games", {})
    if (recipe, where) not in known:
        make, arguments, named = pickle.loads(recipe)
        game = make(*arguments, **named)
        game.origin.where = where
        if len(known) >= MOST_REMADE:
            known.clear()
        known[recipe, where] = prepared(game)
    return known[recipe, where]


def prepared(game: G) -> G:
    """The game, prepared by its language: Python smoke-tests games of other packages before play.

    A game that comes with Kibitz needs no preparation.
    """
    entry = installed(LANGUAGES).get(game.language)
    if entry is not None and not type(game).__module__.startswith("kibitz."):
        language = f"the language {game.language} of {game.name}"
        subject = f"{language} is registered as {entry.value}, which"
        imported(entry, subject, GameDefinitionError).prepare(game)
    return game


def _factory(name: str) -> Callable[..., Registrable]:
    """A function that makes the game of this name, given ``compiled``."""
    if name in _added:
        return _added[name]
    if name not in installed(ENTRY_POINTS):
        raise UnknownGameError(did_you_mean(name, names(), "game"))
    entry = installed(ENTRY_POINTS)[name]
    subject = f"the game {name} is registered as {entry.value}, which"
    game = imported(entry, subject, GameDefinitionError)
    if isinstance(game, Registrable):
        return game.fork
    if isinstance(game, type) and issubclass(game, Registrable):
        return game
    raise GameDefinitionError(f"{subject} is neither a game nor a subclass of Game.")
