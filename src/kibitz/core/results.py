"""Rule functions that end a game: they write its status, and each seat's place and returns."""

from __future__ import annotations

from kibitz.core.layout import GameState
from kibitz.core.status import Status


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
