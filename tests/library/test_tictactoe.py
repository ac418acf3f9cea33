"""Tic-Tac-Toe: its rules for every size, and known numbers of the literature."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from kibitz.core.actions import pack
from kibitz.core.errors import IllegalActionError, ParameterError
from kibitz.core.registry import load
from kibitz.core.state import State, count_pieces, hidden_share
from kibitz.core.status import Status
from kibitz.library.tictactoe.rules import SIDES, Move, TicTacToe

Line = list[tuple[int, int]]


@pytest.fixture(scope="module")
def game() -> TicTacToe:
    return TicTacToe(compiled=True)


def lines(size: int) -> Iterator[Line]:
    for i in range(size):
        yield [(x, i) for x in range(size)]
        yield [(i, y) for y in range(size)]
    yield [(i, i) for i in range(size)]
    yield [(i, size - 1 - i) for i in range(size)]


def board(state: State) -> dict[tuple[int, int], int]:
    size = state.table.parameters.size  # type: ignore[attr-defined]
    cells = state.view.board.cells
    return {(x, y): cells[y * size + x] for y in range(size) for x in range(size)}


def draw(state: State, picture: str) -> State:
    """Puts marks on the board as drawn, row by row; the first player is to move."""
    for i, mark in enumerate(picture.replace("/", "")):
        state.view.board.cells[i] = ".XO".index(mark)
    return state


# --- the whole game -----------------------------------------------------------------------


def test_every_game_there_is() -> None:
    """Games, positions and results: 255 168, 5 478, and chances known exactly."""
    known: dict[bytes, tuple[Fraction, Fraction, Fraction, int, int, Fraction]] = {}

    def explore(state: State) -> tuple[Fraction, Fraction, Fraction, int, int, Fraction]:
        """Random play's chances of first, second, draw; games; value; further moves."""
        key = bytes(state)
        if key in known:
            return known[key]
        if state.is_terminal:
            value = int(state.returns()[0])
            chances = [Fraction(value == v) for v in (1, -1, 0)]
            known[key] = (*chances, 1, value, Fraction(0))
            return known[key]
        following = []
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action)
            following.append(explore(after))
        first, second, drawn, games, values, moves = zip(*following, strict=True)
        n = len(following)
        best = max(values) if state.current_player == 0 else min(values)
        known[key] = (
            sum(first, Fraction(0)) / n,
            sum(second, Fraction(0)) / n,
            sum(drawn, Fraction(0)) / n,
            sum(games),
            best,
            1 + sum(moves, Fraction(0)) / n,
        )
        return known[key]

    first, second, drawn, games, value, moves = explore(TicTacToe(compiled=True).new_state())
    assert first == Fraction(737, 1260)  # .5849
    assert second == Fraction(121, 420)  # .2881
    assert drawn == Fraction(8, 63)  # .1270
    assert games == 255_168
    assert value == 0
    assert len(known) == 5_478
    assert float(moves) == pytest.approx(7.6262, abs=5e-5)


# --- rules --------------------------------------------------------------------------------


def test_the_first_player_begins_on_an_empty_board(game: TicTacToe) -> None:
    state = game.new_state()
    assert state.current_player == 0
    assert set(board(state).values()) == {0}


def test_players_mark_empty_cells_in_turn(game: TicTacToe) -> None:
    state = game.new_state(size=4)
    expected = dict.fromkeys(board(state), 0)
    for turn, (x, y) in enumerate([(3, 0), (0, 3), (1, 2), (2, 2)]):
        assert state.current_player == turn % 2
        state.apply(f"mark {x} {y}")
        expected[x, y] = 1 + turn % 2
        assert board(state) == expected


@pytest.mark.parametrize("size", SIDES)
def test_every_empty_cell_is_legal_and_no_other(game: TicTacToe, size: int) -> None:
    state = game.new_state(size=size)
    rng = random.Random(size)
    while not state.is_terminal:
        empty = {pack(Move.MARK, x, y) for (x, y), mark in board(state).items() if mark == 0}
        legal = state.legal_actions()
        assert len(legal) == len(empty)
        assert set(legal) == empty
        state.apply(rng.choice(legal))


@pytest.mark.parametrize("words", ["mark 3 0", "mark 0 3", "mark 1 1"])
def test_a_cell_that_is_marked_or_off_the_board_cannot_be_marked(
    game: TicTacToe, words: str
) -> None:
    state = game.new_state()
    state.apply("mark 1 1")
    with pytest.raises(IllegalActionError):
        state.apply(words)


@pytest.mark.parametrize("size", SIDES)
@pytest.mark.parametrize("player", [0, 1])
def test_a_full_row_column_or_diagonal_wins_whichever_cell_comes_last(
    size: int, player: int
) -> None:
    game = TicTacToe(compiled=False)
    tried = 0
    for line in lines(size):
        for last in line:
            state = game.new_state(size=size)
            state.view.player = state.view.turn_owner = player
            for x, y in line:
                if (x, y) != last:
                    state.view.board.cells[y * size + x] = player + 1
            state.apply(pack(Move.MARK, *last))
            assert state.status == Status.FINISHED
            assert state.returns()[player] == 1.0
            assert state.returns()[1 - player] == -1.0
            assert state.places()[player] == 1
            tried += 1
    assert tried == size * (2 * size + 2)


@pytest.mark.parametrize("size", SIDES)
def test_the_game_is_won_when_a_line_is_full_and_drawn_when_the_board_is(size: int) -> None:
    game = TicTacToe(compiled=True)
    rng = random.Random(size)
    ends = set()
    for _ in range(60):
        state = game.new_state(size=size)
        while True:
            mark = state.current_player + 1
            state.apply(rng.choice(state.legal_actions()))
            cells = board(state)
            won = any(all(cells[cell] == mark for cell in line) for line in lines(size))
            full = 0 not in cells.values()
            assert state.is_terminal == (won or full)
            if state.is_terminal:
                break
        ends.add(won)
        expected = [0.0, 0.0]
        if won:
            expected[mark - 1], expected[2 - mark] = 1.0, -1.0
        assert state.returns() == expected
        assert state.places() == ([1, 1] if not won else [mark, 3 - mark])
    assert False in ends  # some of the games were draws


def test_a_line_that_fills_the_board_wins(game: TicTacToe) -> None:
    state = game.new_state()
    for cell in ("0 0", "1 0", "1 1", "2 0", "2 1", "0 1", "0 2", "1 2", "2 2"):
        assert not state.is_terminal
        state.apply(f"mark {cell}")
    assert board(state)[2, 2] == 1
    assert state.returns() == [1.0, -1.0]


def test_a_line_of_three_does_not_win_on_a_larger_board(game: TicTacToe) -> None:
    state = draw(game.new_state(size=4), "XX../OO../..../....")
    state.apply("mark 2 0")
    assert not state.is_terminal


@pytest.mark.parametrize("size", [2, 8, 3.5])
def test_other_sizes_are_refused(size: float) -> None:
    with pytest.raises(ParameterError, match="whole number from 3 to 7"):
        TicTacToe(compiled=False).table(size=size)


def test_nothing_is_hidden(game: TicTacToe) -> None:
    state = game.new_state(size=5)
    state.apply("mark 2 3")
    assert [hidden_share(state, p) for p in range(2)] == [0.0, 0.0]
    assert count_pieces(state) == 25
    assert board(state.determinize(1)) == board(state)


# --- the heuristic ------------------------------------------------------------------------


def test_the_heuristic_is_what_one_player_gains_and_the_other_loses(game: TicTacToe) -> None:
    rng = random.Random(5)
    for size in SIDES:
        state = game.new_state(size=size)
        assert state.heuristic(0) == 0.0
        while not state.is_terminal:
            value = state.heuristic(0)
            assert -1.0 < value < 1.0
            assert state.heuristic(1) == -value
            state.apply(rng.choice(state.legal_actions()))
        assert [state.heuristic(p) for p in range(2)] == state.returns()


@pytest.mark.parametrize(
    ("picture", "value"),
    [
        (".../.X./...", 4 / 4 / 8),  # four lines, each with one of three marks
        ("X../.../...", 3 / 4 / 8),
        (".X./.../...", 2 / 4 / 8),
        ("XX./.../...", (1 / 2 + 3 / 4) / 8),
        (".../.O./...", -4 / 4 / 8),
        ("X../.O./...", (2 - 3) / 4 / 8),
        ("XOX/XOO/OXX", 0.0),
    ],
)
def test_the_heuristic_counts_open_lines_by_the_marks_in_them(
    game: TicTacToe, picture: str, value: float
) -> None:
    assert draw(game.new_state(), picture).heuristic(0) == pytest.approx(value)


def test_the_heuristic_prefers_the_centre_and_longer_lines() -> None:
    game = load("tic-tac-toe", compiled=False)
    pictures = ("XX./.../...", ".../.X./...", "X../.../...", ".X./.../...", ".../.../...")
    values = [draw(game.new_state(), picture).heuristic(0) for picture in pictures]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)
