"""The game manager: it asks the players, checks what they say, and keeps the match going.

All players are asked at the same time; who does not answer in time, or answers something that
is not legal, gets a legal move, and the record an error: ``TO`` (out of time), ``CE`` (no
connection), ``IL`` and the move (not legal), or ``IL null`` (not to be read).
"""

from __future__ import annotations

import asyncio
import enum
import random
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kibitz.gdl.game import GdlGame
from kibitz.ggp.http import CallError, UnreadableError, call
from kibitz.ggp.messages import (
    Abort,
    Joint,
    Percepts,
    Play,
    Report,
    Start,
    Stop,
    candidates,
    shown,
    spaced,
)
from kibitz.ggp.position import Position, ReportError, is_random
from kibitz.ggp.record import MatchRecord, game_goals
from kibitz.ggp.scrambling import Plain, Scrambling

GRACE = 1.0
"""Seconds beyond the play clock in which an answer is still taken."""
ABORTING = 1.0
"""Seconds in which players have to take note that a match is aborted."""


class Replace(enum.Enum):
    """Which legal move stands in for one that is missing."""

    RANDOM = "random"
    FIRST = "first"


@dataclass(frozen=True)
class Seat:
    """A player, and where it listens."""

    name: str
    host: str
    port: int


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
    """What came back from a player.

    Attributes:
        text: the reply; empty if there is none.
        error: what was wrong; empty if nothing.
        seconds: until then.
    """

    text: str
    error: str
    seconds: float


class Spectator(Protocol):
    """Who is told how a match goes."""

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
        where: what the record says the game is.
    """

    def __init__(
        self,
        match: str,
        game: GdlGame,
        seats: Sequence[Seat],
        settings: MatchSettings,
        spectator: Spectator | None = None,
        where: str = "",
    ) -> None:
        self.settings = settings
        self._id = match
        self._random = random.Random(settings.seed)
        self._position = Position(game, None, self._random.getrandbits(60))
        names = game.description.roles
        waiting = iter(seats)
        self._seats = [None if is_random(name) else next(waiting) for name in names]
        seed = self._random.getrandbits(60)
        described = game.description
        self._names = Scrambling(described, seed) if settings.scramble else Plain(described)
        self._spectator = spectator or _Nobody()
        self._stopped = asyncio.Event()
        self.reason = ""
        """Why the match was aborted, if it was."""
        self.record = MatchRecord(
            match,
            where or game.name,
            [seat.name if seat else "random" for seat in self._seats],
            settings.startclock,
            settings.playclock,
            _now(),
            scrambled=settings.scramble,
        )

    def stop(self) -> None:
        """Has the match aborted as soon as can be."""
        self._stopped.set()

    async def run(self) -> MatchRecord:
        """Plays the match to its end; the record is complete in any case."""
        record, position = self.record, self._position
        self._note_state()
        record.errors.append([""] * len(self._seats))
        record.seconds.append([0.0] * len(self._seats))
        try:
            answers = await self._all(self._start())
            record.errors[0] = [answer.error for answer in answers]
            record.seconds[0] = [round(answer.seconds, 3) for answer in answers]
            roles = [position.role_name(role) for role in range(len(position.roles))]
            self._spectator.begun(record, roles)
            reports: list[Report] = self._first_reports()
            while not position.over:
                if position.steps_made >= self.settings.most_steps:
                    raise AbortedError(f"it has taken {position.steps_made} steps")
                reports = await self._step(reports)
                self._spectator.stepped(record)
            if position.state.explanation() is not None:
                raise AbortedError(str(position.state.explanation()))
            record.goals = game_goals(position)
            record.completed = True
            await self._stop(reports)
        except (AbortedError, ReportError) as problem:
            self.reason = str(problem)
            record.completed, record.aborted, record.goals = False, True, []
            await self._abort()
        return record

    # -- messages ----------------------------------------------------------------------------

    def _start(self) -> Sequence[Awaitable[Answer]]:
        rules, clock = self._names.rules(), self.settings.startclock
        found = []
        for role, seat in enumerate(self._seats):
            name = self._names.hide(self._position.role_name(role))
            message = Start(self._id, name, rules, clock, self.settings.playclock)
            found.append(self._ask(seat, str(message), clock))
        return found

    async def _step(self, reports: Sequence[Report]) -> list[Report]:
        seconds = self.settings.playclock + GRACE
        answers = await self._all(
            [
                self._ask(seat, str(Play(self._id, report)), seconds)
                for seat, report in zip(self._seats, reports, strict=True)
            ]
        )
        # in another thread: players of ours live in this one
        return await asyncio.to_thread(self._make_step, answers)

    def _make_step(self, answers: Sequence[Answer]) -> list[Report]:
        position, record = self._position, self.record
        judged = [self._move(role, answer) for role, answer in enumerate(answers)]
        moves = [move for move, _ in judged]
        texts = [position.words(move) for move in moves]
        told = position.steps.percepts(position.state, moves)
        position.play(moves)
        record.moves.append(texts)
        record.errors.append([error for _, error in judged])
        record.seconds.append([round(answer.seconds, 3) for answer in answers])
        self._note_state()
        return self._next_reports(texts, told)

    def _move(self, role: int, answer: Answer) -> tuple[int, str]:
        """The move of a role, and what was wrong with its player's answer."""
        legal = self._position.legal(role)
        if not legal:
            name = self._position.role_name(role)
            raise AbortedError(f"{name} has no legal move")
        if self._seats[role] is None:
            return self._random.choice(legal), ""
        error = answer.error
        if not error:
            terms = [self._names.reveal(term) for term in candidates(answer.text)]
            for term in terms:
                move = self._position.find(role, term)
                if move is not None:
                    return move, ""
            error = f"IL {shown(spaced(terms[0]))}" if terms else "IL null"
        if self.settings.replace is Replace.FIRST:
            return legal[0], error
        return self._random.choice(legal), error

    def _first_reports(self) -> list[Report]:
        if self._position.steps.imperfect:
            return [Percepts(0, None, ()) for _ in self._seats]
        return [Joint(None) for _ in self._seats]

    def _next_reports(self, texts: Sequence[str], told: Sequence[Sequence[str]]) -> list[Report]:
        """What each player is told of a step."""
        moves = tuple(self._names.hide(text) for text in texts)
        if not self._position.steps.imperfect:
            return [Joint(moves) for _ in self._seats]
        turn = self._position.steps_made
        return [
            Percepts(turn, moves[role], tuple(self._names.hide(text) for text in told[role]))
            for role in range(len(self._seats))
        ]

    async def _stop(self, reports: Sequence[Report]) -> None:
        await asyncio.gather(
            *(
                self._ask(seat, str(Stop(self._id, report)), self.settings.playclock)
                for seat, report in zip(self._seats, reports, strict=True)
            )
        )

    async def _abort(self) -> None:
        message = str(Abort(self._id))
        await asyncio.gather(*(self._ask(seat, message, ABORTING) for seat in self._seats))

    async def _ask(self, seat: Seat | None, message: str, seconds: float) -> Answer:
        if seat is None:
            return Answer("", "", 0.0)
        began = time.monotonic()
        text = error = ""
        try:
            text = await call(seat.host, seat.port, message, seconds, seat.name)
        except CallError:
            error = "CE"
        except TimeoutError:
            error = "TO"
        except UnreadableError:
            error = "IL null"
        return Answer(text, error, time.monotonic() - began)

    async def _all(self, questions: Sequence[Awaitable[Answer]]) -> list[Answer]:
        """The answers to all, once they are there; unless the match is stopped."""
        asking: asyncio.Future[list[Answer]] = asyncio.gather(*questions)
        stopping = asyncio.ensure_future(self._stopped.wait())
        either: list[asyncio.Future[Any]] = [asking, stopping]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._stopped.is_set():
                raise AbortedError("it was interrupted")
            return await asking
        finally:
            stopping.cancel()
            asking.cancel()
            await asyncio.gather(asking, stopping, return_exceptions=True)

    def _note_state(self) -> None:
        self.record.states.append(self._position.facts())
        self.record.times.append(max([_now(), *self.record.times[-1:]]))


def _now() -> int:
    return int(time.time() * 1000)


__all__ = ["Manager", "MatchSettings", "Replace", "Seat", "Spectator"]
