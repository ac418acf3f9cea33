"""One random game of a check: inspected action by action, or in stretches if it is long."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kibitz.checks.agreement import CURE, Trace, replay_differs, twin
from kibitz.checks.case import Case, Variation
from kibitz.checks.findings import Finding, Law, Report
from kibitz.checks.inspector import Inspector
from kibitz.checks.isolation import Crashed, isolated
from kibitz.checks.laws import STATE_LAWS
from kibitz.checks.secrets import SecretFinder
from kibitz.checks.stretches import (
    STRETCH,
    StepClassifier,
    StepKind,
    Stretch,
    choices,
    choose,
    marks,
)
from kibitz.checks.watched import explain
from kibitz.core.game import Game
from kibitz.core.state import State
from kibitz.core.status import Status

STRETCH_SECONDS = 30.0
"""How long compiled rules may take for a stretch of actions."""


@dataclass
class CheckState:
    """What the games of a check have in common.

    Attributes:
        report: problems, and how much was looked at.
        rng: of all random choices.
        variation: what varied in samples.
        step_kinds: the kinds of steps that were looked at.
    """

    report: Report
    rng: random.Random
    variation: Variation = field(default_factory=Variation)
    step_kinds: set[StepKind] = field(default_factory=set)


class CheckedGame:
    """One random game of a check.

    Attributes:
        traces: what was looked at: the game from its start, then stretches of it.
        looked_at: how many actions these have.
        length: how many actions were played.
        over: whether the game was played to its end.
    """

    def __init__(
        self, trace: Trace, number: int, check: CheckState, secrets: SecretFinder
    ) -> None:
        self.traces: list[Trace] = []
        self.looked_at = 0
        self.length = 0
        self.over = False
        self._first = trace
        self._number = number
        self._check = check
        self._report = check.report
        self._secrets = secrets
        self._kept: list[tuple[Trace, int, bytes]] = []
        self._most_kept = 0
        self._noticed: set[tuple[Law, str]] = set()

    def open(self, length: int) -> bool:
        """Plays the first `length` actions; returns whether the game can go on."""
        return self._guarded(lambda: self._begin(length) is not None)

    def play(
        self, actions: int, states: int, compiled: Callable[[], Game | None], again: bool
    ) -> bool:
        """Plays the whole game; returns whether all went well.

        Args:
            actions: about how many to look at one by one.
            states: how many to examine closely, the last one among them.
            compiled: gives the compiled game, which plays long games on; ``None``: they end there.
            again: whether to repeat what was looked at.
        """
        self._most_kept = states - 1
        return self._guarded(lambda: self._play(actions, compiled, again))

    def _play(self, actions: int, compiled: Callable[[], Game | None], again: bool) -> bool:
        limit = self._first.table.game.max_ticks
        state = self._begin(limit if limit <= actions else actions // 2)
        self.length = len(self._first.actions)
        if state is not None and not state.is_terminal and (game := compiled()) is not None:
            state = self._go_on(state, max(2, actions // 2 // STRETCH), game)
        if state is None:
            return False
        self.over = state.is_terminal
        self._kept.append((self.traces[-1], len(self.traces[-1].actions), bytes(state)))
        for trace in self.traces if again else ():
            self._again(trace)
        for trace, tick, content in self._kept:
            trace.kept.append((tick, content))
            self._examine(trace, tick, content)
        return True

    def _guarded(self, play: Callable[[], bool]) -> bool:
        """Plays, and reports the exceptions of rules."""
        try:
            return play()
        except Exception as problem:
            self._add(explain(problem), self.traces[-1] if self.traces else self._first)
            return False

    # -- playing ----------------------------------------------------------------------------

    def _begin(self, length: int) -> State | None:
        """Plays at most `length` actions from the start; ``None`` if it had to stop."""
        state = self._first.begin(self._first.table)
        self._inspector = Inspector(state)
        return self._walk(self._first, state, self._check.rng, length)

    def _walk(self, trace: Trace, state: State, rng: random.Random, length: int) -> State | None:
        """Plays at random, looking at every state; ``None`` if it had to stop.

        A few of the states are kept, all with the same probability.
        """
        self.traces.append(trace)
        self._inspector.begin()
        self._secrets.begin()
        classifier = StepClassifier(state)
        while True:
            if self._add_all(
                self._inspector.inspect(state, trace.tick + len(trace.actions)), trace
            ):
                return None
            trace.digests.append(hash(bytes(state)))
            self._secrets.watch(state, self._number)
            if state.is_terminal or len(trace.actions) >= length:
                return state
            self._keep(trace, state)
            legal = self._legal_actions(state, trace)
            trace.offers.append(hash(tuple(legal)))
            trace.actions.append(rng.choice(legal))
            self.looked_at += 1
            classifier.begin_step()
            state.apply(trace.actions[-1])
            self._check.step_kinds.add(classifier.end_step(trace.actions[-1]))

    def _keep(self, trace: Trace, state: State) -> None:
        """Keeps the state, to be examined closely, by reservoir sampling."""
        candidate = trace, len(trace.actions), bytes(state)
        if len(self._kept) < self._most_kept:
            self._kept.append(candidate)
        elif (at := self._check.rng.randrange(self.looked_at + 1)) < self._most_kept:
            self._kept[at] = candidate

    def _legal_actions(self, state: State, trace: Trace) -> list[int]:
        legal = state.legal_actions()
        if len(set(legal)) < len(legal):
            twice = next(action for action in legal if legal.count(action) > 1)
            self._add(
                Finding(
                    Law.DISTINCT,
                    f"{state.action_words(twice)!r} is listed {legal.count(twice)} times among "
                    f"{len(legal)} legal actions",
                    "legal_actions",
                    "for cards that are equal, add the action once.",
                ),
                trace,
            )
        return legal

    # -- long games -------------------------------------------------------------------------

    def _go_on(self, state: State, number: int, compiled: Game) -> State | None:
        """Plays the game to its end with compiled rules, and looks at stretches of it.

        Args:
            state: the state that uncompiled rules have reached.
            number: how many stretches to look at.
            compiled: the game with compiled rules.

        Returns:
            The last state; ``None`` if it had to stop.
        """
        table, seed = twin(self._first.table, compiled), self._first.seed
        path = list(self._first.actions)
        stretches: list[Stretch] = []
        start = last = bytes(state)
        crash = ""
        try:
            for mark in isolated(lambda: marks(table, start, seed), STRETCH_SECONDS):
                stretches.append(Stretch(len(path), last, mark.step_kinds))
                path += mark.actions
                last = mark.content
        except Crashed as problem:
            crash = str(problem)
        if State(table, last).status != Status.FINISHED:
            stretches.append(Stretch(len(path), last))
        self.length = len(path)
        end: State | None = state
        for at in choose(stretches, number, self._check.step_kinds, self._check.rng):
            for index in dict.fromkeys((self._source(stretches, at), at)):
                end = self._look_at(stretches[index], path)
                if end is None:
                    return None
        if crash:
            finding = Finding(Law.SAME_COMPILED, f"the compiled rules {crash}", cure=CURE)
            self._add(finding, self.traces[-1])
            return None
        return end

    def _look_at(self, stretch: Stretch, path: list[int]) -> State | None:
        """Plays a stretch of the game again, looking at every state."""
        table, seed = self._first.table, self._first.seed
        trace = Trace(table, seed, path=path, tick=stretch.tick, start=stretch.start)
        return self._walk(trace, trace.begin(table), choices(seed, stretch.tick), STRETCH)

    def _source(self, stretches: list[Stretch], at: int) -> int:
        """The stretch in which it went wrong, if stretch `at` begins in an invalid state.

        It is found by bisection, since faults mostly stay: a lost card does not come back.
        """
        good, bad = 0, at
        if not self._wrong(stretches[at]):
            return at
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._wrong(stretches[middle]):
                bad = middle
            else:
                good = middle
        return good

    def _wrong(self, stretch: Stretch) -> bool:
        """Whether a stretch begins in an invalid state."""
        self._inspector.begin()
        state = State(self._first.table, stretch.start)
        return bool(self._inspector.inspect(state, stretch.tick))

    # -- examining --------------------------------------------------------------------------

    def _again(self, trace: Trace) -> None:
        """Repeats a trace: the same seed and actions should give the same states."""
        differs = replay_differs(trace, trace.table)
        if differs is None:
            return
        tick, shown = differs
        self._add(
            Finding(
                Law.REPLAY,
                f"played again from the same seed, the game differs in {shown}",
                cure="rules may depend on the state and the parameters only, and on chance by "
                "way of state.rng: not on global variables or on Python's random numbers.",
            ),
            trace,
            tick,
        )

    def _examine(self, trace: Trace, tick: int, content: bytes) -> None:
        """Tries all laws on one state; exceptions are reported, too."""
        check = self._check
        state = State(trace.table, content)
        self._report.checked["states examined closely"] += 1
        case = Case(
            self._first.seed,
            state,
            self._inspector,
            check.rng,
            self._report.checked,
            check.variation,
        )
        for law in STATE_LAWS:
            try:
                self._add_all(law(case), trace, tick)
            except Exception as problem:
                self._add(explain(problem), trace, tick)

    # -- reporting --------------------------------------------------------------------------

    def _add(self, finding: Finding, trace: Trace, tick: int | None = None) -> None:
        """Reports a finding, unless this game has shown the same one before."""
        if (finding.law, finding.path) not in self._noticed:
            self._noticed.add((finding.law, finding.path))
            self._report.add(finding, trace.spot(tick))

    def _add_all(self, findings: Iterable[Finding], trace: Trace, tick: int | None = None) -> bool:
        """Reports findings; returns whether one is fatal."""
        fatal = False
        for finding in findings:
            self._add(finding, trace, tick)
            fatal = fatal or finding.fatal
        return fatal
