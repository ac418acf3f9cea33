"""The part of a page that plays games of a game and shows their report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape

from nicegui import ui

from kibitz.core.game import Table
from kibitz.playtest.results import Playtest
from kibitz.web.hall import Hall, PendingRun
from kibitz.web.live_playtests import LivePlaytest, Progress, keep_report, keep_summary
from kibitz.web.pages.frame import shown
from kibitz.web.pages.running import AGENTS, RunPanel, StartedRun

GAMES = {"random": 5_000, "skilled": 400}


class PlaytestPanel:
    """A playtest that is started, watched and stopped.

    Args:
        hall: has the thread in which it is played.
        table: finds the table that is played at.
        page: the address of the page.
        game: what the reports are about: the name of a game, or of a file.
        kept: called when there is a new report.
    """

    def __init__(
        self,
        hall: Hall,
        table: Callable[[], Awaitable[Table]],
        page: str,
        game: str,
        kept: Callable[[], None] = lambda: None,
    ) -> None:
        self._hall, self._table = hall, table
        self._page, self._game, self._kept = page, game, kept
        self._report: ui.html | None = None
        shown("<h2>Playtest</h2>")
        RunPanel(hall, self._begin, self._show_report)
        self._plots = shown("").classes("plots")

    def place_report(self) -> None:
        """Says that the report will be shown here."""
        self._report = shown("")

    async def _begin(self, kind: str) -> StartedRun:
        table = await self._table()
        live = LivePlaytest(table, [AGENTS[kind]], GAMES[kind])
        title = table.game.title or table.game.name

        def keep(playtest: Playtest) -> str:
            if not playtest.games:
                return ""
            workspace = self._hall.workspace
            name = keep_report(workspace, title, playtest, table)
            keep_summary(workspace, name, self._game, title, live.progress)
            return name

        pending = PendingRun(title, self._page, live)
        return StartedRun(pending, keep, lambda: self._show_plots(live.progress))

    def _show_plots(self, now: Progress) -> None:
        drawn = "".join(
            f"<figure><figcaption>{escape(title)}</figcaption>{svg}</figure>"
            for title, svg in now.plots
        )
        self._plots.set_content(drawn)

    def _show_report(self, name: str) -> None:
        self._kept()
        if self._report is not None:
            address = f"/report/{escape(name)}"
            self._report.set_content(
                f"<h2><a href='{address}' target='_blank'>The whole report</a></h2>"
                f"<iframe class='report' title='The report' src='{address}'></iframe>"
            )
