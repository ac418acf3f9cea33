"""Shared parts of all dialects' readers: reporting, scopes, matching forms against shapes.

An ``Elaborator`` goes through the forms of a file once and builds the tree. It does not stop at
a problem: what cannot be understood becomes ``Broken``, about which nobody complains again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from kibitz.core.wording import MOST_QUOTED, printable
from kibitz.recycle.reading.foreign import HINTS, hint_for, prefixed
from kibitz.recycle.tree import (
    Binding,
    Do,
    Expression,
    Number,
    Range,
    Text,
    Texts,
    Truth,
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


class Mend(NamedTuple):
    """A change of the parentheses that might cure a problem."""

    offset: int
    """Where a parenthesis is missing, or where the one stands that is too many."""
    change: Literal["open", "close", "remove", "wrap"]
    """Insert ``(``, insert ``)``, take away what stands there, or put something around."""
    until: int = 0
    """Up to where something is missing around."""
    around: tuple[tuple[str, ...], tuple[str, ...]] = (("(",), (")",))
    """The words and parentheses that are missing before and behind."""


@dataclass(frozen=True, eq=False)
class Broken(Expression):
    """An expression that was not understood; it has every type."""

    type = Type.INT


_INNER = ("all", "any", "player", "team", "using", "where", "each")
"""Words that also stand inside forms by themselves."""
_STRUCTURAL = ("too-few-arguments", "wrong-shape", "clause", "missing-clause", "misplaced")

MISSING_AROUND = ("missing-do", "missing-and", "missing-condition", "missing-parenthesis")
"""Problems of which is said at once what is missing around what."""
_SURPLUS = ("too-many-arguments", "missing-do", "missing-and")
_CONSEQUENCES = ("too-few-arguments", "wrong-shape", "no-body", "wrong-type", "award")


@dataclass(frozen=True)
class Problem:
    """A diagnostic, and a change that might cure it."""

    diagnostic: Diagnostic
    mends: tuple[Mend, ...] = ()

    @property
    def is_structural(self) -> bool:
        """Whether it may come from a wrong parenthesis."""
        return bool(self.mends) or self.diagnostic.code in _STRUCTURAL


class Elaborator:
    """Turns forms into the tree; the base of the readers of the dialects."""

    words: tuple[str, ...] = ()
    """All words with which a form of the dialect may begin."""
    foreign: ClassVar[Mapping[str, str]] = HINTS
    """What to write instead of words of other languages."""
    indexed_locations: ClassVar[bool] = False
    """Whether the name of a location may be followed by its index."""
    most: ClassVar[Mapping[str, int]] = {}
    """How many items, with the word itself, a form with this word has at most."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.left_out = 0
        """How many further problems there are."""
        self._errors_left_out = 0
        self.bindings: list[Binding] = []
        self.scope: dict[str, Binding | Expression] = {}
        self._said: set[tuple[Span, str]] = set()

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
        """Reports an error, which makes the file unusable."""
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
        if (span, code) in self._said:
            return
        if len(self.problems) >= MOST_DIAGNOSTICS:
            self.left_out += 1
            self._errors_left_out += severity is Severity.ERROR
            return
        self._said.add((span, code))
        diagnostic = Diagnostic(severity, code, message, span, hint, tuple(notes))
        self.problems.append(Problem(diagnostic, tuple(mends)))

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return self._errors_left_out + sum(one.diagnostic.is_error for one in self.problems)

    def show(self, node: Node, most: int = 40) -> str:
        """The piece of source, for a message."""
        return printable(" ".join(self.source.piece(node.span).split()), most)

    # --- names ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def bound(
        self, name: str, span: Span, type: Type | None, values: tuple[str, ...] | None = None
    ) -> Iterator[Binding]:
        """A new variable, visible in the body of the ``with``; without type it is Broken."""
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
        """The node of a form that should have one of these shapes."""
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
            part = shape.part(index)
            if not is_literal(part):
                pieces.append(roles[part](item))
            elif "|" in part:
                assert isinstance(item, Atom)
                pieces.append(item.text)
        if any(isinstance(piece, Broken) for piece in pieces):
            return Broken(form.span)
        return shape.build(form.span, *pieces)

    def _misfit(self, form: Form, shapes: Sequence[Shape]) -> Broken:
        """Says why a form has none of the shapes."""
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
        shape = min(shapes, key=lambda one: abs(one.least - len(items)))
        wrong = shape.misfit(items)
        if wrong is not None and isinstance(items[wrong], Atom):  # a missing piece is not all
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
        """Says which word should stand in place of an item."""
        wanted = one_of([f"'{word}'" for word in shape.part(index).split("|")])
        return self.error(
            item,
            "expected-word",
            f"Here {wanted} should stand, not '{self.show(item)}'.",
            f"{hint_for(item, self.foreign)} {looks}".strip(),
            mends=mends,
        )

    def openings(self, form: Form) -> list[Mend]:
        """Where in a form a '(' seems to be missing: before words that begin forms."""
        found = []
        for before, item in itertools.pairwise(form.items):
            if not isinstance(item, Atom):
                continue
            if item.text in (*KINDS, *STORES, "player", "team"):
                found.append(Mend(before.span.start, "open"))
            elif item.text in self.words and item.text not in _INNER and form.head != "run":
                found.append(Mend(item.span.start, "open"))
        return found

    def look_for_surplus(self, nodes: Sequence[Node]) -> None:
        """Reports every form with too many items, wherever it is, and the like.

        Where a parenthesis is missing, the form that it should close has something too much;
        but the reader may have stumbled over a form around it and not have looked inside.
        """
        for form in (one for node in nodes for one in forms(node)):
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
        """Whether a missing word around the surplus was reported already.

        Or that an operator stands between values, which makes them too many.
        """
        end = form.items[-1].span.end
        inside = [item.span for item in form.items]
        return any(
            found.span in inside
            if found.code == "infix"
            else found.code in MISSING_AROUND
            and found.span.end == end
            and _holds(form.span, found.span)
            for found in (problem.diagnostic for problem in self.problems)
        )

    def forgive(self) -> None:
        """Drops reports about forms with surplus items, which follow from the surplus."""
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
        """How many items a form can have at most, as far as that is known."""
        if len(form.items) < 3:
            return None
        first, second = form.items[:2]
        if is_word(second, ":"):
            return 3
        if is_word(second, "player", "team") and is_word(first, *WHICH, "other"):
            return 2
        if is_word(second, *KINDS, *STORES) and not is_word(first, "initialize", "put"):
            return 4 if self.indexed_locations and is_word(second, *KINDS) else 3
        return self.most.get(form.head)

    def expression(self, node: Node) -> Expression:
        """Reads any expression."""
        raise NotImplementedError

    def unfit(self, form: Form, shape: str) -> Broken:
        """Reports that a form should have another shape."""
        return self.error(
            form,
            "wrong-shape",
            f"'{self.show(form)}' is not what '{printable(form.head, MOST_QUOTED)}' looks like.",
            f"It looks like this: {shape}.",
            mends=[Mend(form.span.end - 1, "remove")],
        )

    # --- types ----------------------------------------------------------------------------

    def check(self, node: Node, found: Expression, *wanted: Type) -> Expression:
        """The expression; if its type is wrong, this is reported and the result is Broken."""
        if isinstance(found, Broken) or found.type in wanted:
            return found
        cure = next(
            (CURES[found.type, type] for type in wanted if (found.type, type) in CURES), ""
        )
        if isinstance(found, Text) and found.value in self.scope:
            cure = f"Did you mean the variable '{found.value}?"
        return self.error(
            node,
            "wrong-type",
            f"Here {one_of([A_TYPE[type] for type in wanted])} is wanted;"
            f" '{self.show(node)}' is {A_TYPE[found.type]}.",
            cure,
        )

    # --- words ----------------------------------------------------------------------------

    def unknown(self, atom: Atom, what: str, known: Sequence[str], hint: str = "") -> Broken:
        """Says that a word is not one of those that can stand here."""
        text = printable(atom.text, MOST_QUOTED)
        near = SYNONYMS.get(atom.text) or nearest(atom.text, known)
        instead = hint_for(atom, self.foreign)
        if instead:
            hint = instead
        elif near is not None and near != atom.text:
            hint = f"Did you mean {near}?"
        return self.error(atom, "unknown-word", f"'{text}' is no {what}.", hint)

    def report_infix(self, form: Form, statement: bool = False) -> bool:
        """Says that an operator stands first, if it stands between two values."""
        found = prefixed(form, statement)
        if found is None:
            return False
        operator, word = found
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
        found = self.scope.get(name)
        if isinstance(found, Expression):
            return constant(found, atom.span)
        if found is not None:
            return Variable(atom.span, found)
        near = nearest(name, self.scope)
        elsewhere = [one for one in self.bindings if one.name == name]
        if elsewhere:
            line, _ = self.source.position(elsewhere[-1].span.start)
            hint = f"The '{name} of line {line} is known only inside the form that binds it."
        elif near:
            hint = f"Did you mean '{near}?"
        elif self.scope:
            hint = f"Known here: {', '.join(sorted(chr(39) + one for one in self.scope))}."
        else:
            hint = "Variables are bound by (any COLLECTION 'NAME ...), all, let and declare."
        return self.error(
            atom,
            "unknown-variable",
            f"There is no variable {printable(atom.text, MOST_QUOTED)} here.",
            hint,
        )


def constant(value: Expression, span: Span) -> Expression:
    """A declared value, where it is used."""
    if isinstance(value, Range):
        return Range(span, constant(value.low, span), constant(value.high, span))
    return dataclasses.replace(value, span=span)


def is_constant(value: Expression) -> bool:
    """Whether a value is known before the game begins."""
    return isinstance(value, (Number, Truth, Text, Texts)) or (
        isinstance(value, Range)
        and isinstance(value.low, Number)
        and isinstance(value.high, Number)
    )


def nothing(span: Span) -> Do:
    """A statement that stands for one that was not understood."""
    return Do(span, ())


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
