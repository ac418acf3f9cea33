"""The guard of the server: requests of foreign pages and for foreign hosts are refused.

A page of another site can make a browser send requests to this machine, but its ``Origin`` gives
it away; and a name of its own that it lets point to this machine (DNS rebinding) is not a name of
the server. See OWASP, "Cross-Site Request Forgery Prevention", and "WebSocket Security".
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from kibitz.core.errors import KibitzError
from kibitz.web.limits import MOST_REQUEST

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
        "connect-src 'self' ws: wss:; frame-ancestors 'self'; base-uri 'self'; form-action 'self'"
    ),
    "referrer-policy": "no-referrer",  # addresses have secrets in them
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
}
"""Sent with every answer: pages load nothing from elsewhere, and are shown in none of others."""


_TOO_LONG = f"A request of more than {MOST_REQUEST:,} bytes is refused."
_NO_NAME = re.compile(r"[/?#@\s]")
_LENGTH = re.compile("[0-9]{1,15}")


def is_loopback(host: str) -> bool:
    """Whether an address to listen at is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def hostname(authority: str) -> str | None:
    """The host of ``host:port``, in small letters; ``None`` if it is malformed."""
    try:
        return urlsplit(f"//{authority}").hostname
    except ValueError:
        return None


def _authority(origin: str) -> str | None:
    """The host and port of an origin, in small letters; ``None`` if it is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def host_name(name: str) -> str:
    """A name under which the server is reached, in small letters, without a port.

    Raises:
        KibitzError: it cannot be the name of a host.
    """
    host = hostname(name)
    if not host or _NO_NAME.search(name):
        raise KibitzError(
            f"{name!r} cannot be the name of a host; --name takes one such as games.lan."
        )
    return host


class Guard:
    """Refuses foreign hosts and origins, and requests that are too long (an ASGI application).

    Args:
        app: the application behind it.
        host: the address at which the server listens.
        names: further names under which it is reached.

    Raises:
        KibitzError: one of the names cannot be that of a host.
    """

    def __init__(self, app: App, host: str, names: Collection[str] = ()) -> None:
        self.app = app
        self._open = not is_loopback(host)
        self._names = {"localhost", host.lower(), *map(host_name, names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or passes it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {
            key.decode("latin-1").lower(): value.decode("latin-1")
            for key, value in scope["headers"]
        }
        reason = self.refusal(headers)
        if reason is None and scope["type"] == "http":
            await _bounded(self.app, scope, receive, _with_headers(send))
        elif reason is None:
            await self.app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
        else:
            await _refuse(send, reason)

    def refusal(self, headers: dict[str, str]) -> str | None:
        """Why a request with these headers is refused; ``None`` if it is not."""
        authority = headers.get("host", "")
        if not self.knows(hostname(authority)):
            return f"This server is not called {authority!r}. Use the address that it printed."
        origin = headers.get("origin")
        if origin is not None and _authority(origin) != authority.lower():
            return f"Requests from pages of {origin!r} are refused."
        if headers.get("sec-fetch-site", "none") in ("cross-site", "same-site") and headers.get(
            "sec-fetch-mode"
        ) not in ("navigate", None):
            return "Requests from other sites' pages are refused."
        length = headers.get("content-length", "0")
        if not _LENGTH.fullmatch(length) or int(length) > MOST_REQUEST:
            return _TOO_LONG
        return None

    def knows(self, host: str | None) -> bool:
        """Whether this is a host of the server: a name it has, or an address of a machine."""
        if host is None:
            return False
        if host in self._names or is_loopback(host):
            return True
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return self._open  # an address is what it says: no name can be bound to it anew


def _with_headers(send: Send) -> Send:
    """Adds the ``HEADERS`` to the answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        await send(message)

    return send_with_headers


async def _bounded(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Runs an application on a request whose body is counted while it comes, chunks as well.

    Of a body that is too long the application reads no more than the limit; then the connection
    is closed for it.
    """
    size = 0
    answered = refused = False

    async def receive_bounded() -> Message:
        nonlocal size, refused
        if refused:
            return {"type": "http.disconnect"}
        message = await receive()
        size += len(message.get("body", b""))
        if size <= MOST_REQUEST:
            return message
        refused = True
        if not answered:
            await _refuse(send, _TOO_LONG, 413)
        return {"type": "http.disconnect"}

    async def send_unless_refused(message: Message) -> None:
        nonlocal answered
        if not refused:
            answered = True
            await send(message)

    try:
        await app(scope, receive_bounded, send_unless_refused)
    except Exception:
        if not refused:  # else it complains that the request has ended early
            raise


async def _refuse(send: Send, reason: str, status: int = 403) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
