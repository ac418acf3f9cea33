"""``kibitz study``: what a game is like, within a limit of time."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    GameName,
    ParameterOptions,
    PlayerCount,
    Seed,
    Workers,
    find_game,
    json_file,
)
from kibitz.cli.results import check_files, deliver
from kibitz.cli.tables import tell_choice, tell_warnings
from kibitz.core.errors import KibitzError

USUAL_SECONDS = 20.0

OtherGames = Annotated[list[str] | None, typer.Argument(hidden=True)]
"""Games after the first one, which ``check_one_game`` refuses with the command for several."""


@dataclass(frozen=True)
class SharedOptions(OptionGroup):
    """The options that a study and a plain run share."""

    seed: Seed = 0
    workers: Workers = None
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="JUDGE",
            show_default=False,
            help="Who judges what each option was worth: 'rollouts:samples=16', or a search "
            "such as 'ismcts:iterations=200'.",
        ),
    ] = None
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            show_default=False,
            help="Write a page here that can be sent by mail: the report, plots, and games to "
            "look at. Needs kibitz[plots].",
        ),
    ] = None
    plots: Annotated[
        Path | None,
        typer.Option(
            "--plots",
            metavar="DIR",
            show_default=False,
            help="Write the plots into this folder, as SVG and PNG. Needs kibitz[plots].",
        ),
    ] = None
    json: Annotated[
        str | None,
        json_file("Write all measures here as JSON; '-' for standard output, without the report."),
    ] = None


@dataclass(frozen=True)
class StudyOptions(OptionGroup):
    """The options that only a study has."""

    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="SECONDS",
            min=1,
            show_default=False,
            help="How long a study takes.  [default: 20]",
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="GAMES",
            show_default=False,
            help="How many games each part of a study plays, as a study prints it: the same "
            "budget gives the same games.",
        ),
    ] = None
    full: Annotated[
        bool, typer.Option("--full", help="Print all that was found out, not the verdicts alone.")
    ] = False
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="DIR",
            show_default=False,
            help="Write the tables of a study into this folder, for spreadsheets.",
        ),
    ] = None


def study(
    game: GameName,
    others: OtherGames = None,
    *,
    options: StudyOptions,
    players: PlayerCount = None,
    parameters: ParameterOptions,
    shared: SharedOptions,
) -> None:
    """Find out what a game is like, in 20 seconds.

    Random play, skilled play whose decisions are judged, and a ladder of skill answer whether
    the game is fair, how long it is, how it ends, whether choices matter, whether skill pays, how
    much is luck and when it is decided.

    'kibitz playtest GAME' without options of a plain run is the same study.

    The same budget and seed give the same games. Ctrl-C stops early and keeps what was played so
    far.

    Examples:
      kibitz study love-letter
      kibitz study love-letter --players 4 --set tokens_to_win=1
      kibitz study mygame.rcy --time 60 --html mygame.html
      kibitz study agram --json agram.json --csv tables
    """
    import kibitz
    from kibitz.arena.judge import Judge
    from kibitz.reports import document_of
    from kibitz.studies.csv_files import write_csv
    from kibitz.studies.study_budget import Budget

    check_one_game("study", [game, *(others or ())])
    check_files(shared.json, html=shared.html, plots=shared.plots, folders=[options.csv])
    loaded = find_game(game)
    table = parameters.table(loaded, players)
    tell_warnings(table, game)
    if players is None:
        tell_choice(loaded)
    budget = None if options.budget is None else Budget.of(options.budget)
    if shared.judge is not None:
        Judge.of(shared.judge)  # a mistake there is reported before anything is played
    with terminal.progress(stages=True) as progress:
        results = kibitz.study(
            table,
            seconds=USUAL_SECONDS if options.seconds is None else options.seconds,
            budget=budget,
            seed=shared.seed,
            judge=shared.judge,
            workers=shared.workers,
            progress=progress,
        )
    if results.interrupted:
        terminal.say("Stopped: this is what is known so far.")
    document = document_of(results, table=table)
    csv_files = (options.csv, lambda folder: write_csv(results, folder))
    deliver(
        results,
        document,
        shared.json,
        html=shared.html,
        plots=shared.plots,
        csv=csv_files,
        full=options.full,
    )


def check_one_game(command: str, games: Sequence[str]) -> None:
    """Checks that a command is given one game; the error names the command for several.

    Raises:
        KibitzError: there are several.
    """
    if len(games) > 1:
        raise KibitzError(
            f"{command} takes one game at a time. To lay them side by side:\n"
            f"  kibitz compare {shlex.join(games)}"
        )
