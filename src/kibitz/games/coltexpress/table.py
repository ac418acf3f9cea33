"""The parameters, the actions and the state.

Places are numbered: ``2 * car`` is inside a car, ``2 * car + 1`` on its roof; car 0 is the
locomotive, the last one the caboose. A bandit is known by its seat in the gang, from 0, a
character by its place in ``BANDITS``. Where players run two bandits each, bandit b belongs to
player b % players.
"""

from __future__ import annotations

import enum

from kibitz.authoring import (
    Action,
    ActionKinds,
    Counter,
    Deck,
    GameParameters,
    GameState,
    Note,
    Tunable,
    Visibility,
    per_player,
)
from kibitz.games.coltexpress.data import (
    ACTION_CARDS,
    BANDITS,
    CARDS,
    KINDS,
    MOST_BANDITS,
    MOST_PLAYED,
    MOST_PLAYS,
    PURSES,
    ROUND_COUNT,
    ROUNDS,
    STATIONS,
    TOKEN_NAMES,
    TOKENS,
)

HELD = 100
"""A token that lies at ``HELD + bandit`` is that bandit's."""
BOX = -1
"""Where tokens are that are not in the game."""
MARSHAL = MOST_BANDITS
"""Who has shot, where it was the Marshal or a passenger."""
CAR_NAMES = ["the locomotive"] + [f"car {i + 1}" for i in range(MOST_BANDITS)]
LOSSES = ["loses a purse", "loses a jewel", "loses a strongbox"]


class Phase(enum.IntEnum):
    """The parts of a round."""

    SCHEMING = 0
    STEALING = 1
    PICKPOCKETING = 2


class Choice(enum.IntEnum):
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
    HIDE = Action("play {bandit}'s {card} face down", bandit=BANDITS, card=ACTION_CARDS)
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


class Parameters(GameParameters):
    """The parameters; the last ones are ways in which TAG's Colt Express differs."""

    bandits_each = Tunable({2: 2, 3: 1}, range(1, 3), "bandits that each player runs")
    bandit_1 = Tunable(Choice.RANDOM, doc="who the first bandit is")
    bandit_2 = Tunable(Choice.RANDOM, doc="who the second bandit is")
    bandit_3 = Tunable(Choice.RANDOM, doc="who the third bandit is")
    bandit_4 = Tunable(Choice.RANDOM, doc="who the fourth bandit is")
    bandit_5 = Tunable(Choice.RANDOM, doc="who the fifth bandit is")
    bandit_6 = Tunable(Choice.RANDOM, doc="who the sixth bandit is")
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
"""Cards in a hand: what is drawn at first, and by drawing in every turn."""
MOST_OWNED = (
    2 * _largest("moves", "floor_changes", "fires", "robberies", "punches", "marshals")
    + MOST_BANDITS * _largest("bullets")
    + _largest("neutral_bullets")
)
"""Cards of a player with two bandits whom all bullets have hit."""


class ColtExpressState(GameState):
    """The state. Scores are set at the end: until then what the others hold is hidden."""

    bandits = Counter(2, MOST_BANDITS)
    """How many there are; as many cars are behind the locomotive."""
    character = Note(MOST_BANDITS)
    """Which character each bandit is."""
    bandit_of = Note(MOST_BANDITS)
    """Which bandit each character is, -1 if nobody."""
    where = Note(MOST_BANDITS)
    """The place of each bandit."""
    marshal = Counter(0, MOST_BANDITS)
    """The Marshal's car."""
    bullets = Note(MOST_BANDITS)
    """How many each bandit has left."""
    neutral_bullets = Counter(0, Parameters.tunables["neutral_bullets"].largest)
    hits = Note(MOST_BANDITS * (MOST_BANDITS + 1))
    """How often each bandit was hit by each other one, and by the ``MARSHAL``."""
    cash = Note(MOST_BANDITS)
    """The money that each bandit has in ransoms."""
    token_at = Note(TOKENS)
    """Where each loot token lies: a place, ``HELD`` + bandit, or the ``BOX``."""
    first_purse = Note(MOST_BANDITS + 2)
    """The first purse that came with each car; the purses before those of car 1 are dealt."""
    purses = Deck(PURSES, Visibility.NOBODY, capacity=PURSES.total)
    """What each purse is worth: these cards stay where they are, the tokens move."""
    route = Deck(ROUNDS, Visibility.NOBODY, capacity=len(ROUNDS))
    """The round cards in their order; those to come are not known."""
    stations = Deck(STATIONS, Visibility.NOBODY, capacity=len(ROUNDS))
    """The first one is the last round. With as much room as the route it is compiled once."""
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=MOST_HELD))
    decks = per_player(Deck(CARDS, Visibility.NOBODY, capacity=MOST_OWNED))
    """Unordered: cards are drawn from any place of them."""
    pile = Deck(CARDS, Visibility.NOBODY, capacity=MOST_PLAYED)
    """The cards played in this round, in order; face-down ones known to who played them."""
    hidden_by_ghost = Counter(0, MOST_PLAYED)
    """The place in the pile, from 1, of the card that the Ghost has hidden; 0: none."""
    round_card = Counter(0, ROUND_COUNT - 1)
    """The card of this round: a place in ``ROUND_CARDS``."""
    symbol = Counter(0, MOST_PLAYS)
    """The turn of the scheming phase."""
    schemed = Counter(0, MOST_BANDITS)
    """How many players have had this turn."""
    sped_up = Counter(0, 1)
    """Whether a player is having their second turn in a row."""
    next_card = Counter(0, MOST_PLAYED)
    """The card of the pile that is carried out."""
    picker = Counter(0, MOST_BANDITS)
    """The bandit who pickpockets."""


CARD_IDS = MOST_BANDITS * KINDS
"""How many different cards there are."""


def owner(state: ColtExpressState, bandit: int) -> int:
    """The player who runs a bandit: bandit % players, without dividing."""
    return bandit if bandit < state.players else bandit - state.players


def is_roof(place: int) -> bool:
    """Whether a place is on a roof."""
    return place & 1 == 1
