"""Batches: what is counted, capped and merged, and how the batch of a copy is drawn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kibitz.components.batch_sampling import (
    COPIES,
    count_copies,
    count_free,
    draw_batch,
)
from kibitz.components.batches import (
    BITS,
    MOST_CARDS,
    all_but,
    begin_batch,
    cap_copies,
    cheapest_merger,
    note_gone,
)
from kibitz.core.memory import stack_record
from kibitz.core.randomness import random_below, start_stream


def pile(*cards: int) -> Any:
    return SimpleNamespace(cards=list(cards), count=len(cards))


def state(newest: int, batches: list[int], hands: list[Any], **more: Any) -> Any:
    """A state with the components of batches; of numbers in octal each digit is a batch."""
    drawn = more.pop("taken", [[0] * len(batches) for _ in hands])
    return SimpleNamespace(
        players=len(hands),
        unsampled=0,
        newest=SimpleNamespace(value=newest),
        batches=SimpleNamespace(values=list(batches)),
        hands=hands,
        taken=[SimpleNamespace(values=list(values), count=0) for values in drawn],
        barred=[SimpleNamespace(values=[0] * 4) for _ in hands],
        **more,
    )


def test_the_first_reshuffle_tells_cards_in_hands_from_those_in_the_stock() -> None:
    table = state(0, [0, 0, 0], [pile(0, 1), pile(0)])
    begin_batch(table, pile(1, 1, 2))
    assert table.newest.value == 1
    assert table.batches.values == [0o2, 0o21, 0o10]
    assert [taken.values for taken in table.taken] == [[1, 1, 0], [1, 0, 0]]
    assert [taken.count for taken in table.taken] == [3, 3]
    later = all_but(0)
    assert [barred.values for barred in table.barred] == [[later, later, 0, 0], [later, 0, 0, 0]]


def test_a_reshuffle_caps_each_batch_at_the_copies_in_hands() -> None:
    taken = [[0o03, 0o1, 0o1], [0o10, 0, 0]]
    table = state(1, [0o13, 0o2, 0o1], [pile(0, 2), pile(0)], taken=taken)
    cap_copies(table)
    assert table.batches.values == [0o12, 0, 0o1]
    assert [taken.values for taken in table.taken] == [[0o02, 0, 0o1], [0o10, 0, 0]]


@pytest.mark.parametrize(
    ("sizes", "cheapest"),
    [((5, 1, 2, 4, 3), 1), ((1, 1, 5, 5, 5), 0), ((5, 5, 5, 1, 2), 3), ((2, 2, 2, 2, 2), 0)],
)
def test_the_two_batches_with_the_smallest_product_of_sizes_are_merged(
    sizes: tuple[int, ...], cheapest: int
) -> None:
    copies = sum(size << BITS * batch for batch, size in enumerate(sizes))
    assert cheapest_merger(state(4, [copies, 0], [pile()])) == cheapest


@pytest.mark.parametrize(("of_card_1", "unsure"), [(0o1, False), (0o2, True)])
def test_copies_that_a_player_has_not_drawn_are_hidden_or_were_played(
    of_card_1: int, unsure: bool
) -> None:
    copies: Any = stack_record(COPIES)
    table = state(1, [0o12, of_card_1, 0o1], [pile(2), pile(1, 0)], taken=[[0o1, 0, 0], [0] * 3])
    assert count_copies(table, 0, pile(0), copies) is unsure
    assert list(copies.left)[:3] == [0o11, of_card_1, 0]
    assert list(copies.played)[:3] == [0, int(unsure), 0]


def test_copies_are_free_that_no_place_needs_for_its_only_batch() -> None:
    copies: Any = stack_record(COPIES)
    for card, left in enumerate((0o11, 0o2, 0)):
        copies.left[card] = left
    table = state(1, [0o11, 0o2, 0o1], [pile(2, 2), pile(0, 1)])
    table.barred[0].values[:2] = [all_but(1), all_but(1)]  # the player's own
    table.barred[1].values[:3] = [all_but(0), 0, all_but(0)]  # the third place is empty
    count_free(table, 0, pile(0), copies)
    assert list(copies.total) == [3, 1, 0, 0, 0]
    assert list(copies.free) == [2, 0, 0, 0, 0]


def test_a_batch_is_as_likely_as_it_has_copies_among_those_that_can_be() -> None:
    drawn = []
    for seed in range(60):
        copies: Any = stack_record(COPIES)
        copies.left[0] = 0o312
        rng, again = [0] * 4, [0] * 4
        start_stream(rng, seed, 0)
        start_stream(again, seed, 0)
        able = 1 << MOST_CARDS | 1 << MOST_CARDS + 2  # the first and the third
        batch = draw_batch(rng, copies, 0, able)
        expected = 0 if random_below(again, 5) < 2 else 2
        assert batch == 1 << MOST_CARDS + expected
        assert copies.left[0] == 0o312 - (1 << expected * BITS)
        drawn.append(expected)
    assert set(drawn) == {0, 2}


def test_a_batch_is_drawn_from_the_others_if_none_that_can_be_is_left() -> None:
    copies: Any = stack_record(COPIES)
    copies.left[0] = 0o010
    batch = draw_batch([1, 2, 3, 4], copies, 0, 1 << MOST_CARDS)
    assert batch == 1 << MOST_CARDS + 1
    assert copies.left[0] == 0
    assert draw_batch([1, 2, 3, 4], copies, 0, 1 << MOST_CARDS) == 0


def test_the_card_that_was_just_drawn_is_a_copy_of_the_newest_batch() -> None:
    table = state(1, [0o11], [pile(2), pile()], taken=[[0o10], [0]])
    table.barred[0].values = [0, all_but(1), 0, 0]
    note_gone(table, 0, 0, just_drawn=True)
    assert table.batches.values == [0o1]
    assert table.taken[0].values == [0]
    assert table.barred[0].values == [0, 0, 0, 0]


def test_a_copy_that_may_be_of_two_batches_is_not_subtracted() -> None:
    table = state(1, [0o11], [pile(2), pile()], taken=[[0o11], [0]])
    note_gone(table, 0, 0, just_drawn=False)
    assert table.batches.values == [0o11]
    assert table.taken[0].values == [0o11]
