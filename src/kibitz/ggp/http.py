"""HTTP as general game playing uses it: one message for each connection, which is then closed.

A player answers whatever is said to it, always with status 200, since the errors of the
protocol have no codes. Everything is bounded: sizes, the time to receive a message, and the
number of connections, of which the slowest gives way to a new one.
"""

from __future__ import annotations

import asyncio
import re
import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

MOST_HEAD = 16 << 10
"""Bytes of a request's first line and headers."""
MOST_BODY = 4 << 20
"""Bytes of a message."""
MOST_REPLY = 64 << 10
"""Bytes of a player's reply."""
LONG = 1 << 16
"""A message with so many letters is read beside the other work."""
MOST_CONNECTIONS = 100
"""So many requests are received at a time."""
RECEIVING = 30.0
"""Seconds in which a request has to arrive."""
QUIET = 1.0
"""A complete message after which nothing comes for so long (seconds) is taken for all of it."""
BEHIND = 0.2
"""So long (seconds) more may come of a message that was said to be shorter than it is."""
CONNECTING = 5.0
"""Seconds in which a player has to take a call."""


class HttpError(Exception):
    """What was received is no request, or too large."""


@dataclass(frozen=True)
class Request:
    """A request; `message` is ``None`` where a browser only asks whether it may send one."""

    message: str | None


@dataclass(frozen=True)
class Reply:
    """What is answered, and whom to tell whether it could be sent."""

    text: str
    sent: Callable[[bool], None] | None = None


# --- the player's side ------------------------------------------------------------------------


async def _head(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The first line with the headers, and what has arrived of the body."""
    received = b""
    while True:
        if found := re.search(rb"\r?\n\r?\n", received):
            return received[: found.start()], received[found.end() :]
        if len(received) > MOST_HEAD:
            raise HttpError("the head is too long")
        chunk = await reader.read(4096)
        if not chunk:
            if received.strip():
                return received, b""
            raise HttpError("nothing was said")
        received += chunk


async def read_request(reader: asyncio.StreamReader, complete: Callable[[str], bool]) -> Request:
    """Receives a request.

    Without a length the body goes on to the end of the stream. Senders that count letters
    instead of bytes, or neither tell the length nor end the stream, are understood: a message
    that is complete and is followed by nothing is taken as it is.

    Args:
        reader: the connection.
        complete: whether a text is a whole message.

    Raises:
        HttpError: it is none, or too large.
    """
    head, body = await _head(reader)
    lines = re.split(rb"\r?\n", head)
    method, _, target = lines[0].strip().partition(b" ")
    method = method.upper()
    if method == b"OPTIONS":
        return Request(None)
    if method == b"GET":
        path = re.sub(r"\s+HTTP/[0-9.]+$", "", _text(target)).strip()
        return Request(urllib.parse.unquote_plus(path.lstrip("/")))
    if method != b"POST":
        raise HttpError("the method is none of POST, GET, OPTIONS")
    length: int | None = None
    for line in lines[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == b"content-length":
            if not re.fullmatch(rb"[0-9]{1,12}", value.strip()):
                raise HttpError("the length is no number")
            length = int(value)
    if length is not None and length > MOST_BODY:
        raise HttpError(f"the message is longer than {MOST_BODY:,} bytes")
    return Request(await _body(reader, body, length, complete))


async def _body(
    reader: asyncio.StreamReader,
    begun: bytes,
    length: int | None,
    complete: Callable[[str], bool],
) -> str:
    body = bytearray(begun)
    seen = -1
    patience = QUIET
    while True:
        if len(body) > MOST_BODY:
            raise HttpError(f"the message is longer than {MOST_BODY:,} bytes")
        if length is not None and len(body) >= length and seen < length:
            if body.isascii() or await _check(body, complete):
                return _text(body)
            seen, patience = len(body), BEHIND
        try:
            chunk = await asyncio.wait_for(reader.read(1 << 16), patience)
        except TimeoutError:
            if seen < len(body):
                if await _check(body, complete):
                    return _text(body)
                seen = len(body)
            if length is not None and len(body) >= length:
                return _text(body)
            patience *= 2  # who sends bit by bit must not have all of it read again each time
            continue
        if not chunk:
            return _text(body)
        body += chunk


async def _check(body: bytearray, complete: Callable[[str], bool]) -> bool:
    """Whether this is a whole message; a long one is read beside the other work."""
    text = _text(body)
    return complete(text) if len(text) < LONG else await asyncio.to_thread(complete, text)


def _text(body: bytes | bytearray) -> str:
    return body.decode("utf-8", "replace")


def reply_bytes(text: str) -> bytes:
    """A reply as it goes over the wire."""
    body = text.encode()
    head = (
        "HTTP/1.0 200 OK",
        "Content-type: text/acl",
        f"Content-length: {len(body)}",
        "Access-Control-Allow-Origin: *",
        "Access-Control-Allow-Methods: POST, GET, OPTIONS",
        "Access-Control-Allow-Headers: Content-Type",
        "Access-Control-Allow-Age: 86400",
    )
    return "\r\n".join([*head, "", ""]).encode() + body


class Server:
    """Listens, and lets a function answer.

    Args:
        answer: gets a message or, where a request could not be understood, the reason;
            returns the reply.
        complete: whether a text is a whole message.
    """

    def __init__(
        self,
        answer: Callable[[str | HttpError], Awaitable[Reply]],
        complete: Callable[[str], bool],
    ) -> None:
        self._answer = answer
        self._complete = complete
        self._receiving: dict[asyncio.Task[Request], None] = {}
        self._handlers: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._handlers)

    async def bind(self, host: str, port: int) -> None:
        """Takes a port, 0 being any that is free; calls are refused until it listens.

        Raises:
            OSError: the port is taken, or there is no such host.
        """
        self._server = await asyncio.start_server(
            self._connected, host, port, limit=1 << 16, start_serving=False
        )

    async def listen(self) -> None:
        """Begins to listen.

        Raises:
            OSError: somebody else has begun to listen at the port.
        """
        assert self._server is not None
        await self._server.start_serving()

    async def close(self) -> None:
        """Listens no more, and breaks off what is under way."""
        if self._server is not None:
            self._server.close()
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._handle(reader, writer))
        self._handlers.add(task)
        task.add_done_callback(self._handlers.discard)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            said = await self._receive(reader)
            asked = said.message if isinstance(said, Request) else said
            reply = Reply("") if asked is None else await self._answer(asked)
            await self._send(writer, reply)
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _receive(self, reader: asyncio.StreamReader) -> Request | HttpError:
        while len(self._receiving) >= MOST_CONNECTIONS:
            slowest = next(iter(self._receiving))
            del self._receiving[slowest]
            slowest.cancel()
        task = asyncio.ensure_future(read_request(reader, self._complete))
        self._receiving[task] = None
        try:
            done, _ = await asyncio.wait([task], timeout=RECEIVING)
            if not done:
                return HttpError("it did not arrive in time")
            return task.result()
        except asyncio.CancelledError:
            if task.cancelled():
                return HttpError("it was slow, and there are others")
            raise
        except (HttpError, OSError, ValueError) as problem:
            return HttpError(str(problem))
        finally:
            self._receiving.pop(task, None)
            task.cancel()

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> None:
        delivered = False
        try:
            writer.write(reply_bytes(reply.text))
            await asyncio.wait_for(writer.drain(), RECEIVING)
            delivered = not writer.transport.is_closing()
        except (OSError, TimeoutError):
            writer.transport.abort()
        finally:
            if reply.sent is not None:
                reply.sent(delivered)


# --- the manager's side -----------------------------------------------------------------------


class CallError(Exception):
    """A player could not be reached, or hung up without a word."""


class UnreadableError(Exception):
    """A player's reply is no HTTP, or endless."""


async def call(host: str, port: int, message: str, seconds: float, receiver: str = "") -> str:
    """Sends a message and returns the reply.

    Args:
        host: of the player.
        port: of the player.
        message: the text.
        seconds: in which the reply has to be there, once the connection is.
        receiver: the player's name.

    Raises:
        CallError: nobody takes the call within five seconds, or says nothing.
        TimeoutError: the reply is not there in time.
        UnreadableError: it cannot be read.
    """
    try:
        connection = asyncio.open_connection(host, port, limit=1 << 16)
        reader, writer = await asyncio.wait_for(connection, CONNECTING)
    except (OSError, TimeoutError, UnicodeError) as problem:
        raise CallError(str(problem) or "the call is not taken") from None
    try:
        async with asyncio.timeout(seconds):
            writer.write(_request_bytes(host, port, message, receiver))
            await writer.drain()
            return await _read_reply(reader)
    except OSError as problem:
        if isinstance(problem, TimeoutError):
            raise
        raise CallError(str(problem)) from None
    finally:
        writer.transport.abort()


def _request_bytes(host: str, port: int, message: str, receiver: str) -> bytes:
    body = message.encode()
    head = (
        "POST / HTTP/1.0",
        "Accept: text/delim",
        f"Host: {host}:{port}",
        "Sender: GAMESERVER",
        f"Receiver: {receiver or host}",
        "Content-Type: text/acl",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join([*head, "", ""]).encode() + body


async def _read_reply(reader: asyncio.StreamReader) -> str:
    received = bytearray()
    while True:
        head = re.search(rb"\r?\n\r?\n", received)
        if head is not None:
            found = re.search(rb"(?im)^content-length:[ \t]*([0-9]{1,12})", received[: head.end()])
            if found and len(received) - head.end() >= int(found[1]):
                return _text(received[head.end() : head.end() + int(found[1])])
        if len(received) > MOST_REPLY:
            raise UnreadableError("the reply is too long")
        chunk = await reader.read(1 << 14)
        if not chunk:
            if not received:
                raise CallError("the player hung up")
            if head is None:
                raise UnreadableError("the reply is no HTTP")
            return _text(received[head.end() :])
        received += chunk


__all__ = [
    "LONG",
    "CallError",
    "HttpError",
    "Reply",
    "Request",
    "Server",
    "UnreadableError",
    "call",
]
