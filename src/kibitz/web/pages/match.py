"""A match of the game manager, watched as it is played."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.web.hall import Hall
from kibitz.web.matches import Follower, said
from kibitz.web.pages.board import Stepper
from kibitz.web.pages.frame import SLOW_PAGE, alarm, frame, missing, shown

LOOK_EVERY = 0.5
"""Seconds between two looks at the record."""


def register(hall: Hall) -> None:
    """Registers the page."""

    @ui.page("/match/{name}", response_timeout=SLOW_PAGE)
    async def match_page(name: str) -> None:
        try:
            follower = await asyncio.to_thread(Follower, hall.workspace, name)
        except KibitzError as problem:
            missing(str(problem))
            return
        title = follower.game.title or follower.game.name
        with frame(f"{title}: match", "Runs", wide=True):
            MatchPage(title, follower)


class MatchPage:
    """The page of one viewer of a match.

    Args:
        title: of the game.
        follower: of the match.
    """

    def __init__(self, title: str, follower: Follower) -> None:
        self._match = follower
        last = len(follower.states) - 1
        self._steps = Stepper(follower.states, follower.names, self._show, last)
        with ui.element("div").classes("table-head"):
            shown(f"<h1>{escape(title)}: match</h1>")
            self._where = shown("", "span").classes("status").props('aria-live="polite"')
            ui.space()
            with ui.element("div").classes("controls"):
                self._steps.place_buttons()
        with ui.element("div").classes("table-grid"):
            with ui.element("div"):
                self._steps.place_board()
            with ui.element("aside").classes("side"):
                with ui.element("section").classes("panel"):
                    shown("<h2>What happened</h2>")
                    self._log = shown("").classes("log").props('tabindex="0"')
                self._trouble = ui.element("div")
        self._timer = ui.timer(LOOK_EVERY, self._look, active=not follower.is_over)
        self._steps.show()

    async def _look(self) -> None:
        """Shows what is new; whoever looks at the last position goes on with the match."""
        follows = self._steps.at == self._steps.last
        try:
            if not await asyncio.to_thread(self._match.look):
                return
        except KibitzError as problem:
            self._timer.active = False
            with self._trouble:
                alarm(problem)
            return
        self._timer.active = not self._match.is_over
        if follows:
            self._steps.go(self._steps.last)
        self._show()

    def _show(self) -> None:
        words = said(self._match.record)
        if self._steps.at < self._steps.last:
            words = f"step {self._steps.at}, {words}"
        self._where.set_content(escape(words))
        self._log.set_content(self._match.log(self._steps.at))
