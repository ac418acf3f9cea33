"""Documents as Markdown, for pages of documentation."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.reports.document import (
    Command,
    DataTable,
    Document,
    Outline,
    Paragraph,
    Point,
    Section,
    Sentences,
    Verdicts,
)


def render(document: Document) -> str:
    """The document as Markdown, without plots."""
    lines = [f"## {document.title}", "", *document.about, *[""] * bool(document.about)]
    for section in document.sections:
        if shown := list(_blocks(section)):
            lines += [f"### {section.title}", ""] if section.title else []
            lines += [*shown, ""]
    for line in document.footer:
        lines.append(f"    {line.line}" if isinstance(line, Command) else line)
    return "\n".join([*lines, ""])


def _blocks(section: Section) -> Iterator[str]:
    """The lines of the blocks of a section."""
    for number, block in enumerate(section.blocks):
        match block:
            case Verdicts():
                yield from table_lines(DataTable(("", "", ""), _verdict_rows(block)))
            case Sentences():
                yield from (f"- {sentence.text}" for sentence in block.items)
            case Outline(points=points):
                yield from _points(points)
            case DataTable():
                if number:
                    yield ""
                yield from table_lines(block)
            case Paragraph():
                yield from ([""] if number else [])
                yield block.text
            case Command():
                yield from ([""] if number else [])
                yield f"    {block.line}"


def _verdict_rows(verdicts: Verdicts) -> tuple[tuple[str, ...], ...]:
    return tuple((v.question, v.mark.value, v.text) for v in verdicts.items)


def _points(points: tuple[Point, ...], depth: int = 0) -> Iterator[str]:
    """The lines of an outline."""
    for point in points:
        yield f"{'  ' * depth}- {point.text}"
        yield from _points(point.points, depth + 1)


def table_lines(table: DataTable) -> Iterator[str]:
    """The lines of a table in Markdown."""
    rule = ("---", *["---:"] * (len(table.columns) - 1))
    for cells in (table.columns, rule, *table.rows):
        yield f"| {' | '.join(cells)} |"
