"""The page of a table: picture, options, log and curtain; and the page of the seats' links."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from html import escape

from nicegui import background_tasks, events, ui

from kibitz.core.errors import KibitzError
from kibitz.core.wording import listed
from kibitz.pictures import Picture
from kibitz.web import opinions, showing, validation
from kibitz.web.choosing import Choice
from kibitz.web.hall import PACE, Hall, LiveTable
from kibitz.web.kibitzer import Assessment
from kibitz.web.pages.board import MOTIONS, Board, StaleError
from kibitz.web.pages.frame import (
    SLOW_PAGE,
    alarm,
    button,
    clickable,
    explained,
    frame,
    missing,
    shown,
)
from kibitz.web.tables import Card, Role, Standing
from kibitz.web.visits import remember

NO_TABLE = "There is no such table, or the link is not one of its links."

TAKE_BACK = "Take back"

PACES = {"slow": 2.0, "usual": PACE, "fast": 0.0, "step by step": None}
"""Seconds between two actions of agents, by pace; ``None``: they wait for *Next*."""


def register(hall: Hall) -> None:
    """Registers the page; the key in its address identifies the viewer."""

    @ui.page("/table/{id}/{key}", response_timeout=SLOW_PAGE)
    async def table_page(id: str, key: str) -> None:
        try:
            live = await hall.find(id)
        except KibitzError as problem:
            with frame("Table"):
                shown("<h1>This table cannot be opened</h1>")
                alarm(problem)
            return
        role = live.card.role(key) if live is not None else None
        if live is None or role is None:
            missing(NO_TABLE)
        elif role.host:
            _links(live.card)
        else:
            with frame(live.card.title, "Games", wide=True):
                ui.context.client.on_connect(
                    lambda client: client.run_javascript(remember(id, key))
                )
                await TablePage(live, role).begin()


def _links(card: Card) -> None:
    """The page with all links, for the host of the table."""
    keys = card.keys
    with frame(card.title, "Games"):
        shown(
            f"<h1>{escape(card.title)}: the table is open</h1>"
            "<p class='lead'>Send each player their own link: it opens that seat only. "
            "Keep this page for yourself.</p>"
        )
        rows = [
            (f"Player {seat + 1}", keys.seats[seat], "the link of this seat")
            for seat in card.people
        ]
        if len(card.people) > 1:
            rows.append(("All people", keys.together, "in turn, in front of one screen"))
        rows.append(("Whoever looks on", keys.watch, "sees what all players see"))
        request = ui.context.client.request
        server = f"{request.url.scheme}://{request.headers['host']}"
        for name, key, explanation in rows:
            address = escape(f"{server}/table/{card.id}/{key}")
            shown(
                f"<h2>{name}</h2><p class='quiet'>{explanation}</p>"
                f"<a class='link-box' href='{address}'>{address}</a>"
            )


class TablePage:
    """The page of one viewer at a table.

    Args:
        role: the rights of the viewer.
    """

    def __init__(self, live: LiveTable, role: Role) -> None:
        self._live, self._role = live, role
        self._card = live.card
        # how fast agents play is the players' business, and that of who looks on where none plays
        self._leads = bool(role.seats) or not live.card.people
        self._motion = MOTIONS["usual"]
        self._wanted = ""
        self._targets: Mapping[str, Sequence[int]] = {}
        self._curtain = len(role.seats) > 1  # raised by a click for each seat in turn
        self._watching: asyncio.Task[None] | None = None
        self._watched: Standing | None = None
        self._lined = -1  # the position whose expected line is shown
        self._seat = self._next_seat()
        self._view = showing.View(self._seat, False, False, {}, 0, "", "")
        self._choice = Choice.of(())
        self._is_stale = False
        self._refreshing: asyncio.Task[None] | None = None
        self._is_due = False
        self._client = client = ui.context.client
        self._build()
        live.listeners.add(self._refresh)
        client.on_delete(lambda: live.listeners.discard(self._refresh))
        client.on_disconnect(self._look_away)
        client.on_connect(self._kibitz)

    async def begin(self) -> None:
        """Shows the table for the first time."""
        await self._show()

    def _look_away(self) -> None:
        """Stops the kibitzer until it is asked again."""
        self._watched = None
        if self._watching is not None:
            self._watching.cancel()

    # -- the parts ---------------------------------------------------------------------------

    def _build(self) -> None:
        self._veil = ui.element("div").classes("curtain")
        with self._veil:
            self._veil_words = shown("")
            button("I am there: show my hand", self._raise_curtain, main=True)
        self._all = ui.element("div")
        with self._all:
            with ui.element("div").classes("table-head"):
                shown(f"<h1>{escape(self._card.title)}</h1>")
                self._status = shown("", "span").classes("status").props('aria-live="polite"')
                ui.space()
                with ui.element("div").classes("controls"):
                    self._undo = button(TAKE_BACK, self._take_back)
                    self._step = button("Next", self._live.step)
                    self._skip = button("Skip", self._live.skip)
                    self._skip.tooltip("Agents play without a pause until it is your turn")
                    with ui.element("div").classes("pace"):
                        shown("Pace", "span")
                        pace = ui.select(list(PACES), value="usual", on_change=self._set_pace)
                        pace.props('outlined dense options-dense aria-label="Pace"')
                        pace.tooltip("How fast agents play, and cards move")
            self._request = ui.element("div").classes("request").props('role="status"')
            with self._request:
                self._request_words = shown("", "span")
                self._accept = button("Accept", lambda: self._answer(accepts=True), main=True)
                self._decline = button("Decline", lambda: self._answer(accepts=False))
            with ui.element("div").classes("table-grid"):
                with ui.element("div"):
                    self._board = Board(self._picture)
                    clickable(self._board.element, self._clicked)
                with ui.element("aside").classes("side"):
                    self._choices = ui.element("section").classes("panel")
                    with self._choices:
                        self._question = shown("")
                        self._filter = ui.input(
                            placeholder="Find an option", on_change=self._find
                        ).props('dense outlined clearable aria-label="Find an option"')
                        self._options = clickable(shown("").classes("options"), self._option)
                    self._opinions = ui.element("section").classes("panel")
                    with self._opinions:
                        self._kibitzing = ui.switch(
                            "Kibitzer", value=False, on_change=self._watch_or_not
                        )
                        self._bars = shown("")
                        self._curve = shown("")
                        self._advice = shown("")
                        self._line = shown("")
                    with ui.element("section").classes("panel"):
                        shown("<h2>What happened</h2>")
                        self._log = shown("").classes("log").props('tabindex="0"')
                    with ui.element("section").classes("panel"):
                        with ui.expansion("Rules", on_value_change=self._show_rules) as rules:
                            self._rules = shown("").classes("rules").props('tabindex="0"')
                        rules.props("dense")
                    self._more = shown("")
        ui.keyboard(on_key=self._pressed, ignore=["input", "select", "textarea"])

    # -- what is shown -----------------------------------------------------------------------

    def _next_seat(self) -> int | None:
        """The seat whose view is shown: the viewer's, or the one to act among several."""
        seats = self._role.seats
        if len(seats) < 2:
            return seats[0] if seats else None
        awaited = self._live.standing.awaits
        if awaited in seats:
            return awaited
        return getattr(self, "_seat", seats[0])

    def _refresh(self) -> None:
        """Requests an update of the page."""
        self._is_stale = True
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = background_tasks.create(self._keep_up())

    async def _keep_up(self) -> None:
        while self._is_stale:
            self._is_stale = False
            await self._show()

    async def _show(self) -> None:
        """Shows the current state of the table."""
        seat = self._next_seat()
        if seat != self._seat:
            self._seat = seat
            self._curtain = len(self._role.seats) > 1
        if self._live.standing.is_over:
            self._curtain = False
        if self._curtain:
            self._veil_all()
            return
        try:
            view = await self._live.look(showing.View.of, seat)
        except KibitzError as problem:
            self._show_status()
            self._status.set_content(escape(self._live.trouble or str(problem)))
            return
        if self._curtain or seat != self._seat:
            return
        self._view = view
        self._choice = Choice.of(view.legal)
        self._board.milliseconds = 0 if self._live.is_hurried else self._motion
        await self._board.show()  # all the rest is shown at the same moment
        if self._view is not view or self._curtain:
            return
        self._veil.set_visibility(False)
        self._all.set_visibility(True)
        self._show_status()
        self._show_options()
        self._log.set_content(view.log)
        self._kibitz()

    def _veil_all(self) -> None:
        """Shows the curtain and removes the last player's view from the browser."""
        number = (self._seat or 0) + 1
        self._view = showing.View(self._seat, False, False, {}, 0, "", "")
        self._choice = Choice.of(())
        self._veil.set_visibility(True)
        self._all.set_visibility(False)
        self._veil_words.set_content(
            f"<h1>Player {number}, it is your turn</h1><p class='lead'>The others look away.</p>"
        )
        self._board.clear()
        for panel in (self._log, self._options, *self._opinion_parts):
            panel.set_content("")

    def _show_status(self) -> None:
        card, view, live = self._card, self._view, self._live
        self._status.set_content(escape(live.trouble or view.status))
        self._status.classes(add="mine" if view.acts else "", remove="" if view.acts else "mine")
        self._show_turn(is_due=view.acts)
        agents_play = len(card.people) < len(card.agents)
        over = live.standing.is_over
        self._skip.set_visibility(self._leads and agents_play and live.is_thinking)
        self._step.set_visibility(self._leads and live.pace is None and live.is_thinking)
        self._undo.set_visibility(
            card.undo and bool(self._role.seats) and view.tick > 0 and not over
        )
        if self._undo.visible:
            self._show_take_back()
        self._show_request()
        self._opinions.set_visibility(not over)
        if over:
            self._more.set_content(
                "<p class='quiet'>The game is over: everything lies open.</p>"
                f"<p><a class='btn main' href='/review/{card.id}/{card.keys.watch}'>Review"
                f"</a> <a class='btn' href='{escape(card.choice.page)}'>Play again</a></p>"
            )
        else:
            self._more.set_content("")

    def _show_turn(self, *, is_due: bool) -> None:
        """Has the title and the icon of the window say whether it is the viewer's turn."""
        if is_due == self._is_due:
            return
        self._is_due = is_due
        title = f"{'Your turn · ' if is_due else ''}{self._card.title} · Kibitz"
        icon = f"/static/{'turn' if is_due else 'favicon'}.svg"
        self._client.run_javascript(
            f"document.title = {json.dumps(title)};"
            f'document.querySelector("link[rel~=icon]").href = {json.dumps(icon)};'
        )

    def _show_take_back(self) -> None:
        """Updates the button to take back the last choice, or shows why it is not possible."""
        standing, role = self._live.standing, self._role
        reason = standing.obstacle(role)
        words = "Ask to take back" if self._card.others(role) else TAKE_BACK
        self._undo.set_content(f"No way back: {escape(reason)}" if reason else words)
        self._undo.classes(add="reason" if reason else "", remove="" if reason else "reason")
        if reason or standing.request is not None:
            self._undo.props("disabled")
        else:
            self._undo.props(remove="disabled")

    def _show_request(self) -> None:
        """Shows a request to take back to the player who made it and those who have to answer."""
        request, role = self._live.standing.request, self._role
        self._request.set_visibility(request is not None)
        if request is None:
            return
        players = listed([f"player {seat + 1}" for seat in request.seats])
        own = request.seats == role.seats
        answers = bool(request.waiting.intersection(role.seats))
        if own:
            waiting = listed([f"player {seat + 1}" for seat in sorted(request.waiting)])
            words = f"You ask to take your last choice back. Waiting for {waiting}."
        else:
            words = f"{players.capitalize()} asks to take their last choice back."
        self._request_words.set_content(escape(words))
        self._accept.set_visibility(answers)
        self._decline.set_content("Withdraw" if own else "Decline")
        self._decline.set_visibility(own or answers)

    async def _show_rules(self, event: events.ValueChangeEventArguments[bool]) -> None:
        """Shows the rules in words, when they are asked for the first time."""
        if event.value and not self._rules.content:
            with explained():
                self._rules.set_content(await self._live.look(showing.rules))

    async def _picture(self, width: int) -> Picture | None:
        if self._curtain:
            return None
        view, seat = self._view, self._seat
        drawn = await self._live.look(showing.picture, seat, view.tick, self._choice, width)
        if drawn is None or self._curtain or seat != self._seat:
            raise StaleError
        self._targets = drawn.targets
        return drawn

    def _show_options(self) -> None:
        view = self._view
        self._choices.set_visibility(view.acts)
        if not view.acts or self._curtain:
            self._options.set_content("")
            return
        heading = "Which one?" if self._choice.is_begun else "You can"
        self._question.set_content(f"<h2>{heading}</h2>")
        self._filter.set_visibility(len(view.legal) > 12)
        self._options.set_content(showing.options(view, self._choice, self._wanted))

    # -- the kibitzer ------------------------------------------------------------------------

    @property
    def _opinion_parts(self) -> tuple[ui.html, ...]:
        return self._bars, self._curve, self._advice, self._line

    def _watch_or_not(self) -> None:
        if not self._kibitzing.value:
            self._look_away()
            for panel in self._opinion_parts:
                panel.set_content("")
        self._kibitz()

    def _kibitz(self) -> None:
        """Starts the kibitzer on the current position, if it is asked and not running already."""
        standing = self._live.standing
        if not self._kibitzing.value or standing.is_over or self._watched is standing:
            return
        self._watched = standing
        if self._watching is not None:
            self._watching.cancel()
        seat = None if self._view.open else self._seat
        if seat is None and not self._view.open:
            return  # spectators know too little
        self._watching = background_tasks.create(self._live.watch(seat, self._show_opinion))

    def _show_opinion(self, assessment: Assessment) -> None:
        if self._curtain or not self._kibitzing.value or assessment.tick != self._view.tick:
            return
        called = self._card.names(self._seat)
        seat = None if self._view.open else self._seat
        self._bars.set_content(opinions.chances(assessment, called))
        history = self._live.chances.get(seat, {})
        self._curve.set_content(opinions.curve(history, called, self._view.tick))
        self._advice.set_content(opinions.advice(assessment))
        if assessment.line or assessment.tick != self._lined:  # the first searches look for none
            self._lined = assessment.tick
            self._line.set_content(opinions.line(assessment, called))

    # -- what the viewer does ----------------------------------------------------------------

    def _raise_curtain(self) -> None:
        self._curtain = False
        self._refresh()

    def _set_pace(self, event: events.ValueChangeEventArguments[str]) -> None:
        self._motion = MOTIONS[event.value]
        if self._leads:
            self._live.set_pace(PACES[event.value])

    def _find(self, event: events.ValueChangeEventArguments[str | None]) -> None:
        self._wanted = event.value or ""
        self._show_options()

    async def _clicked(self, target: str) -> None:
        """Handles a click in the picture: plays the action, or shows the remaining options."""
        if not self._view.acts or self._curtain:
            return
        self._choice = self._choice.click(target, self._targets)
        action = self._choice.action
        if action is not None:
            await self._choose(action)
            return
        await self._board.show()
        self._show_options()

    async def _option(self, name: str) -> None:
        """Handles a click on an option of the list; options of earlier turns are refused."""
        await self._choose(validation.number(name, -(1 << 63), (1 << 63) - 1))

    async def _choose(self, action: int) -> None:
        seat = self._seat
        if seat is None or not self._view.acts or self._curtain:
            return
        self._wanted = ""
        self._filter.set_value("")
        with explained():
            await self._live.play(seat, action, self._view.tick)

    async def _take_back(self) -> None:
        with explained():
            await self._live.take_back(self._role)

    async def _answer(self, *, accepts: bool) -> None:
        with explained():
            await self._live.answer(self._role, accepts=accepts)

    async def _pressed(self, event: events.KeyEventArguments) -> None:
        """Handles keys: digits choose an option, Escape restarts the choice, u takes back."""
        if not event.action.keydown or event.modifiers.ctrl or event.modifiers.meta:
            return
        if event.key.escape:
            self._choice = Choice.of(self._view.legal)
            await self._board.show()
            self._show_options()
        elif str(event.key) == "u" and self._undo.visible:
            await self._take_back()
        elif event.key.number:
            words = self._wanted.lower().split()
            fitting = [
                action
                for action in self._choice.meant
                if all(word in self._view.words[action].lower() for word in words)
            ]
            if 0 < event.key.number <= len(fitting):
                await self._choose(fitting[event.key.number - 1])
