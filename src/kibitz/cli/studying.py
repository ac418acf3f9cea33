"""``kibitz playtest GAME`` without more: the study of a game."""

from __future__ import annotations

from collections.abc import Callable
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
    from kibitz.playtest.csv_files import write_csv
    from kibitz.playtest.plots import write_files
    from kibitz.playtest.study import study_game
    from kibitz.playtest.study_budget import Budget
    from kibitz.playtest.study_page import render_study_page
    from kibitz.playtest.study_plots import study_plots
    from kibitz.playtest.study_report import render_study

    given = None if budget is None else Budget.of(budget)
    if judge is not None:
        Judge.of(judge)  # a slip there is told before anything is played
    with terminal.stages() as tell:
        found = study_game(
            table,
            seconds=USUAL_SECONDS if seconds is None else seconds,
            budget=given,
            seed=seed,
            judge=judge,
            workers=workers,
            tell=tell,
        )
    if found.interrupted:
        terminal.say("Stopped: this is what is known so far.")
    files = [(html, lambda: render_study_page(found, table))]
    folders: list[tuple[Path | None, Callable[[Path], object]]] = [
        (plots, lambda folder: write_files([plot for _, plot in study_plots(found)], folder)),
        (csv, lambda folder: write_csv(found, folder)),
    ]
    deliver(found, lambda: render_study(found), json, files, folders)
