"""Reports: one document model for all results, rendered for a console, as HTML and as Markdown.

A playtest, a study, a comparison, a ladder, a tournament, a tuning and a training each build a
:class:`Document` of sentences, tables, plots, commands and games to look at. How these look is
decided here alone. JSON and CSV carry values rather than words, so they are made of the results
themselves.
"""

from kibitz.reports.document import (
    Command,
    DataTable,
    Document,
    Example,
    Paragraph,
    Reported,
    Section,
    Sentence,
    Sentences,
    document_of,
)

__all__ = [
    "Command",
    "DataTable",
    "Document",
    "Example",
    "Paragraph",
    "Reported",
    "Section",
    "Sentence",
    "Sentences",
    "document_of",
]
