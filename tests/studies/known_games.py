"""Games with known shares of luck and skill: all luck, all skill, no choice, decided at the start.

Their rules stay in Python when they are made with ``compiled=False``.
"""

from __future__ import annotations

from kibitz.authoring import (
    Action,
    ActionKinds,
    CardSet,
    CardType,
    Counter,
    Deck,
    Game,
    GameParameters,
    GameState,
    Tunable,
    Visibility,
    add,
    draw_card,
    operand,
    pack,
    per_player,
    put_card,
    random_below,
    shuffle_deck,
    win,
)


class Move(ActionKinds):
    TAKE = Action("take {number}", number=[str(number) for number in range(200)])


def take(number: int) -> int:
    """The action of taking ``number`` stones."""
    return pack(Move.TAKE, number)


class Known(Game):
    """Base: two players, two options unless a game says otherwise."""

    players = (2, 2)
    max_ticks = 200
    Actions = Move

    @staticmethod
    def setup(state, params):
        pass

    @staticmethod
    def legal_actions(state, params, actions):
        add(actions, pack(Move.TAKE, 0))
        add(actions, pack(Move.TAKE, 1))


class Coin(Known):
    """The first player does whatever they like; then a coin decides: all luck."""

    name = "coin"
    title = "Coin"

    @staticmethod
    def apply_action(state, params, action):
        win(state, random_below(state.rng, 2))


class Heap(GameState):
    left = Counter(0, 100)


class HeapSize(GameParameters):
    heap = Tunable(7, range(1, 100), "stones at the start")


class Nim(Known):
    """Players take one to three stones in turn; whoever takes the last one wins: no luck."""

    name = "nim-of-one-heap"
    title = "Nim"
    State = Heap
    Parameters = HeapSize

    @staticmethod
    def setup(state, params):
        state.left.value = params.heap

    @staticmethod
    def legal_actions(state, params, actions):
        for number in range(1, 4):
            if number <= state.left.value:
                add(actions, pack(Move.TAKE, number))

    @staticmethod
    def apply_action(state, params, action):
        state.left.value -= operand(action, 0)
        if state.left.value == 0:
            win(state, state.player)
        else:
            state.player = 1 - state.player


CARDS = CardSet("coins", [CardType("heads", 1), CardType("tails", 1)])


class Secret(GameState):
    deck = Deck(CARDS, Visibility.NOBODY, capacity=2)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=1))


class Guess(Known):
    """The second player holds heads or tails, and the first one guesses which."""

    name = "guess"
    title = "Guess"
    State = Secret

    @staticmethod
    def setup(state, params):
        for card in range(2):
            put_card(state, state.deck, card)
        shuffle_deck(state, state.deck)
        draw_card(state, state.deck, state.hands[1])

    @staticmethod
    def apply_action(state, params, action):
        right = state.hands[1].cards[0] == operand(action, 0)
        win(state, 0 if right else 1)


class Fate(GameState):
    winner = Counter(0, 1)


class Dictated(Known):
    """A coin at the start, for all to see, says who will win after three moves."""

    name = "dictated"
    title = "Dictated"
    State = Fate

    @staticmethod
    def setup(state, params):
        state.winner.value = random_below(state.rng, 2)

    @staticmethod
    def apply_action(state, params, action):
        if state.tick == 3:
            win(state, state.winner.value)
        else:
            state.player = 1 - state.player


class Wide(Known):
    """Two hundred options, each of them as good as any other one."""

    name = "wide"
    title = "Wide"

    @staticmethod
    def legal_actions(state, params, actions):
        for number in range(200):
            add(actions, pack(Move.TAKE, number))

    @staticmethod
    def apply_action(state, params, action):
        if state.tick == 2:
            win(state, random_below(state.rng, 2))
        else:
            state.player = 1 - state.player
