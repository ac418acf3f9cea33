"""Observations and masks as numbers: nothing hidden shows, every legal action has one place."""

from __future__ import annotations

import random

import numpy as np
import pytest

import kibitz
from kibitz.core.state import State

GAMES = ("agram", "connect-four", "gops", "hearts", "kriegspiel-tic-tac-toe", "kuhn-poker")
GAMES += ("leduc-poker", "lost-cities", "love-letter", "president", "scopa", "tic-tac-toe", "war")


def some_states(name: str, most: int = 40) -> list[State]:
    state = kibitz.load(name).new_state(seed=3)
    rng, found = random.Random(3), []
    while not state.is_terminal and len(found) < most:
        found.append(state.clone())
        state.apply(rng.choice(state.legal_actions()))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_what_is_hidden_does_not_show(name: str) -> None:
    for number, state in enumerate(some_states(name)):
        encoder = state.table.encoder
        for player in range(state.players):
            seen = encoder.encode(state, player).tobytes()
            for seed in (number, number + 1000):
                assert encoder.encode(state.determinize(player, seed), player).tobytes() == seen


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


def test_an_action_of_the_list_needs_the_state() -> None:
    state = kibitz.load("president").new_state(seed=1)
    encoder = state.table.encoder
    listed = [
        a for a in state.legal_actions() if encoder.index(a, state) >= encoder.actions.direct
    ]
    assert listed
    with pytest.raises(ValueError, match="give the state"):
        encoder.index(listed[0])
    with pytest.raises(ValueError, match="and there are"):
        encoder.action(encoder.actions_count - 1, state)
    with pytest.raises(IndexError, match="got"):
        encoder.action(encoder.actions_count, state)


def test_uncompiled_rules_have_the_same_numbers() -> None:
    compiled, plain = (kibitz.load("uno", compiled=c).new_state(seed=2) for c in (True, False))
    for player in range(2):
        there = compiled.table.encoder.encode(compiled, player)
        assert there.tobytes() == plain.table.encoder.encode(plain, player).tobytes()
