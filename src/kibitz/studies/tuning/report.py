"""The report of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz.core.wording import counted, listed
from kibitz.reports.document import Document, Section, Sentence, Sentences, document_of
from kibitz.reports.numbers import percent
from kibitz.studies.tuning.plots import tuning_plots
from kibitz.studies.tuning.results import Step, Tuning
from kibitz.studies.tuning.tables import tables

MATTERS = 0.01
"""Minimum share of the variance that a setting explains, for it to be reported."""

CHANCE = 0.05
"""P-value that a setting must be below, for it to be reported."""


@document_of.register
def document(tuning: Tuning) -> Document:
    """The report of a search."""
    plots = tuning_plots(tuning)
    numbers = tuple(tables(tuning))
    return Document(
        title=headline(tuning),
        kind="tuning",
        headline=headline(tuning),
        about=tuple(description(tuning)),
        sections=(
            Section((Sentences.of(sentences(tuning)),)),
            *(Section((plot,), plot.title, plot.name) for plot in plots),
            *(Section((table,), title) for title, table in numbers),
        ),
        footer=tuple(footer(tuning)),
        version=tuning.version,
    )


def headline(tuning: Tuning) -> str:
    """The headline: the tuned agent or game."""
    return f"Tuning {tuning.problem.title}, seed {tuning.seed}"


def description(tuning: Tuning) -> Iterator[str]:
    """The sentence on how it was searched."""
    space = tuning.problem.space
    names = counted(len(space.axes), "setting")
    points = counted(space.count, "combination")
    evaluated = counted(tuning.evaluated, "of them was", "of them were")
    if tuning.evaluated == space.count:
        evaluated = "all of them were"
    yield (
        f"{names}, {points}; {evaluated} evaluated by "
        f"{tuning.optimiser}, in {counted(tuning.played, 'game')} in all."
    )
    field = getattr(tuning.problem, "field", ())
    if field:
        yield f"Against {listed(field)}."


def sentences(tuning: Tuning) -> Iterator[Sentence]:
    """Sentences on the result; urgent ones need attention."""
    if tuning.interrupted:
        yield Sentence("Stopped early; with --out the same command goes on.", urgent=True)
    if not tuning.decided:
        yield Sentence(
            f"Nobody had a choice in {counted(tuning.played, 'game')}: there is nothing to "
            "decide, so no option can matter.",
            urgent=True,
        )
    winner = tuning.winner
    if winner is None:
        return
    changed = tuning.problem.space.changed(winner.point)
    if tuning.gains is None:
        if tuning.interrupted and changed:
            yield Sentence(
                f"So far {tuning.problem.words(winner.point)} looks best; it is not confirmed."
            )
        elif not changed:
            yield Sentence("Nothing better was found than what the search started from.")
    elif not tuning.improved:
        gained = _gained(tuning)
        yield Sentence(
            f"No sure gain: {tuning.problem.words(winner.point)} is no better than the start, "
            f"beyond chance. {gained}"
        )
    else:
        words = listed([f"{name}={value}" for name, value in changed.items()])
        yield from _better(tuning, words)
    yield from _goals(tuning)
    yield from _mattering(tuning)
    yield from _steps(tuning)
    if tuning.improved:
        yield Sentence(f"To use it: {tuning.problem.use(winner.point)}")
    elif _are_met(tuning):
        yield Sentence("Keep what you have.")
    elif not tuning.interrupted:
        yield Sentence("Keep what you have, or search on with more games or another --seed.")


def _better(tuning: Tuning, words: str) -> Iterator[Sentence]:
    """The sentence on a winner that is better than the start, and on the goals it gains in."""
    gains = list(zip(tuning.problem.goals, tuning.gains or (), strict=True))
    better = listed([goal.name for goal, gain in gains if gain.is_better])
    worse = listed([goal.name for goal, gain in gains if gain.is_worse])
    if len(gains) == 1:
        yield Sentence(f"Better: {words}. {_gained(tuning)}")
    elif worse:
        yield Sentence(
            f"Better in {better}, worse in {worse}: {words}. {_gained(tuning)}", urgent=True
        )
    else:
        yield Sentence(f"Better in {better}: {words}. {_gained(tuning)}")


def _are_met(tuning: Tuning) -> bool:
    """Whether the winner was confirmed, and all goals are met."""
    winner = tuning.winner
    if winner is None or tuning.interrupted:
        return False
    pairs = zip(tuning.problem.goals, winner.values, strict=True)
    return all(goal.is_met(value) for goal, value in pairs)


def _gained(tuning: Tuning) -> str:
    """The sentence on the gain, measured on fresh deals."""
    changes = []
    for goal, gain in zip(tuning.problem.goals, tuning.gains or (), strict=True):
        change = goal.show_difference(gain.difference.value, gain.difference.interval)
        before, after = goal.show(gain.start.value), goal.show(gain.tuned.value)
        changes.append(f"{goal.name} {before} before, {after} now, {change}")
    return f"On fresh deals: {'; '.join(changes)}."


def _goals(tuning: Tuning) -> Iterator[Sentence]:
    """Sentences on the goals of a game, met or missed."""
    winner = tuning.winner
    if winner is None or tuning.interrupted or tuning.problem.kind != "game":
        return
    for goal, value in zip(tuning.problem.goals, winner.values, strict=True):
        shown = goal.show(value.value, value.interval)
        if goal.is_met(value):
            yield Sentence(
                f"{goal.text}: met, as far as {counted(winner.games, 'game')} tell: {shown}."
            )
        else:
            yield Sentence(f"{goal.text}: missed: {shown}.", urgent=True)


def _mattering(tuning: Tuning) -> Iterator[Sentence]:
    """The sentence on which settings mattered."""
    telling = [e for e in tuning.effects if e.share >= MATTERS and e.p_value < CHANCE]
    if telling:
        words = listed([f"{effect.name} ({percent(effect.share)})" for effect in telling[:4]])
        verb = "matters" if len(telling) == 1 else "matter"
        yield Sentence(f"Of what varied in the search, {words} {verb} most.")
    else:
        yield Sentence("No single setting mattered by more than the noise of the search.")


def _steps(tuning: Tuning) -> Iterator[Sentence]:
    """Sentences on the effect of a step away from the winner."""
    if not tuning.steps:
        return
    sure = [step for step in tuning.steps if any(_is_sure(step, i) for i in _goal_numbers(tuning))]
    names = list(dict.fromkeys(tuning.problem.space.axes[step.axis].name for step in sure))
    if names:
        verb = "changes" if len(names) == 1 else "change"
        yield Sentence(f"One step away, {listed(names)} {verb} the result by more than chance.")
        yield from _nearer(tuning, sure)
    else:
        yield Sentence(
            "Nothing one step away differs by more than chance: "
            f"{counted(len(tuning.steps), 'point was', 'points were')} tried."
        )


def _nearer(tuning: Tuning, sure: Sequence[Step]) -> Iterator[Sentence]:
    """The sentence on a step that looks better than the winner."""
    assert tuning.winner is not None
    better = [step for step in sure if step.loss < tuning.winner.loss]
    if better:
        best = min(better, key=lambda step: step.loss)
        axis = tuning.problem.space.axes[best.axis]
        word = axis.words[best.point[best.axis]]
        yield Sentence(
            f"With {axis.name}={word} instead it looks better still: search on from there.",
            urgent=True,
        )


def _goal_numbers(tuning: Tuning) -> range:
    return range(len(tuning.problem.goals))


def _is_sure(step: Step, goal: int) -> bool:
    """Whether a step changes a goal's value by more than chance."""
    low, high = step.differences[goal].interval
    return not low <= 0 <= high


def footer(tuning: Tuning) -> Iterator[str]:
    """The notes on how to read it."""
    if not tuning.decided:
        return
    yield "In brackets: 95 % confidence, each number looked at alone."
    yield (
        "The start and the winner were compared on deals that no choice depended on. What "
        "mattered is the share of the variance of what the search saw (omega squared), without "
        "that of noise; the p-value is how probable such differences are by chance alone (F-test, "
        "with Holm's correction)."
    )
    if tuning.problem.refused:
        refused = counted(tuning.problem.refused, "combination was", "combinations were")
        yield f"{refused} left out: their values do not go together."
