"""The cards of Uno, and the properties of a card by its number.

Coloured cards come first, colour by colour: 0 to 9, Skip, Reverse, Draw Two. Then the wild ones.
"""

from __future__ import annotations

import enum
from pathlib import Path

import numpy as np

from kibitz.components import CardSet

CARDS = CardSet.from_json(Path(__file__).with_name("cards.json"))
COLOURS = ("red", "yellow", "green", "blue")
SYMBOLS = 13
"""How many different cards a colour has."""


class Colour(enum.IntEnum):
    """The colours, and a value for none: wild cards, and a table without a colour."""

    RED = 0
    YELLOW = 1
    GREEN = 2
    BLUE = 3
    NONE = 4


class Symbol(enum.IntEnum):
    """The symbol of a coloured card besides the numbers 0 to 9."""

    SKIP = 10
    REVERSE = 11
    DRAW_TWO = 12


class Card(enum.IntEnum):
    """The cards without a colour."""

    WILD = 52
    WILD_DRAW_FOUR = 53


COLOUR_CARDS = np.array([((1 << SYMBOLS) - 1) << SYMBOLS * c for c in range(4)] + [0], np.int64)
"""The cards of each colour, a bit for each; of no colour, none."""
WILD_KIND = 4
FIRST_SYMBOL = WILD_KIND + 1
KINDS = FIRST_SYMBOL + SYMBOLS
"""What a card can be: of one of four colours, wild, and of a symbol."""


KINDS_OF = np.array(
    [1 << c | 1 << FIRST_SYMBOL + s for c in range(4) for s in range(SYMBOLS)]
    + [1 << WILD_KIND] * 2,
    np.int64,
)
"""Of each card what it is, a bit for each kind."""


def _alike(actions: bool, wilds: bool) -> list[int]:
    """For each card the symbol that may follow it whatever its colour; 13: none."""
    symbols = [s if actions or s < Symbol.SKIP else SYMBOLS for s in range(SYMBOLS)]
    return symbols * 4 + ([0, 4] if wilds else [SYMBOLS, SYMBOLS])


_FOLLOWERS = [_alike(actions, wilds) for actions in (False, True) for wilds in (False, True)]
ALIKE_CARDS = np.array(
    [
        [sum(1 << (SYMBOLS * c + s) for c in range(4) if s < SYMBOLS) for s in symbols]
        for symbols in _FOLLOWERS
    ],
    np.int64,
)
"""For each card those that may follow it whatever their colour, a bit for each.

Four tables: without and with action cards; either without and with a Wild for a 0 and a Wild Draw
Four for a 4.
"""
ALIKE_KINDS = np.array(
    [[1 << FIRST_SYMBOL + s if s < SYMBOLS else 0 for s in symbols] for symbols in _FOLLOWERS],
    np.int64,
)
"""The kind of these cards, as a bit; 0 where there are none."""
WILD_CARDS = 1 << Card.WILD | 1 << Card.WILD_DRAW_FOUR


def colour_of(card: int) -> int:
    """A card's colour; 4 (none) for wild cards."""
    return card // SYMBOLS


def symbol_of(card: int) -> int:
    """The symbol or number of a coloured card; without meaning for wild cards."""
    return card % SYMBOLS
