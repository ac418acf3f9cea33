"""Filters of subsets and runs find the same sets as testing all, without testing all."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recycle.agreement import play_both
from tests.recycle.programs import choice, do, game
from tests.recycle.test_game import table_of

from kibitz.core.errors import EndlessError, FullBufferError, RulesError
from kibitz.core.status import Status
from kibitz.recycle import subset_search as search

# --- the search itself ----------------------------------------------------------------------

NUMBERS = st.integers(-4, 9)


@dataclass(frozen=True)
class Search:
    """Cards by number, and which subsets of them are wanted."""

    count: int
    keys: list[int] | None
    weights: list[tuple[list[int], int, int]]
    sorts: list[list[int]]
    ways: list[int]
    empty: bool

    def wants(self, subset: tuple[int, ...]) -> bool:
        met = 0
        for number, (weight, low, high) in enumerate(self.weights):
            met |= (low <= sum(weight[i] for i in subset) <= high) << number
        for number, keys in enumerate(self.sorts):
            natural = {keys[i] for i in subset} - {search.WILD}
            met |= (len(natural) < 2) << (search.FIRST_SORT_BIT + number)
        return (
            (bool(subset) or self.empty)
            and (self.keys is None or len({self.keys[i] for i in subset}) < 2)
            and any(met & way == way for way in self.ways)
        )


@st.composite
def searches(draw: st.DrawFn) -> Search:
    count = draw(st.integers(0, 8))
    each = st.lists(NUMBERS, min_size=count, max_size=count)
    few = st.integers(0, 2)
    keys = draw(st.none() | st.lists(few, min_size=count, max_size=count))
    weights = draw(st.lists(st.tuples(each, NUMBERS, NUMBERS), max_size=2))
    of_a_sort = st.lists(st.just(search.WILD) | few, min_size=count, max_size=count)
    sorts = draw(st.lists(of_a_sort, max_size=2))
    bits = [1 << i for i in range(len(weights))]
    bits += [1 << (search.FIRST_SORT_BIT + i) for i in range(len(sorts))]
    way = st.lists(st.sampled_from(bits), unique=True).map(sum) if bits else st.just(0)
    ways = draw(st.just([sum(bits)]) | st.lists(way, min_size=2, max_size=3))
    return Search(count, keys, weights, sorts, ways, draw(st.booleans()))


def searched(query: Search) -> list[tuple[int, ...]]:
    """The subsets that the uncompiled search yields; cards are numbered from 0."""
    count, weights, sorts = query.count, len(query.weights), len(query.sorts)
    room = count + 2
    sorts_at = search.bounds_at(room, weights)
    ways_at = sorts_at + search.size_of_sorts(room, sorts)
    size = ways_at + len(query.ways)
    array = np.zeros(size, np.int64)
    array[search.COUNT] = count
    array[search.WEIGHTS] = weights
    array[search.SORTS] = sorts
    array[search.SORTS_AT] = sorts_at
    array[search.WAYS] = len(query.ways)
    array[search.WAYS_AT] = ways_at
    array[search.GROUPED] = query.keys is not None
    array[search.EMPTY] = query.empty
    array[search.HEAD : search.HEAD + count] = query.keys or [0] * count
    for number, (weight, low, high) in enumerate(query.weights):
        at = search.bounds_at(room, number)
        array[at + search.LOW], array[at + search.HIGH] = low, high
        at = search.weights_at(room, number)
        array[at : at + count] = weight
    for number, keys in enumerate(query.sorts):
        at = sorts_at + search.size_of_sorts(room, number)
        array[at + search.SORT_FIELDS : at + search.SORT_FIELDS + count] = keys
    array[ways_at:] = query.ways
    cards, subset = np.arange(room, dtype=np.int16), np.zeros(room, np.int16)
    address, of_cards, of_subset = (int(a.ctypes.data) for a in (array, cards, subset))
    search.begin_subsets(address, room)
    subsets = []
    plain = sorts == 0 and len(query.ways) == 1
    search_on = search.next_subset if plain else search.next_subset_in_ways
    while (size_found := search_on(address, room, of_cards, of_subset)) >= 0:
        subsets.append(tuple(int(card) for card in subset[:size_found]))
    assert size_found == search.NO_MORE
    return subsets


def in_binary(count: int) -> list[tuple[int, ...]]:
    numbers = range(2**count)
    return [tuple(i for i in range(count) if number >> i & 1) for number in numbers]


@settings(max_examples=250)
@given(searches())
def test_search_finds_all_in_order(query: Search) -> None:
    assert searched(query) == [s for s in in_binary(query.count) if query.wants(s)]


def test_search_passes_by_what_cannot_be_wanted() -> None:
    """The subsets of 40 cards with a sum of 10 take few steps each."""
    values = [1 + i % 10 for i in range(40)]
    subsets = searched(Search(40, None, [(values, 10, 10)], [], [1], empty=False))
    assert len(subsets) == len(set(subsets))
    assert all(sum(values[i] for i in subset) == 10 for subset in subsets)
    ways = [1] + [0] * 10
    for value in values:
        for total in range(10, value - 1, -1):
            ways[total] += ways[total - value]
    assert len(subsets) == ways[10]


# --- filters --------------------------------------------------------------------------------

PACK = """(create deck (game iloc STOCK) (deck
  (RANK (A, TWO, THREE, FOUR, FIVE, SIX)) (SUIT (CLUBS, DIAMONDS, HEARTS))))"""
NAMES = "A TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN"
AWARDS = " ".join(f"((RANK : {rank}) {i})" for i, rank in enumerate(NAMES.split(" "), 1))
SETUP = (
    f"(set (game points VALUE) ({AWARDS}))",
    "(set (game points RED) (((SUIT : DIAMONDS) 2) ((SUIT : HEARTS) (- 0 1))))",
    "(shuffle (game iloc STOCK))",
    "(all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))",
    "(repeat 7 (move (top (game iloc STOCK)) (top (game vloc TABLE))))",
)
SUM = "(sum 'S using (game points VALUE))"
CARD = "(top ((current player) iloc HAND))"
WORTH = f"(score {CARD} using (game points VALUE))"
RANK = "(cardatt RANK {})"

CONDITIONS = {
    "sum": f"(== {SUM} {WORTH})",
    "sum at most": f"(and (> (size 'S) 0) (<= {SUM} 5))",
    "sum at least": f"(and (< (size 'S) 3) (>= {SUM} {WORTH}))",
    "sum within": f"(and (> {SUM} 4) (< {SUM} 9))",
    "sum and one more": f"(== (+ {SUM} {WORTH}) 11)",
    "the other side": f"(== (- 11 {WORTH}) {SUM})",
    "differences": f"(== (- {SUM} (size 'S)) 4)",
    "negative scores": "(== (sum 'S using (game points RED)) 1)",
    "total": "(== (all 'S 'C (score 'C using (game points VALUE))) 6)",
    "size of a filter": f"(== (size (filter 'S 'C (== {RANK.format(chr(39) + 'C')} TWO))) 1)",
    "each card": "(all 'S 'C (== (cardatt SUIT 'C) HEARTS))",
    "no card": "(not (any 'S 'C (== (cardatt SUIT 'C) HEARTS)))",
    "some card": "(any 'S 'C (== (cardatt SUIT 'C) HEARTS))",
    "one rank": "(all 'S 'C (== (cardatt RANK 'C) (cardatt RANK (top 'S))))",
    "one rank, bottom": "(all 'S 'C (== (cardatt RANK (bottom 'S)) (cardatt RANK 'C)))",
    "one rank, pairwise": "(all 'S 'C (all 'S 'D (== (cardatt RANK 'C) (cardatt RANK 'D))))",
    "one rank, partition": "(== (size (partition RANK 'S)) 1)",
    "one score": "(all 'S 'C (== (score 'C using (game points VALUE))"
    " (score (top 'S) using (game points VALUE))))",
    "two of one suit": "(and (== (size 'S) 2)"
    " (all 'S 'C (== (cardatt SUIT 'C) (cardatt SUIT (top 'S)))))",
    "one suit and a sum": "(and (all 'S 'C (== (cardatt SUIT 'C) (cardatt SUIT (top 'S))))"
    f" (== {SUM} 6))",
    "fixed": f"(and (== (cardatt SUIT {CARD}) HEARTS) (== (size 'S) 2))",
    "either": f"(or (== {SUM} 3) (== (size 'S) 3))",
    "one rank or wild": "(all 'S 'C (or (== (cardatt RANK 'C) A)"
    " (== (cardatt RANK 'C) (cardatt RANK (bottom 'S)))))",
    "wild, or one rank": "(and (> (size 'S) 1) (all 'S 'C (or"
    " (== (cardatt RANK (top (filter 'S 'D (!= (cardatt RANK 'D) A)))) (cardatt RANK 'C))"
    " (== (cardatt RANK 'C) A) (== (cardatt SUIT 'C) HEARTS))))",
    "one rank or wild, pairwise": "(all 'S 'C (or (== (cardatt RANK 'C) A) (all 'S 'D"
    " (or (== (cardatt RANK 'D) A) (== (cardatt RANK 'C) (cardatt RANK 'D))))))",
    "one rank of a filter": "(all (filter 'S 'C (!= (cardatt RANK 'C) A)) 'C"
    " (all (filter 'S 'D (not (== (cardatt RANK 'D) A))) 'D"
    " (== (cardatt RANK 'C) (cardatt RANK 'D))))",
    "one score of a filter": "(all (filter 'S 'C (!= (cardatt RANK 'C) A)) 'C"
    " (== (score 'C using (game points VALUE)) (score (top (filter 'S 'D"
    " (!= (cardatt RANK 'D) A))) using (game points VALUE))))",
    "one score of another filter": "(and (> (size 'S) 5) (all (filter 'S 'C"
    " (!= (cardatt RANK 'C) A)) 'C (== (score 'C using (game points VALUE))"
    " (score (top (filter 'S 'D (== (cardatt RANK 'D) A))) using (game points VALUE)))))",
    "one rank or wild, partition": "(<= (size (partition RANK (filter 'S 'C"
    " (!= (cardatt RANK 'C) A)))) 1)",
    "one rank and wild, partition": "(> 2 (size (partition RANK (filter (filter 'S 'C"
    " (!= (cardatt RANK 'C) A)) 'C (!= (cardatt SUIT 'C) HEARTS)))))",
    "an or in a partition": "(== (size (partition RANK (filter 'S 'C"
    " (or (== (cardatt SUIT 'C) HEARTS) (> (score 'C using (game points VALUE)) 3))))) 1)",
    "the rank of some card": "(any 'S 'N (and (!= (cardatt RANK 'N) A) (all 'S 'C"
    " (or (== (cardatt RANK 'C) A) (== (cardatt RANK 'C) (cardatt RANK 'N))))))",
    "some rank": "(any (TWO, THREE, FOUR) 'R (and (> (size 'S) 1)"
    " (all 'S 'C (or (== (cardatt RANK 'C) 'R) (== (cardatt RANK 'C) A)))))",
    "no other rank": "(not (any 'S 'C (and (!= (cardatt RANK 'C) A)"
    " (!= (cardatt RANK 'C) (cardatt RANK (top 'S))))))",
    "rank and suit": "(and (all 'S 'C (== (cardatt SUIT 'C) (cardatt SUIT (top 'S))))"
    " (all 'S 'C (or (== (cardatt RANK 'C) A) (== (cardatt RANK 'C) (cardatt RANK (top 'S))))))",
    "rank or suit": "(or (all 'S 'C (== (cardatt SUIT 'C) (cardatt SUIT (top 'S))))"
    " (all 'S 'C (== (cardatt RANK 'C) (cardatt RANK (top 'S)))))",
    "each card two things": "(all 'S 'C (and (!= (cardatt RANK 'C) A)"
    " (== (cardatt SUIT 'C) (cardatt SUIT (top 'S)))))",
    "a sum or a rank": f"(or (== {SUM} 7) (and (== (size 'S) 2)"
    " (all 'S 'C (== (cardatt RANK 'C) (cardatt RANK (top 'S))))))",
    "one of two by the table": f"(or (and (== (cardatt SUIT {CARD}) HEARTS) (== (size 'S) 2))"
    f" (and (!= (cardatt SUIT {CARD}) HEARTS) (== {SUM} {WORTH})))",
    "neither": "(not (or (> (size 'S) 3) (any 'S 'C (== (cardatt SUIT 'C) HEARTS))))",
    "an or and a sum": f"(and (or (== (size 'S) 1) (== (size 'S) 3)) (< {SUM} 9))",
    "a mistake in an or": "(and (or (== (size 'S) 1) (== (size 'S) (// 4 (game sto ZERO))))"
    " (< (size 'S) 2))",
    "a mistake behind what holds": "(or (== (size 'S) 1) (and (== (size 'S) 9)"
    " (> (// 6 (- (size 'S) 2)) 0)))",
    "a mistake in an earlier part": "(and (or (== (size 'S) 9) (> (// 6 (- (size 'S) 2)) 0))"
    " (== (size 'S) 3))",
    "a wild card by mistake": "(all 'S 'C (or (== (// 6 (score 'C using (game points RED))) 3)"
    " (== (cardatt RANK 'C) (cardatt RANK (top 'S)))))",
    "not equal": "(and (!= (size 'S) 1) (< (size 'S) 3))",
    "a mistake behind": "(and (== (size 'S) 2) (> (// 6 (- (size 'S) 2)) 0))",
    "a mistake in front": "(and (> (// 6 (- (size 'S) 2)) 0) (== (size 'S) 3))",
    "a mistake of the empty set": "(and (> (scoremax 'S using (game points VALUE)) 4)"
    " (< (size 'S) 3))",
    "a mistake in the bound": "(== (size 'S) (// 4 (game sto ZERO)))",
    "a mistake in a later bound": "(and (> (size 'S) 5) (== (size 'S) (// 4 (game sto ZERO))))",
    "a mistake in a weight": "(== (all 'S 'C (// 6 (score 'C using (game points RED)))) 3)",
    "what is not there": "(== (size 'S) (score (top (game vloc NONE)) using (game points VALUE)))",
}


def choosing(sets: str) -> str:
    clause = f"(any {sets} 'S (do ((set (game sto N) (size 'S))"
    clause += " (all 'S 'C (move 'C (top (game vloc OUT)))))))"
    return game(
        do(*SETUP), choice(clause, "(turn pass)"), choice(clause, "(turn pass)"), deck=PACK
    )


IN_C = [name for name in CONDITIONS if name.startswith(("a mistake", "not", "no ", "sum", "size"))]
"""Conditions that an empty set may satisfy, or which are a mistake for it."""
CASES = [*((name, False) for name in CONDITIONS), *((name, True) for name in IN_C)]


@pytest.mark.parametrize(("name", "of_c"), CASES, ids=[f"{name}-{'BC'[c]}" for name, c in CASES])
def test_filters_of_subsets(name: str, of_c: bool) -> None:
    """In dialect C subsets are not empty."""
    text = choosing(f"(filter (subsets (game vloc TABLE)) 'S {CONDITIONS[name]})")
    if of_c:
        text = text.replace("(set (game sto N) (size 'S))", "(inc (game sto N))")
    for seed in range(4):
        play_both(text, seed)


@pytest.mark.parametrize(
    "sets",
    [
        "(filter (filter (subsets (game vloc TABLE)) 'T (== (size 'T) 2)) 'S"
        " (all 'S 'C (== (cardatt SUIT 'C) (cardatt SUIT (top 'S)))))",
        "(filter (runs all 2 (game vloc TABLE) using (game points VALUE)) 'S"
        " (all 'S 'C (== (cardatt SUIT 'C) (cardatt SUIT (top 'S)))))",
        "(filter (runs largest 1 (game vloc TABLE) using (game points VALUE)) 'S"
        " (== (size (partition SUIT 'S)) 1))",
        "(filter (runs all 2 (game vloc TABLE) using (game points VALUE)) 'S (== (size 'S) 2))",
        "(filter (subsets (union (game vloc TABLE) (game vloc TABLE))) 'S (== (size 'S) 2))",
        "(filter (subsets (filter (game vloc TABLE) 'D (!= (cardatt SUIT 'D) HEARTS))) 'S"
        " (and (== (size 'S) 2) (< (sum 'S using (game points VALUE)) 7)))",
    ],
)
def test_filters_of_sets(sets: str) -> None:
    for seed in range(6):
        play_both(choosing(sets), seed)


def test_filters_outside_choices() -> None:
    text = game(
        do(
            *SETUP,
            "(set (game sto A) (size (filter (subsets (game vloc TABLE)) 'S"
            " (== (sum 'S using (game points VALUE)) 7))))",
            "((any (filter (subsets (game vloc TABLE)) 'S (== (size 'S) 2)) 'S"
            " (== (sum 'S using (game points VALUE)) 7)) (set (game sto B) 1))",
            "(all (filter (subsets (game vloc TABLE)) 'S (== (size 'S) 2)) 'S"
            " (inc (game sto D) 1))",
        ),
        choice("(turn pass)"),
        deck=PACK,
    )
    for seed in range(4):
        state, oracle = play_both(text, seed)
        assert oracle.state.numbers["game", "D"] == 21
        assert state.status == Status.FINISHED


# --- many cards -----------------------------------------------------------------------------

LARGE = """(repeat {packs} (create deck (game vloc TABLE) (deck
  (RANK (A, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN))
  (SUIT (CLUBS, DIAMONDS, HEARTS, SPADES)))))"""


def of_many(sets: str, packs: int = 1) -> list[str]:
    """The options among sets of a large pile, in words."""
    text = game(
        do(f"(set (game points VALUE) ({AWARDS}))"),
        choice(f"(any {sets} 'S (all 'S 'C (move 'C (top (game vloc OUT)))))"),
        deck=LARGE.format(packs=packs),
    )
    state = table_of(text).new_state(1)
    return [state.action_words(action) for action in state.legal_actions()]


def test_sums_of_a_pack() -> None:
    options = of_many(f"(filter (subsets (game vloc TABLE)) 'S (== {SUM} 7))")
    cards = [1 + i // 4 for i in range(40)]
    few = [c for size in range(1, 6) for c in itertools.combinations(range(16), size)]
    expected = sum(sum(cards[i] for i in c) == 7 for c in few) + 4 * 4 + 4 * 6 + 4 * 4 + 4
    assert len(options) == expected
    assert len(set(options)) == len(options)


def test_ranks_of_two_packs() -> None:
    """All sets of the eight cards of each rank are offered."""
    rank = "(all 'S 'C (== (cardatt RANK 'C) (cardatt RANK (top 'S))))"
    options = of_many(f"(filter (subsets (game vloc TABLE)) 'S {rank})", packs=2)
    assert len(options) == 10 * (2**8 - 1)
    pairs = of_many(f"(filter (subsets (game vloc TABLE)) 'S (and {rank} (== (size 'S) 2)))", 2)
    assert len(pairs) == 10 * 28


@pytest.mark.parametrize(
    "condition",
    [
        "(all 'S 'C (or {wild} (== (cardatt RANK 'C) (cardatt RANK (bottom 'S)))))",
        "(<= (size (partition RANK (filter 'S 'C (not {wild})))) 1)",
        "(any (game vloc TABLE) 'N (all 'S 'C (or {wild}"
        " (== (cardatt RANK 'N) (cardatt RANK 'C)))))",
        "(or (all 'S 'C {wild}) (all 'S 'C (or {wild} (== (cardatt RANK 'C)"
        " (cardatt RANK (top (filter 'S 'C (not {wild}))))))))",
    ],
)
def test_ranks_with_wild_cards(condition: str) -> None:
    """Sets of three among forty cards, with aces and twos wild."""
    wild = "(or (== (cardatt RANK 'C) A) (== (cardatt RANK 'C) TWO))"
    condition = condition.format(wild=wild)
    sets = f"(filter (subsets (game vloc TABLE)) 'S (and (== (size 'S) 3) {condition}))"
    naturals = [8 * math.comb(4, n) * math.comb(8, 3 - n) for n in (1, 2, 3)]
    if "(bottom 'S)" in condition:  # an ace at the bottom goes with aces and twos alone
        naturals = [0, 0, naturals[2]]
    assert len(of_many(sets)) == math.comb(8, 3) + sum(naturals)


def test_runs_of_two_packs() -> None:
    suit = "(all 'S 'C (== (cardatt SUIT 'C) (cardatt SUIT (top 'S))))"
    runs = "(runs all 3 (game vloc TABLE) using (game points VALUE))"
    options = of_many(f"(filter {runs} 'S (and {suit} (< (size 'S) 5)))")
    assert len(options) == 4 * (8 + 7)
    options = of_many(f"(filter {runs} 'S {suit})")
    assert len(options) == 4 * (8 * 9 // 2)


def test_more_than_can_be_offered() -> None:
    with pytest.raises(
        FullBufferError, match=r"my game\.rcy:\d+:\d+: player 1 has more than 4096"
    ):
        of_many("(filter (subsets (game vloc TABLE)) 'S (> (size 'S) 1))")


@pytest.mark.parametrize(
    ("sets", "error", "message"),
    [
        (
            "(filter (subsets (game vloc TABLE)) 'S (> (size 'S) 1))",
            EndlessError,
            "more than 100,000 subsets are gone through; let the filter around them say",
        ),
        (
            "(filter (subsets (game vloc TABLE)) 'S (and (== (size 'S) 20)"
            " (== (sum 'S using (game points ODD)) 1)))",
            RulesError,
            "more than 100,000 subsets are gone through; let the filter around them say",
        ),
        (
            "(filter (subsets (game vloc TABLE)) 'S (or (== (size 'S) 1) (!= (size 'S) 2)))",
            RulesError,
            "the subsets of more than 20 cards; let the filter around them say how many",
        ),
    ],
)
def test_too_many_subsets(sets: str, error: type[Exception], message: str) -> None:
    """No sum of scores of -2 and 2 is odd, but the search cannot exclude that early."""
    awards = "((SUIT : CLUBS) 2) ((SUIT : DIAMONDS) 2) ((SUIT : SPADES) (- 0 2))"
    text = game(
        do(f"(set (game points ODD) ({awards} ((SUIT : HEARTS) (- 0 2))))"),
        do(f"(set (game sto N) (size {sets}))"),
        choice("(turn pass)"),
        deck=LARGE.format(packs=1),
    )
    with pytest.raises(error, match=rf"my game\.rcy:\d+:\d+: .*{message}"):
        table_of(text).new_state(1)
