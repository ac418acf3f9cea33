"""``kibitz serve``: the pages in the browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import Host, Port
from kibitz.web import PORT


def serve(
    workspace: Annotated[
        Path,
        typer.Option(
            "--workspace",
            metavar="DIR",
            help="The only folder that is read and written: rules, tables, records and runs.",
        ),
    ] = Path("kibitz-workspace"),
    port: Port = PORT,
    host: Host = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NAME",
            show_default=False,
            help="A host name under which the server is reached; may be repeated.",
        ),
    ] = None,
) -> None:
    """Play, kibitz and write games in the browser.

    Prints the address to open. Tables and texts are kept in the workspace as they change:
    after Ctrl-C they go on where they were. Needs the extra kibitz[web].

    Examples:
      kibitz serve
      kibitz serve --workspace my-games --port 9000
      kibitz serve --host 0.0.0.0 --name games.lan
    """
    from kibitz.web.server import ServerSettings, serve

    terminal.announce_compilations()
    settings = ServerSettings(workspace, host, port, tuple(name or ()))

    def ready(address: str) -> None:
        terminal.print_lines(f"Kibitz is at {address} (workspace: {workspace}); Ctrl-C ends it.")
        if settings.is_local:
            terminal.print_lines("Only this machine can reach it; --host 0.0.0.0 lets others in.")
        else:
            terminal.print_lines(
                "Other machines can reach it: whoever can, may play, write games and start "
                "playtests.",
            )

    asyncio.run(serve(settings, ready))
