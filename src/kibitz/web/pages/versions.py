"""Two versions of a game side by side: what changed in the rules, and what in the answers."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.playtest.comparison import Comparison
from kibitz.web import versions
from kibitz.web.games import GameChoice
from kibitz.web.hall import Going, Hall
from kibitz.web.pages.frame import SLOW_PAGE, button, explained, frame, missing, shown
from kibitz.web.pages.trying import AGENTS, KINDS, LOOK_EVERY
from kibitz.web.trials import ComparisonTrial, keep_summary
from kibitz.web.workspace import RUNS

GAMES = {"random": 4_000, "skilled": 300}
"""Of each version."""


def register(hall: Hall) -> None:
    """Registers the page."""

    @ui.page("/versions/{name}", response_timeout=SLOW_PAGE)
    async def versions_page(name: str) -> None:
        try:
            hall.workspace.text(name)
        except KibitzError as problem:
            missing(str(problem))
            return
        with frame(f"Versions of {name}", "Workshop", wide=True):
            VersionsPage(hall, name)


class VersionsPage:
    """The page of the versions of a text.

    Args:
        hall: has the workspace, and the thread in which games are played.
        name: of the file.
    """

    def __init__(self, hall: Hall, name: str) -> None:
        self._hall, self._name = hall, name
        self._trial: ComparisonTrial | None = None
        self._offers = versions.offers(hall.workspace, name)
        others = hall.workspace.versions(name)
        now = hall.workspace.text(name)
        different = (o for o in others if versions.text_of(hall.workspace, name, o) != now)
        first = next(different, others[0] if others else versions.NOW)
        shown(
            f"<h1>Versions of {escape(name)}</h1><p class='lead'>A version is kept whenever you "
            "open, play or playtest a text that has changed. Choose two: what changed in the "
            f"rules, and what in the answers. <a href='/workshop/{escape(name)}'>To the editor"
            "</a></p>"
        )
        with ui.element("div").classes("choosing"):
            self._old = self._field("Before", first)
            self._new = self._field("After", versions.NOW)
        with ui.element("section").classes("panel"):
            shown("<h2>Answers</h2>")
            with ui.element("div").classes("row"):
                self._by = ui.select(KINDS, value="random")
                self._by.props('outlined dense aria-label="Who plays"')
                self._start = button("Compare", self._compare, main=True)
                self._end = button("Stop", self._stop)
                self._take = button("Go back to the one before", self._go_back)
            self._end.set_visibility(False)
            self._bar = shown("")
            self._said = shown("").props('aria-live="polite"')
            self._table = shown("")
            self._kept = shown("")
        shown("<h2>Rules</h2>")
        self._changes = shown("")
        self._choose()

    def _field(self, label: str, value: str) -> ui.select:
        field = ui.select(self._offers, value=value, label=label, on_change=self._choose)
        field.props("outlined dense")
        return field

    def _texts(self) -> tuple[str, str]:
        workspace = self._hall.workspace
        return (
            versions.text_of(workspace, self._name, str(self._old.value)),
            versions.text_of(workspace, self._name, str(self._new.value)),
        )

    def _labels(self) -> tuple[str, str]:
        old, new = self._offers[str(self._old.value)], self._offers[str(self._new.value)]
        return (old, new) if old != new else ("before", "after")

    def _choose(self) -> None:
        """Shows what differs in the rules of the two that are chosen."""
        with explained():
            self._changes.set_content(
                versions.changes_html(versions.compared(*self._texts()), *self._labels())
            )
        for place in (self._bar, self._said, self._table, self._kept):
            place.set_content("")
        self._stop()

    async def _compare(self) -> None:
        if self._trial is not None:
            return
        with explained():
            texts, labels, kind = self._texts(), ("before", "after"), str(self._by.value)
            tables = {}
            for label, text in zip(labels, texts, strict=True):
                choice = GameChoice(self._name, text)
                tables[label] = await asyncio.to_thread(choice.table, None, {})
            self._trial = trial = ComparisonTrial(tables, [AGENTS[kind]], GAMES[kind])
            self._running(True)
            try:
                await self._follow(trial)
            finally:
                self._trial = None
                self._running(False)

    async def _follow(self, trial: ComparisonTrial) -> None:
        title = f"{self._name}: two versions"
        changes, names = self._changes.content, list[str]()

        def keep(found: Comparison) -> None:
            if found.games:
                page = versions.report_html(title, changes, found, trial.progress.verdicts)
                workspace = self._hall.workspace
                names.append(workspace.keep_new(RUNS, f"{self._name} versions", ".html", page))
                keep_summary(workspace, names[0], self._name, title, trial.progress)

        going = Going(title, f"/versions/{self._name}", trial)
        work = asyncio.ensure_future(self._hall.play(going, keep, trial.run))
        while not work.done():
            await asyncio.wait([work], timeout=LOOK_EVERY)
            self._show(trial)
        await work
        self._show(trial)
        if names:
            self._kept.set_content(
                f"<p><a href='/report/{escape(names[0])}' target='_blank'>Kept as a report</a></p>"
            )

    def _show(self, trial: ComparisonTrial) -> None:
        now = trial.progress
        self._bar.set_content(
            f"<progress max='{now.wanted}' value='{now.played}' aria-label='Games'></progress>"
            f"<p class='quiet'>{now.played:,} of {now.wanted:,} games</p>"
        )
        rows = "".join(
            f"<li class='{'urgent' if urgent else ''}'>{escape(said)}</li>"
            for urgent, said in now.verdicts
            if not (urgent and self._trial is not None)  # that it is not over yet
        )
        self._said.set_content(f"<ul class='verdicts'>{rows}</ul>" if rows else "")
        self._table.set_content(versions.answers_html(trial.found))

    def _running(self, running: bool) -> None:
        self._start.set_visibility(not running)
        self._end.set_visibility(running)

    def _stop(self) -> None:
        if self._trial is not None:
            self._trial.stop()

    async def _go_back(self) -> None:
        """Makes the version before the text of the file; the text as it is stays a version."""
        with explained():
            workspace, name = self._hall.workspace, self._name
            old, _ = self._texts()
            await asyncio.to_thread(workspace.keep_version, name, workspace.text(name))
            await asyncio.to_thread(workspace.keep_text, name, old)
            ui.navigate.to(f"/workshop/{name}")
