"""Fork servers that outlive their clients, since each takes seconds of a processor to start."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from typing import TypeAlias

import pytest

from kibitz.ggp.settings import PROCESS
from kibitz.workers.fork_server import ForkServer

PLAYERS = ("legal", "mcts", "random")
"""What the processes for GGP load in advance, whoever is to play: no code of a test."""

_open, _close = ForkServer.open, ForkServer.close
_Idle: TypeAlias = tuple[tuple[str, int, str], subprocess.Popen[bytes], socket.socket]
_idle: list[_Idle] = []
"""Processes that wait for an order: what they are, the process and the socket to it."""
_kinds: dict[int, tuple[str, int, str]] = {}
"""What each process is, by its number: module, limit of memory and folder."""


async def open_kept(server: ForkServer) -> None:
    """Takes over a process of an earlier client, or starts one."""
    kind = server._module, server.megabytes, os.getcwd()
    for entry in _idle:
        if entry[0] == kind and entry[1].poll() is None:
            _idle.remove(entry)
            if server._control is not None:
                server._control.close()
            _, server._process, server._control = entry
            server._ready = True
            return
    if server._module == PROCESS:
        server._arguments = [*PLAYERS]
    await _open(server)
    assert server._process is not None
    _kinds[server._process.pid] = kind


def close_kept(server: ForkServer) -> None:
    """Ends the workers, and keeps the process if it waits for an order."""
    process, control = server._process, server._control
    waits = server._ready and not server._asking
    waits = waits and process is not None and process.pid in _kinds and process.poll() is None
    if not waits or process is None or control is None:
        _close(server)
        return
    for worker in list(server.workers):
        worker.end()
    server._process = server._control = None
    _idle.append((_kinds[process.pid], process, control))


@pytest.fixture(scope="session")
def kept_fork_servers() -> Iterator[None]:
    """Keeps the fork servers of GGP players and of pages until the end of the session."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ForkServer, "open", open_kept)
        patch.setattr(ForkServer, "close", close_kept)
        yield
    while _idle:
        _, process, control = _idle.pop()
        control.close()
        process.wait()
