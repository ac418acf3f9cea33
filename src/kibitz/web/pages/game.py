"""A game's page: its description, and the form that opens a table."""

from __future__ import annotations

import asyncio
import contextlib
from html import escape
from pathlib import Path

from nicegui import ui

from kibitz.core.errors import KibitzError, UnknownGameError
from kibitz.web.games import Description, GameChoice
from kibitz.web.hall import Hall
from kibitz.web.live_playtests import Setup, kept_reports
from kibitz.web.pages.fields import TableFields
from kibitz.web.pages.frame import SLOW_PAGE, alarm, button, explained, frame, missing, shown
from kibitz.web.pages.trying import PlaytestPanel
from kibitz.web.seating import PERSON
from kibitz.web.showing import example
from kibitz.web.tables import Card, HostedTable
from kibitz.web.workspace import RECORDS


def register(hall: Hall) -> None:
    """Registers the pages."""

    @ui.page("/game/{name}", response_timeout=SLOW_PAGE)
    async def game_page(name: str) -> None:
        await _page(hall, GameChoice(name))

    @ui.page("/file/{name}", response_timeout=SLOW_PAGE)
    async def file_page(name: str) -> None:
        try:
            text = hall.workspace.text(name)
        except KibitzError as problem:
            missing(str(problem))
            return
        await _page(hall, GameChoice(name, text))


async def _page(hall: Hall, choice: GameChoice) -> None:
    try:
        game = await hall.describe(choice)
    except UnknownGameError as problem:
        missing(str(problem))
        return
    except KibitzError as problem:
        with frame(choice.name):
            shown(f"<h1>{escape(choice.name)}</h1>")
            alarm(problem)
            if choice.text is not None:
                ui.link("Mend it in the workshop", f"/workshop/{choice.name}")
        return
    with frame(game.title, "Games"), ui.element("div").classes("two"):
        with ui.element("div"):
            shown(about(game, choice))
            if choice.text is None:
                _show_example(choice)
            _show_rules(hall, choice)
        with ui.element("div").classes("side"):
            with ui.element("section").classes("panel"):
                form = Form(hall, choice, game)
            with ui.element("section").classes("panel"):

                def list_kept() -> None:
                    past_games.set_content(_kept(hall, choice, game))

                trying = PlaytestPanel(hall, form.setup, choice.page, choice.name, list_kept)
                trying.place_report()
            with ui.element("section").classes("panel"):
                past_games = shown(_kept(hall, choice, game))


def _kept(hall: Hall, choice: GameChoice, game: Description) -> str:
    """The reports and the records of a game, as HTML."""
    reports = "".join(
        f"<li><a href='/report/{escape(report.name)}'>{escape(report.said or report.title)}</a>"
        f"<span class='quiet'>{escape(report.verdict)}</span></li>"
        for report in kept_reports(hall.workspace, choice.name)
    )
    stems = {game.name, choice.name, Path(choice.name).stem}
    records = "".join(
        f"<li><a href='/replay/{escape(name)}'>{escape(Path(name).stem)}</a></li>"
        for name in hall.workspace.names(RECORDS, ".json")
        if Path(name).stem.rpartition(" ")[0] in stems
    )
    none = "<li class='quiet'>None yet.</li>"
    return (
        f"<h2>Reports</h2><ul class='kept-list'>{reports or none}</ul>"
        f"<h2>Records</h2><ul class='kept-list'>{records or none}</ul>"
    )


def _show_example(choice: GameChoice) -> None:
    """Shows an example position of the game, as soon as its rules are ready."""
    place = ui.element("div")

    async def draw_it() -> None:
        try:
            svg = await asyncio.to_thread(example, choice.name)
        except KibitzError:
            return  # opening a table shows the error
        with place:
            shown(f"<p class='quiet'>A game under way</p><div class='board example'>{svg}</div>")

    ui.timer(0.05, draw_it, once=True)


def _show_rules(hall: Hall, choice: GameChoice) -> None:
    """Shows how the game is played, as soon as its rules have been written in words."""
    place = shown("")

    async def write() -> None:
        with contextlib.suppress(KibitzError):  # opening a table shows the error
            written = await hall.rules(choice)
            place.set_content(f"<h2>How to play</h2><div class='rules whole'>{written}</div>")

    ui.timer(0.1, write, once=True)


def about(game: Description, choice: GameChoice) -> str:
    """The description of a game, as HTML."""
    low, high = game.players
    players = f"{low}" if low == high else f"{low} to {high}"
    kinds = ", ".join(dict.fromkeys([*game.categories, *game.mechanics]))
    rows = {"Players": players, "Kind": kinds, "Source": game.source}
    facts = "".join(
        f"<p><span class='quiet'>{name}</span><br>{escape(value)}</p>"
        for name, value in rows.items()
        if value
    )
    edit = (
        f"<p><a href='/workshop/{escape(choice.name)}'>Open it in the workshop</a></p>"
        if choice.text is not None
        else ""
    )
    return f"<h1>{escape(game.title)}</h1><p class='lead'>{escape(game.about)}</p>{facts}{edit}"


class Form:
    """Players, seats and parameters of a new table.

    Args:
        game: the description of the game.
    """

    def __init__(self, hall: Hall, choice: GameChoice, game: Description) -> None:
        self._hall, self._choice, self._game = hall, choice, game
        self._offers = game.seats
        self._seats: list[str] = []
        self._busy = False
        shown("<h2>Play</h2>")
        self._fields = TableFields(game, self._resize)
        self._seating = ui.element("div")
        self._resize(self._fields.players)
        self._fields.place_parameters()
        self._undo = ui.switch("Moves may be taken back", value=True)
        self._together = ui.switch("All people sit at this screen", value=False)
        self._trouble = ui.element("div")
        with ui.element("div").classes("row").style("margin-top: .8rem"):
            button("Open the table", self._open, main=True)

    def _resize(self, players: int) -> None:
        """Shows this number of seats: the first is a person's, new ones the usual opponent's."""
        usual = self._game.first_opponent
        self._seats = [*self._seats, *([PERSON] if not self._seats else [])]
        self._seats = (self._seats + [usual] * players)[:players]
        self._seating.clear()
        with self._seating:
            for seat in range(players):
                with ui.element("div").classes("seatrow"):
                    shown(f"Player {seat + 1}", "span")
                    self._seat_field(seat)

    def _seat_field(self, seat: int) -> None:
        offers = dict(self._offers)
        offers.setdefault(self._seats[seat], self._seats[seat])
        field = ui.select(
            offers,
            value=self._seats[seat],
            with_input=True,
            new_value_mode="add-unique",
            key_generator=lambda text: str(text),
            on_change=lambda event: self._seats.__setitem__(seat, event.value or PERSON),
        )
        field.props(f'outlined dense hide-bottom-space aria-label="Player {seat + 1}"')
        field.tooltip("Choose, or type an agent with options, such as mcts:iterations=5000")

    async def setup(self) -> tuple[str, Setup]:
        """The title of the game, and the chosen table."""
        fields = self._fields
        return self._game.title, Setup(self._choice, fields.players, fields.values)

    async def _open(self) -> None:
        if self._busy:
            return
        self._busy = True
        seats = [None if seat == PERSON else seat for seat in self._seats]
        players, values = self._fields.players, self._fields.values
        undo = bool(self._undo.value)
        try:
            with explained() as page:
                live = await self._hall.open(
                    self._choice,
                    HostedTable.open,
                    self._choice,
                    players,
                    values,
                    seats,
                    undo=undo,
                )
                page.open(first_page(live.card, together=bool(self._together.value)))
        finally:
            self._busy = False


def first_page(card: Card, *, together: bool) -> str:
    """The address for the host of a table: its only person's seat, or the links of all seats."""
    keys, people = card.keys, card.people
    if not people:
        key = keys.watch
    elif len(people) == 1:
        key = keys.seats[people[0]]
    else:
        key = keys.together if together else keys.host
    return f"/table/{card.id}/{key}"
