"""Reports of results, as a console, a page and a text show them."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from kibitz.reports import console, document_of, html, markdown


def as_text(result: object, width: int = 80, **options: Any) -> str:
    """The report on a console without colours."""
    file = io.StringIO()
    plain = Console(file=file, width=width, no_color=True, force_terminal=False)
    plain.print(console.render(document_of(result, **options)), crop=False)
    return file.getvalue()


def as_page(result: object, **options: Any) -> str:
    """The report as HTML."""
    return html.render(document_of(result, **options))


def as_markdown(result: object) -> str:
    """The report as Markdown."""
    return markdown.render(document_of(result))
