"""The reader of S-expressions: words and parentheses, with their positions.

It never raises and never recurses. To locate misplaced parentheses, it compares the parentheses
with the indentation.
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
"""The maximum depth of parentheses. It keeps functions that walk the forms recursively from
exhausting Python's stack."""

_MOST_COMPLAINTS = 5
"""The maximum number of errors about unmatched parentheses of each kind."""


@dataclass(frozen=True, eq=False)
class Atom:
    """A word, a number or a mark."""

    text: str
    span: Span


@dataclass(frozen=True, eq=False)
class Form:
    """A list in parentheses; its span includes the parentheses."""

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
    """The text that starts a comment, which ends with the line."""
    separators: str = ""
    """The characters that are read like spaces."""
    marks: tuple[str, ...] = ()
    """The texts that are separate words even within other words."""
    quotes: str = ""
    """The sign around texts, which are atoms with their quotes; they end in their line.

    A text that is not closed is a word that begins with the sign.
    """


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
    """The first opening parenthesis that exceeds ``MOST_DEPTH``, if there is one."""


class Reading(NamedTuple):
    """The forms and the errors of a text."""

    forms: tuple[Node, ...]
    diagnostics: list[Diagnostic]


def read(source: Source, lexicon: Lexicon = Lexicon()) -> Reading:
    """Reads the forms of a text as far as possible, and reports all errors as diagnostics."""
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
    """The pattern of white space, comments and tokens; tokens are in the group ``token``."""
    comment = re.escape(lexicon.comment)
    separators = re.escape(lexicon.separators)
    marks = "|".join(re.escape(mark) for mark in lexicon.marks)
    quotes = re.escape(lexicon.quotes)
    letter = rf"[^\s(){separators}{comment}{quotes}\ufeff]"
    text = rf"{quotes}[^{quotes}\r\n]*{quotes}|{quotes}{letter}*|" if quotes else ""
    word = rf"(?:(?!{marks}){letter})+" if marks else rf"{letter}+"
    token = rf"[()]|{text}{marks or '(?!)'}|{word}"
    return re.compile(rf"[\s{separators}\ufeff]+|{comment}[^\r\n]*|(?P<token>{token})")


def tokenize(source: Source, lexicon: Lexicon, most: int | None = None) -> list[Token]:
    """The parentheses and atoms of a text, in order; no more than `most`."""
    tokens = (
        Token(match["token"], Span(*match.span()))
        for match in _pattern(lexicon).finditer(source.text)
        if match.lastgroup
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
    """Diagnostics of parentheses that do not match or are nested too deeply.

    Args:
        source: The text with the parentheses.
        tokens: The tokens of the text.
        nesting: The same tokens as nested forms.
        severity: How severe unmatched parentheses are; too deep ones are always an error.
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


def _guess(source: Source, offsets: Sequence[int], error: str) -> str:
    """A hint at the line where the indentation suggests an error; empty without offsets."""
    if not offsets:
        return ""
    line, _ = source.position(offsets[0])
    return f"Judging by the indentation, {error} at the end of line {line}."


class _Opening(NamedTuple):
    """An open parenthesis, its line and its indentation."""

    offset: int
    line: int
    margin: int
    """The contents of the parentheses are expected to the right of this column."""


def suspects(
    source: Source, tokens: Sequence[Token], single: bool
) -> list[tuple[int, Literal["close", "remove"]]]:
    """The offsets where the indentation contradicts the parentheses, and the change that helps.

    Args:
        source: The text with the parentheses.
        tokens: The tokens of the text.
        single: Whether the text is a single form, so that it ends with the text.
    """
    places = [source.position(token.span.start) for token in tokens]
    changes: list[tuple[int, Literal["close", "remove"]]] = []
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
                    changes.append((tokens[index - 1].span.end, "close"))
            for closing, opening in closed:
                if column > opening.margin:
                    changes.append((closing.span.start, "remove"))
        if first:
            closed.clear()
        if token.text == "(":
            hanging = _hangs(tokens, places, index)
            stack.append(_Opening(token.span.start, line, indent if hanging else column))
        elif token.text == ")" and stack:
            opening = stack.pop()
            if opening.line != line:
                closed.append((token, opening))
    return changes


def _hangs(tokens: Sequence[Token], places: Sequence[tuple[int, int]], index: int) -> bool:
    """Whether only words and opening parentheses follow on the line, as in ``(do (``."""
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
        item = stack.pop()
        if isinstance(item, Atom):
            yield item
        else:
            stack.extend(reversed(item.items))


def forms(node: Node) -> Iterator[Form]:
    """All forms within a form, itself first, without recursion."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Form):
            yield item
            stack.extend(reversed(item.items))
