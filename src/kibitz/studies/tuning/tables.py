"""The tables in the report of a search: candidates, effects of settings, and steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz.reports.document import DataTable
from kibitz.reports.numbers import DASH, percent
from kibitz.studies.tuning.problem import Goal
from kibitz.studies.tuning.results import Candidate, Tuning

MOST_DIGITS = 7
"""Maximum length of a number that is shown unrounded."""

MOST_CANDIDATES = 8
"""Maximum number of rows of the table of the race; the JSON has all candidates."""

MOST_STEPS = 30
"""Maximum number of rows of the table of steps; the JSON has all of them."""


def tables(tuning: Tuning) -> Iterator[tuple[str, DataTable]]:
    """The tables, each with its title."""
    if tuning.finalists:
        yield "The race", candidates(tuning, tuning.finalists[:MOST_CANDIDATES])
    if tuning.front:
        yield (
            "The Pareto front: nothing else was better in all goals",
            candidates(tuning, tuning.front),
        )
    if tuning.decided:
        yield "What mattered", mattering(tuning)
    if tuning.steps:
        yield "One step away from the winner", steps(tuning)


def candidates(tuning: Tuning, chosen: Sequence[Candidate]) -> DataTable:
    """A table with a line for each candidate."""
    goals = tuning.problem.goals
    rows = tuple(
        (
            tuning.problem.words(candidate.point),
            *(
                goal.show(value.value, value.interval)
                for goal, value in zip(goals, candidate.values, strict=True)
            ),
            f"{candidate.games:,}",
        )
        for candidate in chosen
    )
    return DataTable(("candidate", *(goal.text for goal in goals), "games"), rows)


def mattering(tuning: Tuning) -> DataTable:
    """A table of the settings: share of the variance, value at the start and of the winner."""
    space = tuning.problem.space
    numbers = {axis.name: number for number, axis in enumerate(space.axes)}
    rows = []
    for name, share, p_value in tuning.effects:
        axis = space.axes[numbers[name]]
        winner = DASH
        if tuning.winner is not None:
            winner = _short(axis.words[tuning.winner.point[numbers[name]]])
        rows.append(
            (name, percent(share), f"{p_value:.2g}", _short(axis.words[axis.start]), winner)
        )
    return DataTable(("setting", "of the variance", "p-value", "start", "winner"), tuple(rows))


def _short(word: str) -> str:
    """A value in words; a long number is rounded to four digits."""
    try:
        return f"{float(word):.4g}" if len(word) > MOST_DIGITS else word
    except ValueError:
        return word


def steps(tuning: Tuning) -> DataTable:
    """A table with a line for each point one step away from the winner."""
    goals: Sequence[Goal] = tuning.problem.goals
    rows = []
    for step in tuning.steps[:MOST_STEPS]:
        axis = tuning.problem.space.axes[step.axis]
        rows.append(
            (
                f"{axis.name}={axis.words[step.point[step.axis]]}",
                *(
                    goal.show_difference(difference.value, difference.interval)
                    for goal, difference in zip(goals, step.differences, strict=True)
                ),
                f"{step.games:,}",
            )
        )
    return DataTable(("instead", *(goal.name for goal in goals), "games"), tuple(rows))
