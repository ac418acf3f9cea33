"""A match of the game manager, watched as it is played."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import events, ui

from kibitz.core.errors import KibitzError
from kibitz.pictures import draw
from kibitz.web.hall import Hall
from kibitz.web.matches import Follower, said
from kibitz.web.pages.frame import SLOW_PAGE, alarm, button, frame, missing, shown
from kibitz.web.pages.table import MOTIONS, USUAL_WIDTH, step_of, width_of
from kibitz.web.scene import Scene

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
        self._at = len(follower.states) - 1
        self._width = USUAL_WIDTH
        self._scene = Scene()
        with ui.element("div").classes("table-head"):
            shown(f"<h1>{escape(title)}: match</h1>")
            self._where = shown("", "span").classes("status").props('aria-live="polite"')
            ui.space()
            button("First", lambda: self._go(0))
            button("Back", lambda: self._go(self._at - 1))
            button("Next", lambda: self._go(self._at + 1))
            button("Latest", lambda: self._go(len(follower.states) - 1))
        with ui.element("div").classes("table-grid"):
            with ui.element("div"):
                self._board = shown("").classes("board")
                ui.element("q-resize-observer").on("resize", self._resized)
            with ui.element("aside").classes("side"):
                with ui.element("section").classes("panel"):
                    shown("<h2>What happened</h2>")
                    self._log = shown("").classes("log").props('tabindex="0"')
                self._trouble = ui.element("div")
        ui.keyboard(on_key=self._pressed)
        self._timer = ui.timer(LOOK_EVERY, self._look, active=not follower.is_over)
        self._show()

    async def _look(self) -> None:
        """Shows what is new; whoever looks at the latest position goes on with the match."""
        latest = self._at == len(self._match.states) - 1
        try:
            if not await asyncio.to_thread(self._match.look):
                return
        except KibitzError as problem:
            self._timer.active = False
            with self._trouble:
                alarm(problem)
            return
        if latest:
            self._at = len(self._match.states) - 1
        self._timer.active = not self._match.is_over
        self._show()

    def _go(self, number: int) -> None:
        self._at = min(max(number, 0), len(self._match.states) - 1)
        self._show()

    def _show(self) -> None:
        words = said(self._match.record)
        if self._at < len(self._match.states) - 1:
            words = f"step {self._at}, {words}"
        self._where.set_content(escape(words))
        self._log.set_content(self._match.log(self._at))
        self._show_picture()

    def _show_picture(self) -> None:
        state = self._match.states[self._at]
        picture = draw(state, None, width=self._width, names=self._match.names)
        self._board.set_content(self._scene.show(picture, MOTIONS["usual"]))

    def _resized(self, event: events.GenericEventArguments) -> None:
        width = width_of(event)
        if abs(width - self._width) > 4:
            self._width = width
            self._show_picture()

    def _pressed(self, event: events.KeyEventArguments) -> None:
        if step := step_of(event):
            self._go(self._at + step)
