"""The cards, the actions, the parameters and the state of Love Letter."""

from __future__ import annotations

import enum
from pathlib import Path

from kibitz.authoring import (
    SEAT,
    Action,
    ActionKinds,
    Announcement,
    AnnouncementKinds,
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
SEATS = [f"player {p + 1}" for p in range(4)]
MOST_TOKENS = 13
"""The maximum number of tokens that win the game."""


class Card(enum.IntEnum):
    """The cards that rules name, as indices in ``CARDS``; the printed value is one more."""

    GUARD = 0
    PRIEST = 1
    BARON = 2
    HANDMAID = 3
    PRINCE = 4
    KING = 5
    COUNTESS = 6
    PRINCESS = 7


class TieRule(enum.IntEnum):
    """The rule for the token of a round when the highest hands are equal."""

    DISCARDS = 0
    """The player with the higher total of discards takes it (2012)."""
    SHARED = 1
    """Each of these players takes a token (later printings)."""


class Move(ActionKinds):
    """The kinds of actions: playing a card, with the target and the guess that it needs."""

    PLAY = Action("play {card}", card=CARDS)
    PLAY_ON = Action("play {card} on {target}", card=CARDS, target=SEATS)
    GUESS = Action("play Guard on {target} guessing {guess}", target=SEATS, guess=CARDS)


class Say(AnnouncementKinds):
    """What the log says besides the actions and the moves of cards."""

    MISS = Announcement("{target} {does} not have the {card}", target=SEAT, card=CARDS)
    DISCARD = Announcement("{player} {discards} the {card}", moves="card", player=SEAT, card=CARDS)
    NO_TARGET = Announcement("the {card} has no effect, since nobody can be chosen", card=CARDS)
    DUEL = Announcement(
        "{player} {has} the {mine}, {target} {has} the {theirs}",
        to=("player", "target"),
        shows=("mine", "theirs"),
        player=SEAT,
        target=SEAT,
        mine=CARDS,
        theirs=CARDS,
    )
    TIE = Announcement(
        "{player} and {target} have the same card, so both stay in the round",
        player=SEAT,
        target=SEAT,
    )
    PROTECT = Announcement("{player} {is} protected until {player's} next turn", player=SEAT)
    ALONE = Announcement("{player} {is} the last one in the round", player=SEAT)
    EMPTY = Announcement("the deck is empty, so the highest card wins the round")
    SHOW = Announcement("{player} {shows} the {card}", shows="card", player=SEAT, card=CARDS)
    DISCARDS = Announcement("the highest cards are equal, so the higher total of discards wins")
    TOKEN = Announcement(
        "{player} {wins} the round, and {has} {tokens} of {needed} tokens",
        player=SEAT,
        tokens=range(MOST_TOKENS + 1),
        needed=range(MOST_TOKENS + 1),
    )


class Parameters(GameParameters):
    """The deck, the cards set aside, the tokens that win, and how ties are broken."""

    guards = Tunable(5, range(1, 9), "how many Guards")
    priests = Tunable(2, range(5), "how many Priests")
    barons = Tunable(2, range(5), "how many Barons")
    handmaids = Tunable(2, range(5), "how many Handmaids")
    princes = Tunable(2, range(5), "how many Princes")
    kings = Tunable(1, range(3), "how many Kings")
    countesses = Tunable(1, range(3), "how many Countesses")
    princesses = Tunable(1, range(3), "how many Princesses")
    tokens_to_win = Tunable(
        {2: 7, 3: 5, 4: 4}, range(1, MOST_TOKENS + 1), "tokens that win the game"
    )
    set_aside = Tunable(1, range(4), "cards set aside face down each round")
    face_up = Tunable({2: 3, 3: 0, 4: 0}, range(4), "further cards set aside face up")
    tie_rule = Tunable(TieRule.DISCARDS, doc="who wins a round when the highest hands are equal")


MOST_CARDS = sum(
    Parameters.tunables[name].largest
    for name in ("guards", "priests", "barons", "handmaids", "princes", "kings")
    + ("countesses", "princesses")
)


MOST_TIES = Parameters.tunables["barons"].largest
"""The maximum number of tied duels in a round."""


class LoveLetterState(GameState):
    """The state of Love Letter; tokens are also the players' scores."""

    deck = Deck(CARDS, Visibility.NOBODY, capacity=MOST_CARDS)
    set_aside = Deck(CARDS, Visibility.NOBODY, capacity=3)
    face_up = Deck(CARDS, Visibility.EVERYONE, capacity=3)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=2))
    discards = per_player(Deck(CARDS, Visibility.EVERYONE, capacity=MOST_CARDS))
    tokens = per_player(Counter(0, 13))
    protected = per_player(Counter(0, 1))
    ruled_out = per_player(Note())
    """The cards that a player's kept card cannot be, as all players know, one bit each."""
    ties = Note()
    """The number of tied duels in this round; each has two sides (see ``knowledge.py``)."""
    tied = Note(2 * MOST_TIES)
    """For each side of a tie, one more than the player who may keep the card; 0: discarded."""
    tied_discards = Note(2 * MOST_TIES)
    """For each side of a tie, the cards discarded since that may be the card, one bit each."""
    tied_ruled_out = Note(2 * MOST_TIES)
    """For each side of a tie, the cards that the card cannot be if it is still kept."""
