"""One game in progress, its events, and the record of it.

A ``Session`` holds the seats and the actions played; it does nothing by itself. Its agents are
called as in the match loop, with the same random streams. The position in an agent's stream is
stored before each decision, for undo and for games that are resumed. The state is replaced and
never changed, so an interrupt leaves whole actions, and readers need no lock.

Events are made in two steps. *Changes* (``kibitz.core.changes``) are what happened, as far as
the seat knows: logged by a second build of the rules in RECYCLE, else found by comparing the
seat's observations. ``grouping`` says which changes belong together, ``telling`` makes events of
them: sentences with data. ``taking_back`` allows undo only where nobody learned anything.
``recording`` plays in the match loop, like a run; ``records`` has what is
kept of a game, and its file format.
"""

from kibitz.sessions.recording import record, replay, verify
from kibitz.sessions.records import Move, Record, Result
from kibitz.sessions.session import Session, play_again
from kibitz.sessions.updates import Update

__all__ = [
    "Move",
    "Record",
    "Result",
    "Session",
    "Update",
    "play_again",
    "record",
    "replay",
    "verify",
]
