"""The game manager: it asks the players for moves, checks them, and keeps the clocks.

All players are asked at the same time; who does not answer in time, or answers something that
is not legal, gets a legal move, and the record an error: ``TO`` (out of time), ``CE`` (no
connection), ``IL`` and the move (not legal), or ``IL null`` (not to be read). What came instead
of an answer is kept as it came.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import random
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, cast

from kibitz.core.interrupt import run_until_stopped
from kibitz.core.wording import printable
from kibitz.gdl.game import GdlGame
from kibitz.ggp.http import CallError, UnreadableError, call
from kibitz.ggp.messages import (
    READY,
    Abort,
    Info,
    Joint,
    Percepts,
    Play,
    Report,
    Start,
    Status,
    Stop,
    candidates,
    parse_status,
    spaced,
)
from kibitz.ggp.position import Position, ReportError, is_random
from kibitz.ggp.record import SUBSTITUTE, MatchRecord, described, game_goals
from kibitz.ggp.scrambling import Plain, Scrambling

T = TypeVar("T")

GRACE = 1.0
"""Seconds beyond the play clock in which an answer is still taken."""
ABORTING = 1.0
"""Seconds in which players have to take note that a match is aborted."""
HURRIED = 0.2
"""The same, when somebody has interrupted it."""
ASKING = 1.0
"""Seconds in which players have to say who they are."""
AGAIN = 0.25
"""Seconds after which a player that does not listen yet is called again."""
MOST_REPLY = 200
"""Characters of a reply that an error or a status quotes."""
MOST_KEPT = 1000
"""Letters of a reply that is no answer which a record keeps."""


class Replace(enum.Enum):
    """The legal move that replaces a missing one."""

    RANDOM = "random"
    FIRST = "first"


@dataclass(frozen=True)
class Seat:
    """A player, and where it listens.

    Attributes:
        name: its description.
        host, port: its address.
        cause_of_random_move: of a player of ours: tells, by the id of a match, why its last move
            was drawn at random in its place; empty if it chose it.
    """

    name: str
    host: str
    port: int
    cause_of_random_move: Callable[[str], str] = lambda match: ""


@dataclass(frozen=True)
class MatchSettings:
    """How a match is run.

    Attributes:
        startclock, playclock: in seconds.
        replace: what stands in for a missing move.
        scramble: whether players get other names than those in the rules.
        seed: of what chance does, and of replacements and names.
        most_steps: a longer match is aborted.
    """

    startclock: int = 30
    playclock: int = 10
    replace: Replace = Replace.RANDOM
    scramble: bool = False
    seed: int = 0
    most_steps: int = 10_000


@dataclass(frozen=True)
class Answer:
    """A player's reply to a message, or why there is none.

    Attributes:
        text: the reply; empty if there is none.
        error: what was wrong; empty if nothing.
        seconds: until then.
        status: of the reply, that of HTTP.
    """

    text: str
    error: str
    seconds: float
    status: int = 200


@dataclass(frozen=True)
class _Step:
    """A step that was made, as it goes into the record and to the players."""

    moves: list[str]
    errors: list[str]
    replies: list[str]
    seconds: list[float]
    facts: list[str]
    over: bool
    reports: list[Report]


class Spectator(Protocol):
    """A listener to the course of a match."""

    def begun(self, record: MatchRecord, roles: Sequence[str]) -> None:
        """START has been answered."""

    def stepped(self, record: MatchRecord) -> None:
        """Another step has been made, the last one in the record."""


class _Nobody:
    def begun(self, record: MatchRecord, roles: Sequence[str]) -> None:
        pass

    def stepped(self, record: MatchRecord) -> None:
        pass


class AbortedError(Exception):
    """The match cannot go on."""


class Manager:
    """Runs one match.

    Args:
        match: its id.
        game: what is played.
        seats: a player for each role but ``random``, in their order.
        settings: how.
        spectator: is told about it.
    """

    def __init__(
        self,
        match: str,
        game: GdlGame,
        seats: Sequence[Seat],
        settings: MatchSettings,
        spectator: Spectator | None = None,
    ) -> None:
        self.settings = settings
        self._id = match
        self._random = random.Random(settings.seed)
        self._position = Position(game, None, self._random.getrandbits(60))
        names = game.description.roles
        waiting = iter(seats)
        self._seats = [None if is_random(name) else next(waiting) for name in names]
        seed = self._random.getrandbits(60)
        rules = game.description
        self._names = Scrambling(rules, seed) if settings.scramble else Plain(rules)
        self._spectator = spectator or _Nobody()
        self._stopped = asyncio.Event()
        self._stop_word = [0]
        self._working: asyncio.Future[Any] | None = None
        self.reason = ""
        """Why the match was aborted, if it was."""
        name, brought = described(game)
        self.record = MatchRecord(
            match,
            name,
            [seat.name if seat else "random" for seat in self._seats],
            settings.startclock,
            settings.playclock,
            _now(),
            scrambled=settings.scramble,
            rules=brought,
        )

    def stop(self) -> None:
        """Aborts the match as soon as possible."""
        self._stopped.set()
        self._stop_word[0] = 1

    async def run(self) -> MatchRecord:
        """Plays the match to its end; the record is complete in any case."""
        record, position = self.record, self._position
        nothing = [""] * len(self._seats)
        record.errors.append(nothing)
        record.replies.append(nothing)
        record.seconds.append([0.0] * len(self._seats))
        self._note_state(position.facts())
        try:
            over = await self._aside(lambda: position.over)
            answers = await self._unless_stopped(asyncio.gather(*self._start()))
            record.errors[0] = [answer.error for answer in answers]
            record.replies[0] = [_kept(answer, answer.error) for answer in answers]
            record.seconds[0] = [round(answer.seconds, 3) for answer in answers]
            roles = [position.role_name(role) for role in range(len(position.roles))]
            self._spectator.begun(record, roles)
            reports: list[Report] = self._first_reports()
            while not over:
                if len(record.moves) >= self.settings.most_steps:
                    raise AbortedError(f"it has taken {len(record.moves)} steps")
                step = await self._step(reports)
                self._note_step(step)
                self._spectator.stepped(record)
                reports, over = step.reports, step.over
            record.goals = await self._aside(self._result)
            record.completed = True
        except (AbortedError, ReportError) as problem:
            self.reason = str(problem)
            record.aborted = True
            await self._abort()
        else:
            with contextlib.suppress(AbortedError):
                await self._unless_stopped(asyncio.gather(*self._stop(reports)))
        return record

    # -- messages ----------------------------------------------------------------------------

    def _start(self) -> Sequence[Awaitable[Answer]]:
        rules, clock = self._names.rules(), self.settings.startclock
        found = []
        for role, seat in enumerate(self._seats):
            name = self._names.hide(self._position.role_name(role))
            message = Start(self._id, name, rules, clock, self.settings.playclock)
            found.append(self._ask_to_start(seat, str(message)))
        return found

    async def _ask_to_start(self, seat: Seat | None, message: str) -> Answer:
        answer = await self._ask(seat, message, self.settings.startclock)
        return answer if seat is None else _judged(answer)

    async def _step(self, reports: Sequence[Report]) -> _Step:
        seconds = self.settings.playclock + GRACE
        answers = await self._unless_stopped(
            asyncio.gather(
                *(
                    self._ask_to_play(seat, str(Play(self._id, report)), seconds)
                    for seat, report in zip(self._seats, reports, strict=True)
                )
            )
        )
        return await self._aside(lambda: self._make_step(answers))

    async def _ask_to_play(self, seat: Seat | None, message: str, seconds: float) -> Answer:
        answer = await self._ask(seat, message, seconds)
        cause = "" if seat is None else seat.cause_of_random_move(self._id)
        return replace(answer, error=f"{SUBSTITUTE} {cause}") if cause else answer

    def _make_step(self, answers: Sequence[Answer]) -> _Step:
        position = self._position
        judged = [self._move(role, answer) for role, answer in enumerate(answers)]
        moves = [move for move, _ in judged]
        errors = [error for _, error in judged]
        texts = [position.words(move) for move in moves]
        told = position.steps.percepts(position.state, moves)
        position.play(moves)
        return _Step(
            texts,
            errors,
            [_kept(answer, error) for answer, error in zip(answers, errors, strict=True)],
            [round(answer.seconds, 3) for answer in answers],
            position.facts(),
            position.over,
            self._next_reports(texts, told),
        )

    def _result(self) -> list[int]:
        """The goals at the end.

        Raises:
            AbortedError: it is none that the rules foresee.
        """
        explanation = self._position.state.explanation()
        if explanation is not None:
            raise AbortedError(str(explanation))
        return game_goals(self._position)

    def _move(self, role: int, answer: Answer) -> tuple[int, str]:
        """The move of a role, and what was wrong with its player's answer."""
        legal = self._position.legal(role)
        if not legal:
            name = self._position.role_name(role)
            raise AbortedError(f"{name} has no legal move")
        if self._seats[role] is None:
            return self._random.choice(legal), ""
        error = answer.error
        if not error or error.startswith(SUBSTITUTE):
            for term in candidates(answer.text):
                move = self._position.find(role, self._names.reveal(term))
                if move is not None:
                    return move, error
            error = _illegal(answer.text, self._names.reveal)
        if self.settings.replace is Replace.FIRST:
            return legal[0], error
        return self._random.choice(legal), error

    def _first_reports(self) -> list[Report]:
        if self._position.steps.imperfect:
            return [Percepts(0, None, ()) for _ in self._seats]
        return [Joint(None) for _ in self._seats]

    def _next_reports(self, texts: Sequence[str], told: Sequence[Sequence[str]]) -> list[Report]:
        """The report of a step for each player."""
        moves = tuple(self._names.hide(text) for text in texts)
        if not self._position.steps.imperfect:
            return [Joint(moves) for _ in self._seats]
        turn = self._position.steps_made
        return [
            Percepts(turn, moves[role], tuple(self._names.hide(text) for text in told[role]))
            for role in range(len(self._seats))
        ]

    def _stop(self, reports: Sequence[Report]) -> Sequence[Awaitable[Answer]]:
        return [
            self._ask(seat, str(Stop(self._id, report)), self.settings.playclock)
            for seat, report in zip(self._seats, reports, strict=True)
        ]

    async def _abort(self) -> None:
        """Sends ABORT to the players, and lets the current computation end."""
        message = str(Abort(self._id))
        ending: list[Awaitable[Any]] = [self._ask(seat, message, ABORTING) for seat in self._seats]
        if self._working is not None:
            ending.append(self._working)
        with contextlib.suppress(TimeoutError):
            together = asyncio.gather(*ending, return_exceptions=True)
            await asyncio.wait_for(together, HURRIED if self._stopped.is_set() else None)

    async def _ask(self, seat: Seat | None, message: str, seconds: float) -> Answer:
        if seat is None:
            return Answer("", "", 0.0)
        began = time.monotonic()
        text, error, status = "", "", 200
        try:
            response = await call(seat.host, seat.port, message, seconds, seat.name)
            text, status = response.text, response.status
        except CallError:
            error = "CE"
        except TimeoutError:
            error = "TO"
        except UnreadableError as problem:
            text, error = problem.received, "IL null"
        return Answer(text, error, time.monotonic() - began, status)

    async def _aside(self, work: Callable[[], T]) -> T:
        """Runs work in another thread, since our players run in this one.

        Raises:
            AbortedError: the match is stopped before it is done.
        """
        working = _in_thread(lambda: run_until_stopped(work, self._stop_word))
        self._working = working
        return await self._unless_stopped(asyncio.shield(working))

    async def _unless_stopped(self, work: asyncio.Future[T]) -> T:
        """The result of some work.

        Raises:
            AbortedError: the match is stopped before.
        """
        stopping = asyncio.ensure_future(self._stopped.wait())
        either: list[asyncio.Future[Any]] = [work, stopping]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._stopped.is_set():
                raise AbortedError("it was interrupted")
            return await work
        finally:
            for future in either:
                future.cancel()
            await asyncio.gather(*either, return_exceptions=True)

    def _note_step(self, step: _Step) -> None:
        record = self.record
        record.moves.append(step.moves)
        record.errors.append(step.errors)
        record.replies.append(step.replies)
        record.seconds.append(step.seconds)
        self._note_state(step.facts)

    def _note_state(self, facts: list[str]) -> None:
        self.record.states.append(facts)
        self.record.times.append(max([_now(), *self.record.times[-1:]]))


def _in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """Runs work in a daemon thread, which does not delay the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, problem: BaseException | None) -> None:
        if future.done():
            return
        if problem is not None:
            future.set_exception(problem)
        else:
            future.set_result(cast(T, result))

    def run() -> None:
        result, problem = None, None
        try:
            result = work()
        except Exception as raised:
            problem = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(finish, result, problem)

    threading.Thread(target=run, daemon=True).start()
    return future


def _judged(answer: Answer) -> Answer:
    """The answer to START: whatever is not ``ready`` is an error."""
    if answer.error:
        return answer
    if answer.status >= 300:
        return replace(answer, error=f"IL HTTP {answer.status}")
    if any(term.lower() == READY for term in candidates(answer.text)):
        return answer
    return replace(answer, error=_illegal(answer.text))


def _illegal(text: str, reveal: Callable[[str], str] = lambda term: term) -> str:
    """A reply that is no answer, as records of other managers note it."""
    terms = candidates(text)
    return f"IL {printable(spaced(reveal(terms[0])), MOST_REPLY)}" if terms else "IL null"


def _kept(answer: Answer, error: str) -> str:
    """What a record keeps of a reply: its beginning if it was wrong, else nothing."""
    if not error or len(answer.text) <= MOST_KEPT:
        return answer.text if error else ""
    return f"{answer.text[:MOST_KEPT]}..."


# --- who is there -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Greeting:
    """A player's answer to INFO.

    Attributes:
        status: what it says about itself, if that can be read.
        problem: in words, why it says nothing; empty otherwise.
        absent: whether nobody takes calls there.
    """

    status: Status | None
    problem: str = ""
    absent: bool = False

    def __str__(self) -> str:
        if self.status is None:
            return self.problem
        return printable(
            ", ".join(filter(None, (self.status.name, self.status.status))), MOST_REPLY
        )


async def greet(seat: Seat, patience: float, waiting: Callable[[str], None]) -> Greeting:
    """Asks a player who it is, once it listens.

    Args:
        seat: the player.
        patience: seconds for which one that does not listen yet is waited for.
        waiting: is told in words when that begins.
    """
    deadline = time.monotonic() + patience
    told = False
    while True:
        try:
            reply = await call(seat.host, seat.port, str(Info()), ASKING, seat.name)
            if status := parse_status(reply.text):
                return Greeting(status)
            return Greeting(None, f"answers {printable(reply.text, 60)!r} to INFO")
        except CallError as problem:
            if not problem.absent:
                return Greeting(None, f"does not answer to INFO ({printable(str(problem), 120)})")
            if problem.lasting or time.monotonic() >= deadline:
                return Greeting(
                    None, f"does not take calls ({printable(str(problem), 120)})", True
                )
        except TimeoutError:
            return Greeting(None, "does not answer to INFO")
        except UnreadableError as problem:
            return Greeting(None, f"answers to INFO what cannot be read: {problem}")
        if not told:
            told = True
            waiting(f"{seat.name} does not listen yet; waiting for it up to {patience:g} s ...")
        await asyncio.sleep(AGAIN)


def _now() -> int:
    return int(time.time() * 1000)


__all__ = ["Greeting", "Manager", "MatchSettings", "Replace", "Seat", "Spectator", "greet"]
