"""HTTP as general game playing uses it: one message for each connection, which is then closed.

A player answers every message with status 200, since the errors of the protocol have no codes.
Sizes, the time to receive a message and the number of connections are bounded; a new connection
displaces the slowest one.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import urllib.parse
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

MOST_HEAD = 16 << 10
"""Maximum size of a request's first line and headers, in bytes."""
MOST_BODY = 4 << 20
"""Maximum size of a message, in bytes."""
MOST_REPLY = 64 << 10
"""Maximum size of a player's reply, in bytes."""
LONG = 1 << 16
"""Messages of at least this length, in characters, are parsed in another thread."""
MOST_CONNECTIONS = 100
"""Maximum number of requests that are received at a time."""
RECEIVING = 30.0
"""Seconds within which a request has to arrive and a reply to be sent."""
QUIET = 1.0
"""Seconds of silence after a complete message until it is accepted as the whole body."""
BEHIND = 0.2
"""Seconds to wait for more of a message that is incomplete at its declared length."""
SPEECHLESS = 10.0
"""Seconds of silence until a body without a declared length is taken for empty."""
LINGERING = 1.0
"""Seconds for which the rest of a request is read and dropped after the reply was sent."""
CONNECTING = 5.0
"""Seconds within which a player has to accept a connection."""


class HttpError(Exception):
    """The received data is not HTTP, or too large.

    Attributes:
        received: the text that was read of it; may be empty.
    """

    def __init__(self, problem: str, received: bytes | bytearray = b"") -> None:
        super().__init__(problem)
        self.received = _text(received)


class OriginError(HttpError):
    """The request comes from a web page of an origin that may not send any."""


@dataclass(frozen=True)
class Request:
    """An HTTP request.

    Attributes:
        message: the text; ``None`` where a browser only asks whether it may send one.
        origin: the origin of the web page that sends it; ``None``: it comes from no page.
    """

    message: str | None
    origin: str | None = None


@dataclass(frozen=True)
class Reply:
    """The answer to a message, and a function that is called with whether it was delivered."""

    text: str
    sent: Callable[[bool], None] | None = None


# --- what both sides read ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Head:
    """The first line, and the header fields by their names in lower case."""

    first: bytes
    fields: dict[bytes, bytes]

    @property
    def length(self) -> int | None:
        """Size of the body in bytes; ``None`` if the headers do not give it.

        Raises:
            HttpError: the header is no number.
        """
        length = self.fields.get(b"content-length")
        if length is None:
            return None
        if not re.fullmatch(rb"[0-9]{1,12}", length):
            raise HttpError("the length is no number")
        return int(length)

    @property
    def chunked(self) -> bool:
        """Whether the body comes in chunks.

        Raises:
            HttpError: another transfer encoding is declared.
        """
        encoding = self.fields.get(b"transfer-encoding", b"identity").lower()
        if encoding not in (b"chunked", b"identity"):
            raise HttpError(f"the transfer encoding {_text(encoding)} is not supported")
        return encoding == b"chunked"

    @property
    def origin(self) -> str | None:
        """The origin of the web page that sends the request; ``None``: it comes from no page.

        Browsers give the origin in all requests but plain GETs, which have ``Sec-Fetch-Site``.
        """
        if b"origin" in self.fields:
            return _text(self.fields[b"origin"])
        site = self.fields.get(b"sec-fetch-site", b"none").lower()
        return None if site == b"none" else f"a {_text(site)} page"

    @property
    def expects_continue(self) -> bool:
        """Whether the sender waits for ``100 Continue`` before it sends the body."""
        asked = self.fields.get(b"expect", b"").lower() == b"100-continue"
        return asked and not self.first.rstrip().upper().endswith(b"HTTP/1.0")


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        raise HttpError("a line is too long") from None


async def _read_head(reader: asyncio.StreamReader) -> _Head | None:
    """Reads a first line and header fields, with any line ends; ``None`` if nothing comes.

    Raises:
        HttpError: the head is too long.
    """
    lines: list[bytes] = []
    size = 0
    while True:
        line = await _read_line(reader)
        size += len(line)
        if size > MOST_HEAD:
            raise HttpError("the head is too long")
        if line.strip(b"\r\n"):
            lines.append(line)
        elif lines or not line:
            break
    if not lines:
        return None
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        fields[name.strip().lower()] = value.strip()
    return _Head(lines[0].rstrip(b"\r\n"), fields)


async def _read_chunks(reader: asyncio.StreamReader, limit: int) -> bytes:
    """Reads a body in chunks and skips their extensions and the trailer.

    Raises:
        HttpError: the chunks are malformed, or longer than ``limit`` bytes in all.
    """
    body = bytearray()
    skipped = 0
    while True:
        line = await _read_line(reader)
        header = re.fullmatch(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(;.*)?\r?\n", line)
        if header is None:
            raise HttpError("a chunk does not begin with its size")
        size, skipped = int(header[1], 16), skipped + len(line)
        if len(body) + skipped + size > limit:
            raise HttpError(f"the body is longer than {limit:,} bytes")
        if size == 0:
            break
        try:
            body += await reader.readexactly(size)
        except asyncio.IncompleteReadError:
            raise HttpError("a chunk is not complete") from None
        if (await _read_line(reader)).strip(b"\r\n"):
            raise HttpError("a chunk is longer than it says")
    with contextlib.suppress(TimeoutError):  # nothing depends on the trailer
        async with asyncio.timeout(QUIET):
            while (line := await _read_line(reader)).strip(b"\r\n") and skipped < MOST_HEAD:
                skipped += len(line)
    return bytes(body)


def _text(body: bytes | bytearray) -> str:
    return body.decode("utf-8-sig", "replace")


# --- the player's side ------------------------------------------------------------------------


async def read_request(
    reader: asyncio.StreamReader,
    complete: Callable[[str], bool],
    proceed: Callable[[], None] = lambda: None,
    origins: Collection[str] = (),
) -> Request:
    """Receives a request.

    The body has the length that the headers give, or comes in chunks, or ends with the stream.
    Senders that count characters instead of bytes, or neither give the length nor end the stream,
    are supported: a complete message that nothing follows is accepted.

    Args:
        reader: the stream of the connection.
        complete: tells whether a text is a whole message.
        proceed: called if the sender waits for ``100 Continue``.
        origins: the origins of web pages that may send requests.

    Raises:
        HttpError: the data is no HTTP request, or too large.
        OriginError: it comes from a web page of another origin; its body is not read.
    """
    head = await _read_head(reader)
    if head is None:
        raise HttpError("nothing was said")
    origin = head.origin
    if origin is not None and origin not in origins:
        raise OriginError(f"it comes from a web page ({origin})")
    method, _, target = head.first.strip().partition(b" ")
    method = method.upper()
    if method == b"OPTIONS":
        return Request(None, origin)
    if method == b"GET":
        path = re.sub(r"\s+HTTP/[0-9.]+$", "", _text(target)).strip()
        return Request(urllib.parse.unquote_plus(path.lstrip("/")), origin)
    if method != b"POST":
        raise HttpError("the method is none of POST, GET, OPTIONS")
    length = None if head.chunked else head.length
    if length is not None and length > MOST_BODY:
        raise HttpError(f"the message is longer than {MOST_BODY:,} bytes")
    if head.expects_continue:
        proceed()
    if head.chunked:
        return Request(_text(await _read_chunks(reader, MOST_BODY)), origin)
    return Request(await _read_body(reader, length, complete), origin)


async def _read_body(
    reader: asyncio.StreamReader, length: int | None, complete: Callable[[str], bool]
) -> str:
    body = bytearray()
    looked_at = -1
    patience = QUIET
    while True:
        if len(body) > MOST_BODY:
            raise HttpError(f"the message is longer than {MOST_BODY:,} bytes")
        if length is not None and looked_at < length <= len(body):
            announced = body[:length]
            if (announced.isascii() and length == len(body)) or await _check(announced, complete):
                return _text(announced)
            looked_at, patience = len(body), BEHIND  # the length may be counted in characters
        try:
            if not body:
                limit = SPEECHLESS if length is None else None
            else:
                limit = patience
            chunk = await asyncio.wait_for(reader.read(1 << 16), limit)
        except TimeoutError:
            if not body:
                return ""
            if looked_at < len(body):
                if await _check(body, complete):
                    return _text(body)
                looked_at = len(body)
            if length is not None and len(body) >= length:
                return _text(body)
            patience *= 2  # do not parse the whole text again for every piece
            continue
        if not chunk:
            return _text(body)
        body += chunk


async def _check(body: bytearray, complete: Callable[[str], bool]) -> bool:
    """Whether this is a whole message; a long one is parsed in another thread."""
    text = _text(body)
    return complete(text) if len(text) < LONG else await asyncio.to_thread(complete, text)


CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""The interim response to a sender that waits for it before it sends the body."""


def reply_bytes(text: str, origin: str | None = None) -> bytes:
    """A reply as bytes of HTTP.

    Args:
        origin: the origin of the web page that may read the reply.
    """
    body = text.encode()
    head = ["HTTP/1.0 200 OK", "Content-type: text/acl", f"Content-length: {len(body)}"]
    if origin is not None:
        head += [
            f"Access-Control-Allow-Origin: {origin}",
            "Access-Control-Allow-Methods: POST, GET, OPTIONS",
            "Access-Control-Allow-Headers: Content-Type",
            "Access-Control-Max-Age: 86400",
        ]
    return "\r\n".join([*head, "", ""]).encode() + body


REFUSAL = b"HTTP/1.0 403 Forbidden\r\nContent-type: text/plain\r\nContent-length: 0\r\n\r\n"
"""The answer to a web page that may not send requests."""


class Server:
    """An HTTP server that gets its replies from a function.

    Args:
        answer: takes a message or, if the request could not be read, the error; returns the reply.
        complete: tells whether a text is a whole message.
        origins: the origins of web pages that may send requests.
    """

    def __init__(
        self,
        answer: Callable[[str | HttpError], Awaitable[Reply]],
        complete: Callable[[str], bool],
        origins: Collection[str] = (),
    ) -> None:
        self._origins = origins
        self._answer = answer
        self._complete = complete
        self._receiving: dict[asyncio.Task[Request], None] = {}
        self._handlers: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """The port at which the server listens."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._handlers)

    async def bind(self, host: str, port: int) -> None:
        """Takes a port (0: any free one); connections are refused until ``listen``.

        Raises:
            OSError: the port is taken, or there is no such host.
        """
        self._server = await asyncio.start_server(
            self._connected, host, port, limit=MOST_HEAD, start_serving=False
        )

    async def listen(self) -> None:
        """Begins to listen.

        Raises:
            OSError: another process listens at the port.
        """
        assert self._server is not None
        await self._server.start_serving()

    async def close(self) -> None:
        """Stops listening, and closes all connections."""
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
            request = await self._receive(reader, lambda: writer.write(CONTINUE))
            message = request.message if isinstance(request, Request) else request
            reply = Reply("") if message is None else await self._answer(message)
            if isinstance(request, OriginError):
                content = REFUSAL
            else:
                origin = request.origin if isinstance(request, Request) else None
                content = reply_bytes(reply.text, origin)
            await self._send(writer, content, reply.sent)
            await _read_over(reader, writer)
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _receive(
        self, reader: asyncio.StreamReader, proceed: Callable[[], None]
    ) -> Request | HttpError:
        while len(self._receiving) >= MOST_CONNECTIONS:
            slowest = next(iter(self._receiving))
            del self._receiving[slowest]
            slowest.cancel()
        task = asyncio.ensure_future(read_request(reader, self._complete, proceed, self._origins))
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
        except HttpError as problem:
            return problem
        except OSError as problem:
            return HttpError(str(problem))
        finally:
            self._receiving.pop(task, None)
            task.cancel()

    async def _send(
        self, writer: asyncio.StreamWriter, content: bytes, sent: Callable[[bool], None] | None
    ) -> None:
        delivered = False
        try:
            writer.write(content)
            await asyncio.wait_for(writer.drain(), RECEIVING)
            delivered = not writer.transport.is_closing()
        except (OSError, TimeoutError):
            writer.transport.abort()
        finally:
            if sent is not None:
                sent(delivered)


async def _read_over(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads and drops the rest of a request: closing the connection earlier loses the reply."""
    with contextlib.suppress(OSError, TimeoutError):
        if not writer.transport.is_closing():
            writer.write_eof()
        async with asyncio.timeout(LINGERING):
            size = 0
            while size < MOST_BODY and (chunk := await reader.read(1 << 16)):
                size += len(chunk)


# --- the manager's side -----------------------------------------------------------------------


class CallError(Exception):
    """A player could not be reached, or closed the connection without an answer.

    Attributes:
        absent: whether no connection could be made.
        lasting: whether trying again is useless, since there is no such host.
    """

    def __init__(self, problem: str, absent: bool = False, lasting: bool = False) -> None:
        super().__init__(problem)
        self.absent = absent
        self.lasting = lasting


class UnreadableError(Exception):
    """A player's reply is not HTTP, or too long.

    Attributes:
        received: the text that was read of it; may be empty.
    """

    def __init__(self, problem: str, received: str = "") -> None:
        super().__init__(problem)
        self.received = received


@dataclass(frozen=True)
class Response:
    """A player's reply: the HTTP status, 200 if all is well, and the text of the body."""

    status: int
    text: str


async def call(host: str, port: int, message: str, seconds: float, receiver: str = "") -> Response:
    """Sends a message and returns the reply.

    Args:
        seconds: the time for the reply, counted from when the connection is open.
        receiver: the player's name, for a header; empty: the host.

    Raises:
        CallError: the connection is not accepted within five seconds, or closed without a reply.
        TimeoutError: the reply did not arrive in time.
        UnreadableError: the reply cannot be read.
    """
    try:
        connection = asyncio.open_connection(host, port, limit=MOST_HEAD)
        reader, writer = await asyncio.wait_for(connection, CONNECTING)
    except (OSError, TimeoutError, UnicodeError) as problem:
        why = getattr(problem, "strerror", None) or str(problem) or "the call is not taken"
        lasting = isinstance(problem, socket.gaierror | UnicodeError)
        raise CallError(why, absent=True, lasting=lasting) from None
    try:
        async with asyncio.timeout(seconds):
            writer.write(_request_bytes(host, port, message, receiver))
            await writer.drain()
            return await _read_response(reader)
    except HttpError as problem:
        raise UnreadableError(str(problem), problem.received) from None
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


async def _read_response(reader: asyncio.StreamReader) -> Response:
    """Reads the final reply, after any interim responses.

    Raises:
        CallError: the connection was closed without a reply.
        HttpError: the reply cannot be read.
    """
    while True:
        head = await _read_head(reader)
        if head is None:
            raise CallError("the player hung up")
        match = re.match(rb"HTTP/[0-9.]+[ \t]+([1-9][0-9]{2})\b", head.first)
        if match is None:
            raise HttpError("the reply is no HTTP", head.first)
        if (status := int(match[1])) >= 200:
            break
    if head.chunked:
        return Response(status, _text(await _read_chunks(reader, MOST_REPLY)))
    length = head.length
    body = bytearray()
    while length is None or len(body) < length:
        chunk = await reader.read(1 << 14)
        if not chunk:
            break
        body += chunk
        if len(body) > MOST_REPLY:
            raise HttpError("the reply is too long", body)
    return Response(status, _text(body[:length]))


__all__ = [
    "LONG",
    "CallError",
    "HttpError",
    "OriginError",
    "Reply",
    "Request",
    "Response",
    "Server",
    "UnreadableError",
    "call",
]
