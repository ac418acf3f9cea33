"""The report of variants: a table with a line for each."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.core.wording import counted, listed
from kibitz.reports.document import (
    Command,
    DataTable,
    Document,
    Paragraph,
    Section,
    Sentence,
    Sentences,
    document_of,
)
from kibitz.reports.numbers import mean, number, percent
from kibitz.studies.commands import record_command
from kibitz.studies.values import CAUSE_WORDS
from kibitz.studies.variants import Variant, Variants

MOST_VARIED = 26
"""Maximum width of the columns of varied parameters, in characters; wider ones share a column."""


@document_of.register
def document(variants: Variants) -> Document:
    """The report of variants."""
    first = variants.variants[0].playtest
    games = max(variant.playtest.wanted for variant in variants.variants)
    sections = []
    if variants.interrupted:
        stopped = (
            f"Stopped after {counted(variants.games, 'game')} of {games * variants.wanted:,}."
        )
        sections.append(Section((Sentences((Sentence(stopped, urgent=True),)),)))
    sections.append(Section((_table(variants), *_unfinished(variants))))
    return Document(
        title=variants.title,
        kind="variants",
        headline=f"{variants.title}: {counted(variants.wanted, 'variant')} of "
        f"{counted(games, 'game')} each, seed {variants.seed}",
        about=(f"Played by {listed([agent.agent or '' for agent in first.agents])}.",),
        sections=tuple(sections),
        footer=(
            "In brackets: where the true value lies, with 95 % confidence.",
            "Actions: the mean length of a game. Options: how many there are where there is a "
            "choice.",
        ),
        version=first.version,
    )


def _table(variants: Variants) -> DataTable:
    """A table with a line for each variant: wins are of the first agent, first seat or team."""
    first = variants.variants[0].playtest
    by_agent = len(first.agents) > 1
    winner = f"{(first.agents[0].agent or '').partition(':')[0]}" if by_agent else "seat 1"
    cooperative = not any(variant.playtest.has_rivals for variant in variants.variants)
    scored = all(variant.playtest.is_only_scored for variant in variants.variants)
    if cooperative and not by_agent:
        winner = "team" if first.players > 1 else "player"
    apart = _fit_apart(variants)
    rows = []
    for variant in variants.variants:
        result = variant.playtest
        performance = (result.agents if by_agent else result.seats)[0]
        unfinished = result.games - result.finished
        rows.append(
            (
                *(variant.shown.values() if apart else ["\n".join(_settings(variant))]),
                mean(performance.score)
                if scored
                else percent(performance.win_rate, performance.win_interval),
                number(result.ticks_per_game.mean),
                number(result.options_per_decision.mean),
                *([] if cooperative else [percent(result.tie_rate)]),
                percent(unfinished / result.games) if unfinished else "0",
            )
        )
    names = variants.varied if apart else ["variant"]
    ties = ["tied"] * (not cooperative)  # a team cannot tie with itself
    columns = (
        *names,
        f"{winner} {'scores' if scored else 'wins'}",
        "actions",
        "options",
        *ties,
        "unfinished",
    )
    return DataTable(columns, tuple(rows))


def _fit_apart(variants: Variants) -> bool:
    """Whether there is room for a column for each varied parameter."""
    widths = [
        1 + max(len(name), *(len(variant.shown[name]) for variant in variants.variants))
        for name in variants.varied
    ]
    return sum(widths) <= MOST_VARIED or len(widths) == 1


def _settings(variant: Variant) -> list[str]:
    """The values of a variant, as ``--set`` takes them."""
    return [f"{name}={value}" for name, value in variant.shown.items()]


def _unfinished(variants: Variants) -> Iterator[Paragraph | Command]:
    """Notes on why games of variants could not be finished, with commands that show one."""
    for variant in variants.variants:
        label = ", ".join(_settings(variant))
        for row in variant.playtest.unfinished:
            games = counted(row.games, "game")
            yield Paragraph(f"{label}: {CAUSE_WORDS[row.cause]} ({games})", urgent=True)
            yield Command(record_command(variant.playtest, row), urgent=True)
