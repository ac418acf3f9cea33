"""The state, the actions and the parameters of Uno."""

from __future__ import annotations

import enum
from typing import Any

from kibitz.components import Counter, Deck, Note
from kibitz.components.batches import (
    BarredClasses,
    DrawnCopies,
    NewestBatch,
    SamplingNumbers,
)
from kibitz.core.actions import Action, ActionKinds
from kibitz.core.announcements import SEAT, Announcement, AnnouncementKinds
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.library.uno.cards import CARDS, COLOURS


class Move(ActionKinds):
    """The kinds of actions."""

    PLAY = Action("play {card}", card=CARDS)
    NAME = Action("play {card} and name {colour}", card=CARDS, colour=COLOURS)
    CALL = Action("play {card} and call Uno", card=CARDS)
    NAME_AND_CALL = Action("play {card}, name {colour} and call Uno", card=CARDS, colour=COLOURS)
    DRAW = Action("draw a card")
    KEEP = Action("keep the card drawn")
    PASS = Action("pass")
    COLOUR = Action("name {colour}", colour=COLOURS)
    CHALLENGE = Action("challenge the Wild Draw Four")
    ACCEPT = Action("draw four cards")
    CATCH = Action("catch the missing call")
    OVERLOOK = Action("overlook the missing call")


class Say(AnnouncementKinds):
    """What the log says besides the actions and the moves of cards."""

    DRAW = Announcement(
        "{player} {draws} the {card}", to="player", moves="card", player=SEAT, card=CARDS
    )
    """Others read it in the words of the action."""
    PLAY = Announcement("{player} {plays} the {card}", moves="card", player=SEAT, card=CARDS)
    """A card just drawn must be played."""
    NO_PLAY = Announcement("the card drawn cannot be played")
    MISS = Announcement("{player} {misses} a turn", player=SEAT)
    TURN_ROUND = Announcement("play goes to the {side}", side=("right", "left"))
    BLUFF = Announcement(
        "{player} had a {colour} card, so the challenge succeeds", player=SEAT, colour=COLOURS
    )
    NO_BLUFF = Announcement(
        "{player} had no {colour} card, so the challenge fails",
        player=SEAT,
        colour=(*COLOURS, "matching"),
    )
    NO_CALL = Announcement("{player} {has} one card left and did not call Uno", player=SEAT)
    OUT_OF_CARDS = Announcement("{player} {has} no card left", player=SEAT)
    STUCK = Announcement("nobody can play or draw, so the round is over")
    LIMIT = Announcement("the round is stopped after {turns} turns", turns=range(1001))
    WIN = Announcement("{player} {wins} the round", player=SEAT)


class Scoring(enum.IntEnum):
    """The way of scoring rounds, and of winning."""

    WINNER = 0
    """The winner of a round scores the cards of all others; the first at the target wins."""
    OWN = 1
    """Players' own cards count against them; at the target the lowest total wins."""
    KNOCK_OUT = 2
    """Players' own cards count against them; at the target they are out, and the last one wins."""
    ALL = 3
    """Each player scores the cards of all others; the highest total wins (TAG 2020)."""


class WildDrawFour(enum.IntEnum):
    """The rule for playing a Wild Draw Four, and its effect."""

    CHALLENGE = 0
    """It may not be played with a card of the colour that counts; a bluff may be challenged."""
    STRICT = 1
    """It cannot be played with a card of the colour that counts, so there is no challenge."""
    FREE = 2
    """It may always be played, and there is no challenge."""
    NOTHING = 3
    """It may always be played, and nobody draws or misses a turn (TAG)."""


class Parameters(GameParameters):
    """The parameters: hand size, scoring, the pack, and variants of the rules."""

    cards_each = Tunable(7, range(1, 11), "cards dealt to each player")
    target = Tunable(500, range(1001), "points that end the game; 0: a single round")
    scoring = Tunable(Scoring.WINNER, doc="how rounds are scored and who wins")
    uno_call = Tunable(True, doc="whether a player with one card left must have called Uno")
    uno_penalty = Tunable(2, range(1, 5), "cards that a player caught without the call draws")
    wild_draw_four = Tunable(
        WildDrawFour.CHALLENGE, doc="when a Wild Draw Four may be played, and what it does"
    )
    voluntary_draw = Tunable(True, doc="whether a player who can play may draw instead")
    must_play_drawn = Tunable(False, doc="whether a card just drawn is played whenever it can be")
    wild_start = Tunable(True, doc="whether a Wild may be turned up first")
    match_symbols = Tunable(True, doc="whether an action card follows the same one of any colour")
    wild_numbers = Tunable(False, doc="whether any 0 follows a Wild, any 4 a Wild Draw Four")
    colourless_drawn = Tunable(
        False, doc="whether a wild card just drawn is played with no colour"
    )
    turn_limit = Tunable(0, range(1001), "turns after which a round is stopped; 0: never")
    numbers = Tunable(10, range(2, 11), "how many different numbers, from 0")
    zeros = Tunable(1, range(3), "how many cards 0 of each colour")
    copies = Tunable(2, range(1, 3), "how many of every other number of each colour")
    skips = Tunable(2, range(4), "how many Skips of each colour")
    reverses = Tunable(2, range(4), "how many Reverses of each colour")
    draw_twos = Tunable(2, range(4), "how many Draw Twos of each colour")
    wilds = Tunable(4, range(7), "how many Wilds")
    wild_draw_fours = Tunable(4, range(7), "how many Wild Draw Fours")
    points_skip = Tunable(20, range(101), "points for a Skip")
    points_reverse = Tunable(20, range(101), "points for a Reverse")
    points_draw_two = Tunable(20, range(101), "points for a Draw Two")
    points_wild = Tunable(50, range(101), "points for a Wild")
    points_wild_draw_four = Tunable(50, range(101), "points for a Wild Draw Four")


MOST_CARDS = 4 * (2 + 9 * 2 + 3 * 3) + 2 * 6
"""The size of the largest pack that the parameters allow."""


class Fact(Counter):
    """Declares a number that all players can deduce, which is no piece."""

    def pieces(self, view: Any) -> int:
        """Returns 0: a number that can be deduced is not a piece."""
        return 0


class UnoState(GameState):
    """The state of a game; points that count against a player are a negative score."""

    stock = Deck(CARDS, Visibility.NOBODY, capacity=MOST_CARDS)
    pile = Deck(CARDS, Visibility.EVERYONE, capacity=MOST_CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=MOST_CARDS))
    colour = Fact(0, 4)
    """The colour that counts; 4: no colour, or not named yet."""
    matched = Fact(0, 4)
    """The colour that counted before the last card was played."""
    uncalled = Fact(0, 1)
    """Whether the last card but one was played without calling Uno."""
    began = Note()
    """The turn in which this round began."""
    passes = Fact(0, 10)
    """The number of players in a row who could neither play nor draw."""
    knocked_out = per_player(Fact())
    """The round in which a player was knocked out; 0: still in."""
    barred = per_player(BarredClasses(MOST_CARDS))
    """What each card of a hand cannot be, as all players know: ``components/deals.py``."""
    proved = per_player(Note())
    """The colours of which a hand holds a card, as all players know, one bit each."""
    newest = NewestBatch()
    """The batch of the cards in the stock: see ``components/batches.py``."""
    batches = SamplingNumbers(len(CARDS))
    """The maximum number of copies of each card, by batch, in hands and stock."""
    taken = per_player(DrawnCopies(len(CARDS)))
    """The copies of each card, by batch, that a player has drawn."""
