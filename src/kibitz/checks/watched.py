"""Runs a game's rules uncompiled, and watches what they read and change and how long they take.

``Watch`` derives from a game class one that behaves the same, whose rule functions

* record which parameters they read;
* are stopped when they run for too long;
* leave the state unchanged when they fail, and must do so when they only answer a question.
"""

from __future__ import annotations

import ctypes
import functools
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import kibitz
from kibitz.checks.contents import show_differences, slot_problem, slotted
from kibitz.checks.laws import Law
from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.errors import (
    DeadEndError,
    EndlessError,
    FullBufferError,
    GameDefinitionError,
    LimitError,
    LoopError,
    ParameterError,
    PlayError,
    RulesError,
)
from kibitz.core.game import Game, usual_rules
from kibitz.core.state import components_in_play
from kibitz.core.view import HIDEABLE, get_bytes, noting_reads, set_bytes
from kibitz.syntax.findings import Finding

PURE_RULES = ("legal_actions", "heuristic", "is_consistent")
RULES = ("setup", "apply_action", "redeterminize", *PURE_RULES)

RULE_SECONDS = 5.0
"""The processor time that one call of an uncompiled rule function may take."""
BLOCKED_SECONDS = 120.0
"""The time after which a call is stopped though it takes little processor time, as it waits."""


class EndlessRule(Exception):
    """Raised in a rule function that has been running for too long."""

    def __str__(self) -> str:
        return f"a rule function had not come to an end after {RULE_SECONDS:g} seconds"


class ChangedState(Exception):
    """A rule function changed the state that must not."""


class WildValue(Exception):
    """``redeterminize`` left invalid values."""


class Watch:
    """Watches the rules of one game; a context manager.

    Attributes:
        reads: the names of the parameters read so far.
    """

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._watchdog = threading.Thread(target=self._stop_endless, daemon=True)
        self._began: tuple[float, float] | None = None  # processor time and time
        self._caller = 0

    def __enter__(self) -> Self:
        self._watchdog.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._watchdog.join()

    def game(self, game: type[Game]) -> Game:
        """The game, uncompiled and watched.

        Raises:
            GameDefinitionError: its declarations do not fit together.
        """
        rules = {
            name: staticmethod(self._watched(name, getattr(game, name)))
            for name in RULES
            if getattr(game, name, None) is not None
        }
        names = {"__module__": game.__module__, "__doc__": game.__doc__, **rules}
        watched: Game = type(game.__name__, (game,), names)(compiled=False)
        self._layout = usual_rules(watched).layout
        return watched

    def _watched(self, name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(rule)
        def watched(state: Any, params: Any, *arguments: Any) -> Any:
            before = get_bytes(state)
            self._begin()
            try:
                result = rule(state, noting_reads(params, self.reads), *arguments)
                self._verify(name, state, before)
            except BaseException:
                set_bytes(state, before)
                raise
            finally:
                self._began = None
            return result

        return watched

    def _verify(self, name: str, state: Any, before: bytes) -> None:
        """Raises an error if the rule changed what it must not, or left invalid values."""
        after = get_bytes(state)
        if after == before:
            return
        if name in PURE_RULES:
            shown = show_differences(self._layout, before, after)
            raise ChangedState(f"{name} changed the state: {shown}")
        if name == "redeterminize":
            for instance, slots in slotted(self._layout, state.players):
                if problem := slot_problem(after, instance, slots):
                    raise WildValue(f"redeterminize spoils {instance.path}: {problem}")

    def _begin(self) -> None:
        with self._lock:
            self._caller = threading.get_ident()
            self._began = time.process_time(), time.monotonic()

    def _stop_endless(self) -> None:
        """Raises ``EndlessRule`` in the thread whose rule has been running for too long."""
        while not self._done.wait(0.05):
            with self._lock:
                if self._began is not None and (
                    time.process_time() - self._began[0] > RULE_SECONDS
                    or time.monotonic() - self._began[1] > BLOCKED_SECONDS
                ):
                    self._began = None
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(self._caller), ctypes.py_object(EndlessRule)
                    )


# --- exceptions in words --------------------------------------------------------------------


def explain(problem: Exception) -> Finding:
    """The finding for an exception that a game raised."""
    if isinstance(problem, FullBufferError):
        return _explain_full_buffer(problem)
    if isinstance(problem, RulesError) and (wrong := _wrong_player(problem)):
        return wrong
    if type(problem) in _CAUSES:
        law, cure = _CAUSES[type(problem)]
        where = locate(problem) if isinstance(problem, EndlessRule | ChangedState) else ""
        return Finding(law, _say(problem) + where, cure=cure)
    cures = iter([cure for kind, cure in _CURES.items() if isinstance(problem, kind)])
    if isinstance(problem, AttributeError) and problem.name == "seen":
        cures = iter([f"{HIDEABLE}."])
    return Finding(
        Law.EXCEPTION,
        f"{type(problem).__name__}: {problem}{locate(problem)}",
        cure=next(cures, "step through the rule with compiled=False in a debugger."),
    )


def _wrong_player(problem: RulesError) -> Finding | None:
    """The finding if the engine broke off the game because the player's seat does not exist."""
    state = problem.state
    if state is None or 0 <= state.current_player < state.players:
        return None
    message = f"player: it is {state.current_player} and should be within 0 .. {state.players - 1}"
    return Finding(Law.HEADER, message, cure="let end_turn find the next player.")


def _say(problem: Exception) -> str:
    """The message of an exception, without what the report already says."""
    state = problem.state if isinstance(problem, PlayError) else None
    if state is None:
        return str(problem)
    if isinstance(problem, DeadEndError):
        return f"player {state.current_player + 1} can do nothing, and the game is not over"
    if isinstance(problem, LimitError):
        return f"the game still goes on after {state.tick} actions, which is max_ticks"
    if isinstance(problem, EndlessError):
        message = "the rules did not end before the next decision"
    elif isinstance(problem, LoopError):
        message = "the rules say that the game goes round in circles"
    else:
        message = "the rules broke the game off, as with fail(state)"
    return f"{message}: {known}" if (known := state.table.wording.explanation(state)) else message


_CAUSES: dict[type[Exception], tuple[Law, str]] = {
    EndlessRule: (Law.ENDLESS, "a loop's condition never becomes false: bound the loop."),
    ChangedState: (
        Law.PURE,
        "ask without changing: compute in local variables, and draw random numbers in setup or "
        "apply_action only.",
    ),
    WildValue: (Law.COMPONENT, "only exchange values that are hidden, with values in range."),
    DeadEndError: (
        Law.DEAD_END,
        "offer an action that passes, or end the game or the turn in apply_action.",
    ),
    LimitError: (
        Law.ENDS,
        "look for a position that repeats for ever; if games are that long, raise max_ticks.",
    ),
    LoopError: (Law.ENDS, "look for a position that repeats for ever."),
    EndlessError: (Law.ENDLESS, "look for a loop of rules whose condition never changes."),
    RulesError: (
        Law.LEGAL,
        "offer in legal_actions only what apply_action can carry out.",
    ),
    GameDefinitionError: (Law.DECLARATION, ""),
    ParameterError: (Law.DECLARATION, ""),
}

_CURES: dict[type[Exception], str] = {
    IndexError: "keep the index in range: compiled, this would touch foreign memory.",
    AttributeError: "declare it in the State, or correct its name.",
    OverflowError: "the number is too large for its field: keep it small, or declare it larger.",
    ZeroDivisionError: "compiled, this would go on with a wrong number: test for zero first.",
    RecursionError: "a rule function calls itself without end.",
}


def _explain_full_buffer(problem: FullBufferError) -> Finding:
    """The finding for a full buffer, which names the full components."""
    full = []
    for instance, view in components_in_play(problem.state) if problem.state is not None else ():
        capacity = getattr(instance.component, "capacity", None)
        if capacity is not None and view.count >= capacity:
            full.append(f"{instance.path} ({view.count} of {capacity})")
    if full:
        return Finding(
            Law.CAPACITY,
            f"something was put where there is no room. Full: {', '.join(full)}.",
            path=full[0].split(" ")[0] if len(full) == 1 else "",
            cure="declare a larger capacity, or look for what should have been removed.",
        )
    return Finding(
        Law.CAPACITY,
        f"no room: a number left its bounds, or there are more than {MAX_ACTIONS} actions.",
        cure="widen the bounds in the rule that changes the number, or split the action in two.",
    )


_ENGINE = tuple(
    str(Path(kibitz.__file__).parent / layer) for layer in ("core", "components", "arena")
)


def locate(problem: BaseException) -> str:
    """The line of the author's rule that raised an exception, to append to a message."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_ENGINE)]
    if not own:
        return ""
    frame = own[-1]
    file = Path(frame.filename)
    if file.is_relative_to(Path.cwd()):
        file = file.relative_to(Path.cwd())
    return f" ({file}:{frame.lineno}, in {frame.name}: {frame.line})"
