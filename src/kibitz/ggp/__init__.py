"""The protocol of general game playing: players as services, and a manager that runs matches.

``Player`` is the base class for your own players; ``kibitz ggp`` has the commands.

Messages come from strangers, so the ``service`` does no long work. ``http`` receives a message
within bounds (one deadline for the whole of it), ``messages`` parses it, and the search runs in
a process of the match (``process``), forked by ``kibitz.workers``. There ``playing`` follows the
reports and answers in time: a legal answer is sent ahead. ``position`` makes whole steps, by the
prover until the rules are grounded; player, manager, the check of a record and the page of a
match share it.

The ``manager`` calls its own local players over loopback like all others. It is no client of
sessions: it has all moves before it makes any, the moves of ``random`` are its own, and a player
of GDL-II has no true state. ``replaying`` follows and checks match records of any manager.
``lookahead`` and ``heuristic`` search games that only the prover can play.
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
