"""GDL, the game description language of general game playing.

Its functions are the subroutines of the book, with texts as arguments and results.

Example::

    from kibitz import gdl

    game = gdl.load(rules)  # the functions also take the text of the rules
    state = gdl.findinits(game)
    moves = [gdl.findlegalx(role, state, game) for role in gdl.findroles(game)]
    state = gdl.findnext(gdl.findroles(game), moves, state, game)

M. Genesereth, M. Thielscher, "General Game Playing", 2014. Names are imported on their
first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.gdl.subroutines import (
        GdlError,
        IllegalMoveError,
        IllFormedStateError,
        IllFormedTermError,
        NoGoalError,
        NoLegalMoveError,
        SeveralGoalsError,
        UnknownRoleError,
        findactions,
        findinits,
        findlegals,
        findlegalx,
        findnext,
        findpropositions,
        findreward,
        findroles,
        findterminalp,
        load,
        simulate,
    )

__all__ = [
    "GdlError",
    "IllFormedStateError",
    "IllFormedTermError",
    "IllegalMoveError",
    "NoGoalError",
    "NoLegalMoveError",
    "SeveralGoalsError",
    "UnknownRoleError",
    "findactions",
    "findinits",
    "findlegals",
    "findlegalx",
    "findnext",
    "findpropositions",
    "findreward",
    "findroles",
    "findterminalp",
    "load",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module("kibitz.gdl.subroutines"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
