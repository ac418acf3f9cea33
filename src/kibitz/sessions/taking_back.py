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
from typing import TYPE_CHECKING

from kibitz.core.errors import KibitzError
from kibitz.core.state import random_stream, without_stream

if TYPE_CHECKING:
    from kibitz.core.state import State
    from kibitz.sessions.session import Update

SAMPLES = 32
"""Determinizations that are compared: what a seat learns in one of 10 worlds is missed once in 30
times, and then it has learned little."""

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
        if random_stream(update.before) != random_stream(update.after):
            return CHANCE
        if any(update.reveals(seat) for seat in people):
            return HIDDEN
        if mover != chooser and not update.move.forced:
            if update.hides(chooser) or update.hides(mover):
                return HIDDEN
    return ""


def hides(state: State, seat: int) -> bool:
    """Whether there is something in a state that a seat cannot know."""
    return bool(_worlds(state, seat))


def reveals(before: State, action: int, after: State, seat: int) -> bool:
    """Whether a seat sees more after an action than follows from what it saw before.

    The action is played in samples of what the seat could not know: it follows where all look
    the same afterwards.
    """
    observation = bytes(after.observation(seat))
    for world in _worlds(before, seat):
        try:
            world.apply(action)
        except KibitzError:  # it is not legal in this world
            return True
        if bytes(world.observation(seat)) != observation:
            return True
    return False


def _worlds(state: State, seat: int) -> list[State]:
    """Samples of what a seat cannot know; none if it knows everything but the random stream."""
    record = state.table.record[0]
    if not record["slot_count"] and not record["redeterminize"]:
        return []
    worlds = [state.determinize(seat, number) for number in range(SAMPLES)]
    return (
        worlds if any(without_stream(world) != without_stream(state) for world in worlds) else []
    )
