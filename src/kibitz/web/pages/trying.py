"""The part of a page that plays games and shows their verdicts as they grow."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from html import escape

from nicegui import ui

from kibitz.core.game import Table
from kibitz.playtest.results import Playtest
from kibitz.web.hall import Going, Hall
from kibitz.web.pages.frame import button, explained, shown
from kibitz.web.trials import Trial, keep_report, keep_summary

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
        page: the address of the page.
        game: what the reports are about: the name of a game, or of a file.
    """

    def __init__(
        self, hall: Hall, table: Callable[[], Awaitable[Table]], page: str, game: str
    ) -> None:
        self._hall, self._table = hall, table
        self._page, self._game = page, game
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
        self._plots = shown("").classes("plots")

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
        title = trial.table.game.title or trial.table.game.name
        names: list[str] = []

        def keep(playtest: Playtest) -> None:
            if playtest.games:
                workspace = self._hall.workspace
                names.append(keep_report(workspace, title, playtest, trial.table))
                keep_summary(workspace, names[0], self._game, title, trial.progress)

        going = Going(title, self._page, trial)
        work = asyncio.ensure_future(self._hall.play(going, keep, trial.run))
        while not work.done():
            await asyncio.wait([work], timeout=LOOK_EVERY)
            self._show_progress(trial)
        await work
        self._show_progress(trial)
        if names and self._report is not None:
            name = escape(names[0])
            self._report.set_content(
                f"<h2><a href='/report/{name}' target='_blank'>The whole report</a></h2>"
                f"<iframe class='report' title='The report' src='/report/{name}'></iframe>"
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
        self._verdicts.set_content(f"<ul class='verdicts'>{rows}</ul>" if rows else "")
        drawn = "".join(
            f"<figure><figcaption>{escape(title)}</figcaption>{svg}</figure>"
            for title, svg in now.plots
        )
        self._plots.set_content(drawn)

    def _running(self, running: bool) -> None:
        self._start.set_visibility(not running)
        self._end.set_visibility(running)

    def _stop(self) -> None:
        if self._trial is not None:
            self._trial.stop()
