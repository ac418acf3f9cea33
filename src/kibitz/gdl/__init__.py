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

**From a text to rules.** ``reader`` reads KIF and infix notation into a ``Description``. All
rules that are played come through ``checker.playable``: negation is stratified, variables are
bound.

**Grounded.** ``grounder`` lists the instances of rules that matter: rules are rewritten to have
fewer (``splitting``, ``demand``), what can hold is derived bottom-up by joins over whole tables
(``relations``, ``tables``, ``termtable``), and instances that no output needs are dropped.
Beyond the ``limits`` grounding is given up. ``network`` makes gates of the instances,
``evaluator`` updates them incrementally in native code, ``winning`` reads off which moves win at
once, by ``regression``.

**Not grounded.** Where there are too many instances, and in a match until the network is ready,
``prover`` answers queries in a state. It is Python, and works on sets of rows (``joins``). A
*goal* is a relation with a binding pattern; ``plans`` compiles its rules once, in the order of
conditions that ``selectivity`` estimates to be cheapest. Queries of a goal are answered
together, each once in a state; recursive goals in rounds. It counts rows, so a rule that
explodes is reported.

``native.GdlRules`` puts either behind the contract; ``histories`` and ``prover_histories``
sample what is hidden in GDL-II. ``tests/gdl/naive.py`` defines the meaning: both must agree with
it.
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
