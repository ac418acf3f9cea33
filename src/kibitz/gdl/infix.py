"""Rules in the infix notation of the book: ``legal(W,mark(X,Y)) :- true(cell(X,Y,b))``.

M. Genesereth, M. Thielscher, "General Game Playing", 2014. A text becomes the same forms that a
text in KIF becomes, with their places, so that everything behind the reader is one.

========================  ===========================
KIF                       infix
========================  ===========================
``(cell 1 1 b)``          ``cell(1,1,b)``
``?x``                    ``X``; ``_``: another each time
``(<= h a b)``            ``h :- a & b``
``(not a)``               ``~a``
``(or a (and b c))``      ``(a | b & c)``
``+``, ``Mark``           ``'+'``, ``'Mark'``
========================  ===========================

A rule ends where nothing joins on; a full stop may follow it. A list of rules may stand in
brackets, with commas. ``%`` or ``;`` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kibitz.core.wording import MOST_QUOTED, printable
from kibitz.syntax.sexpr import MOST_DEPTH, Atom, Form, Node, Reading, unreadable
from kibitz.syntax.source import Diagnostic, Severity, Source, Span

_TOKEN = re.compile(
    r"""[\s\ufeff]+ | [%;][^\r\n]*
    | (?P<quoted>'(?:[^'\\\r\n]|\\.)*'?)
    | (?P<mark>:-|<=|[()\[\],&|~.])
    | (?P<variable>[A-Z_]\w*)
    | (?P<atom>\w+)
    | (?P<other>.)""",
    re.VERBOSE | re.ASCII,
)
_FIRST = re.compile(r"(?:[\s\ufeff]+|[%;][^\r\n]*)*(.?)")
PLAIN = re.compile(r"[a-z0-9]\w*", re.ASCII)
"""An atom that needs no quotation marks."""
_UNWRITABLE = re.compile(r"[\s();]|\A\?|\A\Z")
_ARROWS = (":-", "<=")


def is_infix(source: Source) -> bool:
    """Whether a text is in infix notation; KIF begins with a parenthesis."""
    first = _FIRST.match(source.text)
    return first is not None and first[1] not in ("", "(", ")")


class _Stop(Exception):
    """The rest of a rule cannot be read."""


class _Token(NamedTuple):
    """A token: its text, kind and place."""

    text: str
    span: Span
    kind: str


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []
        self.tokens = [
            _Token(found[0], Span(*found.span()), found.lastgroup or "")
            for found in _TOKEN.finditer(source.text)
            if found.lastgroup
        ]
        end = len(source.text)
        self.end = _Token("", Span(end, end), "end")
        self.at = 0
        self.anonymous = 0
        self.depth = 0
        self.in_list = False

    # -- tokens ------------------------------------------------------------------------------

    @property
    def next(self) -> _Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else self.end

    def take(self) -> _Token:
        token = self.next
        self.at += 1
        return token

    def sees(self, *marks: str) -> bool:
        return self.next.kind == "mark" and self.next.text in marks

    def fail(
        self,
        code: str,
        message: str,
        hint: str = "",
        span: Span | None = None,
        notes: tuple[tuple[Span, str], ...] = (),
    ) -> _Stop:
        span = self.next.span if span is None else span
        self.problems.append(Diagnostic(Severity.ERROR, code, message, span, hint, notes))
        return _Stop()

    def close(self, mark: str, opening: _Token) -> _Token:
        if self.sees(mark):
            return self.take()
        found = repr(printable(self.next.text, MOST_QUOTED)) if self.next.text else "the end"
        raise self.fail(
            "unbalanced",
            f"Here {mark!r} or another part is expected, not {found}.",
            notes=((opening.span, "it was opened here"),),
        )

    # -- rules -------------------------------------------------------------------------------

    def rules(self) -> list[Node]:
        found: list[Node] = []
        opening = self.take() if self.sees("[") else None
        self.in_list = opening is not None
        while self.next.kind != "end" and not (opening and self.sees("]")):
            start = self.at
            try:
                found.append(self.rule())
                if opening and not self.sees(",", "]", "."):
                    self.close("]", opening)
            except _Stop:
                self.skip(start)
            while self.sees(".") or (opening and self.sees(",")):
                self.take()
        if opening and self.next.kind == "end":
            self.fail("unbalanced", "This '[' is never closed.", span=opening.span)
        elif opening:
            self.take()
            if self.next.kind != "end":
                self.fail("superfluous", "Nothing may follow the list of rules.")
        return found

    def skip(self, start: int) -> None:
        """Skips to where the next rule seems to begin: at the margin."""
        self.depth = 0
        self.at = max(self.at, start + 1)
        while self.next.kind != "end":
            if self.source.position(self.next.span.start)[1] == 1 and not self.sees(
                ")", "&", "|", ",", *_ARROWS
            ):
                return
            self.at += 1

    def rule(self) -> Node:
        head = self.term()
        if self.in_list and self.sees(",", "]"):
            return head
        if not self.sees(*_ARROWS):
            if self.sees("&", "|", "~", ",", ")", "]") or self.next.kind == "other":
                raise self.fail(
                    "unexpected",
                    f"{printable(self.next.text, MOST_QUOTED)!r} cannot stand behind a head.",
                    "A rule is: head :- condition & condition.",
                )
            return head
        arrow = self.take()
        body = self.conjunction()
        if self.sees(",") and not self.in_list:
            raise self.fail("comma", "Conditions are joined by '&', not by a comma.")
        items = (Atom("<=", arrow.span), head, *body)
        return Form(items, Span(head.span.start, body[-1].span.end))

    def conjunction(self) -> list[Node]:
        parts = [self.condition()]
        while self.sees("&"):
            self.take()
            parts.append(self.condition())
        return parts

    def condition(self) -> Node:
        if self.sees("~"):
            mark = self.take()
            self.deeper()
            inner = self.condition()
            self.depth -= 1
            return Form((Atom("not", mark.span), inner), Span(mark.span.start, inner.span.end))
        if not self.sees("("):
            return self.term()
        opening = self.take()
        self.deeper()
        parts = [self.conjunction()]
        while self.sees("|"):
            self.take()
            parts.append(self.conjunction())
        span = Span(opening.span.start, self.close(")", opening).span.end)
        self.depth -= 1
        if len(parts) == 1:
            return _joined(parts[0], span)
        nodes = [_joined(part, Span(part[0].span.start, part[-1].span.end)) for part in parts]
        return Form((Atom("or", opening.span), *nodes), span)

    def term(self) -> Node:
        token = self.take()
        if token.kind == "variable":
            return self.variable(token)
        if token.kind not in ("atom", "quoted"):
            self.at -= 1
            quoted = repr(printable(token.text, MOST_QUOTED))
            instead = f"not {quoted}" if token.text else "but the text ends"
            raise self.fail("expected-term", f"Here a name or a term is expected, {instead}.")
        name = self.name(token)
        if not self.sees("("):
            return name
        opening = self.take()
        self.deeper()
        items: list[Node] = [name]
        if not self.sees(")"):
            items.append(self.argument(name.text))
        while self.sees(","):
            self.take()
            items.append(self.argument(name.text))
        end = self.close(")", opening).span.end
        self.depth -= 1
        return Form(tuple(items), Span(name.span.start, end))

    def argument(self, name: str) -> Node:
        """A term; in what is written like ``or(p,q)`` it may be a condition."""
        return self.condition() if name in ("or", "not", "and") else self.term()

    def variable(self, token: _Token) -> Atom:
        if token.text == "_":
            self.anonymous += 1
            while f"_{self.anonymous}" in self.source.text:
                self.anonymous += 1
            return Atom(f"?_{self.anonymous}", token.span)
        return Atom(f"?{token.text}", token.span)

    def name(self, token: _Token) -> Atom:
        if token.kind == "atom":
            return Atom(token.text, token.span)
        if len(token.text) < 2 or not re.fullmatch(r"'(?:[^'\\]|\\.)*'", token.text):
            raise self.fail("quotation", "The quotation mark is never closed.", span=token.span)
        text = re.sub(r"\\(.)", r"\1", token.text[1:-1])
        if _UNWRITABLE.search(text):
            raise self.fail(
                "letter",
                "A name cannot be empty, begin with '?', or have spaces, parentheses or ';'.",
                span=token.span,
            )
        return Atom(text, token.span)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self.fail("too-deep", f"More than {MOST_DEPTH} parentheses are open here.")


def _joined(parts: Sequence[Node], span: Span) -> Node:
    """One form for several conditions."""
    return parts[0] if len(parts) == 1 else Form((Atom("and", span), *parts), span)


def read(source: Source) -> Reading:
    """The rules as forms of KIF; problems go to the diagnostics."""
    if problem := unreadable(source):
        return Reading((), [problem])
    reader = _Reader(source)
    forms = reader.rules()
    return Reading(tuple(forms), reader.problems)
