"""Which choices may be taken back: those after which no person knows more than before.

Who takes a choice back chooses again. So nothing may have happened since then that they could use:

- chance decided something: the random stream of the game went on;
- a person learned something hidden: what they see now did not follow from what they saw;
- somebody else chose while something was hidden: their choice tells what they hold, or they
  chose without knowing the choice that would be taken back.

Where everything is open and nothing is left to chance, every choice may be taken back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kibitz.core.errors import KibitzError
from kibitz.core.state import chance_of
from kibitz.sessions.updates import Update

CHANCE = "chance was at work"
HIDDEN = "something hidden came up"
"""One text for revelations and for choices: which it was may tell what somebody holds."""
NOTHING = "you have not chosen yet"
OVER = "the game is over"


class NotTakenBackError(KibitzError):
    """A choice may not be taken back; the text says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Nothing can be taken back: {reason}.")


def obstacle(updates: Sequence[Update], people: Collection[int]) -> str:
    """Why the first of these actions, a choice, may not be taken back; empty if it may be.

    Args:
        updates: the actions from that choice to the latest.
        people: the seats whose knowledge counts: agents forget what they saw.
    """
    chooser = updates[0].move.player
    for update in reversed(updates):
        mover = update.move.player
        if chance_of(update.before) != chance_of(update.after):
            return CHANCE
        if any(update.reveals(seat) for seat in people):
            return HIDDEN
        if mover != chooser and not update.move.forced:
            if update.hides(chooser) or update.hides(mover):
                return HIDDEN
    return ""
