"""The reader of expressions of dialect A, the one of the paper of 2016.

In this dialect a reference such as ``((all player) iloc HAND)`` stands for several locations.
While a condition or an action is read, its many-valued references are collected. Each one becomes
a variable, and the condition or action becomes the body of a loop over the collection.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, cast

from kibitz.recycle.reading.context import Broken, Mend, nothing
from kibitz.recycle.reading.operators import SHAPES, compare, which_seat
from kibitz.recycle.reading.setup import digits
from kibitz.recycle.reading.skeleton import Skeleton
from kibitz.recycle.tree import (
    Attribute,
    Best,
    Binding,
    CardAt,
    Combined,
    CurrentPlayer,
    CurrentTeam,
    Each,
    Expression,
    Filter,
    Logic,
    Members,
    Not,
    Number,
    OwnerOf,
    Pick,
    Pile,
    Players,
    Points,
    Quantified,
    Same,
    Score,
    Seat,
    SeatNumber,
    Size,
    Stored,
    Sum,
    Table,
    TeamNumber,
    TeamOf,
    Teams,
    Text,
    Total,
    Truth,
    Tuples,
    Type,
    Variable,
)
from kibitz.recycle.words import KINDS, NUMBER, WHICH, Shape, is_word, nearest, one_of
from kibitz.syntax.sexpr import Atom, Form, Node
from kibitz.syntax.source import Span

_LISTS = (Type.PILE, Type.CARDS)
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")

NUMBERS: dict[str, Sequence[Shape]] = {
    **{word: shapes for word, shapes in SHAPES.items() if word not in ("and", "or", "not")},
    "size": [Shape("(size COLLECTION)", Size)],
    "score": [Shape("(score CARD using POINTS)", Score)],
}
CONDITIONS = {word: SHAPES[word] for word in ("and", "or", "not")}
CARDS: dict[str, Sequence[Shape]] = {
    "max": [Shape("(max CARDS using POINTS)", lambda span, c, p: Best(span, True, c, p))],
    "min": [Shape("(min CARDS using POINTS)", lambda span, c, p: Best(span, False, c, p))],
    "actual": [Shape("(actual CARD)", lambda span, card: card)],
}
TUPLES = [Shape("(tuples NUMBER CARDS using POINTS)", Tuples)]
_UNION = [
    Shape("(union CARDS...)", lambda span, *cards: Combined(span, "union", cards)),
]


class Reference(NamedTuple):
    """A many-valued reference: one to all elements of a collection, by ``all`` or ``any``."""

    word: Literal["all", "any"]
    collection: Expression
    binding: Binding


class ExpressionsA(Skeleton):
    """The reader of the expressions of dialect A."""

    action_words: tuple[str, ...] = ()
    """The first words of actions."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.references: list[Reference] = []
        """The many-valued references in the condition or action that is being read."""
        self.first_only = False
        """Whether a many-valued reference stands only for its first value."""
        self.shared: Reference | None = None
        """The many-valued reference to players that the source and destination of a move share."""
        self.fixed: list[tuple[Expression, Binding]] | None = None
        """Values that are evaluated once, before the steps of an action, and their variables;
        ``None`` outside of actions."""
        self.each: Binding | None = None
        """The variable for the card that a ``where`` tests."""
        self.roles: dict[str, Callable[[Node], Any]] = {
            "NUMBER": self.numbers,
            "NUMBER...": self.numbers,
            "CONDITION": self.condition,
            "CONDITION...": self.condition,
            "CARD": self.card,
            "CARDS": self.cards,
            "CARDS...": self.part,
            "COLLECTION": self.collection,
            "POINTS": self.points,
        }

    # --- many-valued references -----------------------------------------------------------

    @contextlib.contextmanager
    def collecting(self) -> Iterator[list[Reference]]:
        """A context that gives the list of many-valued references that are read within it."""
        before = self.references, self.first_only, self.shared
        self.references, self.first_only, self.shared = [], False, None
        try:
            yield self.references
        finally:
            self.references, self.first_only, self.shared = before

    def _refer(
        self, span: Span, word: Literal["all", "any"], collection: Expression, name: str
    ) -> Expression:
        """The variable of a many-valued reference, which it adds to the list."""
        if self.first_only:
            if isinstance(collection, Players):
                return Seat(span, Number(span, 0))
            if isinstance(collection, Teams):
                return TeamNumber(span, Number(span, 0))
            if collection.type in _LISTS:
                return CardAt(span, "bottom", collection)
        if self.shared is not None and isinstance(collection, Players):
            if isinstance(self.shared.collection, Players):
                return Variable(span, self.shared.binding)
        binding = Binding(name, collection.type.element, span)
        self.bindings.append(binding)
        self.references.append(Reference(word, collection, binding))
        return Variable(span, binding)

    def _one(self, node: Node, value: Expression, references: list[Reference]) -> Expression:
        """Returns a value unless it is many-valued, which is an error."""
        if references and not isinstance(value, Broken):
            return self.error(
                node,
                "many-values",
                f"'{self.show(node)}' has a value for each of several; here one is wanted.",
                "(sum ...) adds them up; (current player) is one player.",
            )
        return value

    # --- numbers --------------------------------------------------------------------------

    def number(self, node: Node) -> Expression:
        with self.collecting() as references:
            value = self.numbers(node)
        return self._one(node, value, references)

    def numbers(self, node: Node) -> Expression:
        """Reads a number, which may be many-valued."""
        value = self.expression(node)
        if value.type is Type.PLAYER:
            return SeatNumber(value.span, value)
        return self.check(node, value, Type.INT)

    def expression(self, node: Node) -> Expression:
        if isinstance(node, Atom):
            if NUMBER.fullmatch(node.text):
                number = digits(node.text)
                if number is None:
                    return self.error(node, "large-number", f"{self.show(node)} is too large.")
                return Number(node.span, number)
            if node.text == "each":
                return self._each_card(node)
            if node.text in self.words:
                return self.error(
                    node,
                    "misplaced-word",
                    f"'{node.text}' is a word of the language; here a value should stand.",
                    f"A form with it begins with a parenthesis: ({node.text} ...).",
                    mends=[Mend(node.span.start, "open")],
                )
            return Text(node.span, node.text)
        if not node.items:
            return Truth(node.span, True)
        head = node.head
        if len(node.items) > 1 and is_word(node.items[1], "sto"):
            return self._stored(node)
        if len(node.items) > 1 and is_word(node.items[1], *KINDS):
            return self._pile(node)
        if len(node.items) == 2 and is_word(node.items[1], "player", "team"):
            return self._member(node)
        if head in NUMBERS:
            return cast(Expression, self.fit(node, NUMBERS[head], self.roles))
        if head in CONDITIONS:
            return cast(Expression, self.fit(node, CONDITIONS[head], self.roles))
        if head in CARDS:
            return cast(Expression, self.fit(node, CARDS[head], self.roles))
        if head in COMPARISONS:
            return self._comparison(node)
        if head == "sum":
            return self._sum(node)
        if head == "cardatt":
            return self._attribute(node)
        if head == "owner":
            return self._owner_of(node)
        if head == "union":
            return cast(Expression, self.fit(node, _UNION, self.roles))
        if head == "tuples":
            return cast(Expression, self.fit(node, TUPLES, self.roles))
        if head in ("top", "bottom", "any") or self._is_index(node):
            return self._end_of(node)
        return self._unknown_form(node)

    def _unknown_form(self, form: Form) -> Broken:
        first = form.items[0]
        kind = self.misspelt_kind(form, (*KINDS, "sto"))
        if kind is not None:
            return kind
        if isinstance(first, Form):
            return self.error(
                form,
                "unknown-form",
                f"'{self.show(form)}' is no value.",
                "Only owners such as (current player) stand in front in parentheses of their own.",
            )
        if first.text in self.action_words:
            return self.action_for_value(form, first, "Perhaps a ')' is missing before it.")
        if first.text in ("stage", "choice", "comp", "scoring", "setup", "end"):
            return self.misplaced(form, "Here a value is wanted.")
        return self.unknown(first, "word of this dialect", self.words)

    def _is_index(self, form: Form) -> bool:
        first = form.items[0]
        return len(form.items) == 2 and isinstance(first, Atom) and bool(NUMBER.match(first.text))

    def _sum(self, form: Form) -> Expression:
        """Reads a sum of scores of cards or of the values of a many-valued number."""
        shapes = [
            Shape("(sum CARDS using POINTS)", nothing),
            Shape("(sum (OWNER sto NAME))", nothing),
        ]
        with self.collecting() as references:
            if len(form.items) == 2:
                value = self.numbers(form.items[1])
            elif len(form.items) == 4 and is_word(form.items[2], "using"):
                cards, points = self.collection(form.items[1]), self.points(form.items[3])
                broken = isinstance(cards, Broken) or isinstance(points, Broken)
                value = Broken(form.span) if broken else Sum(form.span, cards, points)
            else:
                return self._misfit(form, shapes)
        if any(reference.word == "any" for reference in references):
            self.references += references  # the sum is many-valued, too
            return value
        for reference in reversed(references):
            value = Total(form.span, reference.collection, reference.binding, value)
        return value

    def _stored(self, form: Form) -> Expression:
        owner = self.owner(form.items[0])
        if len(form.items) != 3:
            return self._too_much(form, 3, "(OWNER sto NAME)")
        name = self.name(form.items[2])
        if isinstance(owner, Broken) or isinstance(name, Broken):
            return Broken(form.span)
        return Stored(form.span, owner, name)

    def _too_much(self, form: Form, count: int, shape: str) -> Broken:
        """Reports a form with an owner that is too short or too long."""
        if len(form.items) < count:
            return self.error(
                form,
                "too-few-arguments",
                f"Something is missing in '{self.show(form)}'.",
                f"It looks like this: {shape}.",
            )
        return self.error(
            Span(form.items[count].span.start, form.items[-1].span.end),
            "too-many-arguments",
            f"This is too much for '{self.show(form.items[1])}'.",
            f"It looks like this: {shape}.",
            mends=[Mend(form.items[count - 1].span.end, "close")],
        )

    # --- names ----------------------------------------------------------------------------

    def value(self, node: Node) -> str | None:
        if isinstance(node, Atom):
            return node.text
        self.error(node, "expected-name", f"Here a name should stand, not '{self.show(node)}'.")
        return None

    def name(self, node: Node) -> Expression:
        """Reads a literal name."""
        value = self.value(node)
        return Broken(node.span) if value is None else Text(node.span, value)

    def names(self, node: Node) -> Expression:
        """Reads a name or the attribute of a card, which may be many-valued."""
        if isinstance(node, Atom) and node.text not in self.words:
            return Text(node.span, node.text)
        return self.check(node, self.expression(node), Type.STR)

    def _attribute(self, form: Form) -> Expression:
        if len(form.items) != 3:
            return self._misfit(form, [Shape("(cardatt NAME CARD)", nothing)])
        name, card = self.names(form.items[1]), self.card(form.items[2])
        self.check_attribute(form.items[1], name)
        if isinstance(name, Broken) or isinstance(card, Broken):
            return Broken(form.span)
        return Attribute(form.span, name, card)

    def points(self, node: Node) -> Any:
        """Reads the name of a point map."""
        name = self.name(node)
        if isinstance(name, Broken):
            return name
        return Points(node.span, Table(node.span), name)

    # --- conditions -----------------------------------------------------------------------

    def condition(self, node: Node) -> Expression:
        before, self.fixed = self.fixed, None
        with self.collecting():
            condition = self.check(node, self.expression(node), Type.BOOL)
        self.fixed = before
        return condition

    def _comparison(self, form: Form) -> Expression:
        operator = form.head
        if len(form.items) != 3:
            return self._misfit(form, [Shape(f"({operator} VALUE VALUE)", nothing)])
        first, second = form.items[1:]
        with self.collecting() as references:
            if operator in ("==", "!=") and (_is_text(first) or _is_text(second)):
                left, right = self.names(first), self.names(second)
            else:
                left = self.expression(first)
                if left.type is Type.CARD and not isinstance(left, Broken):
                    right = self.card(second)
                else:
                    left = self._as_number(first, left)
                    self.first_only = True
                    right = self.numbers(second)
        if isinstance(left, Broken) or isinstance(right, Broken):
            return Broken(form.span)
        every = not any(reference.word == "any" for reference in references)
        comparison: Expression
        if left.type is Type.INT:
            comparison = compare(operator)(form.span, left, right)
        elif operator in ("==", "!="):
            # two sets of values are equal if they have a common element
            every = operator == "!="
            comparison = self._if_there(Same(form.span, operator == "==", left, right))
        else:
            return self.error(form, "wrong-type", "Only numbers can be greater or less.")
        for reference in reversed(references):
            comparison = Quantified(
                form.span, every, reference.collection, reference.binding, comparison
            )
        return comparison

    def _if_there(self, same: Same) -> Expression:
        """A comparison in which the attribute of a missing card equals nothing."""
        tests: list[Expression] = []
        for side in (same.left, same.right):
            if isinstance(side, Attribute) and isinstance(side.card, CardAt):
                size = Size(side.span, side.card.cards)
                position = side.card.which
                index = position if isinstance(position, Expression) else Number(side.span, 0)
                tests.append(compare(">" if same.equal else "<=")(side.span, size, index))
        if not tests:
            return same
        return Logic(same.span, "and" if same.equal else "or", (*tests, same))

    def _as_number(self, node: Node, value: Expression) -> Expression:
        """A value as a number; a player stands for the number of the seat."""
        if value.type is Type.PLAYER:
            return SeatNumber(value.span, value)
        return self.check(node, value, Type.INT)

    # --- owners ---------------------------------------------------------------------------

    def owner(self, node: Node) -> Any:
        """Reads an owner: the table, a player or a team."""
        if is_word(node, "game"):
            return Table(node.span)
        if isinstance(node, Atom):
            return self.error(
                node,
                "expected-owner",
                f"Here an owner should stand, not '{self.show(node)}'.",
                "It looks like this: game, (current player), (all player), (0 player).",
            )
        return self.check(node, self.expression(node), Type.PLAYER, Type.TEAM)

    def _member(self, form: Form) -> Expression:
        """Reads ``(X player)`` or ``(X team)``."""
        first, second = form.items
        team = is_word(second, "team")
        if is_word(first, *WHICH):
            seat = which_seat(cast(Atom, first).text)
            return CurrentTeam(form.span, seat) if team else CurrentPlayer(form.span, seat)
        if is_word(first, "all", "any"):
            word = cast(Literal["all", "any"], cast(Atom, first).text)
            collection = Teams(form.span) if team else Players(form.span)
            return self._refer(form.span, word, collection, "T" if team else "P")
        if isinstance(first, Atom) and not NUMBER.fullmatch(first.text):
            known = (*WHICH, "all", "any")
            return self.unknown(
                first, "way to say which player", known, f"It is {one_of(known)}, or a number."
            )
        with self.collecting() as references:
            value = self.expression(first)
        self.references += references
        if value.type is Type.PLAYER:
            return self._of_player(form, value, team, bool(references))
        if value.type is Type.TEAM and not team:
            return self._refer(form.span, "all", Members(form.span, value), "P")
        value = self.check(first, value, Type.INT, Type.PLAYER, Type.TEAM)
        if isinstance(value, Broken) or value.type is Type.TEAM:
            return value
        if isinstance(value, Number) and not team and value.value >= self.players:
            return self.no_player(first, value.value)
        return TeamNumber(form.span, value) if team else Seat(form.span, value)

    def _of_player(self, form: Form, player: Expression, team: bool, multiple: bool) -> Expression:
        if team:
            return TeamOf(form.span, player)
        if isinstance(player, (CurrentPlayer, Seat)):
            self.warn(
                form,
                "player-of-player",
                f"'{self.show(form.items[0])}' is a player already.",
                f"Write {self.show(form.items[0])} instead of {self.show(form)}.",
            )
        elif isinstance(player, OwnerOf) and not multiple and self.fixed is not None:
            binding = Binding("OWNER", Type.PLAYER, form.span)
            self.bindings.append(binding)
            self.fixed.append((player, binding))
            return Variable(form.span, binding)
        return player

    def _owner_of(self, form: Form) -> Expression:
        if len(form.items) != 2:
            return self._misfit(form, [Shape("(owner CARD)", nothing)])
        card = self.card(form.items[1])
        return card if isinstance(card, Broken) else OwnerOf(form.span, card)

    # --- cards ----------------------------------------------------------------------------

    def pile(self, node: Node) -> Expression:
        with self.collecting() as references:
            pile = self.check(node, self.expression(node), Type.PILE)
        return self._one(node, pile, references)

    def collection(self, node: Node) -> Expression:
        """Reads cards or sets of cards, which may be many-valued."""
        return self.check(node, self.expression(node), *_LISTS, Type.SETS)

    def cards(self, node: Node) -> Expression:
        """Reads cards; those of a many-valued reference are joined."""
        with self.collecting() as references:
            cards = self.check(node, self.expression(node), *_LISTS)
        for reference in reversed(references):
            each = Each(node.span, reference.collection, reference.binding, cards)
            cards = Combined(node.span, "union", (each,))
        return cards

    def part(self, node: Node) -> Expression:
        """Reads an argument of a union."""
        cards = self.cards(node)
        if isinstance(cards, Combined) and len(cards.parts) == 1:
            return cards.parts[0]
        return cards

    def _pile(self, form: Form) -> Expression:
        """Reads ``(OWNER kind NAME [where TEST])``."""
        owner = self.owner(form.items[0])
        kind = cast(Atom, form.items[1]).text
        shape = f"(OWNER {kind} NAME) or (OWNER {kind} NAME where TEST)"
        if len(form.items) < 3:
            return self._too_much(form, 3, shape)
        name = self.name(form.items[2])
        if len(form.items) > 3 and not is_word(form.items[3], "where"):
            return self._too_much(form, 3, shape)
        if isinstance(owner, Broken) or isinstance(name, Broken):
            pile: Expression = Broken(form.span)
        elif isinstance(owner, Expression) and owner.type is Type.TEAM:
            pile = self.error(
                form.items[0],
                "team-cards",
                "A team owns no locations, only storages.",
                "Its players' locations are (((current team) player) iloc NAME).",
            )
        else:
            pile = Pile(form.span, owner, cast(Any, kind), name)
        if len(form.items) == 3:
            return pile
        if len(form.items) == 4:
            return self._too_much(form, 5, shape)
        if len(form.items) > 5:
            self._too_much(form, 5, shape)
        return self._where(form, pile, form.items[4])

    def _where(self, form: Form, pile: Expression, test: Node) -> Expression:
        """The cards of a pile that pass the test of a ``where``."""
        shape = "(all (== (cardatt NAME each) VALUE) ...), with any or none instead of all"
        if not isinstance(test, Form) or not is_word(
            test.items[0] if test.items else test, "all", "any", "none"
        ):
            return self.error(
                test,
                "where",
                f"'{self.show(test)}' is no test of a 'where'.",
                f"It looks like this: {shape}.",
            )
        if len(test.items) < 2:
            return self.error(test, "where", "This test tests nothing.", shape)
        before = self.each
        self.each = Binding("each", Type.CARD, test.span)
        self.bindings.append(self.each)
        binding = self.each
        conditions = [self.condition(node) for node in test.items[1:]]
        self.each = before
        if isinstance(pile, Broken) or any(
            isinstance(condition, Broken) for condition in conditions
        ):
            return Broken(form.span)
        operator: Literal["and", "or"] = "and" if test.head == "all" else "or"
        body = (
            conditions[0]
            if len(conditions) == 1
            else Logic(test.span, operator, tuple(conditions))
        )
        if test.head == "none":
            body = Not(test.span, body)
        return Filter(form.span, pile, binding, body)

    def _each_card(self, atom: Atom) -> Expression:
        if self.each is None:
            return self.error(
                atom, "each", "'each' is the card that a 'where' looks at; here is none."
            )
        return Variable(atom.span, self.each)

    def card(self, node: Node) -> Expression:
        """Reads a card, which may be many-valued."""
        card = self.expression(node)
        if isinstance(node, Atom) and isinstance(card, Text):
            near = nearest(node.text, ["each"])
            return self.error(
                node,
                "wrong-type",
                f"Here a card is wanted; '{self.show(node)}' is a name.",
                f"Did you mean {near}?" if near else "",
            )
        return self.check(node, card, Type.CARD)

    def _end_of(self, form: Form) -> Expression:
        """Reads ``(top X)``, ``(bottom X)``, ``(any X)`` or ``(NUMBER X)``."""
        first = cast(Atom, form.items[0])
        if len(form.items) != 2:
            return self._misfit(form, [Shape(f"({first.text} LOCATION)", nothing)])
        where = self.collection(form.items[1])
        if isinstance(where, Broken):
            return where
        if first.text == "any":
            if where.type is Type.SETS:
                return self.error(form, "wrong-type", "One set is its top or its bottom one.")
            return self._refer(form.span, "any", where, "C")
        position: Any = first.text if first.text in ("top", "bottom") else self.number(first)
        if isinstance(position, Broken):
            return position
        if where.type is Type.SETS:
            return Pick(form.span, position, where)
        return CardAt(form.span, position, where)


def _is_text(node: Node) -> bool:
    """Whether a node can only be a name."""
    if isinstance(node, Form):
        return node.head == "cardatt"
    return not NUMBER.fullmatch(node.text) and node.text != "each"
