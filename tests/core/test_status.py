"""How games end: places and returns."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.layout import header_dtype
from kibitz.core.results import (
    draw_game,
    fail,
    finish_by_score,
    lose,
    lose_together,
    win,
    win_together,
)
from kibitz.core.status import Status
from kibitz.core.view import RecordView


def header(players: int, scores: list[float] | None = None, sides: str = "") -> Any:
    """A header with a score for each seat, and the number of its side as a digit."""
    dtype = header_dtype(players)
    view: Any = RecordView(memoryview(bytearray(dtype.itemsize)), 0, dtype)
    view.players = players
    for p in range(players):
        view.seat[p].side = int(sides[p]) if sides else p
    for p, score in enumerate(scores or []):
        view.seat[p].score = score
    return view


def outcome(state: Any) -> tuple[list[int], list[float]]:
    seats = [state.seat[p] for p in range(state.players)]
    return [seat.place for seat in seats], [seat.returns for seat in seats]


def test_a_winner_is_first_and_the_others_share_the_last_place() -> None:
    state = header(3)
    win(state, 1)
    assert outcome(state) == ([2, 1, 2], [-0.5, 1.0, -0.5])
    assert state.status == Status.FINISHED


def test_a_single_player_can_win_and_lose() -> None:
    state = header(1)
    win(state, 0)
    assert outcome(state) == ([1], [1.0])
    lose_together(state)
    assert outcome(state) == ([2], [-1.0])


def test_in_a_draw_everyone_is_first_with_nothing() -> None:
    state = header(3)
    draw_game(state)
    assert outcome(state) == ([1, 1, 1], [0.0, 0.0, 0.0])


def test_a_cooperative_game_is_won_or_lost_by_all() -> None:
    state = header(2)
    win_together(state)
    assert outcome(state) == ([1, 1], [1.0, 1.0])
    lose_together(state)
    assert outcome(state) == ([2, 2], [-1.0, -1.0])
    assert state.status == Status.FINISHED


@pytest.mark.parametrize(
    ("scores", "lowest_wins", "places", "returns"),
    [
        ([3.0, 7.0, 5.0], False, [3, 1, 2], [-0.5, 1.0, -0.5]),
        ([3.0, 7.0, 5.0], True, [1, 3, 2], [1.0, -0.5, -0.5]),
        ([7.0, 7.0, 5.0], False, [1, 1, 3], [0.25, 0.25, -0.5]),
        ([7.0, 2.0, 2.0], False, [1, 2, 2], [1.0, -0.5, -0.5]),
        ([4.0, 4.0], False, [1, 1], [0.0, 0.0]),
        ([-4.0, -5.0], True, [2, 1], [-1.0, 1.0]),
        ([9.0], False, [1], [0.9]),
        ([-1.0], True, [1], [0.5]),
    ],
)
def test_places_follow_scores_and_equal_scores_share_them(
    scores: list[float], lowest_wins: bool, places: list[int], returns: list[float]
) -> None:
    state = header(len(scores), scores)
    finish_by_score(state, lowest_wins)
    assert outcome(state) == (places, returns)


def test_partners_win_and_lose_together() -> None:
    state = header(4, sides="0101")
    win(state, 2)
    assert outcome(state) == ([1, 2, 1, 2], [1.0, -1.0, 1.0, -1.0])
    lose(state, 2)
    assert outcome(state) == ([2, 1, 2, 1], [-1.0, 1.0, -1.0, 1.0])


def test_one_against_three_wins_as_much_as_they_do() -> None:
    state = header(4, sides="0111")
    lose(state, 0)
    assert outcome(state) == ([2, 1, 1, 1], [-1.0, 1.0, 1.0, 1.0])
    win(state, 0)
    assert outcome(state) == ([1, 2, 2, 2], [1.0, -1.0, -1.0, -1.0])


def test_who_loses_alone_leaves_the_first_place_to_the_others() -> None:
    state = header(3)
    lose(state, 1)
    assert outcome(state) == ([1, 2, 1], [0.25, -0.5, 0.25])


@pytest.mark.parametrize("players", [1, 3])
def test_one_side_wins_or_loses(players: int) -> None:
    state = header(players, sides="0" * players)
    win(state, 0)
    assert outcome(state) == ([1] * players, [1.0] * players)
    lose(state, players - 1)
    assert outcome(state) == ([2] * players, [-1.0] * players)


def test_the_score_of_a_side_is_the_best_of_its_seats() -> None:
    state = header(4, [9.0, 4.0, 2.0, 4.0], sides="0101")
    finish_by_score(state)
    assert outcome(state) == ([1, 3, 1, 3], [1.0, -1.0, 1.0, -1.0])
    finish_by_score(state, lowest_wins=True)
    assert outcome(state) == ([1, 3, 1, 3], [1.0, -1.0, 1.0, -1.0])
    state = header(4, [4.0, 4.0, 4.0, 4.0], sides="0101")
    finish_by_score(state)
    assert outcome(state) == ([1] * 4, [0.0] * 4)


def test_one_side_has_nothing_but_its_score() -> None:
    state = header(3, [3.0, 3.0, 3.0], sides="000")
    finish_by_score(state)
    assert outcome(state) == ([1, 1, 1], [0.75, 0.75, 0.75])


@given(st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=15), st.booleans())
def test_returns_sum_to_zero_and_places_count_who_is_better(
    scores: list[float], lowest_wins: bool
) -> None:
    state = header(len(scores), scores)
    finish_by_score(state, lowest_wins)
    places, returns = outcome(state)
    assert sum(returns) == pytest.approx(0.0)
    assert all(-1.0 <= value <= 1.0 for value in returns)
    ranked = sorted(scores, reverse=not lowest_wins)
    assert places == [ranked.index(score) + 1 for score in scores]


def test_failing_has_a_name() -> None:
    state = header(2)
    fail(state)
    assert state.status == Status.RULES_ERROR
    fail(state, Status.FULL_BUFFER)
    assert state.status == Status.FULL_BUFFER
