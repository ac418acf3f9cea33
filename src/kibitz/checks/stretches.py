"""Stretches: the parts of a long game that are inspected.

Uncompiled, and looked at in every state, an action takes a thousand times as long as compiled;
and most parts of a long game resemble others. So compiled rules play it to its end and leave
marks on the way, and stretches between marks are looked at action by action: the last, in which
the game ends or breaks off, those with a kind of step that was not looked at before, and some
by chance.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kibitz.core.actions import kind
from kibitz.core.errors import KibitzError
from kibitz.core.game import Table, engine
from kibitz.core.state import State
from kibitz.core.status import Status

STRETCH = 20
"""How many actions lie between two marks."""

StepKind = tuple[int, int, bool]
"""A kind of step: the action's kind, the phase it was played in, whether it ended a round."""


@dataclass(frozen=True)
class Stretch:
    """A few consecutive actions of a game.

    Attributes:
        tick: how many actions lead to the state.
        start: the bytes of this state.
        step_kinds: the kinds of the actions' steps; empty if not known.
    """

    tick: int
    start: bytes
    step_kinds: frozenset[StepKind] = frozenset()


@dataclass(frozen=True)
class Mark:
    """A state that compiled rules have reached.

    Attributes:
        content: the bytes of the state.
        actions: the actions since the previous mark.
        step_kinds: the kinds of their steps.
    """

    content: bytes
    actions: list[int]
    step_kinds: frozenset[StepKind]


class StepClassifier:
    """Finds the kinds of the steps of one game."""

    def __init__(self, state: State) -> None:
        self._header = state.view
        self._before = (0, 0)

    def begin_step(self) -> None:
        """Notes phase and round; call it before each action."""
        self._before = self._header.phase, self._header.round

    def end_step(self, action: int) -> StepKind:
        """The kind of step that an action was; call it after each action."""
        phase, rounds = self._before
        return kind(action), phase, self._header.round != rounds


def choices(seed: int, tick: int) -> random.Random:
    """The generator that chooses the actions of a stretch, the same ones each time."""
    return random.Random(f"{seed}/{tick}")


def marks(table: Table, content: bytes, seed: int) -> Iterator[Mark]:
    """Plays a game to its end; yields a mark after each stretch.

    The last stretch of a game that breaks off has no mark: uncompiled rules can say more of it.
    """
    state = State(table, content, seed)
    classifier = StepClassifier(state)
    play = engine()["apply_action"]
    try:
        while not state.is_terminal:
            rng = choices(seed, state.tick)
            actions: list[int] = []
            step_kinds: set[StepKind] = set()
            while len(actions) < STRETCH and (legal := state.legal_actions()):
                actions.append(rng.choice(legal))
                classifier.begin_step()
                play(table.address, state.address, actions[-1])
                step_kinds.add(classifier.end_step(actions[-1]))
            if state.status not in (Status.PLAYING, Status.FINISHED):
                return
            yield Mark(bytes(state), actions, frozenset(step_kinds))
    except KibitzError:
        return


def choose(
    stretches: Sequence[Stretch], number: int, known: set[StepKind], rng: random.Random
) -> list[int]:
    """Chooses the stretches to look at; returns their indices in order.

    Args:
        stretches: all stretches of one game, in order.
        number: how many to choose, if there are as many.
        known: the kinds of steps that were looked at before.
        rng: draws stretches without new kinds of steps.
    """
    last = len(stretches) - 1
    chosen = {last}
    fresh = known | stretches[last].step_kinds
    for at, stretch in enumerate(stretches):
        if len(chosen) < number and not stretch.step_kinds <= fresh:
            fresh |= stretch.step_kinds
            chosen.add(at)
    others = [at for at in range(last) if at not in chosen]
    chosen.update(rng.sample(others, min(len(others), max(0, number - len(chosen)))))
    return sorted(chosen)
