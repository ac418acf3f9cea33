"""Rows of events: what each seat was told in a game.

The match loop writes down what was decided and no more. A game is played again in a session, from
its seed and its decisions, and the session says who is told what. That is Python, and takes some
hundred times as long as to play the game.
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

Told = tuple[int, int | None, int, Event]
"""The number of the action, the seat that is told, the number of the event there, the event."""


def event_rows(
    table: Table, game: int, seed: int, chosen: Iterable[int], stop: np.ndarray[Any, Any]
) -> pa.Table | None:
    """A row for each event of a game and for each listener who is told of it.

    Args:
        table: where it was played.
        game: its number in the run.
        seed: of the game.
        chosen: the actions that were chosen where there was a choice, in order.
        stop: one 64-bit integer; non-zero: nobody waits for the rows any more.

    Returns:
        The rows; ``None`` if it was stopped.
    """
    import pyarrow as pa

    told = list(_events(table, seed, chosen, stop))
    if stop[0]:
        return None
    columns: dict[str, list[Any]] = {
        "game": [game] * len(told),
        "action": [action for action, _, _, _ in told],
        "seat": [None if seat is None else seat + 1 for _, seat, _, _ in told],
        "number": [number for _, _, number, _ in told],
        "kind": [event.kind for _, _, _, event in told],
        "words": [event.text for _, _, _, event in told],
        "data": [json.dumps(event.data, ensure_ascii=False) for _, _, _, event in told],
    }
    return pa.table(columns, schema=event_schema())


def joined_events(parts: Sequence[pa.Table]) -> pa.Table:
    """Several tables of event rows as one, in a single chunk."""
    import pyarrow as pa

    return pa.concat_tables([event_schema().empty_table(), *parts]).combine_chunks()


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
) -> Iterator[Told]:
    """All events of a game, by action and listener, as far as the game can be replayed."""
    listeners = (None, *range(table.players))
    choices = iter(chosen)
    try:
        session = Session(table, [None] * table.players, seed)
    except Exception:  # the match loop broke the game off here, too, and knows why
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
