"""All tables of a server: opened from the workspace, kept, driven on, and limited in number.

Everything here runs in the event loop of the server; what computes runs in threads, or in other
processes (``places``).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import StoppedError
from kibitz.sessions.taking_back import NotTakenBackError
from kibitz.web.actors import (
    CHECK,
    FIRST_LOOK,
    LOOK,
    RUN,
    SEARCH,
    Actor,
    CallLimit,
    GameEndedError,
    LocalActor,
    Processes,
    most_processes,
)
from kibitz.web.games import Description, GameChoice
from kibitz.web.kibitzer import Assessment
from kibitz.web.limits import (
    MOST_KEPT,
    MOST_SECONDS,
    MOST_TABLES,
    MOST_WAITING,
    LimitReachedError,
)
from kibitz.web.live_playtests import LiveComparison, LivePlaytest, Progress
from kibitz.web.showing import usual_rules
from kibitz.web.tables import Card, HostedTable, Role, Standing, kept, save
from kibitz.web.workspace import TABLES, Workspace

T = TypeVar("T")
P = ParamSpec("P")
L = TypeVar("L", LivePlaytest, LiveComparison)

logger = logging.getLogger("kibitz")

PACE = 0.7
"""Seconds between two actions of agents, so that people can follow."""

GLANCE = 0.4
"""Seconds between two looks at a table whose agents hurry."""

LOOK_EVERY = 0.3
"""Seconds between two looks at how far a run is."""

STALLED = 120.0
"""Seconds after which a run of a text is ended, if no game of it ends meanwhile."""

STOPPING = 10.0
"""Seconds after which a run that was asked to stop is ended."""

_RETRY = 0.1
"""Seconds between two attempts to stop an agent."""


class ThreadPool:
    """Threads for long work, which waits while all are busy.

    Args:
        size: the number of threads.
    """

    def __init__(self, size: int) -> None:
        self._threads = ThreadPoolExecutor(size, "kibitz-pool")
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
        actor: the owner of the table.
        card: what never changes at it.
        standing: where the game is; another object after every change.
        trouble: why the game cannot go on, in words; empty where it can.
        pace: seconds between two actions of agents; ``None``: they wait for ``step``.
        listeners: called after every change.
        chances: for each seat that asked a kibitzer (``None``: of those who only look on)
            everybody's chances, by the number of actions played.
    """

    def __init__(
        self,
        actor: Actor[HostedTable],
        card: Card,
        standing: Standing,
        workspace: Workspace,
    ) -> None:
        self.actor = actor
        self.card = card
        self.standing = standing
        self.trouble = ""
        self.pace: float | None = PACE
        self.listeners: set[Callable[[], None]] = set()
        self.chances: dict[int | None, dict[int, tuple[float, ...]]] = {}
        self._workspace = workspace
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
        return self.standing.is_over and not self.listeners

    @property
    def is_thinking(self) -> bool:
        """Whether an agent is to act, and nothing keeps it from doing so."""
        standing = self.standing
        waits = standing.is_over or standing.awaits is not None or standing.request is not None
        return not (waits or self.trouble)

    async def look(
        self, function: Callable[Concatenate[HostedTable, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Calls a function that looks at the table, where the table is.

        Raises:
            KibitzError: the game has been ended, or what `function` raises.
        """
        return await self._call(LOOK, function, *args, **kwargs)

    async def play(self, seat: int, action: int, tick: int) -> None:
        """Plays a person's action; see ``HostedTable.play``."""
        async with self._lock:
            await self._change(LOOK, HostedTable.play, seat, action, tick)
        self._changed()
        self.wake()

    async def take_back(self, role: Role) -> bool:
        """Takes back the last choice of these seats, or asks the others; stops an agent that
        thinks. See ``HostedTable.take_back``.
        """
        if reason := self.standing.obstacle(role):
            raise NotTakenBackError(reason)
        self._hurry.clear()
        await self._stop_deciding()
        return await self._go_back(HostedTable.take_back, role)

    async def answer(self, role: Role, *, accepts: bool) -> bool:
        """Accepts, declines or withdraws a request; see ``HostedTable.answer``."""
        return await self._go_back(HostedTable.answer, role, accepts=accepts)

    async def _go_back(
        self,
        function: Callable[Concatenate[HostedTable, P], bool],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> bool:
        """Calls a function that may take a choice back, and returns whether it did."""
        try:
            async with self._lock:
                taken = await self._change(LOOK, function, *args, **kwargs)
        finally:
            self.wake()  # an agent that was stopped decides anew
        if taken:
            self.trouble = ""
        for chances in self.chances.values():
            for tick in [t for t in chances if t > self.standing.tick]:
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

    async def watch(self, seat: int | None, report: Callable[[Assessment], None]) -> None:
        """Reports ever better assessments of the position until the game goes on.

        Args:
            seat: the observer; ``None``: the player to move.
            report: called with each assessment.
        """
        standing = self.standing
        limit = FIRST_LOOK  # the first step is short, and waits for no search
        for step in itertools.count():
            try:
                assessment = await self._call(limit, HostedTable.assess, seat, standing.tick, step)
            except KibitzError:
                return
            if assessment is None or self.standing is not standing:
                return
            self.chances.setdefault(seat, {})[assessment.tick] = assessment.chances
            report(assessment)
            limit = SEARCH

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
        if isinstance(self.actor, LocalActor):
            self.actor.object.session.stop_deciding()
        self.actor.end()

    async def _drive(self) -> None:
        notified = 0.0  # when listeners were called last
        while self.is_thinking and (self.pace is not None or self.is_hurried):
            pause = asyncio.create_task(self._pause())
            async with self._lock:
                if self.is_thinking:
                    await self._advance()
            await pause
            time = asyncio.get_running_loop().time()
            if not self.is_hurried or time - notified > GLANCE:
                notified = time
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
        thinking = asyncio.ensure_future(self._change(SEARCH, HostedTable.advance))
        try:
            await asyncio.wait_for(asyncio.shield(thinking), MOST_SECONDS)
        except TimeoutError:
            while not thinking.done():
                await self._stop_deciding()
                await asyncio.wait([thinking], timeout=_RETRY)
            thinking.exception()
            self.trouble = self.actor.problem or (
                f"Player {self.standing.player + 1} thought for more than {MOST_SECONDS:.0f} "
                "seconds and was stopped. Open a table at which it thinks less."
            )
        except StoppedError:
            pass  # somebody takes a move back
        except LimitReachedError:
            await asyncio.sleep(1.0)
        except KibitzError as problem:
            self.trouble = str(problem)
        except Exception:
            logger.exception("table %s", self.card.id)
            self.trouble = "An agent failed; the server's terminal has details."

    async def _stop_deciding(self) -> None:
        with contextlib.suppress(KibitzError):
            await self.actor.call(LOOK, _stop_deciding)

    async def _change(
        self,
        limit: CallLimit,
        function: Callable[Concatenate[HostedTable, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Calls a function that changes the table, and writes the changed table to its file."""
        result = await self._call(limit, function, *args, **kwargs)
        standing, text = await self._call(LOOK, _standing_and_text)
        try:
            await asyncio.to_thread(save, self._workspace, self.card.id, text)
        finally:
            self.standing = standing  # what is shown has been written, unless that failed
        return result

    async def _call(
        self,
        limit: CallLimit,
        function: Callable[Concatenate[HostedTable, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        try:
            return await self.actor.call(limit, function, *args, **kwargs)
        except GameEndedError as problem:
            if not self.trouble:
                self.trouble = f"{problem} Load the page again to go on from the last move."
                self._changed()
            raise

    def _changed(self) -> None:
        for listener in list(self.listeners):
            listener()


def _run(live: LivePlaytest | LiveComparison) -> int:
    return live.run()


def _look(live: LivePlaytest | LiveComparison) -> Progress:
    return live.look()


def _stop(live: LivePlaytest | LiveComparison) -> None:
    live.stop()


def _stop_deciding(hosted: HostedTable) -> None:
    hosted.session.stop_deciding()


def _standing_and_text(hosted: HostedTable) -> tuple[Standing, str]:
    return hosted.standing(), hosted.to_text()


def _opened(hosted: HostedTable) -> tuple[Card, Standing, str]:
    return hosted.card, hosted.standing(), hosted.to_text()


class PendingRun:
    """A run that is being played or waits for its turn.

    Args:
        title: the game, for the list of runs.
        page: where it was started.
        wanted: the number of games to play.

    Attributes:
        title, page: see Args.
        progress: how far it is.
        is_stopped: whether it is to end soon; what was played counts.
    """

    def __init__(self, title: str, page: str, wanted: int) -> None:
        self.title, self.page = title, page
        self.progress = Progress(0, wanted, "", ())
        self.is_stopped = False

    def stop(self) -> None:
        """Ends it soon; what was played counts."""
        self.is_stopped = True


class Hall:
    """The tables of a server.

    Args:
        workspace: where they are kept.

    Attributes:
        searches: the threads in which agents and kibitzers think at installed games.
        glances: those of kibitzers' first steps.
        playtests: the one in which installed games are playtested.
        processes: those in which texts are read and played.
        pending: the runs that are being played or wait, by number.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.searches = ThreadPool(max(2, os.cpu_count() or 1))
        self.glances = ThreadPool(max(2, os.cpu_count() or 1))
        self.playtests = ThreadPool(1)
        self.processes = Processes(most_processes(), self._make_room_for_a_process)
        self.pending: dict[int, PendingRun] = {}
        self._pools = {SEARCH: self.searches, FIRST_LOOK: self.glances, RUN: self.playtests}
        self._turn = asyncio.Lock()
        self._runs = 0
        self._tables: dict[str, LiveTable] = {}  # those used last are last
        self._loading: dict[str, asyncio.Task[LiveTable]] = {}
        self._warming: asyncio.Task[None] | None = None

    async def start_actor(
        self, text: bool, create: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> Actor[T]:
        """Makes an object, where it belongs.

        Args:
            text: whether it plays the rules of a text, and is kept in a process of its own.
            create: the function that makes the object.
            *args: for `create`.
            **kwargs: for `create`.

        Raises:
            KibitzError: what `create` raises; that it took too much; there are too many.
        """
        if text:
            return await self.processes.open(create, *args, **kwargs)
        return LocalActor(await asyncio.to_thread(create, *args, **kwargs), self._pools)

    async def describe(self, choice: GameChoice) -> Description:
        """What pages show of a game.

        Raises:
            KibitzError: no game has this name, or its text is wrong.
        """
        if choice.is_text:
            return await self.processes.run(CHECK, GameChoice.describe, choice)
        return await asyncio.to_thread(choice.describe)

    async def rules(self, choice: GameChoice) -> str:
        """The rules of a game in words, as HTML.

        Raises:
            KibitzError: no game has this name, or its text is wrong.
        """
        if choice.is_text:
            return await self.processes.run(CHECK, usual_rules, choice)
        return await asyncio.to_thread(usual_rules, choice)

    async def play(
        self,
        run: PendingRun,
        begin: Callable[[], Awaitable[Actor[L]]],
        keep: Callable[[Actor[L]], Awaitable[str]],
    ) -> str:
        """Plays a run to its end, whether or not anybody still looks at the page.

        Args:
            run: what is listed meanwhile.
            begin: makes what is played, when it is its turn.
            keep: keeps the result; returns the name of what it wrote.

        Returns:
            What `keep` returns; empty where nothing was played.

        Raises:
            LimitReachedError: too many wait already.
            KibitzError: it cannot be played or kept.
        """
        if len(self.pending) >= MOST_WAITING:
            raise LimitReachedError("Too many runs wait on this server. Try again.")
        self._runs += 1
        number = self._runs
        self.pending[number] = run
        try:
            async with self._turn:
                if run.is_stopped:
                    return ""
                actor = await begin()
                try:
                    games = await self._follow(run, actor)
                    return await keep(actor) if games else ""
                finally:
                    actor.end()
        finally:
            del self.pending[number]

    async def _follow(self, run: PendingRun, actor: Actor[L]) -> int:
        """Plays an actor's run, updates its progress, and ends it when it makes none."""
        loop = asyncio.get_running_loop()
        playing = asyncio.ensure_future(actor.call(RUN, _run))
        grown, stopped = loop.time(), False
        try:
            while not playing.done():
                await asyncio.wait([playing], timeout=LOOK_EVERY)
                if run.is_stopped and not stopped:
                    await actor.call(LOOK, _stop)
                    stopped, grown = True, loop.time()
                progress = await actor.call(LOOK, _look)
                if progress.played > run.progress.played:
                    grown = loop.time()
                run.progress = progress
                if actor.can_be_ended and loop.time() - grown > (STOPPING if stopped else STALLED):
                    actor.end(f"No game ended within {STALLED:.0f} seconds: the run was ended.")
        except BaseException:
            playing.cancel()
            actor.end()
            raise
        games = await playing
        run.progress = await actor.call(LOOK, _look)
        return games

    async def open(
        self,
        choice: GameChoice,
        create: Callable[P, HostedTable],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> LiveTable:
        """Opens a new table.

        Args:
            choice: the game.
            create: the function that makes the table.
            *args: for `create`.
            **kwargs: for `create`.

        Raises:
            KibitzError: it cannot, or there are too many.
        """
        if len(self.workspace.names(TABLES, ".json")) >= MOST_KEPT:
            raise LimitReachedError(f"{MOST_KEPT:,} tables are kept; remove some first.")
        self._make_room()
        actor = await self.start_actor(choice.is_text, create, *args, **kwargs)
        live, text = await self._live(actor)
        await asyncio.to_thread(save, self.workspace, live.card.id, text)
        return self._add(live)

    async def find(self, id: str) -> LiveTable | None:
        """The table with this name, from memory or from the workspace, or ``None``.

        Raises:
            KibitzError: its file is damaged, its rules have changed, or there are too many.
        """
        if id in self._tables:
            self._tables[id] = self._tables.pop(id)
            if not self._tables[id].actor.problem:
                return self._tables[id]
            self._tables.pop(id).close()
        if id not in self._loading:
            if f"{id}.json" not in self.workspace.names(TABLES, ".json"):
                return None
            self._make_room()
            self._loading[id] = loading = asyncio.create_task(self._load(id))
            loading.add_done_callback(lambda done: self._loaded(id, done))
        return await asyncio.shield(self._loading[id])  # others may wait for it, too

    async def _load(self, id: str) -> LiveTable:
        document = await asyncio.to_thread(kept, self.workspace, id)
        choice = GameChoice.from_json(document.get("game"))
        actor = await self.start_actor(choice.is_text, HostedTable.from_json, document, id)
        live, _ = await self._live(actor)
        return self._add(live)

    def _loaded(self, id: str, loading: asyncio.Task[LiveTable]) -> None:
        del self._loading[id]
        if not loading.cancelled():
            loading.exception()  # nobody may be waiting for it any more

    async def _live(self, actor: Actor[HostedTable]) -> tuple[LiveTable, str]:
        """A table that is played at, and the text of its file."""
        try:
            card, standing, text = await actor.call(LOOK, _opened)
        except BaseException:
            actor.end()
            raise
        return LiveTable(actor, card, standing, self.workspace), text

    def _add(self, table: LiveTable) -> LiveTable:
        self._tables[table.card.id] = table
        table.wake()
        if self._warming is None and isinstance(table.actor, LocalActor):
            self._warming = asyncio.create_task(self._warm(table))
        return table

    async def _warm(self, table: LiveTable) -> None:
        """Loads what the kibitzer needs, so that its first look comes as soon as any other."""
        with contextlib.suppress(KibitzError):
            await table.actor.call(FIRST_LOOK, HostedTable.assess, None, table.standing.tick, 0)

    def _make_room_for_a_process(self) -> None:
        """Forgets the table of a text that nobody looks at and that was used longest ago."""
        for id, table in self._tables.items():
            if table.actor.can_be_ended and not table.listeners:
                self._tables.pop(id).close()
                return

    def _make_room(self) -> None:
        """Forgets what nobody looks at: games that are over, since searches hold much memory,
        and, if there are too many, the table that was used longest ago. All stay in the workspace.
        """
        for id in [id for id, table in self._tables.items() if table.is_left]:
            self._tables.pop(id).close()
        if len(self._tables) + len(self._loading) < MOST_TABLES:
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
            run.stop()
        self.processes.close()
        self.searches.close()
        self.glances.close()
        self.playtests.close()
