"""The process of a fork server, which forks and kills workers on request."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
from collections.abc import Callable

from kibitz.workers import END, FORK, ORDER, READY


def serve_forks(
    control: socket.socket, megabytes: int, live: Callable[[socket.socket], None]
) -> None:
    """Forks a process for each socket that it receives, until the connection is closed.

    Args:
        control: the connection to the client.
        megabytes: the memory that a forked process may write to.
        live: the work of a forked process, given its socket; the process ends when it returns.
    """
    children: set[int] = set()
    with contextlib.suppress(ConnectionError):  # the other side has died
        control.sendall(READY)
        while True:
            order, descriptors, _, _ = socket.recv_fds(control, ORDER, 1)
            if order[:1] == FORK and descriptors:
                pid = os.fork()
                if pid == 0:
                    control.close()
                    _run(socket.socket(fileno=descriptors[0]), megabytes, live)
                os.close(descriptors[0])
                children.add(pid)
                control.sendall(f"{pid:{ORDER}}".encode())
            elif order[:1] == END:
                ended = children & {int(order[1:])}
                _end(ended)
                children -= ended
            elif not order:
                break
    _end(children)


def _end(children: set[int]) -> None:
    """Kills forked processes with their process groups, and waits for them."""
    for pid in children:
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    for pid in children:
        os.waitpid(pid, 0)


def _run(connection: socket.socket, megabytes: int, live: Callable[[socket.socket], None]) -> None:
    """The main function of a forked process."""
    try:
        # it is killed together with what it has started; a session of its own would have a share
        # of the processor of its own, too, whatever its priority (autogroups of Linux)
        os.setpgid(0, 0)
        size = megabytes << 20
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        live(connection)
    finally:
        with contextlib.suppress(OSError):
            os.killpg(0, signal.SIGKILL)
        os._exit(0)
