"""Tic-Tac-Toe on a square board: the first full row, column or diagonal wins.

Source: traditional. On larger boards a line must still fill the whole side, as in TAG.

Parameters: ``size``, the side of the board (3).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kibitz.authoring import (
    Action,
    ActionKinds,
    ActionList,
    Game,
    GameParameters,
    GameState,
    GridBoard,
    Tunable,
    add_if,
    cell_at,
    draw_game,
    end_turn,
    operand,
    pack,
    read_json_object,
    set_cell,
    win,
)

SIDES = range(3, 8)


class Move(ActionKinds):
    """The kinds of actions."""

    MARK = Action("mark {x} {y}", x=range(SIDES.stop - 1), y=range(SIDES.stop - 1))


class Parameters(GameParameters):
    """The size of the board."""

    size = Tunable(3, SIDES, "side of the board, and length of a winning line")


class TicTacToeState(GameState):
    """The board: 0 is empty, 1 and 2 are the players' marks."""

    board = GridBoard("size", symbols=".XO")


class TicTacToe(Game):
    """Players mark empty cells in turn; a full line wins, a full board is a draw."""

    name = "tic-tac-toe"
    title = "Tic-Tac-Toe"
    players = (2, 2)
    categories = ("abstract",)
    mechanics = ("pattern building", "perfect information")
    zero_sum = True
    source = "traditional"
    max_ticks = 100
    how_to_play = read_json_object(Path(__file__).with_name("how_to_play.json"))
    Parameters = Parameters
    State = TicTacToeState
    Actions = Move

    @staticmethod
    def setup(state: TicTacToeState, params: Any) -> None:
        """Does nothing: the board of a blank state is empty, and the first player begins."""

    @staticmethod
    def legal_actions(state: TicTacToeState, params: Any, actions: ActionList) -> None:
        """Adds every empty cell."""
        for y in range(params.size):
            for x in range(params.size):
                add_if(cell_at(state.board, x, y) == 0, actions, pack(Move.MARK, x, y))

    @staticmethod
    def apply_action(state: TicTacToeState, params: Any, action: int) -> None:
        """Marks a cell and looks for a line through it."""
        x = operand(action, 0)
        y = operand(action, 1)
        player = state.player
        set_cell(state.board, x, y, player + 1)
        end_turn(state)
        if completes_line(state.board, x, y, player + 1, params.size):
            win(state, player)
        elif state.tick >= params.size * params.size:
            draw_game(state)

    @staticmethod
    def heuristic(state: TicTacToeState, params: Any, player: int) -> float:
        """The player's open lines minus the opponent's, weighted by the marks in them."""
        size = params.size
        total = 0.0
        for i in range(size):
            total += line_value(state.board, 0, i, 1, 0, size, player)
            total += line_value(state.board, i, 0, 0, 1, size, player)
        total += line_value(state.board, 0, 0, 1, 1, size, player)
        total += line_value(state.board, size - 1, 0, -1, 1, size, player)
        return total / (2.0 * size + 2.0)


def completes_line(board: GridBoard, x: int, y: int, mark: int, size: int) -> bool:
    """Whether `mark`, just placed at (x, y), fills a row, a column or a diagonal.

    All four lines are counted, since that is faster than unpredictable branches. A diagonal that
    does not pass through (x, y) cannot be full, or the game would be over.
    """
    row = 0
    column = 0
    falling = 0
    rising = 0
    for i in range(size):
        row += cell_at(board, i, y) == mark
        column += cell_at(board, x, i) == mark
        falling += cell_at(board, i, i) == mark
        rising += cell_at(board, i, size - 1 - i) == mark
    return max(max(row, column), max(falling, rising)) == size


def line_value(
    board: GridBoard, x: int, y: int, dx: int, dy: int, size: int, player: int
) -> float:
    """The value of a line: positive with marks of `player` only, negative with others' only.

    It doubles with every further mark: 2 ** (marks - size).
    """
    own = 0
    other = 0
    for i in range(size):
        cell = cell_at(board, x + i * dx, y + i * dy)
        if cell == player + 1:
            own += 1
        elif cell != 0:
            other += 1
    if (own > 0) == (other > 0):
        return 0.0
    worth = 1.0
    for _ in range(size - own - other):
        worth *= 0.5
    return worth if own > 0 else -worth
