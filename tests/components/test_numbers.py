"""Counters, dice, tokens and notes: bounds, chance, and hidden values."""

from __future__ import annotations

import json
from collections import Counter as Tally
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.components.sandbox import numbers_of, problems, sandbox

from kibitz.components import (
    Counter,
    Die,
    Note,
    Token,
    change,
    hide_value,
    roll,
    show_value,
    show_value_to_all,
)
from kibitz.core.errors import GameDefinitionError
from kibitz.core.layout import EVERYONE, Component, Visibility, per_player
from kibitz.core.state import State, components_in_play, count_pieces, hidden_share
from kibitz.core.status import Status

HIDDEN = Visibility.NOBODY


def component(state: State, path: str) -> tuple[Component, Any]:
    return next((i.component, view) for i, view in components_in_play(state) if i.path == path)


def evenly_spread(values: list[int], kinds: int) -> bool:
    """Whether a chi-square test finds nothing against equal chances (one in a million)."""
    tally = Tally(values)
    expected = len(values) / kinds
    chi_square = sum((tally[k] - expected) ** 2 / expected for k in tally)
    chi_square += (kinds - len(tally)) * expected
    freedom = kinds - 1
    part = 2 / (9 * freedom)
    return chi_square < freedom * (1 - part + 4.753 * part**0.5) ** 3


# --- counters -----------------------------------------------------------------------------


def test_a_counter_starts_at_its_start_or_else_at_its_lowest() -> None:
    state = sandbox(a=Counter(-5, 5), b=Counter(0, 9, start=4), c=Counter())
    assert (state.view.a.value, state.view.b.value, state.view.c.value) == (-5, 4, 0)


@pytest.mark.parametrize(
    "declared",
    [
        lambda: Counter(3, 2),
        lambda: Counter(0, 5, start=6),
        lambda: Counter(0, 5, start=-1),
        lambda: Counter(0, 40_000),
        lambda: Counter(-40_000, 0),
        lambda: Counter(-1, 5, visible_to=HIDDEN),
        lambda: Die(0),
    ],
)
def test_a_number_that_cannot_be_is_refused(declared: Any) -> None:
    with pytest.raises(GameDefinitionError):
        declared()


@given(st.integers(-3, 12), st.integers(-20, 20))
def test_a_counter_changes_within_its_bounds_and_nowhere_else(start: int, by: int) -> None:
    state = sandbox(points=Counter(-3, 12, start=start))
    change(state.view, state.view.points, by, -3, 12)
    if -3 <= start + by <= 12:
        assert state.view.points.value == start + by
        assert state.status == Status.PLAYING
    else:
        assert state.view.points.value == start
        assert state.status == Status.FULL_BUFFER


@pytest.mark.parametrize(("value", "fine"), [(-3, True), (12, True), (-4, False), (13, False)])
def test_a_counter_out_of_bounds_is_told(value: int, fine: bool) -> None:
    state = sandbox(points=Counter(-3, 12))
    state.view.points.value = value
    assert (problems(state) == []) is fine


def test_an_open_counter_at_minus_one_is_a_number_and_not_a_secret() -> None:
    state = sandbox(points=Counter(-3, 12))
    state.view.points.value = -1
    counter, view = component(state, "points")
    assert counter.describe(view) == "-1"
    assert counter.to_json(view) == -1
    assert numbers_of(state, 0, "points") == pytest.approx([-1 / 12])


def test_a_hidden_counter_is_shown_to_its_owner_only() -> None:
    state = sandbox(3, bids=per_player(Counter(0, 9, visible_to=Visibility.OWNER)))
    for p in range(3):
        state.view.bids[p].value = p + 5
    shown = []
    for instance, view in components_in_play(state.observation(1)):
        part = instance.component
        shown.append(part.describe(view))
    assert shown == ["?", "6", "?"]
    seen = [numbers_of(state, 1, f"bids[{seat}]") for seat in ("me", "+1", "+2")]
    assert seen == [pytest.approx([6 / 9, 1.0]), [0.0, 0.0], [0.0, 0.0]]


def test_a_hidden_counter_is_to_others_anything_in_its_range() -> None:
    state = sandbox(3, bids=per_player(Counter(2, 6, visible_to=Visibility.OWNER)))
    for p in range(3):
        state.view.bids[p].value = 5
    samples = [state.determinize(1, seed).view.bids for seed in range(500)]
    assert {bids[1].value for bids in samples} == {5}
    assert evenly_spread([bids[0].value - 2 for bids in samples], 5)
    pairs = [bids[0].value * 5 + bids[2].value for bids in samples]
    assert evenly_spread(pairs, 25)


def test_a_hidden_number_is_shown_to_one_player_to_all_and_hidden_again() -> None:
    state = sandbox(3, bid=Counter(0, 9, start=7, visible_to=HIDDEN))
    bid = state.view.bid

    def seen() -> list[list[float]]:
        return [numbers_of(state, player, "bid") for player in range(3)]

    known, unknown = [pytest.approx(7 / 9), 1.0], [0.0, 0.0]
    assert seen() == [unknown, unknown, unknown]
    show_value(bid, 2)
    assert (bid.seen, seen()) == (0b100, [unknown, unknown, known])
    show_value(bid, 0)
    assert (bid.seen, seen()) == (0b101, [known, unknown, known])
    show_value_to_all(bid)
    assert (bid.seen, seen()) == (EVERYONE, [known, known, known])
    hide_value(bid, 1)
    assert (bid.seen, seen()) == (0b010, [unknown, known, unknown])


# --- dice ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [2, 6, 20])
def test_a_die_shows_each_face_equally_often(sides: int) -> None:
    state = sandbox(die=Die(sides))
    assert state.view.die.value == 1
    rolls = [roll(state.view, state.view.die) for _ in range(200 * sides)]
    assert set(rolls) == set(range(1, sides + 1))
    assert evenly_spread(rolls, sides)
    assert problems(state) == []


def test_the_roll_is_what_the_die_shows() -> None:
    state = sandbox(die=Die(6))
    for _ in range(20):
        assert roll(state.view, state.view.die) == state.view.die.value


def test_a_rolled_die_under_a_cup_is_known_to_its_owner_only() -> None:
    state = sandbox(2, seed=3, dice=per_player(Die(6, Visibility.OWNER)))
    rolled = [roll(state.view, state.view.dice[p]) for p in range(2)]
    for p in range(2):
        samples = [state.determinize(p, seed).view.dice for seed in range(600)]
        assert {dice[p].value for dice in samples} == {rolled[p]}
        others = [dice[1 - p].value for dice in samples]
        assert set(others) == set(range(1, 7))
        assert evenly_spread(others, 6)


def test_an_observation_of_dice_does_not_depend_on_what_they_show() -> None:
    state = sandbox(2, dice=per_player(Die(6, Visibility.OWNER)))
    other = state.clone()
    other.view.dice[1].value = 4
    assert state.determinize(0, 7) == other.determinize(0, 7)
    assert state.determinize(1, 7) != other.determinize(1, 7)


# --- tokens -------------------------------------------------------------------------------

KINDS = ("coin", "gem", "crown", "skull")


def treasure() -> State:
    state = sandbox(3, loot=per_player(Token(KINDS, Visibility.OWNER)), prize=Token(KINDS, HIDDEN))
    for p, kind in enumerate((1, 1, 3)):
        state.view.loot[p].value = kind
    state.view.prize.value = 2
    return state


def values(state: State) -> list[int]:
    return [*(state.view.loot[p].value for p in range(3)), state.view.prize.value]


def test_hidden_tokens_are_exchanged_for_each_other_and_seen_ones_stay() -> None:
    state = treasure()
    samples = [values(state.determinize(0, seed)) for seed in range(600)]
    assert {sample[0] for sample in samples} == {1}
    assert {tuple(sorted(sample)) for sample in samples} == {(1, 1, 2, 3)}
    orders = [tuple(sample[1:]) for sample in samples]
    assert len(set(orders)) == 6
    assert evenly_spread([sorted(set(orders)).index(order) for order in orders], 6)


def test_tokens_of_different_kinds_are_not_exchanged() -> None:
    state = sandbox(1, a=Token(["x", "y"], HIDDEN), b=Token(["u", "v"], HIDDEN))
    state.view.a.value = 1
    assert {state.determinize(0, s).view.a.value for s in range(40)} == {1}
    together = sandbox(
        1, a=Token(["x", "y"], HIDDEN, pool="both"), b=Token(["u", "v"], HIDDEN, pool="both")
    )
    together.view.a.value = 1
    assert {together.determinize(0, s).view.a.value for s in range(40)} == {0, 1}


def test_tokens_of_empty_seats_are_no_part_of_the_pool() -> None:
    state = sandbox(2, loot=per_player(Token(KINDS, HIDDEN)))
    state.view.loot[0].value = 1
    state.view.loot[1].value = 1
    for seed in range(20):
        sample = state.determinize(0, seed).view
        assert [token.value for token in sample.loot] == [1, 1, 0, 0, 0, 0]


def test_tokens_are_named_where_they_are_seen() -> None:
    state = treasure()
    token, view = component(state, "loot[2]")
    assert (token.describe(view), token.to_json(view)) == ("skull", "skull")
    token, view = component(state.observation(0), "loot[2]")
    assert (token.describe(view), token.to_json(view)) == ("?", None)
    assert json.dumps(state.observation(0).to_json())


# --- notes --------------------------------------------------------------------------------


def test_notes_are_open_numbers_and_no_pieces() -> None:
    state = sandbox(2, memo=Note(3), points=Counter(0, 3))
    state.view.memo.values[1] = -70_000
    assert count_pieces(state) == 1
    for s in (state, state.observation(0), state.determinize(1, 5)):
        note, view = component(s, "memo")
        assert list(view.values) == note.to_json(view) == [0, -70_000, 0]
        assert note.describe(view) == "0, -70000, 0"
    squashed = [0.0, -70_000 / 70_016, 0.0]
    assert numbers_of(state, 0, "memo") == pytest.approx(squashed)


def test_somebody_has_to_see_a_note() -> None:
    with pytest.raises(GameDefinitionError, match="somebody who sees it"):
        Note(1, Visibility.NOBODY)
    with pytest.raises(GameDefinitionError, match="per_player"):
        sandbox(2, memo=Note(1, Visibility.OWNER))


def test_what_a_player_alone_remembers_is_hidden_and_no_piece() -> None:
    state = sandbox(2, memos=per_player(Note(3, Visibility.OWNER)), points=Counter(0, 3))
    for player in range(2):
        state.view.memos[player].values[1] = -7 - player
    assert count_pieces(state) == 1
    assert hidden_share(state, 0) == 0.0

    def remembered(s: State) -> list[list[int]]:
        return [component(s, f"memos[{p}]")[0].to_json(s.view.memos[p]) for p in range(2)]

    assert remembered(state) == [[0, -7, 0], [0, -8, 0]]
    assert remembered(state.observation(0)) == [[0, -7, 0], [-1, -1, -1]]
    assert remembered(state.determinize(1, 5)) == [[0, 0, 0], [0, -8, 0]]
    assert bytes(state.determinize(1, 5).observation(1)) == bytes(state.observation(1))
