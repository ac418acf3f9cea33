"""The page of a match of the game manager, for spectators."""

from __future__ import annotations

import contextlib
from html import escape

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.pictures import Picture
from kibitz.web.actors import LOOK, Actor
from kibitz.web.hall import Hall
from kibitz.web.matches import Follower, MatchView
from kibitz.web.pages.board import Stepper
from kibitz.web.pages.frame import SLOW_PAGE, alarm, frame, missing, shown

LOOK_EVERY = 0.5
"""Seconds between two checks of the record."""


def register(hall: Hall) -> None:
    """Registers the page."""

    @ui.page("/match/{name}", response_timeout=SLOW_PAGE)
    async def match_page(name: str) -> None:
        try:
            actor = await hall.start_actor(True, Follower, hall.workspace, name)
            ui.context.client.on_delete(actor.end)
            view = await actor.call(LOOK, Follower.view)
        except KibitzError as problem:
            missing(str(problem))
            return
        with frame(f"{view.title}: match", "Runs", wide=True):
            await MatchPage(actor, view).begin()


class MatchPage:
    """The page of one viewer of a match.

    Args:
        actor: runs the ``Follower`` of the match.
        view: the current view of the match.
    """

    def __init__(self, actor: Actor[Follower], view: MatchView) -> None:
        self._actor, self._view = actor, view
        self._steps = Stepper(view.last, self._draw, self._show, view.last)
        with ui.element("div").classes("table-head"):
            shown(f"<h1>{escape(view.title)}: match</h1>")
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
        self._timer = ui.timer(LOOK_EVERY, self._look, active=not view.is_over)

    async def begin(self) -> None:
        """Shows the last position."""
        await self._steps.show()

    async def _draw(self, at: int, width: int) -> Picture:
        return await self._actor.call(LOOK, Follower.draw, at, self._view.names, width)

    async def _look(self) -> None:
        """Shows new steps; a page that shows the last position goes on to the new one."""
        follows = self._steps.at == self._steps.last
        try:
            view = await self._actor.call(LOOK, Follower.newer)
        except KibitzError as problem:
            self._timer.active = False
            with self._trouble:
                alarm(problem)
            return
        if view is None:
            return
        self._view, self._steps.last = view, view.last
        self._timer.active = not view.is_over
        if follows:
            self._steps.at = view.last
            await self._steps.show()
        else:
            await self._show()

    async def _show(self) -> None:
        words = self._view.said
        if self._steps.at < self._steps.last:
            words = f"step {self._steps.at}, {words}"
        self._where.set_content(escape(words))
        with contextlib.suppress(KibitzError):
            self._log.set_content(await self._actor.call(LOOK, Follower.log, self._steps.at))
