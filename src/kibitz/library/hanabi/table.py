"""The cards, the actions, the parameters and the state of Hanabi."""

from __future__ import annotations

import enum
from pathlib import Path

from kibitz.authoring import (
    Action,
    ActionKinds,
    CardSet,
    Counter,
    Deck,
    GameParameters,
    GameState,
    Note,
    Tunable,
    Visibility,
    per_player,
)

CARDS = CardSet.from_json(Path(__file__).with_name("cards.json"))
"""The cards by colour, the ranks of each in order."""
RANKS = 5
COLOURS = [card.properties["colour"] for card in CARDS.cards[::RANKS]]
SUITS = len(COLOURS)
"""The number of colours, the rainbow included."""
RAINBOW = SUITS - 1
"""The number of the rainbow colour, the last one."""
COPIES = tuple(card.count for card in CARDS.cards[:RANKS])
"""The number of cards of each rank in a colour."""
RANK_WORDS = [f"{rank}s" for rank in range(1, RANKS + 1)]
MOST_PLAYERS = 5
LARGEST_HAND = 5
PLACES = [str(place + 1) for place in range(LARGEST_HAND)]
"""The places of cards in a hand, the oldest card first."""
SEATS = [f"player {p + 1}" for p in range(MOST_PLAYERS)]


class Move(ActionKinds):
    """The kinds of actions."""

    PLAY = Action("play card {place}", place=PLACES)
    DISCARD = Action("discard card {place}", place=PLACES)
    TELL_COLOUR = Action("tell {target} about {colour}", target=SEATS, colour=COLOURS)
    TELL_RANK = Action("tell {target} about {rank}", target=SEATS, rank=RANK_WORDS)


class Rainbow(enum.IntEnum):
    """The sixth colour of the printed variants."""

    NONE = 0
    """Five colours only."""
    SIXTH = 1
    """A sixth colour like the others."""
    FEW = 2
    """A sixth colour with one card of each rank."""
    WILD = 3
    """A sixth colour whose cards count as every other colour, too, when players tell colours."""


class Parameters(GameParameters):
    """The cards, the tokens and the allowed clues."""

    colours = Tunable(5, range(2, 6), "how many colours, without the rainbow")
    rainbow = Tunable(Rainbow.NONE, doc="the rainbow cards")
    hand_size = Tunable({2: 5, 3: 5, 4: 4, 5: 4}, range(2, LARGEST_HAND + 1), "cards in hand")
    clues = Tunable(8, range(1, 13), "clue tokens")
    fuses = Tunable(3, range(1, 6), "the mistake that ends the game")
    tell_nothing = Tunable(False, doc="whether players may tell that there is no such card")
    keep_score = Tunable(False, doc="whether fireworks count although the last fuse is burnt")


HAND = Deck(CARDS, Visibility.OTHERS, capacity=LARGEST_HAND, facts=True)
"""A hand: all others see its cards, and all know what its owner has been told."""


class HanabiState(GameState):
    """The state of Hanabi; of their own cards players know what the facts say."""

    hands = per_player(HAND)
    deck = Deck(CARDS, Visibility.NOBODY)
    fireworks = Deck(CARDS, Visibility.EVERYONE, capacity=len(CARDS))
    discards = Deck(CARDS, Visibility.EVERYONE)
    clues = Counter(0, 12)
    fuses = Counter(0, 5)
    heights = Note(SUITS)
    """The highest rank of each firework."""
    turns_left = Note()
    """The number of turns left once the deck is empty; 0 before."""
