"""Source texts and diagnostics.

A ``Source`` is a text with its name. A ``Diagnostic`` is a message about a span of a source;
``render`` shows its place, the message, the line with carets and how to fix it.
"""

from __future__ import annotations

import bisect
import contextlib
import enum
import functools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kibitz.core import files
from kibitz.core.errors import FileError
from kibitz.core.wording import printable

MOST_BYTES = 1_000_000
"""The maximum length of a text; a longer one is not read."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_WIDTH = 99
"""The maximum number of columns of a source line that are shown."""
_PIECE = 70
"""The maximum number of characters of a source text that are quoted within a sentence."""


class Span(NamedTuple):
    """A part of a text: the offsets of its start and of its end, which is exclusive."""

    start: int
    end: int


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Reads an untrusted file.

    Raises:
        FileError: The file cannot be read, is no regular file, or is longer than ``MOST_BYTES``.
    """
    with contextlib.suppress(OSError, ValueError):  # reading says what is wrong with the name
        if Path(path).exists() and not Path(path).is_file():
            raise FileError(f"{path}: is not a regular file.")
    return files.read_bytes(path, MOST_BYTES)


@dataclass(frozen=True)
class Source:
    """A text and its name in messages, usually the path of its file."""

    name: str
    text: str

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Source:
        """Reads a file.

        Bytes that are not UTF-8, for example in comments of old files, become U+FFFD.

        Raises:
            FileError: The file cannot be read, or is longer than ``MOST_BYTES``.
        """
        content = read_bytes(path)
        return cls(str(path), content.decode("utf-8-sig", errors="replace"))

    @functools.cached_property
    def _starts(self) -> list[int]:
        """The offsets at which the lines start."""
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

    def in_a_line(self, span: Span) -> str:
        """The line number and the text of a span: ``line 43: (== ('GAME sto ROUND) 3)``.

        Comments, from a semicolon on, are left out, and a long text is shortened.
        """
        number = self.position(span.start)[0]
        lines = (line.partition(";")[0] for line in self.piece(span).splitlines())
        words = " ".join(" ".join(lines).split())
        return f"line {number}: {words if len(words) <= _PIECE else words[: _PIECE - 1] + '…'}"


class Severity(enum.Enum):
    """The severity of a diagnostic."""

    ERROR = "error"
    """The text cannot be used."""
    WARNING = "warning"
    """The text can be used, but probably does not do what its author intended."""
    REMARK = "remark"
    """The author should know of this, but it may be intended."""


@dataclass(frozen=True)
class Diagnostic:
    """A message about a span of a source."""

    severity: Severity
    code: str
    """The kind of problem, for programs: ``unknown-word``."""
    message: str
    """A sentence that says what is wrong."""
    span: Span
    hint: str = ""
    """How to fix the problem, in one or more lines."""
    notes: tuple[tuple[Span, str], ...] = ()
    """Related places, such as an opening parenthesis, each with a sentence."""

    @property
    def is_error(self) -> bool:
        """Whether the text cannot be used because of this."""
        return self.severity is Severity.ERROR


class SourceError(FileError):
    """The error that a text cannot be used; its message shows all ``diagnostics``."""

    def __init__(self, source: Source, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(render(diagnostic, source) for diagnostic in diagnostics))
        self.source = source
        self.diagnostics = list(diagnostics)


_COLOURS = {Severity.ERROR: "\x1b[31m", Severity.WARNING: "\x1b[33m", Severity.REMARK: "\x1b[36m"}
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def render(diagnostic: Diagnostic, source: Source, color: bool = False) -> str:
    """A diagnostic as text: ``file:line:column``, message, the line with carets, hint and notes.

    Args:
        diagnostic: The message, its place and its notes.
        source: The text that the diagnostic is about.
        color: Whether to use the colours of a terminal.
    """

    def dye(code: str, text: str) -> str:
        return f"{code}{text}{_PLAIN}" if color else text

    kind = dye(_COLOURS[diagnostic.severity], diagnostic.severity.value)
    lines = [
        f"{dye(_BOLD, place(diagnostic.span, source))}: {kind}: {printable(diagnostic.message)}"
        f" {dye(_DIM, f'[{diagnostic.code}]')}",
        *_excerpt(diagnostic.span, source),
    ]
    lines += [f"       = {line}" for line in printable(diagnostic.hint).splitlines()]
    for span, note in diagnostic.notes:
        lines.append(f"{place(span, source)}: note: {printable(note)}")
        lines += _excerpt(span, source)
    return "\n".join(lines)


def place(span: Span, source: Source) -> str:
    """The start of a span as ``file:line:column``, for people."""
    line, column = source.position(span.start)
    return f"{printable(source.name)}:{line}:{column}"


def _excerpt(span: Span, source: Source) -> list[str]:
    """The line in which a span begins, with carets under the span."""
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
    """A diagnostic as JSON; lines and columns count from 1, ends are exclusive."""
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
