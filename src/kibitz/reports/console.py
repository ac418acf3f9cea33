"""Documents for a console of any width, with or without colours."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kibitz.reports.document import (
    Command,
    DataTable,
    Document,
    Mark,
    Outline,
    Paragraph,
    Point,
    Section,
    Sentence,
    Sentences,
    Verdict,
    Verdicts,
)

STYLES = {Mark.GOOD: "green", Mark.LOOK: "bold yellow", Mark.UNKNOWN: "dim"}


def render(document: Document, full: bool = True) -> RenderableType:
    """The document for a rich console, without plots and transcripts.

    Args:
        full: whether sections of details are shown.
    """
    blocks: list[RenderableType] = [Text(document.headline, style="bold")]
    blocks += [Text(line, style="dim") for line in document.about]
    for section in document.sections:
        if section.is_detail and not full:
            continue
        if shown := list(_blocks(section)):
            blocks += ["", *([Text(section.title, style="bold")] if section.title else []), *shown]
    if document.footer:
        blocks.append("")
    for line in document.footer:
        blocks.append(_command(line) if isinstance(line, Command) else Text(line, style="dim"))
    return Group(*blocks)


def _blocks(section: Section) -> Iterator[RenderableType]:
    """The blocks of a section that a console shows, with an empty line before later tables."""
    before = False
    for block in section.blocks:
        match block:
            case Verdicts():
                yield _verdicts(block.items)
            case Sentences():
                yield bullets(block.items)
            case Outline(points=points):
                yield Group(*_points(points))
            case DataTable():
                if before:
                    yield ""
                yield ConsoleTable(block)
            case Paragraph():
                yield Text(block.text, "yellow" if block.urgent else "dim" if block.faint else "")
            case Command():
                yield _command(block)
            case _:
                continue
        before = True


def _verdicts(verdicts: tuple[Verdict, ...]) -> RenderableType:
    """A line for each question: its mark in words, and its answer."""
    grid = Table.grid(padding=(0, 2))
    for question, mark, text in verdicts:
        style = STYLES[mark]
        grid.add_row(Text(question, style="bold"), Text(mark.value, style=style), Text(text))
    return grid


def bullets(sentences: tuple[Sentence, ...]) -> RenderableType:
    """A list of findings, in which ``!`` marks those that need attention."""
    grid = Table.grid(padding=(0, 1))
    for text, urgent in sentences:
        mark = Text("!" if urgent else "•")
        grid.add_row(mark, Text(text), style="bold yellow" if urgent else "")
    return grid


def _points(points: tuple[Point, ...], depth: int = 0) -> Iterator[RenderableType]:
    """The sentences of an outline, each indented by its depth."""
    for point in points:
        grid = Table.grid(padding=(0, 1))
        grid.add_row(Text("•"), Text(point.text))
        yield Padding(grid, (0, 0, 0, 2 * depth))
        yield from _points(point.points, depth + 1)


def _command(command: Command) -> Text:
    """A command on its own line, which is not wrapped, so that it can be copied."""
    title = f"{command.title}: " if command.title else ""
    style = "yellow" if command.urgent else "dim"
    return Text(f"  {title}{command.line}", style, no_wrap=True, overflow="ignore")


class ConsoleTable:
    """A table that puts intervals on their own lines if it is too wide otherwise."""

    def __init__(self, table: DataTable) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the rich table that fits into the console."""
        lines = (self.table.columns, *self.table.rows)
        numbers = [max(map(cell_len, column)) for column in zip(*lines, strict=True)][1:]
        word = max(cell_len(word) for first, *_ in lines for word in first.split() or [""])
        is_wide = word + sum(numbers) + 2 * len(numbers) > options.max_width
        shown = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        shown.add_column(self.table.columns[0], overflow="fold")
        for column in self.table.columns[1:]:
            shown.add_column(column, justify="right", no_wrap=True)
        for first, *cells in self.table.rows:
            shown.add_row(
                Text(first),
                *(Text(cell.replace(" (", "\n(") if is_wide else cell) for cell in cells),
            )
        yield shown
