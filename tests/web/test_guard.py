"""The guard: foreign hosts and origins are refused, its own are let in."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kibitz.core.errors import KibitzError
from kibitz.web.guard import HEADERS, Guard, hostname, is_loopback
from kibitz.web.limits import MOST_REQUEST


async def answer_ok(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


def asked(guard: Guard, kind: str = "http", **headers: str) -> list[Any]:
    """The guard's answer to a request with these headers."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    raw = [(key.replace("_", "-").encode(), value.encode()) for key, value in headers.items()]
    asyncio.run(guard({"type": kind, "headers": raw}, receive, send))
    return sent


LOCAL = Guard(answer_ok, "127.0.0.1")
OPEN = Guard(answer_ok, "0.0.0.0", ["Games.lan"])


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST"])
def test_a_local_server_answers_to_this_machine_s_names(host: str) -> None:
    assert LOCAL.refusal({"host": host}) is None


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.7:8080", "", "[::1", "a b"]
)
def test_a_local_server_refuses_other_hosts(host: str) -> None:
    assert LOCAL.refusal({"host": host}) is not None


def test_an_open_server_answers_to_addresses_and_the_names_it_was_given() -> None:
    for host in ("192.168.0.7:8080", "[fe80::1]:80", "games.lan:8080", "localhost"):
        assert OPEN.refusal({"host": host}) is None, host
    for host in ("evil.example", "xgames.lan"):
        assert OPEN.refusal({"host": host}) is not None, host


@pytest.mark.parametrize("name", ["Games.lan:8080", "games.lan", "GAMES.LAN:1"])
def test_a_name_may_be_given_with_a_port(name: str) -> None:
    guard = Guard(answer_ok, "0.0.0.0", [name])
    assert guard.refusal({"host": "games.lan:8080"}) is None
    assert guard.refusal({"host": "games.lan.evil.example"}) is not None


@pytest.mark.parametrize(
    "name", ["", ":80", "http://games.lan", "games lan", "a@b", "[::1", "a/b"]
)
def test_what_cannot_be_a_host_s_name_is_refused(name: str) -> None:
    with pytest.raises(KibitzError, match=r"--name takes one such as games\.lan"):
        Guard(answer_ok, "0.0.0.0", [name])


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "", "http://[::"]
)
def test_foreign_origins_are_refused(origin: str) -> None:
    assert LOCAL.refusal({"host": "127.0.0.1:8080", "origin": origin}) is not None


def test_its_own_pages_may_ask() -> None:
    assert LOCAL.refusal({"host": "localhost:1", "origin": "http://localhost:1"}) is None


def test_other_sites_may_link_here_but_not_load_from_here() -> None:
    link = {"host": "localhost", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert LOCAL.refusal(link) is None
    assert LOCAL.refusal({**link, "sec-fetch-mode": "no-cors"}) is not None


@pytest.mark.parametrize("length", ["1000001", "99999999999", "9" * 5000, "-1", "many"])
def test_long_requests_are_refused(length: str) -> None:
    assert LOCAL.refusal({"host": "localhost", "content-length": length}) is not None


def test_refused_requests_do_not_reach_the_application() -> None:
    start, body = asked(LOCAL, host="evil.example")
    assert start["status"] == 403
    assert b"evil.example" in body["body"]
    assert body["body"] != b"ok"


def test_refused_websockets_are_closed() -> None:
    [close] = asked(LOCAL, "websocket", host="localhost", origin="http://evil.example")
    assert close["type"] == "websocket.close"


def test_answers_tell_the_browser_to_load_nothing_from_elsewhere() -> None:
    start, _ = asked(LOCAL, host="localhost")
    sent = {key.decode(): value.decode() for key, value in start["headers"]}
    assert sent == HEADERS


class Body:
    """A request whose body comes in pieces, as when it is chunked, and an application for it."""

    def __init__(self, pieces: int, size: int) -> None:
        self._left, self._size = pieces, size
        self.read = 0
        self.sent: list[Any] = []

    async def receive(self) -> Any:
        self._left -= 1
        body = b"x" * self._size
        return {"type": "http.request", "body": body, "more_body": self._left > 0}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        """An application that reads the whole body, as applications do."""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RuntimeError("the client has gone")
            self.read += len(message["body"])
            if not message["more_body"]:
                break
        await answer_ok(scope, receive, send)

    def ask(self) -> int:
        headers = [(b"host", b"localhost"), (b"transfer-encoding", b"chunked")]
        guard = Guard(self.application, "127.0.0.1")
        asyncio.run(guard({"type": "http", "headers": headers}, self.receive, self.send))
        return int(self.sent[0]["status"])


def test_a_body_is_counted_while_it_comes() -> None:
    long = Body(1000, 60_000)
    assert long.ask() == 413
    assert long.read <= MOST_REQUEST
    assert len(long.sent) == 2  # one answer, whatever the application makes of it
    short = Body(16, 60_000)
    assert short.ask() == 200
    assert short.read == 960_000


def test_what_goes_wrong_with_an_allowed_body_is_not_hidden() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asked(Guard(broken, "127.0.0.1"), host="localhost")


def test_hostnames() -> None:
    assert hostname("[::1]:80") == "::1"
    assert hostname("A.b:1") == "a.b"
    assert is_loopback("127.0.0.9")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("localhost.evil.example")
