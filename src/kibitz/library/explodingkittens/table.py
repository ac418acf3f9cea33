"""The state, the actions and the parameters of Exploding Kittens."""

from __future__ import annotations

import enum

from kibitz.components import Deck, Interrupts, Note
from kibitz.core.actions import Action, ActionKinds
from kibitz.core.announcements import SEAT, Announcement, AnnouncementKinds
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Preset, Tunable
from kibitz.library.explodingkittens.cards import CARDS, MOST_KITTENS, NAMES, Card
from kibitz.library.explodingkittens.pile import MOST_SEEN, Kittens, Peeks

SEATS = [f"player {p + 1}" for p in range(5)]
PLACES = ["on top", "below 1 card"] + [f"below {above} cards" for above in range(2, 80)]
"""The words for places of a kitten in the deck, by the number of cards above it."""


class Move(ActionKinds):
    """The kinds of actions."""

    DRAW = Action("draw a card")
    PLAY = Action("play {card}", card=NAMES)
    PLAY_ON = Action("play {card} on {target}", card=NAMES, target=SEATS)
    PAIR = Action("steal from {target} with two {card}", card=NAMES, target=SEATS)
    THREE = Action("ask {target} for a card with three {card}", card=NAMES, target=SEATS)
    NAME = Action("name {card}", card=NAMES)
    FIVE = Action("play five different cards")
    ADD = Action("one of the five: {card}", card=NAMES)
    TAKE = Action("take {card} from the discard pile", card=NAMES)
    PASS = Action("let it pass", otherwise="")
    NOPE = Action("say Nope")
    GIVE = Action("give {card}", otherwise="give a card", card=NAMES)
    DEFUSE = Action("defuse the kitten")
    EXPLODE = Action("explode")
    PLACE = Action(
        "put the kitten back {place}",
        otherwise="put the kitten back into the deck",
        place=PLACES,
    )
    ARRANGE = Action(
        "the next from above is number {number}",
        otherwise="choose the next card from above",
        number=["1", "2", "3", "4"],
    )


PLAYS = (*NAMES, "pair", "three of a kind", "combination of five")
"""The names of what a Nope can cancel: a card, or a combination."""
PAIR, THREE, FIVE = range(len(NAMES), len(PLAYS))


class Say(AnnouncementKinds):
    """What the log says besides the actions and the moves of cards."""

    COPY = Announcement("", moves="card", card=CARDS)
    """Another copy of a card is played, as the words of the action say."""
    CANCEL = Announcement("the {play} is cancelled", play=PLAYS)
    EFFECT = Announcement("the {play} takes effect", play=PLAYS)
    NONE = Announcement("{player} {has} no {card}", player=SEAT, card=NAMES)
    SEE = Announcement(
        "the {place} card of the deck is the {card}",
        to="player",
        player=SEAT,
        place=("top", "second", "third", "fourth"),
        card=(*NAMES, *[CARDS.word(Card.KITTEN)] * MOST_KITTENS),
    )
    KITTEN = Announcement("{player} {draws} an Exploding Kitten", player=SEAT)
    ATTACK = Announcement("{player} {has} {turns} turns to take", player=SEAT, turns=range(100))


class Attack(enum.IntEnum):
    """The player and the number of turns after an Attack."""

    STACK = 0
    """The next player has two turns, and those that an attacked player had left."""
    TWO = 1
    """The next player has two turns."""
    CHOSEN = 2
    """A player whom the attacker chooses has two turns (TAG 2020)."""


class Combos(enum.IntEnum):
    """The combinations of cards that may be played."""

    NONE = 0
    """No combinations may be played, so cats are useless (TAG 2020)."""
    CAT_PAIRS = 1
    """Pairs of cats may be played (TAG)."""
    SPECIAL = 2
    """The special combinations may be played: two alike, three alike, five different cards."""


class Parameters(GameParameters):
    """The printing, the deck, and variants of the rules."""

    printing = Preset(
        {
            "later": {},
            "first": {
                "cards_each": 4,
                "attack": Attack.TWO,
                "combos": Combos.CAT_PAIRS,
                "defuses_in_deck": {3: 3},
            },
        },
        "the rules of which printing hold: it sets cards_each, attack, combos, defuses_in_deck",
    )
    cards_each = Tunable(7, range(1, 9), "cards dealt to each player beside Defuse")
    defuses_each = Tunable(1, range(2), "Defuses dealt to each player")
    defuses_in_deck = Tunable(
        {2: 2, 3: 2, 4: 2, 5: 1}, range(7), "Defuses that are shuffled into the deck"
    )
    kittens = Tunable(
        {2: 1, 3: 2, 4: 3, 5: 4}, range(1, MOST_KITTENS + 1), "Exploding Kittens in the deck"
    )
    attack = Tunable(Attack.STACK, doc="who takes how many turns after an Attack")
    combos = Tunable(Combos.SPECIAL, doc="which combinations of cards may be played")
    forced_defuse = Tunable(False, doc="whether who has a Defuse must use it")
    ask_holders_only = Tunable(
        False, doc="whether only those who hold a Nope are asked, which gives them away"
    )
    future_cards = Tunable(3, range(1, MOST_SEEN + 1), "cards that See the Future shows")
    alter_future = Tunable(False, doc="whether who sees the future may rearrange it")
    attacks = Tunable(4, range(6), "how many Attacks")
    favors = Tunable(4, range(6), "how many Favors")
    nopes = Tunable(5, range(7), "how many Nopes")
    shuffles = Tunable(4, range(6), "how many Shuffles")
    skips = Tunable(4, range(6), "how many Skips")
    see_the_futures = Tunable(5, range(7), "how many See the Futures")
    cats = Tunable(4, range(6), "how many of each of the five cats")


def most_cards() -> int:
    """The maximum number of cards besides kittens that the parameters allow."""
    names = ("attacks", "favors", "nopes", "shuffles", "skips", "see_the_futures")
    largest = {name: tunable.largest for name, tunable in Parameters.tunables.items()}
    defuses = len(SEATS) * largest["defuses_each"] + largest["defuses_in_deck"]
    return sum(largest[name] for name in names) + 5 * largest["cats"] + defuses


MOST_CARDS = most_cards()

MOST_TRACKED = 6
"""The maximum number of tracked cards (see ``locations.py``); another one replaces the first."""
ROW = 6
"""The length of the row of a card: its title plus one (0: the row is free), and the shares."""
USED = MOST_TRACKED * ROW
"""The index, after all rows, of the number of rows in use."""


class KittensState(GameState):
    """The state of a game; a player's score is the number of players who were out before."""

    deck = Deck(CARDS, Visibility.NOBODY, capacity=MOST_CARDS)
    """The deck without its kittens; ``peeks`` has what players know of it."""
    kittens = Kittens()
    peeks = Peeks()
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=MOST_CARDS))
    discards = Deck(CARDS, Visibility.EVERYONE, capacity=MOST_CARDS)
    turns_left = Note()
    """The number of turns that the owner of the turn has left, the present one included."""
    attacked = Note()
    """Whether these turns are due to an Attack."""
    drawn = Note()
    """The kitten that was drawn, until it is defused and put back."""
    chosen = Note()
    """The choices so far while a combination or an order is chosen card by card."""
    at_most = per_player(Note(2))
    """The public limits of cards of each title in a hand; see ``limits.py``."""
    locations = Note(USED + 1)
    """The hands that may hold cards which all players had seen; see ``locations.py``."""
    reactions = Interrupts(capacity=2)
