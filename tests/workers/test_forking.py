"""The process of a fork server."""

from __future__ import annotations

import socket

import pytest

from kibitz.workers import FORK, ORDER, READY
from kibitz.workers.forking import serve_forks


class LostSocket(socket.socket):
    """A socket whose other side is lost when it sends anything else than these words."""

    sent: tuple[bytes, ...] = ()

    def sendall(self, data: bytes, flags: int = 0) -> None:  # type: ignore[override]
        if data not in self.sent:
            raise BrokenPipeError
        super().sendall(data, flags)


@pytest.mark.parametrize("sent", [(), (READY,)])
def test_a_client_that_is_lost_before_its_answer_ends_the_server(sent: tuple[bytes, ...]) -> None:
    client, served = socket.socketpair()
    connection, theirs = socket.socketpair()
    with client, connection, theirs, LostSocket(fileno=served.detach()) as control:
        control.sent = sent
        socket.send_fds(client, [FORK.ljust(ORDER)], [theirs.fileno()])
        serve_forks(control, 1000, lambda worker: None)
