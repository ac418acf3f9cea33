"""The cards of Exploding Kittens.

A card's number is its place in the set. Exploding Kittens come last: each has a picture of its
own, so kitten number i is ``Card.KITTEN + i`` where it matters which one it is.
"""

from __future__ import annotations

import enum
from pathlib import Path

from kibitz.components import CardSet

CARDS = CardSet.from_json(Path(__file__).with_name("cards.json"))


class Card(enum.IntEnum):
    """The cards that rules name."""

    DEFUSE = 0
    ATTACK = 1
    FAVOR = 2
    NOPE = 3
    SHUFFLE = 4
    SKIP = 5
    SEE_THE_FUTURE = 6
    FIRST_CAT = 7
    KITTEN = 12


TITLES = 12
"""How many different cards there are that can be in a hand: all but kittens."""
NAMES = CARDS.words[:TITLES]
"""What these are called."""
MOST_KITTENS = 6
"""The most kittens that the parameters allow."""
