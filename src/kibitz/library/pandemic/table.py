"""The state, the parameters and the actions of Pandemic."""

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
    GraphBoard,
    Interrupts,
    Note,
    Token,
    Tunable,
    Visibility,
    per_player,
)
from kibitz.library.pandemic.world import (
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
"""The track of ``cities`` for research stations, 1 or 0; the tracks before count cubes."""
SUPPLY = 0
"""The track of ``diseases`` for the number of cubes that are not on the board."""
CURED = 1
"""The track of ``diseases`` for their state: 0, 1 once cured, 2 once eradicated."""
RATES = (2, 2, 2, 3, 3, 4, 4)
"""The infection rate by the number of epidemics."""
MOST_FORECAST = 8
SMALL = 16
"""The capacity of hands and other small piles.

All small piles have the same capacity, and all large ones have, since functions that move cards
are compiled for each pair of capacities.
"""
LARGE = PLAYER_CARDS.total
"""The capacity of large piles."""


class Phase(enum.IntEnum):
    """The kind of decision of the player to move."""

    ACTION = 0
    """The player chooses the next action of the turn."""
    EVENT = 1
    """The player plays an event or none."""
    DISCARD = 2
    """The player, with too many cards in hand, discards a card or plays an event."""
    DESTINATION = 3
    """The player chooses the destination of Airlift or of the Operations Expert's flight."""
    STATION_FROM = 4
    """The player chooses the station that Government Grant moves, if all are on the board."""
    STATION_TO = 5
    """The player chooses the city where Government Grant puts a station."""
    RESILIENCE = 6
    """The player chooses the infection card that Resilient Population removes."""
    FORECAST = 7
    """The player chooses the forecast card that goes back next."""
    KEEP = 8
    """The player, with more cards than a cure needs, chooses a card of the colour to keep."""


class Ending(enum.IntEnum):
    """The phase of a finished game, which says how it ended."""

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
"""The reasons for the end of a game, for reports."""


class Stage(enum.IntEnum):
    """The stages of a turn; the state has the next one."""

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
    """The version of the map."""

    PUBLISHED = 0
    TAG = 1
    """The map of TAG: Milan leads to Algiers but not back, Kinshasa to Khartoum but not back, and
    Miami has a tenth of its population."""


class Outbreaks(enum.IntEnum):
    """The neighbours that an outbreak reaches."""

    NEIGHBOURS = 0
    """An outbreak reaches all neighbours; each city breaks out once in a chain."""
    PAWNS = 1
    """An outbreak puts a cube for each pawn in a neighbour; cities may break out again (TAG)."""


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
    """The state of Pandemic, of which only the order of the two decks is hidden."""

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
    """The events that the Contingency Planner has played, which are out of the game."""
    infection_deck = Deck(INFECTION_CARDS, Visibility.NOBODY, LARGE)
    infection_discards = Deck(INFECTION_CARDS, Visibility.EVERYONE, LARGE)
    resilient = Deck(INFECTION_CARDS, Visibility.EVERYONE, SMALL)
    """The infection cards that Resilient Population has removed."""
    forecast = Deck(INFECTION_CARDS, Visibility.EVERYONE, SMALL)
    """The infection cards of a Forecast that are still to be put back."""
    shuffled_in = Note(CITIES)
    """The number of the shuffle by which each infection card came into the deck."""
    shuffles = Counter()
    """The number of shuffles of discarded infection cards."""
    outbreaks = Counter(0, 20)
    epidemics = Counter(0, 6)
    """The number of epidemics, which is the place on the infection rate track."""
    stations_left = Counter(0, 10)
    stage = Counter(0, 6)
    """The next ``Stage`` of the turn."""
    actions_left = Counter(0, 8)
    epidemics_to_resolve = Counter(0, 3)
    infections_left = Counter(0, 4)
    flown = Counter(0, 1)
    """Whether the Operations Expert has used their flight in this turn."""
    quiet = Counter(0, 1)
    """Whether the next infection of cities is skipped."""
    asked = Counter(0, 4)
    """The number of players, from the owner of the turn on, who were asked for events."""
    stack = Interrupts(2)


class Move(ActionKinds):
    """The kinds of actions; the first seventeen are actions of the turn."""

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
    NO_EVENT = Action("play no event now", otherwise="")
    DISCARD = Action("discard {card}", card=PLAYER_CARDS)
    KEEP = Action("keep {card}", card=WORLD)
    GO = Action("go to {city}", city=WORLD)
    TAKE_STATION = Action("take the research station of {city}", city=WORLD)
    PLACE_STATION = Action("put a research station in {city}", city=WORLD)
    REMOVE = Action("remove {city} from the infection cards", city=WORLD)
    PUT_BACK = Action("put {city} on the infection deck", city=WORLD)


CUBES = [
    f"{number} {colour} {'cube' if number == 1 else 'cubes'}"
    for number in range(Parameters.tunables["cubes_per_city"].largest + 1)
    for colour in COLOURS
]
"""Numbers of cubes with their colour: by the number times the colours, plus the colour."""


class Say(AnnouncementKinds):
    """What the log says besides the actions and the moves of cards."""

    PLAYER_CARD = Announcement("", moves="card", card=PLAYER_CARDS)
    """A card moves as the words of the action say."""
    INFECTION_CARD = Announcement("", moves="city", city=INFECTION_CARDS)
    """An infection card moves as the words of the action say."""
    DRAW = Announcement("{player} {draws} {card}", moves="card", player=SEAT, card=PLAYER_CARDS)
    EPIDEMIC = Announcement(
        "an epidemic: the infection rate is {rate}", rate=range(max(RATES) + 1)
    )
    BOTTOM = Announcement(
        "the bottom infection card is {city}", moves="city", city=INFECTION_CARDS
    )
    INFECT = Announcement("the next infection card is {city}", moves="city", city=INFECTION_CARDS)
    INTENSIFY = Announcement("the infection discards go back on top of the infection deck")
    QUIET = Announcement("it is a quiet night, and no city is infected")
    GAIN = Announcement("{city} gets {cubes}", city=WORLD, cubes=CUBES)
    LOSE = Announcement("{city} loses {cubes}", city=WORLD, cubes=CUBES)
    ERADICATED = Announcement(
        "{disease} is eradicated, so {city} gets no cube", disease=COLOURS, city=WORLD
    )
    PROTECTED = Announcement("{city} is protected and gets no cube", city=WORLD)
    OUTBREAK = Announcement(
        "{disease} breaks out in {city}, outbreak {number} of {most}",
        disease=COLOURS,
        city=WORLD,
        number=range(21),
        most=range(21),
    )
    CURE = Announcement(
        "there is a cure for {disease}, {number} of {needed}",
        disease=COLOURS,
        number=range(len(COLOURS) + 1),
        needed=range(len(COLOURS) + 1),
    )
    ERADICATE = Announcement("{disease} is eradicated", disease=COLOURS)
    OUTBREAKS = Announcement("the game is lost by {most} outbreaks", most=range(21))
    NO_CUBE = Announcement("no {disease} cube is left, so the game is lost", disease=COLOURS)
    NO_CARDS = Announcement("too few player cards are left to draw, so the game is lost")


SENT = int(Move.SEND_DRIVE) - int(Move.DRIVE)
"""The difference of kinds between moving another player's pawn and one's own."""
LAST_ACTION = int(Move.PREPARE)
LAST_EVENT = int(Move.PLAY)
