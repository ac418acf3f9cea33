"""Common parts of all charts: the style, and a chart with its caption.

They are drawn by Altair and need the extra ``kibitz[plots]``. Nothing is told by colour alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import MissingExtraError

if TYPE_CHECKING:
    import altair

WIDTH, HEIGHT = 390, 170
"""Of the drawing area, in pixels: on a telephone the whole of it fits, with labels to be read."""
PADDING = {"left": 24, "right": 12, "top": 6, "bottom": 6}
"""Around it: where another font is used than was measured, labels are longer."""
SCALES = 0.62, 1.25
"""How much smaller and larger than drawn a drawing is on a page: its letters are to be read."""
MOST_LABEL = 150
"""Pixels for the name of an agent."""

INK, FAINT, LINES = "#1f2328", "#59636e", "#d1d9e0"
FIRST, SECOND = "#0969a8", "#c2570c"
"""Text, small text and lines; and two colours that all eyes tell apart, on paper, too."""

VARIABLES = {
    INK: "--ink",
    FAINT: "--faint",
    LINES: "--lines",
    FIRST: "--first",
    SECOND: "--second",
}
"""Colours of drawings, and what the page calls them, by day and by night."""


@dataclass(frozen=True)
class Plot:
    """A chart with its caption.

    Attributes:
        name: of a file that it is written to.
        title: what it shows.
        caption: how to read it, in a sentence or two.
        chart: the drawing.
        columns: the headings of the table behind it.
        rows: its rows.
    """

    name: str
    title: str
    caption: str
    chart: altair.TopLevelMixin
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def svg(self) -> str:
        """The drawing as SVG."""
        import vl_convert

        return str(vl_convert.vegalite_to_svg(self.chart.to_dict()))

    def png(self, scale: float = 2.0) -> bytes:
        """The drawing as PNG, with so many pixels for each of its own."""
        import vl_convert

        return bytes(vl_convert.vegalite_to_png(self.chart.to_dict(), scale=scale))


def require_plots() -> None:
    """Checks that the packages for plots and pages are installed.

    Raises:
        MissingExtraError: it is not.
    """
    missing = [name for name in ("altair", "jinja2", "vl_convert") if find_spec(name) is None]
    if missing:
        raise MissingExtraError("Plots and pages", "plots")


def chart_of(values: list[dict[str, Any]]) -> altair.Chart:
    """A chart of rows of values by name, which it carries with it."""
    import altair as alt

    data: Any = alt.Data
    return alt.Chart(data(values=values))


def styled(chart: Any, width: int = WIDTH, height: int = HEIGHT) -> altair.TopLevelMixin:
    """A chart in the common style and size."""
    return dressed(chart.properties(width=width, height=height))


def dressed(chart: Any) -> altair.TopLevelMixin:
    """A chart, or panels of charts with sizes of their own, in the common style."""
    found: altair.TopLevelMixin = (
        chart.properties(padding=PADDING)
        .configure(
            font="Arial, 'Liberation Sans', Helvetica, sans-serif",
            background="transparent",
        )
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=FAINT,
            titleColor=FAINT,
            labelFontSize=13,
            titleFontSize=13,
            titleFontWeight="normal",
            gridColor=LINES,
            domainColor=LINES,
            tickColor=LINES,
        )
        .configure_header(labelColor=INK, labelFontSize=13)
        .configure_legend(labelColor=INK, labelFontSize=13)
    )
    return found


def themed(svg: str, title: str) -> str:
    """A drawing in the page's colours, fitted to the room for it, and with a name."""
    for colour, name in VARIABLES.items():
        svg = svg.replace(f'"{colour}"', f'"var({name})"')

    def named(size: re.Match[str]) -> str:
        least, most = (scale * float(size[1]) for scale in SCALES)
        limits = f"min-width: {least:.0f}px; max-width: {most:.0f}px"
        return f' role="img" aria-label="{escape(title)}" style="{limits}"'

    return re.sub(r' width="([\d.]+)" height="[\d.]+"', named, svg, count=1)
