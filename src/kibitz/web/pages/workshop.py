"""The workshop: an editor for rules, what is wrong with them, and what games of them are like."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import background_tasks, events, ui

from kibitz.core.errors import KibitzError
from kibitz.core.game import Table
from kibitz.syntax.source import Source
from kibitz.web import checks
from kibitz.web.checks import Finding
from kibitz.web.games import GameChoice
from kibitz.web.hall import Hall
from kibitz.web.pages.frame import (
    SLOW_PAGE,
    button,
    clickable,
    explained,
    frame,
    missing,
    shown,
)
from kibitz.web.pages.game import first_page
from kibitz.web.pages.trying import TrialPanel
from kibitz.web.seating import first_opponent
from kibitz.web.tables import HostedTable

PAUSE = 0.12
"""Seconds without typing after which a text is kept and checked."""
EDITOR_SECONDS = 30.0
"""In which the browser has to make the editor."""
_PREPARE = """
await getElement(%d).editorPromise;
document.querySelector('.cm-content').setAttribute('aria-label', 'Rules');
return matchMedia('(prefers-color-scheme: dark)').matches;
"""


def register(hall: Hall) -> None:
    """Registers the pages."""

    @ui.page("/workshop", response_timeout=SLOW_PAGE)
    async def shelf() -> None:
        offers = await asyncio.to_thread(checks.starts)
        with frame("Workshop", "Workshop"):
            shown(
                "<h1>Workshop</h1><p class='lead'>Write a game in RECYCLE or GDL. Mistakes are "
                "underlined as you type; play it, or have thousands of games played, with one "
                "click.</p>"
            )
            with ui.element("div").classes("two"):
                with ui.element("section").classes("panel"):
                    shown("<h2>A new game</h2>")
                    _new_form(hall, offers)
                with ui.element("section").classes("panel"):
                    rows = "".join(
                        f"<p><a href='/workshop/{escape(name)}'>{escape(name)}</a></p>"
                        for name in hall.workspace.texts()
                    )
                    shown(f"<h2>Yours</h2>{rows or '<p class=quiet>Nothing yet.</p>'}")

    @ui.page("/workshop/{name}", response_timeout=SLOW_PAGE)
    async def bench(name: str) -> None:
        try:
            text = hall.workspace.text(name)
        except KibitzError as problem:
            missing(str(problem))
            return
        with frame(name, "Workshop", wide=True):
            Bench(hall, name, text)


def _new_form(hall: Hall, offers: dict[str, str]) -> None:
    name = ui.input("Name", value="My game").props("outlined dense").style("width: 100%")
    origin = ui.select(offers, value=next(iter(offers)), label="Begin with", with_input=True)
    origin.props("outlined dense").style("width: 100%; margin: .8rem 0")

    async def make() -> None:
        title = (name.value or "").strip() or "My game"
        with explained():
            suffix, text = await asyncio.to_thread(checks.start, origin.value, title.title())
            file = hall.workspace.free_name(title, suffix)
            hall.workspace.keep_text(file, text)
            ui.navigate.to(f"/workshop/{file}")

    button("Begin", make, main=True)


class Bench:
    """The page of one text.

    Args:
        hall: where its tables are opened.
        name: of its file.
        text: what is in it.
    """

    def __init__(self, hall: Hall, name: str, text: str) -> None:
        self._hall, self._name = hall, name
        self._findings: list[Finding] = []
        self._waiting: asyncio.Task[None] | None = None
        with ui.element("div").classes("table-head"):
            shown(f"<h1>{escape(name)}</h1>")
            self._kept = shown("Kept", "span").classes("quiet").props('aria-live="polite"')
            ui.space()
            button("Format", self._format)
            button("Play", self._play, main=True)
        with ui.element("div").classes("bench"):
            with ui.element("div"):
                self._editor = ui.codemirror(
                    text, language="Scheme", theme="vscodeLight", indent="  ", line_wrapping=True
                )
                self._editor.props('aria-label="Rules"')
                self._editor.on_value_change(self._typed)
            with ui.element("div").classes("side"):
                with ui.element("section").classes("panel"):
                    self._heading = shown("<h2>Mistakes</h2>")
                    self._list = clickable(shown("").classes("findings-box"), self._act)
                with ui.element("section").classes("panel"):
                    trying = TrialPanel(hall, self._table)
        trying.place_report()
        ui.timer(0.0, self._begin, once=True)

    # -- the text ------------------------------------------------------------------------------

    def _typed(self, event: events.ValueChangeEventArguments[str]) -> None:
        self._kept.set_content("...")
        self._later(PAUSE)

    def _later(self, seconds: float) -> None:
        """Keeps and checks the text after a while, unless more is typed before."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = background_tasks.create(self._keep_and_check(seconds))

    async def _keep_and_check(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        text = self._editor.value
        try:
            if seconds:
                await asyncio.to_thread(self._hall.workspace.keep_text, self._name, text)
            self._kept.set_content("Kept")
            found = await self._hall.checks.run(lambda: checks.find(self._name, text))
        except KibitzError as problem:
            self._kept.set_content(escape(str(problem)))
            return
        if text == self._editor.value:
            self._show(found)

    def _show(self, found: list[Finding]) -> None:
        self._findings = found
        # not as a property: that would send the text, too, and undo what is being typed
        self._editor.run_method("setDecorations", checks.marks(found))
        errors = sum(one.kind == "error" for one in found)
        words = f"{errors} error{'s' if errors != 1 else ''}" if errors else "No errors"
        more = len(found) - errors
        self._heading.set_content(f"<h2>{words}{f', {more} more to look at' if more else ''}</h2>")
        self._list.set_content(checks.listed(found))

    def _act(self, what: str) -> None:
        """Goes to the line of a finding, or mends it."""
        verb, _, number = what.partition(" ")
        if verb == "line":
            self._editor.reveal_line(int(number))
            return
        one = self._findings[int(number)]
        text = self._editor.value
        if one.mend is not None:
            self._editor.value = text[: one.start] + one.mend + text[one.end :]

    async def _format(self) -> None:
        with explained():
            language = checks.language_of_file(self._name)
            source = Source(self._name, self._editor.value)
            self._editor.value = await asyncio.to_thread(language.format, source)

    async def _begin(self) -> None:
        """Once the editor is there: names it, has it follow light or dark, checks the text."""
        try:
            dark = await ui.run_javascript(_PREPARE % self._editor.id, timeout=EDITOR_SECONDS)
        except TimeoutError:
            return  # the page has been left
        if dark:
            self._editor.set_theme("vscodeDark")
        self._later(0.0)

    # -- playing -------------------------------------------------------------------------------

    async def _choice(self) -> GameChoice:
        """The game as it is in the editor, kept.

        Raises:
            KibitzError: its text is wrong.
        """
        text = self._editor.value
        await asyncio.to_thread(self._hall.workspace.keep_text, self._name, text)
        choice = GameChoice(self._name, text)
        await asyncio.to_thread(lambda: choice.table(None, {}))
        return choice

    async def _table(self) -> Table:
        """The usual table of the game as it is in the editor."""
        return (await self._choice()).table(None, {})

    async def _play(self) -> None:
        with explained():
            choice = await self._choice()
            game = choice.game()
            seats = [None, *[first_opponent(game)] * (game.usual_players - 1)]
            live = await self._hall.open(
                lambda: HostedTable.open(choice, game.usual_players, {}, seats)
            )
            ui.navigate.to(first_page(live.hosted, together=False), new_tab=False)
