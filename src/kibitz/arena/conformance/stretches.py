"""The parts of a long game that are worth looking at.

Uncompiled, and looked at in every state, an action takes a thousand times as long as compiled;
and most of a long game is like the rest of it. So compiled rules play it to its end and leave
marks on the way, and stretches between marks are looked at action by action: the last, in which
the game ends or breaks off, those with a sort of step that was not looked at before, and some
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

Sort = tuple[int, int, bool]
"""A sort of step: the action's kind, the phase it was played in, whether it ended a round."""


@dataclass(frozen=True)
class Stretch:
    """A few actions that follow from a state.

    Attributes:
        tick: how many actions lead to the state.
        start: the state's bytes.
        sorts: the sorts of steps among the actions; none where they are not known.
    """

    tick: int
    start: bytes
    sorts: frozenset[Sort] = frozenset()


@dataclass(frozen=True)
class Mark:
    """A state that compiled rules came to.

    Attributes:
        content: its bytes.
        actions: the last ones that led to it, since the mark before.
        sorts: the sorts of steps among these.
    """

    content: bytes
    actions: list[int]
    sorts: frozenset[Sort]


class Sorter:
    """Tells of what sort the steps of one game are."""

    def __init__(self, state: State) -> None:
        self._header = state.view
        self._before = (0, 0)

    def begin_step(self) -> None:
        """An action is about to be played."""
        self._before = self._header.phase, self._header.round

    def end_step(self, action: int) -> Sort:
        """The sort of the step that this action was."""
        phase, rounds = self._before
        return kind(action), phase, self._header.round != rounds


def choices(seed: int, tick: int) -> random.Random:
    """What the actions of a stretch are chosen by: whoever plays it again finds the same ones."""
    return random.Random(f"{seed}/{tick}")


def marks(table: Table, content: bytes, seed: int) -> Iterator[Mark]:
    """Plays a game on to its end, from a state that was looked at.

    The last stretch of a game that breaks off gets no mark: uncompiled rules can say more of it.
    """
    state = State(table, content, seed)
    sorter = Sorter(state)
    play = engine()["apply_action"]
    try:
        while not state.is_terminal:
            rng = choices(seed, state.tick)
            actions: list[int] = []
            sorts: set[Sort] = set()
            while len(actions) < STRETCH and (legal := state.legal_actions()):
                actions.append(rng.choice(legal))
                sorter.begin_step()
                play(table.address, state.address, actions[-1])
                sorts.add(sorter.end_step(actions[-1]))
            if state.status not in (Status.PLAYING, Status.FINISHED):
                return
            yield Mark(bytes(state), actions, frozenset(sorts))
    except KibitzError:
        return


def choose(
    stretches: Sequence[Stretch], number: int, known: set[Sort], rng: random.Random
) -> list[int]:
    """Which stretches to look at, in their order.

    Args:
        stretches: of one game.
        number: of them to be chosen, if there are as many.
        known: the sorts of steps that were looked at before.
        rng: chooses where nothing else does.
    """
    last = len(stretches) - 1
    chosen = {last}
    fresh = known | stretches[last].sorts
    for at, stretch in enumerate(stretches):
        if len(chosen) < number and not stretch.sorts <= fresh:
            fresh |= stretch.sorts
            chosen.add(at)
    others = [at for at in range(last) if at not in chosen]
    chosen.update(rng.sample(others, min(len(others), max(0, number - len(chosen)))))
    return sorted(chosen)
