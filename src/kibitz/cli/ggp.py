"""``kibitz ggp``: players that real game managers can use, and a manager for real players."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import random
import socket
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from kibitz.cli import terminal
from kibitz.cli.options import JsonOnly, checked_seed, find_game, prepare_rules
from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import exit_code, first_signal_calls

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.manager import Manager, MatchSettings, Seat
    from kibitz.ggp.record import MatchRecord
    from kibitz.ggp.service import Settings
    from kibitz.ggp.tournament import Score

T = TypeVar("T")

PORT = 9147
"""Where the first player of a machine listens, by custom."""


PATIENCE = 60.0
"""Seconds for which a player is waited for: at its first start it may compile for so long."""


Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="S",
        show_default=False,
        callback=checked_seed,
        help="Where chance begins.  [default: anywhere]",
    ),
]


def overview(ctx: typer.Context) -> None:
    """General game playing over the network: players, matches, tournaments.

    Examples:
      kibitz ggp player --port 9147         be a player for any game manager
      kibitz ggp match connect-four --players ggp,localhost:9147
      kibitz ggp match mygame.kif --players legal,random --out record.json
      kibitz ggp show record.json           what happened in a match
      kibitz ggp tournament --games nim,breakthrough --players ggp,mcts --out dir

    'kibitz ggp COMMAND --help' explains a command.
    """
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


# --- the player -------------------------------------------------------------------------------

AGENT_HELP = (
    "Who decides: 'legal' or 'random'; an agent that 'kibitz agents' lists, with options such as "
    "'mcts:c=0.7'; or a player of your own, FILE.py:CLASS."
)


def player(
    agent: Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help=AGENT_HELP)] = "ggp",
    port: Annotated[
        int,
        typer.Option("--port", metavar="PORT", min=0, max=65535, help="0: any that is free."),
    ] = PORT,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="HOST",
            help="The address to listen at; 0.0.0.0 lets other machines call.",
        ),
    ] = "127.0.0.1",
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            show_default=False,
            help="What it calls itself.  [default: as the agent is called]",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="SECONDS",
            min=0.0,
            show_default=False,
            help="How long before its time is up it answers.  [default: a tenth of the clock, "
            "between 0.1 and 1.5]",
        ),
    ] = None,
    matches: Annotated[
        int,
        typer.Option("--matches", metavar="N", min=1, help="Matches at a time; then it is busy."),
    ] = 4,
    record_dir: Annotated[
        Path | None,
        typer.Option(
            "--record-dir",
            metavar="DIR",
            show_default=False,
            help="Write what was said in each match to a file in this folder.",
        ),
    ] = None,
    ponder: Annotated[
        bool,
        typer.Option("--ponder", help="Think on while the others have not answered."),
    ] = False,
    seed: Seed = None,
) -> None:
    """Be a player: an HTTP service that a game manager can call.

    It takes part in several matches at a time and answers within their clocks. Every event is
    told in a line. Ctrl-C ends it.

    Examples:
      kibitz ggp player --agent ggp
      kibitz ggp player --agent mcts:c=0.7 --port 9148 --name Deep
      kibitz ggp player --agent random --host 0.0.0.0 --matches 1
      kibitz ggp player --agent my_player.py:Greedy --record-dir records
    """
    from kibitz.ggp.players import make_player
    from kibitz.ggp.service import Settings, check_folder

    terminal.announce_compilations()
    make_player(agent)  # what is wrong with it is known at once
    check_folder(record_dir)
    settings = Settings(
        player=agent,
        name=name or agent,
        margin=margin,
        matches=matches,
        records=record_dir,
        ponder=ponder,
        seed=seed,
    )
    asyncio.run(_serve(settings, host, port))


async def _serve(settings: Settings, host: str, port: int) -> None:
    from kibitz.ggp.service import PlayerService

    service = PlayerService(settings, _tell)
    stopped = asyncio.Event()
    with _on_interrupt(stopped.set):
        try:
            found = await _unless(stopped, service.open(host, port))
            if found is not None:
                _tell(f"{settings.name} listens at {host}:{found}; Ctrl-C ends it")
                await stopped.wait()
        except OSError as problem:
            raise KibitzError(_listening_problem(problem, host, port)) from None
        finally:
            await service.close()
    _tell("stopped")


async def _unless(stopped: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """What comes out of something that takes long; ``None`` if it was stopped before."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stopped.wait())
    either: list[asyncio.Future[Any]] = [working, stopping]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        for future in either:
            future.cancel()


def _listening_problem(problem: OSError, host: str, port: int) -> str:
    if isinstance(problem, socket.gaierror):
        return f"There is no host {host!r} here; --host takes an address of this machine."
    if "in use" in str(problem):
        return f"Port {port} is taken: another program listens there. Choose one with --port."
    return f"Cannot listen at {host}:{port}: {problem.strerror or problem}."


def _tell(line: str) -> None:
    """An event, with the time of day."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def _on_interrupt(stop: Callable[[], Any]) -> contextlib.AbstractContextManager[None]:
    """Has the first signal that ends a command call a function; a later one ends it at once."""
    loop = asyncio.get_running_loop()
    return first_signal_calls(lambda: loop.call_soon_threadsafe(stop))


# --- the manager ------------------------------------------------------------------------------


class Replace(enum.Enum):
    """What stands in for a missing move; as ``kibitz.ggp.manager.Replace``."""

    RANDOM = "random"
    FIRST = "first"


GdlName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        show_default=False,
        help="A game in GDL: a name that 'kibitz games' lists, or a file in KIF or infix.",
    ),
]
PlayersOption = Annotated[
    list[str],
    typer.Option(
        "--players",
        "-p",
        metavar="PLAYERS",
        show_default=False,
        help="One for each role, in their order, between commas: HOST:PORT of one that listens, "
        "or one of ours as --agent of 'kibitz ggp player' takes it. May be repeated.",
    ),
]
StartClock = Annotated[
    int, typer.Option("--start", metavar="SECONDS", min=0, help="The start clock.")
]
PlayClock = Annotated[
    int, typer.Option("--play", metavar="SECONDS", min=0, help="The clock for each move.")
]
ReplaceOption = Annotated[
    Replace,
    typer.Option("--replace", help="Which legal move stands in for a late or illegal one."),
]
WaitOption = Annotated[
    float,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        min=0.0,
        help="How long a player that does not listen yet is waited for. One that is not there "
        "then is told, and nothing is begun.",
    ),
]
Scramble = Annotated[
    bool, typer.Option("--scramble", help="Give the players other names than the rules have.")
]


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
      kibitz ggp match sliding-puzzle --players ggp --games 3 --json
    """
    from kibitz.ggp import table
    from kibitz.ggp.manager import MatchSettings
    from kibitz.ggp.manager import Replace as MatchReplace

    if out is not None:
        terminal.check_writable(out)
    found = find_gdl_game(game)
    named = table.split_players(players)
    table.check_count(found, len(named))
    table.check_players(named)
    seeds = random.Random(seed)
    stand_in = MatchReplace(replace.value)
    settings = [
        MatchSettings(start, play, stand_in, scramble, seeds.getrandbits(60)) for _ in range(games)
    ]
    show: Callable[[str], None] = (lambda line: None) if json else print

    def keep(number: int, record: MatchRecord) -> None:
        if out is not None:
            path, alone = Path(out), games == 1 or out == terminal.STDOUT
            name = out if alone else str(path.with_suffix(f".{number}{path.suffix}"))
            terminal.write_json(name, record.to_json())

    records: list[MatchRecord] = []
    try:
        matches = _matches(found, named, settings, wait, states, show, keep, records)
        interrupted = asyncio.run(matches)
    finally:
        if json:
            documents = [record.to_json() for record in records]
            terminal.print_json(documents[0] if games == len(documents) == 1 else documents)
    if interrupted:
        if not records:
            terminal.say("Stopped before a match had begun.")
        raise typer.Exit(exit_code())
    if any(record.aborted for record in records):
        raise typer.Exit(1)


def find_gdl_game(spec: str) -> GdlGame:
    """The game in GDL that a person means.

    Raises:
        KibitzError: there is none, or it is not in GDL.
    """
    from kibitz.gdl.game import GdlGame

    found = find_game(spec)
    if not isinstance(found, GdlGame):
        raise KibitzError(
            f"{spec} is not in GDL, so players cannot be told its rules. 'kibitz games gdl' "
            "lists those that are."
        )
    return prepare_rules(found)


async def _matches(
    game: GdlGame,
    named: list[str],
    settings: list[MatchSettings],
    wait: float,
    states: bool,
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

    with _on_interrupt(stop):
        try:
            seats = await _unless(stopped, players.seats(named))
            for number, one in enumerate(settings, 1):
                if seats is not None:
                    await _unless(stopped, _greet(seats, wait, show))
                if stopped.is_set() or seats is None:
                    break
                teller = Teller(game, states, show)
                name = f"kibitz.{game.name}-{int(time.time() * 1000)}.{number}"
                manager = Manager(name, game, seats, one, teller)
                running[:] = [manager]
                records.append(await manager.run())
                keep(number, records[-1])
                teller.ended(manager)
        finally:
            await players.close()
    return stopped.is_set()


async def _greet(seats: Sequence[Seat], patience: float, show: Callable[[str], None]) -> None:
    """Asks the players that were started elsewhere who they are, and shows it.

    Raises:
        KibitzError: one of them is not there, in spite of all patience.
    """
    from kibitz.ggp.manager import greet
    from kibitz.ggp.table import address_of

    others = list(dict.fromkeys(seat for seat in seats if address_of(seat.name)))
    greetings = await asyncio.gather(*(greet(seat, patience, terminal.say) for seat in others))
    absent = []
    for seat, greeting in zip(others, greetings, strict=True):
        if greeting.absent:
            absent.append(f"{seat.name} {greeting}")
        else:
            show(f"{seat.name}: {greeting}")
    if absent:
        raise KibitzError(
            f"{'; '.join(absent)}. No match is begun without a player: start it, or look at its "
            f"address. One that does not listen yet is waited for {patience:g} s; --wait sets it."
        )


ERRORS = {"CE": "it cannot be reached (CE)", "TO": "out of time (TO)"}
"""What the errors of START mean."""

SHOWN = 60
"""Letters of a reply that is no answer which are shown."""


def _readiness(error: str, reply: str, seconds: float) -> str:
    """What came of START, given the error and the reply in a record."""
    from kibitz.ggp.messages import shown

    if not error:
        return f"ready after {seconds:.1f} s"
    if not error.startswith("IL"):
        return f"no answer to START: {ERRORS.get(error, error)}"
    said = shown(reply.strip(), SHOWN) or error.removeprefix("IL").strip()
    status = f", with the status {error[3:]}" if error.startswith("IL HTTP") else ""
    return f"not ready: it answered START with '{said}'{status}"


class Teller:
    """Tells on the console how a match goes."""

    def __init__(self, game: GdlGame, states: bool, show: Callable[[str], None]) -> None:
        self._game = game
        self._states = states
        self._show = show
        self._roles: Sequence[str] = ()

    def begun(self, record: MatchRecord, roles: Sequence[str]) -> None:
        """The players, and whether they are ready."""
        from kibitz.ggp.position import is_random

        clocks = f"clocks {record.startclock} s and {record.playclock} s"
        self._show(f"{self._game.title or self._game.name}, match {record.match}; {clocks}")
        answers = zip(record.errors[0], record.replies[0], record.seconds[0], strict=True)
        for role, player, answer in zip(roles, record.players, answers, strict=True):
            if not is_random(role):
                self._show(f"  {role}: {player}, {_readiness(*answer)}")
        self._roles = roles

    def stepped(self, record: MatchRecord) -> None:
        """Who did what, how long it took, and what went wrong."""
        from kibitz.ggp.messages import plain, shown
        from kibitz.ggp.position import is_random

        told = []
        last = record.moves[-1], record.errors[-1], record.replies[-1], record.seconds[-1]
        for role, move, error, reply, took in zip(self._roles, *last, strict=True):
            wrong = f" [{error.replace('( ', '(').replace(' )', ')')}]" if error else ""
            if error == "IL null" and reply:
                wrong = f" [{error}: '{shown(reply, SHOWN)}']"
            time_taken = "" if is_random(role) else f" {took:.2f} s"
            told.append(f"{plain(move)}{time_taken}{wrong}")
        self._show(f"{len(record.moves):3}. {'   '.join(told)}")
        if self._states:
            self._show(f"     {' '.join(record.states[-1])}")

    def ended(self, manager: Manager) -> None:
        """The goals, or why there are none."""
        record = manager.record
        if record.aborted:
            self._show(f"Aborted after {len(record.moves)} steps: {manager.reason}.")
            return
        steps = len(record.moves)
        self._show(f"Over after {steps} step{'s' if steps != 1 else ''}.")
        self._show(goal_table(record, self._roles))


def goal_table(record: MatchRecord, roles: Sequence[str]) -> str:
    """The goal, the errors and the time for each role, as a table."""
    from kibitz.ggp.position import is_random

    rows = [("Role", "Player", "Goal", "Errors", "Seconds a move")]
    for role, name in enumerate(roles):
        if is_random(name):
            continue
        wrong = sum(bool(step[role]) for step in record.errors)
        times = [step[role] for step in record.seconds[1:]]
        mean = f"{sum(times) / len(times):.2f}" if times else "-"
        goal = str(record.goals[role]) if record.goals else "-"
        rows.append((name, record.players[role], goal, str(wrong), mean))
    return in_columns(rows, left=2)


# --- records ----------------------------------------------------------------------------------


def show(
    record: Annotated[
        Path,
        typer.Argument(metavar="RECORD", show_default=False, help="A match record, as JSON."),
    ],
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            show_default=False,
            help="Its game, a name or a file.  [default: as the record says, which may name "
            "a game that 'kibitz games' lists, or have rules in it]",
        ),
    ] = None,
    states: Annotated[
        bool, typer.Option("--states", help="Show what is true after each step.")
    ] = False,
) -> None:
    """Tell what happened in a match, and check its record against the rules.

    Records of other game managers are read, too. Exit code 1: the record contradicts the rules.

    Examples:
      kibitz ggp show record.json
      kibitz ggp show kiosk.json tictactoe.kif --states
    """
    from kibitz.ggp.record import load_record, recorded_game

    found = load_record(record)
    if game is not None:
        rules = find_gdl_game(game)
    else:
        terminal.announce_compilations()
        rules = prepare_rules(recorded_game(found, record))
    teller = Teller(rules, states, print)
    roles = [rules.description.spelling[role] for role in rules.description.roles]
    filled = found.filled(len(roles))
    teller.begun(filled, roles)
    for step in range(len(found.moves)):
        teller.stepped(filled.until(step + 1))
    wrong = found.verify(rules)
    if found.completed:
        print(goal_table(filled, roles))
    else:
        print("Aborted." if found.aborted else "Not completed.")
    if wrong is not None:
        terminal.say(f"The record contradicts the rules of {rules.name}: {wrong}.")
        raise typer.Exit(1)
    brought = game is None and found.rules
    whose = "that it brings along" if brought else f"of {rules.name}"
    print(f"The record agrees with the rules {whose}.")


# --- tournaments ------------------------------------------------------------------------------


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
    players: PlayersOption,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            show_default=False,
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
        typer.Option("--seed", metavar="S", callback=checked_seed, help="Where chance begins."),
    ] = 0,
    json: JsonOnly = False,
) -> None:
    """Run many matches: every player in every role of every game, equally often.

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

    named = table.split_players(players)
    table.check_players(named)
    if len(set(named)) < len(named):
        raise KibitzError("A tournament needs players that differ; one was named twice.")
    wanted = [name for value in games for name in value.split(",") if name]
    found = _named(wanted)
    settings = MatchSettings(start, play, MatchReplace(replace.value), scramble, seed)
    planned = Tournament(found, named, rounds, settings, out)
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
        print(f"{number:4} of {total}  {fixture.game}: {seats}: {result}{errors}", flush=True)

    async def run() -> bool:
        stopped = asyncio.Event()
        there = [Seat(name, *address) for name in named if (address := table.address_of(name))]
        show: Callable[[str], None] = (lambda line: None) if json else print
        with _on_interrupt(stopped.set):
            if len(played) < total:
                await _unless(stopped, _greet(there, wait, show))
            await planned.play(played, stopped, tell)
        return stopped.is_set()

    interrupted = asyncio.run(run())
    scores = planned.scores(played)
    if json:
        terminal.print_json(tournament_json(scores, len(played), total))
    else:
        print(score_table(scores, list(found)))
    if interrupted:
        terminal.say(f"Stopped: {len(played)} of {total} matches are kept in {out}.")
        raise typer.Exit(exit_code())


def _named(specs: Sequence[str]) -> dict[str, GdlGame]:
    """Games by their names.

    Raises:
        KibitzError: two have the same name.
    """
    found: dict[str, GdlGame] = {}
    for spec in dict.fromkeys(specs):
        game = find_gdl_game(spec)
        if game.name in found:
            raise KibitzError(
                f"Two of the games are called {game.name}; in the results they could not be told "
                "apart. Rename a file."
            )
        found[game.name] = game
    return found


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
                "games": {name: one.to_json() for name, one in score.games.items()},
                "errors": score.errors,
            }
            for score in scores
        ],
    }


def score_table(scores: Sequence[Score], games: Sequence[str]) -> str:
    """Goals in each game and in all, with the 95 % interval of the mean."""
    rows = [("Player", *games, "All games", "95 % interval", "Matches", "Errors")]
    for score in scores:
        shown = score.total.interval
        interval = f"{shown[0]:.1f} to {shown[1]:.1f}" if shown else "-"
        means = [_mean(score.games[game].mean) for game in games]
        counts = str(score.total.count), str(score.errors)
        rows.append((score.player, *means, _mean(score.total.mean), interval, *counts))
    return in_columns(rows, left=1)


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def in_columns(rows: Sequence[Sequence[str]], left: int) -> str:
    """Rows of texts below each other; the first columns to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if column < left else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


COMMANDS: tuple[Callable[..., None], ...] = (player, match, show, tournament)

__all__ = ["COMMANDS", "match", "overview", "player", "show", "tournament"]
