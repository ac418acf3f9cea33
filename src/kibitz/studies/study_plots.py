"""The plots of a study, each with a question to which it belongs."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from kibitz.reports.charts import (
    FIRST,
    LINES,
    TRUE_VALUE,
    Mark,
    Plot,
    chart_of,
    dashed,
    intervals,
    styled,
)
from kibitz.reports.document import DataTable
from kibitz.reports.numbers import DASH, percent
from kibitz.studies.ladder_report import rung_result
from kibitz.studies.plots import lengths, options, scores
from kibitz.studies.questions import PART_WORDS
from kibitz.studies.study import Study

if TYPE_CHECKING:
    import altair

MOST_CHOICES = 10
"""Maximum number of options in a plot or a table of options."""

LETTERS = 20
"""Maximum length of each of the two lines of an option's label beside a plot."""


def study_plots(study: Study) -> list[tuple[str, Plot]]:
    """The plots of a study with the names of their questions, except those without content."""
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
    """The win rate of each seat, in random and in skilled play."""
    playtests = [("random play", study.random), ("skilled play", study.skilled)]
    shown = [
        (name, playtest)
        for name, playtest in playtests
        if playtest is not None and playtest.finished
    ]
    if not shown or not shown[0][1].has_rivals:
        return None
    marks = [
        Mark(playtest.side_of(side), side.win_rate or 0.0, side.win_interval, name)
        for name, playtest in shown
        for side in playtest.rivals
        if side.win_interval is not None
    ]
    if not marks:
        return None
    return Plot(
        "seats",
        f"How often each {'team' if shown[0][1].has_teams else 'seat'} wins",
        f"{TRUE_VALUE} On the dashed line nobody has an advantage.",
        functools.partial(
            intervals,
            marks,
            "games won",
            groups=[name for name, _ in shown],
            line=shown[0][1].fair_share,
            share=True,
        ),
        ("", "play", "games", "won"),
        tuple(
            (
                playtest.side_of(side),
                name,
                f"{side.games:,}",
                percent(side.win_rate, side.win_interval),
            )
            for name, playtest in shown
            for side in playtest.rivals
        ),
    )


def _gains(study: Study) -> Plot | None:
    """When choices matter: the gain of the best option in each tenth of a game."""
    gains = [
        (tenth, gain)
        for tenth, gain in enumerate(study.best["choice_gain_by_progress"])
        if gain is not None
    ]
    if len(gains) < 3:
        return None
    return Plot(
        "choices",
        "When choices matter",
        "What the best option gains over the average one, in chances to win, from the beginning "
        "of the game to its end. The judge's error adds nothing to it on average.",
        functools.partial(_draw_gains, gains),
        ("part of the game", "gain"),
        tuple((f"{10 * i} to {10 * i + 10} %", f"{100 * gain:.1f} points") for i, gain in gains),
    )


def _draw_gains(gains: Sequence[tuple[int, float]]) -> altair.TopLevelMixin:
    import altair as alt

    values = [{"from": i / 10, "to": (i + 1) / 10, "gain": gain} for i, gain in gains]
    return styled(
        chart_of(values)
        .mark_bar(color=FIRST, stroke=LINES, strokeWidth=1)
        .encode(
            x=alt.X("from:Q", title="part of the game", axis=alt.Axis(format="%", grid=False)),
            x2="to:Q",
            y=alt.Y("gain:Q", title="gain of the best option", axis=alt.Axis(format=".1%")),
            y2=alt.datum(0),
        )
    )


def _choices(study: Study) -> Plot | None:
    """The gains of options that stand out."""
    telling = study.telling_choices[:MOST_CHOICES]
    marks = [
        Mark(
            "\n".join(wrap(choice.pattern, LETTERS, max_lines=2, placeholder=" …")),
            choice.gain or 0.0,
            choice.gain_interval,
        )
        for choice in sorted(telling, key=lambda choice: -(choice.gain or 0.0))
        if choice.gain_interval is not None
    ]
    if len(marks) < 2:
        return None
    table = choice_table(study)
    return Plot(
        "cards",
        "What options gain",
        f"{TRUE_VALUE} How much more often who chose an option wins than who chose another one. "
        "In random play nobody has a reason to choose it, so that this is what the choice gains. "
        "Right of the dashed line it is a good one.",
        functools.partial(intervals, marks, "chance to win", line=0.0, share=True),
        table.columns,
        table.rows,
    )


def choice_table(study: Study) -> DataTable:
    """The gains of outstanding options in random play, and how often the skilled choose them."""
    skilled = (
        {choice.pattern: choice for choice in study.skilled["choices"]} if study.skilled else {}
    )
    rows = []
    for choice in study.telling_choices[:MOST_CHOICES]:
        other = skilled.get(choice.pattern)
        often = percent(other.rate, other.rate_interval) if other is not None else DASH
        low, high = choice.gain_interval or (0.0, 0.0)
        gain = f"{100 * (choice.gain or 0):+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        rows.append((choice.pattern, f"{choice.offered:,}", gain, often))
    return DataTable(("option", "offered", "points gained", "skilled choose it"), tuple(rows))


def _ladder(study: Study) -> Plot | None:
    """How often each rung wins."""
    ladder = study.ladder
    if ladder is None or not ladder.rungs:
        return None
    marks = [Mark(rung.agent.split(",")[0], rung.share, rung.interval) for rung in ladder.rungs]
    together = ladder.rungs[0].against is None
    fair = None if together else ladder.rungs[0].fair
    caption = (
        "one agent against others of the best rung below; on the dashed line it gains nothing."
    )
    return Plot(
        "ladder",
        "Whether thinking longer pays",
        f"{TRUE_VALUE} Each rung is {'an agent in all seats.' if together else caption}",
        functools.partial(intervals, marks, ladder.result, line=fair, share=not ladder.by_score),
        ("agent", "against", "score" if ladder.by_score else "won"),
        tuple((r.agent, r.against or "", rung_result(ladder, r)) for r in ladder.rungs),
    )


def _luck(study: Study) -> Plot | None:
    """The parts of what decides who wins, by replays of the same deals."""
    origins = study.origins
    if origins is None or not origins.parts:
        return None
    parts = [(words, origins[name]) for name, words in PART_WORDS.items()]
    marks = [Mark(words, part.share, part.interval) for words, part in parts]
    return Plot(
        "luck",
        "Where it comes from who wins",
        f"{TRUE_VALUE} The shares add up to 100 %. Luck is the deal and chance after it.",
        functools.partial(intervals, marks, "share of the result", line=0.0, share=True),
        ("part", "share"),
        tuple((words, percent(part.share, part.interval)) for words, part in parts),
    )


def _chances(study: Study) -> Plot | None:
    """The winner's chance over the course of the game."""
    chances = study.best["winner_chance"]
    if len(chances) < 2:
        return None
    return Plot(
        "chances",
        "How sure the winner is",
        "The chance of whoever wins in the end, over the course of the game, on average: if it "
        "rises late, the game stays open. The dashed line is the chance of a seat among equals.",
        functools.partial(_draw_chances, chances, study.random.fair_share),
        ("part of the game", "chance of the winner"),
        tuple((f"{10 * i} %", percent(round(c, 3))) for i, c in enumerate(chances)),
    )


def _draw_chances(chances: Sequence[float], fair: float) -> altair.TopLevelMixin:
    import altair as alt

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
    return styled(dashed(fair, "y") + line + points)
