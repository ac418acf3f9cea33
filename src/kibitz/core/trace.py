"""Traces: the operations of rules while they carry out an action, for the log of a table.

Rule functions of components call ``note``, and rules call ``announce``. In compiled code a note is
nothing, so games cost the same with it. A log carries out an action once more, uncompiled, within
``tracing``, which collects the notes in order.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

from kibitz.core.actions import pack
from kibitz.core.view import RecordView


class Operation(enum.IntEnum):
    """An operation of rules that a log can report."""

    TAKE = 0
    """A card leaves a deck."""
    PLACE = 1
    """A card arrives on a deck."""
    SHOW = 2
    """A player gets to know a card of a deck."""
    SHUFFLE = 3
    """A deck is shuffled."""
    CLEAR = 4
    """A deck is emptied, such as before its cards are dealt anew."""
    ELIMINATE = 5
    """A player is out."""
    END_TURN = 6
    END_ROUND = 7
    ANNOUNCE = 8
    """The rules announce what happened."""


class Note(NamedTuple):
    """An operation of rules.

    Attributes:
        operation: the kind of operation.
        offset: the offset of its deck in the state; -1 if it has no deck in the state.
        value: its card, its player, or the packed announcement.
        knew: the players who knew the card before, as a mask.
        know: the players who know it afterwards, as a mask.
    """

    operation: Operation
    offset: int
    value: int
    knew: int
    know: int


class _Trace:
    """The notes about one state."""

    def __init__(self, state: RecordView) -> None:
        self.memory = state._memory
        self.notes: list[Note] = []

    def add(self, operation: int, deck: Any, value: int, knew: int, know: int) -> None:
        inside = isinstance(deck, RecordView) and deck._memory is self.memory
        offset = deck._offset if inside else -1
        self.notes.append(Note(Operation(operation), offset, value, knew, know))


_current: ContextVar[_Trace | None] = ContextVar("trace", default=None)


@contextlib.contextmanager
def tracing(state: RecordView) -> Iterator[list[Note]]:
    """Collects what uncompiled rules note about a state, in this thread, while it lasts."""
    trace = _Trace(state)
    token = _current.set(trace)
    try:
        yield trace.notes
    finally:
        _current.reset(token)


def note(operation: int, deck: Any, value: int, knew: int, know: int) -> None:
    """Notes an operation if a trace is made; in compiled code nothing.

    Args:
        operation: one of ``Operation``.
        deck: the record of the deck in question; 0 for none.
        value: as in ``Note``, like the other arguments.
        knew: the players who knew the card before.
        know: the players who know it afterwards.
    """
    trace = _current.get()
    if trace is not None:
        trace.add(operation, deck, value, knew, know)


def announce(
    announcement: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0
) -> None:
    """Announces what happened, for the log of the table: one of the game's ``Announcements``.

    A rule function, which changes nothing. Operands are in the order of their declaration, each in
    0 .. 2047.
    """
    note(Operation.ANNOUNCE, 0, pack(announcement, a, b, c, d, e), 0, 0)
