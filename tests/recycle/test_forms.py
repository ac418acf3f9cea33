"""Numbers on cards, lists of numbers: what they mean, in the oracle and compiled, and mistakes."""

from __future__ import annotations

import pytest
from tests.recycle.agreement import play_both
from tests.recycle.programs import choice, do, game, stage

from kibitz.recycle.checker import diagnose
from kibitz.syntax.source import Source

NUMBERED = (
    "(create deck (game vloc STOCK)"
    " (deck (HEIGHT 1 .. 4) (COLOR (RED, BLUE))))"
    " (create deck (game vloc COLD) (deck (DEGREES (- 0 3) .. 'WARM)))"
    " (create deck (game vloc MIXED) (deck (FACE (7, 10, KING))))"
)
STOCK, COLD, MIXED = "(game vloc STOCK)", "(game vloc COLD)", "(game vloc MIXED)"
BEFORE = "(declare 2 'WARM) (declare (10 9 8 (- 0 7)) 'SIZES) (declare (RED, BLUE) 'COLORS)"


def numbered(*items: str) -> str:
    """A game with numbers on its cards."""
    return game(*items, deck=NUMBERED, before=BEFORE)


VALUES = [
    (f"(number HEIGHT (top {STOCK}))", 4),
    (f"(size {STOCK})", 8),
    (f"(number DEGREES (bottom {COLD}))", -3),
    (f"(size {COLD})", 6),
    (f"(sum {COLD} using (number DEGREES))", -3),
    (f"(number DEGREES (max {COLD} using (number DEGREES)))", 2),
    (f"(number FACE (1 {MIXED}))", 10),
    (f"(number FACE (top {MIXED}))", 0),
    (f"(number HEIGHT (top {MIXED}))", 0),
    (f"(size (filter {STOCK} 'C (and (> (number HEIGHT 'C) 2) (== (cardatt COLOR 'C) RED))))", 2),
    (f"(size (top (partition HEIGHT {STOCK})))", 2),
    ("(0 'SIZES)", 10),
    ("((+ 1 2) 'SIZES)", -7),
    ("((pid (1 player)) (5, 6))", 6),
    ("(all 'SIZES 'N 'N)", 20),
    ("(size 'SIZES)", 4),
    (f"(size (filter {STOCK} 'C (== (cardatt COLOR 'C) (1 'COLORS))))", 4),
    ("(all (filter (1, 2, 3, 4) 'N (> 'N 2)) 'N (* 'N 'N))", 25),
]
"""Expressions for numbers, and what they give."""


def test_numbers() -> None:
    steps = [f"(set (game sto N{i}) {number})" for i, (number, _) in enumerate(VALUES)]
    _, oracle = play_both(numbered(do(*steps)), seed=1)
    given = [oracle.state.numbers["game", f"N{i}"] for i in range(len(VALUES))]
    assert given == [expected for _, expected in VALUES]


def test_awards_by_numbers_on_cards() -> None:
    award = "(set (game points P) (((FACE : 10) 5) ((FACE : KING) 3)))"
    total = f"(set ((0 player) sto SCORE) (sum {MIXED} using (game points P)))"
    _, oracle = play_both(numbered(do(award, total)), seed=1)
    assert oracle.scores[0] == 8


def test_numbers_are_picked_and_index_places() -> None:
    move = f"(move (top {STOCK}) (top (game vloc ROW ('N (0, 2, 0, 1)))))"
    option = f"(any (1, 3) 'N (do ((inc ((current player) sto SCORE) 'N) {move})))"
    text = numbered(stage("(== (game sto N) 4)", choice(option), do("(inc (game sto N))")))
    for seed in range(3):
        play_both(text, seed)


def test_a_list_has_an_end() -> None:
    text = numbered(do("(set (game sto N) (4 'SIZES))"))
    state, oracle = play_both(text, seed=1)
    assert oracle.status == "error"
    assert "0 .. 3" in (state.table.wording.explanation(state) or "")


MISTAKES = [
    (do("(set (game sto N) (number WIDTH (top (game vloc STOCK))))"), "no-number"),
    (do("(set (game sto N) (number (top (game vloc STOCK))))"), "no-number"),
    (do("(set (game sto N) (number HEIGHT))"), "wrong-type"),
    (do("(set (game sto N) (0 (1, 2, (size (game vloc STOCK)))))"), "not-constant"),
    (do("((== (cardatt HEIGHT (top (game vloc STOCK))) 4) (turn pass))"), "wrong-type"),
    (do("(set (game sto N) (0 (RED, 3)))"), "unknown-word"),
]
"""Rules with a mistake, and its code."""


@pytest.mark.parametrize(("rules", "code"), MISTAKES)
def test_mistakes(rules: str, code: str) -> None:
    problems = diagnose(Source("game.rcy", numbered(rules, choice("(turn pass)"))))
    assert code in [problem.code for problem in problems if problem.is_error]


def test_the_attribute_may_be_left_out_where_one_has_numbers() -> None:
    deck = "(create deck (game vloc STOCK) (deck (NUMBER 1 .. 104)))"
    sum_of_all = f"(set ((0 player) sto SCORE) (all {STOCK} 'C (number 'C)))"
    highest = f"(set ((1 player) sto SCORE) (number (max {STOCK} using number)))"
    _, oracle = play_both(game(do(sum_of_all, highest), deck=deck), seed=1)
    assert oracle.scores[:2] == [104 * 105 // 2, 104]


@pytest.mark.parametrize("ends", ["3 .. 2", "1 .. 2000", "1 .. (size (game vloc STOCK))"])
def test_bad_ranges_of_numbers(ends: str) -> None:
    deck = f"(create deck (game vloc STOCK) (deck (NUMBER {ends})))"
    problems = diagnose(Source("game.rcy", game(choice("(turn pass)"), deck=deck)))
    codes = {problem.code for problem in problems}
    assert codes & {"bad-range", "too-many-cards", "not-constant"}
