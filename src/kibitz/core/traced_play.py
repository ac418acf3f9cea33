"""The changes that the rules of a game in Python make, in the order in which they make them.

An action is carried out once more, uncompiled, and the operations of components are noted
(``core/trace.py``). What an observer may know of each follows from the masks of the cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.core.actions import Domain
from kibitz.core.chance import seed_chance
from kibitz.core.changes import (
    Change,
    Counted,
    Moved,
    Paused,
    Place,
    Shown,
    Shuffled,
    Standing,
    out_event,
    place_of,
)
from kibitz.core.state import State, components_in_play
from kibitz.core.trace import Note, Operation, tracing


def play_traced(before: State, action: int) -> list[Note]:
    """What the rules do for an action; `before` is not changed. Nothing for other languages."""
    if before.table.game.apply_action is None:
        return []
    after = before.clone()
    record = after.view
    record.tick += 1
    apply_action: Any = before.table.game.apply_action
    with tracing(record) as notes:
        apply_action(record, before.table.params, action)
    return notes


def set_up_traced(start: State) -> list[Note]:
    """What the rules do before the first decision; nothing where the seed is not known.

    Rules in other languages than Python are not traced here.
    """
    if start.seed is None or start.table.game.setup is None:
        return []
    state = State(start.table, start.table.blank)
    record = state.view
    seed_chance(record, start.seed)
    setup: Any = start.table.game.setup
    with tracing(record) as notes:
        setup(record, start.table.params)
    return notes


class Log:
    """Turns notes into the changes that one observer may know.

    Args:
        state: any state of the table.
        observer: a seat; ``None``: somebody who knows what all players know.
    """

    def __init__(self, state: State, observer: int | None) -> None:
        self._observer = observer
        self._viewers = (1 << state.players) - 1 if observer is None else 1 << observer
        self._kinds = state.table.game.Announcements
        self._piles: dict[int, tuple[Place, Domain]] = {}
        self._described: list[tuple[bool, Domain, int]] = []  # by the announcements of a turn
        self._taken: list[Note] = []
        for instance, _ in components_in_play(state):
            cards = instance.component.card_set
            if cards is not None:
                place = place_of(instance.path, instance.owner, instance.owner is not None)
                self._piles[instance.offset] = place, cards

    def changes(
        self, notes: Sequence[Note], wording: str = "", mover: int = -1
    ) -> Iterator[Change]:
        """The changes that `notes` report.

        Args:
            notes: what the rules did, in order.
            wording: the words of the action; cards of the `mover` that they name are left out.
            mover: the seat of the player who acted; -1 for none.
        """
        last: type | None = None
        for change in self._all(notes):
            if isinstance(change, Moved) and change.source.owner == mover:
                if change.card is not None and change.card in wording:
                    wording = wording.replace(change.card, "", 1)
                    continue
            gathered = last is Moved and isinstance(change, Shuffled)
            if last not in (None, type(change)) and not gathered:  # so that the order is kept
                yield Paused()
            yield change
            last = type(change)

    def _all(self, notes: Sequence[Note]) -> Iterator[Change]:
        """The changes that notes report, those included that the words of the action name."""
        round_ended = False
        for note in notes:
            match note.operation:
                case Operation.ANNOUNCE if self._kinds is not None:
                    event = self._kinds.event(note.value, self._observer)
                    self._described += [
                        described
                        for described in self._kinds.described(note.value)
                        if described[0] or event is not None
                    ]
                    if event is not None:
                        yield event
                case Operation.ELIMINATE:
                    yield out_event(note.value, self._observer)
                case Operation.END_TURN:
                    self._described.clear()
                    yield Paused()
                case Operation.END_ROUND:
                    self._described.clear()
                    round_ended = True
                case Operation.CLEAR | Operation.SHUFFLE if round_ended:
                    round_ended = False
                    yield Standing()
            if note.offset in self._piles:
                yield from self._card_change(note, *self._piles[note.offset])

    def _card_change(self, note: Note, place: Place, cards: Domain) -> Iterator[Change]:
        """The change that a note about a pile reports."""
        known = note.know & self._viewers == self._viewers
        if note.operation == Operation.SHUFFLE:
            yield Shuffled(place)
        elif note.operation == Operation.TAKE:
            self._taken.append(note)
        elif note.operation == Operation.SHOW:
            is_new = known and note.knew & self._viewers != self._viewers
            if is_new and (False, cards, note.value) not in self._described:
                yield Shown(cards.word(note.value), place)
        elif note.operation == Operation.PLACE:
            source = next((t for t in reversed(self._taken) if t.value == note.value), None)
            if source is None:  # the card was not in the game before
                return
            self._taken.remove(source)
            if (True, cards, note.value) in self._described:
                self._described.remove((True, cards, note.value))
            elif source.offset != note.offset:
                card = cards.word(note.value) if known else None
                yield Moved(card, self._piles[source.offset][0], place)


def counted_changes(before: State, after: State, observer: int | None) -> Iterator[Counted]:
    """The numbers of components that an action changed, as far as an observer sees them."""
    seats = range(before.players) if observer is None else (observer,)
    for seat in seats:
        before, after = before.observation(seat), after.observation(seat)
    new_views = {instance.path: view for instance, view in components_in_play(after)}
    for instance, view in components_in_play(before):
        old, new = (instance.component.number(v) for v in (view, new_views[instance.path]))
        if old is not None and new is not None and old != new:
            place = place_of(instance.path, instance.owner)
            yield Counted(place.name, place.owner, old, new)
