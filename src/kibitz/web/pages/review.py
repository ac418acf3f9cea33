"""Review and replay: a game step by step, the chances of all players, and graded decisions."""

from __future__ import annotations

import asyncio
import contextlib
from html import escape
from pathlib import Path

from nicegui import app, background_tasks, events, ui
from starlette.responses import PlainTextResponse, Response

from kibitz.core.errors import KibitzError, UnknownGameError
from kibitz.loading import language_called
from kibitz.pictures import Picture
from kibitz.sessions.records import Record
from kibitz.sessions.session import PERSON
from kibitz.web import opinions, validation
from kibitz.web.actors import LOOK, SEARCH, Actor
from kibitz.web.games import GameChoice
from kibitz.web.hall import Hall, LiveTable
from kibitz.web.limits import check_length
from kibitz.web.luck_and_skill import luck_and_skill
from kibitz.web.pages.board import MOTIONS, Stepper
from kibitz.web.pages.frame import (
    SLOW_PAGE,
    alarm,
    button,
    clickable,
    explained,
    frame,
    gauge,
    missing,
    shown,
)
from kibitz.web.pages.game import first_page
from kibitz.web.pages.table import NO_TABLE
from kibitz.web.review import Decision, GameReplay
from kibitz.web.tables import HostedTable
from kibitz.web.workspace import RECORDS

OPEN_LATER = "This game is still being played: it can be reviewed when it is over."
PATIENCE = 20.0
"""Maximum time for the analysis of luck and skill, in seconds."""
SECONDS = {"slow": 2.2, "usual": 0.9, "fast": 0.3}
"""Seconds between two steps of a replay, by pace."""


def register(hall: Hall) -> None:
    """Registers the pages, and the address of records."""

    async def of_table(id: str, key: str) -> LiveTable | None:
        live = await hall.find(id)
        return None if live is None or live.card.role(key) is None else live

    @ui.page("/review/{id}/{key}", response_timeout=SLOW_PAGE)
    async def review_table(id: str, key: str) -> None:
        try:
            live = await of_table(id, key)
            if live is None or not live.standing.is_open:
                missing(NO_TABLE if live is None else OPEN_LATER)
                return
            record = Record.from_json(await live.look(HostedTable.record_text), f"the table {id}")
        except KibitzError as problem:
            missing(str(problem))
            return
        await _page(hall, live.card.choice, record, f"/record/{id}/{key}")

    @app.get("/record/{id}/{key}")
    async def record_of_table(id: str, key: str) -> Response:
        try:
            live = await of_table(id, key)
            if live is None or not live.standing.is_open:
                return PlainTextResponse(NO_TABLE if live is None else OPEN_LATER, 404)
            text = await live.look(HostedTable.record_text)
        except KibitzError as problem:
            return PlainTextResponse(str(problem), 404)
        headers = {"content-disposition": f'attachment; filename="{live.card.record_name}"'}
        return Response(text, media_type="application/json", headers=headers)

    @ui.page("/replay/{name}", response_timeout=SLOW_PAGE)
    async def replay_record(name: str) -> None:
        try:
            record = Record.from_json(hall.workspace.read(RECORDS, name), name)
            choice = await asyncio.to_thread(_choice_of, hall, record)
        except KibitzError as problem:
            missing(str(problem))
            return
        await _page(hall, choice, record, "")


def _choice_of(hall: Hall, record: Record) -> GameChoice:
    """The game of a record: from the rules in it, an installed game, or a text of the workspace.

    Raises:
        UnknownGameError: there is no such game.
        LimitReachedError: the text is too long.
    """
    if record.rules.text:
        check_length(record.game, record.rules.text)
        suffix = language_called(record.rules.language).suffixes[0]
        return GameChoice(f"{record.game}{suffix}", record.rules.text)
    choice = GameChoice(record.game)
    try:
        choice.game()
    except UnknownGameError:
        for name in hall.workspace.texts():
            if Path(name).stem == record.game:
                return GameChoice(name, hall.workspace.text(name))
        raise
    return choice


async def _page(hall: Hall, choice: GameChoice, record: Record, download: str) -> None:
    try:
        actor = await hall.start_actor(choice.is_text, GameReplay.open, choice, record)
        title = await actor.call(LOOK, GameReplay.title)
    except KibitzError as problem:
        with frame("Review"):
            shown("<h1>This game cannot be shown again</h1>")
            alarm(problem)
        return
    with frame(f"{title}: review", "Runs", wide=True):
        await ReviewPage(hall, choice, record, title, actor, download).begin()


class ReviewPage:
    """The page of one viewer of a recorded game.

    Args:
        hall: opens new tables from positions of the game.
        title: the title of the game.
        actor: runs the replay.
        download: the address of the record; empty if it is a file of the workspace.
    """

    def __init__(
        self,
        hall: Hall,
        choice: GameChoice,
        record: Record,
        title: str,
        actor: Actor[GameReplay],
        download: str,
    ) -> None:
        self._hall, self._choice, self._record, self._actor = hall, choice, record, actor
        self._decisions: list[Decision] = []
        self._grading: asyncio.Task[None] | None = None
        self._names = [
            f"Player {p + 1}" + ("" if agent == PERSON else f" ({agent.partition(':')[0]})")
            for p, agent in enumerate(record.agents)
        ]
        self._steps = Stepper(len(record.moves), self._draw, self._show)
        with ui.element("div").classes("table-head"):
            shown(f"<h1>{escape(title)}: review</h1>")
            self._where = shown("", "span").classes("status").props('aria-live="polite"')
            ui.space()
            with ui.element("div").classes("controls"):
                self._steps.place_buttons()
                self._run = button("Play", self._play)
                with ui.element("div").classes("pace"):
                    shown("Pace", "span")
                    pace = ui.select(list(SECONDS), value="usual", on_change=self._set_pace)
                    pace.props('outlined dense options-dense aria-label="Pace"')
        self._timer = ui.timer(SECONDS["usual"], self._step, active=False)
        with ui.element("div").classes("table-grid"):
            with ui.element("div"):
                self._steps.place_board()
                slider = ui.slider(min=0, max=max(1, self._steps.last), value=0)
                slider.props('aria-label="Move"').on_value_change(
                    lambda event: self._steps.go(int(event.value))
                )
                self._slider = slider
            with ui.element("aside").classes("side"):
                with ui.element("section").classes("panel"):
                    shown("<h2>What happened</h2>")
                    self._log = shown("").classes("log")
                    with ui.element("div").classes("row").style("margin-top: .8rem"):
                        button("Play on from here", self._play_on)
                        if download:
                            shown(f'<a href="{download}">Save the record</a>')
                with ui.element("section").classes("panel"):
                    shown("<h2>The chances, and what each decision cost</h2>")
                    self._grade = button("Grade the decisions", self._start_grading)
                    self._progress = shown("")
                    self._curve = shown("")
                    self._turns = clickable(shown(""), self._go_before)
                    self._luck = clickable(shown(""), self._go_before)
                    self._list = clickable(shown("").classes("grades"), self._go_before)
        ui.context.client.on_delete(self._leave)

    async def begin(self) -> None:
        """Shows the first position."""
        await self._steps.show()

    async def _draw(self, at: int, width: int) -> Picture:
        return await self._actor.call(LOOK, GameReplay.draw, at, self._names, width)

    # -- steps -------------------------------------------------------------------------------

    def _go_before(self, number: str) -> None:
        """Goes to the position in which a move was chosen."""
        self._steps.go(validation.number(number, 1, self._steps.last) - 1)

    def _step(self) -> None:
        if self._steps.at >= self._steps.last:
            self._play()
        self._steps.go(self._steps.at + 1)

    def _play(self) -> None:
        """Plays the game step by step, or pauses it."""
        self._timer.active = not self._timer.active
        self._run.set_content("Pause" if self._timer.active else "Play")

    def _set_pace(self, event: events.ValueChangeEventArguments[str]) -> None:
        self._timer.interval = SECONDS[event.value]
        self._steps.board.milliseconds = MOTIONS[event.value]

    async def _show(self) -> None:
        at = self._steps.at
        self._where.set_content(f"Move {at} of {self._steps.last}")
        self._slider.value = at
        lines = []
        if at:
            with contextlib.suppress(KibitzError):
                told = await self._actor.call(LOOK, GameReplay.told, at)
                lines = [escape(line) for line in told]
        self._log.set_content(
            "<ol>" + "".join(f"<li>{line}</li>" for line in lines) + "</ol>"
            if lines
            else "<p class='quiet'>The beginning.</p>"
        )

    # -- grades ------------------------------------------------------------------------------

    def _start_grading(self) -> None:
        self._grade.set_visibility(False)
        self._grading = background_tasks.create(self._grade_all())

    async def _grade_all(self) -> None:
        await self._show_luck()
        todo = [number for number, move in enumerate(self._record.moves, 1) if not move.forced]
        self._decisions.clear()
        try:
            for number in todo:
                decision = await self._actor.call(SEARCH, GameReplay.decision, number)
                self._decisions.append(decision)
                self._show_grades(len(todo))
        except KibitzError as problem:
            self._progress.set_content(f"<p class='alarm' role='alert'>{escape(str(problem))}</p>")
            self._grade.set_visibility(True)

    async def _show_luck(self) -> None:
        """Shows the shares of luck and skill, if they are computed in time."""
        work = asyncio.ensure_future(self._actor.call(SEARCH, luck_and_skill))
        await asyncio.wait([work], timeout=PATIENCE)
        with contextlib.suppress(KibitzError):
            await self._actor.call(LOOK, GameReplay.give_up)
            self._luck.set_content(opinions.luck_table(await work, self._names))

    def _show_grades(self, total: int) -> None:
        done = len(self._decisions)
        self._progress.set_content(
            "" if done == total else gauge(done, total, "Decisions that are graded")
        )
        history = {decision.number - 1: decision.chances for decision in self._decisions}
        self._curve.set_content(opinions.curve(history, self._names, self._steps.last))
        self._turns.set_content(opinions.turns(self._decisions))
        self._list.set_content(opinions.grades(self._decisions))

    # -- going on ------------------------------------------------------------------------------

    async def _play_on(self) -> None:
        """Opens a table at this position: the viewer is to move, agents have the other seats."""
        at, record = self._steps.at, self._record
        with explained() as page:
            mover = await self._actor.call(LOOK, GameReplay.mover, at)
            if mover is None:
                ui.notify("The game is over here: go back some moves.")
                return
            usual = (await self._hall.describe(self._choice)).first_opponent
            live = await self._hall.open(
                self._choice,
                HostedTable.open,
                self._choice,
                record.players,
                record.parameters,
                [None if p == mover else usual for p in range(record.players)],
                seed=record.seed,
                actions=[move.action for move in record.moves[:at]],
            )
            page.open(first_page(live.card, together=False))

    async def _leave(self) -> None:
        if self._grading is not None:
            self._grading.cancel()
        with contextlib.suppress(KibitzError):
            await self._actor.call(LOOK, GameReplay.give_up)
        self._actor.end()
