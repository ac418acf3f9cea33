"""Derives bounds on sums, sizes and keys from the condition of a filter of sets of cards.

The condition of ``(filter (subsets CARDS) 'S CONDITION)`` is decomposed into conditions that a
search can use: on sums over the cards of ``'S``, on each or some card, and on values that all
cards but wild ones share. An ``and`` gives several of these conditions, an ``or`` several *ways*
in which a set passes the filter. The derived conditions are necessary, not sufficient.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from kibitz.recycle import tree
from kibitz.recycle.tree import Binding, Expression

MOST_WAYS = 16
"""The maximum number of ways; a condition with more of them is ignored."""
MOST_KNOWN = 24
"""The maximum number of derived conditions; further ones are ignored."""


@dataclass(frozen=True)
class Term:
    """A sum over the cards of the set that is added or subtracted."""

    sign: int
    total: Expression
    """The sum: a ``size``, ``sum`` or total of the set, or of a filter of it."""


@dataclass(frozen=True)
class Bounded:
    """A comparison of a sum of terms with a value that does not depend on the set."""

    terms: tuple[Term, ...]
    operator: str
    constants: tuple[tuple[int, Expression], ...]
    """The signed summands of the value."""


@dataclass(frozen=True)
class EachCard:
    """A condition that holds for every card of the set, or for some card."""

    every: bool
    binding: Binding
    body: Expression


@dataclass(frozen=True)
class Fixed:
    """A condition that does not depend on the set."""

    condition: Expression


Wild: TypeAlias = tuple[tuple[Binding, Expression], ...]
"""Conditions on a card, each with the variable that stands for the card in it."""


@dataclass(frozen=True)
class Alike:
    """The condition that all cards except wild ones have the same attribute value or score."""

    by: Expression | tree.Points
    wild: Wild = ()
    """The conditions for wild cards: a card that meets at least one of them is wild."""


Known: TypeAlias = Bounded | EachCard | Fixed | Alike
"""A derived condition that a search can use."""
Way: TypeAlias = tuple[Known, ...]
"""Conditions that hold at the same time."""
NOTHING: tuple[Way, ...] = ((),)
"""A single way without conditions."""


@dataclass(frozen=True)
class Wanted:
    """The derived conditions of all sets that pass a filter or several nested filters.

    Attributes:
        base: The collection of sets that is filtered.
        filters: The filters, the innermost first.
        known: All derived conditions, in the order in which they are evaluated.
        ways: The ways; a set that passes the filter meets all conditions of one of them.
    """

    base: Expression
    filters: tuple[tree.Filter, ...]
    known: tuple[Known, ...]
    ways: tuple[Way, ...]

    @property
    def key(self) -> Alike | None:
        """A key that all cards of a set share in every way and without wild cards, if any."""
        for known in self.known:
            if (
                isinstance(known, Alike)
                and not known.wild
                and all(known in way for way in self.ways)
            ):
                return known
        return None


def wanted(e: tree.Filter) -> Wanted:
    """The conditions on sets that pass a filter, as far as a search can use them.

    Conditions behind one that may fail are ignored, so that the failure occurs in any case.
    """
    filters = [e]
    while isinstance(filters[-1].collection, tree.Filter):
        filters.append(filters[-1].collection)
    filters.reverse()
    base = filters[0].collection
    chance = (tree.Random, tree.Best)
    if any(isinstance(node, chance) for inner in filters for node in tree.walk(inner.body)):
        return Wanted(base, tuple(filters), (), NOTHING)
    reader = _Reader(frozenset(inner.binding for inner in filters))
    ways = reader.all_of([inner.body for inner in filters])
    if reader.safe and any(ways):
        size = tree.Size(e.span, tree.Variable(e.span, filters[0].binding))
        nonempty = Bounded((Term(1, size),), ">", ((1, tree.Number(e.span, 0)),))
        reader.known.append(nonempty)  # a filter leaves out the empty set
        ways = tuple((*way, nonempty) for way in ways)
    return Wanted(base, tuple(filters), tuple(reader.known), ways)


@dataclass
class _Reader:
    """Decomposes conditions in the order in which they are evaluated.

    Attributes:
        sets: The variables that stand for the set.
        others: Other variables that the condition binds around the part at hand.
        known: The conditions that have been derived so far.
        safe: Whether the evaluation of the parts so far cannot fail.
    """

    sets: frozenset[Binding]
    others: frozenset[Binding] = frozenset()
    known: list[Known] = field(default_factory=list)
    safe: bool = True

    # -- several conditions ----------------------------------------------------------------

    def all_of(self, conditions: Sequence[Expression]) -> tuple[Way, ...]:
        """The ways in which all conditions hold."""
        joint = NOTHING
        for condition in conditions:
            ways = self.ways(condition)
            if len(joint) * len(ways) <= MOST_WAYS:
                joint = tuple(first + second for first in joint for second in ways)
        return joint

    def ways(self, e: Expression) -> tuple[Way, ...]:
        """The ways in which a condition holds."""
        if not self.safe:
            return NOTHING
        if isinstance(e, tree.Not):
            e = opposite(e.condition)
        match e:
            case tree.Logic() if not self._depends(e):
                pass
            case tree.Logic(operator="and"):
                return self.all_of(e.parts)
            case tree.Logic(operator="or"):
                return self._one_of(e.parts)
        known = self._known(e)
        if known is not None and len(self.known) < MOST_KNOWN:
            self.known.append(known)
            return ((known,),)
        if known is None and isinstance(e, tree.Quantified):
            if not e.every:
                return self._for_some(e)
            body = opposite(e.body.condition) if isinstance(e.body, tree.Not) else e.body
            if isinstance(body, tree.Logic) and body.operator == "and":
                return self.all_of([replace(e, body=operand) for operand in body.parts])
        self.safe = self.safe and not may_fail(e)
        return NOTHING

    def _one_of(self, conditions: Iterable[Expression]) -> tuple[Way, ...]:
        """The ways in which at least one condition holds."""
        ways: list[Way] = []
        safe = True
        for condition in conditions:
            self.safe = True  # the alternatives are independent of each other
            ways += self.ways(condition)
            safe = safe and self.safe
        self.safe = safe
        return tuple(ways) if all(ways) and len(ways) <= MOST_WAYS else NOTHING

    def _for_some(self, e: tree.Quantified) -> tuple[Way, ...]:
        """The ways in which a condition on some element holds, independent of the element."""
        self.safe = not may_fail(e.collection)
        before = self.others
        self.others = before | {e.binding}
        ways = self.ways(e.body)
        self.others = before
        return ways

    # -- one condition ---------------------------------------------------------------------

    def _known(self, e: Expression) -> Known | None:
        """The condition in a form that a search can use; ``None`` if there is no such form."""
        if not self._depends(e):
            return Fixed(e)
        match e:
            case tree.Compare(operator=operator) if operator != "!=":
                return self._one_group(e) or self._bounded(e)
            case tree.Quantified(every=every, collection=cards, binding=binding, body=body):
                if self._is_set(cards) and not self._depends(body):
                    return EachCard(every, binding, body)
                return self._alike(e) if every else None
        return None

    def _one_group(self, e: tree.Compare) -> Alike | None:
        """The condition ``(== (size (partition NAME 'S)) 1)``: all cards have the same value.

        The number may also be at most 1, and a filter of ``'S`` may stand in place of ``'S``.
        """
        groups, operator, number = e.left, e.operator, e.right
        if isinstance(groups, tree.Number):
            groups, operator, number = number, tree.MIRRORED[operator], groups
        match groups, number:
            case (
                tree.Size(collection=tree.Partition(attribute=tree.Text() as name, parts=parts)),
                tree.Number(value=most),
            ) if operator in ("==", "<=", "<") and most - (operator == "<") <= 1:
                for collection in parts:
                    members = self._members(collection)
                    others = [other for other in parts if other is not collection]
                    if members is not None and not any(map(may_fail, others)):
                        return Alike(name, members)
        return None

    def _alike(self, e: tree.Quantified) -> Alike | None:
        """The condition that a value is equal on all cards that are not wild.

        It follows if the value of every card equals a common value, or the value of every other
        card.
        """
        cards: dict[Binding, Expression] = {}
        wild: list[tuple[Binding, Expression]] = []
        conditions: list[Expression] = []
        waiting: list[Expression] = [e]
        while waiting:
            condition = waiting.pop(0)
            if isinstance(condition, tree.Not):
                condition = opposite(condition.condition)
            match condition:
                case tree.Logic(operator="or"):
                    waiting += condition.parts
                case tree.Quantified(every=True) if len(cards) < 2 and self._depends(condition):
                    members = self._members(condition.collection)
                    if members is None:
                        return None
                    cards[condition.binding] = condition.collection
                    wild += members
                    waiting.append(condition.body)
                case _:
                    conditions.append(condition)
        equal: list[Expression] = []
        for condition in conditions:
            of = [card for card in cards if mentions(condition, {card})]
            if len(of) == 1 and not self._depends(condition):
                wild.append((of[0], condition))
            else:
                equal.append(condition)
        match equal:
            case [tree.Same(equal=True, left=left, right=right)]:
                pass
            case [tree.Compare(operator="==", left=left, right=right)]:
                pass
            case _:
                return None
        by = self._shared(left, right, cards) or self._shared(right, left, cards)
        return None if by is None else Alike(by, tuple(wild))

    def _shared(
        self, own: Expression, others: Expression, cards: Mapping[Binding, Expression]
    ) -> Expression | tree.Points | None:
        """The attribute or points by which all cards must have a common value."""
        match own:
            case tree.Attribute(name=tree.Text() as by, card=tree.Variable(binding=card)):
                pass
            case tree.Score(card=tree.Variable(binding=card), points=by):
                pass
            case _:
                return None
        if card not in cards or self._depends(by):
            return None
        if not mentions(others, cards):
            return by if self._is_there(others, cards[card]) or not may_fail(others) else None
        match own, others:
            case tree.Attribute(), tree.Attribute(name=again, card=tree.Variable(binding=other)):
                pass
            case tree.Score(), tree.Score(card=tree.Variable(binding=other), points=again):
                pass
            case _:
                return None
        return by if other in cards and other is not card and tree.equivalent(by, again) else None

    def _is_there(self, e: Expression, cards: Expression) -> bool:
        """Whether an expression is the score of a card that exists if there are any cards."""
        match e:
            case tree.Score(card=tree.CardAt(which="top" | "bottom", cards=among), points=points):
                same = self._is_set(among) or tree.equivalent(among, cards)
                return same and not may_fail(points)
        return False

    def _bounded(self, e: tree.Compare) -> Bounded | None:
        """A comparison as a bound on sums; ``None`` if it has another form."""
        terms: list[Term] = []
        constants: list[tuple[int, Expression]] = []

        def collect(side: Expression, sign: int) -> bool:
            if not self._depends(side):
                constants.append((-sign, side))
                return True
            if isinstance(side, tree.Arithmetic) and side.operator in "+-":
                second = sign if side.operator == "+" else -sign
                return collect(side.left, sign) and collect(side.right, second)
            if self._is_sum(side):
                terms.append(Term(sign, side))
                return True
            return False

        if not (collect(e.left, 1) and collect(e.right, -1)):
            return None
        return Bounded(tuple(terms), e.operator, tuple(constants))

    def _is_sum(self, e: Expression) -> bool:
        """Whether a number is a sum over the cards of the set, or of a filter of it."""
        match e:
            case tree.Size(collection=cards):
                summand: tree.Node | None = None
            case tree.Sum(cards=cards, points=summand):
                pass
            case tree.Total(collection=cards, body=summand):
                pass
            case _:
                return False
        if summand is not None and self._depends(summand):
            return False
        return self._members(cards) is not None

    # -- the set ---------------------------------------------------------------------------

    def _depends(self, e: tree.Node) -> bool:
        """Whether an expression depends on the set or on another variable of the condition."""
        return mentions(e, self.sets | self.others)

    def _is_set(self, e: Expression) -> bool:
        return isinstance(e, tree.Variable) and e.binding in self.sets

    def _members(self, e: Expression) -> Wild | None:
        """The conditions of cards that filters of the set leave out; ``None`` for other cards."""
        without: list[tuple[Binding, Expression]] = []
        while isinstance(e, tree.Filter) and not self._depends(e.body):
            without.append((e.binding, tree.Not(e.span, e.body)))
            e = e.collection
        return tuple(without) if self._is_set(e) else None


# --- conditions -------------------------------------------------------------------------------


def opposite(e: Expression) -> Expression:
    """The negation of a condition, without a leading `not` where possible."""
    match e:
        case tree.Not():
            return e.condition
        case tree.Logic(operator=operator):
            other: Literal["and", "or"] = "or" if operator == "and" else "and"
            return tree.Logic(e.span, other, tuple(tree.Not(p.span, p) for p in e.parts))
        case tree.Compare(operator=compared):
            return replace(e, operator=tree.OPPOSITE[compared])
        case tree.Same():
            return replace(e, equal=not e.equal)
        case tree.Quantified():
            return replace(e, every=not e.every, body=tree.Not(e.body.span, e.body))
    return tree.Not(e.span, e)


def mentions(e: tree.Node, names: Collection[Binding]) -> bool:
    """Whether a node uses any of these variables."""
    return any(isinstance(node, tree.Variable) and node.binding in names for node in tree.walk(e))


def may_fail(e: tree.Node) -> bool:
    """Whether the evaluation of a node may break the game off."""
    named = {
        node.card
        for node in tree.walk(e)
        if isinstance(node, tree.Attribute)  # the attribute of a missing card is empty
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
            case tree.Along():
                return True
    return False
