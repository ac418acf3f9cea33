"""Players as the book describes them: five functions in a Python file, called by a service.

A file defines ``info()``, ``start(id, role, rules, startclock, playclock)``, ``play(id, move)``,
``stop(id, move)`` and ``abort(id)``. ``HandlerService`` receives the messages of a game manager,
calls the function of the same name, and sends the text that it returns.

M. Genesereth, M. Thielscher, "General Game Playing", 2014, chapter 4.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from kibitz.core.errors import FileError, KibitzError
from kibitz.core.failures import frame_of_mistake
from kibitz.core.wording import printable
from kibitz.ggp import messages
from kibitz.ggp.http import HttpError, Reply, Server
from kibitz.ggp.messages import (
    Abort,
    Info,
    Joint,
    Message,
    MessageError,
    Play,
    Preview,
    Report,
    Start,
    Stop,
)

NOTHING = "nil"
"""The value of ``move`` that handlers get before the first step."""
PARAMETERS = {
    "info": (),
    "start": ("id", "role", "rules", "startclock", "playclock"),
    "play": ("id", "move"),
    "stop": ("id", "move"),
    "abort": ("id",),
}
"""The names of the five handlers, each with the names of its parameters."""


class HandlerError(Exception):
    """A handler raised an exception, or did not return a printable string."""


def run_file(path: Path) -> ModuleType:
    """Runs a Python file and returns its module.

    Raises:
        FileError: there is no such file, or it raises an exception or exits the program.
    """
    if not path.is_file():
        raise FileError(f"{path}: there is no such file.")
    spec = importlib.util.spec_from_file_location(f"player_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path}: is no Python file; its name should end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        line = _line_of(problem, {str(spec.origin)})
        raise FileError(
            f"{path}: cannot be run{line}: {type(problem).__name__}: {problem}"
        ) from None
    return module


def _line_of(problem: BaseException, files: Collection[str]) -> str:
    """The line of a player's file that raised an exception, in parentheses."""
    frame = frame_of_mistake(problem, files)
    return f" (line {frame.lineno}, in {frame.name})" if frame is not None else ""


def load_handlers(path: Path) -> dict[str, Callable[..., Any]]:
    """The five handlers of a file, by name.

    Raises:
        FileError: the file cannot be run, or lacks a handler that takes the right arguments.
    """
    module = run_file(path)
    handlers: dict[str, Callable[..., Any]] = {}
    for name, parameters in PARAMETERS.items():
        handler = getattr(module, name, None)
        definition = f"def {name}({', '.join(parameters)})"
        if not callable(handler):
            raise FileError(f"{path}: has no handler {name}. Add: {definition}.")
        try:
            inspect.signature(handler).bind(*parameters)
        except TypeError as problem:
            raise FileError(f"{path}: {name}: {problem}. It should be: {definition}.") from None
        handlers[name] = handler
    return handlers


class HandlerService:
    """An HTTP service that answers a game manager with what the handlers return.

    Each handler runs in a thread of its own, so that a slow one does not keep the service from
    ending; ``start``, ``play`` and ``stop`` run one at a time.

    Args:
        handlers: the functions, by name, as ``load_handlers`` returns them.
        tell: called with a line of text for every event.
        origins: the origins of web pages that may send messages.
    """

    def __init__(
        self,
        handlers: dict[str, Callable[..., Any]],
        tell: Callable[[str], None],
        origins: Sequence[str] = (),
    ) -> None:
        self._handlers = handlers
        codes = (getattr(handler, "__code__", None) for handler in handlers.values())
        self._files = {code.co_filename for code in codes if code is not None}
        self._tell = tell
        self._turn = asyncio.Lock()
        self._server = Server(self._answer, messages.is_list, origins)

    async def open(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Begins to listen at a port (0: any free one) and returns the port.

        Raises:
            OSError: the port is taken, or there is no such host.
        """
        await self._server.bind(host, port)
        await self._server.listen()
        return self._server.port

    async def close(self) -> None:
        """Stops listening; a handler that is running is abandoned."""
        await self._server.close()

    async def _answer(self, received: str | HttpError) -> Reply:
        try:
            if isinstance(received, HttpError):
                raise MessageError(str(received))
            message = messages.parse(received)
        except MessageError as problem:
            self._tell(printable(f"not understood: {problem}", messages.MOST_LINE))
            return Reply(messages.ERROR)
        if isinstance(message, Preview):
            return Reply(messages.READY)
        name, arguments = _call(message)
        match = f"{arguments[0]}: " if arguments else ""
        began = time.monotonic()
        try:
            async with (
                self._turn if name in ("start", "play", "stop") else contextlib.nullcontext()
            ):
                reply = await self._run(name, arguments)
        except HandlerError as problem:
            self._tell(printable(f"{match}{name} failed: {problem}", messages.MOST_LINE))
            return Reply(messages.ERROR)
        seconds = time.monotonic() - began
        self._tell(printable(f"{match}{name}: {reply} after {seconds:.2f} s", messages.MOST_LINE))
        return Reply(messages.spaced(reply))

    async def _run(self, name: str, arguments: tuple[Any, ...]) -> str:
        """Calls a handler in a thread and returns its text.

        An exception of the handler is printed to stderr, with its traceback unless it is a
        ``KibitzError``.

        Raises:
            HandlerError: the handler raised an exception, or returned no printable string.
        """
        loop = asyncio.get_running_loop()
        result: asyncio.Future[Any] = loop.create_future()

        def settle(value: Any, problem: HandlerError | None) -> None:
            if not result.done():
                result.set_exception(problem) if problem else result.set_result(value)

        def run() -> None:
            value, problem = None, None
            try:
                value = self._handlers[name](*arguments)
            except BaseException as raised:  # whatever it is, the manager gets a reply
                cause = f"{type(raised).__name__}: {raised}"
                first = cause.partition("\n")[0]
                problem = HandlerError(f"{first}{_line_of(raised, self._files)}")
                shown = cause if isinstance(raised, KibitzError) else traceback.format_exc()
                with contextlib.suppress(OSError):  # nobody may read it
                    print(printable(shown.rstrip()), file=sys.stderr, flush=True)
            with contextlib.suppress(RuntimeError):  # the service has been closed
                loop.call_soon_threadsafe(settle, value, problem)

        threading.Thread(target=run, daemon=True).start()
        reply = await result
        if not (isinstance(reply, str) and messages.spaced(reply).isprintable()):
            raise HandlerError(f"it returned {reply!r}, where a text such as '(mark 1 1)' is due")
        return reply


def _call(message: Message) -> tuple[str, tuple[Any, ...]]:
    """The name of the handler for a message, and its arguments."""
    match message:
        case Info():
            return "info", ()
        case Start():
            rules = messages.items(message.rules) or []
            clocks = message.startclock, message.playclock
            return "start", (message.match, message.role, rules, *clocks)
        case Play():
            return "play", (message.match, _move(message.report))
        case Stop():
            return "stop", (message.match, _move(message.report))
        case Abort():
            return "abort", (message.match,)
    raise MessageError(f"there is no handler for {message}")


def _move(report: Report) -> str | list[str]:
    """The last moves of all roles or, in a game of imperfect information, the percepts."""
    if isinstance(report, Joint):
        return NOTHING if report.moves is None else list(report.moves)
    return list(report.seen) if report.turn else NOTHING


__all__ = ["HandlerService", "load_handlers", "run_file"]
