"""The plots of a playtest.

They need the extra ``kibitz[plots]``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kibitz.core.errors import FileError
from kibitz.playtest.charts import (
    FIRST,
    HEIGHT,
    INK,
    MOST_LABEL,
    SECOND,
    WIDTH,
    Plot,
    chart_of,
    require_plots,
    styled,
)
from kibitz.playtest.histogram import Bin
from kibitz.playtest.report import mean, number, percent
from kibitz.playtest.results import Playtest
from kibitz.playtest.values import Performance

MOST_BARS, FEWEST_BARS = 60, 10
"""Neighbouring bins of a histogram with more are drawn as one: few values would stand apart, so
that there are no more than twice the root of their number, or ``FEWEST_BARS``."""


def plots(playtest: Playtest) -> list[Plot]:
    """All plots in which there is something to see.

    Raises:
        MissingExtraError: what draws them is not installed.
    """
    require_plots()
    if not playtest.finished:
        return []
    drawn = (draw(playtest) for draw in (_agents, _seats, lengths, options, scores))
    return [plot for plot in drawn if plot is not None]


def write_plots(playtest: Playtest, folder: Path) -> list[Path]:
    """Writes all plots into a folder, as SVG and PNG; returns the files.

    Raises:
        MissingExtraError: what draws them is not installed.
        FileError: the folder or a file cannot be written.
    """
    return write_files(plots(playtest), folder)


def write_files(drawn: Sequence[Plot], folder: Path) -> list[Path]:
    """Writes plots into a folder, as SVG and PNG; returns the files.

    Raises:
        FileError: the folder or a file cannot be written.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for plot in drawn:
            for suffix, content in (("svg", plot.svg().encode()), ("png", plot.png())):
                written.append(folder / f"{plot.name}.{suffix}")
                written[-1].write_bytes(content)
    except OSError as problem:
        raise FileError(f"{folder}: {problem.strerror or problem}.") from None
    return written


# --- who wins -----------------------------------------------------------------------------


def _seats(playtest: Playtest) -> Plot | None:
    """How often each seat wins."""
    if playtest.fairness is None:
        return None
    return _win_rates(
        "seats",
        "How often each seat wins",
        "A dot is what was seen; the bar is where the true value lies, with 95 % confidence. The "
        "dashed line is a fair share.",
        [f"seat {seat.seat}" for seat in playtest.seats],
        playtest.seats,
        1 / playtest.players,
    )


def _agents(playtest: Playtest) -> Plot | None:
    """How often each agent wins."""
    agents = playtest.agents
    if len(agents) < 2 or playtest.is_cooperative:
        return None
    return _win_rates(
        "agents",
        "How often each agent wins",
        "A dot is what was seen; the bar is where the true value lies, with 95 % confidence. On "
        "the dashed line an agent is as strong as the others.",
        [agent.agent or "" for agent in agents],
        agents,
        1 / playtest.players,
    )


def _win_rates(
    name: str,
    title: str,
    caption: str,
    labels: Sequence[str],
    performances: Sequence[Performance],
    fair: float,
) -> Plot | None:
    import altair as alt

    intervals = [one.win_interval for one in performances if one.win_interval is not None]
    if len(intervals) < 2:
        return None
    low = min(fair, *(interval[0] for interval in intervals))
    high = max(fair, *(interval[1] for interval in intervals))
    values = [
        {"who": label, "rate": one.win_rate, "low": interval[0], "high": interval[1]}
        for label, one, interval in zip(labels, performances, intervals, strict=True)
    ]
    room = max(0.02, 0.08 * (high - low))
    domain = [max(0.0, low - room), min(1.0, high + room)]
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    who = alt.Y("who:N", sort=None, title=None, axis=alt.Axis(labelLimit=MOST_LABEL))
    base = chart_of(values).encode(y=who)
    share = alt.Axis(format="%", tickCount=6)
    bars = base.mark_rule(strokeWidth=3, color=FIRST).encode(
        x=alt.X("low:Q", scale=scale, title="games won", axis=share), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=90, color=FIRST, opacity=1).encode(
        x=alt.X("rate:Q", scale=scale)
    )
    line = (
        chart_of([{"fair": fair}])
        .mark_rule(strokeDash=[5, 4], color=INK)
        .encode(x=alt.X("fair:Q", scale=scale))
    )
    rows = tuple(
        (label, f"{one.games:,}", percent(one.win_rate, one.win_interval))
        for label, one in zip(labels, performances, strict=True)
    )
    return Plot(
        name,
        title,
        caption,
        styled(line + bars + dots, height=max(60, 34 * len(values))),
        ("", "games", "won"),
        rows,
    )


# --- how long -----------------------------------------------------------------------------


def lengths(playtest: Playtest) -> Plot | None:
    """How many decisions games have."""
    bins = playtest["decisions_histogram"]
    if len(bins) < 2:
        return None
    values = _bars(bins)
    bars = _histogram(values, "decisions in a game", "games")
    middle = playtest.decisions_per_game.mean
    line = chart_of([{"mean": middle}]).mark_rule(strokeDash=[5, 4], color=INK).encode(x="mean:Q")
    return Plot(
        "length",
        "How long games are",
        f"How many games have so many decisions. The dashed line is the mean, {number(middle)}.",
        styled(bars + line),
        ("decisions", "games"),
        _bin_rows(values),
    )


# --- how much to choose from --------------------------------------------------------------


def options(playtest: Playtest) -> Plot | None:
    """How many options there are over the course of a game."""
    import altair as alt

    found = [at for at in playtest.options_at if at.games >= max(2, playtest.finished // 20)]
    if len(found) < 3:
        return None
    values = [
        {
            "action": at.action,
            "options": at.mean,
            "low": max(1.0, at.mean - (at.sd or 0.0)),
            "high": at.mean + (at.sd or 0.0),
        }
        for at in found
    ]
    base = chart_of(values).encode(
        x=alt.X(
            "action:Q",
            title="action of the game",
            scale=alt.Scale(nice=False, zero=False),
            axis=alt.Axis(grid=False, tickMinStep=1),
        )
    )
    band = base.mark_area(color=FIRST, opacity=0.18).encode(
        y=alt.Y("low:Q", title="options"), y2="high:Q"
    )
    line = base.mark_line(color=FIRST, strokeWidth=2).encode(y="options:Q")
    return Plot(
        "options",
        "How much there is to choose from",
        "The mean number of options at each action of a game; the band is one standard deviation "
        "wide to both sides. An action without a choice counts as one option. The line ends where "
        "19 of 20 games are over.",
        styled(band + line),
        ("action", "games", "options", "spread"),
        tuple((str(at.action), f"{at.games:,}", number(at.mean), number(at.sd)) for at in found),
    )


# --- scores -------------------------------------------------------------------------------


def scores(playtest: Playtest) -> Plot | None:
    """The scores at the end."""
    import altair as alt

    histograms = playtest["scores_histogram"]
    bins = [one for group in histograms.values() for one in group]
    if len({one.low for one in bins}) < 2:
        return None
    names = {"first": "first place", "others": "all others"}
    shown = {names[who]: group for who, group in histograms.items() if group}
    width = _width_of(bins)
    values = [{"who": who, **bar} for who, group in shown.items() for bar in _bars(group, width)]
    chart = _histogram(values, "points at the end", "players").encode(
        color=alt.Color(
            "who:N",
            scale=alt.Scale(domain=list(shown), range=[FIRST, SECOND][: len(shown)]),
            legend=None,
        ),
        row=alt.Row(
            "who:N",
            sort=list(shown),
            title=None,
            header=alt.Header(labelAngle=0, labelAlign="left"),
        ),
    )
    middle = [
        (f"seat {seat.seat}", mean(seat.score), number(seat.score.min), number(seat.score.max))
        for seat in playtest.seats
    ]
    return Plot(
        "scores",
        "How many points players end with",
        "Those in the first place above, all others below.",
        styled(chart, width=WIDTH - 60, height=HEIGHT // 2),
        ("", "mean", "least", "most"),
        tuple(middle),
    )


# --- drawing ------------------------------------------------------------------------------


def _bars(bins: Sequence[Bin], width: float | None = None) -> list[dict[str, Any]]:
    """Bins as bars, no more than can be seen."""
    if width is None:
        width = _width_of(bins)
    joined: dict[float, int] = {}
    for one in bins:
        low = one.low // width * width
        joined[low] = joined.get(low, 0) + one.count
    return [
        {"low": low, "high": low + width, "count": count} for low, count in sorted(joined.items())
    ]


def _width_of(bins: Sequence[Bin]) -> float:
    """How wide bars are."""
    width = min(one.high - one.low for one in bins)
    low, high = min(one.low for one in bins), max(one.high for one in bins)
    most = min(MOST_BARS, max(FEWEST_BARS, 2 * math.sqrt(sum(one.count for one in bins))))
    while (high - low) / width > most:
        width *= 2
    return width


def _histogram(values: list[dict[str, Any]], x_title: str, y_title: str) -> Any:
    import altair as alt

    whole = all(value["high"] - value["low"] == 1 for value in values)
    shift = 0.5 if whole else 0.0  # a bar of width 1 stands over its number
    data = [
        {**value, "low": value["low"] - shift, "high": value["high"] - shift} for value in values
    ]
    return (
        chart_of(data)
        .mark_bar(color=FIRST, binSpacing=1)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title=x_title,
                axis=alt.Axis(tickMinStep=1, grid=False, format=",~f"),
                scale=alt.Scale(nice=False, zero=False),
            ),
            x2="high:Q",
            y=alt.Y(
                "count:Q",
                title=y_title,
                axis=alt.Axis(tickCount=4, format=",d", tickMinStep=1, titlePadding=12),
            ),
        )
    )


def _bin_rows(values: list[dict[str, Any]]) -> tuple[tuple[str, ...], ...]:
    rows = []
    for value in values:
        low, last = value["low"], value["high"] - 1
        span = number(low) if last <= low else f"{number(low)} to {number(last)}"
        rows.append((span, f"{value['count']:,.0f}"))
    return tuple(rows)
