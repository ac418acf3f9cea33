"""The parts of a text and the names that it uses, for editors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kibitz.syntax.source import Source, Span

MOST_SYMBOLS = 400
"""The maximum number of parts of a text that an outline lists."""
_COMMENT = re.compile(r"[ \t]*;+[ \t-]*(.*?)[ \t]*")


@dataclass(frozen=True)
class Symbol:
    """A part of a text.

    Attributes:
        name: The kind of the part or its name, in a word or two.
        detail: A description, such as the comment above the part.
        span: The place of the part in the text.
        depth: In how many other parts it is contained.
    """

    name: str
    detail: str
    span: Span
    depth: int = 0


@dataclass(frozen=True)
class Name:
    """A name that a text uses.

    Attributes:
        text: The name, as the text spells it.
        help: What the name stands for, in one line.
        word: The word of the language that introduces such a name; may be empty.
    """

    text: str
    help: str
    word: str = ""


def comment_above(source: Source, offset: int) -> str:
    """The first sentence of the comment directly above the line of an offset.

    It is empty if there is no such comment, or if other text precedes the offset on its line.
    """
    number, column = source.position(offset)
    if source.line(number)[: column - 1].strip():
        return ""
    comment = " ".join(reversed(list(_comments_above(source, number))))
    sentence = re.match(r"(.+?[.:;])(\s|$)", comment)
    return (sentence[1] if sentence else comment).rstrip(".:;")


def _comments_above(source: Source, number: int) -> Iterator[str]:
    """The comments on the lines above a line, from the last to the first."""
    for line in range(number - 1, 0, -1):
        comment = _COMMENT.fullmatch(source.line(line))
        if comment is None or comment[1].startswith("ok:"):
            return
        yield comment[1]
