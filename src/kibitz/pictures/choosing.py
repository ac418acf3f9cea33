"""The choice of a game's look."""

from __future__ import annotations

import importlib

from kibitz.core.errors import GameDefinitionError
from kibitz.pictures.look import Look
from kibitz.pictures.view import View


def look_for(view: View) -> Look:
    """The look of a game: the class that the game or its language names, or ``Look``.

    Raises:
        GameDefinitionError: the game names a look that does not exist.
    """
    game = view.state.table.game
    look = game.look
    if look is None:
        return Look(view)
    if isinstance(look, str):
        module, _, name = look.partition(":")
        try:
            look = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as problem:
            raise GameDefinitionError(
                f"{game.name}: its look {game.look!r} is not MODULE:CLASS ({problem})."
            ) from None
    if not (isinstance(look, type) and issubclass(look, Look)):
        raise GameDefinitionError(f"{game.name}: its look {game.look!r} is no subclass of Look.")
    return look(view)
