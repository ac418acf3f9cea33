"""The processes in which texts from browsers are read and played; see ``kibitz.workers``.

Each keeps one object: a table, the replay of a game, a playtest. It calls functions with it,
several at a time, and sends back what they return.

Run as ``python -m kibitz.web.process`` with the file descriptor of a socket, and the megabytes
that a process may need beyond what it begins with.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import logging
import os
import pickle
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import StoppedError
from kibitz.core.native import compile_listeners
from kibitz.web.packing import packed

logger = logging.getLogger("kibitz")

MOST_AT_ONCE = 4
"""Calls that run at the same time in one process, and as many quick ones; more wait."""
NICENESS = 10
"""The priority of these processes, so that the server answers while they all compute."""


class _Keeper:
    """Executes the orders of the server, in threads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._threads = {quick: ThreadPoolExecutor(MOST_AT_ONCE) for quick in (False, True)}
        self._sending = threading.Lock()
        self._order = threading.local()
        self._object: Any = None
        compile_listeners.append(self._announce)

    def run(self) -> None:
        """Reads orders until the server closes the connection."""
        with self._connection.makefile("rb") as orders:
            for line in orders:
                order = json.loads(line)
                self._threads[order["quick"]].submit(self._execute, order)

    def _send(self, number: int, kind: str, **content: Any) -> None:
        line = json.dumps({"number": number, "what": kind, **content}) + "\n"
        with self._sending, contextlib.suppress(OSError):
            self._connection.sendall(line.encode())

    def _announce(self, name: str) -> None:
        number = getattr(self._order, "number", None)
        if number is not None:
            self._send(number, "compiling", name=name)

    def _execute(self, order: dict[str, Any]) -> None:
        number = self._order.number = order["number"]
        try:
            self._send(number, "done", value=packed(self._do(order)))
        except MemoryError:
            self._send(number, "refused", why="memory")
        except StoppedError:
            self._send(number, "refused", why="stopped")
        except KibitzError as problem:
            self._send(number, "refused", why="error", words=str(problem))
        except Exception:
            logger.exception("a game of a text failed")
            self._send(number, "refused", why="fault")

    def _do(self, order: dict[str, Any]) -> Any:
        function, args, kwargs = pickle.loads(base64.b64decode(order["work"]))
        match order["do"]:
            case "run":
                return function(*args, **kwargs)
            case "open":
                self._object = function(*args, **kwargs)
                return None
            case _:
                return function(self._object, *args, **kwargs)


def warm() -> None:
    """Imports and reads what every process needs; compiles nothing, and begins no threads."""
    import llvmlite.binding  # noqa: F401
    import numpy.random  # noqa: F401

    from kibitz.loading import agents, games, languages
    from kibitz.web import checks, editing, hall, luck_and_skill, matches  # noqa: F401

    games()
    agents()
    for language in languages().values():
        if language.template and not language.runs_code:
            suffix, text = checks.start(f"template:{language.name}", "A game")
            editing.read(f"game{suffix}", text)
            checks.find(f"game{suffix}", text)


def _live(connection: socket.socket) -> None:
    """The main function of a forked process."""
    os.nice(NICENESS)
    with contextlib.suppress(OSError):  # where memory is short these end first; Linux has this
        _write("/proc/self/oom_score_adj", "500")
    _Keeper(connection).run()


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _megabytes() -> int:
    """The memory that this process may write to already; the forked processes begin with it."""
    with contextlib.suppress(OSError), open("/proc/self/statm") as file:
        return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE") >> 20
    return 500


def main(descriptor: int, megabytes: int) -> None:
    """Forks a process for each text."""
    from kibitz.workers.forking import serve_forks

    warm()
    gc.freeze()  # what is shared with the forked processes is not written to by collections
    serve_forks(socket.socket(fileno=descriptor), _megabytes() + megabytes, _live)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)  # at once: to clear up all that was imported takes a fifth of a second
