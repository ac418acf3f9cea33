"""Observations and masks as numbers: nothing hidden shows, every legal action has one place."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.checks.broken_games import Sound

import kibitz
from kibitz.core.action_index import TAKEN, hashed_place
from kibitz.core.errors import GameDefinitionError
from kibitz.core.memory import stack_record
from kibitz.core.parameters import GameParameters
from kibitz.core.state import State

GAMES = ("agram", "connect-four", "gops", "hearts", "kriegspiel-tic-tac-toe", "kuhn-poker")
GAMES += ("leduc-poker", "lost-cities", "love-letter", "president", "scopa", "tic-tac-toe", "war")


def some_states(name: str, most: int = 40) -> list[State]:
    state = kibitz.load(name).new_state(seed=3)
    rng, states = random.Random(3), []
    while not state.is_terminal and len(states) < most:
        states.append(state.clone())
        state.apply(rng.choice(state.legal_actions()))
    return states


@pytest.mark.parametrize("name", GAMES)
def test_what_is_hidden_does_not_show(name: str) -> None:
    for number, state in enumerate(some_states(name)):
        encoder = state.table.encoder
        for player in range(state.players):
            encoded = encoder.encode(state, player).tobytes()
            for seed in (number, number + 1000):
                assert encoder.encode(state.determinize(player, seed), player).tobytes() == encoded


@pytest.mark.parametrize("name", GAMES)
def test_a_mask_has_one_place_for_each_legal_action(name: str) -> None:
    for state in some_states(name):
        encoder, legal = state.table.encoder, state.legal_actions()
        places = [encoder.index(action, state) for action in legal]
        assert sorted(places) == np.flatnonzero(encoder.mask(state)).tolist()
        assert [encoder.action(place, state) for place in places] == legal


@pytest.mark.parametrize("name", GAMES)
def test_every_number_has_a_name_and_is_small(name: str) -> None:
    for state in some_states(name, 10):
        encoder = state.table.encoder
        assert len(set(encoder.names)) == encoder.size
        for player in range(state.players):
            assert np.abs(encoder.encode(state, player)).max() <= 1.0


def test_own_cards_show() -> None:
    state = kibitz.load("hearts").new_state(seed=5)
    encoder = state.table.encoder
    for player in range(4):
        vector = encoder.encode(state, player)
        hand = state.observation(player).view.hand[player]
        named = [n for n, x in zip(encoder.names, vector, strict=True) if x and "hand[me]" in n]
        words = state.table.rules.places.card_names
        held = {words[hand.cards[i]] for i in range(hand.count)}
        assert {name.split(": ")[1] for name in named} == held


def test_numbers_are_written_where_the_caller_wants() -> None:
    state = kibitz.load("kuhn-poker").new_state(seed=1)
    encoder = state.table.encoder
    rows = np.full((2, encoder.size), 7, np.float32)
    encoder.encode(state, 0, rows[1])
    assert (rows[0] == 7).all()
    assert rows[1].tolist() == encoder.encode(state, 0).tolist()
    with pytest.raises(ValueError, match="contiguous array"):
        encoder.encode(state, 0, np.zeros(encoder.size))
    with pytest.raises(IndexError, match=r"0 \.\. 1"):
        encoder.encode(state, 2)


def test_a_set_of_cards_has_its_place_by_a_hash() -> None:
    state = kibitz.load("president").new_state(seed=1)
    encoder = state.table.encoder
    direct = encoder.actions.direct
    hashed = [a for a in state.legal_actions() if encoder.index(a, state) >= direct]
    assert hashed
    with pytest.raises(ValueError, match="give the state"):
        encoder.index(hashed[0])
    free = next(i for i in range(direct, encoder.actions_count) if not encoder.mask(state)[i])
    with pytest.raises(ValueError, match="is legal in this state"):
        encoder.action(free, state)
    with pytest.raises(IndexError, match="got"):
        encoder.action(encoder.actions_count, state)


@pytest.mark.parametrize("game", ["president", "spades"])
def test_a_hashed_action_has_the_same_place_in_all_states(game: str) -> None:
    table = kibitz.load(game).table()
    encoder, rng = table.encoder, random.Random(1)
    places: dict[int, set[int]] = {}
    total = 0
    for seed in range(12):
        state = table.new_state(seed)
        for _ in range(30):
            legal = state.legal_actions()
            indices = [encoder.index(a, state) for a in legal]
            assert sorted(indices) == np.flatnonzero(encoder.mask(state)).tolist()
            assert [encoder.action(i, state) for i in indices] == legal
            for action, index in zip(legal, indices, strict=True):
                if index >= encoder.actions.direct:
                    places.setdefault(action, set()).add(index)
                    total += 1
            state.apply(rng.choice(legal))
            if state.is_terminal:
                break
    assert total > len(places) > 5
    moved = sum(len(indices_of_action) > 1 for indices_of_action in places.values())
    assert moved <= 0.02 * len(places)  # by another one that was legal at the same time


def test_hashed_actions_with_the_same_place_take_the_next_ones() -> None:
    taken = stack_record(TAKEN)
    first = hashed_place(77, taken)
    assert [hashed_place(77, taken) for _ in range(3)] == [(first + k) % 4096 for k in (1, 2, 3)]
    assert {hashed_place(a, taken) for a in range(4092)} | set(range(first, first + 4)) == set(
        range(4096)
    )


def test_uncompiled_rules_have_the_same_numbers() -> None:
    compiled, plain = (kibitz.load("uno", compiled=c).new_state(seed=2) for c in (True, False))
    for player in range(2):
        encoded = compiled.table.encoder.encode(compiled, player)
        assert encoded.tobytes() == plain.table.encoder.encode(plain, player).tobytes()


class Peeks(Sound):
    """Writes the other's first card, which is not known to a seat."""

    name = "peeks"

    @staticmethod
    def features(state: Any, params: Any, player: int, values: Any) -> None:
        values[0] = state.hands[1 - player].cards[0]
        values[1] = state.hands[player].cards[0]

    def feature_names(self, players: int, parameters: GameParameters) -> list[str]:
        return ["theirs", "mine"]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_games_own_numbers_know_what_the_seat_knows(compiled: bool) -> None:
    state = Peeks(compiled=compiled).new_state(2, seed=1)
    for player in range(2):
        features = state.table.encoder.encode(state, player)[-2:].tolist()
        assert features == [-1, state.view.hands[player].cards[0]]


def test_numbers_without_names_are_refused() -> None:
    class Nameless(Peeks):
        name = "nameless"
        feature_names = Sound.feature_names

    with pytest.raises(GameDefinitionError, match="no method `feature_names`"):
        _ = Nameless(compiled=False).table(2).encoder
