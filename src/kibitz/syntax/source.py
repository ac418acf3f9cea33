"""Source texts and what is said about them.

A ``Source`` knows lines and columns; a ``Diagnostic`` is one thing to say about a piece of it,
and ``render`` says it: place, message, the line with a caret, how to mend it.
"""

from __future__ import annotations

import bisect
import enum
import functools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kibitz.core.errors import FileError

MOST_BYTES = 1_000_000
"""A longer text is not read."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_WIDTH = 99
"""Columns of a source line that are shown."""


class Span(NamedTuple):
    """A piece of a text: offsets, the second one behind the piece."""

    start: int
    end: int


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """What is in a file that may be anybody's.

    Raises:
        FileError: it cannot be read, is no regular file, or is longer than any rules are.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise FileError(f"{path}: is no regular file.")
        with Path(path).open("rb") as file:
            return checked_length(file.read(MOST_BYTES + 1), str(path))
    except OSError as problem:
        raise FileError(f"{path}: cannot be read: {problem.strerror}.") from None
    except ValueError as problem:  # a name with a zero byte
        raise FileError(f"{path!r}: cannot be read: {problem}.") from None


def checked_length(content: bytes, name: str) -> bytes:
    """What was read of a text, at most one byte more than is allowed.

    Raises:
        FileError: it is longer than any rules are.
    """
    if len(content) > MOST_BYTES:
        raise FileError(f"{name}: is longer than {MOST_BYTES:,} bytes.")
    return content


@dataclass(frozen=True)
class Source:
    """A text and the name by which people know it, usually of a file."""

    name: str
    text: str

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Source:
        """The text of a file.

        What is no UTF-8 becomes U+FFFD, which no language knows, and so is reported as what it
        is at its place.

        Raises:
            FileError: the file cannot be read, or is longer than any rules are.
        """
        content = read_bytes(path)
        return cls(str(path), content.decode("utf-8-sig", errors="replace"))

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, both from 1."""
        return self._starts[line - 1] + column - 1

    def piece(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]


class Severity(enum.Enum):
    """How bad it is."""

    ERROR = "error"
    """The text cannot be used."""
    WARNING = "warning"
    """It can, but probably does not do what it should."""
    REMARK = "remark"
    """It is worth knowing, and may be as it should."""


@dataclass(frozen=True)
class Diagnostic:
    """Something to say about a piece of a source."""

    severity: Severity
    code: str
    """What kind of problem, for programs: ``unknown-word``."""
    message: str
    """What is wrong: a sentence."""
    span: Span
    hint: str = ""
    """How to mend it; each line is shown as a line."""
    notes: tuple[tuple[Span, str], ...] = ()
    """Further places that have to do with it, such as an opening parenthesis."""

    @property
    def is_error(self) -> bool:
        """Whether the text cannot be used because of this."""
        return self.severity is Severity.ERROR


class SourceError(FileError):
    """A text cannot be used; the message shows everything that is said about it.

    Attributes:
        source: the text.
        diagnostics: what is said, errors and warnings.
    """

    def __init__(self, source: Source, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(render(one, source) for one in diagnostics))
        self.source = source
        self.diagnostics = list(diagnostics)


_COLOURS = {Severity.ERROR: "\x1b[31m", Severity.WARNING: "\x1b[33m", Severity.REMARK: "\x1b[36m"}
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def printable(text: str, most: int = 40) -> str:
    """The text fit to be printed: no control characters, and not endless."""
    clean = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
    return clean if len(clean) <= most else clean[: most - 3] + "..."


def render(diagnostic: Diagnostic, source: Source, color: bool = False) -> str:
    """The diagnostic for people: ``file:line:column``, the line, a caret, hint and notes.

    Args:
        diagnostic: what is to be said.
        source: the text that it is about.
        color: whether the terminal understands colours.
    """

    def dye(code: str, text: str) -> str:
        return f"{code}{text}{_PLAIN}" if color else text

    kind = dye(_COLOURS[diagnostic.severity], diagnostic.severity.value)
    lines = [
        f"{dye(_BOLD, place(diagnostic.span, source))}: {kind}: {diagnostic.message}"
        f" {dye(_DIM, f'[{diagnostic.code}]')}",
        *_excerpt(diagnostic.span, source),
    ]
    lines += [f"       = {line}" for line in diagnostic.hint.splitlines()]
    for span, note in diagnostic.notes:
        lines.append(f"{place(span, source)}: note: {note}")
        lines += _excerpt(span, source)
    return "\n".join(lines)


def place(span: Span, source: Source) -> str:
    """Where a span begins, as people and editors read it: ``file:line:column``."""
    line, column = source.position(span.start)
    return f"{source.name}:{line}:{column}"


def _excerpt(span: Span, source: Source) -> list[str]:
    """The line in which a span begins, and carets under as much of it as is in that line."""
    number, column = source.position(span.start)
    text = source.line(number)
    length = max(1, min(span.end - span.start, len(text) - column + 1))
    first = 0
    if column + length > _WIDTH:
        first = max(0, min(column - _WIDTH // 3, len(text) - _WIDTH))
    shown = text[first : first + _WIDTH].replace("\t", " ")
    shown = printable(shown, _WIDTH)
    length = min(length, max(1, _WIDTH - (column - 1 - first)))
    carets = " " * (column - 1 - first) + "^" * length
    return [f"{number:5} | {shown}", f"      | {carets}"]


def to_json(diagnostic: Diagnostic, source: Source) -> dict[str, Any]:
    """The diagnostic for programs; lines and columns from 1, ends behind the last letter."""
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "file": source.name,
        **_range(diagnostic.span, source),
        "notes": [{"message": note, **_range(span, source)} for span, note in diagnostic.notes],
    }


def _range(span: Span, source: Source) -> dict[str, int]:
    line, column = source.position(span.start)
    end_line, end_column = source.position(max(span.start, span.end))
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
