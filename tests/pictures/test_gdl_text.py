"""States of games in GDL as text."""

from __future__ import annotations

from kibitz.gdl.game import GdlGame
from kibitz.pictures.gdl_text import TextBoards
from kibitz.syntax.source import Source


def shown(facts: str, width: int = 40) -> list[str]:
    """The lines of the first state of a game in which these facts are true."""
    rules = f"""
    (role you) {" ".join(f"(init {fact})" for fact in facts.splitlines())}
    (legal you go) (<= (next (done)) (does you go)) (<= terminal (true (done))) (goal you 100)
    (<= (next (cell 1 1 b)) (true (cell 1 1 b)))
    """
    game = GdlGame(Source("text", rules), "text")
    return list(TextBoards(width).lines(game.new_state()))


def cells(*contents: str, stem: str = "") -> str:
    """The facts of a board with two rows, column by column."""
    places = [f"{stem}{1 + i // 2} {1 + i % 2}" for i in range(len(contents))]
    pairs = zip(places, contents, strict=True)
    return "\n".join(f"(cell {place} {content})" for place, content in pairs)


def test_a_symbol_stands_for_one_thing() -> None:
    board = cells("explorer", "exit", "elephant", "wr", "b", "whiteKing", "whiteKing", "blank")
    assert shown(board) == [
        "2  e  wr wk .",
        "1  E  el .  wk",
        "   1  2  3  4",
        "e exit   wk whiteKing   E explorer",
        "el elephant",
    ]


def test_symbols_are_explained_where_they_first_occur() -> None:
    rules = """
    (role you) (init (cell 1 1 red)) (init (cell 2 1 red)) (init (cell 1 2 b)) (init (cell 2 2 b))
    (legal you go) (<= (next (cell ?x 1 red)) (true (cell ?x 1 red)))
    (next (cell 1 2 green)) (next (cell 2 2 green)) (next done)
    (<= terminal (true done)) (goal you 100)
    """
    game = GdlGame(Source("text", rules), "text")
    boards, state = TextBoards(40), game.new_state()
    assert list(boards.lines(state)) == ["2  . .", "1  r r", "   1 2", "r red"]
    state.apply(state.legal_actions()[0])
    assert list(boards.lines(state)) == ["2  g g", "1  r r", "   1 2", "g green", "done"]


def test_long_headings_are_shortened_where_there_is_no_room() -> None:
    board = cells(*["x"] * 8, stem="level")
    assert shown(board, 80)[-1].split() == ["level1", "level2", "level3", "level4"]
    assert shown(board, 20) == ["2  x x x x", "1  x x x x", "   1 2 3 4"]


def test_without_a_board_the_facts_fill_lines() -> None:
    facts = "\n".join(f"(heap {name} 5)" for name in ("large", "middle", "small"))
    assert shown(facts, 30) == ["(heap large 5) (heap middle 5)", "(heap small 5)"]
    assert shown(facts, 29)[0] == "(heap large 5)"
    assert shown("") == ["nothing is true"]
