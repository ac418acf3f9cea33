"""Where games are read and played: installed ones in this process, those of texts in others.

A *place* keeps one object, such as a table, and calls functions with it. An installed game is the
host's own: its place is a thread of this process. A text can be anybody's: its place is a process
of its own (``kibitz.web.process``), which is killed when a call takes too long or needs too much
memory. Pages see no difference: they get plain data from both.
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
from kibitz.web.process import packed, unpacked
from kibitz.workers.fork_server import ForkServer, Worker, WorkerLostError

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

MOST_CHECKS = 4
"""Texts that are read at once; more wait."""
COMPILING = 120.0
"""Further seconds for a call that has to compile something."""


@dataclass(frozen=True, eq=False)
class Effort:
    """A kind of call, by what it may take.

    Attributes:
        words: what is done, for the message that it took too long.
        seconds: after which the process of a text is killed; ``None``: others watch over it.
    """

    words: str
    seconds: float | None


LOOK = Effort("showing or changing a position", 10.0)
OPEN = Effort("reading the rules and setting up the game", 30.0)
CHECK = Effort("checking the text", 20.0)
FIRST_LOOK = Effort("the first look of the kibitzer", 15.0)
SEARCH = Effort("one decision", MOST_SECONDS + 15.0)
REPORT = Effort("the report", 60.0)
RUN = Effort("a run", None)


class GameEndedError(KibitzError):
    """The process of a game was killed, or has ended by itself; the message says why."""


class Crew(Protocol):
    """Threads for one kind of call."""

    async def run(self, work: Callable[[], Any]) -> Any:
        """Runs `work` in one of the threads."""


class Place(ABC, Generic[T]):
    """Keeps an object and calls functions with it."""

    @abstractmethod
    async def call(
        self,
        effort: Effort,
        function: Callable[Concatenate[T, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Calls `function` with the object and the arguments.

        Raises:
            GameEndedError: the process is killed, since this took too long, or was before.
            LimitReachedError: too many calls wait.
            StoppedError: the work was stopped by another call.
            KibitzError: what `function` raises.
        """

    @property
    def problem(self) -> str:
        """Why nothing can be called any more; empty if that is not so."""
        return ""

    def end(self, why: str = "") -> None:
        """Forgets the object, with all that is still being done."""

    @property
    def can_be_ended(self) -> bool:
        """Whether ``end`` stops calls that go on."""
        return False


class Here(Place[T]):
    """An object in this process.

    Args:
        object: the object.
        crews: the threads for kinds of calls; all others run in those of the event loop.
    """

    def __init__(self, object: T, crews: Mapping[Effort, Crew]) -> None:
        self.object = object
        self._crews = crews

    async def call(
        self,
        effort: Effort,
        function: Callable[Concatenate[T, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Calls `function` with the object; see ``Place``."""
        crew = self._crews.get(effort)
        if crew is None:
            return await asyncio.to_thread(function, self.object, *args, **kwargs)
        result: R = await crew.run(lambda: function(self.object, *args, **kwargs))
        return result


class Elsewhere(Place[T]):
    """An object in a process of its own.

    Args:
        worker: the process.
        ended: is called once the process has been ended.
    """

    def __init__(self, worker: Worker, ended: Callable[[Elsewhere[T]], None]) -> None:
        self._worker = worker
        self._ended = ended
        self._waiting = 0
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why nothing can be called any more."""
        return self._problem

    @property
    def can_be_ended(self) -> bool:
        """It can."""
        return True

    def end(self, why: str = "") -> None:
        """Kills the process.

        Args:
            why: what the calls raise that wait, and later ones.
        """
        if not self._problem:
            self._problem = why or "This game has been closed."
            self._worker.end()
            self._ended(self)

    async def open(
        self, effort: Effort, create: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Makes the object."""
        await self._order("open", effort, (create, args, kwargs))

    async def run(
        self, effort: Effort, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Calls a function without the object."""
        result: R = await self._order("run", effort, (function, args, kwargs))
        return result

    async def call(
        self,
        effort: Effort,
        function: Callable[Concatenate[T, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Calls `function` with the object; see ``Place``."""
        result: R = await self._order("call", effort, (function, args, kwargs))
        return result

    async def _order(self, do: str, effort: Effort, work: object) -> Any:
        if effort is not LOOK and self._waiting >= MOST_WAITING:
            raise LimitReachedError("This game has too much to do now. Try again.")
        self._waiting += 1
        asking = asyncio.ensure_future(self._ask(do, effort, work))
        asking.add_done_callback(self._answered)
        return await asyncio.shield(asking)  # whoever leaves does not lift the limit

    def _answered(self, asking: asyncio.Task[Any]) -> None:
        self._waiting -= 1
        if not asking.cancelled():
            asking.exception()  # nobody may be waiting for it any more

    async def _ask(self, do: str, effort: Effort, work: object) -> Any:
        try:
            with contextlib.ExitStack() as notes:
                async with asyncio.timeout(effort.seconds) as clock:
                    async for answer in self._worker.order(
                        do, work=packed(work), quick=effort is LOOK
                    ):
                        if answer["what"] != "compiling":
                            return self._result(answer)
                        notes.enter_context(compilations.noted(answer["name"]))
                        if effort.seconds is not None:
                            now = asyncio.get_running_loop().time()
                            clock.reschedule(now + effort.seconds + COMPILING)
        except TimeoutError:
            self.end(
                f"The rules took more than {effort.seconds:g} seconds for {effort.words}: their "
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
        most: tables, reviews and runs at once.
        make_room: is called when there are so many; ends one that nobody needs, if there is one.
    """

    def __init__(self, most: int, make_room: Callable[[], None]) -> None:
        self._fork_server = ForkServer("kibitz.web.process", [], MEGABYTES)
        self._most = most
        self._make_room = make_room
        self._kept: set[Elsewhere[Any]] = set()
        self._beginning = 0
        self._checking = asyncio.Semaphore(MOST_CHECKS)
        self._checks = 0
        self._warming: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._kept) + self._beginning

    async def open(
        self, create: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> Elsewhere[T]:
        """A place with the object that `create` makes there.

        Raises:
            LimitReachedError: there are too many.
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
            place: Elsewhere[T] = await self._place()
            self._kept.add(place)
        finally:
            self._beginning -= 1
        try:
            await place.open(OPEN, create, *args, **kwargs)
        except BaseException:
            place.end()
            raise
        return place

    async def run(
        self, effort: Effort, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Calls a function in a process that is ended afterwards, also if nobody waits any more.

        Raises:
            LimitReachedError: too many wait.
            KibitzError: what `function` raises, or that it took too much.
        """
        if self._checks >= MOST_WAITING:
            raise LimitReachedError("This server has too much to read now. Try again.")
        self._checks += 1
        try:
            async with self._checking:
                place: Elsewhere[Any] = await self._place()
                try:
                    return await place.run(effort, function, *args, **kwargs)
                finally:
                    place.end()
        finally:
            self._checks -= 1

    def warm(self) -> None:
        """Begins to make everything ready, so that the first text waits for little."""
        self._warming = asyncio.ensure_future(self._warm())

    async def _warm(self) -> None:
        with contextlib.suppress(KibitzError):
            (await self._place()).end()

    async def _place(self) -> Elsewhere[Any]:
        if not hasattr(os, "fork"):
            raise KibitzError("Games from texts need a system that forks, such as Linux or macOS.")
        try:
            worker = await self._fork_server.worker()
        except (OSError, WorkerLostError):
            raise LimitReachedError("No more processes can be started now. Try again.") from None
        return Elsewhere(worker, self._kept.discard)

    def close(self) -> None:
        """Ends all processes."""
        if self._warming is not None:
            self._warming.cancel()
        for place in list(self._kept):
            place.end()
        self._fork_server.close()


def most_processes() -> int:
    """How many games from texts may be open at once: by three quarters of the memory."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
        return max(4, min(64, 3 * megabytes // 4 // MEGABYTES))
    return 4
