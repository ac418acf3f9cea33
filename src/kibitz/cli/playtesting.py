"""``kibitz playtest``: many games, and what they show."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    Agents,
    GameName,
    ParametersFile,
    Players,
    Seed,
    Settings,
    find_game,
    find_table,
    player_count,
    split_agents,
)


def playtest(
    game: GameName,
    games: Annotated[
        int, typer.Option("--games", "-g", metavar="G", min=1, help="How many to play.")
    ] = 1000,
    agents: Agents = None,
    players: Players = None,
    seed: Seed = 0,
    settings: Settings = None,
    parameters: ParametersFile = None,
    rotate: Annotated[
        bool,
        typer.Option(
            "--rotate/--no-rotate", help="Whether agents change seats from game to game."
        ),
    ] = True,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            metavar="W",
            min=1,
            show_default=False,
            help="Threads.  [default: one for each core]",
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="FILE",
            show_default=False,
            help="Write all measures here as JSON; '-' for standard output, without the report.",
        ),
    ] = None,
) -> None:
    """Play many games and report what they show.

    Who wins, how long it takes, how much there is to decide, and what it means. The same seed
    gives the same games. Ctrl-C stops early and keeps the games played so far.

    Examples:
      kibitz playtest love-letter --games 1000 --agents random
      kibitz playtest love-letter --players 4 --set tokens_to_win=1
      kibitz playtest love-letter --agents "ismcts:iterations=200 random random"
      kibitz playtest tic-tac-toe -a mcts -a random --no-rotate
      kibitz playtest love-letter --parameters short.json --json results.json
    """
    from kibitz.core.agent import make_agents
    from kibitz.playtest import playtest_game
    from kibitz.playtest.report import render

    terminal.check_writable(json)
    specs = split_agents(agents)
    found = find_game(game)
    table = find_table(found, player_count(specs, players), settings, parameters)
    seated = make_agents(specs, table.players)
    if players is None and len(specs) == 1:
        tell_choice(found.players)
    with terminal.games_progress(games) as progress:
        result = playtest_game(
            found,
            players=table.players,
            agents=seated,
            games=games,
            seed=seed,
            parameters=table.parameters.as_dict(),
            rotate=rotate,
            workers=workers,
            progress=progress,
        )
    if result.interrupted:
        terminal.say(f"Stopped: keeping the {result.games:,} of {games:,} games played so far.")
    if json is not None:
        terminal.write_json(json, result.to_json())
    if json != terminal.STDOUT:
        terminal.out().print(render(result))
    if result.interrupted:
        raise typer.Exit(terminal.STOPPED)


def tell_choice(players: tuple[int, int]) -> None:
    """Says how many players were assumed, where there is a choice."""
    low, high = players
    if low < high:
        terminal.say(f"With {low} players, the fewest; --players takes {low} to {high}.")
