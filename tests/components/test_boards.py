"""Boards: sizes that follow parameters, hidden cells, graphs and their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.components.sandbox import numbers_of, problems, sandbox

from kibitz.components import (
    Graph,
    GraphBoard,
    GridBoard,
    cell_at,
    hide_cell,
    on_board,
    set_cell,
    show_cell,
)
from kibitz.core.errors import FileError, GameDefinitionError
from kibitz.core.layout import Component, Visibility
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.state import State, components_in_play, count_pieces, hidden_share


class Sizes(GameParameters):
    columns = Tunable(3, range(2, 6))
    rows = Tunable(4, range(1, 5))


def grid(columns: int = 3, rows: int = 4, **options: Any) -> State:
    board = GridBoard("columns", "rows", **options)
    return sandbox(2, parameters=Sizes, values={"columns": columns, "rows": rows}, board=board)


def component(state: State) -> tuple[Component, Any]:
    [(instance, view)] = components_in_play(state)
    return instance.component, view


# --- grids --------------------------------------------------------------------------------


@given(st.integers(2, 5), st.integers(1, 4))
def test_a_grid_has_the_size_that_the_parameters_say(columns: int, rows: int) -> None:
    state = grid(columns, rows)
    board = state.view.board
    assert (board.width, board.height) == (columns, rows)
    assert len(board.cells) == 5 * 4  # room for the largest
    cells = [(x, y) for x in range(-2, 8) for y in range(-2, 8) if on_board(board, x, y)]
    assert cells == [(x, y) for x in range(columns) for y in range(rows)]
    assert count_pieces(state) == columns * rows
    for number, (x, y) in enumerate(cells):
        set_cell(board, x, y, number % 3)
    assert [cell_at(board, x, y) for x, y in cells] == [n % 3 for n in range(len(cells))]
    assert problems(state) == []


def test_a_grid_can_have_a_fixed_size_and_one_side_serves_both() -> None:
    state = sandbox(2, board=GridBoard(4), other=GridBoard(2, 3))
    assert (state.view.board.width, state.view.board.height) == (4, 4)
    assert (state.view.other.width, state.view.other.height) == (2, 3)


def test_a_size_that_is_no_parameter_is_refused() -> None:
    with pytest.raises(GameDefinitionError, match="'size', which is not a parameter"):
        sandbox(2, parameters=Sizes, board=GridBoard("size"))


def test_a_grid_is_shown_in_rows() -> None:
    state = grid(3, 2, symbols=".XO")
    set_cell(state.view.board, 2, 0, 1)
    set_cell(state.view.board, 0, 1, 2)
    board, view = component(state)
    assert board.to_json(view) == [[0, 0, 1], [2, 0, 0]]
    assert board.describe(view).splitlines() == ["    0 1 2", "  0 . . X", "  1 O . ."]


def test_a_grid_as_numbers_has_one_for_each_cell_and_symbol() -> None:
    for columns, rows in ((2, 1), (5, 4)):
        state = grid(columns, rows)
        set_cell(state.view.board, 1, 0, 2)
        vector = numbers_of(state, 0, "board")
        assert len(vector) == 3 * columns * rows
        assert vector[:6] == [1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("index", "value", "complaint"),
    [(0, 3, "no symbol"), (0, -2, "no symbol"), (6, 1, "beyond the board"), (19, 2, "beyond")],
)
def test_what_is_wrong_with_a_grid_is_told(index: int, value: int, complaint: str) -> None:
    state = grid(3, 2)
    state.view.board.cells[index] = value
    [problem] = problems(state)
    assert complaint in problem


# --- hidden grids -------------------------------------------------------------------------

PIECES = [1, 1, 2, 2, 2, 0]


def hidden_grid(visible_to: Visibility = Visibility.NOBODY) -> State:
    state = grid(3, 2, visible_to=visible_to)
    for i, piece in enumerate(PIECES):
        state.view.board.cells[i] = piece
    return state


@given(st.integers(0, 2**40))
def test_hidden_cells_are_exchanged_on_the_board_only(seed: int) -> None:
    sample = hidden_grid().determinize(0, seed)
    cells = list(sample.view.board.cells)
    assert sorted(cells[:6]) == sorted(PIECES)
    assert not any(cells[6:])
    assert problems(sample) == []


def test_hidden_cells_vary() -> None:
    state = hidden_grid()
    samples = {tuple(state.determinize(0, seed).view.board.cells) for seed in range(900)}
    assert len(samples) == 60  # 6! / (2! 3! 1!)


def test_a_cell_that_was_seen_stays() -> None:
    state = hidden_grid()
    state.view.board.seen[4] = 0b01
    assert {state.determinize(0, seed).view.board.cells[4] for seed in range(30)} == {2}
    assert {state.determinize(1, seed).view.board.cells[4] for seed in range(60)} == {0, 1, 2}


def test_only_the_cells_of_the_board_count_as_hidden() -> None:
    state = hidden_grid()
    assert count_pieces(state) == 6
    assert hidden_share(state, 0) == 1.0
    state.view.board.seen[0] = 0b10
    assert [hidden_share(state, p) for p in range(2)] == [1.0, 5 / 6]


def test_a_hidden_grid_is_shown_as_far_as_it_is_seen() -> None:
    state = hidden_grid()
    state.view.board.seen[1] = 0b01
    board, view = component(state.observation(0))
    assert board.to_json(view) == [[-1, 1, -1], [-1, -1, -1]]
    assert board.describe(view).splitlines()[1] == "  0 ? X ?"
    assert numbers_of(state, 0, "board")[:6] == [0, 0, 0, 0, 1, 0]
    assert problems(state.observation(0)) == []


def test_a_cell_is_shown_to_one_player_and_hidden_again() -> None:
    state = hidden_grid()
    view = state.view.board
    set_cell(view, 2, 1, 1)

    def known() -> list[list[list[int]]]:
        return [board.to_json(state.observation(player).view.board) for player in range(2)]

    board, _ = component(state)
    hidden = [[-1, -1, -1], [-1, -1, -1]]
    assert known() == [hidden, hidden]
    show_cell(view, 2, 1, 1)
    assert known() == [hidden, [[-1, -1, -1], [-1, -1, 1]]]
    show_cell(view, 2, 1, 0)
    assert list(view.seen)[:6] == [0, 0, 0, 0, 0, 0b11]
    hide_cell(view, 2, 1, 1)
    assert known() == [[[-1, -1, -1], [-1, -1, 1]], hidden]


def test_cells_are_numbered_row_by_row() -> None:
    view = sandbox(1, board=GridBoard(3, 2, ["free", "taken", "closed"])).view.board
    set_cell(view, 2, 0, 1)
    set_cell(view, 1, 1, 2)
    assert list(view.cells) == [0, 0, 1, 0, 2, 0]
    assert [[cell_at(view, x, y) for x in range(3)] for y in range(2)] == [[0, 0, 1], [0, 2, 0]]


def test_an_open_grid_hides_nothing() -> None:
    state = hidden_grid(Visibility.EVERYONE)
    assert hidden_share(state, 0) == 0.0
    assert state.determinize(1, 3).view.board.cells[0] == 1
    assert list(state.observation(0).view.board.cells) == list(state.view.board.cells)


# --- graphs -------------------------------------------------------------------------------

PLACES = ("Rome", "Oslo", "Bern", "Faro")
EDGES = (("Rome", "Bern"), ("Oslo", "Bern"), ("Bern", "Faro"))


def test_a_graph_knows_the_neighbours_of_each_place() -> None:
    graph = Graph(PLACES, EDGES)
    assert graph.degree.tolist() == [1, 1, 3, 1]
    assert graph.neighbours.tolist() == [[2, -1, -1], [2, -1, -1], [0, 1, 3], [2, -1, -1]]
    assert graph.word(2) == "Bern"
    assert len(graph) == 4


def test_a_graph_without_edges_has_room_for_a_neighbour_all_the_same() -> None:
    graph = Graph(["Island"], [])
    assert graph.neighbours.tolist() == [[-1]]


@pytest.mark.parametrize(
    ("places", "edges", "complaint"),
    [
        (["A", "B", "A"], [], "same name"),
        (["A", "B"], [("A", "C")], "A - C names an unknown place"),
        (["A", "B"], [("C", "B")], "C - B names an unknown place"),
    ],
)
def test_a_graph_that_cannot_be_is_refused(
    places: list[str], edges: list[tuple[str, str]], complaint: str
) -> None:
    with pytest.raises(GameDefinitionError, match=complaint):
        Graph(places, edges)


def test_a_graph_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"places": PLACES, "edges": EDGES}))
    graph = Graph.from_json(file)
    assert (Graph.from_json(str(file)).neighbours == graph.neighbours).all()
    assert graph.words == PLACES
    assert graph.neighbours.tolist() == Graph(PLACES, EDGES).neighbours.tolist()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", r":1:1: is not JSON"),
        ('{"places": ["A"],\n"edges" []}', r":2:9: "),
        ("[]", "expected a JSON object"),
        ("{}", "needs places and edges"),
        ('{"places": ["A"]}', "needs places and edges"),
        ('{"places": 3, "edges": []}', "needs places and edges"),
        ('{"places": ["A"], "edges": [["A"]]}', "needs places and edges"),
        ('{"places": ["A"], "edges": [["A", "A", "A"]]}', "needs places and edges"),
        ('{"places": ["A"], "edges": [3]}', "needs places and edges"),
        ('{"places": ["A"], "edges": [["A", "B"]]}', "A - B names an unknown place"),
        ('{"places": ["A", "A"], "edges": []}', "same name"),
    ],
)
def test_a_file_without_a_graph_is_refused_by_name(
    tmp_path: Path, content: str, complaint: str
) -> None:
    file = tmp_path / "map.json"
    file.write_text(content)
    with pytest.raises(FileError, match=complaint) as caught:
        Graph.from_json(file)
    assert str(file) in str(caught.value)


def test_a_missing_map_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"absent\.json: cannot be read"):
        Graph.from_json(tmp_path / "absent.json")


def test_a_graph_board_holds_numbers_for_each_place() -> None:
    state = sandbox(2, map=GraphBoard(Graph(PLACES, EDGES), tracks=("cubes", "station")))
    at = state.view.map.at
    assert [at[place, track] for place in range(4) for track in range(2)] == [0] * 8
    board, view = component(state)
    assert board.describe(view) == "empty"
    at[2, 0] = 3
    at[0, 1] = 1
    assert board.to_json(view) == {
        "Rome": {"station": 1},
        "Oslo": {},
        "Bern": {"cubes": 3},
        "Faro": {},
    }
    assert board.describe(view) == "\n  Rome: station 1\n  Bern: cubes 3"
    squashed = [x / (x + 16) for x in (0, 1, 0, 0, 3, 0, 0, 0)]
    assert numbers_of(state, 0, "map") == pytest.approx(squashed)
    assert count_pieces(state) == 4
    assert problems(state) == []
    with pytest.raises(IndexError):
        at[4, 0] = 1
