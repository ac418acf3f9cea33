"""Choosing an action by clicks: known cases, and that only legal actions are meant."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kibitz.web.choosing import Choice

CARD, OTHER, PLAYER = "card", "other", "player"
TARGETS = {CARD: [1, 2], OTHER: [3], PLAYER: [2, 3]}


def test_a_thing_that_stands_for_one_action_chooses_it() -> None:
    assert Choice.of([1, 2, 3]).click(OTHER, TARGETS).action == 3


def test_two_clicks_choose_what_both_stand_for() -> None:
    begun = Choice.of([1, 2, 3]).click(CARD, TARGETS)
    assert begun.action is None
    assert begun.meant == (1, 2)
    assert begun.click(PLAYER, TARGETS).action == 2


def test_a_second_click_takes_the_first_back() -> None:
    fresh = Choice.of([1, 2, 3])
    assert fresh.click(CARD, TARGETS).click(CARD, TARGETS) == fresh


def test_what_does_not_fit_begins_anew() -> None:
    assert Choice.of([1, 2, 3]).click(CARD, TARGETS).click(OTHER, TARGETS).action == 3


def test_the_only_action_is_not_chosen_before_a_click() -> None:
    assert Choice.of([1]).action is None


@given(
    st.sets(st.integers(0, 8), min_size=1),
    st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 8))),
    st.lists(st.sampled_from("abcde")),
)
def test_what_is_meant_is_always_legal(
    legal: set[int], targets: dict[str, list[int]], clicks: list[str]
) -> None:
    choice = Choice.of(sorted(legal))
    for target in clicks:
        choice = choice.click(target, targets)
        assert choice.meant
        assert set(choice.meant) <= legal
        assert choice.action in (None, *legal)
