"""The protocol of general game playing: players as services, and a manager that runs matches.

``Player`` is the base class for your own players; ``kibitz ggp`` has the commands.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.ggp.players import Player

__all__ = ["Player"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module("kibitz.ggp.players"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
