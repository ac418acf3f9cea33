"""The state, the actions and the parameters of Uno."""

from __future__ import annotations

import enum
from typing import Any

from kibitz.components import Counter, Deck, Note
from kibitz.components.batches import DrawnCopies, NewestBatch, SamplingNumbers
from kibitz.core.actions import Action, ActionKinds
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.games.uno.cards import CARDS, COLOURS


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


class Scoring(enum.IntEnum):
    """How rounds are scored and who wins."""

    WINNER = 0
    """The winner of a round scores the cards of all others; the first at the target wins."""
    OWN = 1
    """Everyone scores their own cards against them; at the target the lowest total wins."""
    KNOCK_OUT = 2
    """The same, and who has reached the target is out; the last player in wins."""
    ALL = 3
    """Everyone scores the cards of all others; the highest total wins (TAG 2020)."""


class WildDrawFour(enum.IntEnum):
    """When a Wild Draw Four may be played, and what it does."""

    CHALLENGE = 0
    """Not with a card of the colour that counts; who bluffs may be challenged."""
    STRICT = 1
    """Never with a card of that colour; hence no challenge."""
    FREE = 2
    """Always, and without a challenge."""
    NOTHING = 3
    """Always, and nobody draws or misses a turn (TAG)."""


class Parameters(GameParameters):
    """Hand size, scoring and the variants of the rules."""

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
"""The largest pack that the parameters allow."""
PLACES_KEPT = 48
"""Of so many cards of a hand it is kept what they cannot be."""


class Fact(Counter):
    """A number that everyone can deduce, and no piece."""

    def pieces(self, view: Any) -> int:
        """0: a number that can be deduced is no piece."""
        return 0


class UnoState(GameState):
    """The state of a game. Where points count against a player their score is negative."""

    stock = Deck(CARDS, Visibility.NOBODY, capacity=MOST_CARDS)
    pile = Deck(CARDS, Visibility.EVERYONE, capacity=MOST_CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=MOST_CARDS))
    colour = Fact(0, 4)
    """The colour that counts; 4: none, or not yet named."""
    matched = Fact(0, 4)
    """The colour that counted before the last wild card."""
    uncalled = Fact(0, 1)
    """Whether the last card was played without calling Uno although one card is left."""
    began = Note()
    """The turn in which this round began."""
    passes = Fact(0, 10)
    """How many players in a row could neither play nor draw."""
    knocked_out = per_player(Fact())
    """The round in which a player was knocked out; 0: still in."""
    barred = per_player(SamplingNumbers(PLACES_KEPT))
    """What the cards of a hand cannot be, for all to see: see ``components/deals.py``."""
    proved = per_player(Note())
    """A bit for each colour of which a hand holds a card, for all to see."""
    newest = NewestBatch()
    """The batch of the cards in the stock: see ``components/batches.py``."""
    batches = SamplingNumbers(len(CARDS))
    """The most copies of each card, by batches, that are not on the pile."""
    taken = per_player(DrawnCopies(len(CARDS)))
    """Those of them that a player has drawn."""
