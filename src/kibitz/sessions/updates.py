"""An action of a game in progress: its events for each seat, and what each seat learns by it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kibitz.core.changes import Change, Event, Standing, out_event
from kibitz.core.deeds import told
from kibitz.core.errors import KibitzError
from kibitz.core.state import State, check_player, without_chance
from kibitz.core.wording import HAS_CHOSEN, addressed, capitalized
from kibitz.sessions.records import Move
from kibitz.sessions.telling import tell

SAMPLES = 32
"""Determinizations that are compared: what a seat learns in one of 10 worlds is missed once in 30
times, and then it has learned little."""


@dataclass(frozen=True, eq=False)
class Update:
    """An action, with the states before and after it.

    Attributes:
        move: the action, and who played it.
        before: the state before it, with everything open.
        after: the state after it.
    """

    move: Move
    before: State
    after: State

    @functools.cached_property
    def _events_by_seat(self) -> dict[int | None, tuple[Event, ...]]:
        return {}

    @functools.cached_property
    def _knowledge(self) -> dict[tuple[str, int], bool]:
        return {}

    def events(self, seat: int | None = None) -> tuple[Event, ...]:
        """The events for `seat`: first the action, then its consequences, in order.

        Args:
            seat: from 0; ``None``: a reader who learns all choices of the players, and otherwise
                what all of them know.
        """
        if seat is not None:
            check_player(self.after, seat)
        if seat not in self._events_by_seat:
            self._events_by_seat[seat] = tuple(self._events(seat))
        return self._events_by_seat[seat]

    @functools.cached_property
    def public_events(self) -> tuple[Event, ...]:
        """The events for who looks on: what all players know, and of secret choices that they
        were made.
        """
        return tuple(self._public_events())

    def _public_events(self) -> Iterator[Event]:
        wording, move = self.before.table.wording, self.move
        arguments = (self.before, move.action, self.after)
        words = wording.public_text(*arguments)
        if words is None:
            data = {"player": move.player + 1}
            yield Event("action", f"Player {move.player + 1} acts.", data)
        elif words:
            yield _action_event(move.player, words, None)
        yield from self._consequences(list(wording.public_consequences(*arguments)), None)

    def _events(self, seat: int | None) -> Iterator[Event]:
        wording, move = self.before.table.wording, self.move
        arguments = (self.before, move.action, self.after, seat)
        text = wording.event_text(*arguments)
        if seat is None:
            text = text or move.words
        if text:
            event = _action_event(move.player, text, seat)
            if seat == move.player:  # others it may tell what is hidden in the mover's hand
                event = replace(event, data={**event.data, "forced": move.forced})
            yield event
        yield from self._consequences(list(wording.consequences(*arguments)), seat)

    def _consequences(self, changes: list[Change], seat: int | None) -> Iterator[Event]:
        """The events of changes; the standing comes where a round has ended, or last."""
        at = next((i for i, c in enumerate(changes) if isinstance(c, Standing)), len(changes))
        yield from tell(changes[:at], seat, self.before.players)
        for event in _standing(self.before, self.after, seat):
            if event not in changes:  # the log may have said who is out
                yield event
        yield from tell(changes[at + 1 :], seat, self.before.players)

    def hides(self, seat: int) -> bool:
        """Whether there was something before the action that `seat` could not know."""
        if ("hides", seat) not in self._knowledge:
            self._knowledge["hides", seat] = bool(_worlds(self.before, seat))
        return self._knowledge["hides", seat]

    def reveals(self, seat: int) -> bool:
        """Whether `seat` learned something by the action that it could not foresee."""
        if ("reveals", seat) not in self._knowledge:
            self._knowledge["reveals", seat] = _reveals(
                self.before, self.move.action, self.after, seat
            )
        return self._knowledge["reveals", seat]

    def observation(self, seat: int) -> State:
        """What `seat` sees now."""
        return self.after.observation(seat)

    def to_json(self, seat: int) -> dict[str, Any]:
        """The events and the observation of `seat`, as JSON."""
        return {
            "events": [{"kind": e.kind, "text": e.text, **e.data} for e in self.events(seat)],
            "state": self.observation(seat).to_json(),
        }


def _action_event(player: int, words: str, seat: int | None) -> Event:
    """The event of an action, in words that a seat may read."""
    sentence = told(words, player, seat)
    if words.startswith(HAS_CHOSEN):
        sentence = f"{_named(player, seat)} {words}"
    return Event("action", sentence, {"player": player + 1, "words": str(words)})


def _standing(before: State, after: State, seat: int | None) -> Iterator[Event]:
    """Events of changes in the standing: rounds, eliminated players, scores."""
    logged = after.table.game.logs_rounds
    if logged and after.view.round > before.view.round:
        number = int(after.view.round)
        yield Event("round", f"Round {number} is over.", {"round": number})
    if after.is_terminal:
        return
    for p in range(after.players):
        if after.view.seat[p].out and not before.view.seat[p].out:
            yield out_event(p, seat)
    if logged and after.scores() != before.scores():
        text = f"Scores: {score_line(after, seat)}."
        yield Event("scores", text, {"scores": after.scores()})


def score_line(state: State, seat: int | None) -> str:
    """Everyone's score."""
    return ", ".join(
        f"{_named(p, seat).lower()} {score:g}" for p, score in enumerate(state.scores())
    )


def _named(player: int, seat: int | None) -> str:
    return capitalized(addressed(player, seat))


def _reveals(before: State, action: int, after: State, seat: int) -> bool:
    """Whether a seat sees more after an action than follows from what it saw before.

    The action is played in samples of what the seat could not know: it follows where all look
    the same afterwards.
    """
    observation = bytes(after.observation(seat))
    for world in _worlds(before, seat):
        try:
            world.apply(action)
        except KibitzError:  # it is not legal in this world
            return True
        if bytes(world.observation(seat)) != observation:
            return True
    return False


def _worlds(state: State, seat: int) -> list[State]:
    """Samples of what a seat cannot know; none if it knows everything but future chance."""
    record = state.table.record[0]
    if not record["slot_count"] and not record["redeterminize"]:
        return []
    worlds = [state.determinize(seat, number) for number in range(SAMPLES)]
    return (
        worlds if any(without_chance(world) != without_chance(state) for world in worlds) else []
    )
