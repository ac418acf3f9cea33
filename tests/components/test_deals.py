"""Sampling of deals under constraints, compared with all possible deals."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest

from kibitz.components.deals import (
    PLACES,
    SMALL_PACK,
    add_place,
    bar_class,
    clear_places,
    complete_deal,
    deal_places,
    limit_class,
    shuffle_places,
    sort_places,
)
from kibitz.core.memory import stack_record
from kibitz.core.randomness import start_stream

RED, BLUE, HIGH = 1, 2, 4


def fits(classes: int, barred: int) -> bool:
    return classes & barred == 0


def dealt(classes: list[int], barred: list[int], seed: int) -> tuple[int, ...] | None:
    """For each place the card that it got; ``None`` where the arrangement was rejected."""
    rng = [0] * 4
    start_stream(rng, seed, 0)
    places: Any = stack_record(PLACES)
    clear_places(places)
    for i, (card, bars) in enumerate(zip(classes, barred, strict=True)):
        add_place(places, i, i, card, bars)
    sort_places(places)
    shuffle_places(places, rng)
    if not deal_places(places, rng):
        return None
    found = {places.where[i]: places.card[i] for i in range(len(classes))}
    return tuple(found[i] for i in range(len(classes)))


PROBLEMS = {
    "nested": ([RED, BLUE, BLUE | HIGH, 0, RED | HIGH], [RED | BLUE, RED, 0, 0, 0]),
    "not nested": ([RED, RED | HIGH, BLUE, BLUE | HIGH, 0], [RED, BLUE, HIGH, 0, 0]),
    "tight": ([RED, BLUE, HIGH, RED | BLUE], [RED | BLUE, BLUE | HIGH, RED, 0]),
    "all restricted": ([RED, BLUE, RED, BLUE], [RED, RED, BLUE, BLUE]),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_each_deal_that_agrees_comes_up_as_often_as_any_other(problem: str) -> None:
    classes, barred = PROBLEMS[problem]
    possible = [
        order
        for order in itertools.permutations(range(len(classes)))
        if all(fits(classes[card], bars) for card, bars in zip(order, barred, strict=True))
    ]
    found = Counter(deal for seed in range(1500) if (deal := dealt(classes, barred, seed)))
    assert set(found) == set(possible)
    should = found.total() / len(possible)
    error = sum((found[order] - should) ** 2 / should for order in possible)
    freedom = len(possible) - 1
    assert error < freedom + 5 * (2 * freedom) ** 0.5 + 5


def test_a_large_pack_is_dealt_by_exchanges_where_it_must() -> None:
    rng = random.Random(1)
    number = SMALL_PACK + 20
    found = 0
    for seed in range(20):
        classes = [rng.choice((0, RED, BLUE, RED | HIGH)) for _ in range(number)]
        barred = [rng.choice((0, RED, BLUE)) if card == 0 else 0 for card in classes]
        for i in range(number // 4):
            barred[i] |= ~classes[i] & (RED | BLUE | HIGH)  # so that there is a deal
        rng.shuffle(order := list(range(number)))
        deal = dealt([classes[i] for i in order], barred, seed)
        if deal is not None:
            assert sorted(deal) == list(range(number))
            mixed = [classes[order[card]] for card in deal]
            assert all(map(fits, mixed, barred))
            found += 1
    assert found > 10


def test_what_no_card_fits_is_told() -> None:
    assert dealt([RED, RED], [RED, 0], 1) is None
    places: Any = stack_record(PLACES)
    clear_places(places)
    for i in range(3):
        add_place(places, i, i, RED, 0)
    bar_class(places, 2, RED)
    sort_places(places)
    assert places.where[0] == 2
    assert not complete_deal(places, [1, 2, 3, 4])


def test_only_so_many_places_can_hold_a_class_and_any_may_be_among_them() -> None:
    free: Counter[int] = Counter()
    for seed in range(300):
        rng = [0] * 4
        start_stream(rng, seed, 0)
        places: Any = stack_record(PLACES)
        clear_places(places)
        for i in range(4):
            add_place(places, i, i, RED, 0)
        limit_class(places, rng, 0, 4, RED, 1)
        can = [i for i in range(4) if places.barred[i] == 0]
        assert len(can) == 1
        free[can[0]] += 1
    assert min(free.values()) > 45
    assert len(free) == 4
