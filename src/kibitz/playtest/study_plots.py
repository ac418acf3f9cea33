"""The plots of a study: one or two for each question, each with its caption and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from kibitz.playtest.charts import (
    FIRST,
    INK,
    LINES,
    MOST_LABEL,
    SECOND,
    Plot,
    chart_of,
    require_plots,
    styled,
)
from kibitz.playtest.plots import lengths, options, scores
from kibitz.playtest.report import percent
from kibitz.playtest.study import Study
from kibitz.playtest.study_report import MOST_CHOICES, choice_grid

TRUE_VALUE = "A mark is what was seen; the bar is where the true value lies, with 95 % confidence."

LETTERS = 20
"""Of an option's words in a line beside a plot; it may have two."""


def study_plots(study: Study) -> list[tuple[str, Plot]]:
    """All plots in which there is something to see, each with the name of its question.

    Raises:
        MissingExtraError: what draws them is not installed.
    """
    require_plots()
    return [(name, plot) for name, plot in _all(study) if plot is not None]


def _all(study: Study) -> Iterator[tuple[str, Plot | None]]:
    best = study.best
    yield "fair", _seats(study)
    if best.finished:
        yield "length", lengths(best)
        yield "end", scores(best)
        yield "choice", options(best)
    yield "choice", _gains(study)
    yield "skill", _ladder(study)
    yield "options", _choices(study)
    yield "luck", _luck(study)
    yield "course", _chances(study)


def _seats(study: Study) -> Plot | None:
    """How often each seat wins, at both skills."""
    parts = [("random play", study.random), ("skilled play", study.skilled)]
    shown = [(name, part) for name, part in parts if part is not None and part.finished]
    if study.players < 2 or not shown or shown[0][1].is_cooperative:
        return None
    values = [
        {
            "who": f"seat {seat.seat}",
            "play": name,
            "rate": seat.win_rate,
            "low": seat.win_interval[0],
            "high": seat.win_interval[1],
        }
        for name, part in shown
        for seat in part.seats
        if seat.win_interval is not None
    ]
    rows = tuple(
        (str(seat.seat), name, f"{seat.games:,}", percent(seat.win_rate, seat.win_interval))
        for name, part in shown
        for seat in part.seats
    )
    chart = _intervals(values, [name for name, _ in shown], "games won", 1 / study.players)
    return Plot(
        "seats",
        "How often each seat wins",
        f"{TRUE_VALUE} On the dashed line a seat has no advantage.",
        styled(chart, height=max(70, 40 * study.players)),
        ("seat", "play", "games", "won"),
        rows,
    )


def _intervals(
    values: list[dict[str, Any]], groups: list[str], title: str, middle: float | None
) -> Any:
    """Marks with bars, by group side by side: circles and squares, so that no colour is needed."""
    import altair as alt

    low = min([value["low"] for value in values] + ([] if middle is None else [middle]))
    high = max([value["high"] for value in values] + ([] if middle is None else [middle]))
    room = max(0.02, 0.06 * (high - low))
    scale = alt.Scale(domain=[low - room, high + room], nice=False, zero=False)
    colour = alt.Color(
        "play:N",
        scale=alt.Scale(domain=groups, range=[SECOND, FIRST][-len(groups) :]),
        legend=alt.Legend(title=None, orient="top") if len(groups) > 1 else None,
    )
    shape = alt.Shape(
        "play:N",
        scale=alt.Scale(domain=groups, range=["square", "circle"][-len(groups) :]),
        legend=alt.Legend(title=None, orient="top") if len(groups) > 1 else None,
    )
    lines = "split(datum.label, '\\n')"
    names = alt.Axis(labelLimit=MOST_LABEL, labelExpr=lines)
    who = alt.Y("who:N", sort=None, title=None, axis=names)
    beside = alt.YOffset("play:N", sort=groups)
    base = chart_of(values).encode(y=who, yOffset=beside, color=colour)
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", scale=scale, title=title, axis=alt.Axis(format="%", tickCount=6)),
        x2="high:Q",
    )
    marks = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("rate:Q", scale=scale), shape=shape
    )
    if middle is None:
        return bars + marks
    line = chart_of([{"middle": middle}]).mark_rule(strokeDash=[5, 4], color=INK)
    return line.encode(x=alt.X("middle:Q", scale=scale)) + bars + marks


def _gains(study: Study) -> Plot | None:
    """What the best option gains in each tenth of a game: a plot of when choices matter."""
    import altair as alt

    gains = study.best["choice_gain_by_progress"]
    told = [(i, gain) for i, gain in enumerate(gains) if gain is not None]
    if len(told) < 3:
        return None
    values = [{"from": i / 10, "to": (i + 1) / 10, "gain": gain} for i, gain in told]
    chart = (
        chart_of(values)
        .mark_bar(color=FIRST, stroke=LINES, strokeWidth=1)
        .encode(
            x=alt.X("from:Q", title="part of the game", axis=alt.Axis(format="%", grid=False)),
            x2="to:Q",
            y=alt.Y("gain:Q", title="gain of the best option", axis=alt.Axis(format=".1%")),
            y2=alt.datum(0),
        )
    )
    return Plot(
        "choices",
        "When choices matter",
        "What the best option gains over the average one, in chances to win, from the beginning "
        "of the game to its end. The judge's error adds nothing to it on average.",
        styled(chart),
        ("part of the game", "gain"),
        tuple((f"{10 * i} to {10 * i + 10} %", f"{100 * gain:.1f} points") for i, gain in told),
    )


def _choices(study: Study) -> Plot | None:
    """The gains of options that stand out."""
    telling = study.telling_choices[:MOST_CHOICES]
    values = [
        {
            "who": "\n".join(wrap(choice.pattern, LETTERS, max_lines=2, placeholder=" …")),
            "play": "option",
            "rate": choice.gain,
            "low": choice.gain_interval[0],
            "high": choice.gain_interval[1],
        }
        for choice in sorted(telling, key=lambda choice: -(choice.gain or 0.0))
        if choice.gain_interval is not None
    ]
    if len(values) < 2:
        return None
    grid = choice_grid(study)
    return Plot(
        "cards",
        "What options gain",
        f"{TRUE_VALUE} How much more often who chose an option wins than who chose another one. "
        "In random play nobody has a reason to choose it, so that this is what the choice gains. "
        "Right of the dashed line it is a good one.",
        styled(_intervals(values, ["option"], "chance to win", 0.0), height=34 * len(values)),
        grid.columns,
        grid.rows,
    )


def _ladder(study: Study) -> Plot | None:
    """How often each rung wins."""
    ladder = study.ladder
    if ladder is None or not ladder.rungs:
        return None
    values = [
        {
            "who": rung.agent.split(",")[0],
            "play": "rung",
            "rate": rung.share,
            "low": rung.interval[0],
            "high": rung.interval[1],
        }
        for rung in ladder.rungs
    ]
    together = ladder.rungs[0].against is None
    caption = (
        "one agent against others of the best rung below; on the dashed line it gains nothing."
    )
    chart = _intervals(values, ["rung"], "games won", None if together else 1 / study.players)
    return Plot(
        "ladder",
        "Whether thinking longer pays",
        f"{TRUE_VALUE} Each rung is {'an agent in all seats.' if together else caption}",
        styled(chart, height=max(70, 30 * len(values))),
        ("agent", "against", "won"),
        tuple((r.agent, r.against or "", percent(r.share, r.interval)) for r in ladder.rungs),
    )


def _luck(study: Study) -> Plot | None:
    """The sources of wins: luck and skill."""
    ledger = study.ledger
    values = [
        {
            "who": source.name,
            "play": "source",
            "rate": source.share,
            "low": source.interval[0],
            "high": source.interval[1],
        }
        for source in ledger
        if source.interval is not None
    ]
    if not values:
        return None
    return Plot(
        "luck",
        "Where it comes from who wins",
        f"{TRUE_VALUE} The shares of luck (deal, draws), choices and the judge's error add up to "
        "100 %. Below 0 a source works against those who win.",
        styled(_intervals(values, ["source"], "share of the outcome", 0.0), height=170),
        ("source", "share"),
        tuple((source.name, percent(source.share, source.interval)) for source in ledger),
    )


def _chances(study: Study) -> Plot | None:
    """The winner's chance over the course of the game."""
    import altair as alt

    chances = study.best["winner_chance"]
    if len(chances) < 2:
        return None
    values = [{"at": i / 10, "chance": chance} for i, chance in enumerate(chances)]
    base = chart_of(values).encode(
        x=alt.X("at:Q", title="part of the game", axis=alt.Axis(format="%", grid=False)),
        y=alt.Y(
            "chance:Q",
            title="chance of the winner",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
    )
    line = base.mark_line(color=FIRST, strokeWidth=2)
    points = base.mark_point(filled=True, size=45, color=FIRST, opacity=1)
    fair = chart_of([{"fair": 1 / study.players}]).mark_rule(strokeDash=[5, 4], color=INK)
    return Plot(
        "chances",
        "How sure the winner is",
        "The chance of whoever wins in the end, over the course of the game, on average: if it "
        "rises late, the game stays open. The dashed line is the chance of a seat among equals.",
        styled(fair.encode(y="fair:Q") + line + points),
        ("part of the game", "chance of the winner"),
        tuple((f"{10 * i} %", percent(round(c, 3))) for i, c in enumerate(chances)),
    )
