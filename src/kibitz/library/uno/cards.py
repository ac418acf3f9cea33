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
"""The number of different cards of a colour."""


class Colour(enum.IntEnum):
    """The colours, and ``NONE`` for wild cards and for a table without a colour."""

    RED = 0
    YELLOW = 1
    GREEN = 2
    BLUE = 3
    NONE = 4


class CardSymbol(enum.IntEnum):
    """The symbols of coloured cards besides the numbers 0 to 9."""

    SKIP = 10
    REVERSE = 11
    DRAW_TWO = 12


class Card(enum.IntEnum):
    """The cards without a colour."""

    WILD = 52
    WILD_DRAW_FOUR = 53


COLOUR_CARDS = np.array([((1 << SYMBOLS) - 1) << SYMBOLS * c for c in range(4)] + [0], np.int64)
"""The cards of each colour, one bit each; 0 for ``Colour.NONE``."""


def _alike(actions: bool, wilds: bool) -> list[int]:
    """The symbol that may follow each card in any colour; 13 stands for no symbol."""
    symbols = [s if actions or s < CardSymbol.SKIP else SYMBOLS for s in range(SYMBOLS)]
    return symbols * 4 + ([0, 4] if wilds else [SYMBOLS, SYMBOLS])


_FOLLOWERS = [_alike(actions, wilds) for actions in (False, True) for wilds in (False, True)]
ALIKE_CARDS = np.array(
    [
        [sum(1 << (SYMBOLS * c + s) for c in range(4) if s < SYMBOLS) for s in symbols]
        for symbols in _FOLLOWERS
    ],
    np.int64,
)
"""The cards that may follow each card in any colour, one bit each.

There are four tables: without and with action cards; each without and with a 0 on a Wild and a 4
on a Wild Draw Four.
"""
WILD_CARDS = 1 << Card.WILD | 1 << Card.WILD_DRAW_FOUR
KINDS = np.array(
    [
        *COLOUR_CARDS[: Colour.NONE],
        WILD_CARDS,
        *[sum(1 << (SYMBOLS * c + s) for c in range(4)) for s in range(SYMBOLS)],
    ],
    np.int64,
)
"""The cards of each colour, the wild ones, and those of each symbol, one bit each."""


def colour_of(card: int) -> int:
    """A card's colour; 4 (none) for wild cards."""
    return card // SYMBOLS


def symbol_of(card: int) -> int:
    """The symbol or number of a coloured card; without meaning for wild cards."""
    return card % SYMBOLS
