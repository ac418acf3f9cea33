"""The converter of dialect A, the one of the paper of 2016, to forms of dialect B.

In dialect A a reference such as ``((all player) iloc HAND)`` stands for several locations. While
a condition or an action is converted, its many-valued references are collected. Each one becomes a
variable, and the condition or action becomes the body of an ``all`` or ``any`` over its
collection.

A form keeps the span of the form that it is made of, so that errors point to the author's text.
Forms that are not dialect A stay as they are; the reader of dialect B reports them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from kibitz.recycle.reading.context import Elaborator, Mend
from kibitz.recycle.reading.dialect_b import DialectB
from kibitz.recycle.reading.several import (
    COMPARISONS,
    is_condition,
    is_step,
    report_condition,
    report_no_condition,
)
from kibitz.recycle.tree import (
    Attribute,
    CardAt,
    Compare,
    Expression,
    Logic,
    Move,
    Number,
    Same,
    Size,
    Statement,
)
from kibitz.recycle.words import KINDS, NUMBER, STORES, WHICH, LiteralName, is_word
from kibitz.syntax.sexpr import MOST_DEPTH, Atom, Form, Node
from kibitz.syntax.source import Span


class DialectA(DialectB):
    """The reader of dialect A: that of dialect B, with what forms of dialect B cannot say."""

    dialect: Literal["A", "B", "C"] = "A"
    words = (*DialectB.words, "comp", "initialize", "where", "each", "union", "none")
    most: ClassVar[Mapping[str, int]] = {
        **DialectB.most,
        "move": 4,
        "remember": 4,
        "forget": 3,
        "initialize": 4,
    }

    def prepare(self, nodes: Sequence[Node]) -> Sequence[Node] | None:
        """The forms in dialect B; ``None``, with an error, if they are nested too deeply."""
        converted = _Converter(self).file(nodes)
        waiting = [(node, 1) for node in converted]
        while waiting:
            node, depth = waiting.pop()
            if depth > MOST_DEPTH:
                message = "Too many references to several players, teams or cards are around this."
                self.error(node, "too-deep", message)
                return None
            if isinstance(node, Form):
                waiting += [(item, depth + 1) for item in node.items]
        return converted

    def most_items(self, form: Form) -> int | None:
        """The maximum number of items of a form, also of one that could not be converted."""
        if len(form.items) > 3 and is_word(form.items[3], "where"):
            return 5
        if form.head == "any" and len(form.items) > 2 and isinstance(form.items[2], Form):
            owned = form.items[1].items if isinstance(form.items[1], Form) else ()
            return 2 if any(is_word(kind, *KINDS) for kind in owned[1:2]) else None
        return super().most_items(form)

    def same(self, form: Form, equal: bool, left: Expression, right: Expression) -> Expression:
        """A comparison, in which the attribute of a missing card equals nothing."""
        same = super().same(form, equal, left, right)
        tests: list[Expression] = []
        for side in (left, right):
            if isinstance(side, Attribute) and isinstance(side.card, CardAt):
                size = Size(side.span, side.card.cards)
                position = side.card.which
                index = position if isinstance(position, Expression) else Number(side.span, 0)
                tests.append(Compare(side.span, ">" if equal else "<=", size, index))
        if not tests or not isinstance(same, Same):
            return same
        return Logic(same.span, "and" if equal else "or", (*tests, same))

    def _done(self, action: Any, form: Form) -> Statement:
        """An action; a move from an empty location does nothing."""
        done = super()._done(action, form)
        return dataclasses.replace(done, lenient=True) if isinstance(done, Move) else done


class _Reference(NamedTuple):
    """A many-valued reference: to all or any elements of a collection, by a variable."""

    word: Literal["all", "any"]
    collection: Node
    variable: Atom


class _Converter:
    """The converter of the forms of one file."""

    def __init__(self, reader: Elaborator) -> None:
        self.reader = reader
        self.references: list[_Reference] = []
        """The many-valued references in the condition or action that is being converted."""
        self.active = 0
        """The number of these and of those in the conditions and actions around it."""
        self.first_only = False
        """Whether a many-valued reference stands only for its first value."""
        self.players: Atom | None = None
        """The variable for the players that the source and the destination of a move share."""
        self.owners: list[tuple[Node, Atom]] | None = None
        """Owners that are evaluated once, before the steps of an action, and their variables;
        ``None`` outside of actions."""
        self.forks = False
        """Whether the form is in a choice, where ``any`` makes options."""
        self.actions: Mapping[str, Callable[[Form], Node]] = {
            "move": self._move,
            "remember": self._remember,
            "forget": self._remember,
            "shuffle": self._change,
            "set": self._change,
            "inc": self._change,
            "dec": self._change,
            "cycle": self._cycle,
            "initialize": self._initialize,
            "turn": lambda form: form,
            "create": lambda form: form,
        }

    # --- the frame ------------------------------------------------------------------------

    def file(self, nodes: Sequence[Node]) -> list[Node]:
        """The forms of a file: the game, and what wrong parentheses have put behind it."""
        return [
            _form(node.span, *map(self._item, node.items))
            if isinstance(node, Form) and node.head == "game"
            else self._item(node)
            for node in nodes
        ]

    def _item(self, node: Node) -> Node:
        """An item of a game or a stage."""
        if isinstance(node, Atom):
            return node
        first, *rest = node.items or (node,)
        match node.head:
            case "setup":
                return _form(node.span, first, *map(self._setup, rest))
            case "stage":
                return _form(node.span, first, *map(self._item, rest))
            case "end":
                return _form(node.span, first, *map(self._condition, rest))
            case "comp" | "choice":
                self.forks = node.head == "choice"
                clauses = Form(tuple(self._clauses(rest)), node.span)
                self.forks = False
                word = Atom("choice" if node.head == "choice" else "do", first.span)
                return _form(node.span, word, clauses)
            case "scoring" if len(rest) == 2:
                return _form(node.span, first, rest[0], self._number(rest[1]))
        return node

    def _setup(self, node: Node) -> Node:
        """An item of the setup; in a deck all words but the number of copies are names."""
        if isinstance(node, Atom) or len(node.items) < 2:
            return node
        first, *rest = node.items
        if node.head == "deck":
            copies = [rest.pop(0)] if _is_number(rest[0]) else []
            return _form(node.span, first, *copies, *map(_named, rest))
        if node.head == "create" and is_word(rest[0], "deck"):
            return _form(node.span, first, rest[0], *map(self._setup, rest[1:]))
        return self._value(node) if is_word(rest[0], *KINDS) else node

    def _clauses(self, nodes: Sequence[Node]) -> Iterator[Node]:
        """The clauses of a ``comp`` or ``choice`` as steps."""
        waiting = list(nodes)
        while waiting:
            clause = [waiting.pop(0)]
            if is_condition(clause[0]):
                while waiting and self._is_action(waiting[0]):
                    clause.append(waiting.pop(0))
            if clause[1:]:
                report_condition(self.reader, clause)
            else:
                yield self._clause(clause[0])

    def _clause(self, node: Node) -> Node:
        """A clause, ``(CONDITION ACTION ...)``, as a step."""
        condition = node.items[0] if isinstance(node, Form) and node.items else node
        if isinstance(node, Atom) or isinstance(condition, Atom) or condition is node:
            self.reader.error(
                node,
                "clause",
                f"'{self.reader.show(node)}' is no clause.",
                "A clause looks like this: (CONDITION (ACTION ...) ...); () always holds.",
                mends=[Mend(node.span.start, "open")],
            )
            return _form(node.span, "turn", "pass")
        if self._is_action(condition):
            report_no_condition(self.reader, node)
            condition = Form((), condition.span)
        others = list(itertools.takewhile(is_condition, node.items[1:]))
        steps = [self._action(action) for action in node.items[1 + len(others) :]]
        body = [_form(node.span, "do", Form(tuple(steps), node.span))] if steps[1:] else steps
        if body and not condition.items:
            return body[0]
        return _form(node.span, *map(self._condition, (condition, *others)), *body)

    def _is_action(self, node: Node) -> bool:
        return is_step(node, tuple(self.actions))

    # --- many-valued references -----------------------------------------------------------

    @contextlib.contextmanager
    def _collecting(self) -> Iterator[list[_Reference]]:
        """A context that gives the list of many-valued references that are converted within it."""
        before = self.references, self.active, self.first_only, self.players
        self.references, self.first_only, self.players = [], False, None
        yield self.references
        self.references, self.active, self.first_only, self.players = before

    def _collect(self, *references: _Reference) -> None:
        self.references += references
        self.active += len(references)

    def _refer(self, span: Span, word: Literal["all", "any"], collection: Node, name: str) -> Node:
        """The variable of a many-valued reference, which is added to the list."""
        is_players = is_word(collection, "player")
        if self.first_only and (is_players or is_word(collection, "team")):
            return _form(span, "0", collection)
        if self.first_only and name == "C":
            return _form(span, "bottom", collection)
        if is_players and self.players is not None:
            return self.players
        variable = _variable(name, self.active, span)
        self._collect(_Reference(word, collection, variable))
        return variable

    def _single(self, node: Node, convert: Callable[[Node], Node]) -> Node:
        """A value that must not be many-valued."""
        with self._collecting() as references:
            value = convert(node)
            if references:
                self.reader.error(
                    node,
                    "many-values",
                    f"'{self.reader.show(node)}' has a value for each of several; here one is"
                    " wanted.",
                    "(sum ...) adds them up; (current player) is one player.",
                )
                self.first_only = True
                value = convert(node)
        return value

    def _loop(self, references: Sequence[_Reference], step: Form) -> Form:
        """A step for each value of each reference."""
        for word, collection, variable in reversed(references):
            step = _form(step.span, word if self.forks else "all", collection, variable, step)
        return step

    # --- actions --------------------------------------------------------------------------

    def _action(self, node: Node) -> Node:
        """An action of a clause."""
        if isinstance(node, Atom) or node.head not in self.actions or len(node.items) < 2:
            return node
        self.owners = []
        step = self.actions[node.head](node)
        for owner, variable in reversed(self.owners):
            step = _form(node.span, "let", owner, variable, step)
        self.owners = None
        return step

    def _move(self, form: Form) -> Node:
        """``(move CARD PLACE)``, perhaps with a number of cards or ``all``."""
        if len(form.items) < 3:
            return form
        word, source, target, *count = form.items
        snapshot: Node | None = None
        with self._collecting() as sources:
            card = self._value(source)
            if not (count and is_word(count[0], "all")):
                count = [*map(self._number, count)]
            elif isinstance(card, Form) and _is_end(card):
                if not _is_pile(card.items[1]):
                    snapshot = card.items[1]
                    card = _form(card.span, card.items[0], "'CARDS")
                count = [_form(count[0].span, "size", card.items[1])]
            with self._collecting() as targets:
                players = [one.variable for one in sources if is_word(one.collection, "player")]
                self.players = players[0] if players else None
                step = self._loop(targets, _form(form.span, word, card, self._value(target)))
        if count:
            step = _form(form.span, "repeat", *count, step)
        if snapshot is not None:
            step = _form(form.span, "let", snapshot, "'CARDS", step)
        return self._loop(sources, step)

    def _remember(self, form: Form) -> Node:
        """``(remember CARD MEMORY)`` or ``(forget MEMORY)``, perhaps with a number or ``all``."""
        last = 3 if form.head == "remember" else 2
        with self._collecting() as references:
            step = _form(form.span, form.items[0], *map(self._value, form.items[1:last]))
        if count := form.items[last:]:
            times = count if is_word(count[0], "all") else map(self._number, count)
            step = _form(form.span, "repeat", *times, step)
        return self._loop(references, step)

    def _change(self, form: Form) -> Node:
        """``(set STORAGE NUMBER)``, ``inc``, ``dec`` or ``(shuffle LOCATION)``."""
        word, target, *numbers = form.items
        with self._collecting() as references:
            changed = self._value(target)
        step = _form(form.span, word, changed, *map(self._number, numbers))
        return self._loop(references, step)

    def _cycle(self, form: Form) -> Node:
        """``(cycle next|current PLAYER)``, where a number is that of a player."""
        *words, who = form.items
        if is_word(who, *WHICH):
            return form
        player = self._single(who, self._value)
        if not _is_player(who):
            player = _form(who.span, player, "player")
        return _form(form.span, *words, player)

    def _initialize(self, form: Form) -> Node:
        """``(initialize points NAME (AWARD ...))``."""
        if len(form.items) != 4 or not is_word(form.items[1], "points"):
            return form
        *_, name, awards = form.items
        if isinstance(awards, Form):
            awards = Form(tuple(map(self._award, awards.items)), awards.span)
        return _form(form.span, "set", _points(name), awards)

    def _award(self, node: Node) -> Node:
        """``(all (ATTRIBUTE (VALUE)) ... NUMBER)``, or the same with ``any``."""
        if isinstance(node, Atom) or node.head not in ("all", "any"):
            return node
        *conditions, number = node.items[1:] or node.items
        return _form(node.span, *map(self._award_condition, conditions), self._number(number))

    def _award_condition(self, node: Node) -> Node:
        match node:
            case Form(items=(attribute, Form(items=(value,)) | (Form() as value))):
                return _form(node.span, _named(attribute), ":", self._single(value, self._name))
        return node

    # --- expressions ----------------------------------------------------------------------

    def _condition(self, node: Node) -> Node:
        before, self.owners = self.owners, None
        with self._collecting():
            condition = self._value(node)
        self.owners = before
        return condition

    def _number(self, node: Node) -> Node:
        """A number, which must not be many-valued."""
        return self._single(node, self._numbers)

    def _numbers(self, node: Node) -> Node:
        """A number, which may be many-valued; a player stands for the number of the seat."""
        value = self._value(node)
        return _form(node.span, "pid", value) if _is_player(node) else value

    def _name(self, node: Node) -> Node:
        """A name or the attribute of a card, which may be many-valued."""
        return self._value(node) if isinstance(node, Form) or _is_each(node) else _named(node)

    def _value(self, node: Node) -> Node:
        """Any expression, which may be many-valued."""
        if isinstance(node, Atom):
            return _each(node.span) if _is_each(node) else node
        if not node.items:
            return _form(node.span, "==", "0", "0")  # always holds
        if len(node.items) > 2 and is_word(node.items[1], *KINDS, *STORES):
            return self._owned(node)
        if _is_member(node, "player", "team"):
            return self._member(node)
        word, *rest = node.items
        match node.items:
            case Atom("any"), cards:
                return self._refer(node.span, "any", self._value(cards), "C")
            case Atom("and" | "or" | "not"), *_:
                return _form(node.span, word, *map(self._condition, rest))
            case Atom("sum"), *_:
                return self._sum(node)
            case Atom("union"), *_:
                return _form(node.span, word, *map(self._joined, rest))
            case Atom("cardatt"), name, card:
                return _form(node.span, word, self._name(name), self._value(card))
            case Atom("score"), card, using, name:
                return _form(node.span, word, self._value(card), using, _points(name))
            case Atom("max" | "min"), cards, using, name:
                return _form(node.span, word, self._cards(cards), using, _points(name))
            case Atom("tuples"), size, cards, using, name:
                number = self._numbers(size)
                return _form(node.span, word, number, self._cards(cards), using, _points(name))
            case Atom("actual"), card:
                return self._value(card)
            case Atom("top" | "bottom" | "size" | "owner"), value:
                return _form(node.span, word, self._value(value))
            case Atom(text), _, _ if text in COMPARISONS:
                return self._comparison(node)
            case Atom("+" | "-" | "*" | "//" | "%" | "^"), *_:
                return _form(node.span, word, *map(self._numbers, rest))
            case _, cards if _is_number(word):
                return _form(node.span, word, self._value(cards))
        return node

    def _sum(self, form: Form) -> Node:
        """A sum of scores of cards or of the values of a many-valued number."""
        with self._collecting() as references:
            match form.items:
                case (_, number):
                    total = self._numbers(number)
                case (word, cards, using, points):
                    total = _form(form.span, word, self._value(cards), using, _points(points))
                case _:
                    return form
        if any(reference.word == "any" for reference in references):
            self._collect(*references)  # the sum is many-valued, too
            return total
        for _, collection, variable in reversed(references):
            total = _form(form.span, "all", collection, variable, total)
        return total

    def _joined(self, node: Node) -> Node:
        """Cards; those of a many-valued reference as an ``all``, which belongs into a union."""
        with self._collecting() as references:
            cards = self._value(node)
        for _, collection, variable in reversed(references):
            cards = _form(node.span, "all", collection, variable, _union(cards))
        return cards

    def _cards(self, node: Node) -> Node:
        """An expression for cards; if it refers to several collections, it is their union."""
        return _union(self._joined(node))

    def _comparison(self, form: Form) -> Node:
        """A comparison of numbers, or of names or cards.

        Two sets of names are equal if they have a common element. A number on the left stands for
        some or all of its values, one on the right for the first.
        """
        operator, left, right = form.items
        with self._collecting() as references:
            if is_word(operator, "==", "!=") and (_is_text(left) or _is_text(right)):
                compared = _form(form.span, operator, self._name(left), self._name(right))
                every = is_word(operator, "!=")
            elif _is_card(left):
                compared = _form(form.span, operator, self._value(left), self._value(right))
                every = is_word(operator, "!=")
            else:
                number = self._numbers(left)
                self.first_only = True
                compared = _form(form.span, operator, number, self._numbers(right))
                every = not any(reference.word == "any" for reference in references)
        quantifier = "all" if every else "any"
        for _, collection, variable in reversed(references):
            compared = _form(form.span, quantifier, collection, variable, compared)
        return compared

    # --- owners and what they own ---------------------------------------------------------

    def _owned(self, form: Form) -> Node:
        """``(OWNER KIND NAME)``, perhaps with ``where TEST`` behind it."""
        owner, kind, name, *where = form.items
        items = self._value(owner), kind, _named(name)
        if len(where) != 2 or not is_word(where[0], "where"):
            return _form(form.span, *items, *where)
        pile, test = _form(form.span, *items), where[1]
        if isinstance(test, Form) and test.head in ("all", "any", "none") and test.items[1:]:
            return _form(form.span, "filter", pile, _each(test.span), self._test(test))
        self.reader.error(
            test,
            "where",
            f"'{self.reader.show(test)}' is no test of a 'where'.",
            "It looks like this: (all (== (cardatt NAME each) VALUE) ...), with any or none"
            " instead of all.",
        )
        return pile

    def _test(self, form: Form) -> Node:
        """The test of a ``where`` as a condition."""
        test, *others = map(self._condition, form.items[1:])
        if others:
            test = _form(form.span, "and" if form.head == "all" else "or", test, *others)
        return _form(form.span, "not", test) if form.head == "none" else test

    def _member(self, form: Form) -> Node:
        """``(X player)`` or ``(X team)``."""
        first, second = form.items
        is_team = is_word(second, "team")
        if isinstance(first, Atom):
            if first.text not in ("all", "any"):
                return form
            word: Literal["all", "any"] = "all" if first.text == "all" else "any"
            return self._refer(form.span, word, second, "T" if is_team else "P")
        with self._collecting() as references:
            value = self._value(first)
        self._collect(*references)
        if is_team and _is_player(first):
            return _form(form.span, "team", value)
        if not is_team and _is_member(first, "team"):
            return self._refer(form.span, "all", value, "P")
        if _is_owner(first) and not references and self.owners is not None:
            variable = _variable("OWNER", len(self.owners), form.span)
            self.owners.append((value, variable))
            return variable
        return _form(form.span, value, second)


# --- forms ------------------------------------------------------------------------------------


def _form(span: Span, *items: Node | str) -> Form:
    """A form at the place of another one; texts are words at the same place."""
    atoms = (Atom(item, span) if isinstance(item, str) else item for item in items)
    return Form(tuple(atoms), span)


def _variable(name: str, number: int, span: Span) -> Atom:
    """A variable with a number, which the first of its kind does not show."""
    return Atom(f"'{name}{number + 1 if number else ''}", span)


def _each(span: Span) -> Atom:
    """The variable for the card that a ``where`` tests."""
    return Atom("'each", span)


def _named(node: Node) -> Node:
    """A node with its words as names."""
    if isinstance(node, Atom):
        return LiteralName(node.text, node.span)
    return Form(tuple(map(_named, node.items)), node.span)


def _points(name: Node) -> Form:
    """A point map of the game."""
    return _form(name.span, "game", "points", _named(name))


def _union(cards: Node) -> Node:
    """Cards, which are joined if they are those of an ``all``."""
    joined = isinstance(cards, Form) and cards.head == "all"
    return _form(cards.span, "union", cards) if joined else cards


def _is_number(node: Node) -> bool:
    return isinstance(node, Atom) and bool(NUMBER.fullmatch(node.text))


def _is_each(node: Node) -> bool:
    return is_word(node, "each")


def _is_text(node: Node) -> bool:
    """Whether a node can only be a name."""
    if isinstance(node, Form):
        return node.head == "cardatt"
    return not _is_number(node) and not _is_each(node)


def _is_member(node: Node, *kinds: str) -> bool:
    """Whether a node is a player or team, such as ``(current player)``."""
    return isinstance(node, Form) and len(node.items) == 2 and is_word(node.items[1], *kinds)


def _is_owner(node: Node) -> bool:
    return isinstance(node, Form) and node.head == "owner"


def _is_player(node: Node) -> bool:
    return _is_member(node, "player") or _is_owner(node)


def _is_pile(node: Node) -> bool:
    return isinstance(node, Form) and len(node.items) == 3 and is_word(node.items[1], *KINDS)


def _is_end(node: Node) -> bool:
    """Whether a node is the card at an end or index of a location or list."""
    if not isinstance(node, Form) or len(node.items) != 2 or _is_member(node, "player", "team"):
        return False
    return node.head in ("top", "bottom") or _is_number(node.items[0])


def _is_card(node: Node) -> bool:
    """Whether a node can only be a card."""
    if _is_end(node) or _is_each(node):
        return True
    heads = ("any", "actual", "max", "min")
    return isinstance(node, Form) and node.head in heads and not _is_member(node, "player", "team")
