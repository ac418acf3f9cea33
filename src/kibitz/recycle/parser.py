"""RECYCLE's texts become programs: ``parse`` for all that is wrong, ``program`` to have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kibitz.recycle.dialect_a import DialectA
from kibitz.recycle.dialect_b import DialectB
from kibitz.recycle.header import Header, read_header
from kibitz.recycle.skeleton import Skeleton
from kibitz.recycle.tree import Program
from kibitz.recycle.words import LEXICON
from kibitz.syntax.sexpr import Node, Token, arrange, complaints, tokenize, too_large
from kibitz.syntax.source import MOST_BYTES, Diagnostic, Severity, Source, SourceError

_WORDS_OF_A = ("comp", "initialize", "where", "each")
_WORDS_OF_B = ("do", "filter", "let", "declare")

__all__ = ["Header", "parse", "program", "read_header"]


def parse(
    source: Source, players: int | None = None, values: Mapping[str, int] | None = None
) -> tuple[Program | None, list[Diagnostic]]:
    """Reads a game; without a program some of the diagnostics are errors.

    Args:
        source: the text.
        players: how many play, for a game that leaves it open.
        values: parameters of the game by their names, in upper or lower case.

    Raises:
        ParameterError: the game has no such parameter, or not for this value.
    """
    if len(source.text) > MOST_BYTES:
        return None, [too_large(source)]
    tokens = tokenize(source, LEXICON)
    nesting = arrange(tokens)
    reader = _reader(tokens)(source, players, values)
    found = _elaborate(reader, nesting.forms)
    diagnostics = list(complaints(source, tokens, nesting))
    if found is not None:
        diagnostics = [replace(one, severity=Severity.WARNING) for one in diagnostics]
    return found, diagnostics + [problem.diagnostic for problem in reader.problems]


def _elaborate(reader: Skeleton, nodes: Sequence[Node]) -> Program | None:
    reader.recognise(nodes)
    return reader.game(nodes)


def _reader(tokens: Sequence[Token]) -> type[Skeleton]:
    """Which dialect it is, by the words that only one of them has."""
    old = new = 0
    for token in tokens:
        old += token.text in _WORDS_OF_A
        new += token.text in _WORDS_OF_B or token.text.startswith("'")
    return DialectA if old > new else DialectB


def program(
    source: Source, players: int | None = None, values: Mapping[str, int] | None = None
) -> Program:
    """Reads a game that is right.

    Raises:
        SourceError: it is not; the message says everything that is wrong.
        ParameterError: the game has no such parameter, or not for this value.
    """
    found, diagnostics = parse(source, players, values)
    if found is None:
        raise SourceError(source, [one for one in diagnostics if one.is_error] or diagnostics)
    return found
