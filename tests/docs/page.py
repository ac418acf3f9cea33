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

PAGE = Path(__file__).parents[2] / "docs" / "recycle.md"

_FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.S | re.M)
_TIMES = re.compile(
    r"in [0-9.,]+ m?s: about [0-9.,]+ a second"
    r"|thinks [0-9.,]+ (?:µs|ms|s) for a decision"
)
_COMMAND = re.compile(r"^\$ (kibitz .*)\n((?:(?!\$ ).*\n)*)", re.M)
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Fenced:
    """A fenced block: its language, the words behind that, the text, where it begins."""

    language: str
    words: tuple[str, ...]
    text: str
    start: int
    line: int

    @property
    def file(self) -> str:
        """The file that it is or changes; empty if it is none."""
        return next((word for word in self.words if word.endswith(".rcy")), "")


@dataclass(frozen=True)
class Command:
    """A command, what the page says it prints, and the files that there are by then."""

    words: tuple[str, ...]
    output: str
    files: tuple[tuple[str, str], ...]
    start: int
    """Where in the page the output begins,"""
    end: int
    """and where it ends."""


@dataclass(frozen=True)
class Row:
    """A row of a table that has examples: what stands in the cells, by the table's head."""

    cells: dict[str, str]
    line: int

    def code(self, column: str) -> str:
        """The code in a cell; empty if there is none."""
        found = _CODE.findall(self.cells.get(column, ""))
        return found[0] if found else ""


def blocks(text: str) -> list[Fenced]:
    """All fenced blocks of a page."""
    return [
        Fenced(
            found[1],
            tuple(found[2].split()),
            found[3],
            found.start(3),
            text.count("\n", 0, found.start()) + 1,
        )
        for found in _FENCE.finditer(text)
    ]


def files(text: str) -> Iterator[tuple[Fenced, dict[str, str]]]:
    """Each block, and the files that there are after it.

    A block that names a file is the file, or, if it holds no game, its forms take the places of
    those in the file that begin with the same word.
    """
    there: dict[str, str] = {}
    for block in blocks(text):
        if block.language == "recycle" and block.file:
            whole = re.search(r"^\(game\b", block.text, re.M)
            there[block.file] = block.text if whole else changed(there[block.file], block.text)
        yield block, dict(there)


def changed(game: str, forms: str) -> str:
    """A game in which other forms stand in the places of those with the same first word.

    A leading comment becomes the file's; a form whose word the game does not have stands first.
    """
    for new in reversed(read(Source("page", forms), LEXICON).forms):
        root = next(f for f in read(Source("page", game), LEXICON).forms if isinstance(f, Form))
        piece = forms[new.span.start : new.span.end]
        assert isinstance(new, Form)
        old = [f for f in root.items if isinstance(f, Form) and f.head == new.head]
        if old and new.head != "declare":
            game = game[: old[0].span.start] + piece + game[old[0].span.end :]
        else:
            at = root.items[0].span.end
            game = f"{game[:at]}\n  {piece}{game[at:]}"
    comment = re.match(r"(;[^\n]*\n)+", forms)
    if comment:
        game = comment[0] + game[game.index("(game") :]
    return game


def commands(text: str) -> Iterator[Command]:
    """All commands of the page, in order."""
    for block, there in files(text):
        if block.language != "console":
            continue
        for found in _COMMAND.finditer(block.text):
            start, end = (block.start + offset for offset in found.span(2))
            words = tuple(shlex.split(found[1]))[1:]
            yield Command(words, found[2], tuple(there.items()), start, end)


def run(command: Command, folder: Path) -> str:
    """What a command prints, run in a folder: to standard output, or, failing, as an error."""
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
    """An output without what is different each time, and without what nobody sees."""
    return tidy(_TIMES.sub("in no time", output))


def agrees(printed: str, shown: str) -> bool:
    """Whether this is what is printed; a line of three dots stands for any number of lines."""
    parts = re.split(r"^ *\.\.\.$\n?", plain(shown), flags=re.M)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, plain(printed)) is not None


def rows(text: str, *columns: str) -> list[Row]:
    """The rows of all tables that have these columns."""
    found = []
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
            found.append(Row(dict(zip(head, cells, strict=True)), number))
    return found
