"""The reports and records that are kept in the workspace."""

from __future__ import annotations

from html import escape
from pathlib import Path

from nicegui import app, events, ui
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from kibitz.core.errors import KibitzError
from kibitz.sessions.record import Record
from kibitz.sessions.record_json import record_to_text
from kibitz.web.hall import Hall
from kibitz.web.limits import MOST_REQUEST
from kibitz.web.pages.frame import explained, frame, shown
from kibitz.web.workspace import RECORDS, RUNS


def register(hall: Hall) -> None:
    """Registers the page and the address of reports."""

    @ui.page("/runs")
    def runs() -> None:
        with frame("Runs", "Runs"):
            workspace = hall.workspace
            shown(
                "<h1>Runs</h1><p class='lead'>What is kept in the workspace, the latest first.</p>"
                + _listed("Reports of playtests", "/report", workspace.names(RUNS, ".html"))
                + "<p class='quiet'>A playtest in the <a href='/workshop'>workshop</a> adds "
                "one.</p>"
                + _listed("Records of games", "/replay", workspace.names(RECORDS, ".json"))
                + "<p class='quiet'>A record of 'kibitz play' or 'kibitz record' can be added:"
                "</p>"
            )
            field = ui.upload(
                max_file_size=MOST_REQUEST // 2,
                max_files=1,
                auto_upload=True,
                on_upload=lambda event: _add(hall, event),
            )
            field.props('accept=".json"').style("display: none")
            picking = shown("Add a record", "button").classes("btn").props('type="button"')
            picking.on("click", js_handler=f"() => getElement({field.id}).pickFiles()")

    @app.get("/report/{name}")
    def report(name: str) -> Response:
        try:
            page = hall.workspace.read(RUNS, name)
        except KibitzError as problem:
            return PlainTextResponse(str(problem), 404)
        return HTMLResponse(page, headers={"content-security-policy": "sandbox allow-popups"})


def _listed(heading: str, address: str, names: list[str]) -> str:
    rows = "".join(
        f"<tr><td><a href='{address}/{escape(name)}'>{escape(Path(name).stem)}</a></td></tr>"
        for name in names
    )
    table = f"<table class='plain'><tbody>{rows}</tbody></table>" if rows else ""
    return f"<h2>{heading}</h2>{table or '<p class=quiet>Nothing yet.</p>'}"


async def _add(hall: Hall, event: events.UploadEventArguments) -> None:
    """Keeps a record that was sent, if it is one."""
    with explained():
        text = await event.file.text()
        record = Record.from_json(text, event.file.name)
        name = hall.workspace.keep_new(
            RECORDS, f"{record.game} {record.seed}", ".json", record_to_text(record)
        )
        ui.navigate.to(f"/replay/{name}")
