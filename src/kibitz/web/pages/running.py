"""A run on a page: who plays, start and stop, how far it is, and the verdicts as they grow."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html import escape

from nicegui import ui

from kibitz.web.hall import LOOK_EVERY, PendingRun
from kibitz.web.live_playtests import Progress
from kibitz.web.pages.frame import button, explained, gauge, shown

KINDS = {"random": "random play", "skilled": "skilled play"}
AGENTS = {"random": "random", "skilled": "kibitz:iterations=300"}


@dataclass(frozen=True)
class StartedRun:
    """A run that was started on a page, and what the page does with it.

    Attributes:
        pending: the run, as it is listed until it ends.
        play: plays it to its end; returns the name of what was kept, empty if that is nothing.
        look: shows on the page what only this sort of run has, now and then.
    """

    pending: PendingRun
    play: Callable[[], Awaitable[str]]
    look: Callable[[], None]


class RunPanel:
    """Starts a run, shows how it gets on, and stops it.

    Args:
        begin: makes the run; is told who plays, a name of ``KINDS``.
        done: is called with the name of what was kept.
        label: of the button that starts it.
        main: whether that is what the page is for.

    Attributes:
        row: the row of buttons, for more of them.
    """

    def __init__(
        self,
        begin: Callable[[str], Awaitable[StartedRun]],
        done: Callable[[str], None],
        *,
        label: str = "Start",
        main: bool = False,
    ) -> None:
        self._begin, self._done = begin, done
        self._run: PendingRun | None = None
        self._is_running = False
        with ui.element("div").classes("row") as self.row:
            self._by = ui.select(KINDS, value="random")
            self._by.props('outlined dense aria-label="Who plays"')
            self._start = button(label, self._play, main=main)
            self._end = button("Stop", self.stop)
        self._end.set_visibility(False)
        self._bar = shown("")
        self._verdicts = shown("").props('aria-live="polite"')

    def stop(self) -> None:
        """Ends the run soon, if there is one; what was played counts."""
        if self._run is not None:
            self._run.stop()

    def clear(self) -> None:
        """Shows nothing of the last run any more, and stops it."""
        self.stop()
        self._bar.set_content("")
        self._verdicts.set_content("")

    async def _play(self) -> None:
        if self._is_running:
            return
        self._running(True)
        try:
            with explained():
                run = await self._begin(str(self._by.value))
                self._run = run.pending
                await self._follow(run)
        finally:
            self._run = None
            self._running(False)

    async def _follow(self, run: StartedRun) -> None:
        """Shows how a run gets on, and what was kept of it."""
        work = asyncio.ensure_future(run.play())
        while not work.done():
            await asyncio.wait([work], timeout=LOOK_EVERY)
            self._show(run.pending.progress)
            run.look()
        name = await work
        self._show(run.pending.progress)
        run.look()
        if name:
            self._done(name)

    def _show(self, now: Progress) -> None:
        self._bar.set_content(bar(now))
        self._verdicts.set_content(verdicts(now))

    def _running(self, running: bool) -> None:
        self._is_running = running
        self._start.set_visibility(not running)
        self._end.set_visibility(running)


def bar(now: Progress) -> str:
    """How far a run is, as HTML."""
    return (
        f"{gauge(now.played, now.wanted, 'Games')}"
        f"<p class='quiet'>{now.played:,} of {now.wanted:,} games</p>"
    )


def verdicts(now: Progress) -> str:
    """The verdicts of a run so far, as HTML, the urgent ones first."""
    rows = "".join(
        f"<li class='{'urgent' if urgent else ''}'>{escape(said)}</li>"
        for urgent, said in now.verdicts
    )
    return f"<ul class='verdicts'>{rows}</ul>" if rows else ""
