"""Code that lists the subsets that pass a filter, by a search that skips most other subsets.

The necessary conditions that ``wanted_sets`` derives from the filter become weights, keys and ways
of ``subset_search``. Each subset that the search returns is still tested by the whole condition.
So the filter gives the same sets in the same order, and breaks off at the same errors, as if all
subsets were tested.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from kibitz.recycle import subset_search, tree
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen import loops
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import CardValue, ListValue, Scope
from kibitz.recycle.codegen.wanted_sets import (
    Alike,
    Bounded,
    EachCard,
    Fixed,
    Known,
    Term,
    Wanted,
)

UNBOUNDED = 1 << 60
"""The absolute value of a bound that no sum reaches."""
MOST_SUBSETS = 20
"""The maximum number of cards whose subsets are all listed, if no filter restricts them."""


def each_subset(
    s: Scope,
    e: tree.Subsets,
    source: ListValue,
    body: loops.Body,
    want: Wanted | None = None,
) -> None:
    """Emits `body` for every subset of a list, or for every subset that the filter may want."""
    f = s.function
    first, count = loops.bounds(s, source)
    if want is None or not any(want.ways):
        check_count(s, e, count)
    search = _Search(s, e, want)
    search.begin(source, first, count)
    cards = f.at(source.cards, f.shift(first, 1))
    subset = loops.buffer(s)
    head, inside, end = f.label("subsets"), f.label("subset"), f.label("no_more")
    s.loops += 1
    f.place(head)
    size_found = search.next(cards, subset)
    f.branch(f.test("eq", size_found, subset_search.NO_MORE), end, inside)
    f.place(inside)
    s.fail_if(f.test("eq", size_found, subset_search.TOO_LONG), e.span, TOO_MANY)
    s.count_step(e.span, TOO_MANY, opaque=True)
    s.count_work(search.steps())
    body(ListValue(subset, "0", size_found))
    f.jump(head)
    f.place(end)
    s.loops -= 1


TOO_MANY = (
    "more than 100,000 subsets are gone through; let the filter around them say how many cards, "
    "what sum or which cards of one kind are wanted"
)
"""The message of a game that breaks off because a search takes too long."""


def check_count(s: Scope, e: tree.Subsets, count: Value) -> None:
    """Emits code that breaks the game off if there are too many subsets to list."""
    too_many = s.function.test("sgt", count, MOST_SUBSETS)
    message = f"the subsets of more than {MOST_SUBSETS} cards; let the filter around them say "
    message += "how many cards, what sum or which cards of one kind are wanted"
    s.fail_if(too_many, e.span, message)


class _Search:
    """The code that uses the array of a search: its layout, its initial values, its steps."""

    def __init__(self, s: Scope, e: tree.Subsets, want: Wanted | None) -> None:
        self.s = s
        self.room = loops.room(s)
        self.empty = e.empty
        self.key = None if want is None else want.key
        ways = () if want is None else want.ways
        self.known = () if want is None else want.known
        numbers = itertools.count(), itertools.count(subset_search.FIRST_SORT_BIT)
        self.bits = {
            known: next(numbers[isinstance(known, Alike)])
            for known in self.known
            if known is not self.key
        }
        weights = sum(not isinstance(known, Alike) for known in self.bits)
        self.sorts = len(self.bits) - weights
        self.ways = [
            sum(1 << self.bits[known] for known in way if known in self.bits) for way in ways
        ]
        self.sorts_at = subset_search.bounds_at(self.room, weights)
        self.ways_at = self.sorts_at + subset_search.size_of_sorts(self.room, self.sorts)
        self.array = s.array("i64", self.ways_at + len(ways), e.span)

    def _at(self, index: Value | int) -> Value:
        """The address of an element of the array."""
        f = self.s.function
        offset = 8 * index if isinstance(index, int) else f.shift(index, 3)
        return f.at(self.array, offset)

    def begin(self, source: ListValue, first: Value, count: Value) -> None:
        """Emits code that begins a search over the cards of a list.

        If a bound or key cannot be computed, the search goes on without the further ones; the
        error occurs when the condition is tested.
        """
        s, f = self.s, self.s.function
        self.cards, self.first, self.count = source.cards, first, count
        head: dict[int, Value | int] = {
            subset_search.COUNT: count,
            subset_search.GROUPED: 0,
            subset_search.EMPTY: int(self.empty),
            subset_search.WEIGHTS: 0,
            subset_search.SORTS: 0,
            subset_search.SORTS_AT: self.sorts_at,
            subset_search.WAYS: len(self.ways),
            subset_search.WAYS_AT: self.ways_at,
            subset_search.STEPS: 0,
        }
        for at, number in head.items():
            f.store(number, self._at(at))
        for number, way in enumerate(self.ways):
            f.store(way, self._at(self.ways_at + number))
        begin = f.label("search")
        with s.failing_to(begin):
            for known in self.known:
                self._write(known)
        f.place(begin)
        s.call("begin_subsets", f.number_of(self.array), str(self.room))

    def _write(self, known: Known) -> None:
        """Emits code that writes the bound or the keys of a condition into the array."""
        f = self.s.function
        if known is self.key:
            key = grouping(self.s, self.key)
            self._each_card(subset_search.HEAD, lambda c: key(c.card))
            f.store(1, self._at(subset_search.GROUPED))
        elif isinstance(known, Alike):
            number = self.bits[known] - subset_search.FIRST_SORT_BIT
            at = self.sorts_at + subset_search.size_of_sorts(self.room, number)
            self._each_card(at + subset_search.SORT_FIELDS, lambda c: self._key(known, c))
            f.store(number + 1, self._at(subset_search.SORTS))
        else:
            number = self.bits[known]
            self._bound(number, known)
            f.store(number + 1, self._at(subset_search.WEIGHTS))

    def _key(self, alike: Alike, card: CardValue) -> Value:
        """The group key of a card, or the mark of a wild card."""
        s, f = self.s, self.s.function
        key = grouping(s, alike)(card.card)
        for binding, condition in alike.wild:
            with s.bound(binding, card):
                wild = ex.condition(s, condition)
            key = f.choose(wild, subset_search.WILD, key)
        return key

    def _each_card(self, at: int, number: Callable[[CardValue], Value]) -> None:
        """Emits code that writes a number for each card into the array, from an index on."""
        s, f = self.s, self.s.function

        def write(i: Value) -> None:
            card = f.load(f.at(self.cards, f.shift(f.add(self.first, i), 1)), "i16")
            f.store(number(CardValue(card)), self._at(f.add(at, i)))

        loops.count_up(s, "0", self.count, write)

    def _limit(self, number: int, low: Value, high: Value) -> None:
        """Emits code that writes the bounds of a weight into the array."""
        f = self.s.function
        at = subset_search.bounds_at(self.room, number)
        f.store(low, self._at(at + subset_search.LOW))
        f.store(high, self._at(at + subset_search.HIGH))

    def _bound(self, number: int, known: Bounded | EachCard | Fixed) -> None:
        """Emits code that writes the weights of the cards and the bounds of their sum."""
        s, f = self.s, self.s.function
        at = subset_search.weights_at(self.room, number)
        match known:
            case Fixed(condition):
                holds = f.get(f"zext i1 {ex.condition(s, condition)} to i64")
                self._limit(number, f.sub("1", holds), str(UNBOUNDED))
                self._each_card(at, lambda _: "0")
            case EachCard(every, binding, body):
                # every: no card for which it does not hold; some: at least one card
                counted = "false" if every else "true"

                def counts(c: CardValue) -> Value:
                    with s.bound(binding, c):
                        holds = ex.condition(s, body)
                    same = f.get(f"icmp eq i1 {holds}, {counted}")
                    return f.get(f"zext i1 {same} to i64")

                self._each_card(at, counts)
                self._limit(number, "0" if every else "1", "0" if every else str(UNBOUNDED))
            case Bounded(terms, operator, constants):
                target = "0"
                for sign, constant in constants:
                    value = ex.number(s, constant)
                    target = f.add(target, value) if sign > 0 else f.sub(target, value)
                low, high = target, target
                if operator in ("<", "<="):
                    low = str(-UNBOUNDED)
                    high = f.sub(target, int(operator == "<"))
                elif operator in (">", ">="):
                    low = f.add(target, int(operator == ">"))
                    high = str(UNBOUNDED)
                self._each_card(at, lambda c: self._weight(terms, c))
                self._limit(number, low, high)

    def _weight(self, terms: tuple[Term, ...], card: CardValue) -> Value:
        """The weight of a card: its contribution to the sum of all terms."""
        f = self.s.function
        total = "0"
        for term in terms:
            weight = _share(self.s, term.total, card)
            total = f.add(total, weight) if term.sign > 0 else f.sub(total, weight)
        return total

    def next(self, cards: Value, subset: Value) -> Value:
        """Emits the call that writes the next subset to an address; returns its size."""
        s, f = self.s, self.s.function
        arguments = [f.number_of(self.array), str(self.room), f.number_of(cards)]
        plain = self.sorts == 0 and len(self.ways) < 2
        primitive = "next_subset" if plain else "next_subset_in_ways"
        return s.call(primitive, *arguments, f.number_of(subset))

    def steps(self) -> Value:
        """Emits code that gives the number of steps since the last call."""
        f = self.s.function
        at = self._at(subset_search.STEPS)
        steps = f.load(at)
        f.store(0, at)
        return steps


def _share(s: Scope, total: tree.Expression, card: CardValue) -> Value:
    """The contribution of a card to a size, sum or total."""
    f = s.function
    match total:
        case tree.Size(collection=cards):
            share = "1"
        case tree.Sum(cards=cards, points=points):
            share = ex.scorer(s, points)(card.card)
        case tree.Total(collection=cards, binding=binding, body=body):
            with s.bound(binding, card):
                share = ex.number(s, body)
        case _:
            raise AssertionError(total)
    while isinstance(cards, tree.Filter):
        with s.bound(cards.binding, card):
            holds = ex.condition(s, cards.body)
        share = f.choose(holds, share, 0)
        cards = cards.collection
    return share


def grouping(s: Scope, alike: Alike) -> Callable[[Value], Value]:
    """A function that emits the computation of the group key of a card."""
    by = alike.by
    if isinstance(by, tree.Points):
        return ex.scorer(s, by)
    return lambda card: ex.attribute(s, by, card)
