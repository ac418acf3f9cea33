"""A player as an HTTP service, which answers messages and keeps the matches in progress."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from kibitz.core.errors import FileError
from kibitz.core.wording import printable
from kibitz.ggp import messages
from kibitz.ggp.http import LONG, HttpError, Reply, Server
from kibitz.ggp.messages import (
    Abort,
    Info,
    Message,
    MessageError,
    Play,
    Preview,
    Start,
    Status,
    Stop,
)
from kibitz.ggp.ongoing import Match, Move
from kibitz.ggp.process import report_to_json
from kibitz.ggp.settings import PROCESS, ServiceSettings
from kibitz.ggp.standby import Standby
from kibitz.workers.fork_server import ForkServer, Worker, WorkerLostError

AT_LEAST = 0.05
"""Minimum time after the deadline that the process has to deliver its move, in seconds."""
_REMEMBERED = 100
"""Number of finished matches whose final answer is kept for repeated messages."""


class PlayerService:
    """Answers game managers on behalf of one player.

    Args:
        tell: called with a line of text for every event.
        fork_server: an open fork server, which the service does not close; ``None``: the service
            starts its own.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        tell: Callable[[str], None] = lambda line: None,
        fork_server: ForkServer | None = None,
    ) -> None:
        self.settings = settings
        self._tell_whom = tell
        self._random = random.Random(settings.seed)
        self._own = fork_server is None
        self._fork_server = fork_server or ForkServer(
            PROCESS, settings.megabytes, [settings.player]
        )
        self._server = Server(self._answer, messages.is_list, settings.origins)
        self._matches: dict[str, Match] = {}
        self._over: OrderedDict[str, str] = OrderedDict()
        self._standby = Standby(self._fork_server, 10 * settings.idle)
        self._sweeping: asyncio.Task[None] | None = None
        name = re.sub(r"[^A-Za-z0-9_.:=+-]", "_", settings.name) or "kibitz"
        self._name = name

    def _tell(self, line: str) -> None:
        self._tell_whom(printable(line, messages.MOST_LINE))

    # -- life --------------------------------------------------------------------------------

    async def open(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Begins to listen at a port (0: any free one) and returns the port.

        Raises:
            KibitzError: the player cannot be started.
            OSError: the port is taken, or there is no such host.
        """
        await self._server.bind(host, port)  # a taken port is reported at once
        try:
            if self._own:
                await self._fork_server.open()
            await self._server.listen()
        except BaseException:
            await self.close()
            raise
        self._sweeping = asyncio.ensure_future(self._sweep())
        return self._server.port

    async def close(self) -> None:
        """Ends all matches and stops listening."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for match in list(self._matches.values()):
            self._end(match, "")
        self._standby.end()
        await self._server.close()
        if self._own:
            self._fork_server.close()

    @property
    def matches(self) -> list[str]:
        """The ids of the matches in progress."""
        return [match.id for match in self._matches.values()]

    @property
    def processes(self) -> int:
        """The number of processes: of matches, of previewed rules, and spare ones."""
        return len(self._fork_server.workers)

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return self._server.connections

    async def _sweep(self) -> None:
        """Ends matches whose manager has been silent for too long."""
        while True:
            await asyncio.sleep(min(1.0, self.settings.idle / 4))
            self._standby.sweep()
            for match in list(self._matches.values()):
                clocks = 2 * match.start.playclock
                clocks += 0 if match.moves else match.start.startclock
                if time.monotonic() - match.heard > clocks + self.settings.idle:
                    self._tell(f"{match.id}: forgotten, since nothing is heard of it")
                    self._end(match, messages.BUSY)

    # -- messages ----------------------------------------------------------------------------

    async def _answer(self, request: str | HttpError) -> Reply:
        received = time.monotonic()
        if isinstance(request, HttpError):
            self._tell(f"not understood: {request}")
            return Reply(messages.ERROR)
        try:
            if len(request) < LONG:
                message = messages.parse(request)
            else:
                message = await asyncio.to_thread(messages.parse, request)
        except MessageError as problem:
            self._tell(f"not understood: {problem}")
            return Reply(messages.ERROR)
        try:
            return await self._reply(message, received)
        except Exception as problem:  # whatever fails, the manager gets a reply
            self._tell(f"cannot answer: {type(problem).__name__}: {problem}")
            return Reply(messages.ERROR)

    async def _reply(self, message: Message, received: float) -> Reply:
        match message:
            case Info():
                return Reply(str(self._status()))
            case Preview():
                return Reply(await self._preview(message, received))
            case Start():
                return Reply(await self._start(message, received))
            case Play():
                return await self._play(message, received)
            case Stop():
                return Reply(await self._stop(message, received))
            case Abort():
                return Reply(self._abort(message))

    def _status(self) -> Status:
        free = len(self._matches) < self.settings.matches
        return Status(messages.AVAILABLE if free else messages.BUSY, self._name, "alien")

    # -- START -------------------------------------------------------------------------------

    async def _start(self, message: Start, received: float) -> str:
        match = self._matches.get(message.match.lower())
        if match is not None and match.ready is not None and not match.played:
            if messages.alike(match.start, message):
                return await asyncio.shield(match.ready)
            self._tell(f"{message.match}: has begun with another START, busy")
            return messages.BUSY
        if match is not None:
            # the manager has restarted the match and ignores answers to the first one
            self._tell(f"{message.match}: begins anew")
            self._end(match, messages.ABORTED)
        if len(self._matches) >= self.settings.matches:
            self._tell(f"{message.match}: no place for another match, busy")
            return messages.BUSY
        match = Match(message, received)
        match.ready = asyncio.get_running_loop().create_future()
        self._matches[match.key] = match
        self._begin(match, self._get_ready(match))
        return await asyncio.shield(match.ready)

    async def _get_ready(self, match: Match) -> None:
        start, ready = match.start, match.ready
        assert ready is not None
        budget = self.settings.budget(start.startclock)
        deadline = match.received + budget

        def in_any_case() -> None:
            if not ready.done():
                ready.set_result(messages.READY)

        latest = deadline + 0.5 * (start.startclock - budget)
        delay = max(0.0, latest - time.monotonic())
        timer = asyncio.get_running_loop().call_later(delay, in_any_case)
        try:
            match.worker = worker = await self._standby.worker(start.rules)
            if self._matches.get(match.key) is not match:
                worker.end()
                return
            order = {"role": start.role, "rules": start.rules, "deadline": deadline}
            seed = self._random.getrandbits(60)
            order |= {"player": self.settings.player, "seed": seed}
            async for reply in worker.order("start", **order):
                if reply["what"] == "refused":
                    self._refuse(match, reply["why"])
                elif reply["what"] == "accepted":
                    match.role, match.secret = reply["role"], reply["secret"]
                    clocks = f"clocks {start.startclock} s and {start.playclock} s"
                    self._tell(f"{match.id}: begins, as {start.role}; {clocks}")
                else:
                    seconds = time.monotonic() - match.received
                    how = reply["evaluation"]
                    self._tell(f"{match.id}: ready after {seconds:.1f} s: {how}")
                    in_any_case()
        except (WorkerLostError, OSError):
            self._lost(match)
        finally:
            timer.cancel()

    async def _preview(self, message: Preview, received: float) -> str:
        """Reads rules, and keeps their process for a START with the same rules."""
        worker: Worker | None = None
        try:
            async with asyncio.timeout(max(AT_LEAST, self.settings.budget(message.clock))):
                worker = await self._standby.worker(message.rules)
                async for reply in worker.order("preview", rules=message.rules):
                    if reply["what"] == "refused":
                        self._tell(f"preview: {reply['why']}")
                        self._standby.keep(worker)
                        worker = None
                        return messages.ERROR
            self._standby.keep_for(message.rules, worker, received)
            worker = None
        except (TimeoutError, WorkerLostError, OSError):
            return messages.BUSY
        finally:
            if worker is not None:
                worker.end()
        self._tell("preview: the rules are sound")
        return messages.READY

    def _refuse(self, match: Match, why: str) -> None:
        """Refuses a match, forgets it, and keeps its process as the spare one."""
        self._tell(f"{match.id}: refused: {why}")
        worker, match.worker = match.worker, None
        assert match.ready is not None
        if not match.ready.done():
            match.ready.set_result(messages.ERROR)
        self._forget(match, "")
        if worker is not None:
            self._standby.keep(worker)

    def _lost(self, match: Match) -> None:
        if match.key in self._matches and self._matches[match.key] is match:
            self._tell(f"{match.id}: its process has ended; the match is given up")
            self._end(match, messages.BUSY)

    def _begin(self, match: Match, work: Any) -> asyncio.Task[None]:
        """Starts a task that is cancelled at the end of the match."""
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        match.tasks.add(task)
        task.add_done_callback(match.tasks.discard)
        return task

    # -- PLAY --------------------------------------------------------------------------------

    async def _play(self, message: Play, received: float) -> Reply:
        match = self._matches.get(message.match.lower())
        if match is None:
            self._tell(f"{message.match}: PLAY in an unknown match, busy")
            return Reply(messages.BUSY)
        match.heard = received
        match.played = True
        last = match.move
        if last is not None and match.is_repetition(message.report, received):
            return Reply(await asyncio.shield(last.answer))
        move = Move(message.report, received, asyncio.get_running_loop().create_future())
        if last is not None and not last.answer.done():
            last.answer.set_result(last.best)  # the manager has given up waiting for it
        match.move = move

        def in_any_case(task: asyncio.Task[None]) -> None:
            if not move.answer.done():
                move.answer.set_result(move.best)

        self._begin(match, self._decide(match, move, last)).add_done_callback(in_any_case)
        answer = await asyncio.shield(move.answer)

        def sent(delivered: bool) -> None:
            in_time = time.monotonic() - received <= match.start.playclock + 1.0
            move.delivered = delivered and in_time

        return Reply(answer, sent)

    async def _decide(self, match: Match, move: Move, last: Move | None) -> None:
        budget = self.settings.budget(match.start.playclock)
        deadline = move.received + budget
        latest = deadline + max(AT_LEAST, 0.5 * (match.start.playclock - budget))
        timer = asyncio.get_running_loop().call_later(
            max(0.0, latest - time.monotonic()), lambda: self._answered(match, move, late=True)
        )
        try:
            while match.worker is None:
                if match.key not in self._matches:
                    raise WorkerLostError
                await asyncio.sleep(0.01)
            order = {"report": report_to_json(move.report), "deadline": deadline}
            order["ponder"] = self.settings.ponder
            async for reply in match.worker.order("play", **order):
                if reply["what"] == "refused":
                    again = last is not None and messages.alike(last.report, move.report)
                    if last is not None and again and last.answer.done():
                        move.best = last.answer.result()  # it repeats the last step
                    else:
                        move.remark = f"not understood: {reply['why']}"
                    if match.move is move:
                        match.move = last
                else:
                    if not move.answer.done():
                        move.best = messages.spaced(reply["move"])
                        move.value, move.remark = reply["value"], reply["remark"]
                        move.cause = reply["cause"]
                    if reply["what"] == "done":
                        match.moves += 1
            self._answered(match, move)
        except (WorkerLostError, OSError):
            self._answered(match, move)
            self._lost(match)
        finally:
            timer.cancel()

    def _answered(self, match: Match, move: Move, late: bool = False) -> None:
        if move.answer.done():
            return
        move.answer.set_result(move.best)
        seconds = time.monotonic() - move.received
        value = f", {move.value:.2f} expected" if move.value is not None else ""
        remark = f"at random; {move.cause}" if move.cause else move.remark
        if late:
            remark = remark or "out of time"
        shown = f" ({remark})" if remark else ""
        self._tell(f"{match.id}: {move.best} after {seconds:.2f} s{value}{shown}")
        if self.settings.records is not None:
            received = str(Play(match.id, move.report))
            match.log.note(received, move.best, seconds, move.value, move.cause)

    def cause_of_random_move(self, match: str) -> str:
        """Why the last move in a match was drawn at random; empty if the player chose it."""
        playing = self._matches.get(match.lower())
        return "" if playing is None or playing.move is None else playing.move.cause

    def _note(self, match: Match, message: str, answer: str, seconds: float) -> None:
        if self.settings.records is not None:
            match.log.note(message, answer, seconds)

    # -- STOP and ABORT ----------------------------------------------------------------------

    async def _stop(self, message: Stop, received: float) -> str:
        match = self._matches.get(message.match.lower())
        if match is None:
            return self._over.get(message.match.lower(), messages.BUSY)
        goals: list[int | None] = []
        match.heard = received
        try:
            if match.worker is not None:
                async with asyncio.timeout(max(0.5, self.settings.budget(match.start.playclock))):
                    order = {"report": report_to_json(message.report), "deadline": received}
                    async for reply in match.worker.order("stop", **order):
                        goals = reply.get("goals", [])
        except (WorkerLostError, TimeoutError, OSError):
            pass
        if self._matches.get(message.match.lower()) is match:
            shown = " ".join("-" if goal is None else str(goal) for goal in goals)
            own = goals[match.role] if match.role is not None and goals else None
            result = f"{own} for us ({shown})" if own is not None else "without a result"
            self._tell(f"{match.id}: over, {result}")
            self._note(match, str(message), messages.DONE, time.monotonic() - received)
            self._end(match, messages.DONE, goals)
        return messages.DONE

    def _abort(self, message: Abort) -> str:
        match = self._matches.get(message.match.lower())
        if match is None:
            return self._over.get(message.match.lower(), messages.BUSY)
        self._tell(f"{match.id}: aborted")
        self._note(match, str(message), messages.ABORTED, 0.0)
        self._end(match, messages.ABORTED)
        return messages.ABORTED

    def _end(self, match: Match, end: str, goals: Sequence[int | None] = ()) -> None:
        """Ends a match and writes its record."""
        if self._matches.get(match.key) is match:
            self._write(match, goals)
        self._forget(match, end)

    def _forget(self, match: Match, end: str) -> None:
        """Ends the tasks and the process of a match; keeps `end` for repeated messages."""
        if self._matches.get(match.key) is match:
            del self._matches[match.key]
        if end:
            self._over[match.key] = end
            while len(self._over) > _REMEMBERED:
                self._over.popitem(last=False)
        if match.ready is not None and not match.ready.done():
            match.ready.set_result(messages.BUSY)
        if match.worker is not None:
            match.worker.end()
        current = asyncio.current_task()
        for task in match.tasks:
            if task is not current:
                task.cancel()

    def _write(self, match: Match, goals: Sequence[int | None]) -> None:
        if self.settings.records is None:
            return
        try:
            match.write(self.settings.records, self._name, goals)
        except (OSError, FileError) as problem:
            self._tell(f"{match.id}: the record cannot be written: {problem}")


__all__ = ["PlayerService"]
