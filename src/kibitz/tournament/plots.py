"""The plots of a tournament: ratings, who beats whom, strength against time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.playtest.charts import (
    FAINT,
    FIRST,
    INK,
    LINES,
    MOST_LABEL,
    SECOND,
    WIDTH,
    Plot,
    chart_of,
    require_plots,
    styled,
)
from kibitz.playtest.report import Grid
from kibitz.tournament.curves import Curves
from kibitz.tournament.ratings import Ratings
from kibitz.tournament.report import (
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
from kibitz.tournament.results import TableResult, Tournament

ROW = 30
"""Pixels of height for an agent."""
CELL = 62
"""Pixels of width for a cell of the cross table, at least."""
LETTER = 7
"""Pixels of width for a letter of a label."""
ASIDE = 0.012
"""Marks of the same budget are drawn so far apart, as a share of the axis."""
LABEL_GAP = 15
"""Pixels between two labels at the ends of lines."""
CURVES_HEIGHT = 280
MOST_TABLES = 24
"""Of more tables only those taken together are drawn; the numbers of all are there."""
STROKES = ((FIRST, [1, 0]), (SECOND, [1, 0]), (INK, [6, 3]), (FAINT, [2, 2]), (FAINT, [8, 3]))
"""Colours and dashes of lines, the strongest agent first."""


def tournament_plots(found: Tournament) -> list[Plot]:
    """All plots in which there is something to see.

    Raises:
        MissingExtraError: what draws them is not installed.
    """
    require_plots()
    return list(_all(found))


def curves_plots(found: Curves) -> list[Plot]:
    """Strength against time at each table.

    Raises:
        MissingExtraError: what draws them is not installed.
    """
    require_plots()
    if len(found.tournaments) < 2:
        return []
    return [_curve(found, table, number) for number, table in enumerate(found.tables(), start=1)]


def _all(found: Tournament) -> Iterator[Plot]:
    if found.overall is not None:
        yield _ratings(
            found.agents,
            found.overall,
            "overall",
            "All tables together",
            overall(found, found.overall),
            "The mean of the ratings at all tables, each of which counts the same.",
        )
        yield _by_table(found)
    if len(found.tables) > MOST_TABLES:
        return
    for number, table in enumerate(found.tables, start=1):
        yield _ratings(
            found.agents,
            table.ratings,
            f"ratings-{number}",
            heading(table),
            ranking(found, table),
            _luck(table),
        )
        if table.cycles and table.alpha_rank:
            yield _ranks(found, table, number)
        if len(found.agents) <= MOST_ACROSS and len(found.agents) > 2:
            yield _cross(found, table, number)


def _luck(table: TableResult) -> str:
    if table.ratings.luck_interval is None:
        return ""
    words = luck_in_words(table.ratings)
    return f"{words[0].upper()}{words[1:]}."


def _ratings(
    agents: Sequence[str], ratings: Ratings, name: str, title: str, grid: Grid, more: str
) -> Plot:
    """Elo points with intervals, the strongest agent on top."""
    values = [
        {
            "who": agents[k],
            "value": ratings.players[k].elo,
            "low": ratings.players[k].interval[0],
            "high": ratings.players[k].interval[1],
        }
        for k in by_strength(ratings)
    ]
    return Plot(
        name,
        title,
        "A mark is the rating, the bar is where the true one lies, with 95 % confidence. On the "
        f"dashed line is the mean of the agents. {more}".strip(),
        styled(_bars(values, "Elo points", 0.0), height=max(70, ROW * len(values))),
        grid.columns,
        grid.rows,
    )


def _bars(values: list[dict[str, Any]], title: str, line: float | None) -> Any:
    """Marks with bars, in the order of the values."""
    import altair as alt

    scale = alt.Scale(zero=False, nice=True)
    base = chart_of(values).encode(
        y=alt.Y("who:N", sort=None, title=None, axis=alt.Axis(labelLimit=2 * MOST_LABEL))
    )
    bars = base.mark_rule(strokeWidth=3, color=FIRST).encode(
        x=alt.X("low:Q", scale=scale, title=title, axis=alt.Axis(tickCount=7)), x2="high:Q"
    )
    marks = base.mark_point(filled=True, size=80, opacity=1, color=FIRST).encode(
        x=alt.X("value:Q", scale=scale)
    )
    if line is None:
        return bars + marks
    rule = chart_of([{"line": line}]).mark_rule(strokeDash=[5, 4], color=FAINT)
    return rule.encode(x=alt.X("line:Q", scale=scale)) + bars + marks


def _ranks(found: Tournament, table: TableResult, number: int) -> Plot:
    """Shares of time with their intervals."""
    order = sorted(range(len(found.agents)), key=lambda k: -table.alpha_rank[k].share)
    values = [
        {
            "who": found.agents[k],
            "value": 100 * table.alpha_rank[k].share,
            "low": 100 * table.alpha_rank[k].interval[0],
            "high": 100 * table.alpha_rank[k].interval[1],
        }
        for k in order
    ]
    grid = ranks(found, table)
    return Plot(
        f"alpha-rank-{number}",
        f"{heading(table)}: alpha-rank",
        "Agents beat each other in circles here, so one number does not say who is best. It is "
        "for which share of time a population plays each agent, if who does better takes over.",
        styled(_bars(values, "share of time, %", None), height=max(70, ROW * len(values))),
        grid.columns,
        grid.rows,
    )


def _tiles(
    values: list[dict[str, Any]], columns: list[str], rows: list[str], across: str | None
) -> Any:
    """A table of numbers: the deeper the colour, the farther from the middle.

    Args:
        values: with ``row``, ``column``, ``text``, ``side`` (``more``, ``less``) and ``depth``,
            0 to 1.
        columns: their names, from the left.
        rows: theirs, from the top.
        across: what the columns are.
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
    return tiles + base.mark_text(color=INK, fontSize=13).encode(text="text:N")


def _tiles_width(rows: Sequence[str], columns: Sequence[Any]) -> int:
    """So wide that with its labels such a table is as wide as other plots."""
    labels = min(LETTER * max(map(len, rows)), 2 * MOST_LABEL)
    return max(CELL * len(columns), WIDTH + 40 - labels)


def _cross(found: Tournament, table: TableResult, number: int) -> Plot:
    """What each agent wins against each other one."""
    order = by_strength(table.ratings)
    grid = crosstable(found, table)
    rows = [f"{place} {found.agents[k]}" for place, k in enumerate(order, start=1)]
    columns = [str(place) for place in range(1, len(order) + 1)]
    values = []
    for row, one in zip(rows, order, strict=True):
        for column, other in zip(columns, order, strict=True):
            share = table.share(one, other)
            if share is None:
                continue
            above = share[0] - table.fair
            depth = above / (1 - table.fair) if above > 0 else -above / table.fair
            values.append(
                {
                    "row": row,
                    "column": column,
                    "text": f"{100 * share[0]:.0f}",
                    "side": "more" if above >= 0 else "less",
                    "depth": depth,
                }
            )
    fair = f"{100 * table.fair:.3g} %"
    return Plot(
        f"cross-{number}",
        f"{heading(table)}: who beats whom",
        f"Games won in per cent, by the agent of the row against that of the column. {fair} is "
        "even; blue is more, orange less.",
        styled(
            _tiles(values, columns, rows, "against"),
            width=_tiles_width(rows, columns),
            height=ROW * len(rows),
        ),
        grid.columns,
        grid.rows,
    )


def _by_table(found: Tournament) -> Plot:
    """Who is strong where."""
    assert found.overall is not None
    order = by_strength(found.overall)
    names = [table.label for table in found.tables]
    most = max(abs(rating.elo) for table in found.tables for rating in table.ratings.players)
    values = [
        {
            "row": table.label,
            "column": str(place),
            "text": f"{table.ratings.players[k].elo:+.0f}",
            "side": "more" if table.ratings.players[k].elo >= 0 else "less",
            "depth": min(1.0, abs(table.ratings.players[k].elo) / max(most, 1.0)),
        }
        for table in found.tables
        for place, k in enumerate(order, start=1)
    ]
    legend = "; ".join(f"{place} {found.agents[k]}" for place, k in enumerate(order, start=1))
    grid = by_table(found)
    return Plot(
        "by-table",
        "Who is strong where",
        f"Elo points at each table: blue is above the mean of the agents, orange below. {legend}.",
        styled(
            _tiles(values, [str(p) for p in range(1, len(order) + 1)], names, None),
            width=_tiles_width(names, order),
            height=ROW * len(names),
        ),
        grid.columns,
        grid.rows,
    )


def _curve(found: Curves, table: tuple[TableResult, ...], number: int) -> Plot:
    """The ratings of agents at a table, by budget."""
    import altair as alt

    anchor = found.anchor(table)
    order = by_strength(table[-1].ratings)
    values = []
    amounts = [budget.amount for budget in found.budgets[: len(table)]]
    axis = amounts[-1] / amounts[0]
    for place, k in enumerate(order):
        aside = axis ** (ASIDE * (place - (len(order) - 1) / 2))
        for budget, result in zip(found.budgets, table, strict=False):
            points, (low, high) = found.points(result, k, anchor)
            values.append(
                {
                    "who": found.agents[k],
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
            if found.budgets[0].in_iterations
            else "milliseconds a decision",
        ),
        detail="who:N",
        color=alt.Color(
            "style:N",
            scale=alt.Scale(domain=styles, range=[colour for colour, _ in STROKES]),
            legend=None,
        ),
    )
    above = "the mean" if anchor is None else found.agents[anchor]
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
    grid = against_time(found, table)
    words = max(len(found.agents[k]) for k in order)
    return Plot(
        f"time-{number}",
        f"{heading(table[0])}: strength against time",
        "A mark is the rating with so much for a decision, the bar is where the true one lies, "
        "with 95 % confidence.",
        styled(
            lines + bars + marks + names,
            width=max(240, WIDTH - 20 - min(LETTER * words, 2 * MOST_LABEL)),
            height=CURVES_HEIGHT,
        ),
        grid.columns,
        grid.rows,
    )


def _apart(values: Sequence[float], gap: float) -> list[float]:
    """Values moved as little as need be so that they are so far apart.

    >>> _apart([0.0, 10.0, 0.5], 1.0)
    [-0.25, 10.0, 0.75]
    """
    order = sorted(range(len(values)), key=lambda k: values[k])
    groups: list[list[int]] = []  # neighbours that touch, and so are spread around their mean

    def bottom(group: list[int]) -> float:
        middle = sum(values[k] for k in group) / len(group)
        return middle - gap * (len(group) - 1) / 2

    for k in order:
        groups.append([k])
        while len(groups) > 1 and bottom(groups[-1]) < bottom(groups[-2]) + gap * len(groups[-2]):
            last = groups.pop()
            groups[-1] += last
    found = [0.0] * len(values)
    for group in groups:
        for place, k in enumerate(group):
            found[k] = bottom(group) + gap * place
    return found
