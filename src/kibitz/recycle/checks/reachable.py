"""Static analysis of a program: the names, numbers and cards that may be in each place.

Everything here errs on one side: a name, a number or a card that *may* occur is counted in, so
that what is left out certainly does not occur.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from kibitz.recycle import tree
from kibitz.recycle.checks.budget import Budget
from kibitz.recycle.checks.keys import Key, Keys
from kibitz.recycle.tree import Binding, Expression, Node, Program, Type

_MOST_ROUNDS = 30
"""How often what may be stored is worked out anew before the answer is "anything"."""
_MOST_PASSES = 200
"""How often all moves are followed before every card may be everywhere."""
_MOST_VALUES = 32


class Visit(NamedTuple):
    """A node, at one place in the tree."""

    node: Node
    parent: Visit | None

    def above(self) -> Iterator[tuple[Node, Node]]:
        """The enclosing nodes, the innermost first, each with its part that contains this one."""
        inside = self
        while inside.parent is not None:
            yield inside.parent.node, inside.node
            inside = inside.parent


class Place(NamedTuple):
    """Something with a name that an owner has; which player or team it is does not matter."""

    owner: str
    """``game``, ``player`` or ``team``."""
    kind: str
    """``sto``, ``str``, ``points``, or the kind of a location."""
    name: str


class Interval(NamedTuple):
    """The numbers that may occur: from `low` to `high`, and only `values` if they are known."""

    low: float
    high: float
    values: frozenset[int] | None = None

    @classmethod
    def of(cls, *values: int) -> Interval:
        """The interval of exactly these numbers."""
        return cls(min(values), max(values), frozenset(values))

    def joined(self, other: Interval) -> Interval:
        """The union of two intervals."""
        values = None
        if self.values is not None and other.values is not None:
            values = self.values | other.values
        if values is not None and len(values) > _MOST_VALUES:
            values = None
        return Interval(min(self.low, other.low), max(self.high, other.high), values)

    def may_equal(self, other: Interval) -> bool:
        """Whether there is a number in both."""
        if self.values is not None and other.values is not None:
            return bool(self.values & other.values)
        for one, another in ((self, other), (other, self)):
            if one.values is not None:
                return any(another.low <= value <= another.high for value in one.values)
        return self.low <= other.high and other.low <= self.high


ANY_NUMBER = Interval(-math.inf, math.inf)
NATURAL = Interval(0, math.inf)

Names: TypeAlias = "frozenset[str] | None"
"""The names that may occur; none if it could be any."""


class CardKind(NamedTuple):
    """Cards that nobody can tell apart by their attributes."""

    attributes: dict[str, str]
    copies: int


Binder: TypeAlias = (
    tree.Let | tree.ForEach | tree.Fork | tree.Filter | tree.Each | tree.Quantified | tree.Total
)
"""What introduces a variable."""
Owned: TypeAlias = tree.Pile | tree.Indexed | tree.Stored | tree.StoredText | tree.Points


class Knowledge:
    """The results of the analysis, which the checks use."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.budget = Budget()
        self.keys = Keys(self.budget)
        self.visits = _visits(program)
        self.by_type: dict[type[Node], list[Visit]] = defaultdict(list)
        for visit in self.visits:
            self.by_type[type(visit.node)].append(visit)
        self.sources: dict[Binding, Binder] = {
            visit.node.binding: visit.node
            for visit in self.visits
            if isinstance(visit.node, _BINDERS)
        }
        """Where each variable is bound."""
        self.kinds = _card_kinds(program)
        self.attributes: dict[str, frozenset[str]] = _attribute_values(self.kinds)
        self.texts: dict[Place, Names] = {}
        self.numbers: dict[Place, Interval] = {}
        self.cards: dict[Place, int] = defaultdict(int)
        """The kinds of cards that may ever lie in a place, as a bit mask."""
        self.mentioned = self._mentioned()
        self._find_texts()
        self._find_numbers()
        self._find_cards()

    def of(self, *types: type[Node]) -> Iterator[Visit]:
        """All places in the tree where such nodes are."""
        for wanted in types:
            yield from self.by_type.get(wanted, ())

    def walk(self, node: Node) -> Iterator[Node]:
        """A node and all below it."""
        for found in tree.walk(node):
            self.budget.spend()
            yield found

    def resolved(self, node: Expression) -> Expression:
        """The value of a variable that ``let`` binds; any other expression is itself."""
        while isinstance(node, tree.Variable):
            source = self.sources.get(node.binding)
            if not isinstance(source, tree.Let):
                break
            node = source.value
        return node

    # --- places ---------------------------------------------------------------------------

    def places(self, node: Owned) -> list[Place]:
        """The places that a node with an owner and a name may denote."""
        owner, kind = owner_sort(node.owner), kind_of(node)
        names = self.names(node.name)
        if names is None:
            self.budget.spend(len(self.mentioned))
            return [p for p in self.mentioned if p.owner == owner and p.kind == kind]
        return [Place(owner, kind, name) for name in sorted(names)]

    def _mentioned(self) -> list[Place]:
        """All places whose names stand somewhere in the program."""
        found = {}
        for visit in self.of(*_OWNED):
            node = visit.node
            assert isinstance(node, _OWNED)
            for name in self.names(node.name) or ():
                found[Place(owner_sort(node.owner), kind_of(node), name)] = True
        return list(found)

    # --- names ----------------------------------------------------------------------------

    def names(self, node: Expression) -> Names:
        """The names that an expression may give."""
        self.budget.spend()
        if isinstance(node, tree.Text):
            return frozenset((node.value,))
        if isinstance(node, tree.Attribute):
            known = self.names(node.name)
            if known is None:
                return None
            empty = frozenset(("",))
            found = [self.attributes.get(name, empty) for name in known]
            if not isinstance(node.card, tree.Variable):
                found.append(empty)  # there may be no such card
            return frozenset().union(*found)
        if isinstance(node, tree.StoredText):
            return self._stored_names(node)
        if isinstance(node, tree.Variable):
            if node.binding.values is not None:
                return frozenset(node.binding.values)
            source = self.sources.get(node.binding)
            if isinstance(source, tree.Let):
                return self.names(source.value)
            collection = getattr(source, "collection", None)
            if isinstance(collection, tree.Texts):
                return frozenset(collection.values)
        return None

    def _stored_names(self, node: tree.StoredText) -> Names:
        found: frozenset[str] = frozenset(("",))
        for place in self.places(node):
            stored = self.texts.get(place, found)
            if stored is None:
                return None
            found |= stored
        return found

    def _find_texts(self) -> None:
        """Derives the possible values of each stored name."""
        actions = [visit.node for visit in self.of(tree.SetText)]
        for _ in range(_MOST_ROUNDS):
            before = dict(self.texts)
            for action in actions:
                assert isinstance(action, tree.SetText)
                value = self.names(action.value)
                for place in self.places(action.target):
                    old = self.texts.get(place, frozenset(("",)))
                    self.texts[place] = None if value is None or old is None else old | value
            if before == self.texts:
                return
        self.texts = dict.fromkeys(self.texts)

    # --- numbers --------------------------------------------------------------------------

    def interval(self, node: Expression) -> Interval:
        """The numbers that an expression may give."""
        self.budget.spend()
        found = self._interval(node)
        return ANY_NUMBER if math.isnan(found.low) or math.isnan(found.high) else found

    def _interval(self, node: Expression) -> Interval:
        if isinstance(node, tree.Number):
            if self.is_setting(node):
                return NATURAL
            return Interval.of(node.value)
        if isinstance(node, tree.Stored):
            zero = Interval.of(0)
            stored = [self.numbers.get(place, zero) for place in self.places(node)]
            return functools.reduce(Interval.joined, stored, zero)
        if isinstance(node, tree.Size):
            return Interval(1, math.inf) if self._never_empty(node.collection) else NATURAL
        if isinstance(node, tree.Arithmetic):
            return _arithmetic(node.operator, self.interval(node.left), self.interval(node.right))
        if isinstance(node, (tree.Triangular, tree.Fibonacci, tree.SeatNumber)):
            return NATURAL
        if isinstance(node, tree.Random):
            return Interval(self.interval(node.low).low, self.interval(node.high).high)
        if isinstance(node, tree.Total):
            return NATURAL if self.interval(node.body).low >= 0 else ANY_NUMBER
        if isinstance(node, tree.Variable):
            source = self.sources.get(node.binding)
            if isinstance(source, tree.Let):
                return self.interval(source.value)
            collection = getattr(source, "collection", None)
            if isinstance(collection, tree.Range):
                low, high = self.interval(collection.low), self.interval(collection.high)
                return Interval(low.low, high.high)
        return ANY_NUMBER

    def is_setting(self, node: Expression) -> bool:
        """Whether a constant is a parameter, which may have other values."""
        piece = self.program.source.piece(node.span)
        return piece.startswith("'") or getattr(node, "parameter", None) is not None

    def _never_empty(self, collection: Expression) -> bool:
        """Whether a filter selects the cards with the best score among the same cards."""
        if isinstance(collection, (tree.Players, tree.Teams)):
            return not collection.others
        if not isinstance(collection, tree.Filter):
            return False
        body = collection.body
        if not isinstance(body, tree.Compare) or body.operator not in ("==", "<=", ">="):
            return False
        cards = self.keys.key(collection.collection)
        for score, best in ((body.left, body.right), (body.right, body.left)):
            if not isinstance(score, tree.Score):
                continue
            if not isinstance(score.card, tree.Variable):
                continue
            if score.card.binding is not collection.binding:
                continue
            if isinstance(best, tree.Score) and isinstance(best.card, tree.Best):
                among, points = best.card.cards, best.points
            elif isinstance(best, tree.BestScore):
                among, points = best.cards, best.points
            else:
                continue
            if self.keys.key(points) != self.keys.key(score.points):
                continue
            if self.keys.key(among) == cards:
                return True
        return False

    def _find_numbers(self) -> None:
        """Derives the possible values of each stored number."""
        actions = [visit.node for visit in self.of(tree.SetNumber)]
        zero = Interval.of(0)
        for _ in range(_MOST_ROUNDS):
            before = dict(self.numbers)
            for action in actions:
                assert isinstance(action, tree.SetNumber)
                value = self.interval(action.value)
                for place in self.places(action.target):
                    old = self.numbers.get(place, zero)
                    self.numbers[place] = _after(action.operator, old, value)
            if before == self.numbers:
                return
        self.numbers = dict.fromkeys(self.numbers, ANY_NUMBER)

    # --- cards ----------------------------------------------------------------------------

    def cards_of(self, node: Expression) -> int:
        """The kinds of cards that an expression may give, or that may be in what it gives."""
        self.budget.spend()
        if isinstance(node, (tree.Pile, tree.Indexed)):
            found = 0
            for place in self.places(node):
                found |= self.cards.get(place, 0)
            return found
        if isinstance(node, tree.Variable):
            source = self.sources.get(node.binding)
            if isinstance(source, tree.Let):
                return self.cards_of(source.value)
            if source is None:
                return 0
            return self.cards_of(source.collection)
        if isinstance(node, tree.Filter):
            return self._narrow(node, self.cards_of(node.collection))
        if isinstance(node, tree.Each):
            return self.cards_of(node.body)
        if isinstance(node, (tree.Combined, tree.Partition)):
            found = 0
            for part in node.parts:
                found |= self.cards_of(part)
            return found
        if isinstance(node, tree.Pick):
            return self.cards_of(node.sets)
        inside = getattr(node, "cards", None)
        return self.cards_of(inside) if isinstance(inside, Expression) else 0

    def _narrow(self, node: tree.Filter, cards: int) -> int:
        """Leaves out the cards for which a filter's condition does not hold."""
        if node.binding.type is not Type.CARD:
            return cards
        for number, kind in enumerate(self.kinds):
            if cards >> number & 1 and self.holds(node.body, node.binding, kind) is False:
                cards &= ~(1 << number)
        return cards

    def holds(
        self,
        condition: Expression,
        card: Binding,
        kind: CardKind,
        values: Mapping[Key, str] | None = None,
    ) -> bool | None:
        """Whether a condition holds for a card; none if it depends.

        Args:
            condition: about the card.
            card: what stands for the card in it.
            kind: what the card is.
            values: what some of the expressions for names give.
        """
        self.budget.spend()
        if isinstance(condition, tree.Not):
            inside = self.holds(condition.condition, card, kind, values)
            return None if inside is None else not inside
        if isinstance(condition, tree.Logic):
            parts = [self.holds(part, card, kind, values) for part in condition.parts]
            decisive = condition.operator == "or"
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        if isinstance(condition, tree.Same):
            left = self._shown(condition.left, card, kind, values or {})
            right = self._shown(condition.right, card, kind, values or {})
            if left is None or right is None:
                return None
            if not left & right:
                return not condition.equal
            return condition.equal if len(left | right) == 1 else None
        return None

    def _shown(
        self, node: Expression, card: Binding, kind: CardKind, values: Mapping[Key, str]
    ) -> Names:
        """The names that an expression may give if a variable stands for this card."""
        if isinstance(node, tree.Attribute) and isinstance(node.card, tree.Variable):
            if node.card.binding is card and isinstance(node.name, tree.Text):
                return frozenset((kind.attributes.get(node.name.value, ""),))
        if values and node.type is Type.STR and (key := self.keys.key(node)) in values:
            return frozenset((values[key],))
        return self.names(node)

    def _find_cards(self) -> None:
        """Derives the cards that may come to each place."""
        for card in self.program.cards:
            for place in self.places(self.program.decks[card.place]):
                number = self.kinds_by_attributes[_identity(card.attributes)]
                self.cards[place] |= 1 << number
        moves = list(self._moves())
        for _ in range(_MOST_PASSES):
            changed = False
            for source, target in moves:
                arriving = self.cards_of(source)
                if not arriving:
                    continue
                for place in self._targets(target):
                    if arriving & ~self.cards[place]:
                        self.cards[place] |= arriving
                        changed = True
            if not changed:
                return
        for place in self.mentioned:
            self.cards[place] = (1 << len(self.kinds)) - 1

    @functools.cached_property
    def kinds_by_attributes(self) -> dict[frozenset[tuple[str, str]], int]:
        """The number of each kind of card."""
        return {_identity(kind.attributes): number for number, kind in enumerate(self.kinds)}

    def _moves(self) -> Iterator[tuple[Expression, Expression]]:
        """All moves: their cards and their destination."""
        for visit in self.of(tree.Move, tree.Remember, tree.Swap):
            node = visit.node
            if isinstance(node, tree.Move):
                yield node.card, node.pile
            elif isinstance(node, tree.Remember):
                yield node.card, node.memory
            elif isinstance(node, tree.Swap):
                yield node.first, node.second
                yield node.second, node.first

    def _targets(self, node: Expression) -> list[Place]:
        return [place for pile in self.piles(node) for place in self.places(pile)]

    def piles(self, node: Expression) -> list[tree.Pile | tree.Indexed]:
        """The locations of the cards that an expression gives."""
        found: list[tree.Pile | tree.Indexed] = []
        waiting: list[Expression] = [node]
        while waiting:
            one = waiting.pop()
            if isinstance(one, (tree.Pile, tree.Indexed)):
                found.append(one)
            elif isinstance(one, tree.Variable):
                source = self.sources.get(one.binding)
                if isinstance(source, tree.Let):
                    waiting.append(source.value)
                elif source is not None:
                    waiting.append(source.collection)
            elif isinstance(one, tree.Each):
                waiting.append(one.body)
            elif isinstance(one, (tree.Combined, tree.Partition)):
                waiting.extend(one.parts)
            elif isinstance(one, tree.Filter):
                waiting.append(one.collection)
            elif isinstance(one, tree.Pick):
                waiting.append(one.sets)
            elif isinstance(inside := getattr(one, "cards", None), Expression):
                waiting.append(inside)
        return found

    # --- conditions -----------------------------------------------------------------------

    def truth(self, node: Expression) -> bool | None:
        """Whether a condition is always true, or always false; none if it depends."""
        self.budget.spend()
        if isinstance(node, tree.Truth):
            return None if self.is_setting(node) else node.value
        if isinstance(node, tree.Not):
            inside = self.truth(node.condition)
            return None if inside is None else not inside
        if isinstance(node, tree.Logic):
            parts = [self.truth(part) for part in node.parts]
            decisive = node.operator == "or"
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        if isinstance(node, tree.Quantified):
            inside = self.truth(node.body)
            return inside if inside is node.every else None
        if isinstance(node, tree.Compare):
            return self._compared(node)
        if isinstance(node, tree.Same):
            return self._same(node)
        return None

    def _compared(self, node: tree.Compare) -> bool | None:
        left, right = self.interval(node.left), self.interval(node.right)
        same = self.keys.key(node.left) == self.keys.key(node.right)
        if node.operator in ("==", "!="):
            if same:
                return node.operator == "=="
            if not left.may_equal(right):
                return node.operator == "!="
            if left.low == left.high == right.low == right.high:
                return node.operator == "=="
            return None
        if node.operator in (">", ">="):
            left, right = right, left
        if node.operator in ("<", ">"):
            if left.high < right.low:
                return True
            return False if same or left.low >= right.high else None
        if left.high <= right.low or same:
            return True
        return False if left.low > right.high else None

    def _same(self, node: tree.Same) -> bool | None:
        if node.left.type is Type.CARD:
            return None  # no card is not the same as no card
        if self.keys.key(node.left) == self.keys.key(node.right):
            return node.equal
        if node.left.type is not Type.STR:
            return None
        left, right = self.names(node.left), self.names(node.right)
        if left is None or right is None:
            return None
        if not left & right:
            return not node.equal
        return node.equal if len(left | right) == 1 else None


_BINDERS = (
    tree.Let,
    tree.ForEach,
    tree.Fork,
    tree.Filter,
    tree.Each,
    tree.Quantified,
    tree.Total,
)
_OWNED = (tree.Pile, tree.Indexed, tree.Stored, tree.StoredText, tree.Points)


def owner_sort(owner: tree.Owner) -> str:
    """Whether something belongs to the game, a player or a team."""
    if isinstance(owner, tree.Table):
        return "game"
    assert isinstance(owner, Expression)
    return "team" if owner.type is Type.TEAM else "player"


def kind_of(node: Owned) -> str:
    """The word for the kind of a node."""
    if isinstance(node, tree.Stored):
        return "sto"
    if isinstance(node, tree.StoredText):
        return "str"
    if isinstance(node, tree.Points):
        return "points"
    return node.kind


def _visits(program: Program) -> list[Visit]:
    """All nodes in the order of the source, each with what is around it."""
    found = []
    waiting = [Visit(node, None) for node in (program.score, *reversed(program.items))]
    while waiting:
        visit = waiting.pop()
        found.append(visit)
        inside = [Visit(child, visit) for child in tree.children(visit.node)]
        waiting.extend(reversed(inside))
    return found


def _identity(attributes: dict[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(attributes.items())


def _card_kinds(program: Program) -> list[CardKind]:
    counts: dict[frozenset[tuple[str, str]], int] = defaultdict(int)
    attributes = {}
    for card in program.cards:
        identity = _identity(card.attributes)
        counts[identity] += 1
        attributes[identity] = card.attributes
    return [CardKind(attributes[identity], count) for identity, count in counts.items()]


def _attribute_values(kinds: Iterable[CardKind]) -> dict[str, frozenset[str]]:
    """The values of each attribute; the empty name too if there are cards without it."""
    kinds = list(kinds)
    names = dict.fromkeys(name for kind in kinds for name in kind.attributes)
    return {name: frozenset(kind.attributes.get(name, "") for kind in kinds) for name in names}


def _arithmetic(operator: str, left: Interval, right: Interval) -> Interval:
    if operator == "+":
        return Interval(left.low + right.low, left.high + right.high)
    if operator == "-":
        return Interval(left.low - right.high, left.high - right.low)
    if left.low >= 0 and right.low >= 0:
        return NATURAL
    return ANY_NUMBER


def _after(operator: str, old: Interval, value: Interval) -> Interval:
    """The values of a number that is set or changed any number of times."""
    if operator == "set":
        return old.joined(value)
    if operator == "dec":
        value = Interval(-value.high, -value.low)
    return Interval(
        -math.inf if value.low < 0 else old.low, math.inf if value.high > 0 else old.high
    )
