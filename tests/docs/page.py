"""Parses a page of the documentation: files, commands with their output, tables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from kibitz.cli import app
from kibitz.recycle.words import LEXICON
from kibitz.syntax.sexpr import Form, read
from kibitz.syntax.source import Source

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "recycle.md"
TUTORIAL = DOCS / "recycle-tutorial.md"
COMPACT = DOCS / "recycle-compact.md"
CARD = DOCS / "recycle-card.md"

_FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.S | re.M)
_TIMES = re.compile(
    r"in [0-9.,]+ m?s: about [0-9.,]+ a second"
    r"|thinks [0-9.,]+ (?:µs|ms|s) for a decision"
)
_COMMAND = re.compile(r"^\$ (kibitz .*)\n((?:(?!\$ ).*\n)*)", re.M)
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Fenced:
    """A fenced block: its language, the words after that, its text and its place on the page."""

    language: str
    words: tuple[str, ...]
    text: str
    start: int
    line: int

    @property
    def file(self) -> str:
        """The name of the file that the block contains or changes, or an empty text."""
        return next((word for word in self.words if word.endswith(".rcy")), "")


@dataclass(frozen=True)
class Command:
    """A command, its output according to the page, and the files that exist before it runs."""

    words: tuple[str, ...]
    output: str
    files: tuple[tuple[str, str], ...]
    start: int
    """The offset in the page at which the output begins."""
    end: int
    """The offset in the page at which the output ends."""


@dataclass(frozen=True)
class Row:
    """A row of a table with examples: the text of its cells by column title."""

    cells: dict[str, str]
    line: int

    def code(self, column: str) -> str:
        """The first code in a cell, or an empty text."""
        snippets = _CODE.findall(self.cells.get(column, ""))
        return snippets[0] if snippets else ""


def blocks(text: str) -> list[Fenced]:
    """All fenced blocks of a page."""
    return [
        Fenced(
            match[1],
            tuple(match[2].split()),
            match[3],
            match.start(3),
            text.count("\n", 0, match.start()) + 1,
        )
        for match in _FENCE.finditer(text)
    ]


def files(text: str) -> Iterator[tuple[Fenced, dict[str, str]]]:
    """Each block, and the contents of all files after it.

    A block that names a file has its contents. If it contains no complete game, its forms
    replace those in the file that begin with the same word.
    """
    contents: dict[str, str] = {}
    for block in blocks(text):
        if block.language == "recycle" and block.file:
            complete = re.search(r"^\(game\b", block.text, re.M)
            contents[block.file] = (
                block.text if complete else changed(contents[block.file], block.text)
            )
        yield block, dict(contents)


def changed(game: str, forms: str) -> str:
    """A game in which `forms` replace the forms with the same first word.

    A definition replaces that of the same function. A leading comment is put in front of the
    game; a form with a new first word is put first.
    """
    for new in reversed(read(Source("page", forms), LEXICON).forms):
        root = next(f for f in read(Source("page", game), LEXICON).forms if isinstance(f, Form))
        piece = forms[new.span.start : new.span.end]
        assert isinstance(new, Form)
        old = [f for f in root.items if isinstance(f, Form) and _defines(f) == _defines(new)]
        if old and new.head != "declare":
            game = game[: old[0].span.start] + piece + game[old[0].span.end :]
        else:
            at = root.items[0].span.end
            game = f"{game[:at]}\n  {piece}{game[at:]}"
    comment = re.match(r"(;[^\n]*\n)+", forms)
    if comment:
        game = comment[0] + game[game.index("(game") :]
    return game


def _defines(form: Form) -> tuple[str, str]:
    """The first word of a form of a game, and the name of the function that it defines."""
    head = form.items[1] if form.head == "define" and len(form.items) > 1 else form
    return form.head, head.head if isinstance(head, Form) else ""


def commands(text: str) -> Iterator[Command]:
    """All commands of the page, in order."""
    for block, contents in files(text):
        if block.language != "console":
            continue
        for match in _COMMAND.finditer(block.text):
            start, end = (block.start + offset for offset in match.span(2))
            words = tuple(shlex.split(match[1]))[1:]
            yield Command(words, match[2], tuple(contents.items()), start, end)


def run(command: Command, folder: Path) -> str:
    """The output of a command that is run in a folder: standard output or, if empty, errors."""
    for name, text in command.files:
        (folder / name).write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, list(command.words), prog_name="kibitz")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout or result.stderr


def tidy(printed: str) -> str:
    """An output as a page shows it."""
    return "".join(f"{line.rstrip()}\n" for line in printed.strip().splitlines())


def plain(output: str) -> str:
    """An output without times, which differ between runs, and without invisible spaces."""
    return tidy(_TIMES.sub("in no time", output))


def agrees(printed: str, shown: str) -> bool:
    """Whether two outputs agree; a line of three dots in `shown` matches any number of lines."""
    pieces = re.split(r"^ *\.\.\.$\n?", plain(shown), flags=re.M)
    pattern = r"(?:.*\n)*?".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, plain(printed)) is not None


def rows(text: str, *columns: str) -> list[Row]:
    """The rows of all tables that have these columns."""
    matches = []
    head: list[str] = []
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        fenced ^= line.startswith("```")
        if fenced or not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not head:
            head = cells
        elif set(columns) <= set(head) and not set(line) <= set("|-: "):
            matches.append(Row(dict(zip(head, cells, strict=True)), number))
    return matches
