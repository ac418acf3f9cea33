"""Actors: objects that have rules, such as tables, and the threads and processes that run them.

An *actor* owns one object and calls functions with it. The object of an installed game lives in
this process, and its calls run in threads. A text can be anybody's: its object lives in a process
of its own (``kibitz.web.process``), which is killed when a call takes too long or needs too much
memory. Pages use both alike, and get plain data from them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import StoppedError
from kibitz.web import compilations
from kibitz.web.limits import MEGABYTES, MOST_SECONDS, MOST_WAITING, LimitReachedError
from kibitz.web.packing import packed, unpacked
from kibitz.workers.fork_server import ForkServer, Worker, WorkerLostError

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

MOST_CHECKS = 4
"""Texts that are read in parallel; more wait."""
COMPILING = 120.0
"""Further seconds for a call that has to compile something."""
STOPPING = "The server is being stopped."
"""The error of calls in progress when the server ends."""


@dataclass(frozen=True, eq=False)
class CallLimit:
    """The limit of time of a kind of call.

    Attributes:
        task: what the call does, for the message that it took too long.
        seconds: after which the process of a text is killed; ``None``: the caller watches it.
    """

    task: str
    seconds: float | None


LOOK = CallLimit("showing or changing a position", 10.0)
OPEN = CallLimit("reading the rules and setting up the game", 30.0)
CHECK = CallLimit("checking the text", 20.0)
FIRST_LOOK = CallLimit("the first look of the kibitzer", 15.0)
SEARCH = CallLimit("one decision", MOST_SECONDS + 15.0)
REPORT = CallLimit("the report", 60.0)
RUN = CallLimit("a run", None)


class GameEndedError(KibitzError):
    """The process of a game was killed, or has ended by itself; the message says why."""


class Pool(Protocol):
    """Threads that run one kind of call."""

    async def run(self, work: Callable[[], Any]) -> Any:
        """Runs `work` in a thread of the pool."""


class Actor(ABC, Generic[T]):
    """Owns an object and calls functions with it."""

    @abstractmethod
    async def call(
        self,
        limit: CallLimit,
        function: Callable[Concatenate[T, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Calls `function` with the object and the arguments.

        Raises:
            GameEndedError: the process was killed, because of this call or an earlier one.
            LimitReachedError: too many calls wait.
            StoppedError: the work was stopped by another call.
            KibitzError: what `function` raises.
        """

    @property
    def problem(self) -> str:
        """Why the actor takes no more calls; empty while it does."""
        return ""

    def end(self, why: str = "") -> None:
        """Discards the object and the calls in progress.

        Args:
            why: the message of the error that calls in progress and later calls raise.
        """

    @property
    def can_be_ended(self) -> bool:
        """Whether ``end`` stops calls in progress."""
        return False


class LocalActor(Actor[T]):
    """Runs the calls of an object in threads of this process.

    Args:
        object: that functions are called with.
        pools: the threads for some kinds of calls; other calls use the event loop's own threads.
    """

    def __init__(self, object: T, pools: Mapping[CallLimit, Pool]) -> None:
        self.object = object
        self._pools = pools

    async def call(
        self,
        limit: CallLimit,
        function: Callable[Concatenate[T, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Calls `function` with the object; see ``Actor``."""
        pool = self._pools.get(limit)
        if pool is None:
            return await asyncio.to_thread(function, self.object, *args, **kwargs)
        result: R = await pool.run(lambda: function(self.object, *args, **kwargs))
        return result


class ProcessActor(Actor[T]):
    """Runs the calls of an object in a process of its own, within limits of time and memory.

    Args:
        worker: the process that has the object.
        ended: called with the actor when the process has been killed.
    """

    def __init__(self, worker: Worker, ended: Callable[[ProcessActor[T]], None]) -> None:
        self._worker = worker
        self._ended = ended
        self._waiting = 0
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why the actor takes no more calls; empty while it does."""
        return self._problem

    @property
    def can_be_ended(self) -> bool:
        """Always: the process is killed."""
        return True

    def end(self, why: str = "") -> None:
        """Kills the process.

        Args:
            why: the message of the error that calls in progress and later calls raise.
        """
        if not self._problem:
            self._problem = why or "This game has been closed."
            self._worker.end()
            self._ended(self)

    async def open(
        self, limit: CallLimit, create: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Creates the object in the process."""
        await self._order("open", limit, (create, args, kwargs))

    async def run(
        self, limit: CallLimit, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Calls a function in the process, without the object."""
        result: R = await self._order("run", limit, (function, args, kwargs))
        return result

    async def call(
        self,
        limit: CallLimit,
        function: Callable[Concatenate[T, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Calls `function` with the object; see ``Actor``."""
        result: R = await self._order("call", limit, (function, args, kwargs))
        return result

    async def _order(self, do: str, limit: CallLimit, work: object) -> Any:
        if limit is not LOOK and self._waiting >= MOST_WAITING:
            raise LimitReachedError("This game has too much to do now. Try again.")
        self._waiting += 1
        asking = asyncio.ensure_future(self._ask(do, limit, work))
        asking.add_done_callback(self._answered)
        return await asyncio.shield(asking)  # a cancelled caller does not lift the limit

    def _answered(self, asking: asyncio.Task[Any]) -> None:
        self._waiting -= 1
        if not asking.cancelled():
            asking.exception()  # retrieved, since the caller may be gone

    async def _ask(self, do: str, limit: CallLimit, work: object) -> Any:
        try:
            with contextlib.ExitStack() as notes:
                async with asyncio.timeout(limit.seconds) as clock:
                    async for answer in self._worker.order(
                        do, work=packed(work), quick=limit is LOOK
                    ):
                        if answer["what"] != "compiling":
                            return self._result(answer)
                        notes.enter_context(compilations.noted(answer["name"]))
                        if limit.seconds is not None:
                            time = asyncio.get_running_loop().time()
                            clock.reschedule(time + limit.seconds + COMPILING)
        except TimeoutError:
            self.end(
                f"The rules took more than {limit.seconds:g} seconds for {limit.task}: their "
                "process was ended."
            )
        except pickle.UnpicklingError as problem:
            self.end(f"The process of this game was ended: {problem}.")
        except WorkerLostError:
            self.end(
                "The process of this game has ended by itself: its rules need too much memory, "
                "or they crashed it."
            )
        raise GameEndedError(self._problem)

    def _result(self, answer: dict[str, Any]) -> Any:
        if answer["what"] == "done":
            return unpacked(answer["value"])
        match answer["why"]:
            case "stopped":
                raise StoppedError
            case "error":
                raise KibitzError(answer["words"])
            case "memory":
                self.end(f"The rules need more than {MEGABYTES:,} MB: their process was ended.")
                raise GameEndedError(self._problem)
            case _:
                raise KibitzError("An unexpected fault; the server's terminal has details.")


class Processes:
    """The processes of a server in which texts are read and played.

    Args:
        most: the largest number of tables, reviews and runs that may be open.
        make_room: called when that many are open; ends one that nobody needs, if possible.
    """

    def __init__(self, most: int, make_room: Callable[[], None]) -> None:
        self._fork_server = ForkServer("kibitz.web.process", MEGABYTES)
        self._most = most
        self._make_room = make_room
        self._kept: set[ProcessActor[Any]] = set()
        self._checking_actors: set[ProcessActor[Any]] = set()
        self._beginning = 0
        self._closed = False
        self._checking = asyncio.Semaphore(MOST_CHECKS)
        self._checks = 0
        self._warming: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._kept) + self._beginning

    async def open(
        self, create: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> ProcessActor[T]:
        """Starts a process and creates an object in it.

        Raises:
            LimitReachedError: too many are open.
            KibitzError: what `create` raises, or that it took too much.
        """
        if len(self) >= self._most:
            self._make_room()
        if len(self) >= self._most:
            raise LimitReachedError(
                f"{self._most} games from texts are open; more is not allowed at once."
            )
        self._beginning += 1
        try:
            actor: ProcessActor[T] = await self._start()
            self._kept.add(actor)
        finally:
            self._beginning -= 1
        try:
            await actor.open(OPEN, create, *args, **kwargs)
        except BaseException:
            actor.end()
            raise
        return actor

    async def run(
        self, limit: CallLimit, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Calls a function in a process that is killed afterwards, whatever becomes of the caller.

        Raises:
            LimitReachedError: too many calls wait.
            KibitzError: what `function` raises, or that it took too much.
        """
        if self._checks >= MOST_WAITING:
            raise LimitReachedError("This server has too much to read now. Try again.")
        self._checks += 1
        try:
            async with self._checking:
                actor: ProcessActor[Any] = await self._start()
                self._checking_actors.add(actor)
                try:
                    return await actor.run(limit, function, *args, **kwargs)
                finally:
                    actor.end()
                    self._checking_actors.discard(actor)
        finally:
            self._checks -= 1

    def warm(self) -> None:
        """Starts the fork server, so that the first text does not wait for it."""
        self._warming = asyncio.ensure_future(self._warm())

    async def _warm(self) -> None:
        with contextlib.suppress(KibitzError):
            (await self._start()).end()

    async def _start(self) -> ProcessActor[Any]:
        if not hasattr(os, "fork"):
            raise KibitzError("Games from texts need a system that forks, such as Linux or macOS.")
        if self._closed:
            raise LimitReachedError(STOPPING)
        try:
            worker = await self._fork_server.worker()
        except (OSError, WorkerLostError):
            raise LimitReachedError("No more processes can be started now. Try again.") from None
        return ProcessActor(worker, self._kept.discard)

    def close(self) -> None:
        """Kills all processes, and starts none any more."""
        self._closed = True
        if self._warming is not None:
            self._warming.cancel()
        for actor in [*self._kept, *self._checking_actors]:
            actor.end(STOPPING)
        self._fork_server.close()


def most_processes() -> int:
    """How many games from texts may be open, given three quarters of the memory."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
        return max(4, min(64, 3 * megabytes // 4 // MEGABYTES))
    return 4
