"""Receiving HTTP messages in pieces."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest
from tests.ggp.foreign import Serving, body, serving

from kibitz.ggp import http


@pytest.mark.parametrize(
    "head", [b"POST / HTTP/1.0", b"POST / HTTP/1.0\r\nContent-Length: 3"], ids=["none", "short"]
)
def test_a_message_that_drips_is_not_read_again_with_each_drop(
    monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    monkeypatch.setattr(http, "QUIET", 0.001)
    monkeypatch.setattr(http, "BEHIND", 0.001)
    looked_at: list[str] = []

    def complete(text: str) -> bool:
        looked_at.append(text)
        return text.endswith(")")

    async def receive() -> http.Request:
        reader = asyncio.StreamReader()
        reader.feed_data(head + b"\r\n\r\n")
        receiving = asyncio.ensure_future(http.read_request(reader, complete))
        for piece in ["(é", *200 * ["a "], ")"]:
            reader.feed_data(piece.encode())
            await asyncio.sleep(0.002)
        return await receiving

    message = asyncio.run(receive()).message
    if b"Length" not in head:
        assert message == f"(é{200 * 'a '})"
    assert len(looked_at) <= 15
    assert len(set(looked_at)) == len(looked_at)


# --- over a socket ----------------------------------------------------------------------------

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.fixture(scope="module")
def player() -> Iterator[Serving]:
    with serving(player="legal", name="P") as server:
        yield server


PAUSE = None
"""A pause between pieces, several times as long as the time after which a sender is quiet."""


def reply_to(port: int, *pieces: bytes | None, hang_up: bool = False) -> bytes:
    """Sends pieces one by one, each in a packet of its own, and returns the reply."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces:
            if piece is PAUSE:
                time.sleep(8 * http.QUIET)
            else:
                connection.sendall(piece)
                time.sleep(0.005)
        if hang_up:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the times after which a sender counts as quiet or as behind."""
    monkeypatch.setattr(http, "QUIET", 0.05)
    monkeypatch.setattr(http, "BEHIND", 0.01)


ERROR = "error"
BUSY = "busy"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("ends", [b"\r\n", b"\n"])
@pytest.mark.parametrize(
    ("pieces", "answer"),
    [
        # a body later than its headers, whole or in pieces
        ([b"POST / HTTP/1.0\nContent-Length: 14\n\n", PAUSE, b"(PLAY no", PAUSE, b" NIL)"], BUSY),
        ([b"POST / HTTP/1.0\nContent-Length: 13\n\n", PAUSE, b"(PLAY no NIL)"], BUSY),
        ([b"POST / HTTP/1.0\n\n", PAUSE, b"(PLAY no", PAUSE, b" NIL)"], BUSY),
        # byte by byte
        ([bytes([b]) for b in b"POST / HTTP/1.0\nContent-Length: 13\n\n(PLAY no NIL)"], BUSY),
        ([bytes([b]) for b in b"POST / HTTP/1.0\n\n(PLAY no NIL)"], BUSY),
        # an empty line before the request
        ([b"\nPOST / HTTP/1.0\nContent-Length: 13\n\n(PLAY no NIL)"], BUSY),
        # marks of the byte order
        ([b"POST / HTTP/1.0\nContent-Length: 16\n\n\xef\xbb\xbf(PLAY no NIL)"], BUSY),
        ([b"POST / HTTP/1.0\nContent-Length: 13\n\n\xef\xbb\xbf(PLAY no NIL)"], BUSY),
        ([b"POST / HTTP/1.0\n\n\xef\xbb\xbf(PLAY no NIL)"], BUSY),
        # wrong lengths: too short, too long, in letters
        ([b"POST / HTTP/1.0\nContent-Length: 3\n\n(PLAY no NIL)"], BUSY),
        ([b"POST / HTTP/1.0\nContent-Length: 3\n\n(PLAY no", b" NIL)"], BUSY),
        ([b"POST / HTTP/1.0\nContent-Length: 99\n\n(PLAY no NIL)"], BUSY),
        (["POST / HTTP/1.0\nContent-Length: 13\n\n(PLAY né NIL)".encode()], BUSY),
        ([b"POST / HTTP/1.0\nContent-Length: 0\n\n"], "name"),
        ([b"POST / HTTP/1.0\nContent-Length: -1\n\n(PLAY no NIL)"], ERROR),
        ([b"POST / HTTP/1.0\nContent-Length: 5, 5\n\n(PLAY no NIL)"], ERROR),
        # chunks
        ([CHUNKED, b"d\r\n(PLAY no NIL)\r\n0\r\n\r\n"], BUSY),
        ([CHUNKED, b"5;x=1\n(PLAY\n", PAUSE, b"8\n no NIL)\n", b"0\nX: 1\n\n"], BUSY),
        ([CHUNKED + b"000d \r\n(PLAY no NIL)\r\n00\r\n\r\n"], BUSY),
        ([CHUNKED, b"10\r\n\xef\xbb\xbf(PLAY no NIL)\r\n0\r\n"], BUSY),
        ([CHUNKED.replace(b"ch", b"Ch"), b"6\n(INFO)\n0\n\n"], "name"),
        ([CHUNKED.replace(b"Host", b"Content-Length"), b"6\n(INFO)\n0\n\n"], "name"),
        ([CHUNKED, b"0\r\n\r\n"], "name"),
        ([CHUNKED, b"(INFO)\r\n"], ERROR),
        ([CHUNKED, b"-6\r\n(INFO)\r\n0\r\n\r\n"], ERROR),
        ([CHUNKED, b"3\r\n(INFO)\r\n0\r\n\r\n"], ERROR),
        ([CHUNKED, b"ffffffff\r\n(INFO)\r\n0\r\n\r\n"], ERROR),
        ([CHUNKED, b"5" * 20_000], ERROR),
        ([CHUNKED.replace(b"chunked", b"gzip, chunked"), b"6\r\n(INFO)\r\n0\r\n\r\n"], ERROR),
        # another request behind the first: one is answered, then the connection is closed
        ([2 * b"POST / HTTP/1.1\nContent-Length: 13\n\n(PLAY no NIL)"], BUSY),
        ([b"GET /(INFO) HTTP/1.1\nConnection: keep-alive\n\nGET /(DANCE) HTTP/1.1\n\n"], "name"),
        ([b"POST / HTTP/1.1\nConnection: keep-alive\nContent-Length: 6\n\n(INFO)"], "name"),
    ],
)  # fmt: skip
def test_a_body_is_taken_as_it_comes(
    player: Serving,
    pieces: list[bytes | None],
    answer: str,
    ends: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if len(pieces) > 1 and PAUSE not in pieces:
        monkeypatch.setattr(http, "QUIET", 1.0)  # a busy machine lets time pass between them
    sent = [piece and piece.replace(b"\r\n", b"\n").replace(b"\n", ends) for piece in pieces]
    reply = reply_to(player.port, *sent)
    assert reply.startswith(b"HTTP/1.0 200 OK\r\n")
    assert reply.count(b"HTTP/1.0") == 1
    assert body(reply).strip("( ").split()[0] == answer


@pytest.mark.parametrize("cut", [CHUNKED + b"6\r\n(INF", CHUNKED, CHUNKED + b"6\r\n(INFO)\r\n"])
def test_a_body_in_chunks_that_ends_early_is_no_message(player: Serving, cut: bytes) -> None:
    assert body(reply_to(player.port, cut, hang_up=True)) == ERROR


def test_chunks_are_counted_while_they_come(
    player: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MOST_BODY", 1000)
    chunks = 200 * b"6\r\n(INFO)\r\n"
    assert body(reply_to(player.port, CHUNKED + chunks + b"0\r\n\r\n")) == ERROR


@pytest.mark.parametrize("framing", [b"Content-Length: 6", b"Transfer-Encoding: chunked"])
def test_who_waits_for_leave_to_send_gets_it(player: Serving, framing: bytes) -> None:
    sent = b"(INFO)" if b"Length" in framing else b"6\r\n(INFO)\r\n0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", player.port), timeout=60) as connection:
        connection.sendall(HEAD + b"Expect: 100-Continue\r\n" + framing + b"\r\n\r\n")
        received = b""
        while len(received) < len(CONTINUE):
            received += connection.recv(len(CONTINUE))
        assert received == CONTINUE
        connection.sendall(sent)
        assert connection.recv(65536).startswith(b"HTTP/1.0 200 OK\r\n")


def test_a_body_of_which_neither_length_nor_letter_comes_is_empty(
    player: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "SPEECHLESS", 0.05)
    assert "status" in body(reply_to(player.port, b"POST / HTTP/1.0\r\n\r\n"))


def test_nobody_gets_leave_to_send_what_is_too_long_or_does_not_know_it(player: Serving) -> None:
    long = HEAD + b"Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n"
    assert body(reply_to(player.port, long)) == ERROR
    old = b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n(INFO)"
    assert reply_to(player.port, old).startswith(b"HTTP/1.0 200 OK\r\n")


def test_the_standard_client_is_answered_whatever_it_does(player: Serving) -> None:
    connection = HTTPConnection("127.0.0.1", player.port, timeout=60)
    for _ in range(2):  # it believes in connections that stay, and makes a new one
        connection.request("POST", "/", body="(INFO)")
        response = connection.getresponse()
        assert (response.status, response.will_close) == (200, True)
        assert b"status" in response.read()
    connection.request("POST", "/", body=iter([b"(IN", b"FO)"]), encode_chunked=True)
    assert b"status" in connection.getresponse().read()


def test_a_reply_arrives_though_its_request_goes_on(player: Serving) -> None:
    request = HEAD + b"Content-Length: 99999999\r\n\r\n"
    with socket.create_connection(("127.0.0.1", player.port), timeout=60) as connection:
        connection.sendall(request + b"(" * 1_000_000)
        assert body(connection.recv(65536)) == ERROR


# --- replies ----------------------------------------------------------------------------------

REPLIES = [
    (b"HTTP/1.0 200 OK\r\nContent-length: 6\r\n\r\n(a 1 )", "(a 1 )"),
    (b"HTTP/1.0 200 OK\r\n\r\n(a 1)", "(a 1)"),
    (b"HTTP/1.0 200 OK\n\n(a 1)", "(a 1)"),
    (b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\n(a\r\n3;x\r\n 1)\n0\n\n", "(a 1)"),
    (b"HTTP/1.1 200 OK\ntransfer-encoding: CHUNKED\n\n5\n(a 1)\n0\nX: 1\n\n", "(a 1)"),
    (CONTINUE + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n(a 1)", "(a 1)"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\xef\xbb\xbf(a 1)", "(a 1)"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n(a 1)HTTP/1.1 200 OK\r\n\r\n", "(a 1)"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n(a 1)", "(a 1)"),
]  # fmt: skip


async def answered(reply: bytes, stays_open: bool) -> http.Response:
    """The text that a manager reads from a reply that comes in pieces."""
    over = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for at in range(0, len(reply), 7):
            writer.write(reply[at : at + 7])
            await writer.drain()
            await asyncio.sleep(0)
        if stays_open:
            await over.wait()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        return await http.call("127.0.0.1", port, "( INFO )", 60.0)
    finally:
        over.set()
        server.close()


@pytest.mark.parametrize(("reply", "text"), REPLIES)
def test_replies_are_read_in_all_forms(reply: bytes, text: str) -> None:
    assert asyncio.run(answered(reply, False)) == http.Response(200, text)
    ends = b"Length: 50" not in reply and re.search(rb"(?i)length:|chunked", reply)
    if ends:  # its end is known though the connection stays open
        assert asyncio.run(answered(reply, True)) == http.Response(200, text)


def test_the_status_of_a_reply_is_told() -> None:
    reply = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noops"
    assert asyncio.run(answered(reply, True)) == http.Response(500, "oops")


@pytest.mark.parametrize(
    "reply",
    [
        b"( mark 1 1 )",
        b"HTTP/1.1 OK\r\n\r\n(a 1)",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n(a 1)",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n(a 1)\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n(a 1)",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 40_000,
        b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 70_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n" + b"x" * 70_000,
    ],
)
def test_replies_that_cannot_be_read_are_told(reply: bytes) -> None:
    with pytest.raises(http.UnreadableError):
        asyncio.run(answered(reply, False))


@pytest.mark.parametrize("reply", [b"", b"\r\n", CONTINUE])
def test_no_reply_is_no_connection(reply: bytes) -> None:
    with pytest.raises(http.CallError):
        asyncio.run(answered(reply, False))


def test_a_closed_port_may_open_and_an_unknown_host_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for host, lasting in (("127.0.0.1", False), ("localhost", False), ("no-such.invalid", True)):
        with pytest.raises(http.CallError) as problem:
            asyncio.run(http.call(host, port, "( INFO )", 1.0))
        assert problem.value.absent
        assert problem.value.lasting == lasting
