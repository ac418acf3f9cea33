"""Fuzzing the player with mutated and random messages: it goes on, and leaks nothing."""

from __future__ import annotations

import os
import random
import resource
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.ggp.foreign import Serving, exchange, serving, wait_for

from kibitz.gdl import library
from kibitz.ggp.http import CONTINUE

MESSAGES = 10_000 if os.environ.get("KIBITZ_SLOW") else 5_000
GAME = library.gdl_tic_tac_toe.text.text
SMALL = """((role a) (role b) (legal a x) (legal b y) (init s) (goal a 1) (goal b 0)
    (next s) (<= terminal (true t)))"""
MARKS = [
    "(",
    ")",
    " ",
    ";",
    "\n",
    "\r",
    "\x00",
    "é",
    "?x",
    "nil",
    "NIL",
    "-1",
    "99999999999",
    "<=",
]


class Source:
    """A random generator of valid, mutated and nonsensical requests."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def valid(self) -> str:
        """A well-formed message."""
        r = self.random
        match = f"m{r.randrange(6)}"
        report = r.choice(
            [
                "NIL",
                "(x y)",
                "((mark 1 1) noop)",
                "()",
                "1 x ((p 1))",
                "0 NIL NIL",
                "(x)",
                "(a b c)",
            ]
        )
        kind = r.randrange(100)
        if kind < 8:
            return f"(START {match} {r.choice('abc')} {SMALL} {r.randrange(3)} 2)"
        if kind < 9:
            return f"(START {match} white ({GAME}) 1 1)"
        if kind < 77:
            return f"(PLAY {match} {report})"
        if kind < 79:
            return f"(STOP {match} {report})"
        if kind < 82:
            return f"(ABORT {match})"
        if kind < 86:
            return f"(PREVIEW {SMALL} 0)"
        return r.choice(["(INFO)", "(PING)", "", "( info )"])

    def mutated(self) -> str:
        """A well-formed message with up to three random changes."""
        r, text = self.random, self.valid()
        for _ in range(r.randrange(1, 4)):
            at = r.randrange(len(text) + 1)
            length = r.choice([0, 1, 3, 20])
            put = r.choice(MARKS) * r.choice([0, 1, 1, 2, 150])
            text = text[:at] + put + text[at + length :]
        return text

    def noise(self) -> str:
        """A text of random characters."""
        letters = "()()() ;\n?abcSTARTPLAY019é\x00"
        return "".join(self.random.choices(letters, k=self.random.randrange(200)))

    def request(self) -> tuple[bytes, bool]:
        """The bytes of a request, and whether to hang up after sending them."""
        r = self.random
        text = r.choices([self.valid, self.mutated, self.noise], [40, 45, 15])[0]()
        content = text.encode()
        kind = r.randrange(40)
        if kind == 0:
            return content + b"\r\n\r\n", True
        if kind == 1:
            return r.randbytes(r.randrange(300)), True
        if kind == 2:
            return b"GET /" + content.replace(b"\n", b" ") + b" HTTP/1.0\r\n\r\n", True
        if kind == 3:
            length = str(r.choice([-5, 0, len(content) // 2, 10**12])).encode()
            return b"POST / HTTP/1.0\r\nContent-Length: " + length + b"\r\n\r\n" + content, True
        if kind == 4:
            return b"POST / HTTP/1.0\r\n\r\n" + content, True
        if kind == 5:
            size = r.choice([len(content), len(content), len(content) // 2, 10**7, -1])
            chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (size % 2**32, content)
            expected = r.choice([b"", b"Expect: 100-continue\r\n"])
            head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + expected
            return head + b"\r\n" + chunks, True
        length = str(len(content)).encode()
        return b"POST / HTTP/1.0\r\nContent-Length: " + length + b"\r\n\r\n" + content, False


def send(player: Serving, request: tuple[bytes, bool]) -> str:
    """Sends a request and returns the first word of the answer."""
    try:
        reply = exchange(player.port, *request)
    except ConnectionError:  # it was answered before all had been sent
        return "reset"
    reply = reply.removeprefix(CONTINUE)
    assert reply.startswith(b"HTTP/1.0 200 OK\r\n")
    answer = reply.split(b"\r\n\r\n", 1)[1].decode()
    return answer.strip("( ").split()[0] if answer else "nothing"


def rude(player: Serving, request: tuple[bytes, bool]) -> str:
    """Sends a request and closes the connection without reading the answer."""
    with socket.create_connection(("127.0.0.1", player.port)) as connection:
        connection.sendall(request[0])
    return "rude"


def resident() -> int:
    """The memory of this process, in kilobytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


def files() -> int:
    """The number of open files and sockets."""
    return len(os.listdir("/proc/self/fd"))


def test_thousands_of_messages_leave_the_player_as_it_was() -> None:
    with serving(player="random", matches=3, seed=1, idle=300.0) as player:
        source = Source(1)
        counts: Counter[str] = Counter()
        with ThreadPoolExecutor(24) as pool:

            def batch(count: int) -> None:
                requests = [source.request() for _ in range(count)]
                jobs = [
                    pool.submit(rude if number % 50 == 7 else send, player, request)
                    for number, request in enumerate(requests)
                ]
                counts.update(job.result() for job in jobs)

            batch(MESSAGES // 5)
            quiet(player)
            memory, threads = resident(), threading.active_count()
            open_files = files() - player.service.processes
            batch(MESSAGES - MESSAGES // 5)
            quiet(player)
        assert counts.total() == MESSAGES
        assert not [line for line in player.lines if "cannot answer" in line]
        # on a busy machine hardly a PLAY comes while its match goes on
        for match in ("p1", "p2", "p3"):
            assert player.say(f"(START {match} a {SMALL} 20 5)") == "ready"
            counts[player.say(f"(PLAY {match} NIL)")] += 1
        quiet(player)
        # all kinds of answers were had
        counts["move"] = counts["x"] + counts["y"] + counts["mark"]
        kinds = ("error", "busy", "ready", "name", "done", "aborted", "nil", "move")
        assert all(counts[kind] > 2 for kind in kinds), counts
        assert resident() - memory < 20_000
        assert files() - player.service.processes <= open_files
        assert threading.active_count() <= threads + 1
        # and it plays as if nothing had been
        assert player.say(f"(START last white ({GAME}) 20 5)") == "ready"
        assert player.say("(PLAY last NIL)").startswith("( mark ")
        assert player.say("(ABORT last)") == "aborted"


def quiet(player: Serving) -> None:
    """All matches are over; nothing of them, and no connection, is left."""
    for match in player.service.matches:
        player.say(f"(ABORT {match})")
    assert player.service.matches == []
    assert wait_for(lambda: player.service.processes <= 2)
    assert wait_for(lambda: player.service.connections == 0)
