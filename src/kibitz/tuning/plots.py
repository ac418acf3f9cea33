"""The plots of a search: gains, important settings, and the effect of single steps."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from kibitz.core.wording import counted
from kibitz.playtest.charts import (
    FAINT,
    FIRST,
    INK,
    MOST_LABEL,
    SECOND,
    Plot,
    chart_of,
    dressed,
    require_plots,
    styled,
)
from kibitz.playtest.report import percent
from kibitz.playtest.statistics import Z
from kibitz.tuning.problem import Goal
from kibitz.tuning.report import MOST_STEPS, candidates, steps
from kibitz.tuning.results import Tuning

PANEL_WIDTH, PANEL_HEIGHT = 125, 100
COLUMNS = 3
ROW, LINE = 26, 14
"""Pixels of height for a row of a chart, and for each more line of its name."""
LETTERS, LETTER = 20, 7
"""So many letters of a name fit into a line, and so many pixels has one."""
LITTLE = 0.1
"""The scale of shares of the variance reaches so far at least: less is not drawn large."""


def tuning_plots(found: Tuning) -> list[Plot]:
    """All plots in which there is something to see.

    Raises:
        MissingExtraError: what draws them is not installed.
    """
    require_plots()
    return list(_all(found))


def _all(found: Tuning) -> Iterator[Plot]:
    goals = found.problem.goals
    for number in range(len(goals)):
        if found.finalists:
            yield _race(found, number)
    if len(goals) == 2 and found.front:
        yield _front(found)
    if found.decided:
        yield _mattering(found)
        yield _values(found)
    for number in range(len(goals)):
        if found.steps:
            yield _steps(found, number)


def _scale(goal: Goal) -> tuple[float, str]:
    """The factor of drawn values, and the name of the axis."""
    share = getattr(goal, "is_share", True)
    return (100.0, f"{goal.name}, %") if share else (1.0, goal.name)


def _race(found: Tuning, number: int) -> Plot:
    """The values of the finalists, the start and the winner."""
    goal = found.problem.goals[number]
    factor, title = _scale(goal)
    known = [("confirmed", one) for one in (found.winner, found.start) if one is not None]
    shown = known if found.gains is not None else []
    shown = [*shown, *(("in the race", one) for one in found.finalists)]
    values = []
    for what, one in shown:
        low, high = goal.possible(one.values[number].interval)
        values.append(
            {
                "who": in_lines(found.problem.words(one.point)),
                "what": what,
                "value": factor * one.values[number].value,
                "low": factor * low,
                "high": factor * high,
            }
        )
    target = getattr(goal, "target", None)
    return Plot(
        f"race-{number + 1}",
        f"How good the candidates are: {goal.text}",
        "A mark is what was seen; the bar is where the true value lies, with 95 % confidence. "
        "The winner and the start were confirmed on deals of their own."
        + ("" if target is None else " The dashed line is the goal."),
        styled(
            _bars(values, ["confirmed", "in the race"], title, target, factor),
            height=_height(values, len(found.finalists) + 1),
        ),
        candidates(found, found.finalists).columns,
        candidates(found, found.finalists).rows,
    )


def in_lines(words: str) -> str:
    """The settings of a point in lines that fit beside a drawing.

    >>> in_lines("c=0.2, by=place, samples=10").splitlines()
    ['c=0.2, by=place,', 'samples=10']
    """
    return textwrap.fill(words, LETTERS, break_long_words=False, break_on_hyphens=False)


def _height(values: list[dict[str, Any]], rows: int) -> int:
    """How many pixels high a chart is: it has so many rows, as high as the longest name needs."""
    most = max(value["who"].count("\n") for value in values)
    return max(70, (ROW + LINE * most) * rows)


def _bars(
    values: list[dict[str, Any]],
    groups: list[str],
    title: str,
    target: float | None,
    factor: float,
) -> Any:
    """Marks with bars, by group: circles and squares, so that no colour is needed."""
    import altair as alt

    groups = [group for group in groups if any(value["what"] == group for value in values)]
    colours = [FIRST, SECOND][: len(groups)]
    legend = alt.Legend(title=None, orient="top") if len(groups) > 1 else None
    scale = alt.Scale(zero=False, nice=True)
    base = chart_of(values).encode(
        y=alt.Y(
            "who:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelLimit=MOST_LABEL, labelExpr="split(datum.label, '\\n')"),
        ),
        yOffset=alt.YOffset("what:N", sort=groups),
        color=alt.Color("what:N", scale=alt.Scale(domain=groups, range=colours), legend=legend),
    )
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", scale=scale, title=title), x2="high:Q"
    )
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", scale=scale),
        shape=alt.Shape(
            "what:N",
            scale=alt.Scale(domain=groups, range=["circle", "square"][: len(groups)]),
            legend=legend,
        ),
    )
    if target is None:
        return bars + marks
    line = chart_of([{"target": factor * target}]).mark_rule(strokeDash=[5, 4], color=INK)
    return line.encode(x=alt.X("target:Q", scale=scale)) + bars + marks


def _front(found: Tuning) -> Plot:
    """Two goals against each other."""
    import altair as alt

    first, second = found.problem.goals
    (across, x), (up, y) = _scale(first), _scale(second)
    front = {one.point for one in found.front}
    values = [
        {
            "x": across * one.values[0].value,
            "y": up * one.values[1].value,
            "what": "on the front" if one.point in front else "dominated",
        }
        for one in found.finalists
    ]
    kinds = ["on the front", "dominated"]
    marks = chart_of(values).mark_point(filled=True, size=90, opacity=1)
    chart = marks.encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(zero=False)),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False)),
        color=alt.Color(
            "what:N",
            scale=alt.Scale(domain=kinds, range=[FIRST, FAINT]),
            legend=alt.Legend(title=None, orient="top"),
        ),
        shape=alt.Shape(
            "what:N",
            scale=alt.Scale(domain=kinds, range=["circle", "square"]),
            legend=alt.Legend(title=None, orient="top"),
        ),
    )
    grid = candidates(found, found.front)
    return Plot(
        "front",
        "The Pareto front",
        "Of what is on the front, nothing else in the race was better in both goals.",
        styled(chart),
        grid.columns,
        grid.rows,
    )


def _mattering(found: Tuning) -> Plot:
    """The share of the variance that goes with each setting."""
    import altair as alt

    values = [{"name": name, "share": share} for name, share, _ in found.effects]
    most = max([LITTLE, *(one.share for one in found.effects)])
    chart = (
        chart_of(values)
        .mark_bar(color=FIRST, height={"band": 0.6})
        .encode(
            x=alt.X(
                "share:Q",
                title="of the variance",
                axis=alt.Axis(format="%", tickCount=5),
                scale=alt.Scale(domain=[0.0, most]),
            ),
            y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=MOST_LABEL)),
        )
    )
    return Plot(
        "matters",
        "What mattered",
        "The share of the variance of what the search saw that goes with each setting alone, "
        "noise aside.",
        styled(chart, height=max(70, ROW * len(values))),
        ("setting", "of the variance"),
        tuple((name, percent(share)) for name, share, _ in found.effects),
    )


def _values(found: Tuning) -> Plot:
    """The mean value of each value of each setting in the search."""
    import altair as alt

    space = found.problem.space
    factor = 100.0 if found.problem.kind == "agent" else 1.0
    panels = []
    rows = []
    for number, axis in enumerate(space.axes):
        values = []
        for word, (count, mean, error) in zip(
            axis.words, found.model.averages(number), strict=True
        ):
            if mean is None:
                continue
            half = Z * (error or 0.0)
            values.append(
                {
                    "value": word,
                    "mean": factor * mean,
                    "low": factor * (mean - half),
                    "high": factor * (mean + half),
                }
            )
            rows.append((axis.name, word, f"{count:,}", f"{factor * mean:.3g}"))
        crowded = LETTER * sum(len(str(value["value"])) + 1 for value in values) > PANEL_WIDTH
        upright = alt.Axis(labelAngle=-90 if crowded else 0)
        base = chart_of(values).encode(
            x=alt.X("value:N", sort=list(axis.words), title=axis.name, axis=upright)
        )
        y = alt.Y("low:Q", scale=alt.Scale(zero=False), title=None, axis=alt.Axis(tickCount=4))
        bars = base.mark_rule(color=FIRST, strokeWidth=2).encode(y=y, y2="high:Q")
        marks = base.mark_point(filled=True, color=FIRST, size=45, opacity=1).encode(y="mean:Q")
        panels.append((bars + marks).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT))
    unit = (
        "games won, in per cent"
        if found.problem.kind == "agent"
        else ("nearness to the goals: 0 is there, -1 is some two tolerances off")
    )
    return Plot(
        "values",
        "Value by value",
        f"The mean of the evaluations with each value ({unit}), whatever the other settings were, "
        "with its 95 % interval where there are several. A search tries good values more often.",
        dressed(alt.concat(*panels, columns=COLUMNS)),
        ("setting", "value", "evaluations", "mean"),
        tuple(rows),
    )


def _steps(found: Tuning, number: int) -> Plot:
    """The effect of a step away from the winner on a goal."""
    goal = found.problem.goals[number]
    factor, title = _scale(goal)
    values = []
    for step in found.steps[:MOST_STEPS]:
        axis = found.problem.space.axes[step.axis]
        low, high = step.differences[number].interval
        values.append(
            {
                "who": in_lines(f"{axis.name}={axis.words[step.point[step.axis]]}"),
                "what": "step",
                "value": factor * step.differences[number].value,
                "low": factor * low,
                "high": factor * high,
            }
        )
    grid = steps(found)
    games = counted(found.steps[0].games, "game")
    return Plot(
        f"steps-{number + 1}",
        f"One step away from the winner: {goal.name}",
        f"The difference to the winner in {games} of the same deals, with its 95 % interval. On "
        "the dashed line nothing changes.",
        styled(
            _bars(values, ["step"], f"difference: {title}", 0.0, factor),
            height=_height(values, len(values)),
        ),
        grid.columns,
        grid.rows,
    )
