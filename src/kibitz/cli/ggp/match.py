"""``kibitz ggp match``: the game manager of a match, or of several."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.console import KeptTeller, MatchTeller, match_file, printer, random_moves
from kibitz.cli.ggp.options import (
    ClockOptions,
    GdlName,
    ManagerOptions,
    PlayersOption,
    Seed,
    find_gdl_game,
)
from kibitz.cli.ggp.signals import on_interrupt, unless
from kibitz.cli.ggp.waiting import greet_all
from kibitz.cli.groups import OptionGroup
from kibitz.core.interrupt import exit_code

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.manager import MatchSettings
    from kibitz.ggp.record import MatchRecord


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """What is printed and kept of matches."""

    states: Annotated[
        bool, typer.Option("--states", help="Show what is true after each step.")
    ] = False
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="Write the match record here as JSON; of several matches, to FILE with their "
            "numbers.",
        ),
    ] = None
    watch: Annotated[
        Path | None,
        typer.Option(
            "--watch",
            metavar="DIR",
            show_default=False,
            help="Keep the record in this workspace at every step: 'kibitz serve --workspace DIR' "
            "shows the match as it is played, on its page Runs.",
        ),
    ] = None

    def teller(self, game: GdlGame, number: int, show: Callable[[str], None]) -> MatchTeller:
        """What prints a match and, for spectators, keeps its record.

        Args:
            number: the number of the match, from 1.

        Raises:
            FileError: the folder for spectators cannot be created.
        """
        if self.watch is None:
            return MatchTeller(game, self.states, show)
        return KeptTeller(game, self.states, show, match_file(self.watch, game.name, number))

    def keep(self, record: MatchRecord, number: int, matches: int) -> None:
        """Writes the record of a match, of several into a file with its number.

        Raises:
            FileError: the file cannot be written.
        """
        if self.out is not None:
            path, alone = Path(self.out), matches == 1 or self.out == terminal.STDOUT
            name = self.out if alone else str(path.with_suffix(f".{number}{path.suffix}"))
            terminal.write_json(name, record.to_json())


def match(
    game: GdlName,
    players: PlayersOption,
    *,
    clocks: ClockOptions,
    games: Annotated[
        int, typer.Option("--games", "-g", metavar="N", min=1, help="How many matches.")
    ] = 1,
    manager: ManagerOptions,
    output: OutputOptions,
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
    from kibitz.core.agent import split_agents
    from kibitz.ggp import table

    terminal.check_writable(output.out)
    rules = find_gdl_game(game)
    named = split_agents(players, "--players")
    table.check_count(rules, len(named))
    table.check_players(named)
    seeds = random.Random(seed)
    settings = [manager.settings(clocks, seeds.getrandbits(60)) for _ in range(games)]
    series = _Series(rules, named, settings, manager.wait, output, printer(json))
    records = series.records
    try:
        interrupted = asyncio.run(series.play())
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


@dataclass
class _Series:
    """Matches between the same players, one after the other.

    Attributes:
        players: the players' descriptions, one for each role.
        settings: the settings of each match.
        wait: seconds for which players that do not listen yet are waited for.
        show: prints lines.
        records: the records of the matches that have begun.
    """

    game: GdlGame
    players: list[str]
    settings: list[MatchSettings]
    wait: float
    output: OutputOptions
    show: Callable[[str], None]
    records: list[MatchRecord] = field(default_factory=list)

    async def play(self) -> bool:
        """Runs the matches.

        Returns whether they were interrupted; then the last one is aborted.
        """
        from kibitz.ggp.manager import Manager
        from kibitz.ggp.table import Players

        players = Players(self.players, self.settings[0].seed % 2**32)
        running: list[Manager] = []
        stopped = asyncio.Event()

        def stop() -> None:
            stopped.set()
            for manager in running:
                manager.stop()

        with on_interrupt(stop):
            try:
                seats = await unless(stopped, players.seats(self.players))
                for number, settings in enumerate(self.settings, 1):
                    if seats is not None:
                        await unless(stopped, greet_all(seats, self.wait, self.show))
                    if stopped.is_set() or seats is None:
                        break
                    teller = self.output.teller(self.game, number, self.show)
                    name = f"kibitz.{self.game.name}-{int(time.time() * 1000)}.{number}"
                    manager = Manager(name, self.game, seats, settings, teller)
                    running[:] = [manager]
                    self.records.append(await manager.run())
                    self.output.keep(self.records[-1], number, len(self.settings))
                    teller.ended(manager)
            finally:
                await players.close()
        return stopped.is_set()
