"""Games as text: every move with its events, and at times the open part of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.status import Status, in_words
from kibitz.core.wording import counted
from kibitz.loading import Playable
from kibitz.sessions.recording import BROKEN_BY_MATCH, broken_off, replay
from kibitz.sessions.records import Move, Record, Result, check_record
from kibitz.sessions.telling import tell
from kibitz.sessions.updates import Update

SELDOM = 5
"""Rounds between two views of the table, in games whose rounds are as short as turns."""

DIGITS = 3
"""Columns of a move's number: while a game is played nobody knows how many moves it will have."""


def transcript(record: Record, table: Playable | None = None) -> str:
    """The whole game as text: each move with its events.

    >>> import kibitz
    >>> record = kibitz.record("tic-tac-toe", seed=1)
    >>> kibitz.transcript(record).splitlines()[:2]
    ['Tic-Tac-Toe, 2 players', 'Seed 1']

    Args:
        record: of the game.
        table: where it was played; needed only for a game that is not registered.

    Raises:
        ParameterError: it is no record.
        IllegalActionError: a move is not legal.
        FileError: the record contradicts itself or the rules.
    """
    return "\n".join(transcript_lines(record, table)) + "\n"


def transcript_lines(record: Record, table: Playable | None = None) -> Iterator[str]:
    """The lines of a transcript; raises what ``transcript`` raises."""
    check_record(record)
    telling = Transcript(record.table(table), record.agents, record.seed)
    yield from telling.heading()
    for state, move in zip(replay(record, telling.table), (None, *record.moves), strict=True):
        yield from telling.step(state, move)
    yield from telling.ending(record.result)


class Transcript:
    """Tells a game line by line, while it is played or replayed.

    Args:
        table: where it is played.
        agents: who plays, seat by seat.
        seed: of the game, which the heading shows.
    """

    def __init__(self, table: Table, agents: Sequence[str], seed: int) -> None:
        self.table = table
        self._agents = agents
        self._seed = seed
        self._state: State | None = None
        self._moves = 0
        self._round = 0

    def heading(self) -> Iterator[str]:
        """What is played, and by whom."""
        game, players = self.table.game, self.table.players
        changed = self.table.parameters.changed(players)
        values = "".join(f", {name}={value}" for name, value in changed.items())
        yield f"{game.title or game.name}, {counted(players, 'player')}{values}"
        yield f"Seed {self._seed}"
        for p, agent in enumerate(self._agents):
            yield f"Player {p + 1}: {agent}"

    def step(self, state: State, move: Move | None) -> Iterator[str]:
        """A move and its events.

        Args:
            state: after it; it must not change any more.
            move: ``None``: what the rules did before the first.
        """
        before, self._state = self._state, state
        game = self.table.game
        if before is None or move is None:
            opening = tell(self.table.wording.opening(state, None), None, self.table.players)
            if opening:
                yield from ("", *(event.text for event in opening))
            yield from _seen("At the start everyone could see:", state)
            return
        self._moves += 1
        yield from update_lines(self._moves, Update(move, before, state))
        rounds = 1 if game.logs_rounds else SELDOM
        if state.view.round >= self._round + rounds and not state.is_terminal:
            self._round = int(state.view.round)
            yield from _seen(f"After round {self._round} everyone could see:", state)

    def ending(self, result: Result) -> Iterator[str]:
        """The table with everything open, and who won, or why nobody did."""
        if self._state is not None:
            yield from _block("At the end, with nothing hidden:", _shown(self._state))
            yield from _result(result, self._agents, self._state)


def update_lines(number: int, update: Update) -> Iterator[str]:
    """A move of a game with its number, and below it its events."""
    for event in update.events():
        if event.kind == "action":
            text = event.text
            if update.move.forced:
                text = f"{text.removesuffix('.')} (the only move){'.' * text.endswith('.')}"
            yield f"{number:{DIGITS}}. {text}"
        else:
            yield " " * (DIGITS + 2) + event.text


def _seen(title: str, state: State) -> Iterator[str]:
    """What every player sees."""
    for player in range(state.players):
        state = state.observation(player)
    yield from _block(title, _shown(state))


def _shown(state: State) -> list[str]:
    """A state in words, without what is empty or zero."""
    own = state.table.wording.describe(state, None)
    if own is not None:
        return str(own).splitlines()
    lines = state.describe().splitlines()
    return [line for line in lines if not line.endswith((": empty", ": 0"))]


def _block(title: str, lines: list[str]) -> Iterator[str]:
    yield ""
    yield title
    yield from (f"    {line}" for line in lines)
    yield ""


def _result(result: Result, agents: Sequence[str], last: State) -> Iterator[str]:
    """Who won, or why nobody did."""
    status = Status[result.status.upper()]
    if status != Status.FINISHED:
        known = (
            None if status in BROKEN_BY_MATCH else last.table.wording.explanation(broken_off(last))
        )
        yield f"The game was not finished: {in_words(status)}{f': {known}' if known else ''}."
        if result.culprit is not None:
            chose = (
                f" chose {result.refused!r}, which is not legal" if result.refused else " failed"
            )
            yield f"Player {result.culprit + 1} ({agents[result.culprit]}){chose}."
        return
    yield last.headline()
    scored = any(result.scores)
    together = last.players > 1 and len(set(result.places)) == 1 and any(last.returns())
    if together and not scored:
        return
    for p in sorted(range(last.players), key=lambda p: result.places[p]):
        points = f", score {result.scores[p]:g}" if scored else ""
        place = "" if together else f"{result.places[p]}. "  # a team has none among itself
        yield f"  {place}player {p + 1} ({agents[p]}){points}"
