"""What moves between two pictures: of known games, and laws for all of them."""

from __future__ import annotations

import random

import pytest

import kibitz
from kibitz.core.state import State
from kibitz.pictures import draw, motion

GAMES = ("love-letter", "uno", "hearts", "lost-cities", "kuhn-poker", "colt-express", "agram")


def after(state: State, action: int | str) -> State:
    found = state.clone()
    found.apply(action)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_things_come_from_what_was_there_and_go_to_what_is(name: str) -> None:
    chance = random.Random(name)
    state = kibitz.load(name).new_state(seed=4)
    moved = 0
    for _ in range(40):
        if state.is_terminal:
            break
        later = after(state, chance.choice(state.legal_actions()))
        for seat in (*range(state.players), None):
            one, two = draw(state, seat, width=600), draw(later, seat, width=600)
            found = motion(one, two)
            if found is None:
                assert one.round != two.round
                continue
            moved += len(found.came) + len(found.went)
            assert found.came.keys() <= two.things - one.things
            assert set(found.came.values()) <= one.things
            assert found.went.keys() <= one.things - two.things
            assert set(found.went.values()) <= two.things
        state = later
    assert moved > 0


def test_what_is_hidden_changes_no_motion() -> None:
    """Two states that a seat cannot tell apart, before and after, give the same motion."""
    chance = random.Random(2)
    state = kibitz.load("love-letter").new_state(players=3, seed=9)
    compared = 0
    while not state.is_terminal and compared < 30:
        action = chance.choice(state.legal_actions())
        later = after(state, action)
        for seat in set(range(3)) - {state.current_player}:
            pictures = [draw(s, seat, width=600) for s in (state, later)]
            others = [draw(s.determinize(seat, 5), seat, width=600) for s in (state, later)]
            assert motion(*pictures) == motion(*others)
            compared += 1
        state = later


def test_a_card_that_another_plays_comes_from_their_hand() -> None:
    state = kibitz.load("hearts").new_state(seed=1)
    while len(state.legal_actions()) < 2:
        state.apply(state.legal_actions()[0])
    player = state.current_player
    watcher = (player + 1) % state.players
    later = after(state, state.legal_actions()[0])
    found = motion(draw(state, watcher), draw(later, watcher))
    assert found is not None
    (hand,) = [
        lying.things
        for place, lying in draw(state, watcher).piles.items()
        if (place.name, place.owner) == (f"hand[{player}]", player)
    ]
    assert list(found.came.values()) == [hand[-1]]  # which one it was is not known


def test_nothing_moves_between_deals() -> None:
    state = kibitz.load("love-letter").new_state(players=2, seed=3)
    dealt = state.clone()
    while dealt.view.round == state.view.round:
        dealt.apply(dealt.legal_actions()[0])
    assert motion(draw(state, 0), draw(dealt, 0)) is None
