"""The plots of a search: gains, important settings, and the effect of single steps."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kibitz.core.statistics import Z
from kibitz.core.wording import counted
from kibitz.reports.charts import (
    FAINT,
    FIRST,
    MOST_LABEL,
    TRUE_VALUE,
    Mark,
    Plot,
    chart_of,
    dressed,
    intervals,
    styled,
)
from kibitz.reports.numbers import percent
from kibitz.studies.tuning.problem import Goal
from kibitz.studies.tuning.results import Tuning
from kibitz.studies.tuning.tables import MOST_STEPS, candidates, steps

if TYPE_CHECKING:
    import altair

PANEL_WIDTH, PANEL_HEIGHT = 125, 100
COLUMNS = 3
"""Panels in a row."""

ROW = 26
"""Height of a bar in pixels."""
LETTERS, LETTER = 20, 7
"""Letters on a line of a label, and the width of a letter in pixels."""

LITTLE = 0.1
"""Minimum upper end of the axis of shares of the variance, so that small shares look small."""


def tuning_plots(tuning: Tuning) -> list[Plot]:
    """The plots of a search, except those that would show nothing."""
    return list(_all(tuning))


def _all(tuning: Tuning) -> Iterator[Plot]:
    goals = tuning.problem.goals
    for number in range(len(goals)):
        if tuning.finalists:
            yield _race(tuning, number)
    if len(goals) == 2 and tuning.front:
        yield _front(tuning)
    if tuning.decided:
        yield _mattering(tuning)
        yield _values(tuning)
    for number in range(len(goals)):
        if tuning.steps:
            yield _steps(tuning, number)


def _scale(goal: Goal) -> tuple[float, str]:
    """The factor of drawn values, and the name of the axis."""
    share = getattr(goal, "is_share", True)
    return (100.0, f"{goal.name}, %") if share else (1.0, goal.name)


def _race(tuning: Tuning, number: int) -> Plot:
    """The values of the finalists, the start and the winner."""
    goal = tuning.problem.goals[number]
    factor, title = _scale(goal)
    confirmed = (tuning.winner, tuning.start) if tuning.gains is not None else ()
    shown = [("confirmed", candidate) for candidate in confirmed if candidate is not None]
    shown += [("in the race", candidate) for candidate in tuning.finalists]
    marks = []
    for group, candidate in shown:
        low, high = goal.possible(candidate.values[number].interval)
        label = in_lines(tuning.problem.words(candidate.point))
        value = candidate.values[number].value
        marks.append(Mark(label, factor * value, (factor * low, factor * high), group))
    target = getattr(goal, "target", None)
    race = candidates(tuning, tuning.finalists)
    return Plot(
        f"race-{number + 1}",
        f"How good the candidates are: {goal.text}",
        f"{TRUE_VALUE} The winner and the start were confirmed on deals of their own."
        + ("" if target is None else " The dashed line is the goal."),
        functools.partial(
            intervals,
            marks,
            title,
            groups=["confirmed", "in the race"],
            line=None if target is None else factor * target,
        ),
        race.columns,
        race.rows,
    )


def in_lines(words: str) -> str:
    """The settings of a point in lines that fit beside a drawing.

    >>> in_lines("c=0.2, by=place, samples=10").splitlines()
    ['c=0.2, by=place,', 'samples=10']
    """
    return textwrap.fill(words, LETTERS, break_long_words=False, break_on_hyphens=False)


def _front(tuning: Tuning) -> Plot:
    """A plot of the values of two goals against each other."""
    front = candidates(tuning, tuning.front)
    return Plot(
        "front",
        "The Pareto front",
        "Of what is on the front, nothing else in the race was better in both goals.",
        functools.partial(_draw_front, tuning),
        front.columns,
        front.rows,
    )


def _draw_front(tuning: Tuning) -> altair.TopLevelMixin:
    import altair as alt

    first, second = tuning.problem.goals
    (across, x), (up, y) = _scale(first), _scale(second)
    front = {candidate.point for candidate in tuning.front}
    values = [
        {
            "x": across * candidate.values[0].value,
            "y": up * candidate.values[1].value,
            "what": "on the front" if candidate.point in front else "dominated",
        }
        for candidate in tuning.finalists
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
    return styled(chart)


def _mattering(tuning: Tuning) -> Plot:
    """A plot of the share of the variance that each setting explains."""
    return Plot(
        "matters",
        "What mattered",
        "The share of the variance of what the search saw that goes with each setting alone, "
        "noise aside.",
        functools.partial(_draw_mattering, tuning),
        ("setting", "of the variance"),
        tuple((name, percent(share)) for name, share, _ in tuning.effects),
    )


def _draw_mattering(tuning: Tuning) -> altair.TopLevelMixin:
    import altair as alt

    values = [{"name": name, "share": share} for name, share, _ in tuning.effects]
    most = max([LITTLE, *(effect.share for effect in tuning.effects)])
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
    return styled(chart, height=max(70, ROW * len(values)))


def _values(tuning: Tuning) -> Plot:
    """The mean value of each value of each setting in the search."""
    unit = (
        "games won, in per cent"
        if tuning.problem.kind == "agent"
        else "nearness to the goals: 0 is there, -1 is some two tolerances off"
    )
    factor = _unit(tuning)
    return Plot(
        "values",
        "Value by value",
        f"The mean of the evaluations with each value ({unit}), whatever the other settings were, "
        "with its 95 % interval where there are several. A search tries good values more often.",
        functools.partial(_draw_values, tuning),
        ("setting", "value", "evaluations", "mean"),
        tuple(
            (axis.name, word, f"{count:,}", f"{factor * mean:.3g}")
            for number, axis in enumerate(tuning.problem.space.axes)
            for word, (count, mean, _) in zip(
                axis.words, tuning.model.averages(number), strict=True
            )
            if mean is not None
        ),
    )


def _unit(tuning: Tuning) -> float:
    """The factor of drawn means: shares of wins are drawn in per cent."""
    return 100.0 if tuning.problem.kind == "agent" else 1.0


def _draw_values(tuning: Tuning) -> altair.TopLevelMixin:
    import altair as alt

    factor = _unit(tuning)
    panels = []
    for number, axis in enumerate(tuning.problem.space.axes):
        values = []
        for word, (_, mean, error) in zip(axis.words, tuning.model.averages(number), strict=True):
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
        crowded = LETTER * sum(len(str(value["value"])) + 1 for value in values) > PANEL_WIDTH
        upright = alt.Axis(labelAngle=-90 if crowded else 0)
        base = chart_of(values).encode(
            x=alt.X("value:N", sort=list(axis.words), title=axis.name, axis=upright)
        )
        y = alt.Y("low:Q", scale=alt.Scale(zero=False), title=None, axis=alt.Axis(tickCount=4))
        bars = base.mark_rule(color=FIRST, strokeWidth=2).encode(y=y, y2="high:Q")
        marks = base.mark_point(filled=True, color=FIRST, size=45, opacity=1).encode(y="mean:Q")
        panels.append((bars + marks).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT))
    return dressed(alt.concat(*panels, columns=COLUMNS))


def _steps(tuning: Tuning, number: int) -> Plot:
    """The effect of a step away from the winner on a goal."""
    goal = tuning.problem.goals[number]
    factor, title = _scale(goal)
    marks = []
    for step in tuning.steps[:MOST_STEPS]:
        axis = tuning.problem.space.axes[step.axis]
        difference = step.differences[number]
        low, high = difference.interval
        label = in_lines(f"{axis.name}={axis.words[step.point[step.axis]]}")
        marks.append(Mark(label, factor * difference.value, (factor * low, factor * high)))
    table = steps(tuning)
    games = counted(tuning.steps[0].games, "game")
    return Plot(
        f"steps-{number + 1}",
        f"One step away from the winner: {goal.name}",
        f"The difference to the winner in {games} of the same deals, with its 95 % interval. On "
        "the dashed line nothing changes.",
        functools.partial(intervals, marks, f"difference: {title}", line=0.0),
        table.columns,
        table.rows,
    )
