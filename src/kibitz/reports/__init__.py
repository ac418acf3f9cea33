"""Reports: one document model for all results, rendered for a console, as HTML and as Markdown.

A playtest, a study, a comparison, a ladder, a tournament, a tuning and a training each build a
:class:`Document` of sentences, tables, plots, commands and games to look at. Only this package
decides how these look. JSON and CSV contain values, not words, and are made from the results.
"""

from kibitz.reports.document import (
    Command,
    DataTable,
    Document,
    Example,
    Mark,
    Outline,
    Paragraph,
    Point,
    Section,
    Sentence,
    Sentences,
    Verdict,
    Verdicts,
    document_of,
)
from kibitz.reports.notebook import Reported

__all__ = [
    "Command",
    "DataTable",
    "Document",
    "Example",
    "Mark",
    "Outline",
    "Paragraph",
    "Point",
    "Reported",
    "Section",
    "Sentence",
    "Sentences",
    "Verdict",
    "Verdicts",
    "document_of",
]
