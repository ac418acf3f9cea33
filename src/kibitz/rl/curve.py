"""The curve of a training as a drawing; it needs ``kibitz[plots]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kibitz.playtest.charts import FIRST, INK, Plot, chart_of, require_plots, styled
from kibitz.playtest.report import percent


def curve_plot(curve: Sequence[Mapping[str, float]], title: str, fair: float) -> Plot:
    """How often a network beat ``random``, by the games that it had learned from.

    Args:
        curve: the points, one at least, as ``Learning.curve`` has them.
        title: what was learned.
        fair: what one among equals would win.

    Raises:
        MissingExtraError: what draws it is not installed.
    """
    require_plots()
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
    up = alt.Scale(domain=[0, 100])
    base = chart_of(values).encode(x=alt.X("games:Q", title="games learned from"))
    band = base.mark_area(color=FIRST, opacity=0.18).encode(
        y=alt.Y("low:Q", scale=up, title="wins against random, %"), y2="high:Q"
    )
    line = base.mark_line(color=FIRST, strokeWidth=2).encode(y=alt.Y("share:Q", scale=up))
    dots = base.mark_point(color=FIRST, filled=True, size=40, opacity=1).encode(
        y=alt.Y("share:Q", scale=up)
    )
    level = chart_of([{"fair": 100 * fair}]).mark_rule(strokeDash=[5, 4], color=INK)
    chart = level.encode(y=alt.Y("fair:Q", scale=up)) + band + line + dots
    return Plot(
        "curve",
        title,
        "The band is the 95 % interval; the dashed line is the share of one among equals.",
        styled(chart.properties(title=title)),
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


__all__ = ["curve_plot"]
