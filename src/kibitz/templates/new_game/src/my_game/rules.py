"""My Game: cards are played on a wave, each as high as the last one or higher.

On your turn either play a card on the wave, at least as high as its top card, and draw a new
one; or take the wave, which costs a point for each of its cards, and the next player begins a new
wave. The game ends when a player's hand is empty, or when a player has too many points; the
fewest points win.

Source: made up as an example for ``kibitz new``.

Parameters: ``hand_size``, ``equal_may_follow``, ``too_many``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kibitz.authoring import (
    Action,
    ActionKinds,
    ActionList,
    CardSet,
    Counter,
    Deck,
    Game,
    GameParameters,
    GameState,
    Tunable,
    Visibility,
    add,
    draw_card,
    end_turn,
    find_card,
    finish_by_score,
    kind,
    move_all,
    move_copy,
    operand,
    pack,
    per_player,
    put_copies,
    shuffle_deck,
    start_round,
)

CARDS = CardSet.from_json(Path(__file__).with_name("cards.json"))
COPIES = np.array([card.count for card in CARDS])
HEIGHTS = np.array([card.properties["height"] for card in CARDS])
HAND_SIZES = range(2, 6)


class Parameters(GameParameters):
    """The parameters, as in ``--set hand_size=4``."""

    hand_size = Tunable(3, HAND_SIZES, "cards in a hand")
    equal_may_follow = Tunable(True, doc="whether a card may follow one of equal height")
    too_many = Tunable(10, range(1, CARDS.total + 1), "points that end the game")


class MyGameState(GameState):
    """The components of a state, and who sees them."""

    deck = Deck(CARDS, Visibility.NOBODY)
    wave = Deck(CARDS, Visibility.EVERYONE)
    taken = Deck(CARDS, Visibility.EVERYONE)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=HAND_SIZES.stop - 1))
    points = per_player(Counter(0, CARDS.total))


class Move(ActionKinds):
    """The kinds of actions."""

    PLAY = Action("play {card}", card=CARDS)
    TAKE = Action("take the wave")


class MyGame(Game):
    """Ride the wave as long as you can: if you have to take it, its cards count against you."""

    name = "my-game"
    title = "My Game"
    players = (2, 5)
    categories = ("card game",)
    mechanics = ("hand management", "push your luck")
    source = "an example made by 'kibitz new'"
    max_ticks = 200
    lowest_score_wins = True
    Parameters = Parameters
    State = MyGameState
    Actions = Move

    @staticmethod
    def setup(state: MyGameState, params: Any) -> None:
        """Shuffles the deck and deals the hands; the first player begins."""
        for card in range(len(COPIES)):
            put_copies(state, state.deck, card, COPIES[card])
        shuffle_deck(state, state.deck)
        for p in range(state.players):
            for _ in range(params.hand_size):
                draw_card(state, state.deck, state.hands[p])
        start_round(state, 0)

    @staticmethod
    def legal_actions(state: MyGameState, params: Any, actions: ActionList) -> None:
        """Adds each card in hand that may be played, and taking the wave if there is one."""
        hand = state.hands[state.player]
        for i in range(hand.count):
            card = hand.cards[i]
            if find_card(hand, card) == i and may_follow(state, params, card):
                add(actions, pack(Move.PLAY, card))
        if state.wave.count > 0:
            add(actions, pack(Move.TAKE))

    @staticmethod
    def apply_action(state: MyGameState, params: Any, action: int) -> None:
        """Plays a card or takes the wave, and ends the turn or the game."""
        player = state.player
        if kind(action) == Move.PLAY:
            play_card(state, player, operand(action, 0))
        else:
            take_wave(state, player)
        if state.hands[player].count == 0 or state.points[player].value >= params.too_many:
            finish_by_score(state, lowest_wins=True)
        else:
            end_turn(state)

    @staticmethod
    def heuristic(state: MyGameState, params: Any, player: int) -> float:
        """The lead over the best opponent, as a share of the points that end the game."""
        fewest = 10_000
        for p in range(state.players):
            if p != player and state.points[p].value < fewest:
                fewest = state.points[p].value
        lead = (fewest - state.points[player].value) / params.too_many
        return min(1.0, max(-1.0, lead))


def may_follow(state: MyGameState, params: Any, card: int) -> bool:
    """Whether a card may be played on the wave."""
    if state.wave.count == 0:
        return True
    top = HEIGHTS[state.wave.cards[state.wave.count - 1]]
    if params.equal_may_follow:
        return bool(HEIGHTS[card] >= top)
    return bool(HEIGHTS[card] > top)


def play_card(state: MyGameState, player: int, card: int) -> None:
    """Moves a card from the hand to the wave, and draws a card if there is one."""
    hand = state.hands[player]
    move_copy(state, hand, card, state.wave)
    if state.deck.count > 0:
        draw_card(state, state.deck, hand)


def take_wave(state: MyGameState, player: int) -> None:
    """Takes the wave out of play, and counts a point for each of its cards."""
    points = state.points[player]
    points.value += state.wave.count
    state.seat[player].score = points.value
    move_all(state, state.wave, state.taken)
