"""The part of a page that plays games and shows their verdicts as they grow."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from html import escape

from nicegui import ui

from kibitz.core.game import Table
from kibitz.web.hall import Hall
from kibitz.web.pages.frame import button, explained, shown
from kibitz.web.trials import Trial, keep_report

LOOK_EVERY = 0.3
"""Seconds between two looks at a playtest."""
KINDS = {"random": "random play", "skilled": "skilled play"}
AGENTS = {"random": "random", "skilled": "kibitz:iterations=300"}
GAMES = {"random": 5_000, "skilled": 400}


class TrialPanel:
    """A playtest that is started, watched and stopped.

    Args:
        hall: has the thread in which it is played.
        table: finds the table that is played at.
    """

    def __init__(self, hall: Hall, table: Callable[[], Awaitable[Table]]) -> None:
        self._hall, self._table = hall, table
        self._trial: Trial | None = None
        self._report: ui.html | None = None
        shown("<h2>Playtest</h2>")
        with ui.element("div").classes("row"):
            self._by = ui.select(KINDS, value="random").props(
                'outlined dense aria-label="Who plays"'
            )
            self._start = button("Start", self._try)
            self._end = button("Stop", self._stop)
        self._end.set_visibility(False)
        self._bar = shown("")
        self._verdicts = shown("").props('aria-live="polite"')
        ui.context.client.on_delete(self._stop)

    def place_report(self) -> None:
        """Says that the report will be shown here."""
        self._report = shown("")

    async def _try(self) -> None:
        if self._trial is not None:
            return
        with explained():
            table = await self._table()
            kind = str(self._by.value)
            self._trial = trial = Trial(table, [AGENTS[kind]], GAMES[kind])
            self._running(True)
            try:
                await self._follow(trial)
            finally:
                self._trial = None
                self._running(False)

    async def _follow(self, trial: Trial) -> None:
        """Shows how a playtest gets on, and at the end its report."""
        work = asyncio.ensure_future(self._hall.trials.run(trial.run))
        while not work.done():
            await asyncio.wait([work], timeout=LOOK_EVERY)
            self._show_progress(trial)
        playtest = await work
        self._show_progress(trial)
        if playtest.games and self._report is not None:
            stem = trial.table.game.title or trial.table.game.name
            name = await asyncio.to_thread(
                keep_report, self._hall.workspace, stem, playtest, trial.table
            )
            self._report.set_content(
                f"<h2><a href='/report/{escape(name)}' target='_blank'>The whole report</a></h2>"
                f"<iframe class='report' title='The report' src='/report/{escape(name)}'></iframe>"
            )

    def _show_progress(self, trial: Trial) -> None:
        now = trial.progress
        self._bar.set_content(
            f"<progress max='{now.wanted}' value='{now.played}' aria-label='Games'></progress>"
            f"<p class='quiet'>{now.played:,} of {now.wanted:,} games</p>"
        )
        rows = "".join(
            f"<li class='{'urgent' if urgent else ''}'>{escape(said)}</li>"
            for urgent, said in now.verdicts
        )
        self._verdicts.set_content(f"<ul class='verdicts'>{rows}</ul>")

    def _running(self, running: bool) -> None:
        self._start.set_visibility(not running)
        self._end.set_visibility(running)

    def _stop(self) -> None:
        if self._trial is not None:
            self._trial.stop()
