"""``kibitz ladder``: does skill pay in a game, and how far up?"""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    GameName,
    ParameterOptions,
    PlayerCount,
    Seed,
    WorkerOptions,
    agents_option,
    find_game,
    json_file,
)
from kibitz.cli.results import deliver


def ladder(
    game: GameName,
    agents: Annotated[
        list[str] | None,
        agents_option(
            "The agents from the weakest to the strongest.  [default: "
            "random, osla, and ismcts with ever more iterations]"
        ),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-g", metavar="G", min=2, help="Games for each rung.")
    ] = 400,
    players: PlayerCount = None,
    seed: Seed = 0,
    *,
    parameters: ParameterOptions,
    crew: WorkerOptions,
    json: Annotated[
        str | None,
        json_file("Write the ladder here as JSON; '-' for standard output, without the report."),
    ] = None,
) -> None:
    """Find out whether skill pays in a game, and how far up.

    Agents that think harder and harder play against the one before them, until thinking harder
    gains nothing. Ctrl-C stops early and keeps the rungs that are complete.

    Examples:
      kibitz ladder agram
      kibitz ladder love-letter --players 3 --games 1000
      kibitz ladder mygame.rcy --agents "random osla pimc ismcts:iterations=200"
    """
    import kibitz
    from kibitz.core.agent import agents_in
    from kibitz.reports import document_of
    from kibitz.studies.ladder import RUNGS

    terminal.check_writable(json)
    climbers = agents_in(agents or RUNGS)  # reports a mistake before anything is compiled
    table = parameters.table(find_game(game), players)
    with terminal.progress("games at most") as progress:
        results = kibitz.ladder(
            table,
            agents=climbers,
            games=games,
            seed=seed,
            workers=crew.all,
            progress=progress,
        )
    deliver(results, document_of(results), json)
