"""The games written in Python, one folder each.

The package can be called, since ``kibitz.games()``, which lists all games, has its name.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.core.game import Game


class _Callable(ModuleType):
    """A module that can be called."""

    def __call__(self, *arguments: Any, **options: Any) -> list[Game]:
        from kibitz.loading import games

        return games(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
