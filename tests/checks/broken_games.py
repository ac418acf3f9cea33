"""A correct little card game, and copies of it with one fault each.

Everyone has a hand of cards from one shuffled deck. Who is to move plays a card, scores what it
shows and draws another; when all hands are empty, the highest score wins.
"""

from __future__ import annotations

import random
from typing import Any

from kibitz.components import (
    CardSet,
    CardType,
    Counter,
    Deck,
    Note,
    draw_card,
    end_turn,
    find_card,
    move_card,
    put_card,
    shuffle_deck,
    take_card,
)
from kibitz.core.actions import Action, ActionKinds, ActionList, add, operand, pack
from kibitz.core.game import Game
from kibitz.core.layout import Component, GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.randomness import random_below
from kibitz.core.results import fail, finish_by_score
from kibitz.core.status import Status

KINDS = 5
COPIES = 3
CARDS = CardSet("Fruit", [CardType(n, COPIES) for n in ("fig", "date", "plum", "pear", "lime")])


class Move(ActionKinds):
    """What a player can do."""

    PLAY = Action("play {card}", card=CARDS)
    WAIT = Action("wait")


class Parameters(GameParameters):
    """What can be varied."""

    hand = Tunable(2, range(1, 4), "cards in hand")
    bonus = Tunable(1, range(4), "what every card scores besides its number")


class State(GameState):
    """The table, and a number in the open."""

    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=4))
    played = Deck(CARDS, Visibility.EVERYONE)
    note = Note(2)


# --- the rules, in parts that broken games put together differently ---------------------------


def fill_deck(state: State) -> None:
    """All cards, in order."""
    for card in range(KINDS):
        for _ in range(COPIES):
            put_card(state, state.deck, card)


def deal(state: State, params: Any) -> None:
    """Everyone's hand."""
    for _ in range(params.hand):
        for p in range(state.players):
            draw_card(state, state.deck, state.hands[p])


def add_cards(state: State, actions: ActionList) -> None:
    """Every different card in hand."""
    for card in range(KINDS):
        if find_card(state.hands[state.player], card) >= 0:
            add(actions, pack(Move.PLAY, card))


def play_card(state: State, params: Any, card: int) -> None:
    """Plays a card from the hand and scores it."""
    hand = state.hands[state.player]
    move_card(state, hand, find_card(hand, card), state.played)
    state.seat[state.player].score += card + params.bonus


def refill(state: State) -> None:
    """Draws a card, if there is one."""
    if state.deck.count > 0:
        draw_card(state, state.deck, state.hands[state.player])


def pass_turn(state: State) -> None:
    """The next player, or the end when nobody has cards."""
    if state.hands[(state.player + 1) % state.players].count == 0:
        finish_by_score(state)
    else:
        end_turn(state)


def begin_game(state: State, params: Any) -> None:
    """A shuffled deck, and hands."""
    fill_deck(state)
    shuffle_deck(state, state.deck)
    deal(state, params)


def take_turn(state: State, params: Any, action: int) -> None:
    """Plays a card, draws one, and passes the turn."""
    play_card(state, params, operand(action, 0))
    refill(state)
    pass_turn(state)


class Sound(Game):
    """The game without a fault."""

    name = "sound"
    title = "Fruit"
    players = (2, 3)
    max_ticks = 100
    Parameters: type[GameParameters] = Parameters
    State: type[GameState] = State
    Actions: type[ActionKinds] = Move

    @staticmethod
    def setup(state: State, params: Any) -> None:
        """A shuffled deck, and hands."""
        begin_game(state, params)

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        """Every card in hand."""
        add_cards(state, actions)

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        """Plays a card, draws one, and passes the turn."""
        take_turn(state, params, action)


# --- declarations -----------------------------------------------------------------------------


class RefusedDefaults(Sound):
    """Its default parameters contradict each other."""

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        return "a hand of 3 is needed." if parameters.as_dict()["hand"] < 3 else None


STONES = CardSet("Stones", [CardType("pebble", 4), CardType("rock", 4)])


class MixedState(GameState):
    """As ``State``, with a deck of other cards in the same pool."""

    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=4))
    played = Deck(CARDS, Visibility.EVERYONE)
    stones = Deck(STONES, pool=CARDS.name)


class MixedPool(Sound):
    """Hidden fruit may turn out to be stones."""

    State = MixedState


class LostComponent(Component):
    """A component that forgot to say how large it is."""

    def dtype(self, parameters: type[GameParameters]) -> Any:
        raise TypeError("how large?")


class LostState(GameState):
    """A state that cannot be laid out."""

    lost = LostComponent()


class NoLayout(Sound):
    """Cannot even be made."""

    State = LostState


class UnusedParameters(GameParameters):
    """One more than the rules read."""

    hand = Tunable(2, range(1, 4))
    bonus = Tunable(1, range(4))
    speed = Tunable(1, range(4))


class UnreadParameter(Sound):
    """``speed`` changes nothing."""

    Parameters = UnusedParameters


class UnreachedParameter(Sound):
    """``speed`` is read where the game never comes to."""

    Parameters = UnusedParameters

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        if state.tick > 1000:
            state.note.values[0] = params.speed
        take_turn(state, params, action)


# --- rules that fail --------------------------------------------------------------------------


class WildIndex(Sound):
    """Reads the hand of the player after the last."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        state.note.values[0] = state.hands[state.player + 1].count


class UnknownField(Sound):
    """Misspells a component."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        begin_game(state, params)
        state.notes.values[0] = 1  # type: ignore[attr-defined]


class TooLarge(Sound):
    """A number that its field cannot hold."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        state.note.values[0] = 1 << (state.tick + 29)
        take_turn(state, params, action)


class EndlessLoop(Sound):
    """Deals until a card comes that never comes."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        while state.deck.count < KINDS * COPIES:
            state.note.values[0] = 1
        take_turn(state, params, action)


class SmallState(GameState):
    """As ``State``, with little room for what was played."""

    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=4))
    played = Deck(CARDS, Visibility.EVERYONE, capacity=6)
    note = Note(2)


class Overflows(Sound):
    """Plays more cards than the pile may hold."""

    State = SmallState


class DeadEnd(Sound):
    """Whoever has only high cards can do nothing."""

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        for card in range(2):
            if find_card(state.hands[state.player], card) >= 0:
                add(actions, pack(Move.PLAY, card))


class NeverEnds(Sound):
    """Played cards come back for ever."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        play_card(state, params, operand(action, 0))
        if state.deck.count == 0:
            while state.played.count > 0:
                draw_card(state, state.played, state.deck)
            shuffle_deck(state, state.deck)
        refill(state)
        pass_turn(state)


class FailingAction(Sound):
    """Waiting is offered, but the rules do not know it."""

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        add_cards(state, actions)
        add(actions, pack(Move.WAIT))

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        if action == pack(Move.WAIT):
            fail(state)
        else:
            take_turn(state, params, action)


# --- actions ----------------------------------------------------------------------------------


class Duplicates(Sound):
    """Equal cards are offered once each."""

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        hand = state.hands[state.player]
        for i in range(hand.count):
            add(actions, pack(Move.PLAY, hand.cards[i]))


class AlikeMove(ActionKinds):
    """Two kinds of action with the same words."""

    OFFER = Action("play {card}", card=CARDS)
    PLAY = Action("play {card}", card=CARDS)


class AmbiguousWords(Sound):
    """What is said is read as something else."""

    Actions = AlikeMove

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        for card in range(KINDS):
            if find_card(state.hands[state.player], card) >= 0:
                add(actions, pack(AlikeMove.PLAY, card))


class WideOperand(Sound):
    """Packs the card's place in hand where nothing was declared."""

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        for card in range(KINDS):
            place = find_card(state.hands[state.player], card)
            if place >= 0:
                add(actions, pack(Move.PLAY, card, place + 1))


class DrawsWhileAsking(Sound):
    """The legal actions use up chance."""

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        add_cards(state, actions)
        if random_below(state.rng, 2) == 0:
            add(actions, pack(Move.WAIT))


# --- the state --------------------------------------------------------------------------------


class LosesCard(Sound):
    """What is played vanishes."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        hand = state.hands[state.player]
        take_card(hand, find_card(hand, operand(action, 0)))
        state.seat[state.player].score += params.bonus
        refill(state)
        pass_turn(state)


class CopiesCard(Sound):
    """What is played lies on the pile twice."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        if state.played.count == 0:
            put_card(state, state.played, operand(action, 0))
        take_turn(state, params, action)


class StaleSlack(Sound):
    """Takes the top card by counting down, and leaves it lying there."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        play_card(state, params, operand(action, 0))
        if state.deck.count > 0:
            put_card(state, state.hands[state.player], state.deck.cards[state.deck.count - 1])
            state.deck.count -= 1
        pass_turn(state)


class NoSuchCard(Sound):
    """Puts a card on the pile that does not exist."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        begin_game(state, params)
        put_card(state, state.hands[0], 77)


class EmptySeats(Sound):
    """Deals to everyone who could sit at the largest table."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        fill_deck(state)
        shuffle_deck(state, state.deck)
        for _ in range(params.hand):
            for p in range(3):
                draw_card(state, state.deck, state.hands[p])


class NoSuchPlayer(Sound):
    """Forgets that after the last player comes the first."""

    players = (2, 2)

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        play_card(state, params, operand(action, 0))
        refill(state)
        state.player = state.player + 1


class CountsTicks(Sound):
    """Does the engine's work once more."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        state.tick += 1
        take_turn(state, params, action)


GAMES_BEGUN = [0]


class CountsOutside(Sound):
    """Who begins depends on how many games were played in this process."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        begin_game(state, params)
        GAMES_BEGUN[0] += 1
        state.note.values[0] = GAMES_BEGUN[0]


class PythonChance(Sound):
    """Chance that no seed governs."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        state.note.values[0] = random.randrange(1000)


# --- results and heuristic --------------------------------------------------------------------


class NoPlaces(Sound):
    """Says that the game is over, not how."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        if state.status == Status.FINISHED:
            for p in range(state.players):
                state.seat[p].place = 0


class EarlyReturns(Sound):
    """Keeps the score in the returns."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        state.seat[state.player].returns = 0.5
        take_turn(state, params, action)


class WrongWinner(Sound):
    """The winner's return goes to the others."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        if state.status == Status.FINISHED:
            for p in range(state.players):
                state.seat[p].returns = -state.seat[p].returns


class NarrowScores(Sound):
    """Declares that nobody ever scores."""

    def score_range(self, players: int, parameters: GameParameters) -> tuple[float, float]:
        return 0.0, 0.0


class SharedWin(Sound):
    """Lets everyone win, and declares that utilities add up to zero."""

    zero_sum = True

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        if state.status == Status.FINISHED:
            for p in range(state.players):
                state.seat[p].place = 1
                state.seat[p].returns = 1.0


class LoudHeuristic(Sound):
    """Gives the score as it is."""

    @staticmethod
    def heuristic(state: State, params: Any, player: int) -> float:
        return state.seat[player].score


class NotANumber(Sound):
    """Divides nothing by nothing."""

    @staticmethod
    def heuristic(state: State, params: Any, player: int) -> float:
        return float("nan")


class HeuristicRemembers(Sound):
    """The heuristic leaves a mark."""

    @staticmethod
    def heuristic(state: State, params: Any, player: int) -> float:
        state.note.values[1] += 1
        return 0.0


class CannotBeShown(Sound):
    """Its text takes every card for a known one."""

    @classmethod
    def describe(cls, state: Any, observer: int | None) -> str | None:
        names = {0: "fig", 1: "date", 2: "plum", 3: "pear", 4: "lime"}
        cards = [state.view.deck.cards[i] for i in range(state.view.deck.count)]
        return ", ".join(names[card] for card in cards)


# --- what is hidden ---------------------------------------------------------------------------


class LeaksTopCard(Sound):
    """Notes in the open, if in disguise, which card comes next."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        begin_game(state, params)
        note_top(state)

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        note_top(state)


def note_top(state: State) -> None:
    """Writes down the next card, as 17 less it."""
    if state.deck.count > 0:
        state.note.values[1] = 17 - state.deck.cards[state.deck.count - 1]


class LeaksDrawnCard(Sound):
    """Notes what was drawn; the note may be out of date when its owner's turn comes."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        hand = state.hands[(state.player + state.players - 1) % state.players]
        if hand.count > 0:
            state.note.values[1] = 100 * state.tick + hand.cards[hand.count - 1]
            state.note.values[0] = 1 + hand.cards[hand.count - 1]


class NotShuffled(Sound):
    """The cards always come in the same order."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        fill_deck(state)
        deal(state, params)


class ForgetsHand(Sound):
    """Whoever plays no longer knows their cards."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        player = state.player
        take_turn(state, params, action)
        for i in range(state.hands[player].count):
            state.hands[player].seen[i] = 0


class BlindState(GameState):
    """As ``State``, with hands that nobody sees."""

    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.NOBODY, capacity=4))
    played = Deck(CARDS, Visibility.EVERYONE)
    note = Note(2)


class BlindHands(Sound):
    """A player may play certain cards without knowing which they have."""

    State = BlindState


class ResamplesHand(Sound):
    """A sample exchanges even what its observer has seen."""

    @staticmethod
    def redeterminize(state: State, params: Any, player: int) -> None:
        if state.hands[player].count > 0 and state.deck.count > 0:
            card = state.hands[player].cards[0]
            state.hands[player].cards[0] = state.deck.cards[0]
            state.deck.cards[0] = card


class SecretInTheOpen(Sound):
    """A secret number that only redeterminize knows to be one; and it never tells the truth."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        begin_game(state, params)
        state.note.values[0] = random_below(state.rng, 4)

    @staticmethod
    def redeterminize(state: State, params: Any, player: int) -> None:
        state.note.values[0] = (state.note.values[0] + 1 + random_below(state.rng, 3)) % 4


class PurseState(GameState):
    """As ``State``, with a secret number for each player."""

    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=4))
    played = Deck(CARDS, Visibility.EVERYONE)
    purses = per_player(Counter(0, 9, visible_to=Visibility.OWNER))


class AlwaysPoor(Sound):
    """In every sample the others have nothing in their purses."""

    State = PurseState

    @staticmethod
    def setup(state: State, params: Any) -> None:
        begin_game(state, params)
        for p in range(state.players):
            state.purses[p].value = random_below(state.rng, 10)  # type: ignore[attr-defined]

    @staticmethod
    def redeterminize(state: State, params: Any, player: int) -> None:
        for p in range(state.players):
            if p != player:
                state.purses[p].value = 0  # type: ignore[attr-defined]


class SpoilsSample(Sound):
    """A sample with a card that does not exist."""

    @staticmethod
    def redeterminize(state: State, params: Any, player: int) -> None:
        if state.deck.count > 0:
            state.deck.cards[0] = 5000


class RejectsTruth(Sound):
    """Believes in no deal at all."""

    @staticmethod
    def is_consistent(state: State, params: Any, player: int) -> bool:
        return state.deck.count < 5


class TrustsBottomCard(Sound):
    """The last card is known to the rules, but not to the players."""

    @staticmethod
    def setup(state: State, params: Any) -> None:
        fill_deck(state)
        first = take_card(state.deck, 0)
        shuffle_deck(state, state.deck)
        put_card(state, state.deck, first)
        top = state.deck.count - 1
        bottom = state.deck.cards[0]
        state.deck.cards[0] = state.deck.cards[top]
        state.deck.cards[top] = bottom
        deal(state, params)

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        if state.deck.count > 0 and state.deck.cards[0] != 0:
            fail(state)
        take_turn(state, params, action)


# --- compiled ---------------------------------------------------------------------------------


class Prints(Sound):
    """Works in Python only."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        print(end="")
        take_turn(state, params, action)


class LargeNumbers(Sound):
    """A number that Python can hold and the processor cannot."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        large = 1
        for _ in range(state.tick + 12):
            large = large * 97 + 13
        state.note.values[0] = large % 101 if large > 0 else -1
        take_turn(state, params, action)


class Crashes(Sound):
    """An index that is in range for Python, and far away for the processor."""

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        large = 1
        for _ in range(state.tick + 30):
            large = large * 97 + 13
        if large < 0 or large >> 70 == 0:
            state.note.values[1 << 40] = 1
        take_turn(state, params, action)
