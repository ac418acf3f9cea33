"""The base of the reader: errors, scopes of variables and shapes of forms.

An ``Elaborator`` goes through the forms of a file once and builds the tree. It does not stop at
an error: a form that it cannot read becomes ``Broken``, which causes no further errors.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from kibitz.core.wording import MOST_QUOTED, printable
from kibitz.recycle.reading.foreign import hint_for, prefixed
from kibitz.recycle.tree import (
    Binding,
    Do,
    Expression,
    Number,
    Numbers,
    Range,
    Text,
    Texts,
    Type,
    Variable,
)
from kibitz.recycle.words import (
    A_TYPE,
    CURES,
    KINDS,
    STORES,
    SYNONYMS,
    WHICH,
    Shape,
    is_literal,
    is_word,
    nearest,
    one_of,
)
from kibitz.syntax.sexpr import Atom, Form, Node, forms
from kibitz.syntax.source import Diagnostic, Severity, Source, Span

MOST_DIAGNOSTICS = 50
"""The maximum number of diagnostics that a reader keeps; it counts the others."""


class Mend(NamedTuple):
    """A change of the parentheses that might fix an error."""

    offset: int
    """The offset of a missing or surplus parenthesis."""
    change: Literal["open", "close", "remove", "wrap"]
    """The change: insert ``(``, insert ``)``, remove ``)``, or insert words before and behind."""
    until: int = 0
    """For ``wrap``, the offset at which the words behind are inserted."""
    around: tuple[tuple[str, ...], tuple[str, ...]] = (("(",), (")",))
    """For ``wrap``, the missing words and parentheses before and behind."""


Meaning: TypeAlias = "Binding | Expression | Argument"
"""What a variable stands for: a value bound during play, a constant, or an argument."""


@dataclass(frozen=True, eq=False)
class Function:
    """A function of a text."""

    name: str
    form: Form
    parameters: tuple[str, ...]
    body: tuple[Node, ...]
    attribute: Node | None = None
    """Of ``effects``, the attribute whose value selects the effect; else ``None``."""

    @property
    def shape(self) -> str:
        """What a call looks like."""
        parameters = [f" '{name}" for name in self.parameters]
        return f"({self.name}{''.join(parameters)})"


@dataclass(frozen=True, eq=False)
class Call:
    """A call that is being written out."""

    function: Function
    span: Span


@dataclass(frozen=True, eq=False)
class Argument:
    """An argument that is read anew at each use of the parameter."""

    node: Node
    scope: Mapping[str, Meaning]
    calls: tuple[Call, ...]
    nesting: int


@dataclass(frozen=True, eq=False)
class Broken(Expression):
    """The result of reading an expression with an error; it is accepted as every type."""

    type = Type.INT


_MOST_CALLS = 3
"""The maximum number of calls around an error that are shown."""
_INNER = ("all", "any", "player", "team", "using", "where", "each")
"""Words that also occur within forms, without a parenthesis before them."""
_STRUCTURAL = ("too-few-arguments", "wrong-shape", "clause", "misplaced")
"""Codes of errors that a wrong parenthesis may cause."""

MISSING_AROUND = ("missing-do", "missing-and", "missing-condition", "missing-parenthesis")
"""Codes of errors whose message already says which words are missing around which text."""
_SURPLUS = ("too-many-arguments", "missing-do", "missing-and")
"""Codes of errors about surplus items of a form."""
_CONSEQUENCES = ("too-few-arguments", "wrong-shape", "no-body", "wrong-type", "award")
"""Codes of errors that surplus items within the same span may cause."""


@dataclass(frozen=True)
class Problem:
    """A diagnostic, and changes of the parentheses that might fix it."""

    diagnostic: Diagnostic
    mends: tuple[Mend, ...] = ()

    @property
    def is_structural(self) -> bool:
        """Whether a wrong parenthesis may cause the problem."""
        return bool(self.mends) or self.diagnostic.code in _STRUCTURAL


class Elaborator:
    """The base of the readers of the dialects, which turn forms into a tree."""

    words: tuple[str, ...] = ()
    """All words with which a form of the dialect may begin."""
    most: ClassVar[Mapping[str, int]] = {}
    """The maximum number of items of a form by its first word, which counts as an item."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.left_out = 0
        """The number of problems that exceed ``MOST_DIAGNOSTICS`` and are not kept."""
        self._errors_left_out = 0
        self.bindings: list[Binding] = []
        self.scope: Mapping[str, Meaning] = {}
        self.calls: tuple[Call, ...] = ()
        """The calls of functions that are being read, the outermost first."""
        self.used_at: Span | None = None
        """The parameter in place of which an argument is being read; ``None`` if none is."""
        self.written = 0
        """The number of words of functions and arguments that were read for calls."""
        self._reported: set[tuple[Span, str]] = set()

    # --- reporting ------------------------------------------------------------------------

    def error(
        self,
        where: Node | Span,
        code: str,
        message: str,
        hint: str = "",
        notes: Sequence[tuple[Span, str]] = (),
        mends: Sequence[Mend] = (),
    ) -> Broken:
        """Reports an error, so that no program results; returns the broken expression."""
        span = where.span if isinstance(where, (Atom, Form)) else where
        self._report(Severity.ERROR, span, code, message, hint, notes, mends)
        return Broken(span)

    def warn(self, where: Node | Span, code: str, message: str, hint: str = "") -> None:
        """Reports a warning about a probable mistake."""
        span = where.span if isinstance(where, (Atom, Form)) else where
        self._report(Severity.WARNING, span, code, message, hint, (), ())

    def _report(
        self,
        severity: Severity,
        span: Span,
        code: str,
        message: str,
        hint: str,
        notes: Sequence[tuple[Span, str]],
        mends: Sequence[Mend],
    ) -> None:
        if (span, code) in self._reported:
            return
        if len(self.problems) >= MOST_DIAGNOSTICS:
            self.left_out += 1
            self._errors_left_out += severity is Severity.ERROR
            return
        self._reported.add((span, code))
        callers = [(call.span, "It is called here.") for call in self.calls[-_MOST_CALLS:]]
        if self.used_at is not None:
            callers.append((self.used_at, "The function uses this argument here."))
        diagnostic = Diagnostic(severity, code, message, span, hint, (*notes, *callers[::-1]))
        self.problems.append(Problem(diagnostic, tuple(mends)))

    @property
    def errors(self) -> int:
        """The number of errors reported so far, including those that were not kept."""
        kept = sum(problem.diagnostic.is_error for problem in self.problems)
        return self._errors_left_out + kept

    def show(self, node: Node, most: int = 40) -> str:
        """The source of a form in one line, shortened for a message."""
        return printable(" ".join(self.source.piece(node.span).split()), most)

    # --- names ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def bound(
        self, name: str, span: Span, type: Type | None, values: tuple[str, ...] | None = None
    ) -> Iterator[Binding]:
        """A context in which a new variable is visible; without a type it reads as Broken."""
        binding = Binding(name, type or Type.INT, span, values)
        self.bindings.append(binding)
        before = self.scope
        self.scope = {**before, name: binding if type else Broken(span)}
        yield binding
        self.scope = before

    # --- shapes ---------------------------------------------------------------------------

    def fit(
        self, form: Form, shapes: Sequence[Shape], roles: Mapping[str, Callable[..., Any]]
    ) -> Any:
        """The node of a form that should have one of the shapes; any other form is an error.

        Args:
            form: The form to be read.
            shapes: The shapes that are allowed.
            roles: The function that reads an item, by its role in a shape such as ``NUMBER``.
        """
        items = form.items[1:]
        for shape in shapes:
            if shape.counts(items) and shape.misfit(items) is None:
                return self._build(form, shape, items, roles)
        return self._misfit(form, shapes)

    def _build(
        self,
        form: Form,
        shape: Shape,
        items: Sequence[Node],
        roles: Mapping[str, Callable[..., Any]],
    ) -> Any:
        pieces: list[Any] = []
        for index, item in enumerate(items):
            pattern = shape.part(index)
            if not is_literal(pattern):
                pieces.append(roles[pattern](item))
            elif "|" in pattern:
                assert isinstance(item, Atom)
                pieces.append(item.text)
        if any(isinstance(piece, Broken) for piece in pieces):
            return Broken(form.span)
        return shape.build(form.span, *pieces)

    def _misfit(self, form: Form, shapes: Sequence[Shape]) -> Broken:
        """Reports why a form fits none of the shapes."""
        items = form.items[1:]
        looks = f"It looks like this: {one_of([shape.text for shape in shapes])}."
        right = [shape for shape in shapes if shape.counts(items)]
        index = right[0].misfit(items) if right else None
        shorter = any(shape.least < len(items) for shape in shapes)
        if index is not None and not (isinstance(items[index], Form) and shorter):
            return self._expected_word(right[0], index, items[index], looks, self.openings(form))
        most = max(shape.least for shape in shapes if shape not in right)
        if len(items) > most:
            value = Form(items[most - 1 :], Span(items[most - 1].span.start, items[-1].span.end))
            if self.report_infix(value):
                return Broken(form.span)
            return self.error(
                Span(items[most].span.start, items[-1].span.end),
                "too-many-arguments",
                f"This is too much for '{printable(form.head, MOST_QUOTED)}'.",
                looks,
                [(form.items[0].span, f"'{printable(form.head, MOST_QUOTED)}' stands here.")],
                [*self.openings(form), Mend(form.items[most].span.end, "close")],
            )
        shape = min(shapes, key=lambda candidate: abs(candidate.least - len(items)))
        wrong = shape.misfit(items)
        if wrong is not None and isinstance(items[wrong], Atom):  # not only too short
            return self._expected_word(shape, wrong, items[wrong], looks)
        return self.error(
            form,
            "too-few-arguments",
            f"Something is missing in '{self.show(form)}'.",
            looks,
            mends=[Mend(form.span.end - 1, "remove")],
        )

    def _expected_word(
        self, shape: Shape, index: int, item: Node, looks: str, mends: Sequence[Mend] = ()
    ) -> Broken:
        """Reports that an item should be another word."""
        words = one_of([f"'{word}'" for word in shape.part(index).split("|")])
        return self.error(
            item,
            "expected-word",
            f"Here {words} should stand, not '{self.show(item)}'.",
            f"{hint_for(item)} {looks}".strip(),
            mends=mends,
        )

    def openings(self, form: Form) -> list[Mend]:
        """Insertions of '(' before items of a form that probably begin forms of their own."""
        mends = []
        for before, item in itertools.pairwise(form.items):
            if not isinstance(item, Atom):
                continue
            if item.text in (*KINDS, *STORES, "player", "team"):
                mends.append(Mend(before.span.start, "open"))
            elif item.text in self.words and item.text not in _INNER and form.head != "run":
                mends.append(Mend(item.span.start, "open"))
        return mends

    def look_for_surplus(self, nodes: Sequence[Node]) -> None:
        """Reports forms with too many items, also within forms that the reader did not enter.

        If a parenthesis is missing, the form that it should close has surplus items. The reader
        may have rejected an enclosing form and not have read the inner one.
        """
        for form in (inner for node in nodes for inner in forms(node)):
            most = self.most_items(form)
            if most is not None and len(form.items) > most and not self._is_reported(form):
                mends = [*self.openings(form), Mend(form.items[most - 1].span.end, "close")]
                if is_word(form.items[1], "player", "team"):
                    start, end = form.items[0].span.start, form.items[1].span.end
                    mends.append(Mend(start, "wrap", end))
                self.error(
                    Span(form.items[most].span.start, form.items[-1].span.end),
                    "too-many-arguments",
                    f"This is too much for '{self.show(form.items[0])}'.",
                    mends=mends,
                )
            owned = () if form.head == "indexed" else form.items[1:]
            for before, item in itertools.pairwise(owned):
                if is_word(item, *KINDS, *STORES[:2]):
                    self.error(
                        item,
                        "misplaced-word",
                        f"The owner '{self.show(before)}' and '{self.show(item)}' stand together"
                        " in parentheses of their own.",
                        mends=[Mend(before.span.start, "open")],
                    )
            if len(form.items) == 1 and self._is_seat(form.items[0]):
                self.error(
                    form,
                    "unknown-form",
                    f"'{self.show(form)}' has parentheses around nothing but a form.",
                    mends=[Mend(form.span.end - 1, "remove")],
                )

    @staticmethod
    def _is_seat(node: Node) -> bool:
        return (
            isinstance(node, Form)
            and len(node.items) == 2
            and is_word(node.items[0], *WHICH)
            and is_word(node.items[1], "player", "team")
        )

    def _is_reported(self, form: Form) -> bool:
        """Whether an error already explains the surplus items of a form.

        Such an error is about a missing word around them, or about an operator between values.
        """
        end = form.items[-1].span.end
        inside = [item.span for item in form.items]
        return any(
            reported.span in inside
            if reported.code == "infix"
            else reported.code in MISSING_AROUND
            and reported.span.end == end
            and _holds(form.span, reported.span)
            for reported in (problem.diagnostic for problem in self.problems)
        )

    def forgive(self) -> None:
        """Removes errors that surplus items in the same span have probably caused."""
        surplus = [
            problem.diagnostic.span
            for problem in self.problems
            if problem.diagnostic.code in _SURPLUS
        ]
        self.problems = [
            problem
            for problem in self.problems
            if problem.diagnostic.code not in _CONSEQUENCES
            or not any(_holds(problem.diagnostic.span, inner) for inner in surplus)
        ]

    def most_items(self, form: Form) -> int | None:
        """The maximum number of items of a form; ``None`` for short forms, or if it is unknown."""
        if len(form.items) < 3:
            return None
        first, second = form.items[:2]
        if is_word(second, ":"):
            return 3
        if is_word(second, "player", "team") and is_word(first, *WHICH, "other"):
            return 2
        if is_word(second, *KINDS, *STORES) and not is_word(first, "initialize", "put"):
            return 4 if is_word(second, *KINDS) else 3
        return self.most.get(form.head)

    def expression(self, node: Node) -> Expression:
        """Reads any expression."""
        raise NotImplementedError

    def unfit(self, form: Form, shape: str) -> Broken:
        """Reports that a form should have a given shape."""
        return self.error(
            form,
            "wrong-shape",
            f"'{self.show(form)}' is not what '{printable(form.head, MOST_QUOTED)}' looks like.",
            f"It looks like this: {shape}.",
            mends=[Mend(form.span.end - 1, "remove")],
        )

    # --- types ----------------------------------------------------------------------------

    def check(self, node: Node, value: Expression, *types: Type) -> Expression:
        """Returns an expression if it has one of the types; otherwise reports an error.

        Args:
            node: The source of the expression.
            value: The result of reading the source.
            types: The types that are allowed.
        """
        if isinstance(value, Broken) or value.type in types:
            return value
        cure = next((CURES[value.type, type] for type in types if (value.type, type) in CURES), "")
        if isinstance(value, Text) and value.value in self.scope:
            cure = f"Did you mean the variable '{value.value}?"
        return self.error(
            node,
            "wrong-type",
            f"Here {one_of([A_TYPE[type] for type in types])} is wanted;"
            f" '{self.show(node)}' is {A_TYPE[value.type]}.",
            cure,
        )

    # --- words ----------------------------------------------------------------------------

    def unknown(self, atom: Atom, role: str, known: Sequence[str], hint: str = "") -> Broken:
        """Reports a word that is not allowed at its place.

        Args:
            atom: The word and its place.
            role: A noun for what the word should be, as the message names it.
            known: The words that are allowed, for a suggestion.
            hint: The hint if there is no suggestion.
        """
        text = printable(atom.text, MOST_QUOTED)
        near = SYNONYMS.get(atom.text) or nearest(atom.text, known)
        instead = hint_for(atom)
        if instead:
            hint = instead
        elif near is not None and near != atom.text:
            hint = f"Did you mean {near}?"
        return self.error(atom, "unknown-word", f"'{text}' is no {role}.", hint)

    def report_infix(self, form: Form, statement: bool = False) -> bool:
        """Reports an operator between two values; returns whether there is one."""
        match = prefixed(form, statement)
        if match is None:
            return False
        operator, word = match
        left, _, right = (self.show(item) for item in form.items)
        self.error(
            operator,
            "infix",
            f"'{printable(operator.text, MOST_QUOTED)}' stands between two values here; the word "
            "that says what is done stands before them.",
            f"Write: ({word} {left} {right}).",
        )
        return True

    def lookup(self, atom: Atom) -> Expression:
        """The expression of a variable."""
        name = atom.text[1:]
        meaning = self.scope.get(name)
        if isinstance(meaning, Expression):
            return constant(meaning, atom.span)
        if isinstance(meaning, Binding):
            return Variable(atom.span, meaning)
        near = nearest(name, self.scope)
        elsewhere = [binding for binding in self.bindings if binding.name == name]
        if elsewhere:
            line, _ = self.source.position(elsewhere[-1].span.start)
            hint = f"The '{name} of line {line} is known only inside the form that binds it."
        elif near:
            hint = f"Did you mean '{near}?"
        elif self.scope:
            hint = f"Known here: {', '.join(sorted(chr(39) + known for known in self.scope))}."
        else:
            hint = "Variables are bound by (any COLLECTION 'NAME ...), all, let and declare."
        return self.error(
            atom,
            "unknown-variable",
            f"There is no variable {printable(atom.text, MOST_QUOTED)} here.",
            hint,
        )


def constant(value: Expression, span: Span) -> Expression:
    """A copy of a declared value for a place where it is used."""
    if isinstance(value, Range):
        return Range(span, constant(value.low, span), constant(value.high, span))
    return dataclasses.replace(value, span=span)


def is_constant(value: Expression) -> bool:
    """Whether the value of an expression is known before the game begins."""
    return isinstance(value, (Number, Numbers, Text, Texts)) or (
        isinstance(value, Range)
        and isinstance(value.low, Number)
        and isinstance(value.high, Number)
    )


def nothing(span: Span) -> Do:
    """The empty statement, the result of reading a statement with an error."""
    return Do(span, ())


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
