"""The game manager: it asks the players for moves, checks them, and keeps the clocks.

All players are asked at the same time. If one does not answer in time, or not with a legal move,
a legal move replaces its answer and the record notes an error: ``TO`` (out of time), ``CE`` (no
connection), ``IL`` and the move (not legal), or ``IL null`` (unreadable). The record keeps the
text of such an answer.
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
"""Seconds after the play clock during which an answer is still accepted."""
ABORTING = 1.0
"""Seconds within which players have to answer ABORT."""
HURRIED = 0.2
"""Seconds within which players have to answer ABORT after an interrupt."""
ASKING = 1.0
"""Seconds within which players have to answer INFO."""
AGAIN = 0.25
"""Seconds between calls of a player that does not listen yet."""
MOST_REPLY = 200
"""Maximum number of characters of a reply that an error or a status quotes."""
MOST_KEPT = 1000
"""Maximum number of characters of an invalid reply that a record keeps."""


class Replace(enum.Enum):
    """Which legal move replaces a missing or illegal one."""

    RANDOM = "random"
    FIRST = "first"


@dataclass(frozen=True)
class Seat:
    """A player, and the address at which it listens.

    Attributes:
        cause_of_random_move: takes the id of a match and returns why the last move of a local
            player in it was drawn at random; empty if the player chose it.
    """

    name: str
    host: str
    port: int
    cause_of_random_move: Callable[[str], str] = lambda match: ""


@dataclass(frozen=True)
class MatchSettings:
    """The settings of a match; clocks are in seconds.

    Attributes:
        replace: which legal move replaces a missing or illegal one.
        scramble: whether players get other names than those in the rules.
        seed: the seed of chance moves, replacements and scrambled names.
        most_steps: the number of steps after which a match is aborted.
    """

    startclock: int = 30
    playclock: int = 10
    replace: Replace = Replace.RANDOM
    scramble: bool = False
    seed: int = 0
    most_steps: int = 10_000


@dataclass(frozen=True)
class Answer:
    """A player's reply to a message, or the error in its place.

    Attributes:
        text: the reply; empty without one.
        error: the error for the record; empty if the reply is valid.
        seconds: the time from the message to the reply or error.
        status: the HTTP status of the reply.
    """

    text: str
    error: str
    seconds: float
    status: int = 200


@dataclass(frozen=True)
class _Step:
    """A step of the match, with its entries for the record and its reports to the players."""

    moves: list[str]
    errors: list[str]
    replies: list[str]
    seconds: list[float]
    facts: list[str]
    over: bool
    reports: list[Report]


class Spectator(Protocol):
    """Receives the events of a match."""

    def begun(self, record: MatchRecord, roles: Sequence[str]) -> None:
        """All players have answered START, or their time is over."""

    def stepped(self, record: MatchRecord) -> None:
        """A step has been made; it is the last one in the record."""


class _Nobody:
    def begun(self, record: MatchRecord, roles: Sequence[str]) -> None:
        pass

    def stepped(self, record: MatchRecord) -> None:
        pass


class AbortedError(Exception):
    """The match ends without a result; the message says why."""


class Manager:
    """Runs one match.

    Args:
        match: the id of the match.
        seats: a player for each role but ``random``, in the order of the roles.
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
        """Why the match was aborted; empty otherwise."""
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
        """Plays the match to its end and returns the record, also of an aborted match."""
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
        answers = []
        for role, seat in enumerate(self._seats):
            name = self._names.hide(self._position.role_name(role))
            message = Start(self._id, name, rules, clock, self.settings.playclock)
            answers.append(self._ask_to_start(seat, str(message)))
        return answers

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
        percepts = position.steps.percepts(position.state, moves)
        position.play(moves)
        return _Step(
            texts,
            errors,
            [_kept(answer, error) for answer, error in zip(answers, errors, strict=True)],
            [round(answer.seconds, 3) for answer in answers],
            position.facts(),
            position.over,
            self._next_reports(texts, percepts),
        )

    def _result(self) -> list[int]:
        """The goals of all roles at the end of the game.

        Raises:
            AbortedError: the game was broken off.
        """
        state = self._position.state
        explanation = state.table.wording.explanation(state)
        if explanation is not None:
            raise AbortedError(str(explanation))
        return game_goals(self._position)

    def _move(self, role: int, answer: Answer) -> tuple[int, str]:
        """The move of a role, and the error in its player's answer; empty if there is none."""
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

    def _next_reports(
        self, texts: Sequence[str], percepts: Sequence[Sequence[str]]
    ) -> list[Report]:
        """The report of a step for each player."""
        moves = tuple(self._names.hide(text) for text in texts)
        if not self._position.steps.imperfect:
            return [Joint(moves) for _ in self._seats]
        turn = self._position.steps_made
        return [
            Percepts(turn, moves[role], tuple(self._names.hide(text) for text in percepts[role]))
            for role in range(len(self._seats))
        ]

    def _stop(self, reports: Sequence[Report]) -> Sequence[Awaitable[Answer]]:
        return [
            self._ask(seat, str(Stop(self._id, report)), self.settings.playclock)
            for seat, report in zip(self._seats, reports, strict=True)
        ]

    async def _abort(self) -> None:
        """Sends ABORT to the players, and waits for the current computation to end."""
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
        """Runs work in another thread, since the event loop also serves local players.

        Raises:
            AbortedError: the match was stopped before the work was done.
        """
        working = _in_thread(lambda: run_until_stopped(work, self._stop_word))
        self._working = working
        return await self._unless_stopped(asyncio.shield(working))

    async def _unless_stopped(self, work: asyncio.Future[T]) -> T:
        """Waits for the result of some work.

        Raises:
            AbortedError: the match was stopped before the work was done.
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
        with contextlib.suppress(RuntimeError):  # the loop has been closed
            loop.call_soon_threadsafe(finish, result, problem)

    threading.Thread(target=run, daemon=True).start()
    return future


def _judged(answer: Answer) -> Answer:
    """An answer to START, with an error unless it is ``ready``."""
    if answer.error:
        return answer
    if answer.status >= 300:
        return replace(answer, error=f"IL HTTP {answer.status}")
    if any(term.lower() == READY for term in candidates(answer.text)):
        return answer
    return replace(answer, error=_illegal(answer.text))


def _illegal(text: str, reveal: Callable[[str], str] = lambda term: term) -> str:
    """The error for a reply that is not a legal move, as other managers record it."""
    terms = candidates(text)
    return f"IL {printable(spaced(reveal(terms[0])), MOST_REPLY)}" if terms else "IL null"


def _kept(answer: Answer, error: str) -> str:
    """The text that a record keeps of a reply: its beginning if it was wrong, else nothing."""
    if not error or len(answer.text) <= MOST_KEPT:
        return answer.text if error else ""
    return f"{answer.text[:MOST_KEPT]}..."


# --- greetings -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Greeting:
    """A player's answer to INFO.

    Attributes:
        status: the player's status; ``None`` if there was no readable answer.
        problem: why there is no status, in words; empty otherwise.
        absent: whether no connection could be made.
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
    """Asks a player for its status, once it listens.

    Args:
        patience: seconds to wait for a player that does not listen yet.
        waiting: called with a line of text when the wait begins.
    """
    deadline = time.monotonic() + patience
    announced = False
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
        if not announced:
            announced = True
            waiting(f"{seat.name} does not listen yet; waiting for it up to {patience:g} s ...")
        await asyncio.sleep(AGAIN)


def _now() -> int:
    return int(time.time() * 1000)


__all__ = ["Greeting", "Manager", "MatchSettings", "Replace", "Seat", "Spectator", "greet"]
