"""Turns: order, direction, skipping, elimination, rounds, and interruptions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.components.sandbox import sandbox

from kibitz.components import (
    Interrupts,
    eliminate,
    end_round,
    end_turn,
    interrupt,
    next_player,
    players_left,
    restore_players,
    resume,
    reverse_order,
    skip_players,
    start_round,
)
from kibitz.core.state import State, components_in_play, count_pieces
from kibitz.core.status import Status


def owners(state: Any, turns: int) -> list[int]:
    """Whose turn it is after each of so many turns."""
    found = []
    for _ in range(turns):
        end_turn(state)
        assert state.player == state.turn_owner
        found.append(state.player)
    return found


@pytest.mark.parametrize("players", [1, 2, 3, 6])
def test_players_take_turns_around_the_table(players: int) -> None:
    view = sandbox(players).view
    assert owners(view, 7) == [(1 + t) % players for t in range(7)]
    assert view.turn == 7


def test_the_order_can_be_reversed_and_reversed_again() -> None:
    view = sandbox(4).view
    reverse_order(view)
    assert owners(view, 5) == [3, 2, 1, 0, 3]
    reverse_order(view)
    assert owners(view, 3) == [0, 1, 2]


def test_skipped_players_lose_one_turn() -> None:
    view = sandbox(4).view
    skip_players(view, 1)
    assert owners(view, 5) == [2, 3, 0, 1, 2]
    skip_players(view, 2)
    assert owners(view, 2) == [1, 2]
    assert view.skip == 0
    assert view.turn == 7


def test_two_announcements_skip_two_players() -> None:
    view = sandbox(5).view
    skip_players(view, 1)
    skip_players(view, 1)
    assert owners(view, 1) == [3]


def test_of_two_players_a_skipped_one_gives_the_other_another_turn() -> None:
    view = sandbox(2).view
    skip_players(view, 1)
    assert owners(view, 2) == [0, 1]


def test_skipping_follows_the_direction_and_passes_over_those_who_are_out() -> None:
    view = sandbox(5).view
    reverse_order(view)
    eliminate(view, 4)
    skip_players(view, 1)
    assert owners(view, 2) == [2, 1]


def test_who_is_out_has_no_turn_until_restored() -> None:
    view = sandbox(4).view
    eliminate(view, 1)
    eliminate(view, 2)
    assert players_left(view) == 2
    assert owners(view, 4) == [3, 0, 3, 0]
    restore_players(view)
    assert players_left(view) == 4
    assert owners(view, 4) == [1, 2, 3, 0]


def test_the_last_one_left_is_followed_by_themselves() -> None:
    view = sandbox(3).view
    for player in (0, 2):
        eliminate(view, player)
    assert next_player(view, 1) == 1
    assert next_player(view, 0) == 1
    eliminate(view, 1)
    assert next_player(view, 2) == 2


@given(
    st.integers(1, 6), st.lists(st.booleans(), min_size=6, max_size=6), st.booleans(), st.data()
)
def test_the_next_player_is_the_nearest_who_is_not_out(
    players: int, out: list[bool], reverse: bool, data: st.DataObject
) -> None:
    view = sandbox(players).view
    player = data.draw(st.integers(0, players - 1))
    for p in range(players):
        if out[p]:
            eliminate(view, p)
    if reverse:
        reverse_order(view)
    seats = [(player + step * (-1 if reverse else 1)) % players for step in range(1, players + 1)]
    assert next_player(view, player) == next((p for p in seats if not out[p]), player)


def test_a_round_is_begun_by_whom_the_game_says() -> None:
    view = sandbox(4).view
    end_round(view)
    start_round(view, 2)
    assert (view.first_player, view.turn_owner, view.player, view.round) == (2, 2, 2, 1)
    assert owners(view, 3) == [3, 0, 1]
    assert view.first_player == 2


# --- interruptions ------------------------------------------------------------------------


def table(depth: int = 3) -> State:
    return sandbox(4, stack=Interrupts(depth))


def now(view: Any) -> tuple[int, int, int]:
    return (view.player, view.phase, view.stack.depth)


def test_an_interruption_lets_another_decide_and_then_goes_back() -> None:
    view = table().view
    start_round(view, 1)
    view.phase = 2
    interrupt(view, view.stack, 3, 5, a=7, b=-70_000)
    assert now(view) == (3, 5, 1)
    assert view.turn_owner == 1
    assert list(view.stack.data[view.stack.depth - 1]) == [7, -70_000]
    resume(view, view.stack)
    assert now(view) == (1, 2, 0)


def test_interruptions_nest() -> None:
    state = table()
    view = state.view
    blank = bytes(state)
    for depth in range(3):
        assert now(view) == (depth, depth, depth)
        interrupt(view, view.stack, depth + 1, depth + 1, a=depth, b=9)
    assert [view.stack.data[i, 0] for i in range(3)] == [0, 1, 2]
    for depth in (2, 1, 0):
        resume(view, view.stack)
        assert now(view) == (depth, depth, depth)
    assert bytes(state) == blank  # nothing is left behind that would tell equal states apart


def test_the_numbers_of_an_interruption_do_not_linger() -> None:
    view = table().view
    interrupt(view, view.stack, 1, 1, a=5, b=6)
    resume(view, view.stack)
    interrupt(view, view.stack, 2, 1)
    assert list(view.stack.data[0]) == [0, 0]


def test_the_turn_goes_on_where_it_was_interrupted() -> None:
    view = table().view
    start_round(view, 2)
    interrupt(view, view.stack, 0, 1)
    resume(view, view.stack)
    assert owners(view, 1) == [3]


def test_too_many_interruptions_break_the_game_off() -> None:
    state = table(depth=2)
    view = state.view
    for player in (1, 2):
        interrupt(view, view.stack, player, player)
    assert state.status == Status.PLAYING
    interrupt(view, view.stack, 3, 3)
    assert state.status == Status.FULL_BUFFER
    assert now(view) == (2, 2, 2)


def test_resuming_what_was_never_interrupted_is_an_error_of_the_rules() -> None:
    state = table()
    resume(state.view, state.view.stack)
    assert state.status == Status.RULES_ERROR
    assert now(state.view) == (0, 0, 0)


def test_interruptions_are_shown() -> None:
    state = table()
    [(instance, stack)] = components_in_play(state)
    assert instance.component.describe(stack) == "none"
    state.view.phase = 1
    interrupt(state.view, stack, 3, 2, a=4)
    interrupt(state.view, stack, 2, 3)
    assert instance.component.to_json(stack)[:2] == [
        {"player": 0, "phase": 1, "data": [4, 0]},
        {"player": 3, "phase": 2, "data": [0, 0]},
    ]
    assert instance.component.describe(stack) == "then player 4, player 1"
    assert count_pieces(state) == 0
