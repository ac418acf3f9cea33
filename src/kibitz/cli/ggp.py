"""``kibitz ggp``: players that real game managers can use, and a manager for real players."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.options import checked_seed
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.ggp.service import Settings

PORT = 9147
"""Where the first player of a machine listens, by custom."""


def overview(ctx: typer.Context) -> None:
    """General game playing over the network: players, matches, tournaments.

    Examples:
      kibitz ggp player --agent ggp --port 9147                a player for any game manager
      kibitz ggp match connect-four --players ggp,localhost:9147
      kibitz ggp match mygame.kif --players legal,random --start 10 --play 5 --out record.json
      kibitz ggp show record.json                              what happened in a match
      kibitz ggp tournament --games nim,connect-four --players ggp,mcts,random --out results

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
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            show_default=False,
            callback=checked_seed,
            help="Where chance begins.  [default: anywhere]",
        ),
    ] = None,
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
            found = await service.open(host, port)
        except OSError as problem:
            raise KibitzError(_listening_problem(problem, host, port)) from None
        _tell(f"{settings.name} listens at {host}:{found}; Ctrl-C ends it")
        try:
            await stopped.wait()
        finally:
            await service.close()
    _tell("stopped")


def _listening_problem(problem: OSError, host: str, port: int) -> str:
    if isinstance(problem, socket.gaierror):
        return f"There is no host {host!r} here; --host takes an address of this machine."
    if "in use" in str(problem):
        return f"Port {port} is taken: another program listens there. Choose one with --port."
    return f"Cannot listen at {host}:{port}: {problem.strerror or problem}."


def _tell(line: str) -> None:
    """An event, with the time of day."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


@contextlib.contextmanager
def _on_interrupt(stop: Callable[[], Any]) -> Any:
    """Has Ctrl-C, or being told to terminate, call a function once; the second time it kills."""
    loop = asyncio.get_running_loop()
    kinds = (signal.SIGINT, signal.SIGTERM)

    def once() -> None:
        for kind in kinds:
            loop.remove_signal_handler(kind)
        stop()

    for kind in kinds:
        loop.add_signal_handler(kind, once)
    try:
        yield
    finally:
        for kind in kinds:
            loop.remove_signal_handler(kind)


COMMANDS: tuple[Callable[..., None], ...] = (player,)

__all__ = ["COMMANDS", "overview", "player"]
