"""``kibitz ggp player``: a player that any game manager can call."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.options import Seed
from kibitz.cli.ggp.signals import on_interrupt, unless
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import Host, Port
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.ggp.handlers import HandlerService
    from kibitz.ggp.service import PlayerService

PORT = 9147
"""Where the first player of a machine listens, by custom."""

AGENT_HELP = (
    "Who decides: 'legal' or 'random'; an agent that 'kibitz agents' lists, with options such as "
    "'mcts:c=0.7'; or a player of your own, FILE.py:CLASS."
)


@dataclass(frozen=True)
class AgentOptions(OptionGroup):
    """How an agent takes part in matches."""

    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            show_default=False,
            help="What it calls itself.  [default: as the agent is called]",
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="SECONDS",
            min=0.0,
            show_default=False,
            help="How long before its clock runs out it answers.  [default: a tenth of the clock, "
            "between 0.1 and 1.5]",
        ),
    ] = None
    matches: Annotated[
        int,
        typer.Option("--matches", metavar="N", min=1, help="Matches at a time; then it is busy."),
    ] = 4
    record_dir: Annotated[
        Path | None,
        typer.Option(
            "--record-dir",
            metavar="DIR",
            show_default=False,
            help="Write what was said in each match to a file in this folder.",
        ),
    ] = None
    ponder: Annotated[
        bool,
        typer.Option(
            "--ponder", help="Go on searching while the other players have not answered."
        ),
    ] = False
    seed: Seed = None

    def service(self, agent: str, origins: Sequence[str]) -> PlayerService:
        """The service of an agent.

        Args:
            origins: the web pages that may send messages.

        Raises:
            KibitzError: there is no such agent, or the folder cannot be used.
        """
        from kibitz.ggp.players import make_player
        from kibitz.ggp.service import PlayerService
        from kibitz.ggp.settings import ServiceSettings, check_folder

        make_player(agent)  # reports a mistake there at once
        check_folder(self.record_dir)
        settings = ServiceSettings(
            player=agent,
            name=self.name or agent,
            margin=self.margin,
            matches=self.matches,
            records=self.record_dir,
            ponder=self.ponder,
            seed=self.seed,
            origins=tuple(origins),
        )
        return PlayerService(settings, _tell)


def player(
    context: typer.Context,
    agent: Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help=AGENT_HELP)] = "ggp",
    port: Port = PORT,
    host: Host = "127.0.0.1",
    *,
    options: AgentOptions,
    handlers: Annotated[
        Path | None,
        typer.Option(
            "--handlers",
            metavar="FILE",
            show_default=False,
            help="Call the handlers info, start, play, stop and abort of this Python file, which "
            "'kibitz new my_player.py' begins. Of the other options only --port, --host and "
            "--origin go with it.",
        ),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="URL",
            show_default=False,
            help="Let a manager that is a web page of this origin, such as http://games.lan, "
            "send messages; may be repeated.",
        ),
    ] = None,
) -> None:
    """Be a player: an HTTP service that a game manager can call.

    It takes part in several matches at a time and answers within their clocks. It
    prints a line for every event. Ctrl-C ends it.

    Examples:
      kibitz ggp player --agent ggp
      kibitz ggp player --agent mcts:c=0.7 --port 9148 --name Deep
      kibitz ggp player --agent random --host 0.0.0.0 --matches 1
      kibitz ggp player --agent greedy.py:Greedy --record-dir records
      kibitz ggp player --handlers my_player.py
    """
    from kibitz.ggp.handlers import HandlerService, load_handlers

    service: PlayerService | HandlerService
    if handlers is not None:
        _check_alone(context)
        name = handlers.name
        service = HandlerService(load_handlers(handlers), _tell, tuple(origin or ()))
    else:
        terminal.announce_compilations()
        name = options.name or agent
        service = options.service(agent, origin or ())
    asyncio.run(_serve(service, name, host, port))


def _check_alone(context: typer.Context) -> None:
    """Checks that no option is given that handlers ignore.

    Raises:
        KibitzError: such an option is given.
    """
    for name in context.params:
        source = context.get_parameter_source(name)
        is_given = source is not None and source.name == "COMMANDLINE"
        if is_given and name not in ("handlers", "host", "port", "origin"):
            option = "--" + name.replace("_", "-")
            raise KibitzError(f"{option} is for agents; handlers decide everything themselves.")


async def _serve(service: PlayerService | HandlerService, name: str, host: str, port: int) -> None:
    stopped = asyncio.Event()
    with on_interrupt(stopped.set):
        try:
            bound_port = await unless(stopped, _open(service, host, port))
            if bound_port is not None:
                _tell(f"{name} listens at {host}:{bound_port}; Ctrl-C ends it")
                await stopped.wait()
        finally:
            await service.close()
    _tell("stopped")


async def _open(service: PlayerService | HandlerService, host: str, port: int) -> int:
    """Opens the service and returns its port.

    Raises:
        KibitzError: it cannot listen at the address.
    """
    try:
        return await service.open(host, port)
    except BrokenPipeError:  # standard output is closed
        raise
    except OSError as problem:
        raise KibitzError(_listening_problem(problem, host, port)) from None


def _listening_problem(problem: OSError, host: str, port: int) -> str:
    if isinstance(problem, socket.gaierror):
        return f"There is no host {host!r} here; --host takes an address of this machine."
    if "in use" in str(problem):
        return f"Port {port} is taken: another program listens there. Choose one with --port."
    return f"Cannot listen at {host}:{port}: {problem.strerror or problem}."


def _tell(line: str) -> None:
    """Prints an event with the time of day."""
    terminal.print_lines(f"{time.strftime('%H:%M:%S')} {line}")
