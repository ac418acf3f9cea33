"""``kibitz tournament``: every agent against every other one."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    Cluster,
    GamesFolder,
    MarkdownFile,
    ParametersFile,
    PlayerCount,
    Seed,
    Settings,
    Workers,
    find_game,
    find_table,
    json_file,
    split_agents,
)
from kibitz.core.interrupt import exit_code

GAMES = 200
"""Of each match, unless somebody says otherwise."""
MOST_GAMES = 10_000
"""The same where it may end as soon as the order is sure."""


def tournament(
    games: Annotated[
        list[str],
        typer.Argument(metavar="GAME...", show_default=False, help="Games or files."),
    ],
    agents: Annotated[
        list[str],
        typer.Option(
            "--agents",
            "-a",
            metavar="AGENT",
            show_default=False,
            help="Who takes part, as for 'kibitz playtest'.",
        ),
    ],
    number: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            metavar="G",
            min=2,
            show_default=False,
            help="Of each match; rounded up, so that each seat is taken equally often.  "
            "[default: 200, with --sure 10000 at most]",
        ),
    ] = None,
    sure: Annotated[
        float | None,
        typer.Option(
            "--sure",
            metavar="P",
            show_default=False,
            help="Stop as soon as the order of the agents is right with this probability, such "
            "as 0.95.",
        ),
    ] = None,
    margin: Annotated[
        float,
        typer.Option(
            "--margin",
            metavar="POINTS",
            help="With --sure: a difference in percentage points of wins that matters; smaller "
            "ones may count as none.",
        ),
    ] = 10.0,
    players: PlayerCount = None,
    seed: Seed = 0,
    settings: Settings = None,
    parameters: ParametersFile = None,
    out: GamesFolder = None,
    workers: Workers = None,
    on: Cluster = None,
    markdown: MarkdownFile = None,
    json: Annotated[
        str | None,
        json_file("Write the results here as JSON; '-' for standard output, without the report."),
    ] = None,
) -> None:
    """Find out which agent is strongest, and how sure that is.

    With two players each pair meets; with more, one agent plays against agents of the other
    kind, for every pair, both ways. Ratings are in Elo points with intervals; how many games
    luck alone decides is estimated, too. With --sure games are played only until the order of the
    agents is sure. Ctrl-C stops early and keeps the tables that are
    complete.

    Examples:
      kibitz tournament agram --agents "random osla pimc ismcts:iterations=200"
      kibitz tournament love-letter uno -p 3 -a "osla ismcts kibitz" --out cup
      kibitz tournament agram -p 2 -a "osla pimc" --sure 0.95
    """
    from kibitz.core.agent import make_agents
    from kibitz.tournament.race import Sureness
    from kibitz.tournament.report import render_markdown, render_tournament
    from kibitz.tournament.tournament import number_of_matches, play_tournament

    for file in (json, markdown):
        terminal.check_writable(file)
    wanted = None if sure is None else Sureness(sure, margin / 100)
    if number is None:
        number = GAMES if wanted is None else MOST_GAMES
    labels = split_agents(agents)
    competitors = make_agents(labels, len(labels))  # a slip there is told before compiling
    tables = {game: find_table(find_game(game), players, settings, parameters) for game in games}
    total = sum(
        number_of_matches(table.players, len(labels)) * -(-number // table.players) * table.players
        for table in tables.values()
    )
    with terminal.progress(total, "games" if wanted is None else "games at most") as progress:
        found = play_tournament(
            tables,
            competitors,
            games=number,
            seed=seed,
            workers=on or workers,
            out=out,
            tell=lambda _, done: progress(done),
            sure=wanted,
        )
    if json is not None:
        terminal.write_json(json, found.to_json())
    if markdown is not None:
        terminal.write_file(markdown, render_markdown(found))
    if json != terminal.STDOUT:
        terminal.out().print(render_tournament(found))
    if found.interrupted:
        raise typer.Exit(exit_code())
