"""The document model: the contents of a report, independent of its rendering."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.reports.charts import Plot


class Sentence(NamedTuple):
    """A finding in words, and whether it needs the reader's attention."""

    text: str
    urgent: bool = False


@dataclass(frozen=True)
class Sentences:
    """A list of findings; urgent ones are marked."""

    items: tuple[Sentence, ...]

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Sentences:
        """Collects the sentences that a generator yields."""
        return cls(tuple(sentences))


class Mark(enum.Enum):
    """What a verdict says at a glance."""

    GOOD = "good"
    LOOK = "look here"
    UNKNOWN = "not enough games"


class Verdict(NamedTuple):
    """The answer to a question: a mark, and one plain sentence."""

    question: str
    mark: Mark
    text: str


@dataclass(frozen=True)
class Verdicts:
    """The answers to the main questions, one line each."""

    items: tuple[Verdict, ...]


@dataclass(frozen=True)
class DataTable:
    """A table of formatted values: words in the first column, numbers in the others."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Paragraph:
    """Plain text; urgent text is marked, faint text is a note."""

    text: str
    urgent: bool = False
    faint: bool = False


class Point(NamedTuple):
    """A sentence of an outline, with those that stand below it."""

    text: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Outline:
    """Sentences in order, nested as a list."""

    points: tuple[Point, ...]


@dataclass(frozen=True)
class Command:
    """A command line to copy, which is never wrapped."""

    line: str
    title: str = ""
    urgent: bool = False


@dataclass(frozen=True)
class Example:
    """A game to look at, on pages only, because a transcript is long.

    Attributes:
        transcript: replays the game and returns its moves line by line; empty if it cannot.
    """

    title: str
    summary: str
    command: str
    transcript: Callable[[], str]


Block = Verdicts | Sentences | Outline | DataTable | Paragraph | Command | Example | Plot


@dataclass(frozen=True)
class Section:
    """Blocks that belong together, with or without a heading.

    Attributes:
        name: the anchor of the section on a page.
        is_detail: whether a console leaves it out unless everything is asked for.
    """

    blocks: tuple[Block, ...]
    title: str = ""
    name: str = ""
    is_detail: bool = False


@dataclass(frozen=True)
class Document:
    """A report.

    Attributes:
        title: the heading of a page.
        kind: what is reported, such as ``playtest``; for the title of a browser's window.
        headline: the first line on a console: what was played, and how often.
        about: lines on who played, and with which settings.
        footer: notes on how to read the numbers, and the command that repeats the work.
        version: the version of Kibitz that produced the results.
    """

    title: str
    kind: str
    headline: str
    about: tuple[str, ...]
    sections: tuple[Section, ...]
    footer: tuple[str | Command, ...]
    version: str

    def plots(self) -> Iterator[Plot]:
        """All plots, in the order of the sections."""
        for section in self.sections:
            yield from (block for block in section.blocks if isinstance(block, Plot))


@functools.singledispatch
def document_of(result: object, **_: Any) -> Document:
    """The report of a result; the package of the result registers the function that builds it.

    Raises:
        TypeError: the result is not of a kind that is reported.
    """
    raise TypeError(f"{type(result).__name__} has no report.")
