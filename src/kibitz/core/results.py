"""Rule functions that end a game: they write its status, and each seat's place and returns.

Seats of one side (``core/sides.py``) get the same place and the same returns.
"""

from __future__ import annotations

from kibitz.core.layout import GameState
from kibitz.core.sides import count_sides, leads_side
from kibitz.core.status import Status


def fail(state: GameState, status: int = Status.RULES_ERROR) -> None:
    """Breaks off the game, for situations that should be impossible."""
    state.status = status


def win(state: GameState, player: int) -> None:
    """Ends the game: `player` and their side have won, all others share the last place."""
    for p in range(state.players):
        state.seat[p].place = 1 if state.seat[p].side == state.seat[player].side else 2
    finish_by_place(state)


def lose(state: GameState, player: int) -> None:
    """Ends the game: `player` and their side have lost, all others share the first place."""
    for p in range(state.players):
        state.seat[p].place = 2 if state.seat[p].side == state.seat[player].side else 1
    finish_by_place(state)


def draw_game(state: GameState) -> None:
    """Ends the game: everyone shares the first place."""
    for p in range(state.players):
        state.seat[p].place = 1
        state.seat[p].returns = 0.0
    state.status = Status.FINISHED


def win_together(state: GameState) -> None:
    """Ends the game: everyone has won, whatever the sides."""
    for p in range(state.players):
        state.seat[p].place = 1
        state.seat[p].returns = 1.0
    state.status = Status.FINISHED


def lose_together(state: GameState) -> None:
    """Ends the game: all have lost, whatever the sides."""
    for p in range(state.players):
        state.seat[p].place = 2
        state.seat[p].returns = -1.0
    state.status = Status.FINISHED


def finish_by_score(state: GameState, lowest_wins: bool = False) -> None:
    """Ends the game: places follow ``seat[p].score``, equal scores share the better place.

    The score of a side is the best of its seats; give partners the same. The returns follow from
    the places (``finish_by_place``). If all seats are one side, nobody is better or worse, and the
    returns are the score, squeezed into -1 .. 1.
    """
    n = state.players
    sign = -1.0 if lowest_wins else 1.0
    for p in range(n):
        best = sign * state.seat[p].score
        for q in range(n):
            if state.seat[q].side == state.seat[p].side:
                best = max(best, sign * state.seat[q].score)
        state.seat[p].returns = best
    for p in range(n):
        better = 0
        for q in range(n):
            if state.seat[q].returns > state.seat[p].returns:
                better += 1
        state.seat[p].place = 1 + better
    if count_sides(state) > 1:
        finish_by_place(state)
        return
    for p in range(n):
        state.seat[p].returns /= 1.0 + abs(state.seat[p].returns)
    state.status = Status.FINISHED


def finish_by_place(state: GameState) -> None:
    """Ends the game once every seat has a place; the seats of a side share their best place.

    The returns are the side's share in the first place, scaled to +1 for a sole winner and
    -1/(n - 1) for a loser among n sides: (n/k - 1)/(n - 1) for one of k winners. If all seats are
    one side, they are +1 for the first place and -1 for any other.
    """
    sides = 0
    firsts = 0
    for p in range(state.players):
        for q in range(state.players):
            if state.seat[q].side == state.seat[p].side:
                state.seat[p].place = min(state.seat[p].place, state.seat[q].place)
        if leads_side(state, p):
            sides += 1
            if state.seat[p].place == 1:
                firsts += 1
    for p in range(state.players):
        share = 1.0 / firsts if state.seat[p].place == 1 else 0.0
        state.seat[p].returns = (sides * share - 1.0) / (sides - 1) if sides > 1 else 2 * share - 1
    state.status = Status.FINISHED
