"""The page of two versions of a game: the changes of the rules and of their effects in play."""

from __future__ import annotations

import asyncio
import contextlib
from html import escape

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.web import versions
from kibitz.web.actors import CHECK, REPORT, Actor
from kibitz.web.games import GameChoice
from kibitz.web.hall import Hall, PendingRun
from kibitz.web.live_playtests import LiveComparison, Setup, keep_report, keep_summary
from kibitz.web.pages.fields import TableFields
from kibitz.web.pages.frame import SLOW_PAGE, button, explained, frame, missing, shown
from kibitz.web.pages.running import AGENTS, RunPanel, StartedRun

GAMES = {"random": 4_000, "skilled": 300}
"""Number of games of each version, by kind of agents."""


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
            await VersionsPage(hall, name).choose()


class VersionsPage:
    """The page of the versions of a text.

    Args:
        hall: has the workspace and plays the games.
        name: the name of the file.
    """

    def __init__(self, hall: Hall, name: str) -> None:
        self._hall, self._name = hall, name
        self._fields: list[TableFields | None] = [None, None]
        self._offers = versions.offers(hall.workspace, name)
        others = hall.workspace.versions(name)
        current = hall.workspace.text(name)
        different = (o for o in others if versions.text_of(hall.workspace, name, o) != current)
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
            self._places = (ui.element("div"), ui.element("div"))
        with ui.element("section").classes("panel"):
            shown("<h2>Answers</h2>")
            self._panel = RunPanel(self._begin, self._show_kept, label="Compare", main=True)
            with self._panel.row:
                button("Go back to the one before", self._go_back)
            self._table = shown("")
            self._kept = shown("")
        shown("<h2>Rules</h2>")
        self._changes = shown("")

    def _field(self, label: str, value: str) -> ui.select:
        field = ui.select(self._offers, value=value, label=label, on_change=self.choose)
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

    async def choose(self) -> None:
        """Shows the differences between the rules of the two chosen versions."""
        self._panel.clear()
        for place in (self._table, self._kept):
            place.set_content("")
        with explained():
            texts, labels = self._texts(), self._labels()
            html = await self._hall.processes.run(CHECK, versions.changes, texts, labels)
            self._changes.set_content(html)
            await self._place_fields()

    async def _place_fields(self) -> None:
        """Places the fields of the tables of both versions, unless their rules are broken."""
        for number, (text, place) in enumerate(zip(self._texts(), self._places, strict=True)):
            place.clear()
            self._fields[number] = None
            with contextlib.suppress(KibitzError):
                game = await self._hall.describe(GameChoice(self._name, text))
                with place:
                    fields = TableFields(game)
                    fields.place_parameters()
                self._fields[number] = fields

    async def _begin(self, kind: str) -> StartedRun:
        setups = {}
        for label, text, fields in zip(
            ("before", "after"), self._texts(), self._fields, strict=True
        ):
            players, values = (fields.players, fields.values) if fields else (None, {})
            setups[label] = Setup(GameChoice(self._name, text), players, values)
        title, changes = f"{self._name}: two versions", self._changes.content
        pending = PendingRun(title, f"/versions/{self._name}", 2 * GAMES[kind])

        async def begin() -> Actor[LiveComparison]:
            return await self._hall.start_actor(
                True, LiveComparison.open, setups, [AGENTS[kind]], GAMES[kind]
            )

        async def keep(actor: Actor[LiveComparison]) -> str:
            page = await actor.call(REPORT, LiveComparison.report, title, changes)
            return await asyncio.to_thread(self._keep, title, page, pending)

        return StartedRun(
            pending,
            lambda: self._hall.play(pending, begin, keep),
            lambda: self._show_answers(pending),
        )

    def _show_answers(self, run: PendingRun) -> None:
        self._table.set_content(run.progress.answers)

    def _keep(self, title: str, page: str, run: PendingRun) -> str:
        workspace = self._hall.workspace
        name = keep_report(workspace, f"{self._name} versions", page)
        keep_summary(workspace, name, self._name, title, run.progress)
        return name

    def _show_kept(self, name: str) -> None:
        self._kept.set_content(
            f"<p><a href='/report/{escape(name)}' target='_blank'>Kept as a report</a></p>"
        )

    async def _go_back(self) -> None:
        """Restores the earlier version of the file; the current text is kept as a version."""
        with explained() as page:
            workspace, name = self._hall.workspace, self._name
            old, _ = self._texts()
            await asyncio.to_thread(workspace.keep_version, name, workspace.text(name))
            await asyncio.to_thread(workspace.keep_text, name, old)
            page.open(f"/workshop/{name}")
