"""A recorded game told in words: every move, and now and then what everyone could see."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.arena.record import Move, Record, replay
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.status import Status, in_words
from kibitz.core.wording import counted

SELDOM = 5
"""In games whose rounds are as short as turns the table is shown after so many of them."""


def transcript(record: Record, table: Table | None = None) -> str:
    """The whole game as text.

    Raises:
        IllegalActionError: a move is not legal.
        FileError: the record contradicts itself or the rules.
    """
    return "\n".join(_lines(record, record.table() if table is None else table)) + "\n"


def _lines(record: Record, table: Table) -> Iterator[str]:
    changed = table.parameters.changed(table.players)
    values = "".join(f", {name}={value}" for name, value in changed.items())
    yield f"{table.game.title or record.game}, {counted(record.players, 'player')}{values}"
    yield f"Seed {record.seed}"
    for p, agent in enumerate(record.agents):
        yield f"Player {p + 1}: {agent}"
    round_number, rounds = 0, 1 if table.game.announced else SELDOM
    last: State | None = None
    digits = len(str(len(record.moves)))
    for number, state in enumerate(replay(record, table)):
        if last is not None:
            move = record.moves[number - 1]
            yield f"{number:{digits + 1}}. Player {move.player + 1}: {retold(move, last)}"
        if number == 0:
            yield from _seen("At the start everyone could see:", state)
        elif state.view.round >= round_number + rounds and not state.is_terminal:
            round_number = state.view.round
            yield from _seen(f"After round {round_number} everyone could see:", state)
        last = state
    if last is not None:
        yield from _block("At the end, with nothing hidden:", _shown(last))
        yield from _result(record, last)


def retold(move: Move, before: State) -> str:
    """A recorded move, with what came of it, and whether there was a choice."""
    return move.told.replace(move.words, before.game.transcribed(before, move.action), 1)


def _seen(title: str, state: State) -> Iterator[str]:
    """What every player sees."""
    for player in range(state.players):
        state = state.observation(player)
    yield from _block(title, _shown(state))


def _shown(state: State) -> list[str]:
    """A state in words, without what is empty or zero."""
    own = state.game.describe(state, None)
    if own is not None:
        return str(own).splitlines()
    lines = state.describe().splitlines()
    return [line for line in lines if not line.endswith((": empty", ": 0"))]


def _block(title: str, lines: list[str]) -> Iterator[str]:
    yield ""
    yield title
    yield from (f"    {line}" for line in lines)
    yield ""


def _result(record: Record, last: State) -> Iterator[str]:
    """Who won, or why nobody did."""
    result = record.result
    if result.status != Status.FINISHED.name.lower():
        why = f": {known}" if (known := last.explanation()) else ""
        yield f"The game was not finished: {in_words(Status[result.status.upper()])}{why}."
        if result.culprit is not None:
            chose = (
                f" chose {result.refused!r}, which is not legal" if result.refused else " failed"
            )
            yield f"Player {result.culprit + 1} ({record.agents[result.culprit]}){chose}."
        return
    yield last.headline()
    scored = any(result.scores)
    together = last.players > 1 and len(set(result.places)) == 1 and any(last.returns())
    if together and not scored:
        return
    for p in sorted(range(record.players), key=lambda p: result.places[p]):
        points = f", score {result.scores[p]:g}" if scored else ""
        place = "" if together else f"{result.places[p]}. "  # a team has none among itself
        yield f"  {place}player {p + 1} ({record.agents[p]}){points}"
