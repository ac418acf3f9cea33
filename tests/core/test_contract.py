"""The contract's functions over any game: the same uncompiled, and their guarantees to authors."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest

from kibitz.arena.random_returns import playout
from kibitz.components import CardSet, CardType, Deck, Note, draw_card, put_card, shuffle_deck
from kibitz.core import contract, hidden
from kibitz.core import game as game_module
from kibitz.core.actions import ACTION_LIST, Action, ActionKinds, add, pack
from kibitz.core.contract import REDEAL_ATTEMPTS, RULES
from kibitz.core.game import Game
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.memory import record_at
from kibitz.core.randomness import random_below, start_stream
from kibitz.core.registry import load
from kibitz.core.results import fail
from kibitz.core.state import State, hidden_share
from kibitz.core.status import Status

CARDS = CardSet("letters", [CardType("A", 4), CardType("B", 4), CardType("C", 1)])


class Move(ActionKinds):
    WAIT = Action("wait")


class Table(GameState):
    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=2))
    clue = Note()
    """The one card that no other hand begins with, plus one; 0 when nothing is known."""
    secret = Note()
    """A number that only the first player knows."""


class Hooked(Game):
    """A game with both of the rules that concern what is hidden."""

    name = "hooked-of-a-test"
    players = (2, 3)
    State = Table
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        for _ in range(4):
            put_card(state, state.deck, 0)
            put_card(state, state.deck, 1)
        put_card(state, state.deck, 2)
        shuffle_deck(state, state.deck)
        for p in range(state.players):
            draw_card(state, state.deck, state.hands[p])
        state.secret.values[0] = random_below(state.rng, 10)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        add(actions, pack(Move.WAIT))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        state.turn += 1

    @staticmethod
    def redeterminize(state: Any, params: Any, player: int) -> None:
        if player != 0:
            state.secret.values[0] = random_below(state.rng, 10)

    @staticmethod
    def is_consistent(state: Any, params: Any, player: int) -> bool:
        for p in range(state.players):
            if p != player and state.hands[p].cards[0] == state.clue.values[0] - 1:
                return False
        return True


@pytest.fixture(scope="module", params=[True, False], ids=["compiled", "uncompiled"])
def state(request: pytest.FixtureRequest) -> State:
    new: State = Hooked(compiled=request.param).new_state(players=3, seed=3)
    return new


# --- what authors can add to redeterminization --------------------------------------------


def test_what_no_slot_declares_is_resampled_by_the_game(state: State) -> None:
    secret = state.view.secret.values[0]
    for player in (1, 2):
        samples = {state.determinize(player, seed).view.secret.values[0] for seed in range(150)}
        assert samples == set(range(10))
    assert {state.determinize(0, seed).view.secret.values[0] for seed in range(9)} == {secret}


@pytest.mark.parametrize("impossible", [0, 1])
def test_deals_that_the_game_calls_impossible_are_dealt_again(
    state: State, impossible: int
) -> None:
    informed = state.clone()
    informed.view.clue.values[0] = impossible + 1
    for seed in range(60):
        sample = informed.determinize(0, seed).view
        assert impossible not in [sample.hands[p].cards[0] for p in (1, 2)]
        assert sample.hands[0].cards[0] == state.view.hands[0].cards[0]


def test_what_stays_impossible_is_taken_as_it_is() -> None:
    calls = []

    class Hopeless(Hooked):
        @staticmethod
        def is_consistent(state: Any, params: Any, player: int) -> bool:
            calls.append(player)
            return False

    state = Hopeless(compiled=False).new_state(seed=1)
    state.determinize(1, 2)
    assert calls == [1] * REDEAL_ATTEMPTS


def test_both_rules_do_the_same_compiled_and_uncompiled() -> None:
    states = [Hooked(compiled=c).new_state(players=3, seed=5) for c in (True, False)]
    for state in states:
        state.view.clue.values[0] = 2
    for seed in range(20):
        for player in range(3):
            first, second = (state.determinize(player, seed) for state in states)
            assert bytes(first) == bytes(second)


@pytest.mark.parametrize("rule", ["redeterminize", "is_consistent"])
def test_exceptions_in_these_rules_reach_the_caller_too(rule: str) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("in the rules")

    game: Any = type("Broken", (Hooked,), {rule: staticmethod(broken)})
    state = game(compiled=False).new_state(seed=1)
    with pytest.raises(ZeroDivisionError, match="in the rules"):
        state.determinize(0)


# --- the engine itself, uncompiled --------------------------------------------------------


def rules_of(state: State) -> Any:
    return record_at(state.table.address, RULES)


@pytest.mark.parametrize(("name", "players"), [("tic-tac-toe", 2), ("love-letter", 3)])
def test_the_engine_does_the_same_uncompiled(name: str, players: int) -> None:
    state = load(name, compiled=True).new_state(players=players, seed=8)
    plain = state.clone()
    buffer = ctypes.create_string_buffer(ACTION_LIST.itemsize)
    actions = ctypes.addressof(buffer)
    rng = random.Random(2)
    contract.new_game(rules_of(plain), plain.address, 8)
    while not state.is_terminal:
        assert bytes(plain) == bytes(state)
        count = contract.legal_actions(rules_of(plain), plain.address, actions)
        legal = list(record_at(actions, ACTION_LIST).items)[:count] if count < 50 else []
        assert not legal or legal == state.legal_actions()
        for p in range(players):
            header = contract.heuristic(rules_of(plain), plain.address, p)
            assert header == state.heuristic(p)
            share = hidden.hidden_share(rules_of(plain), plain.address, p)
            assert share == hidden_share(state, p)
            masked = plain.clone()
            hidden.mask_hidden(rules_of(plain), masked.address, p)
            assert masked == state.observation(p)
        action = rng.choice(state.legal_actions())
        state.apply(action)
        contract.apply_action(rules_of(plain), plain.address, action)
        if state.tick > 12:
            break
    assert bytes(plain) == bytes(state)


def test_an_observation_is_the_same_uncompiled() -> None:
    state = load("love-letter", compiled=True).new_state(players=4, seed=8)
    for player in range(4):
        plain = state.clone()
        game_module._redeterminize(plain.table.address, plain.address, player, 77)
        assert bytes(plain) == bytes(state.determinize(player, 77))


def test_observe_writes_elsewhere_and_leaves_the_state_alone() -> None:
    state = load("love-letter", compiled=True).new_state(players=3, seed=8)
    before = bytes(state)
    target = state.clone()
    stream = [0, 0, 0, 0]
    start_stream(stream, 5, 0)
    contract.determinize(rules_of(state), state.address, 1, target.address, stream)
    assert bytes(state) == before
    assert bytes(target) != before
    assert bytes(target.observation(1)) == bytes(state.observation(1))


def test_an_observation_has_a_random_stream_that_tells_nothing_of_the_true_one() -> None:
    state = load("love-letter", compiled=True).new_state(players=3, seed=8)
    other = state.clone()
    for i in range(4):
        other.view.rng[i] = 1000 + i
    streams = []
    for truth in (state, other):
        target = truth.clone()
        stream = [0, 0, 0, 0]
        start_stream(stream, 5, 0)
        for _ in range(2):
            contract.determinize(rules_of(truth), truth.address, 1, target.address, stream)
            streams.append(list(target.view.rng))
            assert list(target.view.rng) != list(truth.view.rng)
            assert list(target.view.rng) != stream
    assert streams[0] == streams[2]
    assert streams[1] == streams[3]
    assert streams[0] != streams[1]


@pytest.mark.parametrize("limit", [0, 3, 1000])
def test_a_playout_plays_to_the_end_or_its_limit(limit: int) -> None:
    buffer = ctypes.create_string_buffer(ACTION_LIST.itemsize)
    stream = [0, 0, 0, 0]
    start_stream(stream, 1, 1)
    state = load("tic-tac-toe", compiled=True).new_state()
    moves = playout(rules_of(state), state.address, ctypes.addressof(buffer), stream, limit)
    assert moves == state.tick
    if limit > 9:
        assert state.status == Status.FINISHED
        assert 5 <= moves <= 9
    else:
        assert moves == limit
        assert not state.is_terminal


def test_a_playout_stops_at_a_dead_end() -> None:
    class Stuck(Hooked):
        is_consistent = redeterminize = None

        @staticmethod
        def legal_actions(state: Any, params: Any, actions: Any) -> None:
            if state.tick < 4:
                add(actions, pack(Move.WAIT))

    class Broken(Stuck):
        @staticmethod
        def apply_action(state: Any, params: Any, action: int) -> None:
            if state.tick == 3:
                fail(state)

    buffer = ctypes.create_string_buffer(ACTION_LIST.itemsize)
    outcomes = []
    for game in (Stuck, Broken):
        state = game(compiled=False).new_state()
        moves = playout(
            rules_of(state), state.address, ctypes.addressof(buffer), [1, 2, 3, 4], 100
        )
        outcomes.append((moves, state.status))
    assert outcomes == [(4, Status.DEAD_END), (3, Status.RULES_ERROR)]
