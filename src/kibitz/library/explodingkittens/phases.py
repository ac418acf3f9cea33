"""The phases of Exploding Kittens."""

from __future__ import annotations

import enum


class Phase(enum.IntEnum):
    """The kind of decision of the player to move."""

    TURN = 0
    """The player plays cards, or draws one."""
    NOPE = 1
    """The player cancels the card just played, or lets it pass."""
    NAME = 2
    """The player names the card that three of a kind ask for."""
    FIVE_DIFFERENT = 3
    """The player chooses one of five different cards."""
    TAKE = 4
    """The player takes a card from the discard pile."""
    GIVE = 5
    """The player gives a card for a Favor."""
    DEFUSE = 6
    """The player defuses the kitten just drawn, or explodes."""
    PLACE = 7
    """The player puts the kitten back into the deck."""
    ARRANGE = 8
    """The player puts the top cards back in another order, if See the Future may alter it."""
