"""The parser of RECYCLE: ``parse`` returns all diagnostics, ``program`` raises errors."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from kibitz.core.wording import MOST_QUOTED, printable
from kibitz.recycle import chance
from kibitz.recycle.header import Header, read_header
from kibitz.recycle.reading.context import MOST_DIAGNOSTICS
from kibitz.recycle.reading.dialect_a import DialectA
from kibitz.recycle.reading.dialect_b import DialectB
from kibitz.recycle.reading.foreign import report_comments, without_comments
from kibitz.recycle.reading.repair import Attempt, mended
from kibitz.recycle.reading.skeleton import Skeleton
from kibitz.recycle.tree import Program
from kibitz.recycle.words import LEXICON, MOST_LETTERS, MOST_TOKENS
from kibitz.syntax.sexpr import Token, tokenize, unreadable
from kibitz.syntax.source import Diagnostic, Severity, Source, SourceError

_WORDS_OF_A = ("comp", "initialize", "where", "each")
_WORDS_OF_B = ("do", "filter", "let", "declare", "define", "effects")

__all__ = ["Header", "parse", "program", "read_header"]


def parse(
    source: Source, players: int | None = None, values: Mapping[str, int] | None = None
) -> tuple[Program | None, list[Diagnostic]]:
    """Parses a game; returns no program if some of the diagnostics are errors.

    Args:
        source: The text of the game.
        players: The number of players; ``None`` is the number in the text.
        values: Values of parameters by name, in upper or lower case.

    Raises:
        ParameterError: The game does not allow this number of players, or it has no such
            parameter, or the parameter does not allow this value.
    """
    if problem := unreadable(source):
        return None, [problem]
    tokens = tokenize(source, LEXICON, MOST_TOKENS + 1)
    if len(tokens) > MOST_TOKENS:
        return None, [_too_long(tokens[-1])]
    if long := [token for token in tokens if _is_long(token.text)]:
        return None, [_long_word(token) for token in long[:MOST_DIAGNOSTICS]]
    tokens, comments = without_comments(source, tokens)
    dialect = _dialect(tokens)

    def reader() -> Skeleton:
        new = dialect(source, players, values)
        report_comments(new.error, comments)
        return new

    attempt = Attempt(source, tokens, reader())
    if attempt.program is None:
        attempt = mended(attempt, reader)
    diagnostics = attempt.diagnostics()
    if attempt.program is None or attempt.mended:
        return None, diagnostics
    drawn = list(chance.problems(attempt.program.items))
    return attempt.program if not drawn else None, diagnostics + drawn


def _too_long(token: Token) -> Diagnostic:
    """The error that a text has too many tokens."""
    return Diagnostic(
        Severity.ERROR,
        "too-large",
        f"There are more than {MOST_TOKENS:,} words and parentheses before this; so long a game"
        " is not read.",
        token.span,
    )


def _is_long(word: str) -> bool:
    """Whether a word is too long to be shown in a message."""
    return len(word) > MOST_LETTERS and not word.isdecimal()


def _long_word(token: Token) -> Diagnostic:
    """The error that a word is too long."""
    return Diagnostic(
        Severity.ERROR,
        "long-word",
        f"'{printable(token.text, MOST_QUOTED)}' has {len(token.text):,} letters; a word has "
        f"{MOST_LETTERS} at most.",
        token.span,
    )


def _dialect(tokens: Sequence[Token]) -> type[Skeleton]:
    """The reader of the dialect of a text, by words that only one dialect has."""
    texts = [token.text for token in tokens]
    old = sum(text in _WORDS_OF_A for text in texts)
    old += sum(pair == ("(", ")") for pair in itertools.pairwise(texts))
    for first, second, third in zip(texts, texts[1:], texts[2:], strict=False):
        old += first in ("all", "any") and second in ("player", "team") and third == ")"
    new = sum(text in _WORDS_OF_B or text.startswith("'") for text in texts)
    return DialectA if old > new else DialectB


def program(
    source: Source, players: int | None = None, values: Mapping[str, int] | None = None
) -> Program:
    """Parses a game; returns its program.

    Raises:
        SourceError: The text has errors, which the message lists.
        ParameterError: The game does not allow this number of players, or it has no such
            parameter, or the parameter does not allow this value.
    """
    parsed, diagnostics = parse(source, players, values)
    if parsed is None:
        raise SourceError(
            source,
            [diagnostic for diagnostic in diagnostics if diagnostic.is_error] or diagnostics,
        )
    return parsed
