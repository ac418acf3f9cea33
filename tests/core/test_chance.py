"""Deals: each shuffle has a stream of its own, whatever was played before."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from kibitz.core.chance import (
    MOST_SHUFFLED,
    chance_mark,
    renew_chance,
    shuffle_pile,
    sort_cards,
    start_shuffles,
)
from kibitz.core.errors import PlayError
from kibitz.core.layout import CHANCE
from kibitz.core.randomness import GAME_STREAM, random_below, start_stream
from kibitz.core.state import State
from kibitz.core.status import Status


def header(seed: int) -> Any:
    made = SimpleNamespace(
        rng=[0] * 4,
        shuffle_key=[0] * 3,
        shuffle_deal=-1,
        shuffles_done=0,
        shuffle_counts=[0] * 8,
        status=Status.PLAYING,
    )
    start_stream(made.rng, seed, GAME_STREAM)
    start_shuffles(made)
    return made


def dealt(header: Any, pile: int = 0, deal: int = 0, cards: Any = range(4)) -> tuple[int, ...]:
    cards = list(cards)
    shuffle_pile(header, pile, deal, cards, len(cards))
    return tuple(cards)


def in_deal(name: str, number: int, seed: int, play: int, players: int) -> State | None:
    """The state with which a deal of a game begins that is played at random."""
    state = kibitz.load(name).new_state(players=players, seed=seed)
    choice = random.Random(play)
    field = state.table.rules.deal_count
    while not state.is_terminal:
        if int.from_bytes(bytes(state)[field : field + 4], "little") == number:
            return state
        state.apply(choice.choice(state.legal_actions()))
    return None


@pytest.mark.parametrize(("name", "players"), [("hearts", 4), ("spades", 4), ("scopa", 2)])
def test_the_second_deal_does_not_depend_on_how_the_first_was_played(
    name: str, players: int
) -> None:
    for seed in range(3):
        first, other = (in_deal(name, 1, seed, play, players) for play in (1, 2))
        assert first is not None
        assert other is not None
        hands = [
            {k: sorted(v) for k, v in s.to_json()["components"].items() if k.startswith("hand")}
            for s in (first, other)
        ]
        assert hands[0] == hands[1]
        assert len(hands[0]) == players


def test_the_order_in_which_cards_were_collected_does_not_matter() -> None:
    cards = [3, 3, 1, 7, 2, 7, 0]
    assert dealt(header(5), cards=cards) == dealt(header(5), cards=sorted(cards))


def test_shuffles_differ_by_seed_pile_deal_and_number() -> None:
    twice = header(1)
    pack = range(52)
    shuffles = [dealt(twice, cards=pack), dealt(twice, cards=pack)]
    shuffles += [dealt(header(2), cards=pack), dealt(header(1), 1, cards=pack)]
    shuffles += [dealt(header(1), 0, 1, pack), dealt(header(1), 8, 0, pack)]
    assert len(set(shuffles)) == len(shuffles)


def test_shuffles_and_dice_do_not_depend_on_each_other() -> None:
    rolled, plain = header(9), header(9)
    random_below(rolled.rng, 6)
    dealt(rolled, pile=1)
    assert dealt(rolled, cards=range(20)) == dealt(plain, cards=range(20))
    assert random_below(header(9).rng, 2**31 - 1) == random_below(plain.rng, 2**31 - 1)


def test_a_deal_does_not_depend_on_the_number_of_shuffles_in_earlier_deals() -> None:
    often, once = header(4), header(4)
    for _ in range(3):
        dealt(often, deal=1)
    dealt(once, deal=1)
    assert dealt(often, deal=2, cards=range(20)) == dealt(once, deal=2, cards=range(20))


@pytest.mark.parametrize("second", [(0, 0), (1, 0), (0, 1)], ids=["again", "pile", "deal"])
def test_pairs_of_shuffles_are_uniform(second: tuple[int, int]) -> None:
    games = 4000
    counts: Counter[Any] = Counter()
    for seed in range(games):
        h = header(seed)
        counts[dealt(h, cards=range(3)), dealt(h, *second, cards=range(4))] += 1
    expected = games / 144
    surplus = sum((n - expected) ** 2 for n in counts.values()) / expected
    surplus += (144 - len(counts)) * expected
    assert abs(surplus - 143) < 4.5 * (2 * 143) ** 0.5


@given(st.lists(st.integers(-1, MOST_SHUFFLED - 2), max_size=60))
def test_cards_are_sorted(cards: list[int]) -> None:
    ordered = list(cards)
    assert sort_cards(ordered, len(cards))
    assert ordered == sorted(cards)


def test_numbers_too_far_apart_break_the_game_off() -> None:
    broken = header(1)
    dealt(broken, cards=[MOST_SHUFFLED, 0])
    assert broken.status == Status.RULES_ERROR


def test_the_mark_of_chance_differs_after_draws_and_shuffles() -> None:
    h = header(3)
    marks = [chance_mark(h)]
    dealt(h)
    marks.append(chance_mark(h))
    random_below(h.rng, 6)
    marks.append(chance_mark(h))
    assert len(set(marks)) == 3
    dealt(h, deal=7)
    assert chance_mark(h) not in marks


def test_renewed_chance_depends_on_the_given_stream_alone() -> None:
    renewed = []
    for seed in (1, 2):
        h = header(seed)
        dealt(h, deal=seed)
        rng = [0] * 4
        start_stream(rng, 7, 0)
        renew_chance(rng, h)
        renewed.append((h.rng, h.shuffle_key, h.shuffle_counts, h.shuffles_done))
    assert renewed[0] == renewed[1]


def test_the_same_deal_with_other_chance_and_the_reverse() -> None:
    def later(seed: int, chance: int) -> tuple[State, Any]:
        start = kibitz.load("hearts").new_state(players=4, seed=seed).with_chance(chance)
        state = start.clone()
        choice = random.Random(1)
        while bytes(state)[CHANCE] == bytes(start)[CHANCE]:  # until the next shuffle
            state.apply(choice.choice(state.legal_actions()))
        return start, [v for k, v in state.to_json()["components"].items() if "hand" in k]

    (same, second), (deal, other), (chance, equal) = later(1, 5), later(1, 6), later(2, 5)
    assert same.to_json()["components"] == deal.to_json()["components"]
    assert same.to_json()["components"] != chance.to_json()["components"]
    assert [sorted(hand) for hand in second] == [sorted(hand) for hand in equal]
    assert [sorted(hand) for hand in second] != [sorted(hand) for hand in other]
    with pytest.raises(PlayError):
        same.observation(0).with_chance(1)
