"""The page of pending runs, and of matches, reports and records in the workspace."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from nicegui import app, events, ui
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from kibitz.core.errors import KibitzError
from kibitz.sessions.records import Record, record_to_text
from kibitz.web import validation
from kibitz.web.hall import Hall, PendingRun
from kibitz.web.limits import MOST_REQUEST
from kibitz.web.live_playtests import kept_reports
from kibitz.web.matches import matches as matches_of
from kibitz.web.pages.frame import clickable, explained, frame, gauge, shown
from kibitz.web.validation import ForgedEventError
from kibitz.web.workspace import RECORDS, RUNS

LOOK_EVERY = 1.0
"""Seconds between two updates of the page."""


def register(hall: Hall) -> None:
    """Registers the page and the address of reports."""

    @ui.page("/runs")
    def runs() -> None:
        with frame("Runs", "Runs"):
            workspace = hall.workspace
            shown(
                "<h1>Runs</h1><p class='lead'>What is being played, and what is kept in the "
                "workspace, the latest first.</p>"
            )
            pending = clickable(shown(""), lambda number: _stop(hall, number))
            matches = shown("")
            reports = clickable(shown(""), lambda name: _remove(hall, name))

            def look() -> None:
                pending.set_content(_pending_runs(hall))
                matches.set_content(_matches(hall))
                reports.set_content(_reports(hall))

            look()
            ui.timer(LOOK_EVERY, look)
            shown(
                _listed("Records of games", "/replay", workspace.names(RECORDS, ".json"))
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


def _pending_runs(hall: Hall) -> str:
    """The pending runs, as HTML."""
    rows = "".join(
        f"<li><a href='{escape(run.page)}'>{escape(run.title)}</a>"
        f"{gauge(run.progress.played, run.progress.wanted, f'Games of {run.title}')}"
        f"<span class='quiet'>{_how_far(run)}</span>"
        f"<button type='button' class='btn small' data-act='{number}'>Stop</button></li>"
        for number, run in hall.pending.items()
    )
    return f"<h2>Being played</h2><ul class='pending-runs'>{rows}</ul>" if rows else ""


def _matches(hall: Hall) -> str:
    """The matches of the game manager, as HTML; empty without matches."""
    rows = "".join(
        f"<tr><td><a href='/match/{escape(match.name)}'>{escape(match.title)}</a></td>"
        f"<td class='quiet'>{escape(match.said)}</td></tr>"
        for match in matches_of(hall.workspace)
    )
    if not rows:
        return ""
    return f"<h2>Matches</h2><table class='plain'><tbody>{rows}</tbody></table>"


def _how_far(run: PendingRun) -> str:
    progress = run.progress
    return (
        f"{progress.played:,} of {progress.wanted:,} games"
        if progress.played
        else "waits for its turn"
    )


def _stop(hall: Hall, number: str) -> None:
    """Stops a run, unless it has already ended."""
    run = hall.pending.get(validation.number(number, 1, sys.maxsize))
    if run is not None:
        run.stop()


def _reports(hall: Hall) -> str:
    """The reports in the workspace, as HTML."""
    rows = "".join(
        f"<tr><td><a href='/report/{escape(report.name)}'>{escape(report.title)}</a>"
        f"<span class='quiet'>{escape(report.said)}</span></td><td>{escape(report.verdict)}</td>"
        f"<td class='quiet when'>{hall.workspace.changed_at(RUNS, report.name):%-d %B, %H:%M}</td>"
        f"<td><button type='button' class='btn small' data-act='{escape(report.name)}' "
        f"aria-label='Remove {escape(report.title)}'>Remove</button></td></tr>"
        for report in kept_reports(hall.workspace)
    )
    if not rows:
        return (
            "<h2>Reports</h2><p class='quiet'>Nothing yet. A playtest in the "
            "<a href='/workshop'>workshop</a> or on a game's page adds one.</p>"
        )
    return f"<h2>Reports</h2><table class='plain reports'><tbody>{rows}</tbody></table>"


def _remove(hall: Hall, name: str) -> None:
    """Removes a report and its summary."""
    if not name.endswith(".html"):
        raise ForgedEventError(name)
    hall.workspace.remove(RUNS, name)
    hall.workspace.remove(RUNS, f"{Path(name).stem}.json")


def _listed(heading: str, address: str, names: list[str]) -> str:
    rows = "".join(
        f"<tr><td><a href='{address}/{escape(name)}'>{escape(Path(name).stem)}</a></td></tr>"
        for name in names
    )
    table = f"<table class='plain'><tbody>{rows}</tbody></table>" if rows else ""
    return f"<h2>{heading}</h2>{table or '<p class=quiet>Nothing yet.</p>'}"


async def _add(hall: Hall, event: events.UploadEventArguments) -> None:
    """Keeps an uploaded record in the workspace and opens its replay."""
    with explained() as page:
        text = await event.file.text()
        record = Record.from_json(text, event.file.name)
        name = hall.workspace.keep_new(
            RECORDS, f"{record.game} {record.seed}", ".json", record_to_text(record)
        )
        page.open(f"/replay/{name}")
