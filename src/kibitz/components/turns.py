"""Turn order: direction, skipping, elimination, rounds, and interruptions.

These are rule functions over the header of the state. A turn belongs to ``state.turn_owner``; the
player to move, ``state.player``, is another one only while that player reacts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.features import Feature, TableDescription, numbers, one_hot, seats
from kibitz.core.layout import Component
from kibitz.core.parameters import GameParameters
from kibitz.core.results import fail
from kibitz.core.status import Status
from kibitz.core.trace import Operation, note

if TYPE_CHECKING:
    from kibitz.core.layout import GameState


def start_round(state: GameState, player: int) -> None:
    """Starts a round with `player` as the first to move."""
    state.first_player = player
    state.turn_owner = player
    state.player = player


def next_player(state: GameState, player: int) -> int:
    """The next player after `player` in the current direction, without eliminated players.

    Returns `player` if all others are out.
    """
    candidate = player
    for _ in range(state.players):
        candidate += state.direction
        if candidate >= state.players:
            candidate = 0
        elif candidate < 0:
            candidate = state.players - 1
        if state.seat[candidate].out == 0:
            return candidate
    return player


def end_turn(state: GameState) -> None:
    """Passes the turn to the next player, passing over those that ``skip_players`` skipped."""
    note(Operation.END_TURN, 0, state.turn_owner, 0, 0)
    state.turn += 1
    player = next_player(state, state.turn_owner)
    while state.skip > 0:
        state.skip -= 1
        player = next_player(state, player)
    state.turn_owner = player
    state.player = player


def end_round(state: GameState) -> None:
    """Counts a round and the turn that ended it; the game calls ``start_round`` for the next."""
    note(Operation.END_ROUND, 0, state.round, 0, 0)
    state.turn += 1
    state.round += 1


def reverse_order(state: GameState) -> None:
    """Reverses the direction of play."""
    state.direction = -state.direction


def skip_players(state: GameState, number: int) -> None:
    """Makes the next `number` players lose their turn."""
    state.skip += number


def eliminate(state: GameState, player: int) -> None:
    """Eliminates a player: ``next_player`` passes over them."""
    note(Operation.ELIMINATE, 0, player, 0, 0)
    state.seat[player].out = 1


def restore_players(state: GameState) -> None:
    """Brings all eliminated players back, as at the start of a round."""
    for p in range(state.players):
        state.seat[p].out = 0


def players_left(state: GameState) -> int:
    """The number of players who are not out."""
    count = 0
    for p in range(state.players):
        if state.seat[p].out == 0:
            count += 1
    return count


def lead(
    state: Any, params: Any, player: int, standing: Callable[[Any, Any, int], float]
) -> float:
    """A player's standing minus the best of the others', which counts as at least 0.

    The rule function `standing` rates a player, given the state, the parameters and the player.
    """
    best_other = 0.0
    for p in range(state.players):
        if p != player:
            best_other = max(best_other, standing(state, params, p))
    return standing(state, params, player) - best_other


class Interrupts(Component):
    """Declares a stack of interrupted steps, for reactions out of turn and actions in parts.

    ``interrupt`` lets another player decide, in another phase; ``resume`` goes back to where
    the game was. Interruptions nest up to `capacity`. Each carries two numbers for the game.
    """

    depth: int
    player: list[int]
    phase: list[int]
    data: Any

    def __init__(self, capacity: int = 8) -> None:
        self.capacity = capacity

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype(
            [
                ("depth", np.int16),
                ("player", np.int16, (self.capacity,)),
                ("phase", np.int16, (self.capacity,)),
                ("data", np.int32, (self.capacity, 2)),
            ],
            align=True,
        )

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        return [
            {"player": view.player[i], "phase": view.phase[i], "data": list(view.data[i])}
            for i in range(view.depth)
        ]

    def problem(self, view: Any) -> str | None:
        if not 0 <= view.depth <= self.capacity:
            return f"its depth {view.depth} is outside 0 .. {self.capacity}"
        return None

    def describe(self, view: Any) -> str:
        steps = [f"player {view.player[i] + 1}" for i in range(view.depth)]
        return "then " + ", ".join(reversed(steps)) if steps else "none"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the depth, then the players, the phases and the two numbers of each entry."""
        fields: Any = dtype.fields
        n = self.capacity
        yield numbers(0, ("depth",), high=n)
        yield seats(fields["player"][1], table, ("player",), length=n, count=0)
        if table.phases:
            yield one_hot(fields["phase"][1], table.phases, ("phase",), length=n, count=0)
        yield numbers(fields["data"][1], ("number",), length=2 * n, item=4)


def interrupt(
    state: GameState, stack: Interrupts, player: int, phase: int, a: int = 0, b: int = 0
) -> None:
    """Pushes the current player and phase, and makes `player` decide in `phase`.

    The numbers `a` and `b` stay readable in ``stack.data[stack.depth - 1]``.
    """
    depth = stack.depth
    if depth >= len(stack.player):
        fail(state, Status.FULL_BUFFER)
        return
    stack.player[depth] = state.player
    stack.phase[depth] = state.phase
    stack.data[depth, 0] = a
    stack.data[depth, 1] = b
    stack.depth = depth + 1
    state.player = player
    state.phase = phase


def resume(state: GameState, stack: Interrupts) -> None:
    """Pops the player and phase that were interrupted last."""
    depth = stack.depth - 1
    if depth < 0:
        fail(state)
        return
    state.player = stack.player[depth]
    state.phase = stack.phase[depth]
    stack.player[depth] = 0
    stack.phase[depth] = 0
    stack.data[depth, 0] = 0
    stack.data[depth, 1] = 0
    stack.depth = depth
