"""Static analysis of a program: the names, numbers and cards that may be in each place.

The analysis overestimates: it includes every name, number or card that *may* occur, so anything
that is not included certainly does not occur.
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
"""The maximum number of rounds that derive stored values; without a fixed point after them, any
value counts as possible."""
_MOST_PASSES = 200
"""The maximum number of passes over all moves; without a fixed point after them, every card may be
everywhere."""
_MOST_VALUES = 32
"""The maximum number of single values that an interval keeps."""


class Visit(NamedTuple):
    """A node and the nodes that enclose it."""

    node: Node
    parent: Visit | None

    def above(self) -> Iterator[tuple[Node, Node]]:
        """The enclosing nodes, innermost first, each with the child that contains this node."""
        inside = self
        while inside.parent is not None:
            yield inside.parent.node, inside.node
            inside = inside.parent


class Place(NamedTuple):
    """A named location or storage of the game, or of the players or teams in general."""

    owner: str
    """``game``, ``player`` or ``team``."""
    kind: str
    """``sto``, ``str``, ``points``, or the kind of a location."""
    name: str


class Interval(NamedTuple):
    """The numbers that may occur: those in `values` if known, else all from `low` to `high`."""

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
        """Whether both intervals contain a common number."""
        if self.values is not None and other.values is not None:
            return bool(self.values & other.values)
        for listed, range_ in ((self, other), (other, self)):
            if listed.values is not None:
                return any(range_.low <= value <= range_.high for value in listed.values)
        return self.low <= other.high and other.low <= self.high


ANY_NUMBER = Interval(-math.inf, math.inf)
NATURAL = Interval(0, math.inf)

Names: TypeAlias = "frozenset[str] | None"
"""The names that may occur; ``None`` if any name may."""


class CardKind(NamedTuple):
    """A kind of cards, which all have the same attributes."""

    attributes: dict[str, str]
    copies: int


Binder: TypeAlias = (
    tree.Let
    | tree.ForEach
    | tree.Fork
    | tree.Filter
    | tree.Each
    | tree.Quantified
    | tree.Total
    | tree.Tell
)
"""A node that binds a variable."""
Owned: TypeAlias = tree.Pile | tree.Indexed | tree.Stored | tree.StoredText | tree.Points
"""A node for a location or storage, which has an owner and a name."""


class Knowledge:
    """The results of the analysis of a program, which the checks use."""

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
        """The node that binds each variable."""
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
        """All nodes of some types, each with its enclosing nodes."""
        for node_type in types:
            yield from self.by_type.get(node_type, ())

    def walk(self, node: Node) -> Iterator[Node]:
        """A node and all nodes below it."""
        for visited in tree.walk(node):
            self.budget.spend()
            yield visited

    def resolved(self, node: Expression) -> Expression:
        """The expression that ``let`` binds to a variable; any other expression unchanged."""
        while isinstance(node, tree.Variable):
            source = self.sources.get(node.binding)
            if not isinstance(source, tree.Let):
                break
            node = source.value
        return node

    # --- places ---------------------------------------------------------------------------

    def places(self, node: Owned) -> list[Place]:
        """The places that a node for a location or storage may denote."""
        owner, kind = owner_sort(node.owner), kind_of(node)
        names = self.names(node.name)
        if names is None:
            self.budget.spend(len(self.mentioned))
            return [p for p in self.mentioned if p.owner == owner and p.kind == kind]
        return [Place(owner, kind, name) for name in sorted(names)]

    def _mentioned(self) -> list[Place]:
        """All places that some node denotes by a known name."""
        places = {}
        for visit in self.of(*_OWNED):
            node = visit.node
            assert isinstance(node, _OWNED)
            for name in self.names(node.name) or ():
                places[Place(owner_sort(node.owner), kind_of(node), name)] = True
        return list(places)

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
            values = [self.attributes.get(name, empty) for name in known]
            if not isinstance(node.card, tree.Variable):
                values.append(empty)  # there may be no such card
            return frozenset().union(*values)
        if isinstance(node, tree.StoredText):
            return self._stored_names(node)
        if isinstance(node, tree.Entry) and isinstance(node.table, tree.Texts):
            return frozenset(node.table.values)
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
        names: frozenset[str] = frozenset(("",))
        for place in self.places(node):
            stored = self.texts.get(place, names)
            if stored is None:
                return None
            names |= stored
        return names

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
        interval = self._interval(node)
        return ANY_NUMBER if math.isnan(interval.low) or math.isnan(interval.high) else interval

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
        if isinstance(node, tree.Entry) and isinstance(node.table, tree.Numbers):
            return Interval(min(node.table.values), max(node.table.values))
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
            if isinstance(collection, tree.Along):
                collection = collection.grid
            if isinstance(collection, tree.Numbers):
                return Interval(min(collection.values), max(collection.values))
        return ANY_NUMBER

    def is_setting(self, node: Expression) -> bool:
        """Whether a constant stands for a parameter, which may have other values."""
        piece = self.program.source.piece(node.span)
        return piece.startswith("'") or getattr(node, "parameter", None) is not None

    def _never_empty(self, collection: Expression) -> bool:
        """Whether a collection always has elements: all players or teams, or the best cards.

        The best cards are a filter that selects the cards with the best score of a collection.
        There are some if a step before has moved a card there.
        """
        if _is_everybody(collection):
            return not any(isinstance(visit.node, tree.Eliminate) for visit in self.visits)
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
                visits = self._visits_of_filters[collection]
                return all(self._is_filled(visit, collection.collection) for visit in visits)
        return False

    @functools.cached_property
    def _visits_of_filters(self) -> dict[Node, list[Visit]]:
        """The visits of each filter."""
        visits = defaultdict(list)
        for visit in self.of(tree.Filter):
            visits[visit.node].append(visit)
        return visits

    def _is_filled(self, visit: Visit, cards: Expression) -> bool:
        """Whether an earlier step of the same sequence has moved a card to `cards`.

        Between that step and the visited node only cards from elsewhere may be moved.
        """
        filled = self._parts(cards, "anybody")
        places = {place for pile in self.piles(cards) for place in self.places(pile)}
        for node, child in visit.above():
            if isinstance(node, tree.Do):
                for step in reversed(node.steps[: node.steps.index(child)]):
                    if self._arrivals(step) & filled:
                        return True
                    if not self._leaves(step, places):
                        return False
            elif not isinstance(node, (Expression, tree.When, tree.Let)):
                return False
        return False

    def _parts(self, cards: Expression, anybody: str) -> set[Key]:
        """The keys of the locations whose cards all belong to a collection.

        A location of each player counts as one location of `anybody`.
        """
        self.budget.spend()
        cards = self.resolved(cards)
        if isinstance(cards, tree.Combined) and cards.how == "union":
            return set().union(*(self._parts(part, anybody) for part in cards.parts))
        if isinstance(cards, tree.Each) and _is_everybody(cards.collection):
            return {self.keys.key(cards.body, {cards.binding: anybody})}
        return {self.keys.key(cards)}

    def _arrivals(self, step: Node) -> set[Key]:
        """The keys of the locations to which a step moves a card in any case."""
        values = {}
        if isinstance(step, tree.ForEach) and _is_everybody(step.collection):
            values[step.binding] = "anybody"
            step = step.body
        if isinstance(step, tree.Move) and not step.lenient:
            return {self.keys.key(step.pile, values)}
        return set()

    def _leaves(self, step: Node, places: set[Place]) -> bool:
        """Whether a step takes no cards from places and keeps the meaning of names and players."""
        for node in self.walk(step):
            if isinstance(node, tree.Move):
                sources = self._targets(node.card)
                if any(place in places or place.kind == "mem" for place in sources):
                    return False  # a memory refers to cards that may lie anywhere
            elif isinstance(node, tree.Action) and not isinstance(node, _HARMLESS):
                return False
        return True

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
        """The kinds of the cards that an expression may give, as a bit mask."""
        self.budget.spend()
        if isinstance(node, (tree.Pile, tree.Indexed)):
            kinds = 0
            for place in self.places(node):
                kinds |= self.cards.get(place, 0)
            return kinds
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
            kinds = 0
            for cards in node.parts:
                kinds |= self.cards_of(cards)
            return kinds
        if isinstance(node, tree.Pick):
            return self.cards_of(node.sets)
        inside = getattr(node, "cards", None)
        return self.cards_of(inside) if isinstance(inside, Expression) else 0

    def _narrow(self, node: tree.Filter, cards: int) -> int:
        """The kinds of cards of a bit mask that may pass a filter."""
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
        """Whether a condition holds for a card; ``None`` if it depends on the state.

        Args:
            condition: A condition about a card.
            card: The variable that stands for the card in the condition.
            kind: The kind of the card.
            values: The names that some expressions are known to give.
        """
        self.budget.spend()
        if isinstance(condition, tree.Not):
            inside = self.holds(condition.condition, card, kind, values)
            return None if inside is None else not inside
        if isinstance(condition, tree.Logic):
            truths = [self.holds(operand, card, kind, values) for operand in condition.parts]
            decisive = condition.operator == "or"
            if decisive in truths:
                return decisive
            return None if None in truths else not decisive
        if isinstance(condition, tree.Same):
            left_names = self._shown(condition.left, card, kind, values or {})
            right_names = self._shown(condition.right, card, kind, values or {})
            if left_names is None or right_names is None:
                return None
            if not left_names & right_names:
                return not condition.equal
            return condition.equal if len(left_names | right_names) == 1 else None
        return None

    def _shown(
        self, node: Expression, card: Binding, kind: CardKind, values: Mapping[Key, str]
    ) -> Names:
        """The names that an expression may give if a variable stands for a card of this kind."""
        if isinstance(node, tree.Attribute) and isinstance(node.card, tree.Variable):
            if node.card.binding is card and isinstance(node.name, tree.Text):
                return frozenset((kind.attributes.get(node.name.value, ""),))
        if values and node.type is Type.STR and (key := self.keys.key(node)) in values:
            return frozenset((values[key],))
        return self.names(node)

    def _find_cards(self) -> None:
        """Derives the kinds of cards that may come to each place."""
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
        """The index of each kind of cards."""
        return {_identity(kind.attributes): number for number, kind in enumerate(self.kinds)}

    def _moves(self) -> Iterator[tuple[Expression, Expression]]:
        """The cards and the destination of every move, including swaps and remembered cards."""
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
        """The locations from which the cards that an expression gives come."""
        piles: list[tree.Pile | tree.Indexed] = []
        waiting: list[Expression] = [node]
        while waiting:
            cards = waiting.pop()
            if isinstance(cards, (tree.Pile, tree.Indexed)):
                piles.append(cards)
            elif isinstance(cards, tree.Variable):
                source = self.sources.get(cards.binding)
                if isinstance(source, tree.Let):
                    waiting.append(source.value)
                elif source is not None:
                    waiting.append(source.collection)
            elif isinstance(cards, tree.Each):
                waiting.append(cards.body)
            elif isinstance(cards, (tree.Combined, tree.Partition)):
                waiting.extend(cards.parts)
            elif isinstance(cards, tree.Filter):
                waiting.append(cards.collection)
            elif isinstance(cards, tree.Pick):
                waiting.append(cards.sets)
            elif isinstance(inside := getattr(cards, "cards", None), Expression):
                waiting.append(inside)
        return piles

    # --- conditions -----------------------------------------------------------------------

    def truth(self, node: Expression) -> bool | None:
        """Whether a condition is always true or always false; ``None`` if it depends."""
        self.budget.spend()
        if isinstance(node, tree.Not):
            inside = self.truth(node.condition)
            return None if inside is None else not inside
        if isinstance(node, tree.Logic):
            truths = [self.truth(operand) for operand in node.parts]
            decisive = node.operator == "or"
            if decisive in truths:
                return decisive
            return None if None in truths else not decisive
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
            return None  # a missing card is not the same as itself
        if self.keys.key(node.left) == self.keys.key(node.right):
            return node.equal
        if node.left.type is not Type.STR:
            return None
        left_names, right_names = self.names(node.left), self.names(node.right)
        if left_names is None or right_names is None:
            return None
        if not left_names & right_names:
            return not node.equal
        return node.equal if len(left_names | right_names) == 1 else None


_BINDERS = (
    tree.Let,
    tree.ForEach,
    tree.Fork,
    tree.Filter,
    tree.Each,
    tree.Quantified,
    tree.Total,
    tree.Tell,
)
_OWNED = (tree.Pile, tree.Indexed, tree.Stored, tree.StoredText, tree.Points)
_HARMLESS = (
    tree.Shuffle,
    tree.Pass,
    tree.SetPoints,
    tree.Reveal,
    tree.Tell,
    tree.TellAttribute,
)
"""The actions that move no card and change no name, number or player."""


def _is_everybody(collection: Expression) -> bool:
    """Whether a collection is all players or all teams, of which there is always one."""
    return isinstance(collection, (tree.Players, tree.Teams)) and not collection.others


def owner_sort(owner: tree.Owner) -> str:
    """The kind of an owner: ``game``, ``player`` or ``team``."""
    if isinstance(owner, tree.Table):
        return "game"
    assert isinstance(owner, Expression)
    return "team" if owner.type is Type.TEAM else "player"


def kind_of(node: Owned) -> str:
    """The kind of a location or storage: ``sto``, ``str``, ``points``, or that of a location."""
    if isinstance(node, tree.Stored):
        return "sto"
    if isinstance(node, tree.StoredText):
        return "str"
    if isinstance(node, tree.Points):
        return "points"
    return node.kind


def _visits(program: Program) -> list[Visit]:
    """All nodes in the order of the source, the score first, each with its enclosing nodes."""
    visits = []
    waiting = [Visit(node, None) for node in (*program.scoring, *reversed(program.items))]
    while waiting:
        visit = waiting.pop()
        visits.append(visit)
        inside = [Visit(child, visit) for child in tree.children(visit.node)]
        waiting.extend(reversed(inside))
    return visits


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
    """The values of each attribute, including the empty name if there are cards without it."""
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
    """The values of a number before and after any number of executions of an action."""
    if operator == "set":
        return old.joined(value)
    if operator == "dec":
        value = Interval(-value.high, -value.low)
    return Interval(
        -math.inf if value.low < 0 else old.low, math.inf if value.high > 0 else old.high
    )
