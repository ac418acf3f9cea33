"""One player's side of a match: follows the reports and answers within the clocks."""

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
"""The answer to PLAY if there is no move."""

LENIENCE = 0.25
"""Seconds within which a player has to answer after its stop word was set."""

MOMENT = 0.3
"""Seconds to wait for the rules before the first position is computed by the prover."""

SHARE = 0.5
"""Share of a clock to wait for the rules or for ``Player.begin`` before trying something else."""


class RefusedError(KibitzError):
    """The match cannot be played, since its rules or its role are wrong."""


@dataclass(frozen=True)
class Answer:
    """A player's answer to a report.

    Attributes:
        move: the move in KIF, or ``NO_MOVE``.
        value: the player's estimate of its result, from 0 to 1; ``None``: no estimate.
        remark: an explanation for the log; may be empty.
        cause: why the move was drawn at random in place of the player's; empty if it was not.
    """

    move: str
    value: float | None = None
    remark: str = ""
    cause: str = ""


class Rules:
    """Rules that are grounded and compiled in a thread of their own.

    Attributes:
        description: the rules as read.
        game: the compiled game; ``None`` until it is ready.
        trouble: why the rules cannot be compiled, in words; empty otherwise.
        done: set once `game` or `trouble` is.
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
        """Starts the thread that grounds and compiles the rules."""
        threading.Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        try:
            game = GdlGame(self.source, description=self.description)
            # the slow part comes first, and alone: Python 3.11 locks a cached property that is
            # being computed for all objects, also for the game that is played meanwhile
            _ = game.rules.proved
            Position(game)  # loads everything else that positions need
            self.game = game
        except Exception as problem:  # whatever it is, a match goes on without
            self.trouble = f"the rules cannot be made ready: {problem}"
        self.done.set()

    def rule_by_rule(self) -> GdlGame:
        """A game that the prover evaluates, to play until the compiled one is ready."""
        return GdlGame(self.source, grounded=False, description=self.description)


class Playing:
    """A match that a player takes part in.

    Until the rules are ready the prover evaluates positions, so that there is always a legal
    answer.
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
            role: the name of the player's role.
            seed: the seed of fallback moves, samples and the player.
            hurried: tells whether the next message is already waiting.

        Raises:
            RefusedError: there is no such role.
        """
        description = rules.description
        if role.lower() not in description.roles:
            known = ", ".join(description.spelling[name] for name in description.roles)
            raise RefusedError(f"there is no role {role[:80]}, but {known}")
        self.role = description.roles.index(role.lower())
        self.secret = description.defines("sees")
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
        """Set when the player's last computation ends, which may be after its deadline."""
        self._trouble = ""

    # -- getting ready ---------------------------------------------------------------------

    def get_ready(self, deadline: float) -> str:
        """Waits for the rules, and lets the player think, until a time on the monotonic clock.

        If the rules take longer than ``MOMENT``, the prover evaluates the first position in the
        meantime, so that the first PLAY has a legal answer on a busy machine, too.

        Returns how positions are evaluated, in words.
        """
        if not self._rules_ready(min(deadline, time.monotonic() + MOMENT)):
            with contextlib.suppress(KibitzError):  # the answer to the first PLAY reports it
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
        """The time at which the share ``SHARE`` of the time until a deadline is over."""
        now = time.monotonic()
        return now + SHARE * (deadline - now)

    def look_ahead(self) -> None:
        """Computes the legal moves and their texts in advance, for the first PLAY."""
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
        """Has the player prepare for a match from a position, unless it did for this one.

        Returns whether it is ready before the deadline and before ``unless`` is set.
        """
        if self._seated is None or self._seated_at is not position:
            seconds = deadline - time.monotonic()
            self._seated = self._run(lambda: self.player.begin(position, self.role, seconds))
            self._seated_at = position
        return self._wait(self._seated, deadline, unless)

    # -- moves -----------------------------------------------------------------------------

    def answer(self, report: Report, deadline: float, suggest: Callable[[Answer], None]) -> Answer:
        """The player's answer to the report of a PLAY.

        Args:
            report: the report of the last step.
            deadline: the time of the answer, on the monotonic clock.
            suggest: called with a legal answer as soon as one is known, and with better ones.

        Raises:
            ReportError: the reported step is impossible; the match is unchanged.
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
            # the remaining time is for the rules to become ready
            if not self._rules_ready(deadline):
                return self._random(first, "the rules are not ready")
            position = self._caught_up()
        if not (self._seat(position, self._part(deadline)) or self._seat(position, deadline)):
            return self._random(first, "the player is not ready")
        return self._decided(position, deadline, first, suggest)

    def ponder(self) -> None:
        """Has the player think about the position until the next message comes."""
        position = self._position
        seated = self._seated is not None and self._seated.is_set()
        if position is None or not seated or position.over or not self._is_free(time.monotonic()):
            return
        self._thinking = self._run(lambda: self.player.ponder(position, self.role, LONGEST))
        self._wait(self._thinking, time.monotonic() + LONGEST)

    def _fallback(self, position: Position) -> Answer:
        """An answer without a decision: a legal move drawn at random, if there is one."""
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
        """Waits for the player's last computation; whether it ends before the deadline."""
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
        """The text of the legal move that a text means; ``None`` if it means none."""
        move = position.find(self.role, text) if isinstance(text, str) else None
        return None if move is None else position.words(move)

    def _run(self, work: Callable[[], None]) -> threading.Event:
        """Runs work of the player in a thread; returns an event that is set at its end."""
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
        """Waits for `done`; whether it is set before the deadline and before ``unless``.

        If not, the player's stop word is set and it has ``LENIENCE`` seconds to end. During the
        wait `meanwhile` is called every 20 ms.
        """
        while not done.wait(min(0.02, max(0.001, deadline - time.monotonic()))):
            overtaken = unless is not None and unless.is_set()
            if time.monotonic() < deadline and not overtaken and not self._hurried():
                meanwhile()
                continue
            self.player.stop[0] = 1
            return done.wait(LENIENCE)
        return True

    # -- reports ---------------------------------------------------------------------------

    def _apply(self, position: Position, report: Report) -> None:
        position.advance(report, self._own)
        if position.steps_made > len(self._history):
            self._history.append((report, self._own))

    def _caught_up(self) -> Position:
        """The position after all steps so far, of the compiled game if it is ready."""
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
        """Makes the last step; returns the goal of each role, none if the game is not over."""
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
