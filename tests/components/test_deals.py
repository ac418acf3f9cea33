"""Sampling of deals under constraints, compared with all possible deals."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from kibitz.components.deals import bar_classes, count_able, leave_place, limit_class
from kibitz.components.even_deals import deal_evenly
from kibitz.core.dealing import MOST_EXACT, PLACES, add_place, deal_places
from kibitz.core.memory import stack_record
from kibitz.core.randomness import start_stream

RED, BLUE, HIGH = 1, 2, 4


def fits(classes: int, barred: int) -> bool:
    return classes & barred == 0


def places_of(classes: list[int], barred: list[int]) -> Any:
    """Places, each with the card of its number."""
    places: Any = stack_record(PLACES)
    places.count = places.settled = 0
    for i, (card, bars) in enumerate(zip(classes, barred, strict=True)):
        add_place(places, i, i, card, bars)
    return places


def dealt(
    classes: list[int], barred: list[int], seed: int, last: bool = False
) -> tuple[int, ...] | None:
    """For each place the card that it got; ``None`` where the arrangement was rejected."""
    rng = [0] * 4
    start_stream(rng, seed, 0)
    places = places_of(classes, barred)
    if not deal_places(places, rng, len(classes) <= MOST_EXACT, last):
        return None
    found = {places.where[i]: places.card[i] for i in range(len(classes))}
    return tuple(found[i] for i in range(len(classes)))


PROBLEMS = {
    "nested": ([RED, BLUE, BLUE | HIGH, 0, RED | HIGH], [RED | BLUE, RED, 0, 0, 0]),
    "not nested": ([RED, RED | HIGH, BLUE, BLUE | HIGH, 0], [RED, BLUE, HIGH, 0, 0]),
    "tight": ([RED, BLUE, HIGH, RED | BLUE], [RED | BLUE, BLUE | HIGH, RED, 0]),
    "all restricted": ([RED, BLUE, RED, BLUE], [RED, RED, BLUE, BLUE]),
}


def dealt_evenly(classes: list[int], barred: list[int], seed: int) -> tuple[int, ...] | None:
    """The same, dealt by weights."""
    rng = [0] * 4
    start_stream(rng, seed, 0)
    places = places_of(classes, barred)
    if not deal_evenly(places, rng):
        return None
    cards = {places.where[i]: places.card[i] for i in range(len(classes))}
    return tuple(cards[i] for i in range(len(classes)))


@pytest.mark.parametrize("deal", [dealt, dealt_evenly])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_each_deal_that_agrees_comes_up_as_often_as_any_other(
    problem: str, deal: Callable[[list[int], list[int], int], tuple[int, ...] | None]
) -> None:
    classes, barred = PROBLEMS[problem]
    possible = [
        order
        for order in itertools.permutations(range(len(classes)))
        if all(fits(classes[card], bars) for card, bars in zip(order, barred, strict=True))
    ]
    found = Counter(order for seed in range(1500) if (order := deal(classes, barred, seed)))
    assert set(found) == set(possible)
    should = found.total() / len(possible)
    error = sum((found[order] - should) ** 2 / should for order in possible)
    freedom = len(possible) - 1
    assert error < freedom + 5 * (2 * freedom) ** 0.5 + 5


def test_a_large_pack_is_dealt_by_exchanges_where_it_must() -> None:
    rng = random.Random(1)
    number = MOST_EXACT + 20
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


def test_what_no_card_fits_is_dealt_again_and_in_the_end_taken_as_it_is() -> None:
    assert dealt([RED, RED], [RED, 0], 1) is None
    assert dealt([RED, RED], [RED, 0], 1, last=True) is not None


def test_only_so_many_places_can_hold_a_class_and_any_may_be_among_them() -> None:
    free: Counter[int] = Counter()
    for seed in range(300):
        rng = [0] * 4
        start_stream(rng, seed, 0)
        places = places_of([RED] * 4, [0] * 4)
        limit_class(places, rng, 0, 4, RED, 1)
        can = [i for i in range(4) if places.barred[i] == 0]
        assert len(can) == 1
        free[can[0]] += 1
    assert min(free.values()) > 45
    assert len(free) == 4


# --- places of a hand ---------------------------------------------------------------------

OLD, NEW = 8, 16


def left(barred: list[int], classes: int, one_of: int = OLD | NEW) -> list[int]:
    """What is barred in the places that are left when a card of some classes goes."""
    barred = list(barred)
    leave_place(barred, 0, len(barred), classes, one_of)
    assert barred.pop() == 0
    return barred


def test_a_card_that_is_played_leaves_the_place_that_could_hold_least() -> None:
    assert left([RED, RED, 0], BLUE) == [RED, 0]
    assert left([RED, RED, 0], RED) == [RED, RED]
    assert left([RED | BLUE, RED, 0], BLUE) == [RED | BLUE, 0]


def test_where_a_card_may_come_from_either_place_the_other_one_can_hold_what_both_could() -> None:
    assert left([NEW, OLD], RED) == [0]
    assert left([NEW, OLD], RED, OLD) == [OLD]
    assert left([NEW, RED | OLD, OLD], RED) == [0, RED | OLD]


def test_each_hand_that_can_be_left_agrees_with_the_places_that_are_left() -> None:
    rng = random.Random(3)
    cards = [RED, BLUE, RED | HIGH, BLUE | HIGH]
    for _ in range(200):
        barred = [rng.choice((0, 0, RED, BLUE, HIGH, RED | HIGH)) for _ in range(4)]
        for hand in itertools.product(cards, repeat=4):
            if all(map(fits, hand, barred)):
                gone = rng.randrange(4)
                rest = [*hand[:gone], *hand[gone + 1 :]]
                places = left(barred, hand[gone])
                assert any(all(map(fits, order, places)) for order in itertools.permutations(rest))


def test_places_beyond_those_that_are_kept_can_hold_anything() -> None:
    barred = [RED, RED, RED]
    bar_classes(barred, 5, BLUE)
    assert barred == [RED | BLUE] * 3
    assert count_able(barred, 5, RED) == 2
    leave_place(barred, 0, 5, HIGH, OLD)
    assert barred == [RED | BLUE, RED | BLUE, 0]
