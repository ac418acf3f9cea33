"""``kibitz ggp tournament``: every player in every role of every game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.console import in_columns, random_moves
from kibitz.cli.ggp.options import (
    PATIENCE,
    PlayClock,
    Replace,
    ReplaceOption,
    Scramble,
    StartClock,
    WaitOption,
    find_gdl_game,
    players_option,
)
from kibitz.cli.ggp.signals import on_interrupt, unless
from kibitz.cli.ggp.waiting import greet_all
from kibitz.cli.options import JsonOnly, checked_seed, local_folder, split_agents
from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import exit_code

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.manager import Manager
    from kibitz.ggp.tournament import Score
    from kibitz.studies.tournament.ratings import Rating


def tournament(
    games: Annotated[
        list[str],
        typer.Option(
            "--games",
            "-g",
            metavar="GAMES",
            show_default=False,
            help="Games in GDL, names or files, between commas. May be repeated.",
        ),
    ],
    players: Annotated[list[str], players_option("Who takes part")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            show_default=False,
            parser=local_folder,
            help="A folder for the match records. If a tournament was begun there, it is "
            "continued.",
        ),
    ],
    rounds: Annotated[
        int,
        typer.Option(
            "--rounds",
            "-r",
            metavar="N",
            min=1,
            help="How often each game is played with each assignment of roles.",
        ),
    ] = 1,
    start: StartClock = 30,
    play: PlayClock = 10,
    replace: ReplaceOption = Replace.RANDOM,
    scramble: Scramble = False,
    wait: WaitOption = PATIENCE,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="S", callback=checked_seed, help="Seed of all chance."),
    ] = 0,
    json: JsonOnly = False,
) -> None:
    """Run many matches between players.

    Every player has every role of every game equally often.

    What is played stays in the folder: after a Ctrl-C, or with more --rounds, the same command
    goes on from there.

    Examples:
      kibitz ggp tournament --games nim,breakthrough --players ggp,mcts --out dir
      kibitz ggp tournament -g mygame.kif -p localhost:9147,ggp -r 10 --out trial
    """
    from kibitz.ggp import table
    from kibitz.ggp.manager import MatchSettings, Seat
    from kibitz.ggp.manager import Replace as MatchReplace
    from kibitz.ggp.tournament import Fixture, Tournament

    named = split_agents(players)
    table.check_players(named)
    if len(set(named)) < len(named):
        raise KibitzError("A tournament needs players that differ; one was named twice.")
    names = [name for value in games for name in value.split(",") if name]
    loaded = _named(names)
    settings = MatchSettings(start, play, MatchReplace(replace.value), scramble, seed)
    planned = Tournament(loaded, named, rounds, settings, out)
    played = planned.open()
    total = len(planned.fixtures())
    if played:
        terminal.say(f"{len(played)} of {total} matches have been played before.")

    def tell(number: int, fixture: Fixture, manager: Manager) -> None:
        if json:
            return
        record = manager.record
        seats = ", ".join(named[player] for player in fixture.players)
        result = " ".join(map(str, record.goals)) or f"aborted: {manager.reason}"
        wrong = sum(bool(error) for step in record.errors for error in step)
        errors = f"; {wrong} error{'s' if wrong > 1 else ''}" if wrong else ""
        terminal.print_lines(f"{number:4} of {total}  {fixture.game}: {seats}: {result}{errors}")

    async def run() -> bool:
        stopped = asyncio.Event()
        remote = [Seat(name, *address) for name in named if (address := table.address_of(name))]
        show: Callable[[str], None] = (lambda line: None) if json else terminal.print_lines
        with on_interrupt(stopped.set):
            if len(played) < total:
                await unless(stopped, greet_all(remote, wait, show))
            await planned.play(played, stopped, tell)
        return stopped.is_set()

    interrupted = asyncio.run(run())
    scores = planned.scores(played)
    if json:
        terminal.print_json(tournament_json(scores, len(played), total))
    else:
        terminal.print_lines(score_table(scores, list(loaded)))
    for line in random_moves(list(played.values())):
        terminal.say(line)
    if interrupted:
        terminal.say(f"Stopped: {len(played)} of {total} matches are kept in {out}.")
        raise typer.Exit(exit_code())


def _named(specs: Sequence[str]) -> dict[str, GdlGame]:
    """Games by their names.

    Raises:
        KibitzError: two have the same name.
    """
    games_by_name: dict[str, GdlGame] = {}
    for spec in dict.fromkeys(specs):
        game = find_gdl_game(spec)
        if game.name in games_by_name:
            raise KibitzError(
                f"Two of the games are called {game.name}; in the results they could not be told "
                "apart. Rename a file."
            )
        games_by_name[game.name] = game
    return games_by_name


def tournament_json(scores: Sequence[Score], played: int, total: int) -> dict[str, Any]:
    """The scores as a document."""
    return {
        "matches": played,
        "planned": total,
        "players": [
            {
                "player": score.player,
                "matches": score.total.count,
                "goal": score.total.to_json(),
                "games": {name: summary.to_json() for name, summary in score.games.items()},
                "errors": score.errors,
                "rating": None if score.rating is None else score.rating.to_json(),
            }
            for score in scores
        ],
    }


def score_table(scores: Sequence[Score], games: Sequence[str]) -> str:
    """Goals in each game and in all, with the 95 % interval of the mean."""
    rows = [("Player", *games, "All games", "95 % interval", "Elo", "Matches", "Errors")]
    for score in scores:
        shown = score.total.interval
        interval = f"{shown[0]:.1f} to {shown[1]:.1f}" if shown else "-"
        means = [_mean(score.games[game].mean) for game in games]
        counts = _elo(score.rating), str(score.total.count), str(score.errors)
        rows.append((score.player, *means, _mean(score.total.mean), interval, *counts))
    return in_columns(rows, left=1)


def _elo(rating: Rating | None) -> str:
    if rating is None:
        return "-"
    low, high = rating.interval
    return f"{rating.elo:+.0f} ({low:+.0f} to {high:+.0f})"


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
