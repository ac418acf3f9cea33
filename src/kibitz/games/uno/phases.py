"""The phases of Uno."""

from __future__ import annotations

import enum


class Phase(enum.IntEnum):
    """The question to the player to move."""

    TURN = 0
    """To play or to draw."""
    DRAWN = 1
    """To play the card just drawn, or to keep it."""
    COLOUR = 2
    """To name the colour of a Wild that was turned up first."""
    CHALLENGE = 3
    """To challenge the Wild Draw Four, or to draw."""
    CATCH = 4
    """To catch the player who has one card left and did not call."""
