"""``kibitz check`` and ``kibitz perft``: whether a game's rules are right."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    GameName,
    JsonOnly,
    ParametersFile,
    Players,
    Seed,
    Settings,
    describe_table,
    find_game,
    find_table,
)

BROKEN = 1
"""Exit code when a game has problems."""


def check(
    game: GameName,
    games: Annotated[
        int,
        typer.Option("--games", "-g", metavar="G", min=1, help="Games for each table size."),
    ] = 12,
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-p",
            metavar="N",
            show_default=False,
            help="Only tables of this size.  [default: all]",
        ),
    ] = None,
    seed: Seed = 0,
    json: JsonOnly = False,
) -> None:
    """Check whether a game keeps the contract that all else relies on.

    Plays random games and tells which laws a rule breaks, where, and what is likely to help.
    The exit code is 1 when there are problems.

    Examples:
      kibitz check love-letter
      kibitz check src/my_game/rules.py --games 100
      kibitz check tic-tac-toe --json
    """
    from kibitz.arena.conformance import check_game

    found = find_game(game)
    if not json:
        terminal.say(f"Checking {found.name} ...")
    report = check_game(found, games=games, seed=seed, players=players)
    if json:
        terminal.print_json(report.to_json())
    else:
        print(report)
    if not report.ok:
        raise typer.Exit(BROKEN)


def perft(
    game: GameName,
    depth: Annotated[
        int, typer.Option("--depth", "-d", metavar="D", min=1, help="How many actions deep.")
    ],
    players: Players = None,
    seed: Seed = 0,
    settings: Settings = None,
    parameters: ParametersFile = None,
    json: JsonOnly = False,
) -> None:
    """Count the histories that the rules allow from the start of one game.

    Nearly every mistake in the rules changes these counts, and for many games they are known.
    Chance is fixed by the seed.

    Examples:
      kibitz perft tic-tac-toe --depth 9
      kibitz perft love-letter --depth 4 --players 3 --seed 7
    """
    from kibitz.arena.perft import perft as count

    table = find_table(find_game(game), players, settings, parameters)
    state = table.new_state(seed)
    began = time.perf_counter()
    counts = count(state, depth)
    seconds = time.perf_counter() - began
    if json:
        terminal.print_json(
            {
                "game": table.game.name,
                "players": table.players,
                "parameters": table.parameters.to_json(),
                "seed": seed,
                "histories": counts.histories,
                "games": counts.games,
                "broken": counts.broken,
            }
        )
        return
    print(f"{describe_table(table)}, seed {seed}\n")
    widest = max(len("histories"), *(len(f"{number:,}") for number in counts.histories))
    print(f"actions  {'histories':>{widest}}")
    for length, number in enumerate(counts.histories, start=1):
        print(f"{length:7}  {number:>{widest},}")
    rate = sum(counts.histories) / max(seconds, 1e-9)
    print(f"\n{counts.games:,} of them end the game. {seconds:.2f} s, {rate:,.0f} actions/s.")
    if counts.broken:
        print(f"{counts.broken:,} break off: a dead end, a limit or a failure of the rules.")
