"""The learning curve of a training as a plot."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kibitz.reports.charts import FIRST, Plot, chart_of, dashed, styled
from kibitz.reports.numbers import percent

if TYPE_CHECKING:
    import altair


def curve_plot(curve: Sequence[Mapping[str, float]], title: str, fair: float) -> Plot:
    """A plot of the share of wins against ``random`` by the number of games learned from.

    Args:
        curve: at least one point, as in ``Learning.curve``.
        fair: the expected share of wins of one of several equal players.
    """
    return Plot(
        "curve",
        title,
        "The band is the 95 % interval; the dashed line is the share of one among equals.",
        functools.partial(_draw, curve, title, fair),
        ("games", "wins against random", "95 % interval"),
        tuple(
            (
                f"{point['games']:,.0f}",
                percent(point["against random"]),
                f"{percent(point['low'])} to {percent(point['high'])}",
            )
            for point in curve
        ),
    )


def _draw(curve: Sequence[Mapping[str, float]], title: str, fair: float) -> altair.TopLevelMixin:
    import altair as alt

    values = [
        {
            "games": point["games"],
            "share": 100 * point["against random"],
            "low": 100 * point["low"],
            "high": 100 * point["high"],
        }
        for point in curve
    ]
    scale = alt.Scale(domain=[0, 100])
    base = chart_of(values).encode(x=alt.X("games:Q", title="games learned from"))
    band = base.mark_area(color=FIRST, opacity=0.18).encode(
        y=alt.Y("low:Q", scale=scale, title="wins against random, %"), y2="high:Q"
    )
    line = base.mark_line(color=FIRST, strokeWidth=2).encode(y=alt.Y("share:Q", scale=scale))
    dots = base.mark_point(color=FIRST, filled=True, size=40, opacity=1).encode(
        y=alt.Y("share:Q", scale=scale)
    )
    chart = dashed(100 * fair, "y", scale) + band + line + dots
    return styled(chart.properties(title=title))
