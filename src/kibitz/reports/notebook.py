"""Results in notebooks: as a report, and as tables."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import MissingExtraError
from kibitz.reports.document import document_of
from kibitz.reports.html import render

if TYPE_CHECKING:
    import pyarrow as pa

    Rows = list[Mapping[str, Any]]


class Reported:
    """A result that shows its report in a notebook, and has its numbers as tables."""

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        raise NotImplementedError

    def __str__(self) -> str:
        """The report as the command line prints it, 100 columns wide."""
        from rich.console import Console

        from kibitz.reports import console

        out = io.StringIO()
        Console(file=out, width=100).print(console.render(document_of(self)))
        return out.getvalue().rstrip()

    def to_arrow(self) -> dict[str, pa.Table]:
        """The lists of objects in ``to_json()`` as Arrow tables, by their paths.

        >>> import kibitz
        >>> seats = kibitz.playtest("tic-tac-toe", games=100).to_arrow()["seats"]
        >>> seats.to_pandas()  # doctest: +SKIP
        """
        import pyarrow as pa

        return {path: pa.Table.from_pylist(rows) for path, rows in _row_lists(self.to_json())}

    def _repr_html_(self) -> str | None:
        """The report in a frame; ``None`` where the extra ``kibitz[plots]`` is not installed."""
        try:
            page = escape(render(document_of(self)))
        except MissingExtraError:
            return None
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 48rem; border: 0"></iframe>'


def _row_lists(document: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Rows]]:
    """The lists of objects in a JSON document by their paths, such as "parts.ladder.rungs"."""
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from _row_lists(value, f"{before}{name}.")
        elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            yield before + name, value
