"""The parameters, the actions and the state of Colt Express.

Places are numbered: ``2 * car`` is inside a car, ``2 * car + 1`` on its roof; car 0 is the
locomotive, the last one the caboose. Bandits are numbered from 0 as members of the gang,
characters as in ``BANDITS``. If players run two bandits each, bandit b belongs to player
b % players.
"""

from __future__ import annotations

import enum

from kibitz.authoring import (
    SEAT,
    Action,
    ActionKinds,
    Announcement,
    AnnouncementKinds,
    Counter,
    Deck,
    GameParameters,
    GameState,
    Note,
    Tunable,
    Visibility,
    per_player,
)
from kibitz.library.coltexpress.data import (
    ACTION_CARDS,
    BANDITS,
    CARDS,
    KINDS,
    MOST_BANDITS,
    MOST_PLAYED,
    MOST_PLAYS,
    PURSES,
    ROUND_CARDS,
    ROUND_COUNT,
    ROUNDS,
    STATIONS,
    TOKEN_NAMES,
    TOKENS,
)

HELD = 100
"""The place of tokens that bandit 0 holds; those of a bandit are at ``HELD + bandit``."""
BOX = -1
"""The place of tokens that are not in the game."""
MARSHAL = MOST_BANDITS
"""The shooter's number for neutral bullets, of the Marshal or a passenger."""
CAR_NAMES = ["the locomotive"] + [f"car {i + 1}" for i in range(MOST_BANDITS)]
LOSSES = ["loses a purse", "loses a jewel", "loses a strongbox"]


class Phase(enum.IntEnum):
    """The parts of a round."""

    SCHEMING = 0
    STEALING = 1
    PICKPOCKETING = 2


class CharacterChoice(enum.IntEnum):
    """The character of a bandit: one by name, or a random one."""

    RANDOM = 0
    GHOST = 1
    DOC = 2
    TUCO = 3
    CHEYENNE = 4
    BELLE = 5
    DJANGO = 6


class Move(ActionKinds):
    """The actions: to scheme, and to choose the details when a card is carried out."""

    PLAY = Action("play {bandit}'s {card}", bandit=BANDITS, card=ACTION_CARDS)
    HIDE = Action(
        "play {bandit}'s {card} face down",
        otherwise="play a card face down",
        bandit=BANDITS,
        card=ACTION_CARDS,
    )
    DRAW = Action("draw cards")
    GO = Action("{bandit} goes to {car}", bandit=BANDITS, car=CAR_NAMES)
    RUN = Action("{bandit} runs to the roof of {car}", bandit=BANDITS, car=CAR_NAMES)
    CLIMB = Action("{bandit} climbs to the roof", bandit=BANDITS)
    DESCEND = Action("{bandit} climbs down into the car", bandit=BANDITS)
    LURE = Action("{bandit} lures the Marshal to {car}", bandit=BANDITS, car=CAR_NAMES)
    SHOOT = Action("{bandit} shoots {target}", bandit=BANDITS, target=BANDITS)
    PUNCH = Action(
        "{bandit} punches {target} to {car}", bandit=BANDITS, target=BANDITS, car=CAR_NAMES
    )
    PUNCH_OUT = Action(
        "{bandit} punches {target}, who {loss}, to {car}",
        bandit=BANDITS,
        target=BANDITS,
        car=CAR_NAMES,
        loss=LOSSES,
    )
    TAKE = Action("{bandit} takes {token}", bandit=BANDITS, token=TOKEN_NAMES)
    NOTHING = Action("{bandit}'s {card} has no effect", bandit=BANDITS, card=ACTION_CARDS)


ROUND_NAMES = [card.name for card in ROUND_CARDS]


class Say(AnnouncementKinds):
    """What the log says besides the actions."""

    ROUND = Announcement(
        "round {number} begins: {card}", number=range(len(ROUNDS) + 2), card=ROUND_NAMES
    )
    DRAW = Announcement(
        "{player} {draws} {bandit}'s {card}",
        to="player",
        player=SEAT,
        bandit=BANDITS,
        card=ACTION_CARDS,
    )
    GHOST = Announcement("it is a card of Ghost's")
    TURN_UP = Announcement(
        "the card turned up is {bandit}'s {card}", bandit=BANDITS, card=ACTION_CARDS
    )
    """A card that was played face down."""
    HIT = Announcement("{bandit} receives a neutral bullet", bandit=BANDITS)
    FLEE = Announcement("{bandit} flees from the Marshal to the roof", bandit=BANDITS)
    PUSH = Announcement("{bandit} is pushed to {car}", bandit=BANDITS, car=CAR_NAMES)
    DROP = Announcement("{token} falls", token=TOKEN_NAMES)
    KEEP = Announcement("{bandit} keeps {token}", bandit=BANDITS, token=TOKEN_NAMES)
    WORTH = Announcement(
        "{token} is worth {value}",
        to="player",
        shows="value",
        player=SEAT,
        token=TOKEN_NAMES,
        value=PURSES,
    )
    EVENT = Announcement("at the end of the round: {event}", event=ROUND_NAMES)
    MARSHAL = Announcement("the Marshal goes to {car}", car=CAR_NAMES)
    SLIDE = Announcement("{bandit} slides to the roof of {car}", bandit=BANDITS, car=CAR_NAMES)
    PUT_DOWN = Announcement("{token} is put down in {car}", token=TOKEN_NAMES, car=CAR_NAMES)
    REMOVE = Announcement("{token} is out of the game", token=TOKEN_NAMES)
    PAY = Announcement("{bandit} gets ${dollars}", bandit=BANDITS, dollars=range(1001))
    GUNSLINGER = Announcement("{bandit} gets the gunslingers' bonus", bandit=BANDITS)


class Parameters(GameParameters):
    """The parameters; the last ones are ways in which TAG's Colt Express differs."""

    bandits_each = Tunable({2: 2, 3: 1}, range(1, 3), "bandits that each player runs")
    bandit_1 = Tunable(CharacterChoice.RANDOM, doc="who the first bandit is")
    bandit_2 = Tunable(CharacterChoice.RANDOM, doc="who the second bandit is")
    bandit_3 = Tunable(CharacterChoice.RANDOM, doc="who the third bandit is")
    bandit_4 = Tunable(CharacterChoice.RANDOM, doc="who the fourth bandit is")
    bandit_5 = Tunable(CharacterChoice.RANDOM, doc="who the fifth bandit is")
    bandit_6 = Tunable(CharacterChoice.RANDOM, doc="who the sixth bandit is")
    rounds = Tunable(5, range(1, len(ROUNDS) + 2), "rounds, the last one at a station")
    hand_size = Tunable(6, range(3, 9), "cards drawn at the start of a round")
    doc_draws = Tunable(1, range(4), "cards that Doc draws more")
    cards_drawn = Tunable(3, range(1, 5), "cards drawn instead of playing one")
    moves = Tunable(2, range(4), "Move cards of each bandit")
    floor_changes = Tunable(2, range(4), "Floor Change cards of each bandit")
    fires = Tunable(2, range(4), "Fire cards of each bandit")
    robberies = Tunable(2, range(4), "Robbery cards of each bandit")
    punches = Tunable(1, range(4), "Punch cards of each bandit")
    marshals = Tunable(1, range(4), "Marshal cards of each bandit")
    bullets = Tunable(6, range(1, 7), "bullets of each bandit")
    neutral_bullets = Tunable(13, range(31), "bullets of the Marshal and the passengers")
    roof_range = Tunable(3, range(1, 7), "cars that a bandit can run along the roof")
    gunslinger_bonus = Tunable(1000, range(3001), "dollars for the fewest bullets left")
    ransom = Tunable(250, range(1001), "dollars that Hostage-Taking brings")
    second_strongbox = Tunable(1000, range(2001), "what the second strongbox is worth")
    ghost_must_hide = Tunable(False, doc="Ghost's card of the first turn is always face down")
    lenient_marshal = Tunable(
        False,
        doc="whoever climbs down to the Marshal, or meets him by Angry Marshal, may stay",
    )
    short_push = Tunable(
        False, doc="Django pushes only inside the train, and never into the caboose"
    )
    copied_purses = Tunable(False, doc="a purse that is pickpocketed stays where it is, too")
    harsh_revenge = Tunable(
        False, doc="Marshal's Revenge takes the most valuable purse out of the game"
    )
    full_box_per_car = Tunable(
        False, doc="the purses of each car are drawn as if from a full box of their own"
    )


def _largest(*names: str) -> int:
    return sum(Parameters.tunables[name].largest for name in names)


MOST_HELD = _largest("hand_size", "doc_draws") + MOST_PLAYS * _largest("cards_drawn")
"""The maximum number of cards in a hand: those of the start, and those drawn in every turn."""
MOST_OWNED = (
    2 * _largest("moves", "floor_changes", "fires", "robberies", "punches", "marshals")
    + MOST_BANDITS * _largest("bullets")
    + _largest("neutral_bullets")
)
"""The maximum number of cards of a player: two bandits whom all bullets have hit."""


class ColtExpressState(GameState):
    """The state of Colt Express; scores are set at the end, since loot is hidden until then."""

    bandits = Counter(2, MOST_BANDITS)
    """The number of bandits, and of cars behind the locomotive."""
    character = Note(MOST_BANDITS)
    """The character of each bandit."""
    bandit_of = Note(MOST_BANDITS)
    """The bandit with each character, or -1."""
    where = Note(MOST_BANDITS)
    """The place of each bandit."""
    marshal = Counter(0, MOST_BANDITS)
    """The Marshal's car."""
    bullets = Note(MOST_BANDITS)
    """The number of bullets that each bandit has left."""
    neutral_bullets = Counter(0, Parameters.tunables["neutral_bullets"].largest)
    hits = Note(MOST_BANDITS * (MOST_BANDITS + 1))
    """The bullets that each bandit received from each bandit, and from the ``MARSHAL``."""
    cash = Note(MOST_BANDITS)
    """The money of each bandit that is not loot, such as ransoms."""
    token_at = Note(TOKENS)
    """The place of each loot token: a place of the train, ``HELD`` + bandit, or the ``BOX``."""
    first_purse = Note(MOST_BANDITS + 2)
    """The first purse of each car; purses before those of car 1 were given to bandits."""
    purses = Deck(PURSES, Visibility.NOBODY, capacity=PURSES.total)
    """The value of each purse: these cards stay in their order, only the tokens move."""
    route = Deck(ROUNDS, Visibility.NOBODY, capacity=len(ROUNDS))
    """The round cards in order; the next ones are hidden."""
    stations = Deck(STATIONS, Visibility.NOBODY, capacity=len(ROUNDS))
    """The stations, of which the first is the last round.

    They have the capacity of the route, so that functions of decks are compiled once for both.
    """
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=MOST_HELD))
    decks = per_player(Deck(CARDS, Visibility.NOBODY, capacity=MOST_OWNED))
    """The players' decks, without order: cards are drawn from random places."""
    pile = Deck(CARDS, Visibility.NOBODY, capacity=MOST_PLAYED)
    """The cards played in this round, in order; those who play cards face down know them."""
    hidden_by_ghost = Counter(0, MOST_PLAYED)
    """The place in the pile, from 1, of the card that the Ghost has hidden, or 0."""
    round_card = Counter(0, ROUND_COUNT - 1)
    """The card of this round, an index in ``ROUND_CARDS``."""
    symbol = Counter(0, MOST_PLAYS)
    """The index of the current turn of the scheming phase."""
    schemed = Counter(0, MOST_BANDITS)
    """The number of players who have had this turn."""
    sped_up = Counter(0, 1)
    """Whether a player has their second turn in a row."""
    next_card = Counter(0, MOST_PLAYED)
    """The index in the pile of the card that is carried out."""
    picker = Counter(0, MOST_BANDITS)
    """The bandit who may pickpocket next."""


CARD_IDS = MOST_BANDITS * KINDS
"""The number of different cards."""


def owner(state: ColtExpressState, bandit: int) -> int:
    """The player who runs a bandit: bandit % players, without dividing."""
    return bandit if bandit < state.players else bandit - state.players


def is_roof(place: int) -> bool:
    """Whether a place is on a roof."""
    return place & 1 == 1
