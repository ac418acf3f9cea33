"""Charts: the common style, a chart with its caption, and the kinds that several reports draw.

They are drawn by Altair and need the extra ``kibitz[plots]``. No chart relies on colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import FileError, MissingExtraError

if TYPE_CHECKING:
    import altair

WIDTH, HEIGHT = 390, 170
"""The size of the drawing area in pixels, which fits on a telephone with legible labels."""
PADDING = {"left": 24, "right": 12, "top": 6, "bottom": 6}
"""The pixels around the drawing area, for labels in a font wider than the measured one."""
SCALES = 0.62, 1.25
"""The smallest and largest scale of a drawing on a page, which keep its labels legible."""
MOST_LABEL = 150
"""The most pixels for the label of a row, such as the name of an agent."""
ROW, LINE = 30, 14
"""The height in pixels of a row of marks, and of each further line of its label."""

INK, FAINT, LINES = "#1f2328", "#59636e", "#d1d9e0"
"""The colours of text, of small text and of lines."""
FIRST, SECOND = "#0969a8", "#c2570c"
"""The two colours of data, which colour-blind readers can distinguish, in print as well."""

VARIABLES = {
    INK: "--ink",
    FAINT: "--faint",
    LINES: "--lines",
    FIRST: "--first",
    SECOND: "--second",
}
"""The variable of the style sheet for each colour, so that drawings follow light and dark."""

TRUE_VALUE = "A mark is what was seen; the bar is where the true value lies, with 95 % confidence."
"""The caption that explains a chart of intervals."""


@dataclass(frozen=True)
class Plot:
    """A chart with its caption and the table of its numbers.

    Attributes:
        name: the name of its file, without the suffix.
        caption: how to read it, in a sentence or two.
        draw: makes the chart; called when a page or a file is written, so that a report on a
            console needs no drawing library.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[], altair.TopLevelMixin]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def svg(self) -> str:
        """The drawing as SVG.

        Raises:
            MissingExtraError: the packages that draw plots are not installed.
        """
        require_plots()
        import vl_convert

        return str(vl_convert.vegalite_to_svg(self.draw().to_dict()))

    def png(self, scale: float = 2.0) -> bytes:
        """The drawing as PNG, with ``scale`` pixels for each of its own.

        Raises:
            MissingExtraError: the packages that draw plots are not installed.
        """
        require_plots()
        import vl_convert

        return bytes(vl_convert.vegalite_to_png(self.draw().to_dict(), scale=scale))


def write_plots(plots: Iterable[Plot], folder: Path) -> list[Path]:
    """Writes plots into a folder, as SVG and PNG; returns the files.

    Raises:
        MissingExtraError: the packages that draw plots are not installed.
        FileError: the folder or a file cannot be written.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for plot in plots:
            for suffix, content in (("svg", plot.svg().encode()), ("png", plot.png())):
                written.append(folder / f"{plot.name}.{suffix}")
                written[-1].write_bytes(content)
    except OSError as problem:
        raise FileError(f"{folder}: {problem.strerror or problem}.") from None
    return written


def require_plots() -> None:
    """Checks that the packages for plots and pages are installed.

    Raises:
        MissingExtraError: one of them is not installed.
    """
    missing = [name for name in ("altair", "jinja2", "vl_convert") if find_spec(name) is None]
    if missing:
        raise MissingExtraError("Plots and pages", "plots")


def chart_of(values: list[dict[str, Any]]) -> altair.Chart:
    """A chart with its data: rows of values by name."""
    import altair as alt

    data: Any = alt.Data
    return alt.Chart(data(values=values))


def styled(chart: Any, width: int = WIDTH, height: int = HEIGHT) -> altair.TopLevelMixin:
    """A chart in the common style and size."""
    return dressed(chart.properties(width=width, height=height))


def dressed(chart: Any) -> altair.TopLevelMixin:
    """A chart, or panels of charts with their own sizes, in the common style."""
    styled_chart: altair.TopLevelMixin = (
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
    return styled_chart


def themed(svg: str, title: str) -> str:
    """An SVG drawing with the page's colours, limits of its width, and an accessible name."""
    for colour, name in VARIABLES.items():
        svg = svg.replace(f'"{colour}"', f'"var({name})"')

    def named(size: re.Match[str]) -> str:
        least, most = (scale * float(size[1]) for scale in SCALES)
        limits = f"min-width: {least:.0f}px; max-width: {most:.0f}px"
        return f' role="img" aria-label="{escape(title)}" style="{limits}"'

    return re.sub(r' width="([\d.]+)" height="[\d.]+"', named, svg, count=1)


@dataclass(frozen=True)
class Mark:
    """A measured value with its interval, in a row of a chart of intervals.

    Attributes:
        label: the name of the row, of one line or several.
        group: the series, which distinguishes the marks of a row.
    """

    label: str
    value: float
    interval: tuple[float, float]
    group: str = ""


def intervals(
    marks: Sequence[Mark],
    title: str,
    *,
    groups: Sequence[str] = ("",),
    line: float | None = None,
    share: bool = False,
    label_width: int = MOST_LABEL,
) -> altair.TopLevelMixin:
    """A chart of values with their intervals, a row for each label, in the given order.

    Args:
        title: the name of the values.
        groups: at most two; marks of two groups also differ in shape.
        line: the value at which a dashed line is drawn, for comparison.
        share: whether values are shares of 1, to be shown in per cent.
        label_width: the most pixels for a label.
    """
    import altair as alt

    values = [
        {
            "label": mark.label,
            "group": mark.group,
            "value": mark.value,
            "low": mark.interval[0],
            "high": mark.interval[1],
        }
        for mark in marks
    ]
    groups = [group for group in groups if any(mark.group == group for mark in marks)]
    drawn = [bound for mark in marks for bound in mark.interval]
    low, high = (end([*drawn, *([] if line is None else [line])]) for end in (min, max))
    room = 0.07 * (high - low) or 0.02
    domain = [low - room, high + room]
    if share:  # no share is below 0 or above 1, unless one is drawn there
        domain = [max(domain[0], min(low, 0.0)), min(domain[1], max(high, 1.0))]
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    legend = alt.Legend(title=None, orient="top", columnPadding=24) if len(groups) > 1 else None
    axis = alt.Axis(labelLimit=label_width, labelExpr="split(datum.label, '\\n')")
    base = chart_of(values).encode(
        y=alt.Y("label:N", sort=None, title=None, axis=axis),
        yOffset=alt.YOffset("group:N", sort=groups),
        color=alt.Color(
            "group:N",
            scale=alt.Scale(domain=groups, range=[FIRST, SECOND][: len(groups)]),
            legend=legend,
        ),
    )
    numbers = alt.Axis(tickCount=6, format="%") if share else alt.Axis(tickCount=6)
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", scale=scale, title=title, axis=numbers), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("value:Q", scale=scale),
        shape=alt.Shape(
            "group:N",
            scale=alt.Scale(domain=groups, range=["circle", "square"][: len(groups)]),
            legend=legend,
        ),
    )
    chart = bars + points
    if line is not None:
        chart = dashed(line, "x", scale) + chart
    labels = {mark.label for mark in marks}
    lines = 1 + max(label.count("\n") for label in labels)
    rows = len(labels) * (1.3 if len(groups) > 1 else 1)
    return styled(chart, height=max(70, round((ROW + LINE * (lines - 1)) * rows)))


def dashed(value: float, channel: str, scale: Any = None) -> Any:
    """A dashed line across a chart at a value of the channel ``x`` or ``y``."""
    import altair as alt

    at = {"x": alt.X, "y": alt.Y}[channel]
    options = {} if scale is None else {"scale": scale}
    rule = chart_of([{"at": value}]).mark_rule(strokeDash=[5, 4], color=INK)
    return rule.encode(**{channel: at("at:Q", **options)})
