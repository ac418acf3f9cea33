"""The report of a reproduction."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.authoring import counted
from kibitz.reports import (
    Command,
    Document,
    Paragraph,
    Section,
    Sentence,
    Sentences,
    document_of,
)
from papers.exhibit import TOLERANCE, Exhibit
from papers.plots import plot
from papers.reproduction import Reproduction
from papers.tables import table


@document_of.register
def document(reproduction: Reproduction) -> Document:
    """The report of a reproduction: its numbers beside those of the paper."""
    words = ["python", "-m", "papers", reproduction.paper, *["--quick"] * reproduction.quick]
    again = " ".join([*words, "--seed", str(reproduction.seed)])
    return Document(
        title=reproduction.title,
        kind="reproduction",
        headline=reproduction.title,
        about=(),
        sections=(
            Section((Sentences.of(sentences(reproduction)),)),
            *map(_section, reproduction.exhibits),
        ),
        footer=(*footer(), Command(again, "All of it again")),
        version=reproduction.version,
    )


def _section(exhibit: Exhibit) -> Section:
    """An exhibit: its numbers as a plot and as a table, notes, and the games again."""
    drawn = plot(exhibit)
    plots = () if drawn is None else (drawn,)
    remarks = (Paragraph(note, faint=True) for note in notes(exhibit))
    commands = (Command(command) for command in exhibit.commands)
    return Section(
        (Paragraph(exhibit.about), *plots, table(exhibit), *remarks, *commands),
        f"{exhibit.name}: {exhibit.title}",
        exhibit.id,
    )


def sentences(reproduction: Reproduction) -> Iterator[Sentence]:
    """Sentences on the agreement of the numbers; urgent ones need attention."""
    if reproduction.interrupted:
        stopped = f"Stopped after {counted(len(reproduction.exhibits), 'exhibit')}."
        yield Sentence(stopped, urgent=True)
    if reproduction.quick:
        yield Sentence("A tenth of the games was played, so that only large differences show.")
    yield Sentence(f"{reproduction.agreed} of {reproduction.compared} numbers agree.")
    for exhibit in reproduction.exhibits:
        agreed = list(exhibit.comparisons())
        if not all(agreed):
            differing = f"{agreed.count(False)} of {len(agreed)} differ: see there."
            yield Sentence(f"{exhibit.name}: {differing}")


def notes(exhibit: Exhibit) -> Iterator[str]:
    """Notes on an exhibit, and the reasons for differences from the paper."""
    yield from exhibit.notes
    for figure in exhibit.figures:
        if figure.reason:
            yield f"{figure.label}: {figure.reason}."


def footer() -> Iterator[str]:
    """Notes on how to read the report."""
    yield (
        f"= agrees; ≠ differs by more than {TOLERANCE:g} standard errors of the difference. "
        "In brackets: 95 % confidence."
    )
