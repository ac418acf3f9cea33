"""The status of a game, and its result: places, returns, scores.

The functions are rule functions; they write the state's header.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kibitz.core.layout import GameState

MAX_PLAYERS = 15
"""The maximum number of players: seats are bits of a signed 16-bit mask."""


class Status(enum.IntEnum):
    """Whether a game goes on, is over, or was broken off, and why."""

    PLAYING = 0
    FINISHED = 1
    FULL_BUFFER = 2
    """A component or the action list would exceed its capacity."""
    RULES_ERROR = 3
    """The rules called ``fail``, or raised an exception when uncompiled."""
    DEAD_END = 4
    """The player to move has no legal action."""
    ILLEGAL_ACTION = 5
    """An agent chose an action that is not legal."""
    LIMIT = 6
    """The game went on for more actions than allowed."""
    AGENT_ERROR = 7
    """An agent raised an exception."""
    INTERRUPTED = 8
    """A person stopped the run."""
    LOOP = 9
    """A state came back without chance or choice in between: the game goes round in circles."""
    SUSPECTED_LOOP = 10
    """A state came back so often that the game seems to go round in circles."""
    ENDLESS = 11
    """The rules ran on without reaching the next decision."""


def in_words(status: Status) -> str:
    """The status for people: ``rules error``, ``loop (it goes round in circles)``."""
    words = {
        Status.LOOP: " (it goes round in circles)",
        Status.SUSPECTED_LOOP: " (it seems to go round in circles)",
        Status.ENDLESS: " (the rules did not end between two decisions)",
    }
    return status.name.lower().replace("_", " ") + words.get(status, "")


def fail(state: GameState, status: int = Status.RULES_ERROR) -> None:
    """Breaks off the game, for situations that should be impossible."""
    state.status = status


def win(state: GameState, player: int) -> None:
    """Ends the game: `player` is first, everyone else shares the last place."""
    n = state.players
    for p in range(n):
        state.seat[p].place = 2
        state.seat[p].returns = -1.0 / (n - 1) if n > 1 else -1.0
    state.seat[player].place = 1
    state.seat[player].returns = 1.0
    state.status = Status.FINISHED


def draw_game(state: GameState) -> None:
    """Ends the game: everyone shares the first place."""
    for p in range(state.players):
        state.seat[p].place = 1
        state.seat[p].returns = 0.0
    state.status = Status.FINISHED


def win_together(state: GameState) -> None:
    """Ends a cooperative game: everyone has won."""
    for p in range(state.players):
        state.seat[p].place = 1
        state.seat[p].returns = 1.0
    state.status = Status.FINISHED


def lose_together(state: GameState) -> None:
    """Ends a cooperative game: nobody has won."""
    for p in range(state.players):
        state.seat[p].place = 2
        state.seat[p].returns = -1.0
    state.status = Status.FINISHED


def finish_by_score(state: GameState, lowest_wins: bool = False) -> None:
    """Ends the game: places follow ``seat[p].score``, equal scores share the better place.

    The returns follow from the places (``finish_by_place``).
    """
    n = state.players
    sign = -1.0 if lowest_wins else 1.0
    for p in range(n):
        better = 0
        for q in range(n):
            if sign * state.seat[q].score > sign * state.seat[p].score:
                better += 1
        state.seat[p].place = 1 + better
    finish_by_place(state)


def finish_by_place(state: GameState) -> None:
    """Ends the game once every seat has a place.

    The returns are the share in first place scaled to sum to zero: +1 for a sole winner,
    -1/(n - 1) for a loser, (n/k - 1)/(n - 1) for one of k winners.
    """
    n = state.players
    first = 0
    for p in range(n):
        if state.seat[p].place == 1:
            first += 1
    for p in range(n):
        share = 1.0 / first if state.seat[p].place == 1 else 0.0
        state.seat[p].returns = (n * share - 1.0) / (n - 1) if n > 1 else 2.0 * share - 1.0
    state.status = Status.FINISHED
