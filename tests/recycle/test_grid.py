"""Grids: the places in a row, a column, a diagonal and beside a place."""

from __future__ import annotations

import pytest
from tests.recycle.agreement import play_both
from tests.recycle.programs import choice, do, game
from tests.recycle.test_knowledge import table_of

from kibitz.core.wording import listed
from kibitz.recycle.parser import parse, program
from kibitz.recycle.printer import printed
from kibitz.syntax.source import Source

BOARD = "(declare (grid 3 4) 'BOARD)"
"""
0  1  2  3
4  5  6  7
8  9 10 11
"""


def places(collection: str, before: str = BOARD) -> list[int]:
    """The places in a collection, by an option for each."""
    text = game(
        do(f"(all {collection} 'I (inc (game sto SIZE)))"),
        choice(f"(any {collection} 'I (set (game sto X) 'I))", "(turn pass)"),
        before=before,
    )
    _, oracle = play_both(text, seed=1)
    assert oracle.status == "finished", oracle.problem
    first = table_of(text).new_state(1)
    picks = [first.table.rules.decode(first, a)[1] for a in first.legal_actions()]
    numbers = [pick[0] for pick in picks if pick]
    assert oracle.state.numbers.get(("game", "SIZE"), 0) == len(numbers)
    return numbers


@pytest.mark.parametrize(
    ("collection", "expected"),
    [
        ("'BOARD", list(range(12))),
        ("(row 5 'BOARD)", [4, 5, 6, 7]),
        ("(column 5 'BOARD)", [1, 5, 9]),
        ("(falling 5 'BOARD)", [0, 5, 10]),
        ("(falling 3 'BOARD)", [3]),
        ("(rising 5 'BOARD)", [2, 5, 8]),
        ("(rising 10 'BOARD)", [7, 10]),
        ("(neighbours 5 'BOARD)", [1, 4, 6, 9]),
        ("(neighbours 3 'BOARD)", [2, 7]),
        ("(around 5 'BOARD)", [0, 1, 2, 4, 6, 8, 9, 10]),
        ("(around 11 'BOARD)", [6, 7, 10]),
        ("(filter (row (+ 1 1) 'BOARD) 'J (> 'J 1))", [2, 3]),
        ("(row 0 (grid 1 5))", [0, 1, 2, 3, 4]),
        ("(neighbours 0 (grid 1 1))", []),
    ],
)
def test_places(collection: str, expected: list[int]) -> None:
    assert places(collection) == expected


def test_patterns_are_made_of_lines() -> None:
    """Three in a row, a column or a diagonal."""
    three = "(define (three 'L) (== 3 (size (filter 'L 'J (== (size (game vloc X 'J)) 1)))))"
    lines = [
        "(any (column 0 'B) 'I (three (row 'I 'B)))",
        "(any (row 0 'B) 'I (three (column 'I 'B)))",
        "(three (falling 0 'B))",
        "(three (rising 2 'B))",
    ]
    won = f"(or {' '.join(lines)})"
    for laid, expected in (([0, 1, 2], 1), ([1, 4, 7], 1), ([0, 4, 8], 1), ([2, 4, 6], 1)) + (
        ([0, 1, 3], 0),
        ([1, 5, 6], 0),
    ):
        text = game(
            do(
                *(f"(move (top (game vloc STOCK)) (top (game vloc X {i})))" for i in laid),
                f"({won} (set ((0 player) sto SCORE) 1))",
            ),
            choice("(turn pass)"),
            before=f"(declare (grid 3 3) 'B) {three}",
        )
        state, oracle = play_both(text, seed=1)
        assert oracle.status == "finished", oracle.problem
        assert state.scores()[0] == expected, laid


def test_a_place_that_is_not_there_breaks_the_game_off() -> None:
    text = game(
        do("(set (game sto X) (size (row (+ 12 0) 'BOARD)))"), choice("(turn pass)"), before=BOARD
    )
    state, oracle = play_both(text, seed=1)
    assert oracle.status == "error"
    assert "the grid has places 0 .. 11 only" in (state.table.wording.explain(state) or "")


def test_people_read_rows_and_columns() -> None:
    text = game(
        choice(
            "(any (filter 'BOARD 'I (== (size (game vloc X 'I)) 0)) 'I"
            " (move (top (game vloc STOCK)) (top (game vloc X 'I))))"
        ),
        before=BOARD,
    )
    state = table_of(text).new_state(1)
    words = [state.action_words(action) for action in state.legal_actions()]
    assert "row 2, column 3" in words[6], words
    assert [state.action(text) for text in words] == state.legal_actions()


def test_texts_may_have_functions_of_these_names() -> None:
    """As those have that were written before there were grids."""
    text = game(
        do("(tell (row 3))", "(inc (game sto X) (size (around (row 1))))"),
        choice("(turn pass)"),
        before="(define (row 'N) (top 'N (game vloc STOCK)))"
        " (define (tell 'L) (set (game sto X) (size 'L))) (define (around 'L) 'L)",
    )
    assert play_both(text, seed=1)[1].state.numbers["game", "X"] == 4


def test_a_grid_is_printed_and_read_again() -> None:
    text = game(
        do("(all (around 5 'BOARD) 'I (inc (game sto X) 'I))"), choice("(turn pass)"), before=BOARD
    )
    again = printed(program(Source("game.rcy", text)))
    assert "(declare (grid 3 4) 'BOARD)" in again
    assert "(around 5 'BOARD)" in again


@pytest.mark.parametrize(
    ("before", "value", "code", "piece"),
    [
        (BOARD, "(size (row 1))", "too-few-arguments", "(row 1)"),
        (BOARD, "(size (row 1 (1, 2, 3)))", "wrong-type", "(1, 2, 3)"),
        (BOARD, "(size (row player 'BOARD))", "wrong-type", "player"),
        ("(declare (grid 0 4) 'B)", "1", "bad-range", "(grid 0 4)"),
        ("(declare (grid 30 40) 'B)", "1", "bad-range", "(grid 30 40)"),
        ("(declare (grid 3) 'B)", "1", "wrong-shape", "(grid 3)"),
        ("(declare (grid 3 (size player)) 'B)", "1", "not-constant", "(size player)"),
    ],
)
def test_diagnostics(before: str, value: str, code: str, piece: str) -> None:
    text = game(do(f"(set (game sto X) {value})"), choice("(turn pass)"), before=before)
    _, diagnostics = parse(Source("game.rcy", text))
    assert (code, piece) in [(d.code, text[d.span.start : d.span.end]) for d in diagnostics], (
        listed([d.code for d in diagnostics])
    )
