"""A match from the side of one player: it follows the reports and answers within the clocks."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from kibitz.core.errors import KibitzError
from kibitz.gdl.checker import playable
from kibitz.gdl.game import GdlGame
from kibitz.ggp.messages import Report
from kibitz.ggp.players import LONGEST, Player
from kibitz.ggp.position import Position, ReportError
from kibitz.syntax.source import Diagnostic, Source, SourceError

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
        remark: an explanation for the log, if it needs one.
        cause: why the move was drawn at random in place of the player's; empty if it was not.
    """

    move: str
    value: float | None = None
    remark: str = ""
    cause: str = ""


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
        try:
            self.description = playable(self.source)
        except SourceError as problem:
            raise RefusedError(
                f"the rules are wrong: {_first(self.source, problem.diagnostics)}"
            ) from None
        self.game: GdlGame | None = None
        self.trouble = ""
        self.done = threading.Event()

    def prepare(self) -> None:
        """Starts the thread."""
        threading.Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        try:
            game = GdlGame(self.source, description=self.description)
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
        return GdlGame(self.source, grounded=False, description=self.description)


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
        self._thinking: threading.Event | None = None
        """Set when the player's last computation ends, which may be after its time."""
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
                return self._random(first, "the rules are not ready")
            position = self._caught_up()
        if not (self._seat(position, self._part(deadline)) or self._seat(position, deadline)):
            return self._random(first, "the player is not ready")
        return self._decided(position, deadline, first, suggest)

    def ponder(self) -> None:
        """Thinks about the position until there is something else to do."""
        position = self._position
        seated = self._seated is not None and self._seated.is_set()
        if position is None or not seated or position.over or not self._is_free(time.monotonic()):
            return
        self._thinking = self._run(lambda: self.player.ponder(position, self.role, LONGEST))
        self._wait(self._thinking, time.monotonic() + LONGEST)

    def _fallback(self, position: Position) -> Answer:
        """A legal move drawn at random, for want of a decision."""
        if position.over:
            return Answer(NO_MOVE, remark="the game is over")
        legal = position.legal(self.role)
        if not legal:
            return Answer(NO_MOVE, remark="there is no legal move")
        cause = "no move was found in time" if len(legal) > 1 else ""
        return Answer(position.words(self.random.choice(legal)), cause=cause)

    def _random(self, answer: Answer, cause: str) -> Answer:
        """A random answer, with the reason for it."""
        return Answer(answer.move, cause=self._trouble or cause)

    def _is_free(self, deadline: float) -> bool:
        """Whether the player has ended its last computation, or does so before a deadline."""
        return self._thinking is None or self._wait(self._thinking, deadline)

    def _decided(
        self, position: Position, deadline: float, first: Answer, suggest: Callable[[Answer], None]
    ) -> Answer:
        """The player's own decision or, if it takes too long, the best move found so far.

        Better moves are suggested as they are found.
        """
        chosen: list[str] = []
        best = first

        def think() -> None:
            seconds = deadline - time.monotonic()
            chosen.append(self.player.decide(position, self.role, seconds))

        def improve() -> None:
            nonlocal best
            move = self._legal(position, self.player.best_so_far(position, self.role))
            if move is not None and (best is first or move != best.move):
                best = Answer(move, remark="out of time: the best move so far")
                suggest(best)

        if not self._is_free(deadline):
            return Answer(first.move, cause="the player still thinks about an earlier move")
        self.player.best = None
        self._trouble = ""
        self._thinking = self._run(think)
        in_time = self._wait(self._thinking, deadline, meanwhile=improve)
        if chosen:
            move = self._legal(position, chosen[0])
            if move is not None:
                return Answer(move, self.player.value)
            return self._random(first, f"the player chose {chosen[0]!r:.80}, which is not legal")
        if in_time:
            return self._random(first, "the player chose nothing")
        improve()
        return best

    def _legal(self, position: Position, text: str | None) -> str | None:
        """The words of a move, if a text is a legal one."""
        move = position.find(self.role, text) if isinstance(text, str) else None
        return None if move is None else position.words(move)

    def _run(self, work: Callable[[], None]) -> threading.Event:
        """Runs work of the player in a thread; the event is set at its end."""
        done = threading.Event()

        def run() -> None:
            try:
                work()
            except Exception as problem:  # a player's fault must not end the match
                self._trouble = f"the player failed: {type(problem).__name__}: {problem}"
                if os.environ.get("KIBITZ_TRACEBACK"):
                    traceback.print_exc()
            done.set()

        self.player.stop[0] = 0
        threading.Thread(target=run, daemon=True).start()
        return done

    def _wait(
        self,
        done: threading.Event,
        deadline: float,
        unless: threading.Event | None = None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> bool:
        """Whether an event comes before the deadline, and before another one that may be given.

        If not, the player is told to stop. Until then `meanwhile` is called now and then.
        """
        while not done.wait(min(0.02, max(0.001, deadline - time.monotonic()))):
            overtaken = unless is not None and unless.is_set()
            if time.monotonic() < deadline and not overtaken and not self._hurried():
                meanwhile()
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
