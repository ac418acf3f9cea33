"""Example games of a playtest as blocks of a report."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from kibitz import sessions
from kibitz.core.errors import KibitzError
from kibitz.core.game import Table
from kibitz.core.wording import counted
from kibitz.reports import document
from kibitz.reports.numbers import number
from kibitz.runs.randomized import parameters_of
from kibitz.sessions.transcript import transcript
from kibitz.studies.commands import record_command
from kibitz.studies.measures.examples import Example
from kibitz.studies.results import Playtest

MOST_LINES = 600
"""Maximum number of lines of a transcript on a page; the command of the game shows all of it."""

KINDS = {
    "typical": "A typical game",
    "shortest": "The shortest game",
    "longest": "The longest game",
    "closest": "The closest finish",
    "clearest": "The clearest win",
}


def examples(playtest: Playtest, table: Table | None) -> tuple[document.Example, ...]:
    """The example games as blocks of a report; with a table they have transcripts."""
    return tuple(_block(playtest, example, table) for example in playtest["examples"])


def _block(playtest: Playtest, example: Example, table: Table | None) -> document.Example:
    summary = [counted(example.decisions, "decision")]
    if any(example.scores):
        summary.append(f"scores {', '.join(number(score) for score in example.scores)}")
    if len(set(example.agents)) > 1:
        summary.append(f"played by {', '.join(example.agents)}")
    return document.Example(
        KINDS[example.kind],
        f"Game {example.game + 1:,}: {'; '.join(summary)}.",
        record_command(playtest, example),
        functools.partial(_transcript, table, example, playtest.loops, playtest.randomized),
    )


def _transcript(
    table: Table | None, example: Example, loops: int, randomized: Sequence[str]
) -> str:
    """The game move by move; empty if it cannot be replayed, or without a table."""
    if table is None:
        return ""
    try:
        if randomized:
            values = table.parameters.as_dict()
            drawn = parameters_of(table.game, table.players, values, randomized, example.seed)
            table = table.game.table(table.players, drawn)
        record = sessions.record(table, example.agents, example.seed, loops=loops)
    except KibitzError:
        return ""
    lines = transcript(record, table).rstrip("\n").split("\n")
    if len(lines) > MOST_LINES:
        remaining = counted(len(lines) - MOST_LINES, "more line")
        lines = [*lines[:MOST_LINES], "", f"... and {remaining}: the command above tells them."]
    return "\n".join(lines)
