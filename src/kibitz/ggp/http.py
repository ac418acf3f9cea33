"""HTTP as general game playing uses it: one message for each connection, which is then closed.

A player answers whatever is said to it, always with status 200, since the errors of the
protocol have no codes. Everything is bounded: sizes, the time to receive a message, and the
number of connections, of which the slowest gives way to a new one.
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
SPEECHLESS = 10.0
"""A body without a length of which nothing comes for so long (seconds) is taken for empty."""
LINGERING = 1.0
"""So long (seconds) a sender that has its reply may go on sending what nobody reads."""
CONNECTING = 5.0
"""Seconds in which a player has to take a call."""


class HttpError(Exception):
    """What was received is no HTTP, or too large.

    Attributes:
        received: what was read of it, where that may say more.
    """

    def __init__(self, problem: str, received: bytes | bytearray = b"") -> None:
        super().__init__(problem)
        self.received = _text(received)


class OriginError(HttpError):
    """A web page sends a request, which any site that somebody visits could have it do."""


@dataclass(frozen=True)
class Request:
    """A request.

    Attributes:
        message: ``None`` where a browser only asks whether it may send one.
        origin: of the web page that sends it; ``None``: no page does.
    """

    message: str | None
    origin: str | None = None


@dataclass(frozen=True)
class Reply:
    """The answer to a message, and a function to call once it was sent or not."""

    text: str
    sent: Callable[[bool], None] | None = None


# --- what both sides read ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Head:
    """The first line, and the header fields by their names in small letters."""

    first: bytes
    fields: dict[bytes, bytes]

    @property
    def length(self) -> int | None:
        """Bytes of the body, if that is said.

        Raises:
            HttpError: it is no number.
        """
        said = self.fields.get(b"content-length")
        if said is None:
            return None
        if not re.fullmatch(rb"[0-9]{1,12}", said):
            raise HttpError("the length is no number")
        return int(said)

    @property
    def chunked(self) -> bool:
        """Whether the body comes in chunks.

        Raises:
            HttpError: it is encoded in another way.
        """
        said = self.fields.get(b"transfer-encoding", b"identity").lower()
        if said not in (b"chunked", b"identity"):
            raise HttpError(f"the transfer encoding {_text(said)} is not supported")
        return said == b"chunked"

    @property
    def origin(self) -> str | None:
        """Of the web page that sends the request; ``None``: no page does.

        Browsers name it in all requests but plain GETs, of which they say that a page sends them.
        """
        if b"origin" in self.fields:
            return _text(self.fields[b"origin"])
        site = self.fields.get(b"sec-fetch-site", b"none").lower()
        return None if site == b"none" else f"a {_text(site)} page"

    @property
    def expects_continue(self) -> bool:
        """Whether the sender of a request waits to be told that its body is wanted."""
        asked = self.fields.get(b"expect", b"").lower() == b"100-continue"
        return asked and not self.first.rstrip().upper().endswith(b"HTTP/1.0")


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        raise HttpError("a line is too long") from None


async def _read_head(reader: asyncio.StreamReader) -> _Head | None:
    """A first line and header fields, with line ends of any kind; ``None`` if nothing comes.

    Raises:
        HttpError: it is too long.
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


async def _read_chunks(reader: asyncio.StreamReader, most: int) -> bytes:
    """A body in chunks; their extensions, and the trailer, are read over.

    Raises:
        HttpError: it is none, or longer than so many bytes, with all that is read over.
    """
    body = bytearray()
    over = 0
    while True:
        line = await _read_line(reader)
        found = re.fullmatch(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(;.*)?\r?\n", line)
        if found is None:
            raise HttpError("a chunk does not begin with its size")
        size, over = int(found[1], 16), over + len(line)
        if len(body) + over + size > most:
            raise HttpError(f"the body is longer than {most:,} bytes")
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
            while (line := await _read_line(reader)).strip(b"\r\n") and over < MOST_HEAD:
                over += len(line)
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

    The body is as long as the headers say, or in chunks, or goes on to the end of the stream.
    Senders that count letters instead of bytes, or neither tell the length nor end the stream,
    are understood: a message that is complete and is followed by nothing is taken as it is.

    Args:
        reader: the connection.
        complete: whether a text is a whole message.
        proceed: called if the sender waits to be told that the body is wanted.
        origins: of the web pages that may send requests.

    Raises:
        HttpError: it is none, or too large.
        OriginError: a web page sends it that may not; its body is not read.
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
            said = body[:length]
            if (said.isascii() and length == len(body)) or await _check(said, complete):
                return _text(said)
            looked_at, patience = len(body), BEHIND  # the length may be that in letters
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
            patience *= 2  # who sends bit by bit must not have all of it read again each time
            continue
        if not chunk:
            return _text(body)
        body += chunk


async def _check(body: bytearray, complete: Callable[[str], bool]) -> bool:
    """Whether this is a whole message; a long one is read beside the other work."""
    text = _text(body)
    return complete(text) if len(text) < LONG else await asyncio.to_thread(complete, text)


CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""Tells a sender that waits for it to go on."""


def reply_bytes(text: str, origin: str | None = None) -> bytes:
    """A reply as it goes over the wire.

    Args:
        text: of the reply.
        origin: of the web page that may read it.
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
    """An HTTP server whose replies a function gives.

    Args:
        answer: gets a message or, where a request could not be understood, the reason;
            returns the reply.
        complete: whether a text is a whole message.
        origins: of the web pages that may send requests.
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
            self._connected, host, port, limit=MOST_HEAD, start_serving=False
        )

    async def listen(self) -> None:
        """Begins to listen.

        Raises:
            OSError: somebody else has begun to listen at the port.
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
            said = await self._receive(reader, lambda: writer.write(CONTINUE))
            asked = said.message if isinstance(said, Request) else said
            reply = Reply("") if asked is None else await self._answer(asked)
            if isinstance(said, OriginError):
                content = REFUSAL
            else:
                origin = said.origin if isinstance(said, Request) else None
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
    """Reads what a sender still sends: a connection that is closed before loses the reply."""
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
        absent: whether nobody takes the call.
        lasting: whether calling again is of no use: there is no such host.
    """

    def __init__(self, problem: str, absent: bool = False, lasting: bool = False) -> None:
        super().__init__(problem)
        self.absent = absent
        self.lasting = lasting


class UnreadableError(Exception):
    """A player's reply is no HTTP, or endless.

    Attributes:
        received: what was read of it, if that is a text.
    """

    def __init__(self, problem: str, received: str = "") -> None:
        super().__init__(problem)
        self.received = received


@dataclass(frozen=True)
class Response:
    """A player's reply.

    Attributes:
        status: that of HTTP; 200 if all is well.
        text: what it says.
    """

    status: int
    text: str


async def call(host: str, port: int, message: str, seconds: float, receiver: str = "") -> Response:
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
    """The final reply, after any interim responses.

    Raises:
        CallError: there is none.
        HttpError: it cannot be read.
    """
    while True:
        head = await _read_head(reader)
        if head is None:
            raise CallError("the player hung up")
        found = re.match(rb"HTTP/[0-9.]+[ \t]+([1-9][0-9]{2})\b", head.first)
        if found is None:
            raise HttpError("the reply is no HTTP", head.first)
        if (status := int(found[1])) >= 200:
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
