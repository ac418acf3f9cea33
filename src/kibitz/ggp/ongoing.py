"""A match that a player's service takes part in: its last move, its log and its record."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kibitz.core.files import write_new
from kibitz.ggp import messages
from kibitz.ggp.messages import Percepts, Report, Start
from kibitz.ggp.playing import NO_MOVE
from kibitz.workers.fork_server import Worker

MOST_LOGGED = 32 << 20
"""Maximum total length of the messages in the record of a match, in characters."""


@dataclass
class Log:
    """The messages of a match, for its record.

    Attributes:
        entries: the messages and their answers, as JSON.
        letters: the length of all messages received; after ``MOST_LOGGED`` no more are kept.
    """

    entries: list[dict[str, Any]] = field(default_factory=list)
    letters: int = 0

    def note(
        self,
        received: str,
        answer: str,
        seconds: float,
        value: float | None = None,
        cause: str = "",
    ) -> None:
        """Appends a message and its answer.

        Args:
            seconds: the time until the answer.
            value: the player's estimate of its result, from 0 to 1.
            cause: why the answer was drawn at random; empty if it was not.
        """
        self.letters += len(received)
        if self.letters <= MOST_LOGGED:
            entry: dict[str, Any] = {"received": received, "answered": answer}
            entry["seconds"] = round(seconds, 3)
            if value is not None:
                entry["value"] = value
            if cause:
                entry["atRandom"] = cause
            self.entries.append(entry)


@dataclass
class Move:
    """A PLAY message, and the answer to it once there is one."""

    report: Report
    received: float
    answer: asyncio.Future[str]
    best: str = NO_MOVE
    value: float | None = None
    remark: str = ""
    cause: str = ""
    """Why the answer was drawn at random in place of the player's; empty if it was not."""
    delivered: bool = False


@dataclass
class Match:
    """A match in progress.

    Attributes:
        start: the START message.
        received: the time of START, on the monotonic clock.
        role: the index of the player's role, once the rules are read.
        secret: whether reports have percepts instead of moves.
        worker: the process that plays.
        ready: the answer to START.
        move: the last PLAY.
        moves: the number of PLAY messages that the worker answered.
        played: whether a PLAY has been received.
        heard: the time of the last START, PLAY or STOP, on the monotonic clock.
        tasks: the running tasks, which are cancelled at the end of the match.
    """

    start: Start
    received: float
    role: int | None = None
    secret: bool = False
    worker: Worker | None = None
    ready: asyncio.Future[str] | None = None
    move: Move | None = None
    moves: int = 0
    played: bool = False
    heard: float = field(default_factory=time.monotonic)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    log: Log = field(default_factory=Log)

    @property
    def id(self) -> str:
        """The id of the match, as the manager writes it."""
        return self.start.match

    @property
    def key(self) -> str:
        """The id in lower case: messages that differ only in capitals mean the same match."""
        return self.id.lower()

    def is_repetition(self, report: Report, received: float) -> bool:
        """Whether a PLAY repeats the last one, rather than being a new one of equal content."""
        last = self.move
        if last is None:
            return False
        if isinstance(report, Percepts):
            return isinstance(last.report, Percepts) and last.report.turn == report.turn
        if not messages.alike(last.report, report):
            return False
        if not last.answer.done():
            return received - last.received < self.start.playclock
        if self.secret:
            return False
        if report.moves is None:
            return True
        if self.role is None or self.role >= len(report.moves):
            return False
        own = messages.plain(last.answer.result())
        return last.delivered and report.moves[self.role].lower() != own.lower()

    def write(self, folder: Path, player: str, goals: Sequence[int | None]) -> None:
        """Writes the record into a folder.

        Args:
            folder: is created if it does not exist.
            player: the name of the player.
            goals: the goal of each role; empty if they are unknown.

        Raises:
            OSError, FileError: it cannot be written.
        """
        start = self.start
        document = {
            "matchId": self.id,
            "role": start.role,
            "player": player,
            "startClock": start.startclock,
            "playClock": start.playclock,
            "goalValues": list(goals),
            "messages": self.log.entries,
            "rules": start.rules,
        }
        stem = re.sub(r"[^A-Za-z0-9_.-]", "_", f"{self.id[:80]}.{start.role[:40]}").lstrip(".")
        folder.mkdir(parents=True, exist_ok=True)
        write_new(folder, stem, ".json", json.dumps(document, indent=1) + "\n")
