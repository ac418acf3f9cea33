"""Everything shown to a seat besides its observation, compared between two states."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.checks.laws import Law
from kibitz.core.agent import Agent
from kibitz.core.encoder import Encoder
from kibitz.core.errors import GameDefinitionError, PlayError
from kibitz.core.game import Table
from kibitz.core.layout import CHANCE
from kibitz.core.state import State
from kibitz.pictures import draw
from kibitz.players.seat import AgentSeat
from kibitz.sessions.records import Move
from kibitz.sessions.updates import Update

HINT_SEED = 5
"""The seed with which agents give hints."""


class SeatOutputs:
    """Makes everything that a seat is given of a state: texts, numbers, a picture, words, hints.

    Args:
        table: the table of the states.
        agents: advisers, each of which gives hints.
    """

    def __init__(self, table: Table, agents: Sequence[Agent]) -> None:
        self.table = table
        self._advisers = [
            [AgentSeat(agent, table, p) for agent in agents] for p in range(table.players)
        ]
        self._encoder: Encoder | None = None
        with contextlib.suppress(GameDefinitionError):  # some games have no encoder
            self._encoder = table.encoder

    def show(self, state: State, seat: int) -> Iterator[tuple[Law, Any]]:
        """Everything that is shown to a seat, each in a form that can be compared."""
        yield Law.TEXT, state.describe(seat)
        if self._encoder is not None:
            yield Law.FEATURES, self._encoder.encode(state, seat).tobytes()
        picture = draw(state, seat, styled=False)
        yield Law.PICTURE, (picture.svg, tuple(picture.targets.items()))
        if state.is_terminal or state.current_player != seat:
            return
        legal = state.legal_actions()
        yield Law.WORDS, tuple(state.action_words(action) for action in legal)
        if len(legal) > 1:
            hints = []
            for adviser in self._advisers[seat]:
                adviser.begin(HINT_SEED)
                hints.append(adviser.decide(state, legal))
            yield Law.HINTS, tuple(hints)

    def differences(self, state: State, other: State, seat: int) -> Iterator[tuple[Law, bool]]:
        """Yields for all that is shown to a seat whether it is the same in both states."""
        shown = dict(self.show(other, seat))
        for law, value in self.show(state, seat):
            yield law, value == shown.get(law)

    def same_events(self, state: State, other: State, action: int, seat: int) -> bool | None:
        """Whether an action has the same events for a seat in two states.

        ``None``: the seat sees different outcomes, a random number is drawn, or the action is not
        possible in both. Both states get the same chance, so that chance is no difference.
        """
        twin = _with_chance(other, state)
        try:
            first, second = update_of(state, action), update_of(twin, action)
        except PlayError:
            return None
        if bytes(first.after)[CHANCE] != bytes(state)[CHANCE]:
            return None  # after a shuffle observations no longer show what was seen just before
        if bytes(first.after.observation(seat)) != bytes(second.after.observation(seat)):
            return None
        return event_data(first, seat) == event_data(second, seat)


def event_data(update: Update, seat: int) -> list[tuple[str, str, str]]:
    """The events of an update for a seat."""
    return [(event.kind, event.text, repr(event.data)) for event in update.events(seat)]


def _with_chance(state: State, source: State) -> State:
    """A copy of a state with the chance of another one."""
    content = bytearray(bytes(state))
    content[CHANCE] = bytes(source)[CHANCE]
    return State(state.table, bytes(content))


def update_of(before: State, action: int) -> Update:
    """Plays an action in a copy of a state; gives both states with the move.

    Raises:
        PlayError: it is not legal, or the rules break off.
    """
    after = before.clone()
    after.apply(action)
    forced = len(before.legal_actions()) == 1
    move = Move(before.current_player, action, before.action_words(action), forced)
    return Update(move, before, after)
