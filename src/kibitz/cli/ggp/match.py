"""``kibitz ggp match``: the game manager of a match, or of several."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.console import KeptTeller, MatchTeller, match_file, random_moves
from kibitz.cli.ggp.options import (
    PATIENCE,
    GdlName,
    PlayClock,
    PlayersOption,
    Replace,
    ReplaceOption,
    Scramble,
    Seed,
    StartClock,
    WaitOption,
    find_gdl_game,
)
from kibitz.cli.ggp.signals import on_interrupt, unless
from kibitz.cli.ggp.waiting import greet_all
from kibitz.cli.options import split_agents
from kibitz.core.interrupt import exit_code

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.manager import Manager, MatchSettings
    from kibitz.ggp.record import MatchRecord


def match(
    game: GdlName,
    players: PlayersOption,
    start: StartClock = 30,
    play: PlayClock = 10,
    games: Annotated[
        int, typer.Option("--games", "-g", metavar="N", min=1, help="How many matches.")
    ] = 1,
    replace: ReplaceOption = Replace.RANDOM,
    scramble: Scramble = False,
    wait: WaitOption = PATIENCE,
    states: Annotated[
        bool, typer.Option("--states", help="Show what is true after each step.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="Write the match record here as JSON; of several matches, to FILE with their "
            "numbers.",
        ),
    ] = None,
    watch: Annotated[
        Path | None,
        typer.Option(
            "--watch",
            metavar="DIR",
            show_default=False,
            help="Keep the record in this workspace at every step: 'kibitz serve --workspace DIR' "
            "shows the match as it is played, on its page Runs.",
        ),
    ] = None,
    seed: Seed = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the match records as JSON, and nothing else.")
    ] = False,
) -> None:
    """Be the game manager: run a match between players.

    The role 'random' is played by the manager. A late, illegal or missing answer is replaced by
    a legal move, and noted: TO (out of time), CE (no connection), IL (not legal). Ctrl-C aborts
    the match; its record is written all the same.

    Examples:
      kibitz ggp match connect-four --players ggp,random --start 5 --play 2
      kibitz ggp match nim --players localhost:9147,mcts:c=0.7 --out record.json
      kibitz ggp match mygame.kif --players legal,random --scramble --states
      kibitz ggp match breakthrough --players ggp,mcts --watch kibitz-workspace
      kibitz ggp match sliding-puzzle --players ggp --games 3 --json
    """
    from kibitz.ggp import table
    from kibitz.ggp.manager import MatchSettings
    from kibitz.ggp.manager import Replace as MatchReplace

    if out is not None:
        terminal.check_writable(out)
    rules = find_gdl_game(game)
    named = split_agents(players)
    table.check_count(rules, len(named))
    table.check_players(named)
    seeds = random.Random(seed)
    stand_in = MatchReplace(replace.value)
    settings = [
        MatchSettings(start, play, stand_in, scramble, seeds.getrandbits(60)) for _ in range(games)
    ]
    show: Callable[[str], None] = (lambda line: None) if json else terminal.print_lines

    def keep(number: int, record: MatchRecord) -> None:
        if out is not None:
            path, alone = Path(out), games == 1 or out == terminal.STDOUT
            name = out if alone else str(path.with_suffix(f".{number}{path.suffix}"))
            terminal.write_json(name, record.to_json())

    def spectator(number: int) -> MatchTeller:
        if watch is None:
            return MatchTeller(rules, states, show)
        return KeptTeller(rules, states, show, match_file(watch, rules.name, number))

    records: list[MatchRecord] = []
    try:
        matches = _matches(rules, named, settings, wait, spectator, show, keep, records)
        interrupted = asyncio.run(matches)
    finally:
        if json:
            documents = [record.to_json() for record in records]
            terminal.print_json(documents[0] if games == len(documents) == 1 else documents)
    if interrupted:
        if not records:
            terminal.say("Stopped before a match had begun.")
        raise typer.Exit(exit_code())
    at_random = random_moves(records)
    for line in at_random:
        terminal.say(line)
    if at_random or any(record.aborted for record in records):
        raise typer.Exit(1)


async def _matches(
    game: GdlGame,
    named: list[str],
    settings: list[MatchSettings],
    wait: float,
    spectator: Callable[[int], MatchTeller],
    show: Callable[[str], None],
    keep: Callable[[int, MatchRecord], None],
    records: list[MatchRecord],
) -> bool:
    """Runs matches and adds their records.

    Returns whether they were interrupted; then the last one is aborted.
    """
    from kibitz.ggp.manager import Manager
    from kibitz.ggp.table import Players

    players = Players(named, settings[0].seed % 2**32)
    running: list[Manager] = []
    stopped = asyncio.Event()

    def stop() -> None:
        stopped.set()
        for manager in running:
            manager.stop()

    with on_interrupt(stop):
        try:
            seats = await unless(stopped, players.seats(named))
            for number, match_settings in enumerate(settings, 1):
                if seats is not None:
                    await unless(stopped, greet_all(seats, wait, show))
                if stopped.is_set() or seats is None:
                    break
                teller = spectator(number)
                name = f"kibitz.{game.name}-{int(time.time() * 1000)}.{number}"
                manager = Manager(name, game, seats, match_settings, teller)
                running[:] = [manager]
                records.append(await manager.run())
                keep(number, records[-1])
                teller.ended(manager)
        finally:
            await players.close()
    return stopped.is_set()
