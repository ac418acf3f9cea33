"""The server: NiceGUI's pages behind the guard, in one process."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.core.errors import KibitzError, MissingExtraError
from kibitz.web import PORT, compilations, logs
from kibitz.web.guard import Guard, is_loopback
from kibitz.web.limits import MOST_REQUEST
from kibitz.web.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import uvicorn
    from fastapi import FastAPI

    from kibitz.web.hall import Hall


@dataclass(frozen=True)
class ServerSettings:
    """The settings of a server.

    Attributes:
        workspace: the only folder that it reads and writes.
        host: the address at which it listens.
        port: the port; 0: any free one.
        names: further host names under which it is reached.
    """

    workspace: Path
    host: str = "127.0.0.1"
    port: int = PORT
    names: Sequence[str] = field(default=())

    @property
    def is_local(self) -> bool:
        """Whether it is reached from this machine only."""
        return is_loopback(self.host)


def listen(settings: ServerSettings) -> socket.socket:
    """A socket that listens where the settings say.

    Raises:
        KibitzError: the port is taken, or the address belongs to another machine.
    """
    host, port = settings.host, settings.port
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except socket.gaierror:
        raise KibitzError(
            f"There is no host {host!r} here; --host takes an address of this machine."
        ) from None
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as problem:
        listening.close()
        if "in use" in str(problem):
            raise KibitzError(
                f"Port {port} is taken: another program listens there. Choose one with --port."
            ) from None
        raise KibitzError(
            f"Cannot listen at {host}:{port}: {problem.strerror or problem}."
        ) from None
    return listening


async def serve(settings: ServerSettings, ready: Callable[[str], None]) -> None:
    """Serves until a signal comes. Tables and texts are kept at each change, not at the end.

    Args:
        settings: where, and which workspace.
        ready: is called with the server's address once it answers.

    Raises:
        KibitzError: it cannot listen there, or not use the workspace, or another server does.
        MissingExtraError: the extra ``web`` is not installed.
    """
    with Workspace(settings.workspace).claimed():
        await _serve(settings, ready)


async def _serve(settings: ServerSettings, ready: Callable[[str], None]) -> None:
    uvicorn_server, listening = prepared(settings)
    with contextlib.closing(listening):
        answering = asyncio.create_task(
            _tell_when_started(uvicorn_server, settings, listening, ready)
        )
        await uvicorn_server.serve(sockets=[listening])
        answering.cancel()


def prepared(settings: ServerSettings) -> tuple[uvicorn.Server, socket.socket]:
    """A server that is ready to be run, and its socket.

    Raises:
        KibitzError: it cannot listen there, or not use the workspace.
        MissingExtraError: the extra ``web`` is not installed.
    """
    try:
        import uvicorn
        from nicegui import ui  # noqa: F401
    except ImportError:
        raise MissingExtraError("Pages in the browser", "web") from None
    from kibitz.web.hall import Hall

    hall = Hall(Workspace(settings.workspace))

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            hall.close()  # first, since it ends the games that open requests wait for
            await super().shutdown(sockets)

    listening = listen(settings)
    config = uvicorn.Config(
        Guard(application(hall), settings.host, settings.names),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=MOST_REQUEST,
        timeout_graceful_shutdown=1,
        lifespan="on",
    )
    return Server(config), listening


def application(hall: Hall) -> FastAPI:
    """The pages of a hall as an ASGI application. One for each process."""
    from fastapi import FastAPI
    from nicegui import app as pages_app
    from nicegui import ui

    from kibitz.web import pages

    logs.trace_once()
    compilations.follow()

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        hall.processes.warm()
        yield

    app = FastAPI(lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    pages.register(hall)
    static = str(files("kibitz.web") / "static")
    pages_app.add_static_files("/static", static, max_cache_age=0)
    ui.run_with(
        app,
        title="Kibitz",
        favicon=Path(static) / "favicon.svg",
        dark=None,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=10.0,
    )
    return app


async def _tell_when_started(
    server: uvicorn.Server,
    settings: ServerSettings,
    listening: socket.socket,
    ready: Callable[[str], None],
) -> None:
    while not server.started:
        await asyncio.sleep(0.02)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    ready(f"http://{host}:{listening.getsockname()[1]}")
