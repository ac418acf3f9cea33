"""The client of a fork server: starts worker processes, sends them orders and kills them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.workers import END, FORK, ORDER, READY


class WorkerLostError(Exception):
    """A worker process, or the fork server, has ended."""


class Worker:
    """A forked process that answers orders, as lines of JSON over a socket."""

    def __init__(self, fork_server: ForkServer, pid: int) -> None:
        self._fork_server = fork_server
        self.pid = pid
        self.ended = False
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Queue[dict[str, Any] | None]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None

    async def _connect(self, connection: socket.socket) -> None:
        reader, self._writer = await asyncio.open_connection(sock=connection, limit=1 << 24)
        self._listening = asyncio.ensure_future(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := await reader.readline():
                reply = json.loads(line)
                if waiting := self._waiting.get(reply["number"]):
                    waiting.put_nowait(reply)
        self.end()

    async def order(self, do: str, **content: Any) -> AsyncIterator[dict[str, Any]]:
        """Sends an order, and yields its replies up to the last, ``done`` or ``refused``.

        Raises:
            WorkerLostError: the process has ended.
        """
        if self.ended or self._writer is None:
            raise WorkerLostError
        number = next(self._numbers)
        waiting: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._waiting[number] = waiting
        try:
            line = json.dumps({"do": do, "number": number, **content}) + "\n"
            self._writer.write(line.encode())
            while True:
                reply = await waiting.get()
                if reply is None:
                    raise WorkerLostError
                yield reply
                if reply["what"] in ("done", "refused"):
                    return
        finally:
            self._waiting.pop(number, None)

    def end(self) -> None:
        """Kills the process."""
        if self.ended:
            return
        self.ended = True
        for waiting in self._waiting.values():
            waiting.put_nowait(None)
        if self._writer is not None:
            self._writer.transport.abort()
        if self._listening is not None:
            self._listening.cancel()  # without effect on the task that calls this
        self._fork_server.remove(self)


class ForkServer:
    """The process that forks workers; it is started again if it has died.

    Args:
        module: its main module, which gets the file descriptor of a socket, `megabytes` and
            `arguments`, and calls ``kibitz.workers.forking.serve_forks``.
        megabytes: the memory that each forked process may write to.
        arguments: strings for that module.
    """

    def __init__(self, module: str, megabytes: int, arguments: Sequence[str] = ()) -> None:
        self._arguments = list(arguments)
        self.megabytes = megabytes
        self._module = module
        self.workers: set[Worker] = set()
        self._asking: set[asyncio.Task[Worker]] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._lock = asyncio.Lock()
        self._ready = False

    async def open(self) -> None:
        """Starts the process, and waits until it is ready to fork.

        Raises:
            KibitzError: the process cannot be started.
        """
        if self._control is not None:
            self._control.close()
        ours, theirs = socket.socketpair()
        descriptor = theirs.fileno()
        command = [sys.executable, "-m", self._module]
        self._process = subprocess.Popen(
            [*command, str(descriptor), str(self.megabytes), *self._arguments],
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C must reach only this process
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        theirs.close()
        ours.setblocking(False)
        self._control = ours
        reply = await asyncio.get_running_loop().sock_recv(ours, 4096)
        self._ready = reply == READY
        if not self._ready:
            self.close()
            raise KibitzError(reply.decode() or f"{self._module} cannot be started.")

    async def worker(self) -> Worker:
        """Has a process forked.

        Raises:
            WorkerLostError: the fork server was closed meanwhile, or cannot fork.
        """
        # a cancelled caller must not interrupt the exchange with the fork server
        asking = asyncio.ensure_future(self._worker())
        self._asking.add(asking)
        asking.add_done_callback(self._asking.discard)
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:
            if asking.cancelled():
                raise WorkerLostError from None
            asking.add_done_callback(_end_at_once)
            raise

    async def _worker(self) -> Worker:
        ours, theirs = socket.socketpair()
        loop = asyncio.get_running_loop()
        try:
            async with self._lock:
                if self._process is None or self._process.poll() is not None:
                    await self.open()  # it has died; its workers do not need it
                assert self._control is not None
                order = FORK.ljust(ORDER)
                socket.send_fds(self._control, [order], [theirs.fileno()])
                pid = await loop.sock_recv(self._control, ORDER)
            if not pid:
                raise WorkerLostError
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        worker = Worker(self, int(pid))
        self.workers.add(worker)
        await worker._connect(ours)
        return worker

    def remove(self, worker: Worker) -> None:
        """Kills a process and forgets it."""
        self.workers.discard(worker)
        if self._control is not None:
            with contextlib.suppress(OSError):
                order = END + str(worker.pid).encode()
                self._control.send(order.ljust(ORDER))

    def close(self) -> None:
        """Ends the fork server and its workers; pending requests raise ``WorkerLostError``."""
        for asking in list(self._asking):
            asking.cancel()
        for worker in list(self.workers):
            worker.end()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            if not self._ready:
                self._process.kill()  # it receives nothing while it compiles
            self._process.wait()
            self._process = None


def _end_at_once(asking: asyncio.Task[Worker]) -> None:
    """Ends a worker that has started after its request was cancelled."""
    if not asking.cancelled() and asking.exception() is None:
        asking.result().end()


__all__ = ["ForkServer", "Worker", "WorkerLostError"]
