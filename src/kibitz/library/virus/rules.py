"""Virus! (Cabrero, López, Santisteban, Tranjis Games 2015): complete a body, infect the others.

Source: the published rules. Each player has three cards. On a turn a player plays one card or
discards one to three, and draws up to three again. The first player whose body has four different
organs without a virus wins; the wild organ stands for any missing one. A virus infects an organ of
its colour, or destroys the medicine on it, or kills the organ if it is infected; a medicine cures
or vaccinates, and a second one makes the organ immune for good. Treatments move organs, viruses,
hands and bodies. When the deck is empty, the discard pile is turned over without a shuffle.

Where the rules are silent, or their wording leaves a choice:

- The wild organ is a kind of its own: it may lie beside all four others, and any four healthy
  organs win, also beside an infected fifth.
- A virus is played on other players' bodies; a medicine may be played on any body.
- A virus or medicine must match the organ, and the card that it removes: by the publisher's
  questions and answers a virus is removed only by a medicine of its colour or a wild one, and a
  medicine only by such a virus, also on the wild organ. Two medicines of different colours
  immunise the wild organ, and two viruses of different colours kill it.
- All discards lie face up, so that their order is known, and with it the deck's order after the
  pile has been turned over. That happens when a card has to be drawn from an empty deck. A
  treatment goes to the pile before the cards that it makes others discard, and an organ before the
  cards on it; several cards of a hand go in the order of ``CARDS``.
- Contagion goes on until no virus can be moved; the player chooses each move.
- A player with a complete body wins immediately, also on another player's turn, or in the middle
  of a Contagion.
- A card without an effect cannot be played, such as a Medical Error between two empty bodies, or a
  Latex Glove when no other player holds a card. An exchange of equal organs is allowed, such as a
  Transplant of a heart for a heart.
- A player with an empty hand can only draw.

Parameters: the number of each card; ``hand_size``, ``most_discards``, ``organs_to_win``;
``round_limit`` (0: none), after which the game is a draw; and variants of the TAG framework, off
by default: ``reshuffle``, ``glove_on_one``, ``contagion_viruses=1``, ``transplant_own``,
``medicine_own``, ``matching=either``.
"""

from __future__ import annotations

import enum
from typing import Any

from kibitz.components import (
    Deck,
    Note,
    clear_deck,
    draw_card,
    end_turn,
    find_card,
    lead,
    move_card,
    place_card,
    put_copies,
    shuffle_deck,
    take_card,
    trade_decks,
)
from kibitz.components.batch_sampling import gather_places
from kibitz.components.batches import (
    BarredClasses,
    DrawnCopies,
    NewestBatch,
    SamplingNumbers,
    begin_batch,
    note_drawn,
    note_gone,
)
from kibitz.components.deals import deal_again
from kibitz.core import state as states
from kibitz.core.actions import (
    MAX_ACTIONS,
    Action,
    ActionKinds,
    ActionList,
    add,
    add_if,
    add_marked,
    kind,
    operand,
    pack,
)
from kibitz.core.announcements import SEAT, Announcement, AnnouncementKinds
from kibitz.core.game import Game
from kibitz.core.layout import EVERYONE, GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.results import draw_game, win
from kibitz.core.status import Status
from kibitz.core.trace import announce
from kibitz.library.virus.bodies import (
    CARDS,
    COLOURS,
    ORGAN_CARDS,
    ORGANS,
    WILD,
    Body,
    Card,
    Class,
    add_organ,
    class_of,
    exchange_laid,
    laid_on,
    lay_card,
    move_organ,
    organs_matching,
    same_colour,
    take_stock,
)
from kibitz.library.virus.text import describe_table, exchange_question

MOST_PLAYERS = 6
REMEDIES = [CARDS.word(card) for card in range(COLOURS * Class.TREATMENT)]
"""The names of viruses and medicines, after those of organs, so that indices are card numbers."""
SEATS = [f"player {p + 1}" for p in range(MOST_PLAYERS)]


class Phase(enum.IntEnum):
    """The kind of decision of the player to move."""

    PLAY = 0
    """The player plays a card, or discards cards."""
    EXCHANGE = 1
    """The player chooses the second organ of a Transplant."""
    SPREAD = 2
    """The player chooses the next virus of a Contagion, and the organ to which it moves."""


class Matching(enum.IntEnum):
    """The cards that a virus or medicine must match to be played on an organ with a card on it."""

    REMOVED = 0
    """It must match the organ, and the card that it removes, one of the other class."""
    ORGAN = 1
    """It must match the organ."""
    BOTH = 2
    """It must match the organ and the card on it, even if it does not remove that card."""
    EITHER = 3
    """It must match the organ or the card on it."""
    CARD = 4
    """It must match the card that it removes, or the organ if it removes no card."""


class Move(ActionKinds):
    """The kinds of actions; the affected organ is the first operand."""

    ORGAN = Action("play {organ}", organ=ORGANS)
    TREAT = Action(
        "play {card} on the {organ} of {owner}", organ=ORGANS, card=REMEDIES, owner=SEATS
    )
    TRANSPLANT = Action("play Transplant on the {organ} of {owner}", organ=ORGANS, owner=SEATS)
    EXCHANGE = Action("exchange it for the {organ} of {owner}", organ=ORGANS, owner=SEATS)
    STEAL = Action("play Organ Thief on the {organ} of {owner}", organ=ORGANS, owner=SEATS)
    CONTAGION = Action(
        "play Contagion from your {source} to the {organ} of {owner}",
        organ=ORGANS,
        source=ORGANS,
        owner=SEATS,
    )
    SPREAD = Action(
        "spread from your {source} to the {organ} of {owner}",
        organ=ORGANS,
        source=ORGANS,
        owner=SEATS,
    )
    GLOVE = Action("play Latex Glove")
    GLOVE_ON = Action("play Latex Glove on {target}", target=SEATS)
    ERROR = Action("play Medical Error on {target}", target=SEATS)
    DISCARD = Action("discard {card}", card=CARDS)
    DISCARD_TWO = Action("discard {first} and {second}", first=CARDS, second=CARDS)
    DISCARD_THREE = Action(
        "discard {first}, {second} and {third}", first=CARDS, second=CARDS, third=CARDS
    )
    DRAW = Action("draw a new hand")


class Say(AnnouncementKinds):
    """What the log says besides the actions and the moves of cards."""

    INFECT = Announcement("{owner's} {organ} is infected", owner=SEAT, organ=CARDS)
    VACCINATE = Announcement("{owner's} {organ} is vaccinated", owner=SEAT, organ=CARDS)
    IMMUNISE = Announcement("{owner's} {organ} is immune for good", owner=SEAT, organ=CARDS)
    CURE = Announcement(
        "{owner's} {organ} is cured", moves="virus", owner=SEAT, organ=CARDS, virus=CARDS
    )
    WEAKEN = Announcement(
        "{owner's} {organ} is no longer vaccinated",
        moves="medicine",
        owner=SEAT,
        organ=CARDS,
        medicine=CARDS,
    )
    DESTROY = Announcement(
        "{owner's} {organ} is destroyed",
        moves=("organ", "virus"),
        owner=SEAT,
        organ=CARDS,
        virus=CARDS,
    )
    DISCARD_HAND = Announcement("{player} {discards} {player's} hand", player=SEAT)
    TURN_OVER = Announcement("the discards become the deck")
    COMPLETE = Announcement(
        "{player} {has} {organs} healthy organs and {wins}", player=SEAT, organs=range(COLOURS + 1)
    )
    LIMIT = Announcement("nobody has won in {rounds} rounds", rounds=range(1001))


class Parameters(GameParameters):
    """The parameters: the deck, hand size and variants of the rules."""

    organs = Tunable(5, range(4, 7), "organs of each colour")
    wild_organs = Tunable(1, range(3), "wild organs")
    viruses = Tunable(4, range(2, 6), "viruses of each colour")
    wild_viruses = Tunable(1, range(3), "wild viruses")
    medicines = Tunable(4, range(2, 6), "medicines of each colour")
    wild_medicines = Tunable(4, range(6), "wild medicines")
    transplants = Tunable(3, range(1, 5), "how many Transplants")
    thieves = Tunable(3, range(1, 5), "how many Organ Thieves")
    contagions = Tunable(2, range(4), "how many Contagions")
    gloves = Tunable(1, range(3), "how many Latex Gloves")
    errors = Tunable(1, range(3), "how many Medical Errors")
    hand_size = Tunable(3, range(2, 6), "cards in hand")
    most_discards = Tunable(3, range(1, 4), "cards that can be discarded on a turn")
    organs_to_win = Tunable(4, range(2, 5), "healthy organs that win")
    round_limit = Tunable(0, range(1001), "rounds after which the game is a draw; 0: no limit")
    reshuffle = Tunable(False, doc="the discard pile is shuffled when it becomes the deck")
    matching = Tunable(Matching.REMOVED, doc="what viruses and medicines must match")
    medicine_own = Tunable(False, doc="medicines are for the own body only")
    transplant_own = Tunable(False, doc="Transplant takes an organ of the own body")
    contagion_viruses = Tunable(COLOURS, range(1, COLOURS + 1), "viruses a Contagion can move")
    glove_on_one = Tunable(False, doc="Latex Glove is for one other player")


PER_COLOUR = ("organs", "viruses", "medicines")
MOST_CARDS = sum(
    Parameters.tunables[name].largest * (COLOURS - 1 if name in PER_COLOUR else 1)
    for name in list(Parameters.tunables)[: list(Parameters.tunables).index("hand_size")]
)


class VirusState(GameState):
    """The state; a player's score is their number of healthy organs."""

    deck = Deck(CARDS, Visibility.NOBODY, capacity=MOST_CARDS)
    discard = Deck(CARDS, Visibility.EVERYONE, capacity=MOST_CARDS)
    hands = per_player(
        Deck(CARDS, Visibility.OWNER, capacity=Parameters.tunables["hand_size"].largest)
    )
    bodies = per_player(Body())
    step = Note(2)
    """In a Transplant the first organ's owner and kind; in a Contagion the number of moves."""
    newest = NewestBatch()
    """The batch of the deck, 0 until discards are shuffled into it: ``components/batches.py``."""
    barred = per_player(BarredClasses(Parameters.tunables["hand_size"].largest))
    """The shuffles from which the cards of a hand cannot be, as all players know."""
    batches = SamplingNumbers(len(CARDS))
    """The maximum number of copies of each card, by batch, in hands and deck."""
    taken = per_player(DrawnCopies(len(CARDS)))
    """The copies of each card, by batch, that a player has drawn."""


class Virus(Game):
    """Be the first with four healthy organs, and keep the others from it."""

    name = "virus"
    look = "kibitz.pictures.looks.virus:VirusLook"
    title = "Virus!"
    players = (2, MOST_PLAYERS)
    categories = ("card game", "medical")
    mechanics = ("hand management", "set collection", "take that", "hidden information")
    zero_sum = True
    source = "Domingo Cabrero, Carlos López, Santi Santisteban, Tranjis Games 2015"
    phases = Phase
    max_ticks = 50_000
    timed = True
    logs_rounds = False
    Parameters = Parameters
    State = VirusState
    Actions = Move
    Announcements = Say

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """A line for each player, and what is known of the deck and of the discards."""
        question = ""
        if state.view.phase == Phase.EXCHANGE:
            question = exchange_question(state.view, observer)
        elif state.view.phase == Phase.SPREAD:
            question = "The Contagion goes on: which virus spreads next?"
        return describe_table(state, question, observer)

    @staticmethod
    def setup(state: VirusState, params: Any) -> None:
        """Shuffles the deck and deals the hands."""
        for card in range(WILD):
            put_copies(state, state.deck, card, params.organs)
            put_copies(state, state.deck, card + COLOURS, params.viruses)
            put_copies(state, state.deck, card + 2 * COLOURS, params.medicines)
        put_copies(state, state.deck, Card.WILD_ORGAN, params.wild_organs)
        put_copies(state, state.deck, Card.WILD_VIRUS, params.wild_viruses)
        put_copies(state, state.deck, Card.WILD_MEDICINE, params.wild_medicines)
        put_copies(state, state.deck, Card.TRANSPLANT, params.transplants)
        put_copies(state, state.deck, Card.ORGAN_THIEF, params.thieves)
        put_copies(state, state.deck, Card.CONTAGION, params.contagions)
        put_copies(state, state.deck, Card.LATEX_GLOVE, params.gloves)
        put_copies(state, state.deck, Card.MEDICAL_ERROR, params.errors)
        shuffle_deck(state, state.deck)
        for p in range(state.players):
            fill_hand(state, params, p)

    @staticmethod
    def legal_actions(state: VirusState, params: Any, actions: ActionList) -> None:
        """Adds each playable card with each of its targets, and all discards."""
        if state.phase == Phase.EXCHANGE:
            add_exchanges(state, actions)
        elif state.phase == Phase.SPREAD:
            add_spreads(state, actions, pack(Move.SPREAD))
        elif state.hands[state.player].count == 0:
            add(actions, pack(Move.DRAW))
        else:
            hand = state.hands[state.player]
            cards = in_order(hand)
            before = -1
            for i in range(hand.count):
                card = card_at(cards, i)
                if card != before:
                    add_plays(state, params, actions, card)
                before = card
            add_discards(cards, hand.count, params.most_discards, actions)

    @staticmethod
    def apply_action(state: VirusState, params: Any, action: int) -> None:
        """Carries out an action; at the end of the turn the player draws."""
        move = kind(action)
        if move >= Move.DISCARD:
            discard_cards(state, action)
        elif move == Move.ORGAN or move == Move.TREAT:
            play_on_body(state, params, action)
        elif move >= Move.GLOVE:
            play_on_players(state, params, action)
        else:
            move_organs(state, params, action)
        if state.phase == Phase.PLAY and state.status == Status.PLAYING:
            finish_turn(state, params)

    @staticmethod
    def heuristic(state: VirusState, params: Any, player: int) -> float:
        """The lead in the completeness and safety of the body."""
        return lead(state, params, player, standing)

    @staticmethod
    def redeterminize(state: VirusState, params: Any, player: int) -> None:
        """Deals the hidden cards consistently with the draws, after a shuffle of discards."""
        if state.newest.value > 0:
            deal_again(state, player, state.deck, gather)


def gather(state: VirusState, player: int, places: Any) -> None:
    """Gathers all places that are hidden from `player`."""
    gather_places(state, player, state.deck, places)


# --- cards to and from hands --------------------------------------------------------------


def fill_hand(state: VirusState, params: Any, player: int) -> None:
    """Draws cards up to a full hand, as far as there are any."""
    hand = state.hands[player]
    while hand.count < params.hand_size:
        if state.deck.count == 0:
            turn_over(state, params)
        if state.deck.count == 0:
            return
        card = draw_card(state, state.deck, hand)
        if state.newest.value > 0:
            note_drawn(state, player, card)


def turn_over(state: VirusState, params: Any) -> None:
    """Turns the discard pile over as the new deck, whose order all players know."""
    pile = state.discard
    if pile.count > 0:
        announce(Say.TURN_OVER)
    for i in range(pile.count - 1, -1, -1):
        place_card(state, state.deck, pile.cards[i], pile.seen[i])
    clear_deck(pile)
    if params.reshuffle:
        shuffle_deck(state, state.deck)
        begin_batch(state, state.deck)


def place_in_hand(hand: Deck, card: int) -> int:
    """The index in the hand of a card that its owner plays or discards.

    Of several copies it is one that all players know, if there is one: they see a copy go, and
    cannot know whether another one stays.
    """
    index = -1
    for i in range(hand.count):
        if hand.cards[i] == card and (index < 0 or hand.seen[i] > hand.seen[index]):
            index = i
    return index


def leave_hand(state: VirusState, player: int, index: int) -> int:
    """Takes the card at `index` from a hand openly; returns it."""
    card = take_card(state.hands[player], index)
    if state.newest.value > 0:
        note_gone(state, player, card, False)
    return card


def play_from_hand(state: VirusState, card: int) -> int:
    """Takes a card from the hand of the player to move; returns it."""
    return leave_hand(state, state.player, place_in_hand(state.hands[state.player], card))


def discard_card(state: VirusState, card: int) -> None:
    """Moves a card from the hand of the player to move to the discard pile."""
    place_card(state, state.discard, play_from_hand(state, card), EVERYONE)


def discard_cards(state: VirusState, action: int) -> None:
    """Discards one, two or three cards, or no card if a new hand is drawn."""
    move = kind(action)
    if move == Move.DRAW:
        return
    for i in range(move - Move.DISCARD + 1):
        discard_card(state, operand(action, i))


def discard_hand(state: VirusState, player: int) -> None:
    """Discards all cards of a hand, in the order of ``CARDS``."""
    hand = state.hands[player]
    if hand.count > 0:
        announce(Say.DISCARD_HAND, player)
    while hand.count > 0:
        lowest = 0
        for i in range(1, hand.count):
            if hand.cards[i] < hand.cards[lowest]:
                lowest = i
        place_card(state, state.discard, leave_hand(state, player, lowest), EVERYONE)


def in_order(hand: Deck) -> int:
    """The cards in hand from the lowest to the highest, packed with eight bits each."""
    cards = 0
    for i in range(hand.count):
        lower = 0
        for j in range(hand.count):
            lower += (hand.cards[j] < hand.cards[i]) | ((hand.cards[j] == hand.cards[i]) & (j < i))
        cards |= hand.cards[i] << 8 * lower
    return cards


def card_at(cards: int, i: int) -> int:
    """Card number `i` of those that ``in_order`` packed."""
    return cards >> 8 * i & 255


# --- legal actions ------------------------------------------------------------------------


def add_discards(cards: int, count: int, most: int, actions: ActionList) -> None:
    """Adds every set of up to `most` of the `count` cards that ``in_order`` packed.

    Of several copies the first ones are taken first, so that each set is listed once. The number
    of actions is a local variable, as in ``add_marked``.
    """
    listed = actions.count
    if listed + count**3 > MAX_ACTIONS:
        actions.overflow = 1
        return
    before = -1
    for i in range(count):
        a = card_at(cards, i)
        new_card = a != before
        actions.items[listed] = pack(Move.DISCARD, a)
        listed += new_card
        before = a
        last = -1
        for j in range(i + 1, count if most > 1 else 0):
            b = card_at(cards, j)
            new_pair = new_card & (b != last)
            actions.items[listed] = pack(Move.DISCARD_TWO, a, b)
            listed += new_pair
            last = b
            latest = -1
            for k in range(j + 1, count if most > 2 else 0):
                c = card_at(cards, k)
                actions.items[listed] = pack(Move.DISCARD_THREE, a, b, c)
                listed += new_pair & (c != latest)
                latest = c
    actions.count = listed


def add_plays(state: VirusState, params: Any, actions: ActionList, card: int) -> None:
    """Adds all ways to play a card."""
    card_class = class_of(card)
    if card_class == Class.VIRUS or card_class == Class.MEDICINE:
        add_remedies(state, params, actions, card)
    elif card_class == Class.ORGAN:
        if state.bodies[state.player].held >> card & 1 == 0:
            add(actions, pack(Move.ORGAN, card))
    elif card == Card.TRANSPLANT:
        add_transplants(state, params, actions)
    elif card == Card.ORGAN_THIEF:
        add_thefts(state, actions)
    elif card == Card.CONTAGION:
        add_spreads(state, actions, pack(Move.CONTAGION))
    else:
        add_on_players(state, params, actions, card)


def add_remedies(state: VirusState, params: Any, actions: ActionList, card: int) -> None:
    """Adds a virus or medicine on each organ that it fits and that is not immune."""
    harms = class_of(card) == Class.VIRUS
    for p in range(state.players):
        own = p == state.player
        if own if harms else params.medicine_own and not own:
            continue
        body = state.bodies[p]
        if params.matching == Matching.REMOVED:
            organs = organs_treatable(body, card)
        elif params.matching == Matching.ORGAN:
            organs = body.movable & organs_matching(card)
        else:
            organs = organs_fitting(body, params.matching, card)
        if organs != 0:
            add_on_organs(actions, pack(Move.TREAT, 0, card, p), organs)


def organs_treatable(body: Body, card: int) -> int:
    """The organs that a virus or medicine matches, together with the card that it removes.

    A card on a coloured organ matches all that matches the organ; only a card on the wild organ,
    the last of the row, may have another colour.
    """
    organs = body.movable & organs_matching(card)
    if organs & ~body.free & 1 << WILD:
        met = body.cards[body.count - 1]
        if class_of(met) != class_of(card) and not same_colour(met, card):
            organs &= ~(1 << WILD)
    return organs


def organs_fitting(body: Body, matching: int, card: int) -> int:
    """The organs on which a virus or medicine can be played by a rule other than ``REMOVED``."""
    organs = 0
    matches = organs_matching(card)
    for i in range(body.count):
        organ = body.cards[i]
        if organ < COLOURS and body.movable >> organ & 1:
            fits = matches >> organ & 1 != 0
            if laid_on(body, i) > 0:
                fits = fits_on(matching, fits, body.cards[i + 1], card)
            organs |= fits << organ
    return organs


def fits_on(matching: int, on_organ: bool, met: int, card: int) -> bool:
    """Whether a virus or medicine can be played on the card `met`, on an organ that it may fit."""
    on_card = same_colour(met, card)
    if matching == Matching.CARD:
        return on_organ if class_of(met) == class_of(card) else on_card
    return on_organ and on_card if matching == Matching.BOTH else on_organ or on_card


def add_on_organs(actions: ActionList, action: int, organs: int) -> None:
    """Adds an action for each organ of a set, which is its first operand."""
    add_marked(actions, action, ORGAN_CARDS, COLOURS, organs)


def add_transplants(state: VirusState, params: Any, actions: ActionList) -> None:
    """Adds each organ that can be exchanged for an organ of a later player in turn order.

    So every exchange is listed once, and players choose their own organ before another's.
    """
    reach = 1 if params.transplant_own else state.players - 1
    for step in range(reach):
        p = (state.player + step) % state.players
        mine = state.bodies[p]
        organs = 0
        for further in range(step + 1, state.players):
            theirs = state.bodies[(state.player + further) % state.players]
            organs |= mine.movable & theirs.movable
            if theirs.movable & ~mine.held != 0:
                organs |= mine.movable & ~theirs.held
        add_on_organs(actions, pack(Move.TRANSPLANT, 0, p), organs)


def add_exchanges(state: VirusState, actions: ActionList) -> None:
    """Adds each organ of later players for which the chosen organ can be exchanged."""
    owner = state.step.values[0]
    organ = 1 << state.step.values[1]
    held = state.bodies[owner].held
    first = (owner - state.player) % state.players
    for further in range(first + 1, state.players):
        p = (state.player + further) % state.players
        theirs = state.bodies[p]
        organs = theirs.movable & (organ if theirs.held & organ else ~held)
        add_on_organs(actions, pack(Move.EXCHANGE, 0, p), organs)


def add_thefts(state: VirusState, actions: ActionList) -> None:
    """Adds each organ of other players that the player lacks and that is not immune."""
    held = state.bodies[state.player].held
    for p in range(state.players):
        if p != state.player:
            add_on_organs(actions, pack(Move.STEAL, 0, p), state.bodies[p].movable & ~held)


def add_spreads(state: VirusState, actions: ActionList, move: int) -> None:
    """Adds each way to move one of the player's viruses to a free organ of another player."""
    body = state.bodies[state.player]
    for i in range(1, body.count):
        if class_of(body.cards[i]) == Class.VIRUS:
            organs = organs_matching(body.cards[i])
            for p in range(state.players):
                if p != state.player:
                    action = move | pack(0, 0, body.cards[i - 1], p)
                    add_on_organs(actions, action, state.bodies[p].free & organs)


def can_spread(state: VirusState) -> bool:
    """Whether any virus of the player can be moved to a free organ of another player."""
    body = state.bodies[state.player]
    organs = 0
    for p in range(state.players):
        if p != state.player:
            organs |= state.bodies[p].free
    for i in range(body.count):
        if class_of(body.cards[i]) == Class.VIRUS and organs_matching(body.cards[i]) & organs:
            return True
    return False


def add_on_players(state: VirusState, params: Any, actions: ActionList, card: int) -> None:
    """Adds Latex Glove, if others have cards, or Medical Error, unless both bodies are empty."""
    empty = state.bodies[state.player].count == 0
    others_hold = False
    for p in range(state.players):
        if p != state.player:
            holds = state.hands[p].count > 0
            others_hold |= holds
            if card == Card.MEDICAL_ERROR:
                add_if(not empty or state.bodies[p].count > 0, actions, pack(Move.ERROR, p))
            elif params.glove_on_one:
                add_if(holds, actions, pack(Move.GLOVE_ON, p))
    everybody = card == Card.LATEX_GLOVE and not params.glove_on_one
    add_if(everybody and others_hold, actions, pack(Move.GLOVE))


# --- effects of cards ---------------------------------------------------------------------


def play_on_body(state: VirusState, params: Any, action: int) -> None:
    """Plays an organ, a virus or a medicine."""
    organ = operand(action, 0)
    owner = operand(action, 2)
    if kind(action) == Move.ORGAN:
        owner = state.player
        add_organ(state, state.bodies[owner], play_from_hand(state, organ))
    else:
        treat(state, owner, organ, operand(action, 1))
    assess(state, params, owner)


def treat(state: VirusState, owner: int, organ: int, card: int) -> None:
    """Plays a virus or medicine on an organ: it stays there, or removes the card that it meets."""
    body = state.bodies[owner]
    at = find_card(body, organ)
    laid = laid_on(body, at)
    met = body.cards[at + 1] if laid > 0 else -1
    harms = class_of(card) == Class.VIRUS
    if met < 0 or (class_of(met) == Class.MEDICINE and not harms):
        healed = Say.VACCINATE if met < 0 else Say.IMMUNISE
        announce(Say.INFECT if harms else healed, owner, organ)
        lay_card(state, body, at + 1 + laid, play_from_hand(state, card))
        return
    if class_of(met) == class_of(card):  # a second virus kills the organ
        announce(Say.DESTROY, owner, organ, met)
        move_card(state, body, at, state.discard)
        move_card(state, body, at, state.discard)
    else:
        announce(Say.WEAKEN if harms else Say.CURE, owner, organ, met)
        move_card(state, body, at + 1, state.discard)
    discard_card(state, card)


def move_organs(state: VirusState, params: Any, action: int) -> None:
    """Plays a Transplant, an Organ Thief or a Contagion, or carries out its next step."""
    move = kind(action)
    organ = operand(action, 0)
    if move == Move.TRANSPLANT:
        discard_card(state, Card.TRANSPLANT)
        state.step.values[0] = operand(action, 1)
        state.step.values[1] = organ
        state.phase = Phase.EXCHANGE
    elif move == Move.EXCHANGE:
        exchange_organs(state, params, operand(action, 1), organ)
    elif move == Move.STEAL:
        discard_card(state, Card.ORGAN_THIEF)
        owner = operand(action, 1)
        move_organ(state, state.bodies[owner], state.bodies[state.player], organ)
        assess(state, params, owner)
        assess(state, params, state.player)
    else:
        spread(state, params, action)


def exchange_organs(state: VirusState, params: Any, other: int, theirs: int) -> None:
    """Transplant, second step: the chosen organ goes to `other`, and `theirs` comes back."""
    owner = state.step.values[0]
    organ = state.step.values[1]
    first_body = state.bodies[owner]
    second_body = state.bodies[other]
    if organ == theirs:
        exchange_laid(state, first_body, second_body, organ)
    else:
        move_organ(state, first_body, second_body, organ)
        move_organ(state, second_body, first_body, theirs)
    end_steps(state)
    assess(state, params, owner)
    assess(state, params, other)


def spread(state: VirusState, params: Any, action: int) -> None:
    """Contagion: moves one virus; it goes on while another one can be moved."""
    if kind(action) == Move.CONTAGION:
        discard_card(state, Card.CONTAGION)
        state.phase = Phase.SPREAD
    owner = operand(action, 2)
    mine = state.bodies[state.player]
    theirs = state.bodies[owner]
    virus = take_card(mine, find_card(mine, operand(action, 1)) + 1)
    lay_card(state, theirs, find_card(theirs, operand(action, 0)) + 1, virus)
    assess(state, params, owner)
    assess(state, params, state.player)
    state.step.values[0] += 1
    over = state.status != Status.PLAYING or state.step.values[0] >= params.contagion_viruses
    if over or not can_spread(state):
        end_steps(state)


def end_steps(state: VirusState) -> None:
    """Ends a treatment of several steps."""
    state.step.values[0] = 0
    state.step.values[1] = 0
    state.phase = Phase.PLAY


def play_on_players(state: VirusState, params: Any, action: int) -> None:
    """Plays a Latex Glove or a Medical Error."""
    target = operand(action, 0)
    if kind(action) == Move.ERROR:
        discard_card(state, Card.MEDICAL_ERROR)
        trade_decks(state, state.bodies[state.player], state.bodies[target])
        assess(state, params, target)
        assess(state, params, state.player)
        return
    discard_card(state, Card.LATEX_GLOVE)
    for step in range(1, state.players):
        p = (state.player + step) % state.players
        if kind(action) == Move.GLOVE or p == target:
            discard_hand(state, p)


# --- turns and the end --------------------------------------------------------------------


def assess(state: VirusState, params: Any, player: int) -> None:
    """Updates the summary of a changed body; a complete one ends the game."""
    body = state.bodies[player]
    take_stock(body)
    state.seat[player].score = body.healthy
    if body.healthy >= params.organs_to_win:
        announce(Say.COMPLETE, player, body.healthy)
        win(state, player)


def finish_turn(state: VirusState, params: Any) -> None:
    """Fills the hand of the player to move, and passes the turn."""
    fill_hand(state, params, state.player)
    end_turn(state)
    if state.player == state.first_player:
        state.round += 1
        if params.round_limit > 0 and state.round >= params.round_limit:
            announce(Say.LIMIT, params.round_limit)
            draw_game(state)


WORTH = (0.75, 0.9, 1.0)
"""The worth of a healthy organ with no medicine, one and two."""
WORTH_INFECTED = 0.3
"""The worth of an infected organ."""


def standing(state: VirusState, params: Any, player: int) -> float:
    """The standing of a player, 0 .. 1: the share of a complete and immune body."""
    body = state.bodies[player]
    value = 0.0
    i = 0
    while i < body.count:
        laid = laid_on(body, i)
        if laid == 1 and class_of(body.cards[i + 1]) == Class.VIRUS:
            value += WORTH_INFECTED
        else:
            value += WORTH[laid]
        i += 1 + laid
    return min(1.0, value / params.organs_to_win)
