"""The cards of Exploding Kittens.

A card's number is its index in the set. Exploding Kittens come last; each has a picture of its
own, so where kittens are distinguished, kitten i is ``Card.KITTEN + i``.
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
"""The number of different cards that can be in a hand: all but kittens."""
NAMES = CARDS.words[:TITLES]
"""The names of the cards that can be in a hand."""
MOST_KITTENS = 6
"""The maximum number of kittens that the parameters allow."""
