"""The state, the parameters and the actions."""

from __future__ import annotations

import enum

from kibitz.authoring import (
    Action,
    ActionKinds,
    Counter,
    Deck,
    GameParameters,
    GameState,
    GraphBoard,
    Interrupts,
    Note,
    Token,
    Tunable,
    Visibility,
    per_player,
)
from kibitz.games.pandemic.world import (
    CITIES,
    COLOURS,
    DISEASES,
    INFECTION_CARDS,
    PLAYER_CARDS,
    ROLES,
    WORLD,
    Role,
)

SEATS = [f"player {p + 1}" for p in range(4)]

STATION = len(COLOURS)
"""Track of ``cities`` that says whether there is a research station; the others are cubes."""
SUPPLY = 0
"""Track of ``diseases``: cubes that are not on the board."""
CURED = 1
"""Track of ``diseases``: 0, 1 once cured, 2 once eradicated."""
RATES = (2, 2, 2, 3, 3, 4, 4)
"""The infection rate track."""
MOST_FORECAST = 8
SMALL = 16
"""Room in a hand and other small piles. All small piles have the same, and so have all large
ones: what moves cards has to be compiled once for each pair of sizes."""
LARGE = PLAYER_CARDS.total


class Phase(enum.IntEnum):
    """The decision that is next."""

    ACTION = 0
    """The next action of the turn."""
    EVENT = 1
    """Whether to play an event now."""
    DISCARD = 2
    """Which card to discard, or which event to play, with too many in hand."""
    DESTINATION = 3
    """Where a pawn is flown to, by Airlift or the Operations Expert."""
    STATION_FROM = 4
    """Which station Government Grant moves, where all are on the board."""
    STATION_TO = 5
    """Where Government Grant puts a station."""
    RESILIENCE = 6
    """Which infection card Resilient Population removes."""
    FORECAST = 7
    """Which of the forecast cards goes back next."""
    KEEP = 8
    """Which card of the colour is kept, where more than enough are there for a cure."""


class Ending(enum.IntEnum):
    """The phase in which a finished game is left: how it ended."""

    CURED = 20
    OUTBREAKS = 21
    CUBES = 22
    CARDS = 23


ENDINGS: dict[int, str] = {
    Ending.CURED: "enough diseases are cured",
    Ending.OUTBREAKS: "too many outbreaks",
    Ending.CUBES: "a cube is wanted, and none of its colour is left",
    Ending.CARDS: "no player cards are left",
}
"""What they say."""


class Stage(enum.IntEnum):
    """The next step of the turn."""

    ACTIONS = 0
    DRAW = 1
    EPIDEMIC = 2
    INTENSIFY = 3
    NEXT_EPIDEMIC = 4
    BEFORE_INFECTION = 5
    INFECT = 6


class SeatRole(enum.IntEnum):
    """The role of a seat: one by name, or a random one."""

    RANDOM = 0
    CONTINGENCY_PLANNER = 1 + Role.CONTINGENCY_PLANNER
    DISPATCHER = 1 + Role.DISPATCHER
    MEDIC = 1 + Role.MEDIC
    OPERATIONS_EXPERT = 1 + Role.OPERATIONS_EXPERT
    QUARANTINE_SPECIALIST = 1 + Role.QUARANTINE_SPECIALIST
    RESEARCHER = 1 + Role.RESEARCHER
    SCIENTIST = 1 + Role.SCIENTIST


class Map(enum.IntEnum):
    """Which edition of the map is played on."""

    PUBLISHED = 0
    TAG = 1
    """One may go from Milan to Algiers and not back, not from Khartoum to Kinshasa but back;
    and Miami is a small town."""


class Outbreaks(enum.IntEnum):
    """The neighbours that an outbreak reaches."""

    NEIGHBOURS = 0
    """All, each city once in a chain."""
    PAWNS = 1
    """Those with pawns, a cube for each, as often as it comes (TAG)."""


class Parameters(GameParameters):
    """The parameters; the second half are TAG's deviations from the published rules."""

    epidemics = Tunable(4, range(7), "epidemic cards: 4 introductory, 5 standard, 6 heroic")
    outbreaks_to_lose = Tunable(8, range(1, 21), "outbreaks that lose the game")
    cubes_per_city = Tunable(3, range(3, 7), "cubes of a colour that a city holds")
    cubes_per_colour = Tunable(24, range(18, 61), "cubes of each colour")
    epidemic_cubes = Tunable(3, range(1, 7), "cubes in the city that an epidemic begins in")
    setup_cities = Tunable(3, range(4), "cities infected at the start with each number of cubes")
    setup_cubes = Tunable(3, range(1, 4), "most cubes in a city at the start")
    cards_for_cure = Tunable(5, range(2, 8), "cards of a colour that make a cure")
    scientist_cards = Tunable(4, range(1, 8), "the same for the Scientist")
    cures_to_win = Tunable(4, range(1, 5), "cures that win the game")
    hand = Tunable({2: 4, 3: 3, 4: 2}, range(7), "cards in hand at the start")
    hand_limit = Tunable(7, range(3, 11), "cards that a hand may have")
    draws = Tunable(2, range(1, 4), "player cards drawn in a turn")
    actions = Tunable(4, range(1, 9), "actions in a turn")
    stations = Tunable(6, range(1, 11), "research stations")
    forecast_cards = Tunable(6, range(1, MOST_FORECAST + 1), "cards that Forecast looks at")
    survival_rules = Tunable(False, doc="no events but Airlift and Government Grant")
    role_1 = Tunable(SeatRole.RANDOM, doc="role of player 1")
    role_2 = Tunable(SeatRole.RANDOM, doc="role of player 2")
    role_3 = Tunable(SeatRole.RANDOM, doc="role of player 3")
    role_4 = Tunable(SeatRole.RANDOM, doc="role of player 4")

    map = Tunable(Map.PUBLISHED, doc="published, or with the slips in TAG's data")
    outbreaks_reach = Tunable(Outbreaks.NEIGHBOURS, doc="all neighbours, or those with pawns")
    outbreaks_add_supply = Tunable(False, doc="cubes of an outbreak go to the supply as well")
    quarantine_neighbours = Tunable(True, doc="Quarantine Specialist protects neighbours, too")
    medic_prevention = Tunable(True, doc="Medic prevents cubes, and treats by being there")
    cure_discards_all = Tunable(False, doc="a cure costs all cards of its colour in hand")
    cure_eradicates = Tunable(True, doc="a cure eradicates a disease without cubes on the board")
    may_pass = Tunable(True, doc="a player may do fewer actions")
    events_any_time = Tunable(True, doc="events out of turn, and between actions")
    events_cost_actions = Tunable(False, doc="an event in the own turn costs an action")
    events_at_limit = Tunable(True, doc="events may be played instead of discarding")
    one_flight_a_turn = Tunable(True, doc="Operations Expert flies by any card once a turn")


class PandemicState(GameState):
    """The state. All of it is open except the order of the two decks."""

    cities = GraphBoard(WORLD, (*COLOURS, "station"))
    diseases = GraphBoard(DISEASES, ("supply", "cured"))
    pawns = per_player(Token(WORLD.words))
    roles = per_player(Token(ROLES.words))
    hands = per_player(Deck(PLAYER_CARDS, Visibility.EVERYONE, capacity=SMALL))
    player_deck = Deck(PLAYER_CARDS, Visibility.NOBODY)
    player_discards = Deck(PLAYER_CARDS, Visibility.EVERYONE)
    prepared = Deck(PLAYER_CARDS, Visibility.EVERYONE, SMALL)
    """The event that the Contingency Planner has taken."""
    used_up = Deck(PLAYER_CARDS, Visibility.EVERYONE, SMALL)
    """Events that he has played, out of the game."""
    infection_deck = Deck(INFECTION_CARDS, Visibility.NOBODY, LARGE)
    infection_discards = Deck(INFECTION_CARDS, Visibility.EVERYONE, LARGE)
    resilient = Deck(INFECTION_CARDS, Visibility.EVERYONE, SMALL)
    """Infection cards out of the game."""
    forecast = Deck(INFECTION_CARDS, Visibility.EVERYONE, SMALL)
    """Those that are being put back."""
    shuffled_in = Note(CITIES)
    """For each infection card with which shuffle it came into the infection deck."""
    shuffles = Counter()
    """How often discarded infection cards were shuffled."""
    outbreaks = Counter(0, 20)
    epidemics = Counter(0, 6)
    """Epidemics so far: the place on the infection rate track."""
    stations_left = Counter(0, 10)
    stage = Counter(0, 6)
    """What comes next in the turn, a ``Stage``."""
    actions_left = Counter(0, 8)
    epidemics_to_resolve = Counter(0, 3)
    infections_left = Counter(0, 4)
    flown = Counter(0, 1)
    """Whether the Operations Expert has used their flight this turn."""
    quiet = Counter(0, 1)
    """Whether the next infection is left out."""
    asked = Counter(0, 4)
    """How many players, from the owner of the turn on, were asked for events already."""
    stack = Interrupts(2)


class Move(ActionKinds):
    """The actions. The first seventeen are actions of the turn."""

    DRIVE = Action("drive to {city}", city=WORLD)
    DIRECT = Action("fly to {city}", city=WORLD)
    CHARTER = Action("charter a flight to {city}", city=WORLD)
    SHUTTLE = Action("take the shuttle to {city}", city=WORLD)
    SEND_DRIVE = Action("have {pawn} drive to {city}", pawn=SEATS, city=WORLD)
    SEND_DIRECT = Action("have {pawn} fly to {city}", pawn=SEATS, city=WORLD)
    SEND_CHARTER = Action("have {pawn} charter a flight to {city}", pawn=SEATS, city=WORLD)
    SEND_SHUTTLE = Action("have {pawn} take the shuttle to {city}", pawn=SEATS, city=WORLD)
    JOIN = Action("have {pawn} join {other}", pawn=SEATS, other=SEATS)
    OPERATE = Action("fly from the research station, discarding {card}", card=WORLD)
    BUILD = Action("build a research station")
    REBUILD = Action("build a research station with the one of {city}", city=WORLD)
    TREAT = Action("treat {disease}", disease=DISEASES)
    GIVE = Action("give {card} to {player}", card=WORLD, player=SEATS)
    TAKE = Action("take {card} from {player}", card=WORLD, player=SEATS)
    CURE = Action("discover a cure for {disease}", disease=DISEASES)
    PREPARE = Action("take {event} from the discard pile", event=PLAYER_CARDS)
    FINISH = Action("do nothing more")
    AIRLIFT = Action("play Airlift on {pawn}", pawn=SEATS)
    PLAY = Action("play {event}", event=PLAYER_CARDS)
    NO_EVENT = Action("play no event now")
    DISCARD = Action("discard {card}", card=PLAYER_CARDS)
    KEEP = Action("keep {card}", card=WORLD)
    GO = Action("go to {city}", city=WORLD)
    TAKE_STATION = Action("take the research station of {city}", city=WORLD)
    PLACE_STATION = Action("put a research station in {city}", city=WORLD)
    REMOVE = Action("remove {city} from the infection cards", city=WORLD)
    PUT_BACK = Action("put {city} on the infection deck", city=WORLD)


SENT = int(Move.SEND_DRIVE) - int(Move.DRIVE)
"""How much higher the kind is when another's pawn is moved."""
LAST_ACTION = int(Move.PREPARE)
LAST_EVENT = int(Move.PLAY)
