"""The workshop: an editor for rules, with their mistakes and with playtests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from html import escape

from nicegui import background_tasks, events, ui

from kibitz.core.errors import FileError, KibitzError
from kibitz.core.wording import counted
from kibitz.syntax.outline import Symbol
from kibitz.syntax.source import Source
from kibitz.web import checks, editing, validation
from kibitz.web.actors import CHECK
from kibitz.web.checks import MOST_FINDINGS, Finding
from kibitz.web.games import GameChoice
from kibitz.web.hall import Hall
from kibitz.web.live_playtests import Setup
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
from kibitz.web.pages.trying import PlaytestPanel
from kibitz.web.tables import HostedTable
from kibitz.web.validation import ForgedEventError

PAUSE = 0.05
"""Seconds without typing after which a text is kept and checked for errors."""
LONG_PAUSE = 0.3
"""Further seconds after which the other checks are made."""
EDITOR_SECONDS = 30.0
"""Seconds within which the browser has to make the editor."""
_EQUIP = """
const editor = getElement(%d);
await editor.editorPromise;
window.kibitzEditor = await import("/static/editor.js");
return window.kibitzEditor.equip(editor, %s);
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
        with explained() as page:
            suffix, text = await asyncio.to_thread(checks.start, origin.value, title)
            file = hall.workspace.free_name(title, suffix)
            hall.workspace.keep_text(file, text)
            page.open(f"/workshop/{file}")

    button("Begin", make, main=True)


class Bench:
    """The page of one text.

    Args:
        hall: opens tables of the game.
        name: the name of the file.
        text: the content of the file.

    Raises:
        KibitzError: the text is in no language that the workshop edits.
    """

    def __init__(self, hall: Hall, name: str, text: str) -> None:
        self._hall, self._name = hall, name
        self._language = checks.language_of_file(name)
        self._guide = editing.guide_for(self._language)
        self._findings: list[Finding] = []
        self._first = 0  # the number of the first of them; each list has numbers of its own
        self._offers: dict[int, tuple[Finding, str]] = {}  # by number, with the text it is of
        self._checked = text
        self._known = text  # what the file had when it was last read or written here
        self._writing = threading.Lock()
        self._parts: list[Symbol] = []
        self._place = 0
        self._waiting: asyncio.Task[None] | None = None
        with ui.element("div").classes("table-head"):
            shown(f"<h1>{escape(name)}</h1>")
            self._kept = shown("Kept", "span").classes("quiet kept").props('aria-live="polite"')
            ui.space()
            with ui.element("div").classes("controls"):
                ui.link("Versions", f"/versions/{name}").classes("btn")
                button("Format", self._format)
                button("Play", self._play, main=True)
        with ui.element("div").classes("bench"):
            with ui.element("nav").classes("panel outline").props('aria-label="Outline"'):
                shown("<h2>Outline</h2>")
                self._outline = clickable(shown(""), self._act)
            with ui.element("div").classes("writing"):
                self._editor = ui.codemirror(
                    text,
                    indent="  ",
                    line_wrapping=True,
                    keymap={
                        "F1": lambda: self._look_up(),
                        "Mod-s": lambda: self._later(0.0),
                        "Shift-Alt-f": lambda: self._format(),
                    },
                )
                self._editor.on_value_change(self._typed)
                self._help = shown(editing.help_html(None)).classes("helpline")
                self._help.props('role="status"')
            with (
                ui.element("div").classes("side"),
                ui.element("section").classes("panel sidepanel"),
            ):
                self._sides()
        self._trying.place_report()
        ui.on("kibitz-place", self._moved)
        ui.timer(0.0, self._begin, once=True)

    def _sides(self) -> None:
        """The tabs beside the editor."""
        with ui.tabs().props("dense no-caps align=left inline-label").classes("tabs") as tabs:
            self._mistakes = ui.tab("Mistakes")
            ui.tab("Playtest")
            ui.tab("Reference")
        self._tabs = tabs
        with ui.tab_panels(tabs, value="Mistakes", animated=False, keep_alive=True).classes(
            "tab-panels"
        ):
            with ui.tab_panel("Mistakes"):
                self._heading = shown("").props('aria-live="polite"')
                self._list = clickable(shown(""), self._act)
            with ui.tab_panel("Playtest"):
                self._trying = PlaytestPanel(
                    self._hall, self._setup, f"/workshop/{self._name}", self._name
                )
            with ui.tab_panel("Reference"):
                field = ui.input(placeholder="Search the forms")
                field.props(
                    f'outlined clearable dense type="search" '
                    f'aria-label="Search the reference of {self._language.title}"'
                )
                field.on_value_change(lambda event: self._search(event.value or ""))
                self._hits = clickable(shown(""), self._act)
                self._reference = shown("").classes("reference").props('tabindex="0"')
        tabs.on_value_change(lambda: self._look_up(again=True))

    # -- the text ------------------------------------------------------------------------------

    def _typed(self, event: events.ValueChangeEventArguments[str]) -> None:
        self._kept.set_content("...")
        self._later(PAUSE)

    def _later(self, seconds: float) -> None:
        """Keeps and checks the text after this time, unless it is changed before."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = background_tasks.create(self._keep_and_check(seconds))

    async def _keep_and_check(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        text = self._editor.value
        keeping = asyncio.ensure_future(self._keep(text))
        try:
            await self._check(text)
        except KibitzError as problem:
            self._kept.set_content(escape(str(problem)))
        finally:
            await keeping

    async def _keep(self, text: str) -> None:
        try:
            overtaken = await asyncio.to_thread(self._write, text)
        except KibitzError as problem:
            self._kept.set_content(escape(str(problem)))
            return
        if overtaken:
            with self._editor.client:
                ui.notify("Another page changed this text: what it wrote is among the versions.")
        self._run(f"kept(editor, {editing.digest(text)})")
        if text == self._editor.value:
            self._kept.set_content("Kept")

    def _write(self, text: str) -> bool:
        """Writes the text; returns whether it replaced another page's text, kept as a version."""
        workspace = self._hall.workspace
        with self._writing:
            stored = self._known
            with contextlib.suppress(FileError):  # it may have been removed
                stored = workspace.text(self._name)
            overtaken = stored not in (self._known, text)
            if overtaken:
                workspace.keep_version(self._name, stored)
            workspace.keep_text(self._name, text)
            self._known = text
        return overtaken

    async def _check(self, text: str) -> None:
        """Shows the errors, parts and names of the text, and after a pause all findings."""
        name, run = self._name, self._hall.processes.run
        read = await run(CHECK, editing.read, name, text)
        warnings = [finding for finding in self._findings if finding.kind != "error"]
        self._show([*read.errors, *checks.moved(warnings, self._checked, text)], text)
        self._parts = read.parts
        self._outline.set_content(editing.outline_html(self._parts))
        self._run(f"name({json.dumps(read.names)})")
        await asyncio.sleep(LONG_PAUSE)
        self._show(await run(CHECK, checks.find, name, text), text)

    def _show(self, findings: list[Finding], text: str) -> None:
        if text != self._editor.value:
            return
        if findings != self._findings:  # else a button would be replaced while it is pressed
            self._first += len(self._findings)
        self._findings, self._checked = findings, text
        earlier = self._first - MOST_FINDINGS  # a click may be on its way while the list changes
        self._offers = {n: offer for n, offer in self._offers.items() if n >= earlier}
        self._offers |= {n: (finding, text) for n, finding in enumerate(findings, self._first)}
        # not as a property: that would send the text, too, and undo what is being typed
        self._editor.run_method("setDecorations", checks.marks(findings))
        errors = sum(finding.kind == "error" for finding in findings)
        words = counted(errors, "error") if errors else "No errors"
        more = len(findings) - errors
        self._heading.set_content(f"<h2>{words}{f', {more} more to look at' if more else ''}</h2>")
        self._mistakes.props(f'label="Mistakes{f" {len(findings)}" if findings else ""}"')
        self._list.set_content(checks.listed(findings, self._first))

    def _run(self, call: str) -> None:
        """Calls a function of the editor's script in the browser."""
        with self._editor.client:
            ui.run_javascript(
                f"const editor = getElement({self._editor.id}); window.kibitzEditor?.{call}"
            )

    def _act(self, command: str) -> None:
        """Handles a click: goes to a finding, a part or a form, or mends a mistake."""
        verb, _, argument = command.partition(" ")
        if verb == "form":
            self._open_reference(argument)
        elif verb == "part":
            chosen_part = self._parts[validation.number(argument, 0, len(self._parts) - 1)]
            self._run(f"go(editor, {chosen_part.span.start})")
        elif verb in ("place", "mend"):
            number = validation.number(argument, 0, self._first + len(self._findings) - 1)
            text = self._editor.value
            if number not in self._offers:
                return
            finding, its_text = self._offers[number]
            held = checks.moved([finding], its_text, text)
            if not held:
                return
            [moved] = held
            if verb == "place" or moved.mend is None:
                self._run(f"go(editor, {moved.start}, {moved.end})")
            else:
                self._editor.value = text[: moved.start] + moved.mend + text[moved.end :]
        else:
            raise ForgedEventError(command)

    async def _format(self) -> None:
        with explained():
            source = Source(self._name, self._editor.value)
            formatted = await self._hall.processes.run(CHECK, editing.formatted, source)
            if self._editor.value == source.text:
                self._editor.value = formatted

    async def _begin(self) -> None:
        """Waits for the editor, gives it the tables of the language, and checks the text."""
        with explained():  # before what was typed elsewhere may come back
            await asyncio.to_thread(self._hall.workspace.keep_version, self._name, self._checked)
        infix = self._name.endswith((".kif", ".gdl")) and self._checked.lstrip()[:1] not in "(;"
        equipment = {**editing.tables(self._guide), "comment": "%" if infix else ";"}
        try:
            brought = await ui.run_javascript(
                _EQUIP % (self._editor.id, json.dumps(equipment)), timeout=EDITOR_SECONDS
            )
        except TimeoutError:
            return  # the page has been left
        if brought:
            ui.notify("What was typed here before is back.", timeout=6000)
        self._later(0.0)

    # -- the reference -------------------------------------------------------------------------

    def _moved(self, event: events.GenericEventArguments) -> None:
        """Explains the form at the cursor."""
        place = event.args if isinstance(event.args, int) else 0
        self._place = min(max(place, 0), len(self._editor.value))
        entry = self._guide.form_at(self._editor.value, self._place)
        self._help.set_content(editing.help_html(entry))
        if entry is not None and self._tabs.value == "Reference":
            self._open_reference(entry.anchor)

    def _look_up(self, again: bool = False) -> None:
        """Opens the reference at the form at the cursor.

        Args:
            again: whether to do so only if the reference is already shown.
        """
        if again and self._tabs.value != "Reference":
            return
        entry = self._guide.form_at(self._editor.value, self._place)
        self._open_reference(entry.anchor if entry is not None else "")

    def _open_reference(self, anchor: str) -> None:
        if not self._reference.content:
            self._reference.set_content(self._guide.html)
        if self._tabs.value != "Reference":
            self._tabs.set_value("Reference")
        self._run(f"open({json.dumps(anchor)})")

    def _search(self, query: str) -> None:
        if not self._reference.content:
            self._reference.set_content(self._guide.html)
        self._hits.set_content(editing.hits_html(self._guide.search(query), query))

    # -- playing -------------------------------------------------------------------------------

    async def _choice(self) -> GameChoice:
        """Keeps the text in the editor and returns its game.

        Raises:
            KibitzError: the text has errors.
        """
        text = self._editor.value
        await asyncio.to_thread(self._write, text)
        errors = await self._hall.processes.run(CHECK, checks.find_errors, self._name, text)
        if errors:
            raise KibitzError(
                f"Line {errors[0].line}: {errors[0].message} "
                f"({counted(len(errors), 'error')}; see Mistakes.)"
            )
        await asyncio.to_thread(self._hall.workspace.keep_version, self._name, text)
        return GameChoice(self._name, text)

    async def _setup(self) -> tuple[str, Setup]:
        """The title and the usual table of the game in the editor."""
        choice = await self._choice()
        return (await self._hall.describe(choice)).title, Setup(choice)

    async def _play(self) -> None:
        with explained() as page:
            choice = await self._choice()
            game = await self._hall.describe(choice)
            seats = [None, *[game.first_opponent] * (game.usual_players - 1)]
            live = await self._hall.open(
                choice, HostedTable.open, choice, game.usual_players, {}, seats
            )
            page.open(first_page(live.card, together=False))
