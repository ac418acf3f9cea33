"""The status of a game."""

from __future__ import annotations

import enum

MAX_PLAYERS = 15
"""The maximum number of players: seats are bits of a signed 16-bit mask."""


class Status(enum.IntEnum):
    """Whether a game goes on, is over, or was broken off, and why."""

    PLAYING = 0
    FINISHED = 1
    FULL_BUFFER = 2
    """A component or the action list would exceed its capacity."""
    RULES_ERROR = 3
    """The rules called ``fail``, or raised an exception when uncompiled."""
    DEAD_END = 4
    """The player to move has no legal action."""
    ILLEGAL_ACTION = 5
    """An agent chose an action that is not legal."""
    LIMIT = 6
    """The game went on for more actions than allowed."""
    AGENT_ERROR = 7
    """An agent raised an exception."""
    INTERRUPTED = 8
    """A person stopped the run."""
    LOOP = 9
    """A state came back without chance or choice in between: the game goes round in circles."""
    SUSPECTED_LOOP = 10
    """A state came back so often that the game seems to go round in circles."""
    ENDLESS = 11
    """The rules ran on without reaching the next decision."""


def in_words(status: Status) -> str:
    """The status for people: ``rules error``, ``loop (it goes round in circles)``."""
    words = {
        Status.LOOP: " (it goes round in circles)",
        Status.SUSPECTED_LOOP: " (it seems to go round in circles)",
        Status.ENDLESS: " (the rules did not end between two decisions)",
    }
    return status.name.lower().replace("_", " ") + words.get(status, "")
