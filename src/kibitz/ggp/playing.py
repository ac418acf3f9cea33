"""A match from the side of one player: it follows the reports and answers within the clocks."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from kibitz.core.errors import KibitzError
from kibitz.gdl.checker import check
from kibitz.gdl.game import GdlGame
from kibitz.gdl.reader import parse
from kibitz.ggp.messages import Report
from kibitz.ggp.players import LONGEST, Player
from kibitz.ggp.position import Position, ReportError
from kibitz.syntax.source import Diagnostic, Source

NO_MOVE = "nil"
"""The answer where there is no move."""

LENIENCE = 0.25
"""Seconds in which an agent that was told to stop has to give its answer."""

MOMENT = 0.3
"""Seconds within which most rules are grounded."""

SHARE = 0.5
"""The part of a clock for rules to become ready, or for a player to get to know the match, if the
rest is needed for something else."""


class RefusedError(KibitzError):
    """A match that cannot be played."""


@dataclass(frozen=True)
class Answer:
    """A player's answer to a report.

    Attributes:
        move: in KIF, or ``NIL`` where none can be had.
        value: 0 .. 1: how good the player thinks it to be.
        remark: what is to be said about it, if anything.
    """

    move: str
    value: float | None = None
    remark: str = ""


class Rules:
    """Rules that are grounded and compiled in a thread of their own.

    Attributes:
        description: what they say.
        game: once they are ready.
        trouble: why they never will be, in words.
        done: set when it is known which.
    """

    def __init__(self, text: str) -> None:
        """
        Raises:
            RefusedError: the rules are wrong.
        """
        self.source = Source("the rules", text)
        found, problems = parse(self.source)
        if found is not None:
            problems = [*problems, *check(found)]
        errors = [problem for problem in problems if problem.is_error]
        if found is None or errors:
            raise RefusedError(f"the rules are wrong: {_first(self.source, errors)}")
        self.description = found
        self.game: GdlGame | None = None
        self.trouble = ""
        self.done = threading.Event()

    def prepare(self) -> None:
        """Starts the thread."""
        threading.Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        try:
            game = GdlGame(self.source)
            # what takes long comes first, and alone: in Python 3.11 a cached property that is
            # being worked out is locked for all objects, also for the game in the meantime
            _ = game.rules.proved
            Position(game)  # loads all else that positions need
            self.game = game
        except Exception as problem:  # whatever it is, a match goes on without
            self.trouble = f"the rules cannot be made ready: {problem}"
        self.done.set()

    def rule_by_rule(self) -> GdlGame:
        """The game without grounding, until it is ready."""
        return GdlGame(self.source, grounded=False)


class Playing:
    """A match that a player takes part in.

    Until the rules are ready positions are worked out rule by rule, so that there is a legal
    answer in any case.
    """

    def __init__(
        self,
        role: str,
        rules: Rules,
        player: Player,
        seed: int,
        hurried: Callable[[], bool] = lambda: False,
    ) -> None:
        """
        Args:
            role: which one is the player's.
            rules: which may be ready, or not yet.
            player: who decides.
            seed: of what is drawn.
            hurried: whether somebody waits already for what comes next.

        Raises:
            RefusedError: there is no such role.
        """
        found = rules.description
        if role.lower() not in found.roles:
            named = ", ".join(found.spelling[name] for name in found.roles)
            raise RefusedError(f"there is no role {role[:80]}, but {named}")
        self.role = found.roles.index(role.lower())
        self.secret = found.defines("sees")
        self.rules = rules
        self.player = player
        self.random = random.Random(seed)
        player.random.seed(self.random.getrandbits(60))
        self._hurried = hurried
        self._history: list[tuple[Report, str | None]] = []
        self._own: str | None = None
        self._position: Position | None = None
        self._interim: Position | None = None
        self._seated: threading.Event | None = None
        self._seated_at: Position | None = None
        self._given_up = False
        self._trouble = ""

    # -- getting ready ---------------------------------------------------------------------

    def get_ready(self, deadline: float) -> str:
        """Waits for the rules, and lets the player think, until a time on the monotonic clock.

        If the rules take longer than a moment, the first position is worked out rule by rule
        meanwhile: the first PLAY then has a legal answer, on a busy machine, too.

        Returns how positions are worked out, in words.
        """
        if not self._rules_ready(min(deadline, time.monotonic() + MOMENT)):
            with contextlib.suppress(KibitzError):  # the answer to the first PLAY tells of it
                self.look_ahead()
            if self._rule_by_rule and not self._rules_ready(self._part(deadline)):
                self._seat(self._caught_up(), deadline, unless=self.rules.done)
            if not self._rules_ready(deadline):
                return "rule by rule, for the time being"
        position = self._caught_up()
        self._seat(position, deadline)
        return position.game.evaluation

    @property
    def _rule_by_rule(self) -> bool:
        """Whether the player need not wait for the rules."""
        return self.player.rule_by_rule and not self.secret

    @staticmethod
    def _part(deadline: float) -> float:
        """When a part of the time until a deadline is over."""
        now = time.monotonic()
        return now + SHARE * (deadline - now)

    def look_ahead(self) -> None:
        """Computes the legal moves and their words in advance, for the first PLAY."""
        position = self._caught_up()
        if not position.over:
            for move in position.legal(self.role)[:1]:
                position.words(move)  # the first of them makes a table for all

    def _rules_ready(self, deadline: float) -> bool:
        while not self.rules.done.wait(min(0.02, max(0.001, deadline - time.monotonic()))):
            if time.monotonic() >= deadline or self._hurried():
                break
        self._trouble = self._trouble or self.rules.trouble
        return self.rules.game is not None

    def _seat(
        self, position: Position, deadline: float, unless: threading.Event | None = None
    ) -> bool:
        """Tells the player about the match, anew once its rules are ready.

        Returns whether it is ready in time, or before something else is.
        """
        if self._seated is None or self._seated_at is not position:
            seconds = deadline - time.monotonic()
            self._seated = self._run(lambda: self.player.begin(position, self.role, seconds))
            self._seated_at = position
        return self._wait(self._seated, deadline, unless)

    # -- moves -----------------------------------------------------------------------------

    def answer(self, report: Report, deadline: float, suggest: Callable[[Answer], None]) -> Answer:
        """The move to answer a report with.

        Args:
            report: what happened.
            deadline: on the monotonic clock.
            suggest: is told of a legal move as soon as one is known.

        Raises:
            ReportError: it cannot have happened; the match is where it was.
        """
        answer = self._answer(report, deadline, suggest)
        self._own = answer.move
        return answer

    def _answer(
        self, report: Report, deadline: float, suggest: Callable[[Answer], None]
    ) -> Answer:
        position = self._caught_up()
        self._apply(position, report)
        first = self._fallback(position)
        suggest(first)
        if position.over or len(position.legal(self.role)) < 2:
            return first
        if position is not self._position and not self._rule_by_rule:
            # time that is left is for the rules to become ready
            if not self._rules_ready(deadline):
                return self._random(first)
            position = self._caught_up()
        if not (self._seat(position, self._part(deadline)) or self._seat(position, deadline)):
            return self._random(first)
        return self._decided(position, deadline) or self._random(first)

    def ponder(self) -> None:
        """Thinks about the position until there is something else to do."""
        position = self._position
        seated = self._seated is not None and self._seated.is_set()
        if position is None or not seated or self._given_up or position.over:
            return
        done = self._run(lambda: self.player.ponder(position, self.role, LONGEST))
        self._given_up = not self._wait(done, time.monotonic() + LONGEST)

    def _fallback(self, position: Position) -> Answer:
        if position.over:
            return Answer(NO_MOVE, remark="the game is over")
        legal = position.legal(self.role)
        if not legal:
            return Answer(NO_MOVE, remark="there is no legal move")
        return Answer(position.words(self.random.choice(legal)))

    def _random(self, answer: Answer) -> Answer:
        """A random answer, with the reason for it."""
        return Answer(answer.move, remark=f"at random; {self._trouble}".rstrip("; "))

    def _decided(self, position: Position, deadline: float) -> Answer | None:
        """The player's own decision, if it is legal and in time."""
        chosen: list[str] = []

        def think() -> None:
            seconds = deadline - time.monotonic()
            chosen.append(self.player.decide(position, self.role, seconds))

        if self._given_up:
            return None
        if not self._wait(self._run(think), deadline):
            self._trouble = "the player does not stop: from now on it is not asked"
            self._given_up = True
        if not chosen:
            return None
        move = position.find(self.role, chosen[0])
        if move is None:
            self._trouble = f"the player chose {chosen[0][:80]}, which is not legal"
            return None
        return Answer(position.words(move), self.player.value)

    def _run(self, work: Callable[[], None]) -> threading.Event:
        """Runs work of the player in a thread; the event is set at its end."""
        done = threading.Event()

        def run() -> None:
            try:
                work()
            except Exception as problem:  # a player's fault must not end the match
                self._trouble = f"the player failed: {problem}"
            done.set()

        self.player.stop[0] = 0
        threading.Thread(target=run, daemon=True).start()
        return done

    def _wait(
        self, done: threading.Event, deadline: float, unless: threading.Event | None = None
    ) -> bool:
        """Whether an event comes before the deadline, and before another one that may be given.

        If not, the player is told to stop.
        """
        while not done.wait(min(0.02, max(0.001, deadline - time.monotonic()))):
            overtaken = unless is not None and unless.is_set()
            if time.monotonic() < deadline and not overtaken and not self._hurried():
                continue
            self.player.stop[0] = 1
            return done.wait(LENIENCE)
        return True

    # -- what happened ---------------------------------------------------------------------

    def _apply(self, position: Position, report: Report) -> None:
        position.advance(report, self._own)
        if position.steps_made > len(self._history):
            self._history.append((report, self._own))

    def _caught_up(self) -> Position:
        """The position after all steps so far, grounded if possible."""
        if self._position is None and self.rules.game is not None:
            seed = self.random.getrandbits(60)
            self._position, self._interim = Position(self.rules.game, self.role, seed), None
        position = self._position or self._interim
        if position is None:
            seed = self.random.getrandbits(60)
            position = self._interim = Position(self.rules.rule_by_rule(), self.role, seed)
        for report, own in self._history[position.steps_made :]:
            position.advance(report, own)
        return position

    def finish(self, report: Report) -> list[int | None]:
        """The goals after the last step, one for each role; none if the game is not over."""
        position = self._caught_up()
        if not position.over:
            self._apply(position, report)
        return position.goals() if position.over else []


def _first(source: Source, errors: list[Diagnostic]) -> str:
    """The first error, with line and column."""
    if not errors:
        return "they cannot be read"
    line, column = source.position(errors[0].span.start)
    return f"{errors[0].message} (line {line}, column {column})"


__all__ = ["Answer", "Playing", "RefusedError", "ReportError", "Rules"]
