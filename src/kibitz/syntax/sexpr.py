"""The reader of S-expressions: words and parentheses, with their positions.

It never raises and never recurses. Misplaced parentheses are found by comparing them with the
indentation: people indent what they mean.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from kibitz.syntax.source import MOST_BYTES, Diagnostic, Severity, Source, Span

MOST_DEPTH = 100
"""The greatest depth of parentheses that is read, so that programs that walk the forms
recursively do not exhaust Python's stack."""

_MOST_COMPLAINTS = 5
"""How many parentheses that do not match are reported."""


@dataclass(frozen=True, eq=False)
class Atom:
    """A word, a number or a mark."""

    text: str
    span: Span


@dataclass(frozen=True, eq=False)
class Form:
    """A list in parentheses; the span includes them."""

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
    """The lexical rules of a language."""

    comment: str = ";"
    """Starts a comment, which ends with the line."""
    separators: str = ""
    """Characters that are read like spaces."""
    marks: tuple[str, ...] = ()
    """Texts that are words of their own even inside other words."""


class Token(NamedTuple):
    """A parenthesis or an atom."""

    text: str
    span: Span


class Nesting(NamedTuple):
    """Tokens, arranged as nested forms."""

    forms: tuple[Node, ...]
    unclosed: tuple[Token, ...]
    """Opening parentheses that are never closed, the outermost first."""
    superfluous: tuple[Token, ...]
    """Closing parentheses that close nothing."""
    too_deep: Token | None
    """The first opening parenthesis that was not read because it lies too deep."""


class Reading(NamedTuple):
    """The result of reading a text: its forms, and its errors."""

    forms: tuple[Node, ...]
    diagnostics: list[Diagnostic]


def read(source: Source, lexicon: Lexicon = Lexicon()) -> Reading:
    """Reads a text; every problem is in the diagnostics, and as much as possible in the forms."""
    if problem := unreadable(source):
        return Reading((), [problem])
    tokens = tokenize(source, lexicon)
    nesting = arrange(tokens)
    return Reading(nesting.forms, list(complaints(source, tokens, nesting)))


def unreadable(source: Source) -> Diagnostic | None:
    """The error that a text cannot be read; ``None`` if it can."""
    if len(source.text) > MOST_BYTES:
        message = f"This text is longer than {MOST_BYTES:,} letters; it is not read."
        return Diagnostic(Severity.ERROR, "too-large", message, Span(0, 0))
    if surrogate := _SURROGATE.search(source.text):
        return Diagnostic(
            Severity.ERROR,
            "no-character",
            f"This is half of a character (U+{ord(surrogate[0]):04X}); the text is not read.",
            Span(*surrogate.span()),
            "Write the whole character. In JSON one beyond U+FFFF is a pair: \\ud83c\\udca1.",
        )
    return None


_SURROGATE = re.compile("[\ud800-\udfff]")
"""A lone surrogate: Python's strings can have them, and UTF-8 cannot."""


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


def tokenize(source: Source, lexicon: Lexicon, most: int | None = None) -> list[Token]:
    """The parentheses and atoms of a text, in order; no more than `most`."""
    tokens = (
        Token(found["token"], Span(*found.span()))
        for found in _pattern(lexicon).finditer(source.text)
        if found.lastgroup
    )
    return list(itertools.islice(tokens, most))


def arrange(tokens: Sequence[Token]) -> Nesting:
    """Arranges tokens as nested forms."""
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


def complaints(
    source: Source,
    tokens: Sequence[Token],
    nesting: Nesting,
    severity: Severity = Severity.ERROR,
) -> Iterator[Diagnostic]:
    """Errors about parentheses that do not match or are too deep.

    Args:
        source: the text.
        tokens: of the text.
        nesting: the tokens arranged.
        severity: of parentheses that do not balance.
    """
    if nesting.too_deep is not None:
        yield Diagnostic(
            Severity.ERROR,
            "too-deep",
            f"More than {MOST_DEPTH} parentheses are open here; what is inside is not read.",
            nesting.too_deep.span,
        )
    if len(nesting.superfluous) + len(nesting.unclosed) > 0:
        guesses = suspects(source, tokens, single=len(nesting.forms) == 1)
        missing = [offset for offset, change in guesses if change == "close"]
        extra = [offset for offset, change in guesses if change == "remove"]
    for token in nesting.superfluous[:_MOST_COMPLAINTS]:
        yield Diagnostic(
            severity,
            "unbalanced",
            "This ')' closes nothing.",
            token.span,
            _guess(source, extra, "is one ')' too many"),
        )
    for token in nesting.unclosed[-_MOST_COMPLAINTS:]:
        yield Diagnostic(
            severity,
            "unbalanced",
            "This '(' is never closed.",
            token.span,
            _guess(source, missing, "a ')' is missing"),
        )


def _guess(source: Source, offsets: Sequence[int], what: str) -> str:
    """A hint where the indentation suggests an error."""
    if not offsets:
        return ""
    line, _ = source.position(offsets[0])
    return f"Judging by the indentation, {what} at the end of line {line}."


class _Opening(NamedTuple):
    """An open parenthesis, and how it is indented."""

    offset: int
    line: int
    margin: int
    """What it contains stands to the right of this column."""


def suspects(
    source: Source, tokens: Sequence[Token], single: bool
) -> list[tuple[int, Literal["close", "remove"]]]:
    """The offsets where the indentation contradicts the parentheses, and what to change there.

    Args:
        source: the text.
        tokens: of the text.
        single: whether the text is one form, which therefore ends with the text.
    """
    places = [source.position(token.span.start) for token in tokens]
    found: list[tuple[int, Literal["close", "remove"]]] = []
    stack: list[_Opening] = []
    suspected: set[int] = set()
    closed: list[tuple[Token, _Opening]] = []
    line, indent = 0, 0
    for index, token in enumerate(tokens):
        number, column = places[index]
        first = number != line
        if first:
            line, indent = number, column
        if first and token.text != ")":
            for opening in reversed(stack[-MOST_DEPTH:]):
                if single and opening is stack[0]:
                    continue
                if opening.margin >= column and opening.offset not in suspected:
                    suspected.add(opening.offset)
                    found.append((tokens[index - 1].span.end, "close"))
            for closing, opening in closed:
                if column > opening.margin:
                    found.append((closing.span.start, "remove"))
        if first:
            closed.clear()
        if token.text == "(":
            hanging = _hangs(tokens, places, index)
            stack.append(_Opening(token.span.start, line, indent if hanging else column))
        elif token.text == ")" and stack:
            opening = stack.pop()
            if opening.line != line:
                closed.append((token, opening))
    return found


def _hangs(tokens: Sequence[Token], places: Sequence[tuple[int, int]], index: int) -> bool:
    """Whether an opening parenthesis ends its line, alone or with others, as in ``(do (``."""
    line = places[index][0]
    for following in range(index + 1, min(index + 8, len(tokens))):
        if places[following][0] != line:
            return True
        if tokens[following].text == ")":
            return False
    return False


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
