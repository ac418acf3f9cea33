"""The plots of a playtest: win rates, game lengths, numbers of options, scores."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.reports.charts import (
    FIRST,
    HEIGHT,
    SECOND,
    TRUE_VALUE,
    WIDTH,
    Mark,
    Plot,
    chart_of,
    dashed,
    intervals,
    styled,
)
from kibitz.reports.numbers import mean, number, percent
from kibitz.studies.histogram import Bin
from kibitz.studies.results import Playtest
from kibitz.studies.values import OptionsAt, Performance

if TYPE_CHECKING:
    import altair

MOST_BARS, FEWEST_BARS = 60, 10
"""Bounds of the maximum number of bars, which is twice the square root of the number of values."""


def plots(playtest: Playtest) -> list[Plot]:
    """The plots of a playtest, except those that would show nothing."""
    if not playtest.finished:
        return []
    drawn = (draw(playtest) for draw in (_agents, _seats, lengths, options, scores))
    return [plot for plot in drawn if plot is not None]


# --- who wins -----------------------------------------------------------------------------


def _seats(playtest: Playtest) -> Plot | None:
    """How often each seat wins."""
    if playtest.fairness is None:
        return None
    return _win_rates(
        "seats",
        f"How often each {'team' if playtest.has_teams else 'seat'} wins",
        "The dashed line is a fair share.",
        [playtest.side_of(side) for side in playtest.rivals],
        playtest.rivals,
        playtest.fair_share,
    )


def _agents(playtest: Playtest) -> Plot | None:
    """How often each agent wins."""
    agents = playtest.agents
    if len(agents) < 2 or not playtest.sides_are_alike:
        return None
    return _win_rates(
        "agents",
        "How often each agent wins",
        "On the dashed line an agent is as strong as the others.",
        [agent.agent or "" for agent in agents],
        agents,
        playtest.fair_share,
    )


def _win_rates(
    name: str,
    title: str,
    caption: str,
    labels: Sequence[str],
    performances: Sequence[Performance],
    fair: float,
) -> Plot | None:
    pairs = list(zip(labels, performances, strict=True))
    marks = [
        Mark(label, performance.win_rate or 0.0, performance.win_interval)
        for label, performance in pairs
        if performance.win_interval is not None
    ]
    if len(marks) < 2:
        return None
    return Plot(
        name,
        title,
        f"{TRUE_VALUE} {caption}",
        functools.partial(intervals, marks, "games won", line=fair, share=True),
        ("", "games", "won"),
        tuple((label, f"{p.games:,}", percent(p.win_rate, p.win_interval)) for label, p in pairs),
    )


# --- how long -----------------------------------------------------------------------------


def lengths(playtest: Playtest) -> Plot | None:
    """How many decisions games have."""
    bins = playtest["decisions_histogram"]
    if len(bins) < 2:
        return None
    values = _bars(bins)
    middle = playtest.decisions_per_game.mean or 0.0

    def draw() -> altair.TopLevelMixin:
        return styled(_histogram(values, "decisions in a game", "games") + dashed(middle, "x"))

    return Plot(
        "length",
        "How long games are",
        f"How many games have that many decisions. The dashed line is the mean, {number(middle)}.",
        draw,
        ("decisions", "games"),
        _bin_rows(values),
    )


# --- how much to choose from --------------------------------------------------------------


def options(playtest: Playtest) -> Plot | None:
    """How many options there are over the course of a game."""
    actions = [at for at in playtest.options_at if at.games >= max(2, playtest.finished // 20)]
    if len(actions) < 3:
        return None
    return Plot(
        "options",
        "How much there is to choose from",
        "The mean number of options at each action of a game; the band is one standard deviation "
        "wide to both sides. An action without a choice counts as one option. The line ends where "
        "19 of 20 games are over.",
        functools.partial(_draw_options, actions),
        ("action", "games", "options", "spread"),
        tuple((str(at.action), f"{at.games:,}", number(at.mean), number(at.sd)) for at in actions),
    )


def _draw_options(actions: Sequence[OptionsAt]) -> altair.TopLevelMixin:
    import altair as alt

    values = [
        {
            "action": at.action,
            "options": at.mean,
            "low": max(1.0, at.mean - (at.sd or 0.0)),
            "high": at.mean + (at.sd or 0.0),
        }
        for at in actions
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
    return styled(band + line)


# --- scores -------------------------------------------------------------------------------


def scores(playtest: Playtest) -> Plot | None:
    """The scores at the end."""
    histograms = playtest["scores_histogram"]
    bins = [bar for group in histograms.values() for bar in group]
    if len({bar.low for bar in bins}) < 2:
        return None
    names = {"first": "first place", "others": "all others"}
    groups = {names[who]: group for who, group in histograms.items() if group}
    return Plot(
        "scores",
        "How many points players end with",
        "Those in the first place above, all others below.",
        functools.partial(_draw_scores, groups, _width_of(bins)),
        ("", "mean", "least", "most"),
        tuple(
            (f"seat {seat.seat}", mean(seat.score), number(seat.score.min), number(seat.score.max))
            for seat in playtest.seats
        ),
    )


def _draw_scores(groups: dict[str, Sequence[Bin]], width: float) -> altair.TopLevelMixin:
    import altair as alt

    values = [{"who": who, **bar} for who, group in groups.items() for bar in _bars(group, width)]
    chart = _histogram(values, "points at the end", "players").encode(
        color=alt.Color(
            "who:N",
            scale=alt.Scale(domain=list(groups), range=[FIRST, SECOND][: len(groups)]),
            legend=None,
        ),
        row=alt.Row(
            "who:N",
            sort=list(groups),
            title=None,
            header=alt.Header(labelAngle=0, labelAlign="left"),
        ),
    )
    return styled(chart, width=WIDTH - 60, height=HEIGHT // 2)


# --- drawing ------------------------------------------------------------------------------


def _bars(bins: Sequence[Bin], width: float | None = None) -> list[dict[str, Any]]:
    """The bars of a histogram: bins, joined to the given or a legible width."""
    if width is None:
        width = _width_of(bins)
    joined: dict[float, int] = {}
    for bar in bins:
        low = bar.low // width * width
        joined[low] = joined.get(low, 0) + bar.count
    return [
        {"low": low, "high": low + width, "count": count} for low, count in sorted(joined.items())
    ]


def _width_of(bins: Sequence[Bin]) -> float:
    """The width of the bars: a multiple of a bin's at which they are few enough."""
    width = min(bar.high - bar.low for bar in bins)
    low, high = min(bar.low for bar in bins), max(bar.high for bar in bins)
    most = min(MOST_BARS, max(FEWEST_BARS, 2 * math.sqrt(sum(bar.count for bar in bins))))
    while (high - low) / width > most:
        width *= 2
    return width


def _histogram(values: list[dict[str, Any]], x_title: str, y_title: str) -> Any:
    import altair as alt

    is_unit_wide = all(value["high"] - value["low"] == 1 for value in values)
    shift = 0.5 if is_unit_wide else 0.0  # a bar of width 1 stands over its number
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
