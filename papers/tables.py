"""The numbers of an exhibit as a table, ours beside those of the sources."""

from __future__ import annotations

from kibitz.reports import DataTable
from kibitz.reports.numbers import DASH
from papers.exhibit import Exhibit, Figure, Reference, Unit

MARKS = {True: "=", False: "≠", None: ""}
"""The mark behind a reference by whether it agrees with our number."""


def table(exhibit: Exhibit) -> DataTable:
    """The numbers of an exhibit as a table: a row each, ours beside those of the sources."""
    rows = []
    for figure in exhibit.figures:
        name = f"{figure.label}, {figure.series}" if figure.series else figure.label
        ours = shown(figure.ours, exhibit.unit, figure.interval)
        rows.append(
            (name, ours, *(_theirs(figure, source, exhibit) for source in exhibit.sources))
        )
    return DataTable((exhibit.x, "ours", *exhibit.sources), tuple(rows))


def _theirs(figure: Figure, source: str, exhibit: Exhibit) -> str:
    """The number of a source with its mark; empty if it has none."""
    for reference in figure.references:
        if reference.source == source:
            return f"{shown(reference.value, exhibit.unit)} {_mark(figure, reference)}".rstrip()
    return ""


def _mark(figure: Figure, reference: Reference) -> str:
    return MARKS[figure.agrees(reference)]


def shown(value: float, unit: Unit, interval: tuple[float, float] | None = None) -> str:
    """A number in its unit, with its interval."""
    if unit is Unit.SECONDS:
        return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
    scale, digits, sign = {
        Unit.NUMBER: (1, 2, ""),
        Unit.SHARE: (100, 1, " %"),
        Unit.GAIN: (100, 1, ""),
    }[unit]
    plus = "+" if unit is Unit.GAIN else ""
    text = f"{value * scale:{plus}.{digits}f}{sign}"
    if interval is not None and interval[0] < interval[1]:
        low, high = (f"{end * scale:{plus}.{digits}f}" for end in interval)
        text += f" ({low}{DASH}{high})" if not plus else f" ({low} to {high})"
    return text
