"""The phases of Uno."""

from __future__ import annotations

import enum


class Phase(enum.IntEnum):
    """The kind of decision of the player to move."""

    TURN = 0
    """The player plays a card or draws one."""
    DRAWN = 1
    """The player plays the card just drawn, or keeps it."""
    COLOUR = 2
    """The player names the colour of a Wild that was turned up first."""
    CHALLENGE = 3
    """The player challenges a Wild Draw Four, or draws."""
    CATCH = 4
    """The player catches, or overlooks, a player with one card left who did not call Uno."""
