"""The reader of S-expressions: words, parentheses, and exactly where each of them stands.

It never raises and never recurses. What is wrong with the parentheses is found out by comparing
them with the indentation: people indent what they mean.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kibitz.syntax.source import MOST_BYTES, Diagnostic, Severity, Source, Span

MOST_DEPTH = 100
"""Parentheses inside parentheses; what is deeper is not read. (Programs that walk the forms may
recurse, and should not exhaust Python's stack.)"""


@dataclass(frozen=True, eq=False)
class Atom:
    """A word, a number or a mark."""

    text: str
    span: Span


@dataclass(frozen=True, eq=False)
class Form:
    """What stands between two parentheses; the span includes them."""

    items: tuple[Node, ...]
    span: Span

    @property
    def head(self) -> str:
        """The first item if it is a word, else an empty text."""
        if self.items and isinstance(self.items[0], Atom):
            return self.items[0].text
        return ""


Node: TypeAlias = Atom | Form


@dataclass(frozen=True)
class Lexicon:
    """What a language builds its words from."""

    comment: str = ";"
    """Starts a comment, which ends with the line."""
    separators: str = ""
    """Letters that are read like spaces."""
    marks: tuple[str, ...] = ()
    """What is a word of its own even in the midst of others."""


class Token(NamedTuple):
    """A parenthesis or an atom."""

    text: str
    span: Span


class Nesting(NamedTuple):
    """Tokens, arranged."""

    forms: tuple[Node, ...]
    unclosed: tuple[Token, ...]
    """Opening parentheses that nothing closes, the outermost first."""
    superfluous: tuple[Token, ...]
    """Closing parentheses that close nothing."""
    too_deep: Token | None
    """The first opening parenthesis that was not read because it lies too deep."""


class Reading(NamedTuple):
    """A text, read: what stands in it, and what is wrong with it."""

    forms: tuple[Node, ...]
    diagnostics: list[Diagnostic]


def read(source: Source, lexicon: Lexicon = Lexicon()) -> Reading:
    """Reads a text; every problem is in the diagnostics, and as much as possible in the forms."""
    if len(source.text) > MOST_BYTES:
        return Reading((), [too_large(source)])
    tokens = tokenize(source, lexicon)
    nesting = arrange(tokens)
    return Reading(nesting.forms, list(complaints(source, tokens, nesting)))


def too_large(source: Source) -> Diagnostic:
    """That the text is not read at all."""
    return Diagnostic(
        Severity.ERROR,
        "too-large",
        f"This text is longer than {MOST_BYTES:,} letters; it is not read.",
        Span(0, 0),
    )


@functools.cache
def _pattern(lexicon: Lexicon) -> re.Pattern[str]:
    comment = re.escape(lexicon.comment)
    separators = re.escape(lexicon.separators)
    marks = "|".join(re.escape(mark) for mark in lexicon.marks)
    letter = rf"[^\s(){separators}{comment}\ufeff]"
    word = rf"(?:(?!{marks}){letter})+" if marks else rf"{letter}+"
    return re.compile(
        rf"[\s{separators}\ufeff]+|{comment}[^\r\n]*|(?P<token>[()]|{marks or '(?!)'}|{word})"
    )


def tokenize(source: Source, lexicon: Lexicon) -> list[Token]:
    """The parentheses and atoms of a text, in order."""
    return [
        Token(found["token"], Span(*found.span()))
        for found in _pattern(lexicon).finditer(source.text)
        if found.lastgroup
    ]


def arrange(tokens: Sequence[Token]) -> Nesting:
    """The forms that the parentheses make."""
    top: list[Node] = []
    stack: list[tuple[Token, list[Node]]] = []
    superfluous: list[Token] = []
    too_deep: Token | None = None
    skipped = 0
    end = 0
    for token in tokens:
        end = token.span.end
        if token.text == "(":
            if len(stack) >= MOST_DEPTH:
                too_deep = too_deep or token
                skipped += 1
            else:
                stack.append((token, []))
            continue
        if skipped:
            skipped -= token.text == ")"
            continue
        if token.text != ")":
            (stack[-1][1] if stack else top).append(Atom(token.text, token.span))
        elif stack:
            opening, items = stack.pop()
            form = Form(tuple(items), Span(opening.span.start, token.span.end))
            (stack[-1][1] if stack else top).append(form)
        else:
            superfluous.append(token)
    unclosed = tuple(opening for opening, _ in stack)
    while stack:
        opening, items = stack.pop()
        form = Form(tuple(items), Span(opening.span.start, end))
        (stack[-1][1] if stack else top).append(form)
    return Nesting(tuple(top), unclosed, tuple(superfluous), too_deep)


def complaints(source: Source, tokens: Sequence[Token], nesting: Nesting) -> Iterator[Diagnostic]:
    """What is wrong with the parentheses."""
    if nesting.too_deep is not None:
        yield Diagnostic(
            Severity.ERROR,
            "too-deep",
            f"More than {MOST_DEPTH} parentheses are open here; what is inside is not read.",
            nesting.too_deep.span,
        )
    for token in nesting.superfluous:
        yield Diagnostic(
            Severity.ERROR,
            "unbalanced",
            "This closes nothing: there is one ')' too many, here or before.",
            token.span,
        )
    for token in nesting.unclosed:
        yield Diagnostic(Severity.ERROR, "unbalanced", "This '(' is never closed.", token.span)


def words(node: Node) -> Iterator[Atom]:
    """All atoms of a form, in order, without recursion."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, Atom):
            yield one
        else:
            stack.extend(reversed(one.items))


def forms(node: Node) -> Iterator[Form]:
    """All forms in a form, itself first, without recursion."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, Form):
            yield one
            stack.extend(reversed(one.items))
