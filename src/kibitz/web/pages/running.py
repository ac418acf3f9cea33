"""The panel of a run: agents, start and stop, progress, and the verdicts so far."""

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
    """A run that was started on a page, with the page's functions for it.

    Attributes:
        pending: the entry of the run in the list of pending runs.
        play: plays the run to its end; returns the name of its report, which may be empty.
        look: updates the parts of the page that are specific to this kind of run.
    """

    pending: PendingRun
    play: Callable[[], Awaitable[str]]
    look: Callable[[], None]


class RunPanel:
    """Starts a run, shows its progress, and stops it.

    Args:
        begin: makes the run, given the kind of agents, a name of ``KINDS``.
        done: called with the name of the report.
        label: the label of the start button.
        main: whether starting the run is the main action of the page.

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
        """Stops the run, if there is one; the games played so far count."""
        if self._run is not None:
            self._run.stop()

    def clear(self) -> None:
        """Stops the last run and removes its progress from the page."""
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
        """Plays a run, shows its progress, and then its report."""
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

    def _show(self, progress: Progress) -> None:
        self._bar.set_content(bar(progress))
        self._verdicts.set_content(verdicts(progress))

    def _running(self, running: bool) -> None:
        self._is_running = running
        self._start.set_visibility(not running)
        self._end.set_visibility(running)


def bar(progress: Progress) -> str:
    """The progress of a run, as HTML."""
    return (
        f"{gauge(progress.played, progress.wanted, 'Games')}"
        f"<p class='quiet'>{progress.played:,} of {progress.wanted:,} games</p>"
    )


def verdicts(progress: Progress) -> str:
    """The verdicts of a run so far, as HTML, the urgent ones first."""
    rows = "".join(
        f"<li class='{'urgent' if urgent else ''}'>{escape(wording)}</li>"
        for urgent, wording in progress.verdicts
    )
    return f"<ul class='verdicts'>{rows}</ul>" if rows else ""
