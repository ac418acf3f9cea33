"""The panel that playtests a game and shows the report."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from html import escape

from nicegui import ui

from kibitz.web.actors import REPORT, Actor
from kibitz.web.hall import Hall, PendingRun
from kibitz.web.live_playtests import LivePlaytest, Progress, Setup, keep_report, keep_summary
from kibitz.web.pages.frame import shown
from kibitz.web.pages.running import AGENTS, RunPanel, StartedRun

GAMES = {"random": 5_000, "skilled": 400}


class PlaytestPanel:
    """A playtest that is started, watched and stopped.

    Args:
        hall: plays the games.
        setup: returns the title of the game and its table.
        page: the address of the page.
        game: the name of the game or file that the reports belong to.
        kept: called when there is a new report.
    """

    def __init__(
        self,
        hall: Hall,
        setup: Callable[[], Awaitable[tuple[str, Setup]]],
        page: str,
        game: str,
        kept: Callable[[], None] = lambda: None,
    ) -> None:
        self._hall, self._setup = hall, setup
        self._page, self._game, self._kept = page, game, kept
        self._report: ui.html | None = None
        shown("<h2>Playtest</h2>")
        RunPanel(self._begin, self._show_report)
        self._plots = shown("").classes("plots")

    def place_report(self) -> None:
        """Places the report here."""
        self._report = shown("")

    async def _begin(self, kind: str) -> StartedRun:
        title, setup = await self._setup()
        pending = PendingRun(title, self._page, GAMES[kind])

        async def begin() -> Actor[LivePlaytest]:
            is_text = setup.choice.is_text
            return await self._hall.start_actor(
                is_text, LivePlaytest.open, setup, [AGENTS[kind]], GAMES[kind]
            )

        async def keep(actor: Actor[LivePlaytest]) -> str:
            page = await actor.call(REPORT, LivePlaytest.report)
            return await asyncio.to_thread(self._keep, title, page, pending)

        return StartedRun(
            pending,
            lambda: self._hall.play(pending, begin, keep),
            lambda: self._show_plots(pending.progress),
        )

    def _keep(self, title: str, page: str, run: PendingRun) -> str:
        workspace = self._hall.workspace
        name = keep_report(workspace, title, page)
        keep_summary(workspace, name, self._game, title, run.progress)
        return name

    def _show_plots(self, progress: Progress) -> None:
        drawn = "".join(
            f"<figure><figcaption>{escape(title)}</figcaption>{svg}</figure>"
            for title, svg in progress.plots
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
