"""Rows of events: the events of a game that each seat observed.

The match loop records decisions only. A game is replayed in a session from its seed and its
decisions, and the session gives the events of each seat. The session is Python code and takes
about a hundred times as long as the game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.changes import Event
from kibitz.core.game import Table
from kibitz.sessions.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

SeatEvent = tuple[int, int | None, int, Event]
"""An observed event: number of the action, seat (``None``: the record), number there, event."""


def event_rows(
    table: Table, game: int, seed: int, chosen: Iterable[int], stop: np.ndarray[Any, Any]
) -> pa.Table | None:
    """A row for each event of a game and each listener that observes it; ``None`` if stopped.

    Args:
        game: number of the game in the run.
        seed: seed of the game.
        chosen: the actions chosen at decisions, in order.
        stop: one 64-bit integer; a non-zero value stops the replay.
    """
    import pyarrow as pa

    events = list(_events(table, seed, chosen, stop))
    if stop[0]:
        return None
    columns: dict[str, list[Any]] = {
        "game": [game] * len(events),
        "action": [action for action, _, _, _ in events],
        "seat": [None if seat is None else seat + 1 for _, seat, _, _ in events],
        "number": [number for _, _, number, _ in events],
        "kind": [event.kind for _, _, _, event in events],
        "words": [event.text for _, _, _, event in events],
        "data": [json.dumps(event.data, ensure_ascii=False) for _, _, _, event in events],
    }
    return pa.table(columns, schema=event_schema())


def joined_events(tables: Sequence[pa.Table]) -> pa.Table:
    """Several tables of event rows as one, in a single chunk."""
    import pyarrow as pa

    return pa.concat_tables([event_schema().empty_table(), *tables]).combine_chunks()


def event_schema() -> pa.Schema:
    """The Arrow schema of event rows."""
    import pyarrow as pa

    return pa.schema(
        {
            "game": pa.int64(),
            "action": pa.int32(),
            "seat": pa.int8(),
            "number": pa.int32(),
            "kind": pa.string(),
            "words": pa.string(),
            "data": pa.string(),
        }
    )


def _events(
    table: Table, seed: int, chosen: Iterable[int], stop: np.ndarray[Any, Any]
) -> Iterator[SeatEvent]:
    """The events of a game by action and listener, as far as the game can be replayed."""
    listeners = (None, *range(table.players))
    choices = iter(chosen)
    try:
        session = Session(table, [None] * table.players, seed)
    except Exception:  # the match loop broke the game off here, too, and recorded why
        return
    for seat in listeners:
        for number, event in enumerate(session.opening(seat), 1):
            yield 0, seat, number, event
    while not stop[0] and not session.is_over:
        try:
            legal = session.state.legal_actions()
            action = legal[0] if len(legal) == 1 else next(choices, None)
            if action is None:  # an agent failed
                return
            update = session.apply(action)
        except Exception:  # as above
            return
        for seat in listeners:
            for number, event in enumerate(update.events(seat), 1):
                yield update.after.tick, seat, number, event
