"""The report of a training: its learning curve and the results against other agents."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz
from kibitz.core.wording import counted
from kibitz.reports.document import Command, DataTable, Document, Section, document_of
from kibitz.reports.numbers import percent
from kibitz.rl.curve import curve_plot
from kibitz.rl.learning import Learning


@document_of.register
def document(learning: Learning) -> Document:
    """The report of a training."""
    game, players = learning.table.game, counted(learning.table.players, "player")
    title = f"{game.title or game.name}, {players}"
    sections = []
    if learning.curve:
        plot = curve_plot(learning.curve, title, 1 / learning.table.players)
        sections.append(Section((plot,), "How it learned", "curve"))
    if learning.meetings:
        sections.append(Section((_meetings(learning),)))
    return Document(
        title=title,
        kind="training",
        headline=f"{title}: learned from {counted(learning.games, 'game')} "
        f"({counted(learning.decisions, 'decision')}) in {learning.seconds:,.0f} s on "
        f"{learning.device}.",
        about=tuple(_about(learning)),
        sections=tuple(sections),
        footer=(Command(f'neural:file="{learning.network}"', "To play by it"),),
        version=kibitz.__version__,
    )


def _about(learning: Learning) -> Iterator[str]:
    """The parameters that are not defaults, and whether the training was stopped early."""
    table = learning.table
    changed = table.parameters.changed(table.players)
    if changed:
        values = ", ".join(f"{name}={value}" for name, value in changed.items())
        yield f"Changed parameters: {values}."
    if learning.interrupted:
        yield "Stopped early; the same command goes on."


def _meetings(learning: Learning) -> DataTable:
    """A table with a row for each opponent of the network."""
    rows = [
        (
            meeting.opponent,
            f"{meeting.games:,}",
            percent(meeting.share),
            "{} to {}".format(*map(percent, meeting.interval)),
            percent(meeting.fair),
        )
        for meeting in learning.meetings
    ]
    return DataTable(("against", "games", "wins", "95 % interval", "fair share"), tuple(rows))
