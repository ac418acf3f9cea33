"""Plots of exhibits: the numbers of a paper beside ours."""

from __future__ import annotations

import functools
from typing import Any

from kibitz.reports.charts import (
    FAINT,
    FIRST,
    HEIGHT,
    INK,
    MOST_LABEL,
    SECOND,
    Plot,
    chart_of,
    dressed,
    styled,
)
from papers.exhibit import Exhibit, Layout, Unit
from papers.tables import table

PANELS = 500
"""Width of all panels side by side, in pixels."""

COLOURS = (FIRST, SECOND, FAINT, "#7a3e9d", "#2f7d4f")
"""Colours of lines or groups of bars, which also differ by dash or panel."""


def plot(exhibit: Exhibit) -> Plot | None:
    """The plot of an exhibit; ``None`` if it has only a table."""
    if exhibit.layout is Layout.TABLE or len(exhibit.figures) < 2:
        return None
    draw = _lines if exhibit.layout is Layout.LINES else _bars
    numbers = table(exhibit)
    return Plot(
        exhibit.id,
        f"{exhibit.name}: {exhibit.title}",
        exhibit.about,
        functools.partial(draw, exhibit),
        numbers.columns,
        numbers.rows,
    )


def _values(exhibit: Exhibit) -> list[dict[str, Any]]:
    """A row for each number of ours, with its interval."""
    rows = []
    for figure in exhibit.figures:
        low, high = figure.interval or (figure.ours, figure.ours)
        rows.append(
            {
                "label": figure.label,
                "series": figure.series,
                "value": figure.ours,
                "low": low,
                "high": high,
            }
        )
    return rows


def _references(exhibit: Exhibit) -> list[dict[str, Any]]:
    """A row for each number of others."""
    return [
        {
            "label": figure.label,
            "series": figure.series,
            "value": reference.value,
            "source": reference.source,
        }
        for figure in exhibit.figures
        for reference in figure.references
    ]


def _axes(exhibit: Exhibit) -> tuple[Any, Any]:
    import altair as alt

    form = {Unit.SHARE: "%", Unit.GAIN: "+%"}.get(exhibit.unit, "")
    labels = list(dict.fromkeys(figure.label for figure in exhibit.figures))
    x = alt.X(
        "label:N",
        sort=labels,
        title=exhibit.x or None,
        axis=alt.Axis(labelAngle=0, labelLimit=MOST_LABEL, grid=False),
    )
    axis = alt.Axis(format=form, tickCount=5) if form else alt.Axis(tickCount=5)
    return x, alt.Y(
        "value:Q", title=exhibit.y, axis=axis, scale=alt.Scale(zero=_from_zero(exhibit))
    )


def _from_zero(exhibit: Exhibit) -> bool:
    """Whether the axis begins at 0, as the lengths of bars need it."""
    return exhibit.layout is Layout.BARS


def _lines(exhibit: Exhibit) -> Any:
    """A line for each series, the paper's numbers as open circles."""
    import altair as alt

    x, y = _axes(exhibit)
    names = list(dict.fromkeys(figure.series for figure in exhibit.figures))
    scale = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    legend = alt.Legend(title=None, orient="top") if len(names) > 1 else None
    colour = alt.Color("series:N", scale=scale, legend=legend)
    dashes = alt.Scale(domain=names, range=[[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4]])
    dash = alt.StrokeDash("series:N", scale=dashes, legend=legend)
    ours = chart_of(_values(exhibit)).encode(x=x, color=colour)
    line = ours.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash)
    bars = ours.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q"), y2="high:Q")
    layers = line + bars
    if exhibit.sources:
        layers += _shapes(exhibit, chart_of(_references(exhibit)).encode(x=x))
    return styled(layers)


def _bars(exhibit: Exhibit) -> Any:
    """A panel for each series, a bar for each number, the paper's as marks."""
    import altair as alt

    x, y = _axes(exhibit)
    names = list(dict.fromkeys(figure.series for figure in exhibit.figures))
    ours = chart_of([*_values(exhibit), *_references(exhibit)])
    base = ours.encode(x=x)
    known = "isValid(datum.low)"
    bars = base.transform_filter(known).mark_bar(color=FIRST, size=26, opacity=0.85).encode(y=y)
    error = base.transform_filter(known).mark_rule(color=INK, strokeWidth=1.5)
    layers = bars + error.encode(y=alt.Y("low:Q"), y2="high:Q")
    if exhibit.sources:
        layers += _shapes(exhibit, base.transform_filter("isValid(datum.source)"))
    if len(names) == 1:
        return styled(layers)
    layers.width, layers.height = PANELS // len(names), HEIGHT
    return dressed(layers.facet(column=alt.Column("series:N", sort=names, title=None)))


def _shapes(exhibit: Exhibit, base: Any) -> Any:
    """The numbers of others, as shapes without an interval."""
    import altair as alt

    shapes = ["circle", "diamond", "square"][: len(exhibit.sources)]
    shape = alt.Shape(
        "source:N",
        scale=alt.Scale(domain=exhibit.sources, range=shapes),
        legend=alt.Legend(title=None, orient="top"),
    )
    return base.mark_point(filled=False, size=90, color=INK, strokeWidth=1.6, opacity=1).encode(
        y=alt.Y("value:Q"), shape=shape
    )
