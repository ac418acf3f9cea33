"""``kibitz ggp tournament``: every player in every role of every game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.console import in_columns, printer, random_moves
from kibitz.cli.ggp.options import ClockOptions, ManagerOptions, find_gdl_game, players_option
from kibitz.cli.ggp.signals import on_interrupt, unless
from kibitz.cli.ggp.waiting import greet_all
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import JsonOnly, checked_seed, local_folder
from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import exit_code

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.manager import Manager, MatchSettings
    from kibitz.ggp.record import MatchRecord
    from kibitz.ggp.tournament import Fixture, Score, Tournament
    from kibitz.studies.tournament.ratings import Rating


@dataclass(frozen=True)
class PlanOptions(OptionGroup):
    """Who plays what, how often, and where that is kept."""

    games: Annotated[
        list[str],
        typer.Option(
            "--games",
            "-g",
            metavar="GAMES",
            show_default=False,
            help="Games in GDL, names or files, between commas. May be repeated.",
        ),
    ]
    players: Annotated[list[str], players_option("Who takes part")]
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
    ]
    rounds: Annotated[
        int,
        typer.Option(
            "--rounds",
            "-r",
            metavar="N",
            min=1,
            help="How often each game is played with each assignment of roles.",
        ),
    ] = 1

    def tournament(self, settings: MatchSettings) -> Tournament:
        """The tournament, all of whose matches have these settings.

        Raises:
            KibitzError: a player or a game is wrong, or is given twice.
        """
        from kibitz.core.agent import split_agents
        from kibitz.ggp import table
        from kibitz.ggp.tournament import Tournament

        players = split_agents(self.players, "--players")
        table.check_players(players)
        if len(set(players)) < len(players):
            raise KibitzError("A tournament needs players that differ; one was named twice.")
        names = [name for value in self.games for name in value.split(",") if name]
        return Tournament(_named(names), players, self.rounds, settings, self.out)


def tournament(
    *,
    plan: PlanOptions,
    clocks: ClockOptions,
    manager: ManagerOptions,
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
    planned = plan.tournament(manager.settings(clocks, seed))
    played = planned.open()
    total = len(planned.fixtures())
    if played:
        terminal.say(f"{len(played)} of {total} matches have been played before.")
    interrupted = asyncio.run(_play(planned, played, manager.wait, printer(json)))
    scores = planned.scores(played)
    if json:
        terminal.print_json(tournament_json(scores, len(played), total))
    else:
        terminal.print_lines(score_table(scores, list(planned.games)))
    for line in random_moves(list(played.values())):
        terminal.say(line)
    if interrupted:
        terminal.say(f"Stopped: {len(played)} of {total} matches are kept in {plan.out}.")
        raise typer.Exit(exit_code())


async def _play(
    tournament: Tournament,
    played: dict[Fixture, MatchRecord],
    wait: float,
    show: Callable[[str], None],
) -> bool:
    """Plays the missing matches, adds their records, and prints a line for each.

    Returns whether it was interrupted.

    Args:
        played: the records of the matches that have been played.
        wait: seconds for which players that do not listen yet are waited for.
    """
    from kibitz.ggp.manager import Seat
    from kibitz.ggp.table import address_of

    players, total = tournament.players, len(tournament.fixtures())

    def tell(number: int, fixture: Fixture, manager: Manager) -> None:
        record = manager.record
        seats = ", ".join(players[player] for player in fixture.players)
        result = " ".join(map(str, record.goals)) or f"aborted: {manager.reason}"
        wrong = sum(bool(error) for step in record.errors for error in step)
        errors = f"; {wrong} error{'s' if wrong > 1 else ''}" if wrong else ""
        show(f"{number:4} of {total}  {fixture.game}: {seats}: {result}{errors}")

    remote = [Seat(name, *address) for name in players if (address := address_of(name))]
    stopped = asyncio.Event()
    with on_interrupt(stopped.set):
        if len(played) < total:
            await unless(stopped, greet_all(remote, wait, show))
        await tournament.play(played, stopped, tell)
    return stopped.is_set()


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
