"""``kibitz playtest GAME`` without more: the study of a game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli import terminal
from kibitz.cli.results import deliver

if TYPE_CHECKING:
    from kibitz.core.game import Table

USUAL_SECONDS = 20.0


def study(
    table: Table,
    *,
    seconds: float | None,
    budget: str | None,
    seed: int,
    judge: str | None,
    workers: int | None,
    html: str | None,
    plots: Path | None,
    csv: Path | None,
    json: str | None,
) -> None:
    """Studies a game at a table, and reports what it found; see ``playtest`` for the options."""
    from kibitz.arena.judge import Judge
    from kibitz.reports import document_of
    from kibitz.studies.csv_files import write_csv
    from kibitz.studies.study import study_game
    from kibitz.studies.study_budget import Budget

    limit = None if budget is None else Budget.of(budget)
    if judge is not None:
        Judge.of(judge)  # a slip there is told before anything is played
    with terminal.progress(stages=True) as progress:
        results = study_game(
            table,
            seconds=USUAL_SECONDS if seconds is None else seconds,
            budget=limit,
            seed=seed,
            judge=judge,
            workers=workers,
            progress=progress,
        )
    if results.interrupted:
        terminal.say("Stopped: this is what is known so far.")
    document = document_of(results, table=table)
    csv_files = (csv, lambda folder: write_csv(results, folder))
    deliver(results, document, json, html=html, plots=plots, csv=csv_files)
