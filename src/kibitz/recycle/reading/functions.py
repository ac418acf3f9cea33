"""Functions of a text, ``(define (NAME 'A 'B) BODY)``, and effects of cards, ``(effects ...)``.

A call is written out: the body is read again for each call, with the arguments in place of the
parameters, so functions cost nothing in play and every check sees plain rules. Names in a body
mean what they mean where the function is defined, names in an argument what they mean at the call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from kibitz.recycle import tree
from kibitz.recycle.reading.context import (
    Argument,
    Broken,
    Call,
    Function,
    Meaning,
    nothing,
)
from kibitz.recycle.reading.setup import Setup, first_word
from kibitz.recycle.tree import (
    Attribute,
    Binding,
    Case,
    Cases,
    CurrentPlayer,
    CurrentTeam,
    Expression,
    Item,
    Let,
    Numbers,
    Random,
    Range,
    Statement,
    Text,
    Texts,
    Type,
    Variable,
    walk,
)
from kibitz.recycle.tree import Number as NumberNode
from kibitz.recycle.words import FUNCTION, NAME, VARIABLE, is_word
from kibitz.syntax.sexpr import MOST_DEPTH, Atom, Form, Node, words
from kibitz.syntax.source import Span

MOST_WRITTEN = 40_000
"""The maximum number of words of a text after all calls of functions are written out."""
FLOW = ("stage", "choice", "respond")
"""The first words of forms that may wait for decisions, so they are no steps."""
LATER_WORDS = frozenset(
    ("tell", "grid", "row", "column", "falling", "rising", "neighbours", "around")
)
"""Words that the language got after functions: a text may define functions of these names, and
then has not the forms."""
_STEADY = (Variable, NumberNode, Numbers, Text, Texts, Range)
"""Expressions that mean the same wherever they are evaluated."""
_T = TypeVar("_T")


class Functions(Setup):
    """The reader of functions and of calls."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.functions: dict[str, Function] = {}
        self.used_functions: set[str] = set()
        self.called: dict[tuple[tree.Node, ...], Form] = {}
        """The nodes that each call outside of functions has become, with the call."""
        self.constants: Mapping[str, Meaning] = {}
        """What every body sees besides its parameters: the declared values."""
        self._nesting = 0
        """How much deeper than in its own text the text that is being read stands."""
        self._depths: dict[int, int] = {}
        """The depth of each node that is read, by its identity."""

    def statement(self, node: Node) -> Statement:
        """Reads a statement."""
        raise NotImplementedError

    def collection(self, node: Node) -> Expression:
        """Reads a collection."""
        raise NotImplementedError

    def item(self, node: Node) -> Item:
        """Reads an item of a game or a stage."""
        raise NotImplementedError

    # --- definitions ----------------------------------------------------------------------

    def define(self, forms: Sequence[Node]) -> None:
        """Reads the definitions of a text, before any of the functions is called."""
        for form in forms:
            assert isinstance(form, Form)
            by_card = form.head == "effects"
            shape = "(define (NAME 'PARAMETER ...) BODY)"
            if by_card:
                shape = "(effects (NAME 'CARD ...) ATTRIBUTE (VALUE STEP) ...)"
            made = self._defined(form, shape, by_card)
            if made is not None:
                self.functions[made.name] = made
        if self.functions:
            self.words = tuple(sorted({*self.words, *self.functions}))

    def _defined(self, form: Form, shape: str, by_card: bool) -> Function | None:
        """The function that a form defines; ``None`` after an error."""
        least = 4 if by_card else 3
        head = form.items[1] if len(form.items) > 1 else form
        if not isinstance(head, Form) or not head.head or len(form.items) < least:
            self.unfit(form, shape)
            return None
        name = head.items[0]
        assert isinstance(name, Atom)
        is_taken = name.text in self.words and name.text not in LATER_WORDS
        if not FUNCTION.fullmatch(name.text) or is_taken:
            cure = "It is a word of the language." if is_taken else ""
            self.error(
                name,
                "bad-name",
                f"'{self.show(name)}' cannot be the name of a function.",
                cure or "It has small letters, digits, - and _, such as (define (heads 'C) ...).",
            )
            return None
        if name.text in self.functions:
            before = self.functions[name.text].form.span
            self.error(
                name,
                "declared-twice",
                f"The function '{name.text}' is defined twice.",
                notes=[(before, "The first definition.")],
            )
            return None
        parameters = []
        for item in head.items[1:]:
            if not self.is_variable(item, shape):
                return None
            assert isinstance(item, Atom)
            parameters.append(item.text.lstrip("'"))
        if len(set(parameters)) < len(parameters):
            self.error(head, "declared-twice", "Two parameters have the same name.")
            return None
        if by_card and not parameters:
            self.unfit(form, shape)
            return None
        body = form.items[3:] if by_card else form.items[2:]
        attribute = form.items[2] if by_card else None
        return Function(name.text, form, tuple(parameters), body, attribute)

    def warn_of_unused(self) -> None:
        """Warns about functions that are never called, whose bodies were not checked."""
        for name, function in self.functions.items():
            if name not in self.used_functions:
                self.warn(
                    function.form.items[1],
                    "unused-function",
                    f"The function '{name}' is never called.",
                    "Its body is checked where it is called.",
                )

    def is_call(self, node: Node) -> bool:
        """Whether a node is a call of a function."""
        return first_word(node) in self.functions

    def is_flow(self, node: Node) -> bool:
        """Whether a node is an item that may wait for decisions, or a call that contains one."""
        function = self.functions.get(first_word(node))
        return first_word(node) in FLOW or (
            function is not None and self._mentions(function, *FLOW)
        )

    def _mentions(self, function: Function, *texts: str) -> bool:
        """Whether one of some words stands in a function, or in one that it calls."""
        waiting, known = [function], {function.name}
        while waiting:
            for node in waiting.pop().body:
                for word in words(node):
                    if word.text in texts:
                        return True
                    if word.text in self.functions and word.text not in known:
                        known.add(word.text)
                        waiting.append(self.functions[word.text])
        return False

    # --- calls ----------------------------------------------------------------------------

    def value_of_call(self, form: Form) -> Expression:
        """Reads a call as an expression; arguments stand where the parameters are used."""
        function = self.functions[form.head]
        if function.attribute is not None:
            word = form.items[0]
            assert isinstance(word, Atom)
            return self.action_for_value(form, word, "The effect of a card is a step.")
        arguments = {
            name: self._by_name(node)
            for name, node in zip(function.parameters, form.items[1:], strict=False)
        }
        with self._inside(form, function, arguments) as called:
            if not called:
                return Broken(form.span)
            if len(function.body) > 1:
                return self._misshapen(function, "A value is a single form")
            value = self._whole(function.body[0])
        self._note(form, value)
        return value

    def _whole(self, node: Node) -> Expression:
        """Reads the body of a function for a value."""
        return self.collection(node) if is_word(node, "player", "team") else self.expression(node)

    def step_of_call(self, form: Form) -> Statement:
        """Reads a call as a statement; arguments are evaluated once, before it."""
        function = self.functions[form.head]
        if self.is_flow(form):
            self.misplaced(
                form,
                f"'{form.head}' has a stage or choice: it stands directly in the game or in a"
                " stage.",
                "",
            )
            return nothing(form.span)
        arguments: dict[str, Meaning] = {}
        values: list[tuple[Binding, Expression]] = []
        with contextlib.ExitStack() as stack:
            for name, node in zip(function.parameters, form.items[1:], strict=False):
                value = None if self._is_place(node) else self.expression(node)
                if isinstance(value, Broken):
                    arguments[name] = value
                elif value is None or self._is_steady(value, function):
                    arguments[name] = self._by_name(node)
                else:
                    known = (value.value,) if isinstance(value, Text) else None
                    binding = stack.enter_context(self.bound(name, node.span, value.type, known))
                    arguments[name] = binding
                    values.append((binding, value))
            with self._inside(form, function, arguments) as called:
                if not called:
                    return nothing(form.span)
                step = self._body_of(function)
        for binding, value in reversed(values):
            step = Let(form.span, value, binding, step)
        self._note(form, step)
        return step

    def _is_steady(self, value: Expression, function: Function) -> bool:
        """Whether an argument means the same wherever the function uses it."""
        if isinstance(value, CurrentPlayer):
            return not self._mentions(function, "cycle")
        return isinstance(value, _STEADY) or value.type is Type.PILE

    def _body_of(self, function: Function) -> Statement:
        """Reads the body of a function for a step."""
        if function.attribute is not None:
            return self._cases(function)
        if len(function.body) > 1:
            self._misshapen(function, "Several steps stand in (do (STEP ...))")
            return nothing(function.form.span)
        return self.statement(function.body[0])

    def items_of_call(self, form: Form) -> list[Item]:
        """Reads a call of a function whose body is one or several items."""
        function = self.functions[form.head]
        arguments: dict[str, Meaning] = {
            name: self._by_name(node)
            for name, node in zip(function.parameters, form.items[1:], strict=False)
        }
        for node in form.items[1:]:
            self._check_steady(node)
        with self._inside(form, function, arguments) as called:
            items = [item for node in function.body for item in self.items(node)] if called else []
        self._note(form, *items)
        return items

    def _note(self, form: Form, *nodes: tree.Node) -> None:
        """Notes what a call has become, unless it stands in a function."""
        if not self.calls:
            self.called[nodes] = form

    def items(self, node: Node) -> list[Item]:
        """Reads an item; a call of a function for items gives all of these."""
        if isinstance(node, Form) and self.is_call(node) and self.is_flow(node):
            return self.items_of_call(node)
        return [self.item(node)]

    def _check_steady(self, node: Node) -> None:
        """Reports an argument that would be somebody else in a stage of the function."""
        value = None if self._is_place(node) else self.expression(node)
        if value is None or isinstance(value, Broken):
            return
        for inner in walk(value):
            if isinstance(inner, (CurrentPlayer, CurrentTeam)) or getattr(inner, "others", False):
                self.error(
                    node,
                    "unsteady-argument",
                    "The function has a stage or choice, in which somebody else may be current;"
                    f" there '{self.show(node)}' would be another value.",
                    "Store it before, as in (set (game sto WHO) (pid (current player))), and read"
                    " that in the function.",
                )
                return

    def _cases(self, function: Function) -> Statement:
        """Reads the effects of cards as a choice among cases by the first argument."""
        shape = "(VALUE STEP)"
        assert function.attribute is not None
        card = self.card(Atom(f"'{function.parameters[0]}", function.form.items[1].span))
        attribute = self.value(function.attribute)
        if isinstance(card, Broken) or attribute is None:
            return nothing(function.form.span)
        self.check_attribute(function.attribute, Text(function.attribute.span, attribute))
        cases: dict[str, Case] = {}
        for node in function.body:
            if not isinstance(node, Form) or len(node.items) != 2:
                self.error(
                    node,
                    "wrong-shape",
                    f"'{self.show(node)}' is no effect.",
                    f"It looks like this: {shape}.",
                )
                continue
            named = node.items[0]
            value = self.card_value(named) if isinstance(named, Atom) else self.value(named)
            if value is None:
                continue
            if value in cases:
                self.error(named, "declared-twice", f"{value} has two effects.")
            if value not in self.attributes.get(attribute, {value}):
                self.warn(named, "unknown-value", f"No card has {value} as its {attribute}.")
            cases[value] = Case(node.span, value, self.statement(node.items[1]))
        span = function.attribute.span
        key = Attribute(span, Text(span, attribute), card)
        return Cases(function.form.span, key, tuple(cases.values()))

    def card(self, node: Node) -> Expression:
        """Reads an expression for a card."""
        raise NotImplementedError

    def _misshapen(self, function: Function, why: str) -> Broken:
        body = Span(function.body[0].span.start, function.body[-1].span.end)
        return self.error(
            body,
            "too-many-arguments",
            f"The function '{function.name}' has {len(function.body)} forms here. {why}.",
        )

    @contextlib.contextmanager
    def _inside(
        self, form: Form, function: Function, arguments: Mapping[str, Meaning]
    ) -> Iterator[bool]:
        """A context in which the body of a function is read; it gives whether that can be done."""
        self.used_functions.add(function.name)
        if not self._may_call(form, function):
            yield False
            return
        before = self.scope, self.calls, self._nesting, self.used_at
        self.scope = {**self.constants, **arguments}
        self.used_at = None
        self.calls = (*self.calls, Call(function, form.span))
        self._nesting += self._depth(form) - self._depth(function.form)
        yield True
        self.scope, self.calls, self._nesting, self.used_at = before

    def _may_call(self, form: Form, function: Function) -> bool:
        """Whether a call has the right arguments, ends, and is not too long; reports it if not."""
        defined = [(function.form.items[1].span, "It is defined here.")]
        given, wanted = len(form.items) - 1, len(function.parameters)
        if given != wanted:
            code, what = "too-many-arguments", "This is too much for"
            if given < wanted:
                code, what = "too-few-arguments", "Something is missing for"
            self.error(
                form,
                code,
                f"{what} '{function.name}'.",
                f"It looks like this: {function.shape}.",
                defined,
            )
            return False
        names = [call.function.name for call in self.calls]
        if function.name in names:
            chain = [*names[names.index(function.name) :], function.name]
            self.error(
                form,
                "recursion",
                f"The function '{function.name}' calls itself: {' -> '.join(chain)}.",
                "A call is written out, so a function cannot contain its own call: use a loop"
                " such as (repeat NUMBER STEP), or a stage.",
                defined,
            )
            return False
        return self._may_write(form, function.body)

    def _may_write(self, where: Node, nodes: Sequence[Node]) -> bool:
        """Counts words that are written out; reports it if they are too many or too deep."""
        if self.written > MOST_WRITTEN:
            return False
        self.written += sum(1 for node in nodes for _ in words(node))
        deepest = max(map(self._height, nodes), default=0)
        if self.written > MOST_WRITTEN:
            self.error(
                where,
                "too-large",
                f"With all calls of functions written out there are more than {MOST_WRITTEN:,}"
                " words; so long a game is not read.",
            )
        elif self._nesting + self._depth(where) + deepest > MOST_DEPTH:
            self.error(
                where,
                "too-deep",
                "With all calls of functions written out parentheses are nested more than"
                f" {MOST_DEPTH} deep.",
            )
        else:
            return True
        return False

    # --- arguments ------------------------------------------------------------------------

    def _by_name(self, node: Node) -> Meaning:
        if isinstance(node, Atom) and VARIABLE.fullmatch(node.text):
            return self.scope.get(node.text[1:], Argument(node, self.scope, *self._here()))
        return Argument(node, self.scope, *self._here())

    def _here(self) -> tuple[tuple[Call, ...], int]:
        return self.calls, self._nesting

    def given(self, node: Node) -> Argument | None:
        """The argument that a node stands for, if it is a parameter that is read by name."""
        if isinstance(node, Atom) and node.text.startswith("'"):
            meaning = self.scope.get(node.text[1:])
            return meaning if isinstance(meaning, Argument) else None
        return None

    def read_given(self, at: Node, argument: Argument, read: Callable[[Node], _T]) -> _T | Broken:
        """Reads an argument as at the call, in place of a parameter.

        Args:
            at: The parameter where it is used.
            argument: What it stands for.
            read: The function that reads it.
        """
        if not self._may_write(at, [argument.node]):
            return Broken(at.span)
        before = self.scope, self.calls, self._nesting, self.used_at
        depth = self._nesting + self._depth(at) - self._depth(argument.node)
        self.scope, self.calls = argument.scope, argument.calls
        self._nesting = max(depth, argument.nesting)
        self.used_at = at.span
        value = read(argument.node)
        self.scope, self.calls, self._nesting, self.used_at = before
        drawn = isinstance(value, Expression) and any(
            isinstance(inner, Random) for inner in walk(value)
        )
        if drawn:
            return self.error(
                argument.node,
                "random-argument",
                "This argument would be drawn anew wherever the function uses it.",
                "Draw it before and name it: (let (random ...) 'N ...), or store it.",
            )
        return value

    def _is_place(self, node: Node) -> bool:
        """Whether an argument is no value: the table, all players or teams, or a point map."""
        if (argument := self.given(node)) is not None:
            before, self.scope = self.scope, argument.scope
            place = self._is_place(argument.node)
            self.scope = before
            return place
        if isinstance(node, Form):
            if node.head == "number" and len(node.items) == 2:
                return isinstance(node.items[1], Atom) and bool(NAME.fullmatch(node.items[1].text))
            return len(node.items) == 3 and is_word(node.items[1], "points")
        return node.text in ("game", "player", "team", "number")

    # --- depths ---------------------------------------------------------------------------

    def note_depths(self, nodes: Sequence[Node]) -> None:
        """Notes how deep each node of a text stands."""
        waiting = [(node, 0) for node in nodes]
        while waiting:
            node, depth = waiting.pop()
            self._depths[id(node)] = depth
            if isinstance(node, Form):
                waiting += [(item, depth + 1) for item in node.items]

    def _depth(self, node: Node) -> int:
        return self._depths.get(id(node), 0)

    def _height(self, node: Node) -> int:
        """How many parentheses are nested in a node."""
        base, highest = self._depth(node), 0
        waiting = [node]
        while waiting:
            inner = waiting.pop()
            highest = max(highest, self._depth(inner) - base)
            if isinstance(inner, Form):
                waiting += inner.items
        return highest
