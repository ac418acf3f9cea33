"""A recorded game told in words: every move and its events, and at times what all could see."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.status import Status, in_words
from kibitz.core.wording import counted
from kibitz.sessions.record import Record, replay
from kibitz.sessions.session import Update
from kibitz.sessions.telling import tell

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
    digits = len(str(len(record.moves)))
    states = replay(record, table)
    state = next(states)
    opening = tell(table.game.opening(state, None), None, table.players)
    if opening:
        yield from ("", *(event.text for event in opening))
    yield from _seen("At the start everyone could see:", state)
    for number, (after, move) in enumerate(zip(states, record.moves, strict=True), 1):
        yield from update_lines(number, Update(move, state, after), digits)
        state = after
        if state.view.round >= round_number + rounds and not state.is_terminal:
            round_number = state.view.round
            yield from _seen(f"After round {round_number} everyone could see:", state)
    yield from _block("At the end, with nothing hidden:", _shown(state))
    yield from _result(record, state)


def update_lines(number: int, update: Update, digits: int = 0) -> Iterator[str]:
    """A move of a game with its number, and below it what came of it."""
    width = digits + 1 if digits else 0
    for event in update.events():
        if event.kind == "action":
            forced = " (the only move)" if update.move.forced else ""
            yield f"{number:{width}}. {event.text}{forced}"
        else:
            yield " " * (width + 2) + event.text


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
