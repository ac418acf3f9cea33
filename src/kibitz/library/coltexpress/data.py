"""The components in the box: bandits, cards, loot, cars, and round cards with their symbols.

Numbers and names come from the JSON files beside this one. The number of a card in rules is
``bandit * KINDS + kind``, where the kind is a ``Card``.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.authoring import CardSet, CardType, read_json_object

MOST_BANDITS = 6
FOLDER = Path(__file__).parent


class Card(enum.IntEnum):
    """The kinds of cards: those that can be played, and the bullet, which cannot."""

    MOVE = 0
    FLOOR_CHANGE = 1
    FIRE = 2
    ROBBERY = 3
    PUNCH = 4
    MARSHAL = 5
    BULLET = 6


class Character(enum.IntEnum):
    """The bandits, in the order of ``BANDITS``."""

    GHOST = 0
    DOC = 1
    TUCO = 2
    CHEYENNE = 3
    BELLE = 4
    DJANGO = 5


class TurnSymbol(enum.IntEnum):
    """The rule of one turn of the scheming phase."""

    STANDARD = 0
    """Everyone plays a card face up, or draws."""
    TUNNEL = 1
    """Cards are played face down."""
    SPEEDING_UP = 2
    """Everyone has two turns in a row."""
    SWITCHING = 3
    """Players have their turns in reverse order."""


class RoundEvent(enum.IntEnum):
    """The event at the end of a round."""

    NONE = 0
    ANGRY_MARSHAL = 1
    BRAKING = 2
    REBELLION = 3
    SWIVEL_ARM = 4
    TAKE_IT_ALL = 5
    REVENGE = 6
    HOSTAGE = 7
    PICKPOCKETING = 8


class Loot(enum.IntEnum):
    """The visible kind of a loot token."""

    PURSE = 0
    JEWEL = 1
    STRONGBOX = 2


KINDS = len(Card)
LOOT_KINDS = len(Loot)
ACTION_CARDS = CardSet.from_json(FOLDER / "cards.json")
"""The kinds of cards of a bandit; the number of each is a parameter."""
CARDS = CardSet(
    ACTION_CARDS.name,
    [
        CardType(f"{card.name} of bandit {bandit + 1}", card.count, card.text)
        for bandit in range(MOST_BANDITS)
        for card in ACTION_CARDS
    ],
)
"""The cards of all bandits; a bullet belongs to the bandit that it hit."""
BANDITS = CardSet.from_json(FOLDER / "bandits.json")

PURSES = CardSet.from_json(FOLDER / "loot.json")
_LOOT = read_json_object(FOLDER / "loot.json")
PURSE_VALUES = np.array([card.properties["value"] for card in PURSES], np.int64)
"""The value of each kind of purse in ``PURSES``, in dollars."""
BOX_OF_PURSES = np.repeat(np.arange(len(PURSES)), [card.count for card in PURSES])
"""The kind of every purse of the box, an index in ``PURSES``; the cheapest first."""
JEWEL_VALUE = int(_LOOT["jewels"]["value"])
STRONGBOX_VALUE = int(_LOOT["strongbox"]["value"])

FIRST_JEWEL = PURSES.total
FIRST_STRONGBOX = FIRST_JEWEL + int(_LOOT["jewels"]["count"])
SECOND_STRONGBOX = FIRST_STRONGBOX + 1
TOKENS = SECOND_STRONGBOX + 1
"""The number of loot tokens: purses come first, then jewels, then the two strongboxes."""
LOOT_OF = np.array(
    [Loot.PURSE] * FIRST_JEWEL
    + [Loot.JEWEL] * (FIRST_STRONGBOX - FIRST_JEWEL)
    + [Loot.STRONGBOX] * (TOKENS - FIRST_STRONGBOX),
    np.int64,
)
"""The visible kind of each token, a ``Loot``."""
TOKEN_NAMES = (
    [f"purse {i + 1}" for i in range(FIRST_JEWEL)]
    + [f"jewel {i + 1}" for i in range(FIRST_STRONGBOX - FIRST_JEWEL)]
    + ["the strongbox", "the second strongbox"]
)

_CARS = read_json_object(FOLDER / "cars.json")["cars"]
CAR_LOOT = np.array([(car["purses"], car["jewels"]) for car in _CARS], np.int64)
"""The numbers of purses and jewels of each car."""

ROUNDS = CardSet.from_json(FOLDER / "rounds.json")
STATIONS = CardSet.from_json(FOLDER / "stations.json")
ROUND_CARDS = (*ROUNDS, *STATIONS)
"""The round cards, then the stations; rules know a round by its index here."""
FIRST_STATION = len(ROUNDS)
ROUND_COUNT = len(ROUND_CARDS)
_LETTERS = "STDR"


def _symbols(card: CardType, table: str) -> list[int]:
    return [_LETTERS.index(letter) for letter in str(card.properties[table]).split()]


def _table_of_symbols() -> np.ndarray[Any, Any]:
    """The symbols of each round, for few and for many bandits, padded with -1."""
    rows = [[_symbols(card, table) for card in ROUND_CARDS] for table in ("few", "many")]
    width = max(len(symbols) for table in rows for symbols in table)
    padded = [[row + [-1] * (width - len(row)) for row in table] for table in rows]
    return np.array(padded, np.int64)


SYMBOLS = _table_of_symbols()
"""The symbols of each round: ``SYMBOLS[table, round, turn]``, padded with -1."""
TURNS = (SYMBOLS >= 0).sum(axis=2)
"""The number of turns of each round: ``TURNS[table, round]``."""
EVENTS = np.array([RoundEvent[str(c.properties["event"]).upper()] for c in ROUND_CARDS], np.int64)
FEW_BANDITS = 4
"""The maximum number of bandits for the first table of symbols; more use the second."""

_PLAYS = (TURNS + (SYMBOLS == TurnSymbol.SPEEDING_UP).sum(axis=2)).max(axis=1)
MOST_PLAYS = int(_PLAYS.max())
"""The maximum number of turns of a player in a round."""
MOST_PLAYED = max(FEW_BANDITS * int(_PLAYS[0]), MOST_BANDITS * int(_PLAYS[1]))
"""The maximum number of cards in the pile."""
