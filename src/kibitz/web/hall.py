"""All tables of a server: opened from the workspace, kept, driven on, and limited in number.

Everything here runs in the event loop of the server; what computes runs in threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import StoppedError
from kibitz.core.state import State
from kibitz.sessions.taking_back import NotTakenBackError
from kibitz.web.kibitzer import Assessment, assess
from kibitz.web.limits import (
    MOST_KEPT,
    MOST_SECONDS,
    MOST_TABLES,
    MOST_WAITING,
    LimitReachedError,
)
from kibitz.web.live_playtests import LiveComparison, LivePlaytest
from kibitz.web.tables import HostedTable, Role
from kibitz.web.workspace import TABLES, Workspace

T = TypeVar("T")

logger = logging.getLogger("kibitz")

PACE = 0.7
"""Seconds between two actions of agents, so that people can follow."""

GLANCE = 0.4
"""Seconds between two looks at a table whose agents hurry."""

_RETRY = 0.1
"""Seconds after which an agent that was told to stop is told again."""


class ThreadPool:
    """Threads for long work, which waits while all are busy.

    Args:
        size: how many threads.
    """

    def __init__(self, size: int) -> None:
        self._threads = ThreadPoolExecutor(size, "kibitz-crew")
        self._running = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Runs `work` in one of the threads.

        Raises:
            LimitReachedError: too many wait already.
        """
        if self._running >= MOST_WAITING:
            raise LimitReachedError("This server has too much to think about now. Try again.")
        self._running += 1
        future: Future[T] = self._threads.submit(work)
        future.add_done_callback(self._ended)
        return await asyncio.wrap_future(future)

    def _ended(self, future: Future[T]) -> None:
        self._running -= 1

    def close(self) -> None:
        """Cancels what waits, and starts nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class LiveTable:
    """A table that is played at now.

    Attributes:
        hosted: the table.
        pace: seconds between two actions of agents; ``None``: they wait for ``step``.
        listeners: called after every change.
        chances: for each seat that asked a kibitzer (``None``: of those who only look on)
            everybody's chances, by the number of actions played.
    """

    def __init__(
        self, hosted: HostedTable, workspace: Workspace, searches: ThreadPool, glances: ThreadPool
    ) -> None:
        self.hosted = hosted
        self.pace: float | None = PACE
        self.listeners: set[Callable[[], None]] = set()
        self.chances: dict[int | None, dict[int, tuple[float, ...]]] = {}
        self._workspace = workspace
        self._searches, self._glances = searches, glances
        self._lock = asyncio.Lock()
        self._driver: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    @property
    def is_hurried(self) -> bool:
        """Whether agents play on without a pause, until a person is to act."""
        return self._hurry.is_set()

    @property
    def is_left(self) -> bool:
        """Whether the game is over and nobody looks at it."""
        return self.hosted.session.is_over and not self.listeners

    @property
    def is_thinking(self) -> bool:
        """Whether an agent is to act, and nothing keeps it from doing so."""
        session = self.hosted.session
        waits = session.is_over or session.awaits is not None
        return not (waits or self.hosted.trouble or self.hosted.request is not None)

    async def play(self, seat: int, action: int, tick: int) -> None:
        """Plays a person's action; see ``HostedTable.play``."""
        async with self._lock:
            await asyncio.to_thread(self._and_save, lambda: self.hosted.play(seat, action, tick))
        self._changed()
        self.wake()

    async def take_back(self, role: Role) -> bool:
        """Takes back the last choice of these seats, or asks the others; stops an agent that
        thinks. See ``HostedTable.take_back``.
        """
        if reason := self.hosted.obstacle(role):
            raise NotTakenBackError(reason)
        return await self._go_back(lambda: self.hosted.take_back(role))

    async def answer(self, role: Role, *, accepts: bool) -> bool:
        """Accepts, declines or withdraws a request; see ``HostedTable.answer``."""
        return await self._go_back(lambda: self.hosted.answer(role, accepts=accepts))

    async def _go_back(self, work: Callable[[], bool]) -> bool:
        self._hurry.clear()
        self.hosted.session.stop_deciding()
        try:
            async with self._lock:
                taken = await asyncio.to_thread(self._and_save, work)
        finally:
            self.wake()  # the agent that was stopped decides anew
        for chances in self.chances.values():
            for tick in [t for t in chances if t > self.hosted.session.state.tick]:
                del chances[tick]
        self._changed()
        return taken

    async def step(self) -> None:
        """Plays one action of an agent."""
        async with self._lock:
            if self.is_thinking:
                await self._advance()
        self._changed()

    def skip(self) -> None:
        """Has agents play without a pause until a person is to act, or the game is over."""
        if self.is_thinking:
            self._hurry.set()
            self.wake()

    async def watch(self, seat: int | None, told: Callable[[Assessment], None]) -> None:
        """Tells what the kibitzer thinks of the position, ever better, until the game goes on.

        Args:
            seat: whose knowledge it has; ``None``: that of whoever is to act.
            told: is called with each assessment.
        """
        state = self.hosted.session.state
        steps = assess(state, seat)
        crew = self._glances  # the first step is short, and waits for no search
        while self.hosted.session.state is state:
            try:
                found = await crew.run(lambda: next(steps, None))
            except LimitReachedError:
                return
            if found is None or self.hosted.session.state is not state:
                return
            self.chances.setdefault(seat, {})[found.tick] = found.chances
            told(found)
            crew = self._searches

    def set_pace(self, pace: float | None) -> None:
        """Sets how fast agents play."""
        self.pace = pace
        self.wake()
        self._changed()

    def wake(self) -> None:
        """Lets agents play on, if it is their turn."""
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive())

    def close(self) -> None:
        """Stops playing."""
        if self._driver is not None:
            self._driver.cancel()
        self.hosted.session.stop_deciding()

    async def _drive(self) -> None:
        seen = 0.0  # when listeners were told last
        while self.is_thinking and (self.pace is not None or self.is_hurried):
            pause = asyncio.create_task(self._pause())
            async with self._lock:
                if self.is_thinking:
                    await self._advance()
            await pause
            now = asyncio.get_running_loop().time()
            if not self.is_hurried or now - seen > GLANCE:
                seen = now
                self._changed()
        if self.is_hurried:
            self._hurry.clear()
            self._changed()

    async def _pause(self) -> None:
        """Waits between two actions of agents, unless they hurry."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), self.pace or 0.0)

    async def _advance(self) -> None:
        """Plays one action of an agent; what goes wrong becomes the table's trouble."""
        hosted = self.hosted
        thinking = asyncio.ensure_future(
            self._searches.run(lambda: self._and_save(hosted.advance))
        )
        try:
            await asyncio.wait_for(asyncio.shield(thinking), MOST_SECONDS)
        except TimeoutError:
            while not thinking.done():
                hosted.session.stop_deciding()
                await asyncio.wait([thinking], timeout=_RETRY)
            thinking.exception()
            hosted.trouble = (
                f"Player {hosted.session.player + 1} thought for more than {MOST_SECONDS:.0f} "
                "seconds and was stopped. Open a table at which it thinks less."
            )
        except StoppedError:
            pass  # somebody takes a move back
        except LimitReachedError:
            await asyncio.sleep(1.0)
        except KibitzError as problem:
            hosted.trouble = str(problem)
        except Exception:
            logger.exception("table %s", hosted.id)
            hosted.trouble = "An agent failed; the server's terminal has details."

    def _and_save(self, work: Callable[[], T]) -> T:
        result = work()
        self.hosted.save(self._workspace)
        return result

    def _changed(self) -> None:
        for listener in list(self.listeners):
            listener()


@dataclass(frozen=True)
class PendingRun:
    """A run that is being played or waits for its turn.

    Attributes:
        title: what is played.
        page: where it was started.
        live: has its progress, and can be stopped.
    """

    title: str
    page: str
    live: LivePlaytest | LiveComparison


class Hall:
    """The tables of a server.

    Args:
        workspace: where they are kept.

    Attributes:
        searches: the threads in which agents and kibitzers think.
        glances: those of kibitzers' first steps.
        playtests: the one in which playtests are played, one after the other.
        checks: those in which texts are checked.
        pending: the runs that are being played or wait, by number.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.searches = ThreadPool(max(2, os.cpu_count() or 1))
        self.glances = ThreadPool(max(2, os.cpu_count() or 1))
        self.playtests = ThreadPool(1)
        self.checks = ThreadPool(2)
        self.pending: dict[int, PendingRun] = {}
        self._runs = 0
        self._tables: dict[str, LiveTable] = {}  # those used last are last
        self._loading = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None

    async def play(self, run: PendingRun, finish: Callable[[T], None], work: Callable[[], T]) -> T:
        """Plays a run to its end, whether or not anybody still looks at the page.

        Args:
            run: what is listed meanwhile.
            finish: is called in the thread, with the result, to keep it.
            work: plays.

        Raises:
            LimitReachedError: too many wait already.
            KibitzError: it cannot be played or kept.
        """

        def all_of_it() -> T:
            found = work()
            finish(found)
            return found

        self._runs += 1
        number = self._runs
        self.pending[number] = run
        try:
            return await self.playtests.run(all_of_it)
        finally:
            del self.pending[number]

    async def open(self, opened: Callable[[], HostedTable]) -> LiveTable:
        """Opens a new table.

        Args:
            opened: makes it, in a thread.

        Raises:
            KibitzError: it cannot, or there are too many.
        """
        if len(self.workspace.names(TABLES, ".json")) >= MOST_KEPT:
            raise LimitReachedError(f"{MOST_KEPT:,} tables are kept; remove some first.")
        self._make_room()
        hosted = await asyncio.to_thread(opened)
        await asyncio.to_thread(hosted.save, self.workspace)
        return self._add(hosted)

    async def find(self, id: str) -> LiveTable | None:
        """The table with this name, from memory or from the workspace; ``None``: there is none.

        Raises:
            KibitzError: its file is damaged, its rules have changed, or there are too many.
        """
        async with self._loading:
            if id in self._tables:
                self._tables[id] = self._tables.pop(id)
                return self._tables[id]
            if f"{id}.json" not in self.workspace.names(TABLES, ".json"):
                return None
            self._make_room()
            return self._add(await asyncio.to_thread(HostedTable.load, self.workspace, id))

    def _add(self, hosted: HostedTable) -> LiveTable:
        table = LiveTable(hosted, self.workspace, self.searches, self.glances)
        self._tables[hosted.id] = table
        table.wake()
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm(hosted.session.state))
        return table

    async def _warm(self, state: State) -> None:
        """Loads what the kibitzer needs, so that its first look comes as soon as any other."""
        with contextlib.suppress(KibitzError):
            await self.glances.run(lambda: next(assess(state, None), None))

    def _make_room(self) -> None:
        """Forgets what nobody looks at: games that are over, since searches hold much memory,
        and, if there are too many, the table that was used longest ago. All stay in the workspace.
        """
        for id in [id for id, table in self._tables.items() if table.is_left]:
            self._tables.pop(id).close()
        if len(self._tables) < MOST_TABLES:
            return
        idle = next((id for id, table in self._tables.items() if not table.listeners), None)
        if idle is None:
            raise LimitReachedError(
                f"{MOST_TABLES} tables are being played at; more is not allowed at once."
            )
        self._tables.pop(idle).close()

    def close(self) -> None:
        """Stops all thinking; every table is kept already."""
        for table in self._tables.values():
            table.close()
        for run in self.pending.values():
            run.live.stop()
        self.searches.close()
        self.glances.close()
        self.playtests.close()
        self.checks.close()
