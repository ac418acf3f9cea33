"""Managers and players that were not written with Kibitz: bytes over sockets, byte by byte."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kibitz.ggp.handlers import HandlerService, load_handlers
from kibitz.ggp.service import PlayerService
from kibitz.ggp.settings import ServiceSettings


def exchange(port: int, request: bytes, hang_up: bool = False, seconds: float = 20.0) -> bytes:
    """Sends bytes and returns all that comes back before the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(request)
        if hang_up:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


def body(reply: bytes) -> str:
    """The body of a reply."""
    return reply.split(b"\r\n\r\n", 1)[1].decode()


def ggp_base(port: int, message: str) -> str:
    """Sends a message as the manager of ggp-base does; returns the body of the reply."""
    request = (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\n"
        f"Receiver: P\r\nContent-Type: text/acl\r\nContent-Length: {len(message)}\r\n\r\n{message}"
    )
    return body(exchange(port, request.encode()))


def dresden(port: int, message: str) -> str:
    """Sends a message in capitals as the manager of Dresden does; returns the reply's body."""
    upper = message.upper()
    request = (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\n"
        "Receiver: localhost\r\nContent-type: text/acl\r\n"
        f"Content-length: {len(upper)}\r\n\r\n{upper}"
    )
    return body(exchange(port, request.encode()))


class Serving:
    """A player of Kibitz, served in a thread: an agent, or the handlers of a file."""

    def __init__(self, player: ServiceSettings | Path) -> None:
        self.lines: list[str] = []
        self.service: PlayerService | HandlerService
        if isinstance(player, Path):
            self.service = HandlerService(load_handlers(player), self.lines.append)
        else:
            self.service = PlayerService(player, self.lines.append)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.port = asyncio.run_coroutine_threadsafe(self.service.open(), self._loop).result(120)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.service.close(), self._loop).result(20)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def say(self, message: str) -> str:
        return ggp_base(self.port, message)


@contextlib.contextmanager
def serving(**settings: object) -> Iterator[Serving]:
    """Serves an agent with these settings until the end of the block."""
    server = Serving(ServiceSettings(**settings))  # type: ignore[arg-type]
    try:
        yield server
    finally:
        server.close()


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether a condition becomes true within a number of seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


@dataclass
class ForeignPlayer:
    """A player that was not written with Kibitz and answers each message as a test wants.

    ``behave`` is called with the connection and the message. The text it returns is sent as the
    body of a reply; with ``None``, it has answered by itself.
    """

    behave: Callable[[socket.socket, str], str | None]
    heard: list[str] = field(default_factory=list)
    port: int = 0

    def __enter__(self) -> ForeignPlayer:
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # a call, since closing a socket does not wake up who waits for it
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(5)

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            received = b""
            while b"\r\n\r\n" not in received:
                received += connection.recv(65536)
            head, _, body = received.partition(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.splitlines()
                if line.lower().startswith(b"content-length")
            )
            while len(body) < length:
                body += connection.recv(65536)
            self.heard.append(body.decode())
            reply = self.behave(connection, body.decode())
            if reply is not None:
                connection.sendall(
                    b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\n"
                    + f"Content-length: {len(reply)}\r\n\r\n{reply}".encode()
                )
