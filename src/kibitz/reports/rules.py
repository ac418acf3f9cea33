"""The report of a rulebook: the rules of a game in words."""

from __future__ import annotations

from collections.abc import Sequence

import kibitz
from kibitz.reports.document import Document, Outline, Point, Section, document_of
from kibitz.syntax.rulebook import Line, Rulebook


@document_of.register
def document(rules: Rulebook) -> Document:
    """The rules as a document, a section for each chapter."""
    return Document(
        title=rules.title,
        kind="rules",
        headline=f"{rules.title}: the rules",
        about=(rules.about,) if rules.about else (),
        sections=tuple(
            Section(
                (Outline(nested(chapter.lines)),),
                chapter.title,
                chapter.title.lower().replace(" ", "-"),
            )
            for chapter in rules.chapters
        ),
        footer=(f"Source: {rules.source}",) if rules.source else (),
        version=kibitz.__version__,
    )


def nested(lines: Sequence[Line]) -> tuple[Point, ...]:
    """The sentences of a chapter, each with the deeper ones that follow it."""
    points = []
    while lines:
        first, *others = lines
        end = next((n for n, line in enumerate(others) if line.depth <= first.depth), len(others))
        points.append(Point(first.text, nested(others[:end])))
        lines = others[end:]
    return tuple(points)
