"""Reads bounds on sums, sizes and keys out of the condition of a filter of sets of cards.

The condition of ``(filter (subsets CARDS) 'S CONDITION)`` is taken apart into what is known of
``'S``: sums over its cards, what each or some card is like, what all have in common, perhaps with
wild cards among them. An ``and`` makes several of these, an ``or`` several *ways* in which a set
can be wanted. What is found is necessary, and need not be sufficient.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from kibitz.recycle import tree
from kibitz.recycle.tree import Binding, Expression

MOST_WAYS = 16
"""With more, an ``or`` is taken to say nothing."""
MOST_KNOWN = 24
"""With more, all further conditions are taken to say nothing."""


@dataclass(frozen=True)
class Term:
    """A sum of a number for each card of the set, added or subtracted."""

    sign: int
    whole: Expression
    """That number: a ``size``, ``sum`` or total of the set, or of a filter of it."""


@dataclass(frozen=True)
class Bounded:
    """A comparison of a sum over the cards with a value that does not depend on the set."""

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


@dataclass(frozen=True)
class Fixed:
    """A condition that does not depend on the set."""

    condition: Expression


Wild: TypeAlias = tuple[tuple[Binding, Expression], ...]
"""Conditions of a card, each with the name that it has there."""


@dataclass(frozen=True)
class Alike:
    """All cards but those that are wild have the same value of an attribute, or the same score."""

    by: Expression | tree.Points
    wild: Wild = ()
    """A card for which one of these holds is wild."""


Known: TypeAlias = Bounded | EachCard | Fixed | Alike
Way: TypeAlias = tuple[Known, ...]
NOTHING: tuple[Way, ...] = ((),)
"""One way in which nothing is asked for."""


@dataclass(frozen=True)
class Wanted:
    """The bounds and keys of all sets that pass a filter, which may be a filter of another one.

    Attributes:
        base: what is filtered.
        filters: from the inner one to the outer one.
        known: what a search can use, in the order in which it is worked out.
        ways: a set is wanted only if all of one of these holds.
    """

    base: Expression
    filters: tuple[tree.Filter, ...]
    known: tuple[Known, ...]
    ways: tuple[Way, ...]

    @property
    def key(self) -> Alike | None:
        """The key that all cards of a wanted set share, wild ones aside."""
        for one in self.known:
            if isinstance(one, Alike) and not one.wild and all(one in way for way in self.ways):
                return one
        return None


def wanted(e: tree.Filter) -> Wanted:
    """The bounds and keys of the sets that pass a filter, as far as a search can use them.

    A condition is of no use behind one that may be a mistake: that is to be met as ever.
    """
    filters = [e]
    while isinstance(filters[-1].collection, tree.Filter):
        filters.append(filters[-1].collection)
    filters.reverse()
    base = filters[0].collection
    chance = (tree.Random, tree.Best)
    if any(isinstance(node, chance) for one in filters for node in tree.walk(one.body)):
        return Wanted(base, tuple(filters), (), NOTHING)
    reader = _Reader(frozenset(one.binding for one in filters))
    ways = reader.all_of([one.body for one in filters])
    if reader.safe and any(ways):
        size = tree.Size(e.span, tree.Variable(e.span, filters[0].binding))
        some = Bounded((Term(1, size),), ">", ((1, tree.Number(e.span, 0)),))
        reader.known.append(some)  # a filter leaves the empty set out
        ways = tuple((*way, some) for way in ways)
    return Wanted(base, tuple(filters), tuple(reader.known), ways)


@dataclass
class _Reader:
    """Takes conditions apart, in the order in which they are worked out.

    Attributes:
        sets: the names of the set at hand.
        others: what else is named inside of the condition around.
        known: what has been found.
        safe: whether nothing that has been met can be a mistake.
    """

    sets: frozenset[Binding]
    others: frozenset[Binding] = frozenset()
    known: list[Known] = field(default_factory=list)
    safe: bool = True

    # -- several conditions ----------------------------------------------------------------

    def all_of(self, conditions: Sequence[Expression]) -> tuple[Way, ...]:
        """The ways in which all conditions hold."""
        found = NOTHING
        for condition in conditions:
            ways = self.ways(condition)
            if len(found) * len(ways) <= MOST_WAYS:
                found = tuple(first + second for first in found for second in ways)
        return found

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
        one = self._known(e)
        if one is not None and len(self.known) < MOST_KNOWN:
            self.known.append(one)
            return ((one,),)
        if one is None and isinstance(e, tree.Quantified):
            if not e.every:
                return self._for_some(e)
            body = opposite(e.body.condition) if isinstance(e.body, tree.Not) else e.body
            if isinstance(body, tree.Logic) and body.operator == "and":
                return self.all_of([replace(e, body=part) for part in body.parts])
        self.safe = self.safe and not may_fail(e)
        return NOTHING

    def _one_of(self, conditions: Iterable[Expression]) -> tuple[Way, ...]:
        found: list[Way] = []
        safe = True
        for condition in conditions:
            self.safe = True  # whether the others were mistaken does not matter if they hold
            found += self.ways(condition)
            safe = safe and self.safe
        self.safe = safe
        return tuple(found) if all(found) and len(found) <= MOST_WAYS else NOTHING

    def _for_some(self, e: tree.Quantified) -> tuple[Way, ...]:
        """The ways in which a condition on some element holds, whichever element it is."""
        self.safe = not may_fail(e.collection)
        before = self.others
        self.others = before | {e.binding}
        found = self.ways(e.body)
        self.others = before
        return found

    # -- one condition ---------------------------------------------------------------------

    def _known(self, e: Expression) -> Known | None:
        """The bound or key in a condition on the set, if a search can use its form."""
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
        """``(== (size (partition NAME 'S)) 1)``, or of a filter of ``'S``, or at most 1."""
        groups, operator, number = e.left, e.operator, e.right
        if isinstance(groups, tree.Number):
            groups, operator, number = number, tree.MIRRORED[operator], groups
        match groups, number:
            case (
                tree.Size(collection=tree.Partition(attribute=tree.Text() as name, parts=parts)),
                tree.Number(value=most),
            ) if operator in ("==", "<=", "<") and most - (operator == "<") <= 1:
                for part in parts:
                    members = self._members(part)
                    rest = [other for other in parts if other is not part]
                    if members is not None and not any(map(may_fail, rest)):
                        return Alike(name, members)
        return None

    def _alike(self, e: tree.Quantified) -> Alike | None:
        """The value that a condition requires to be equal on all cards that are not wild.

        So it is if that has to be equal to one and the same value, whatever this is, or to that
        of every card.
        """
        cards: dict[Binding, Expression] = {}
        wild: list[tuple[Binding, Expression]] = []
        conditions: list[Expression] = []
        waiting: list[Expression] = [e]
        while waiting:
            part = waiting.pop(0)
            if isinstance(part, tree.Not):
                part = opposite(part.condition)
            match part:
                case tree.Logic(operator="or"):
                    waiting += part.parts
                case tree.Quantified(every=True) if len(cards) < 2 and self._depends(part):
                    members = self._members(part.collection)
                    if members is None:
                        return None
                    cards[part.binding] = part.collection
                    wild += members
                    waiting.append(part.body)
                case _:
                    conditions.append(part)
        equal: list[Expression] = []
        for part in conditions:
            of = [card for card in cards if mentions(part, {card})]
            if len(of) == 1 and not self._depends(part):
                wild.append((of[0], part))
            else:
                equal.append(part)
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
        """The value of a card that must equal something that is the same for all cards."""
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
        """Whether this is the score of a card that is there if there are any cards."""
        match e:
            case tree.Score(card=tree.CardAt(which="top" | "bottom", cards=among), points=points):
                same = self._is_set(among) or tree.equivalent(among, cards)
                return same and not may_fail(points)
        return False

    def _bounded(self, e: tree.Compare) -> Bounded | None:
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
        if rest is not None and self._depends(rest):
            return False
        return self._members(cards) is not None

    # -- the set ---------------------------------------------------------------------------

    def _depends(self, e: tree.Node) -> bool:
        """Whether something is about the set, or about what is named inside of the condition."""
        return mentions(e, self.sets | self.others)

    def _is_set(self, e: Expression) -> bool:
        return isinstance(e, tree.Variable) and e.binding in self.sets

    def _members(self, e: Expression) -> Wild | None:
        """The condition of wild cards, which a filter around the set leaves out."""
        without: list[tuple[Binding, Expression]] = []
        while isinstance(e, tree.Filter) and not self._depends(e.body):
            without.append((e.binding, tree.Not(e.span, e.body)))
            e = e.collection
        return tuple(without) if self._is_set(e) else None


# --- conditions -------------------------------------------------------------------------------


def opposite(e: Expression) -> Expression:
    """The opposite of a condition, without a `not` in front where that can be."""
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
    """Whether any of these variables is used."""
    return any(isinstance(node, tree.Variable) and node.binding in names for node in tree.walk(e))


def may_fail(e: tree.Node) -> bool:
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
