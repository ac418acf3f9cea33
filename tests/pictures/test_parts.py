"""Parts of pictures: texts, fans of cards, boards of facts, pieces, faces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.pictures.cards import RATIO, Card, fan
from kibitz.pictures.faces import face_of_attributes, face_of_name
from kibitz.pictures.facts import board_of, falls, parsed
from kibitz.pictures.pieces import Piece, piece_of
from kibitz.pictures.text import shortened, text_width, wrapped

WORDS = st.lists(st.text("abcWil ", min_size=1, max_size=12), max_size=12).map(" ".join)


@given(WORDS, st.floats(30, 300), st.integers(1, 4))
def test_texts_fit(text: str, width: float, most: int) -> None:
    assert text_width(shortened(text, width, 12), 12) <= width
    lines = wrapped(text, width, 12, most)
    assert len(lines) <= most
    assert all(text_width(line, 12) <= width for line in lines)


@given(st.integers(1, 60), st.floats(60, 1900), st.floats(20, 100))
def test_cards_of_a_fan_do_not_cover_each_other(count: int, width: float, size: float) -> None:
    spread = fan([Card(f"card-{i}", None) for i in range(count)], width, size)
    assert spread.width <= width + 0.01
    assert spread.rows * spread.each >= count
    if spread.each > 1:
        assert spread.step >= spread.card * 0.36 - 0.01
    assert spread.height >= spread.card * RATIO


def test_a_hand_of_twenty_fits_on_a_phone() -> None:
    spread = fan([Card(f"card-{i}", None) for i in range(20)], 354, 72)
    assert (spread.rows, spread.each) == (2, 10)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("noop", ("noop",)),
        ("(cell 2 3 x)", ("cell", "2", "3", "x")),
        ("(at (pos 1 2) (piece (of white)))", ("at", "(pos 1 2)", "(piece (of white))")),
    ],
)
def test_facts_are_parsed(text: str, parts: tuple[str, ...]) -> None:
    assert parsed(text) == parts


def facts(*texts: str) -> list[tuple[str, ...]]:
    return [parsed(text) for text in texts]


def test_a_board_is_found_among_facts() -> None:
    cells = [f"(cell {x} {y} {c})" for x in "abc" for y in "1234" for c in ("x", "b")]
    board = board_of(facts(*cells, "(control white)", "(step 1)", "(step 2)"))
    assert board is not None
    assert board.size == (3, 4)
    assert board.position(("a", "1")) == (0, 3)  # the first row is the lowest
    assert board.where(parsed("(cell b 2 x)")) == ("b", "2")
    assert board.content(parsed("(cell b 2 x)")) == ("x",)
    assert board.where(parsed("(step 1)")) is None
    assert board.cells(["a", "1", "c", "4"]) == [("a", "1"), ("c", "4")]


def test_rows_come_first_where_variables_say_so() -> None:
    cells = [f"(cell {r} {c} x)" for r in (1, 2) for c in (1, 2, 3)]
    board = board_of(facts(*cells), text="(true (cell ?row ?col x))")
    assert board is not None
    assert board.size == (3, 2)
    assert board.position(("2", "3")) == (2, 1)


def test_a_square_in_one_word() -> None:
    cells = [f"(cell {x}{y} red)" for x in "abc" for y in "123"]
    board = board_of(facts(*cells))
    assert board is not None
    assert board.cells(["b2", "c3"]) == [("b2",), ("c3",)]
    assert board.position(("b2",)) == (1, 1)


def test_a_board_of_boards() -> None:
    span = "12"
    cells = [f"(mark {a} {b} {c} {d} x)" for a in span for b in span for c in span for d in span]
    board = board_of(facts(*cells))
    assert board is not None
    assert board.size == (4, 4)
    assert board.position(("2", "1", "1", "2")) == (2, 1)


def test_numbers_of_things_are_no_board() -> None:
    heaps = facts(*(f"(heap {h} {n})" for h in "abcd" for n in range(8)))
    first = facts("(heap a 1)", "(heap b 3)", "(heap c 5)", "(heap d 7)")
    assert board_of(heaps, first) is None


def test_pieces_fall_where_moves_name_a_column() -> None:
    board = board_of(facts(*(f"(cell {x} {y} r)" for x in range(1, 8) for y in range(1, 7))))
    assert board is not None
    assert falls(facts("(drop 1)", "(drop 7)", "noop"), board)
    assert not falls(facts("(move 1 2)"), board)


@pytest.mark.parametrize(
    ("content", "chess", "piece"),
    [
        (("white", "pawn"), True, Piece("pawn", "white")),
        (("whiteKnight",), True, Piece("knight", "white")),
        (("bq",), True, Piece("queen", "black")),
        (("wp",), False, Piece("disc", "white")),
        (("wk",), False, Piece("disc", "white", "crowned")),
        (("red",), False, Piece("disc", "red")),
        (("x",), False, Piece("cross", "blue")),
        (("12",), False, Piece("tile", "", "12")),
        (("left",), False, Piece("disc", "blue")),
        (("wumpus",), False, Piece("", "", "wumpus")),
    ],
)
def test_pieces_by_their_words(content: tuple[str, ...], chess: bool, piece: Piece) -> None:
    assert piece_of(content, ("left", "right"), chess) == piece


@pytest.mark.parametrize(
    ("name", "index", "suit", "hue"),
    [
        ("TEN HEARTS", "10", "hearts", "red"),
        ("K CLUBS", "K", "clubs", "black"),
        ("red 5", "5", "", "red"),
        ("green Draw Two", "+2", "", "green"),
        ("Guard", "", "", "paper"),
        ("Heart", "", "", "paper"),
    ],
)
def test_faces_by_name(name: str, index: str, suit: str, hue: str) -> None:
    face = face_of_name(name)
    assert (face.index, face.suit, face.hue) == (index, suit, hue)


def test_faces_by_attributes() -> None:
    values = {"RANK": ("TWO", "INVESTMENT"), "COLOR": ("BLUE", "RED"), "TRIBE": ("elf", "orc")}
    face = face_of_attributes("BLUE TWO", {"COLOR": "BLUE", "RANK": "TWO"}, values)
    assert (face.index, face.hue, face.filled) == ("2", "blue", True)
    face = face_of_attributes("orc", {"TRIBE": "orc"}, values)
    assert (face.index, face.hue, face.note) == ("", "red", "orc")
    face = face_of_attributes("A SPADES", {"RANK": "A", "SUIT": "SPADES"}, values)
    assert (face.index, face.suit) == ("A", "spades")
