"""Reports in notebooks."""

from __future__ import annotations

from html import escape

from kibitz.core.errors import MissingExtraError
from kibitz.reports.document import document_of
from kibitz.reports.html import render


class Reported:
    """A result that shows its report in a notebook."""

    def _repr_html_(self) -> str | None:
        """The report in a frame; ``None`` where the extra ``kibitz[plots]`` is not installed."""
        try:
            page = escape(render(document_of(self)))
        except MissingExtraError:
            return None
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 48rem; border: 0"></iframe>'
