"""The report of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from kibitz.core.wording import counted, listed
from kibitz.playtest.report import DASH, Grid, percent, verdict_list
from kibitz.tuning.problem import Goal
from kibitz.tuning.results import Candidate, Step, Tuning

MATTERS = 0.01
"""A setting with a smaller share of the variance is not said to matter,"""
CHANCE = 0.05
"""nor one whose values differ as much by chance with this probability."""
MOST_DIGITS = 7
MOST_CANDIDATES = 8
MOST_STEPS = 30
"""So many rows of a table are told; JSON has all."""


def render_tuning(found: Tuning) -> RenderableType:
    """The whole report, to be printed by a rich console."""
    parts: list[RenderableType] = [Text(headline(found), style="bold")]
    parts += [Text(line, style="dim") for line in description(found)]
    parts += ["", verdict_list(sentences(found))]
    for title, grid in grids(found):
        parts += ["", Text(title, style="bold"), grid]
    parts += ["", *(Text(line, style="dim") for line in footer(found))]
    return Group(*parts)


def render_markdown(found: Tuning) -> str:
    """The whole report as Markdown, for a page of documentation."""
    lines = [f"- {sentence}" for _, sentence in sentences(found)]
    for title, grid in grids(found):
        lines += ["", f"### {title}", "", *grid.markdown()]
    return "\n".join([*lines, "", *footer(found), ""])


def headline(found: Tuning) -> str:
    """The headline: the tuned agent or game."""
    return f"Tuning {found.problem.title}, seed {found.seed}"


def description(found: Tuning) -> Iterator[str]:
    """The sentence on how it was searched."""
    space = found.problem.space
    names = counted(len(space.axes), "setting")
    points = counted(space.count, "combination")
    evaluated = counted(found.evaluated, "of them was", "of them were")
    if found.evaluated == space.count:
        evaluated = "all of them were"
    yield (
        f"{names}, {points}; {evaluated} evaluated by "
        f"{found.optimiser}, in {counted(found.played, 'game')} in all."
    )
    field = getattr(found.problem, "field", ())
    if field:
        yield f"Against {listed(field)}."


def sentences(found: Tuning) -> Iterator[tuple[bool, str]]:
    """Sentences on the result, each with whether it needs attention."""
    if found.interrupted:
        yield True, "Stopped early; with --out the same command goes on."
    if not found.decided:
        yield (
            True,
            f"Nobody had a choice in {counted(found.played, 'game')}: there is nothing to decide, "
            "so no option can matter.",
        )
    winner = found.winner
    if winner is None:
        return
    changed = found.problem.space.changed(winner.point)
    if found.gains is None:
        if found.interrupted and changed:
            yield (
                False,
                f"So far {found.problem.words(winner.point)} looks best; it is not confirmed.",
            )
        elif not changed:
            yield False, "Nothing better was found than what the search started from."
    elif not found.improved:
        told = _gained(found)
        yield (
            False,
            f"No sure gain: {found.problem.words(winner.point)} is no better than the start, "
            f"beyond chance. {told}",
        )
    else:
        words = listed([f"{name}={value}" for name, value in changed.items()])
        yield from _better(found, words)
    yield from _goals(found)
    yield from _mattering(found)
    yield from _steps(found)
    if found.improved:
        yield False, f"To use it: {found.problem.use(winner.point)}"
    elif _are_met(found):
        yield False, "Keep what you have."
    elif not found.interrupted:
        yield False, "Keep what you have, or search on with more games or another --seed."


def _better(found: Tuning, words: str) -> Iterator[tuple[bool, str]]:
    """The sentence on a winner that is better, and in which of several goals."""
    gains = list(zip(found.problem.goals, found.gains or (), strict=True))
    better = listed([goal.name for goal, gain in gains if gain.is_better])
    worse = listed([goal.name for goal, gain in gains if gain.is_worse])
    if len(gains) == 1:
        yield False, f"Better: {words}. {_gained(found)}"
    elif worse:
        yield True, f"Better in {better}, worse in {worse}: {words}. {_gained(found)}"
    else:
        yield False, f"Better in {better}: {words}. {_gained(found)}"


def _are_met(found: Tuning) -> bool:
    """Whether the winner was confirmed, and all goals are met."""
    winner = found.winner
    if winner is None or found.interrupted:
        return False
    pairs = zip(found.problem.goals, winner.values, strict=True)
    return all(goal.is_met(value) for goal, value in pairs)


def _gained(found: Tuning) -> str:
    """The sentence on the gain, on deals on which no choice depended."""
    parts = []
    for goal, gain in zip(found.problem.goals, found.gains or (), strict=True):
        change = goal.show_difference(gain.difference.value, gain.difference.interval)
        before, after = goal.show(gain.start.value), goal.show(gain.tuned.value)
        parts.append(f"{goal.name} {before} before, {after} now, {change}")
    return f"On fresh deals: {'; '.join(parts)}."


def _goals(found: Tuning) -> Iterator[tuple[bool, str]]:
    """Sentences on which goals are met."""
    winner = found.winner
    if winner is None or found.interrupted or found.problem.kind != "game":
        return
    for goal, value in zip(found.problem.goals, winner.values, strict=True):
        shown = goal.show(value.value, value.interval)
        if goal.is_met(value):
            yield (
                False,
                f"{goal.text}: met, as far as {counted(winner.games, 'game')} tell: {shown}.",
            )
        else:
            yield True, f"{goal.text}: missed: {shown}."


def _mattering(found: Tuning) -> Iterator[tuple[bool, str]]:
    """The sentence on which settings mattered."""
    telling = [one for one in found.effects if one.share >= MATTERS and one.p_value < CHANCE]
    if telling:
        words = listed([f"{one.name} ({percent(one.share)})" for one in telling[:4]])
        verb = "matters" if len(telling) == 1 else "matter"
        yield False, f"Of what varied in the search, {words} {verb} most."
    else:
        yield False, "No single setting mattered by more than the noise of the search."


def _steps(found: Tuning) -> Iterator[tuple[bool, str]]:
    """Sentences on whether a step away from the winner changes anything."""
    if not found.steps:
        return
    sure = [step for step in found.steps if any(_is_sure(step, i) for i in _goal_numbers(found))]
    names = list(dict.fromkeys(found.problem.space.axes[step.axis].name for step in sure))
    if names:
        verb = "changes" if len(names) == 1 else "change"
        yield False, f"One step away, {listed(names)} {verb} the result by more than chance."
        yield from _nearer(found, sure)
    else:
        yield (
            False,
            "Nothing one step away differs by more than chance: "
            f"{counted(len(found.steps), 'point was', 'points were')} tried.",
        )


def _nearer(found: Tuning, sure: Sequence[Step]) -> Iterator[tuple[bool, str]]:
    """Whether a step that changes something is better than the winner."""
    assert found.winner is not None
    better = [step for step in sure if step.loss < found.winner.loss]
    if better:
        best = min(better, key=lambda step: step.loss)
        axis = found.problem.space.axes[best.axis]
        word = axis.words[best.point[best.axis]]
        yield (
            True,
            f"With {axis.name}={word} instead it looks better still: search on from there.",
        )


def _goal_numbers(found: Tuning) -> range:
    return range(len(found.problem.goals))


def _is_sure(step: Step, goal: int) -> bool:
    """Whether a step changes a goal's value by more than chance."""
    low, high = step.differences[goal].interval
    return not low <= 0 <= high


def grids(found: Tuning) -> Iterator[tuple[str, Grid]]:
    """The tables, each with its title."""
    if found.finalists:
        yield "The race", candidates(found, found.finalists[:MOST_CANDIDATES])
    if found.front:
        yield (
            "The Pareto front: nothing else was better in all goals",
            candidates(found, found.front),
        )
    if found.decided:
        yield "What mattered", mattering(found)
    if found.steps:
        yield "One step away from the winner", steps(found)


def candidates(found: Tuning, chosen: Sequence[Candidate]) -> Grid:
    """A line for each of some points."""
    goals = found.problem.goals
    rows = tuple(
        (
            found.problem.words(one.point),
            *(
                goal.show(value.value, value.interval)
                for goal, value in zip(goals, one.values, strict=True)
            ),
            f"{one.games:,}",
        )
        for one in chosen
    )
    return Grid(("candidate", *(goal.text for goal in goals), "games"), rows)


def mattering(found: Tuning) -> Grid:
    """A line for each setting: its share of the variance, and its value before and now."""
    space = found.problem.space
    numbers = {axis.name: number for number, axis in enumerate(space.axes)}
    rows = []
    for name, share, p_value in found.effects:
        axis = space.axes[numbers[name]]
        winner = DASH
        if found.winner is not None:
            winner = _short(axis.words[found.winner.point[numbers[name]]])
        rows.append(
            (name, percent(share), f"{p_value:.2g}", _short(axis.words[axis.start]), winner)
        )
    return Grid(("setting", "of the variance", "p-value", "start", "winner"), tuple(rows))


def _short(word: str) -> str:
    """A value, of a number with many digits the first four."""
    try:
        return f"{float(word):.4g}" if len(word) > MOST_DIGITS else word
    except ValueError:
        return word


def steps(found: Tuning) -> Grid:
    """A line for each point one step away."""
    goals: Sequence[Goal] = found.problem.goals
    rows = []
    for step in found.steps[:MOST_STEPS]:
        axis = found.problem.space.axes[step.axis]
        rows.append(
            (
                f"{axis.name}={axis.words[step.point[step.axis]]}",
                *(
                    goal.show_difference(one.value, one.interval)
                    for goal, one in zip(goals, step.differences, strict=True)
                ),
                f"{step.games:,}",
            )
        )
    return Grid(("instead", *(goal.name for goal in goals), "games"), tuple(rows))


def footer(found: Tuning) -> Iterator[str]:
    """The notes on how to read it."""
    if not found.decided:
        return
    yield "In brackets: 95 % confidence, each number looked at alone."
    yield (
        "The start and the winner were compared on deals that no choice depended on. What "
        "mattered is the share of the variance of what the search saw (omega squared), without "
        "that of noise; the p-value is how probable such differences are by chance alone (F-test, "
        "with Holm's correction)."
    )
    if found.problem.refused:
        refused = counted(found.problem.refused, "combination was", "combinations were")
        yield f"{refused} left out: their values do not go together."
