"""Going through the sets of cards that a filter wants, without going through all others.

``(filter (subsets CARDS) 'S CONDITION)`` is searched by what the condition says of sums over the
cards of ``'S`` and of what all of them have in common; ``(filter (runs ...) 'S CONDITION)`` by the
latter. What the search comes to is still tested by the whole condition. So the filter gives the
same sets in the same order, and breaks off at the same mistakes, as if all were tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kibitz.recycle import subset_search, tree
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import CardValue, ListValue, Scope
from kibitz.recycle.tree import Binding, Expression

UNBOUNDED = 1 << 40
MOST_SUBSETS = 20
"""Cards that subsets may be made of where nothing says which ones are wanted."""


# --- what a filter says of its sets -----------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """A number that is the sum of one for each card of the set, added or taken away."""

    sign: int
    whole: Expression
    """That number: a ``size``, ``sum`` or total of the set, or of a filter of it."""


@dataclass(frozen=True)
class Bounded:
    """A sum over the cards compared with what does not depend on the set."""

    terms: tuple[Term, ...]
    operator: str
    constants: tuple[tuple[int, Expression], ...]
    """What is on the other side: added up, with these signs."""


@dataclass(frozen=True)
class EachCard:
    """A condition for every card of the set, or for some."""

    every: bool
    binding: Binding
    body: Expression
    holds: bool
    """Whether the body is to hold, or is not to."""


@dataclass(frozen=True)
class Fixed:
    """A condition that does not depend on the set."""

    condition: Expression


@dataclass(frozen=True)
class Alike:
    """All cards have the same value of an attribute, or the same score."""

    by: Expression | tree.Points


Known: TypeAlias = Bounded | EachCard | Fixed | Alike


@dataclass(frozen=True)
class Wanted:
    """What is known of the sets of a filter, which may be a filter of another one.

    Attributes:
        base: what is filtered.
        filters: from the inner one to the outer one.
        known: what a search can use.
        nonempty: whether the empty set can be passed by.
    """

    base: Expression
    filters: tuple[tree.Filter, ...]
    known: tuple[Known, ...]
    nonempty: bool

    @property
    def alike(self) -> Alike | None:
        """What cards have in common that a search goes by."""
        return next((one for one in self.known if isinstance(one, Alike)), None)


def wanted(e: tree.Filter) -> Wanted:
    """What a filter of sets says of them, as far as a search can use it.

    A condition is of no use behind one that may be a mistake: that is to be met as ever.
    """
    filters = [e]
    while isinstance(filters[-1].collection, tree.Filter):
        filters.append(filters[-1].collection)
    filters.reverse()
    known: list[Known] = []
    safe = not any(
        isinstance(node, tree.Random | tree.Best)
        for one in filters
        for node in tree.walk(one.body)
    )
    for one in filters:
        for part in _parts(one.body):
            found = _known(part, one.binding) if safe else None
            safe = safe and (found is not None or not _may_fail(part))
            known += [] if found is None else [found]
    return Wanted(filters[0].collection, tuple(filters), tuple(known), safe)


def _parts(e: Expression) -> Iterator[Expression]:
    """The conditions all of which have to hold."""
    if isinstance(e, tree.Logic) and e.operator == "and":
        for part in e.parts:
            yield from _parts(part)
    else:
        yield e


def _known(e: Expression, of: Binding) -> Known | None:
    """What a condition says of a set, if it is of a form that a search can use."""
    if not _mentions(e, of):
        return Fixed(e)
    match e:
        case tree.Compare(operator=operator) if operator != "!=":
            return _alike_groups(e, of) or _bounded(e, of)
        case tree.Quantified(collection=tree.Variable(binding=whole)) if whole is of:
            return _of_each(e, of)
        case tree.Not(
            condition=tree.Quantified(every=False, collection=tree.Variable(binding=whole)) as some
        ) if whole is of and not _mentions(some.body, of):
            return EachCard(True, some.binding, some.body, False)
    return None


def _of_each(e: tree.Quantified, of: Binding) -> Known | None:
    if not _mentions(e.body, of):
        return EachCard(e.every, e.binding, e.body, True)
    if not e.every:
        return None
    match e.body:
        case tree.Same(equal=True, left=left, right=right):
            pass
        case tree.Compare(operator="==", left=left, right=right):
            pass
        case tree.Quantified(
            every=True, collection=tree.Variable(binding=whole), binding=other, body=body
        ) if whole is of:
            match body:
                case tree.Same(equal=True, left=left, right=right):
                    pass
                case tree.Compare(operator="==", left=left, right=right):
                    pass
                case _:
                    return None
            return _alike(left, e.binding, right, other, of) or _alike(
                right, e.binding, left, other, of
            )
        case _:
            return None
    return _alike(left, e.binding, right, None, of) or _alike(right, e.binding, left, None, of)


def _alike(
    own: Expression, binding: Binding, others: Expression, other: Binding | None, of: Binding
) -> Alike | None:
    """Whether what a card has is compared with what another card of the set has."""
    match own, others:
        case (
            tree.Attribute(name=tree.Text(value=name), card=tree.Variable(binding=card)),
            tree.Attribute(name=tree.Text(value=same), card=example),
        ) if card is binding and name == same:
            by: Expression | tree.Points = own.name
        case (
            tree.Score(card=tree.Variable(binding=card), points=points),
            tree.Score(card=example, points=again),
        ) if card is binding and _same_points(points, again):
            by = points
        case _:
            return None
    match example:
        case tree.CardAt(which="top" | "bottom", cards=tree.Variable(binding=whole)):
            return Alike(by) if whole is of else None
        case tree.Variable(binding=another):
            return Alike(by) if other is not None and another is other else None
    return None


def _same_points(first: tree.Points, second: tree.Points) -> bool:
    match first, second:
        case (
            tree.Points(owner=tree.Table(), name=tree.Text(value=name)),
            tree.Points(owner=tree.Table(), name=tree.Text(value=again)),
        ):
            return name == again
    return False


def _alike_groups(e: tree.Compare, of: Binding) -> Alike | None:
    """``(== (size (partition NAME 'S)) 1)``."""
    match e:
        case tree.Compare(
            operator="==",
            left=tree.Size(
                collection=tree.Partition(
                    attribute=tree.Text() as attribute, parts=(tree.Variable(binding=whole),)
                )
            ),
            right=tree.Number(value=1),
        ) if whole is of:
            return Alike(attribute)
    return None


def _bounded(e: tree.Compare, of: Binding) -> Bounded | None:
    terms: list[Term] = []
    constants: list[tuple[int, Expression]] = []

    def collect(side: Expression, sign: int) -> bool:
        if not _mentions(side, of):
            constants.append((-sign, side))
            return True
        if isinstance(side, tree.Arithmetic) and side.operator in "+-":
            second = sign if side.operator == "+" else -sign
            return collect(side.left, sign) and collect(side.right, second)
        if _is_sum(side, of):
            terms.append(Term(sign, side))
            return True
        return False

    if not (collect(e.left, 1) and collect(e.right, -1)):
        return None
    return Bounded(tuple(terms), e.operator, tuple(constants))


def _is_sum(e: Expression, of: Binding) -> bool:
    """Whether a number is the sum of one for each card of the set."""
    match e:
        case tree.Size(collection=cards):
            rest: tree.Node | None = None
        case tree.Sum(cards=cards, points=rest):
            pass
        case tree.Total(collection=cards, body=rest):
            pass
        case _:
            return False
    if rest is not None and _mentions(rest, of):
        return False
    if isinstance(cards, tree.Filter):
        return not _mentions(cards.body, of) and _is_variable(cards.collection, of)
    return _is_variable(cards, of)


def _is_variable(e: Expression, of: Binding) -> bool:
    return isinstance(e, tree.Variable) and e.binding is of


def _mentions(e: tree.Node, of: Binding) -> bool:
    return any(isinstance(node, tree.Variable) and node.binding is of for node in tree.walk(e))


def _may_fail(e: Expression) -> bool:
    """Whether working it out may break the game off."""
    named = {
        node.card
        for node in tree.walk(e)
        if isinstance(node, tree.Attribute)  # of no card it is empty
    }
    for node in tree.walk(e):
        match node:
            case tree.CardAt() if node in named and node.which in ("top", "bottom"):
                pass
            case tree.CardAt() | tree.Pick() | tree.BestScore() | tree.Seat() | tree.TeamNumber():
                return True
            case tree.OwnerOf() | tree.TeamOf() | tree.Triangular() | tree.Fibonacci():
                return True
            case tree.Arithmetic(operator="//" | "%" | "^" | "*"):
                return True
            case tree.Pile(index=tree.Expression()) | tree.Range() | tree.Subsets() | tree.Runs():
                return True
            case tree.Tuples() | tree.Partition() | tree.RunAt() | tree.Combined():
                return True
    return False


# --- subsets ----------------------------------------------------------------------------------


def each_subset(s: Scope, e: tree.Subsets, body: lists.Body, want: Wanted | None = None) -> None:
    """`body` for every subset, or for those that can be wanted."""
    f = s.function
    known = () if want is None else want.known
    weighed: list[Known] = [one for one in known if not isinstance(one, Alike)]
    if want is not None and want.nonempty:
        size = tree.Variable(e.span, want.filters[0].binding)
        none = tree.Number(e.span, 0)
        weighed.append(Bounded((Term(1, tree.Size(e.span, size)),), ">", ((1, none),)))
    found = lists.gathered(s, e.cards)
    first, count = lists.bounds(s, found)
    if not known:
        check_count(s, e, count)
    search = _Search(s, e, len(weighed))
    search.begin(found, first, count, e.empty)
    alike = None if want is None else want.alike
    search.weigh(want, weighed, alike)
    cards = f.at(found.cards, f.shift(first, 1))
    subset = lists.buffer(s)
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


def check_count(s: Scope, e: tree.Subsets, count: Value) -> None:
    """Breaks off where there are too many subsets to go through all."""
    many = s.function.test("sgt", count, MOST_SUBSETS)
    message = f"the subsets of more than {MOST_SUBSETS} cards; let the filter around them say "
    message += "how many cards, what sum or which cards of one kind are wanted"
    s.fail_if(many, e.span, message)


class _Search:
    """The array that a search works in."""

    def __init__(self, s: Scope, e: tree.Subsets, weights: int) -> None:
        self.s = s
        self.room = lists.room(s)
        self.weights = weights
        size = subset_search.size_of_search(self.room, weights)
        self.array = s.array("i64", size, e.span)

    def _at(self, index: Value | int) -> Value:
        f = self.s.function
        offset = 8 * index if isinstance(index, int) else f.shift(index, 3)
        return f.at(self.array, offset)

    def begin(self, found: ListValue, first: Value, count: Value, empty: bool) -> None:
        """Sets the head for the cards of a list."""
        f = self.s.function
        self.cards, self.first, self.count = found.cards, first, count
        f.store(count, self._at(subset_search.COUNT))
        f.store(self.weights, self._at(subset_search.WEIGHTS))
        f.store(0, self._at(subset_search.GROUPED))
        f.store(int(empty), self._at(subset_search.EMPTY))
        f.store(0, self._at(subset_search.STEPS))

    def weigh(self, want: Wanted | None, known: list[Known], alike: Alike | None) -> None:
        """Gives the cards their weights and keys, and begins.

        Where that would be a mistake nothing is known of the sets; it will be met when the
        condition is tested.
        """
        s, f = self.s, self.s.function
        mistaken, begin = f.label("mistaken"), f.label("search")
        if want is not None:
            with s.failing_to(mistaken):
                for number, one in enumerate(known):
                    self._bound(number, one)
                if alike is not None:
                    f.store(1, self._at(subset_search.GROUPED))
                    key = grouping(s, alike)
                    self._each_card(subset_search.HEAD, lambda c: key(c.card))
            f.jump(begin)
            f.place(mistaken)
            f.store(0, self._at(subset_search.GROUPED))
            for number in range(len(known)):
                self._limit(number, str(-UNBOUNDED), str(UNBOUNDED))
                self._each_card(subset_search.weights_at(self.room, number), lambda _: "0")
        f.place(begin)
        s.module.call(s, "begin_subsets", f.number_of(self.array), str(self.room))

    def _each_card(self, at: int, number: Callable[[CardValue], Value]) -> None:
        """Writes a number for each card."""
        s, f = self.s, self.s.function

        def write(i: Value) -> None:
            card = f.load(f.at(self.cards, f.shift(f.add(self.first, i), 1)), "i16")
            f.store(number(CardValue(card)), self._at(f.add(at, i)))

        lists.count_up(s, "0", self.count, write)

    def _limit(self, number: int, low: Value, high: Value) -> None:
        f = self.s.function
        at = subset_search.bounds_at(self.room, number)
        f.store(low, self._at(at + subset_search.LOW))
        f.store(high, self._at(at + subset_search.HIGH))

    def _bound(self, number: int, known: Known) -> None:
        """What is known of a sum: weights and bounds."""
        s, f = self.s, self.s.function
        at = subset_search.weights_at(self.room, number)
        match known:
            case Fixed(condition):
                holds = f.get(f"zext i1 {ex.condition(s, condition)} to i64")
                self._limit(number, f.sub("1", holds), str(UNBOUNDED))
                self._each_card(at, lambda _: "0")
            case EachCard(every, binding, body, wanted_so):
                # every: none of which it is otherwise; some: at least one
                counted = "false" if every == wanted_so else "true"

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
        f = self.s.function
        total = "0"
        for term in terms:
            weight = _share(self.s, term.whole, card)
            total = f.add(total, weight) if term.sign > 0 else f.sub(total, weight)
        return total

    def next(self, cards: Value, subset: Value) -> Value:
        """The size of the next subset, which is written there."""
        s, f = self.s, self.s.function
        arguments = [f.number_of(self.array), str(self.room), f.number_of(cards)]
        return s.module.call(s, "next_subset", *arguments, f.number_of(subset))

    def steps(self) -> Value:
        """How many steps there have been since this was asked last."""
        f = self.s.function
        at = self._at(subset_search.STEPS)
        steps = f.load(at)
        f.store(0, at)
        return steps


def _share(s: Scope, whole: Expression, card: CardValue) -> Value:
    """What a card gives to a sum."""
    f = s.function
    match whole:
        case tree.Size(collection=cards):
            share = "1"
        case tree.Sum(cards=cards, points=points):
            share = ex.scorer(s, points)(card.card)
        case tree.Total(collection=cards, binding=binding, body=body):
            with s.bound(binding, card):
                share = ex.number(s, body)
        case _:
            raise AssertionError(whole)
    if isinstance(cards, tree.Filter):
        with s.bound(cards.binding, card):
            holds = ex.condition(s, cards.body)
        share = f.choose(holds, share, 0)
    return share


def grouping(s: Scope, alike: Alike) -> Callable[[Value], Value]:
    """Gives a function from cards to what they have in common with others."""
    by = alike.by
    if isinstance(by, tree.Points):
        return ex.scorer(s, by)
    return lambda card: ex.attribute(s, by, card)
