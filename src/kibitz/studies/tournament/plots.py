"""The plots of a tournament: ratings, results by pair, strength against time."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kibitz.reports.charts import (
    FAINT,
    FIRST,
    INK,
    LINES,
    MOST_LABEL,
    ROW,
    SECOND,
    TRUE_VALUE,
    WIDTH,
    Mark,
    Plot,
    chart_of,
    intervals,
    styled,
)
from kibitz.reports.document import DataTable
from kibitz.studies.tournament.curves import Curves
from kibitz.studies.tournament.ratings import Ratings
from kibitz.studies.tournament.results import TableResult, Tournament
from kibitz.studies.tournament.tables import (
    MOST_ACROSS,
    against_time,
    by_strength,
    by_table,
    crosstable,
    heading,
    luck_in_words,
    overall,
    ranking,
    ranks,
)

if TYPE_CHECKING:
    import altair

CELL = 62
"""Minimum width of a cell of the cross table, in pixels."""

LETTER = 7
"""Assumed width of a letter of a label, in pixels."""

ASIDE = 0.012
"""Distance between the marks of a budget, as a share of the axis."""

LABEL_GAP = 15
"""Distance between two labels at the ends of lines, in pixels."""

CURVES_HEIGHT = 280
"""Height of a plot of strength against time, in pixels."""

MOST_TABLES = 24
"""Maximum number of tables with plots of their own; with more only the overall plots are drawn."""

STROKES = ((FIRST, [1, 0]), (SECOND, [1, 0]), (INK, [6, 3]), (FAINT, [2, 2]), (FAINT, [8, 3]))
"""Colours and dashes of lines, the strongest agent first."""


def table_plots(tournament: Tournament, table: TableResult, number: int) -> Iterator[Plot]:
    """The plots of a table: its ratings, and the results by pair.

    Args:
        number: number of the table, from 1, for the names of files.
    """
    luck = ""
    if table.ratings.luck_interval is not None:
        words = luck_in_words(table.ratings)
        luck = f"{words[0].upper()}{words[1:]}."
    yield _ratings(
        tournament,
        table.ratings,
        f"ratings-{number}",
        heading(table),
        ranking(tournament, table),
        luck,
    )
    if 2 < len(tournament.agents) <= MOST_ACROSS:
        yield _cross(tournament, table, number)


def overall_plots(tournament: Tournament) -> Iterator[Plot]:
    """The plots of all tables together: overall ratings, and ratings by table."""
    if tournament.overall is not None:
        yield _ratings(
            tournament,
            tournament.overall,
            "overall",
            "All tables together",
            overall(tournament, tournament.overall),
            "The mean of the ratings at all tables, each of which counts the same.",
        )
        yield _by_table(tournament, tournament.overall)


def _ratings(
    tournament: Tournament,
    ratings: Ratings,
    name: str,
    title: str,
    table: DataTable,
    remark: str,
) -> Plot:
    """A plot of Elo points with intervals, the strongest agent on top."""
    marks = [
        Mark(tournament.agents[k], ratings.players[k].elo, ratings.players[k].interval)
        for k in by_strength(ratings)
    ]
    return Plot(
        name,
        title,
        f"{TRUE_VALUE} On the dashed line is the mean of the agents. {remark}".strip(),
        functools.partial(intervals, marks, "Elo points", line=0.0, label_width=2 * MOST_LABEL),
        table.columns,
        table.rows,
    )


def alpha_ranks(tournament: Tournament, table: TableResult, number: int) -> Plot:
    """A plot of the alpha-ranks at a table with their intervals."""
    marks = [
        Mark(tournament.agents[k], rank.share, rank.interval)
        for k, rank in sorted(enumerate(table.alpha_rank), key=lambda item: -item[1].share)
    ]
    shares = ranks(tournament, table)
    return Plot(
        f"alpha-rank-{number}",
        f"{heading(table)}: alpha-rank",
        "Agents beat each other in circles here, so one number does not say who is best. It is "
        "for which share of time a population plays each agent, if who does better takes over.",
        functools.partial(
            intervals, marks, "share of time", share=True, label_width=2 * MOST_LABEL
        ),
        shares.columns,
        shares.rows,
    )


def _tiles(
    values: list[dict[str, Any]], columns: list[str], rows: list[str], across: str | None
) -> altair.TopLevelMixin:
    """A table of numbers: the deeper the colour, the farther from the fair or mean value.

    Args:
        values: with ``row``, ``column``, ``text``, ``side`` (``more``, ``less``) and ``depth``,
            0 to 1.
        across: title of the columns.
    """
    import altair as alt

    base = chart_of(values).encode(
        x=alt.X(
            "column:N",
            sort=columns,
            title=across,
            axis=alt.Axis(
                orient="top", labelAngle=0, domain=False, ticks=False, labelLimit=CELL + 20
            ),
        ),
        y=alt.Y(
            "row:N",
            sort=rows,
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelLimit=2 * MOST_LABEL),
        ),
    )
    tiles = base.mark_rect(stroke=LINES, strokeWidth=1, cornerRadius=3).encode(
        color=alt.Color(
            "side:N",
            scale=alt.Scale(domain=["more", "less"], range=[FIRST, SECOND]),
            legend=None,
        ),
        fillOpacity=alt.FillOpacity(
            "depth:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.55]), legend=None
        ),
    )
    texts = base.mark_text(color=INK, fontSize=13).encode(text="text:N")
    labels = min(LETTER * max(map(len, rows)), 2 * MOST_LABEL)
    width = max(CELL * len(columns), WIDTH + 40 - labels)  # as wide as other plots
    return styled(tiles + texts, width=width, height=ROW * len(rows))


def _cross(tournament: Tournament, table: TableResult, number: int) -> Plot:
    """A plot of the share of wins of each agent against each other one."""
    order = by_strength(table.ratings)
    rows = [f"{place} {tournament.agents[k]}" for place, k in enumerate(order, start=1)]
    columns = [str(place) for place in range(1, len(order) + 1)]
    values = []
    for row, agent in zip(rows, order, strict=True):
        for column, opponent in zip(columns, order, strict=True):
            share = table.share(agent, opponent)
            if share is None:
                continue
            above = share[0] - table.fair
            values.append(
                {
                    "row": row,
                    "column": column,
                    "text": f"{100 * share[0]:.0f}",
                    "side": "more" if above >= 0 else "less",
                    "depth": above / (1 - table.fair) if above > 0 else -above / table.fair,
                }
            )
    fair = f"{100 * table.fair:.3g} %"
    wins = crosstable(tournament, table)
    return Plot(
        f"cross-{number}",
        f"{heading(table)}: who beats whom",
        f"Games won in per cent, by the agent of the row against that of the column. {fair} is "
        "even; blue is more, orange less.",
        functools.partial(_tiles, values, columns, rows, "against"),
        wins.columns,
        wins.rows,
    )


def _by_table(tournament: Tournament, ratings: Ratings) -> Plot:
    """A plot of the ratings by table and agent."""
    order = by_strength(ratings)
    tables = tournament.tables
    most = max(abs(rating.elo) for table in tables for rating in table.ratings.players)
    columns = [str(place) for place in range(1, len(order) + 1)]
    values = [
        {
            "row": table.label,
            "column": column,
            "text": f"{table.ratings.players[k].elo:+.0f}",
            "side": "more" if table.ratings.players[k].elo >= 0 else "less",
            "depth": min(1.0, abs(table.ratings.players[k].elo) / max(most, 1.0)),
        }
        for table in tables
        for column, k in zip(columns, order, strict=True)
    ]
    legend = "; ".join(f"{place} {tournament.agents[k]}" for place, k in enumerate(order, start=1))
    points = by_table(tournament)
    return Plot(
        "by-table",
        "Who is strong where",
        f"Elo points at each table: blue is above the mean of the agents, orange below. {legend}.",
        functools.partial(_tiles, values, columns, [table.label for table in tables], None),
        points.columns,
        points.rows,
    )


def curve(curves: Curves, results: tuple[TableResult, ...], number: int) -> Iterator[Plot]:
    """The plot of ratings at a table by budget, if there are several budgets.

    Args:
        results: results at the table, one for each budget.
        number: number of the table, from 1, for the names of files.
    """
    if len(curves.tournaments) < 2:
        return
    points = against_time(curves, results)
    yield Plot(
        f"time-{number}",
        f"{heading(results[0])}: strength against time",
        "A mark is the rating with that budget for a decision, the bar is where the true one "
        "lies, with 95 % confidence.",
        functools.partial(_draw_curve, curves, results),
        points.columns,
        points.rows,
    )


def _draw_curve(curves: Curves, results: tuple[TableResult, ...]) -> altair.TopLevelMixin:
    import altair as alt

    anchor = curves.anchor(results)
    order = by_strength(results[-1].ratings)
    values = []
    amounts = [budget.amount for budget in curves.budgets[: len(results)]]
    axis = amounts[-1] / amounts[0]
    for place, k in enumerate(order):
        aside = axis ** (ASIDE * (place - (len(order) - 1) / 2))
        for budget, result in zip(curves.budgets, results, strict=False):
            points, (low, high) = curves.points(result, k, anchor)
            values.append(
                {
                    "who": curves.agents[k],
                    "style": str(min(place, len(STROKES) - 1)),
                    "budget": budget.amount * aside,
                    "last": budget.amount == amounts[-1],
                    "value": points,
                    "low": low,
                    "high": high,
                }
            )
    lowest = min(value["low"] for value in values)
    highest = max(value["high"] for value in values)
    ends = [value for value in values if value["last"]]
    unit = (highest - lowest or 1.0) / CURVES_HEIGHT
    placed = _apart([float(end["value"]) for end in ends], LABEL_GAP * unit)
    right = max(end["budget"] for end in ends)
    labels = [{**end, "budget": right, "value": at} for end, at in zip(ends, placed, strict=True)]
    span = [min(lowest, *placed), max(highest, *placed)]
    scale = alt.Scale(domain=span, nice=False, zero=False)
    beside = axis ** (ASIDE * len(order) / 2 + 0.02)
    styles = [str(k) for k in range(len(STROKES))]
    base = chart_of(values).encode(
        x=alt.X(
            "budget:Q",
            scale=alt.Scale(
                type="log", domain=[amounts[0] / beside, amounts[-1] * beside], nice=False
            ),
            axis=alt.Axis(values=amounts, grid=False, format="~g"),
            title="iterations a decision"
            if curves.budgets[0].in_iterations
            else "milliseconds a decision",
        ),
        detail="who:N",
        color=alt.Color(
            "style:N",
            scale=alt.Scale(domain=styles, range=[colour for colour, _ in STROKES]),
            legend=None,
        ),
    )
    above = "the mean" if anchor is None else curves.agents[anchor]
    lines = base.mark_line(strokeWidth=2.5).encode(
        y=alt.Y("value:Q", scale=scale, title=f"Elo points above {above}"),
        strokeDash=alt.StrokeDash(
            "style:N",
            scale=alt.Scale(domain=styles, range=[dash for _, dash in STROKES]),
            legend=None,
        ),
    )
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
        y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(y="value:Q")
    names = (
        chart_of(labels)
        .mark_text(align="left", dx=10, fontSize=12, color=INK, limit=2 * MOST_LABEL)
        .encode(x="budget:Q", y=alt.Y("value:Q", scale=scale), text="who:N")
    )
    words = max(len(curves.agents[k]) for k in order)
    return styled(
        lines + bars + marks + names,
        width=max(240, WIDTH - 20 - min(LETTER * words, 2 * MOST_LABEL)),
        height=CURVES_HEIGHT,
    )


def _apart(values: Sequence[float], gap: float) -> list[float]:
    """The values, moved as little as necessary to keep a minimum distance.

    >>> _apart([0.0, 10.0, 0.5], 1.0)
    [-0.25, 10.0, 0.75]
    """
    order = sorted(range(len(values)), key=lambda k: values[k])
    groups: list[list[int]] = []  # neighbours too close to each other, spread around their mean

    def bottom(group: list[int]) -> float:
        middle = sum(values[k] for k in group) / len(group)
        return middle - gap * (len(group) - 1) / 2

    for k in order:
        groups.append([k])
        while len(groups) > 1 and bottom(groups[-1]) < bottom(groups[-2]) + gap * len(groups[-2]):
            last = groups.pop()
            groups[-1] += last
    moved = [0.0] * len(values)
    for group in groups:
        for place, k in enumerate(group):
            moved[k] = bottom(group) + gap * place
    return moved
