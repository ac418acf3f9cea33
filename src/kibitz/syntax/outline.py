"""What editors show of a text beside its mistakes: its parts, and the names in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kibitz.syntax.source import Source, Span

MOST_SYMBOLS = 400
"""Parts of a text that are listed."""
_COMMENT = re.compile(r"[ \t]*;+[ \t-]*(.*?)[ \t]*")


@dataclass(frozen=True)
class Symbol:
    """A part of a text.

    Attributes:
        name: what it is, in a word or two.
        detail: more about it; the comment above it, where there is one.
        span: where it stands.
        depth: how deep in other parts it lies; 0: in none.
    """

    name: str
    detail: str
    span: Span
    depth: int = 0


@dataclass(frozen=True)
class Name:
    """A name that a text uses.

    Attributes:
        text: the name.
        help: what it stands for, in a line.
        word: the one of the language that makes it such a name; empty if there is none.
    """

    text: str
    help: str
    word: str = ""


def comment_above(source: Source, offset: int) -> str:
    """The comment on the lines just above the one where something begins; its first sentence."""
    number, column = source.position(offset)
    if source.line(number)[: column - 1].strip():
        return ""
    said = " ".join(reversed(list(_comments_above(source, number))))
    sentence = re.match(r"(.+?[.:;])(\s|$)", said)
    return (sentence[1] if sentence else said).rstrip(".:;")


def _comments_above(source: Source, number: int) -> Iterator[str]:
    for line in range(number - 1, 0, -1):
        found = _COMMENT.fullmatch(source.line(line))
        if found is None or found[1].startswith("ok:"):
            return
        yield found[1]
