"""The phases of Exploding Kittens."""

from __future__ import annotations

import enum


class Phase(enum.IntEnum):
    """The question to the player who decides."""

    TURN = 0
    """To play cards, or to draw one."""
    NOPE = 1
    """Whether to cancel what was just played."""
    NAME = 2
    """To name the card that three of a kind ask for."""
    FIVE_DIFFERENT = 3
    """Which cards are the five different ones."""
    TAKE = 4
    """Which card to take from the discard pile."""
    GIVE = 5
    """Which card to give for a Favor."""
    DEFUSE = 6
    """Whether to defuse the kitten just drawn."""
    PLACE = 7
    """Where in the deck to put the kitten."""
    ARRANGE = 8
    """In which order to put the top cards back, where seeing the future may alter it."""
