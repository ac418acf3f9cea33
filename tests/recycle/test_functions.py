"""Functions and effects of cards: what calls mean, and mistakes in them and in the functions."""

from __future__ import annotations

import time

import pytest
from tests.recycle.agreement import play_both
from tests.recycle.programs import choice, do, game, stage

from kibitz.recycle.checker import diagnose
from kibitz.recycle.outline import names, outline
from kibitz.recycle.parser import program
from kibitz.recycle.tree import Program, equivalent
from kibitz.syntax.source import Diagnostic, Source

DECK = "(create deck (game iloc STOCK) (deck (NUMBER 1 .. 6) (COLOR (RED, BLUE))))"
DEAL = (
    "(do ((shuffle (game iloc STOCK))"
    " (all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))"
)


def table(*items: str, before: str = "") -> str:
    """A game with numbered cards in two colours, some of which are dealt."""
    return game(DEAL, *items, deck=DECK, before=before)


def read(text: str) -> Program:
    return program(Source("game.rcy", text))


def errors(text: str) -> list[Diagnostic]:
    return [problem for problem in diagnose(Source("game.rcy", text)) if problem.is_error]


HAND = "((current player) iloc HAND)"
SCORE = "((current player) sto SCORE)"
EQUAL = {
    "a value": (
        "(define (double 'N) (* 2 'N))",
        do(f"(set {SCORE} (double (+ (double 3) 1)))"),
        do(f"(set {SCORE} (* 2 (+ (* 2 3) 1)))"),
    ),
    "a condition": (
        "(define (red 'C) (== (cardatt COLOR 'C) RED))",
        do(f"(all {HAND} 'C ((red 'C) (inc {SCORE})))"),
        do(f"(all {HAND} 'C ((== (cardatt COLOR 'C) RED) (inc {SCORE})))"),
    ),
    "a collection of a location": (
        "(define (low 'WHERE) (filter 'WHERE 'X (< (number 'X) 3)))",
        do(f"(set {SCORE} (size (low {HAND})))"),
        do(f"(set {SCORE} (size (filter {HAND} 'X (< (number 'X) 3))))"),
    ),
    "names of the caller are not those of the function": (
        "(define (count 'L) (size (filter 'L 'C (> (number 'C) 2))))",
        do(f"(all {HAND} 'C (inc {SCORE} (count (filter {HAND} 'D (!= 'C 'D)))))"),
        do(
            f"(all {HAND} 'C (inc {SCORE} (size"
            f" (filter (filter {HAND} 'D (!= 'C 'D)) 'E (> (number 'E) 2)))))"
        ),
    ),
    "all players, the table and a point map": (
        "(define (pay 'WHO 'OWNER 'BY) (all 'WHO 'P (do ((inc ('P sto SCORE))"
        " (inc ('OWNER sto PAID) (sum ('P iloc HAND) using 'BY))))))",
        do("(pay player game (number NUMBER))"),
        do(
            "(all player 'P (do ((inc ('P sto SCORE))"
            " (inc (game sto PAID) (sum ('P iloc HAND) using (number NUMBER))))))"
        ),
    ),
    "options": (
        "(define (lay 'C) (do ((move 'C (top (game vloc ROW))) (inc (game sto N)))))",
        choice(f"(any {HAND} 'C (lay 'C))"),
        choice(f"(any {HAND} 'C (do ((move 'C (top (game vloc ROW))) (inc (game sto N)))))"),
    ),
    "items": (
        "(define (turn-of 'K) (choice ((any (1, 'K) 'N (inc (game sto N) 'N)))) "
        "(do ((inc (game sto TURNS)))))",
        stage("(> (game sto TURNS) 2)", "(turn-of 5)"),
        stage(
            "(> (game sto TURNS) 2)",
            choice("(any (1, 5) 'N (inc (game sto N) 'N))"),
            do("(inc (game sto TURNS))"),
        ),
    ),
}
"""A definition, a call, and the rules that mean the same without it."""


@pytest.mark.parametrize("name", EQUAL)
def test_a_call_means_what_is_written_out(name: str) -> None:
    definition, called, written = EQUAL[name]
    end = choice(f"(inc (game sto N) {SCORE})")
    with_call, without = read(table(called, end, before=definition)), read(table(written, end))
    assert len(with_call.items) == len(without.items)
    for one, other in zip(with_call.items, without.items, strict=True):
        assert equivalent(one, other)


def test_arguments_of_steps_are_worked_out_once() -> None:
    """As in ``let``: whatever the function changes, its argument stays."""
    before = (
        "(define (twice 'N) (do ((inc (game sto N) 'N) (inc (game sto N) 'N))))"
        "(define (hand-on 'P) (do ((cycle current next) (inc ('P sto SCORE) 5))))"
    )
    start = do("(set (game sto N) 1)", "(twice (+ (game sto N) 1))", "(hand-on (current player))")
    _, oracle = play_both(table(start, before=before), seed=1)
    assert oracle.state.numbers["game", "N"] == 5
    assert oracle.scores == [5, 0, 0]


EFFECTS = (
    "(effects (effect 'C 'K) NUMBER"
    " (1 (inc ((current player) sto SCORE) 'K))"
    " (2 (any (other player) 'P (dec ('P sto SCORE) 2)))"
    " (3 (any (1, 2) 'N (any (other player) 'P (inc ('P sto SCORE) 'N))))"
    " (4 (move (top (game iloc STOCK)) (top ((current player) iloc HAND))))"
    " (5 (do ((inc (game sto FIVES)) ((> (game sto FIVES) 1) (inc (game sto N) 9))))))"
)


@pytest.mark.parametrize("seed", range(4))
def test_effects_of_cards(seed: int) -> None:
    play = choice(f"(any {HAND} 'C (do ((move 'C (top (game vloc ROW))) (effect 'C 3))))")
    by_itself = do("(effect (top (game vloc ROW)) (size (game vloc ROW)))")
    turns = stage(f"(== (size {HAND}) 0)", play, by_itself)
    play_both(table(turns, before=EFFECTS), seed)


def test_each_effect_makes_options_of_its_own() -> None:
    """Effects exclude each other: each has a kind of action, not each combination of them."""
    from kibitz.recycle.layout import Places
    from kibitz.recycle.rules import RecycleRules

    play = choice(f"(any {HAND} 'C (do ((move 'C (top (game vloc ROW))) (effect 'C 3))))")
    rules = RecycleRules("game", read(table(play, before=EFFECTS)), False)
    assert isinstance(rules.places, Places)
    assert len(rules.translation.paths) == 5 + 1


MISTAKES = {
    "recursion": ("(define (f 'N) (g 'N)) (define (g 'N) (f 'N))", do("(set (game sto N) (f 1))")),
    "too-few-arguments": ("(define (f 'N 'M) (+ 'N 'M))", do("(set (game sto N) (f 1))")),
    "too-many-arguments": ("(define (f 'N) (+ 'N 1))", do("(set (game sto N) (f 1 2))")),
    "wrong-type": ("(define (f 'C) (number 'C))", do("(set (game sto N) (f (current player)))")),
    "action-for-value": ("(define (f) (turn pass))", do("(set (game sto N) (f))")),
    "value-for-action": ("(define (f) (+ 1 2))", do("(f)")),
    "unknown-variable": ("(define (f) (size 'L))", do(f"(let {HAND} 'L (set (game sto N) (f)))")),
    "declared-twice": ("(define (f) 1) (define (f) 2)", do("(set (game sto N) (f))")),
    "bad-name": ("(define (move 'C) 1)", do("(turn pass)")),
    "wrong-shape": ("(define f 1)", do("(turn pass)")),
    "random-argument": ("(define (f 'N) (+ 'N 'N))", do("(set (game sto N) (f (random 6)))")),
    "misplaced": ("(define (f) (choice ((turn pass))))", do("(f)")),
    "unsteady-argument": (
        "(define (f 'P) (stage player (end (== 1 1)) (choice ((inc ('P sto SCORE))))))",
        "(f (current player))",
    ),
    "too-large": (
        "(define (a 'N) (+ 'N 'N))"
        + "".join(
            f"(define ({y} 'N) ({x} ({x} 'N)))" for x, y in zip("abcdef", "bcdefg", strict=True)
        ),
        do("(set (game sto N) (g 1))"),
    ),
    "too-deep": (
        "(define (f0 'N) (+ 'N 1))"
        + "".join(f"(define (f{i + 1} 'N) (+ (+ (f{i} 'N) 1) 1))" for i in range(40)),
        do("(set (game sto N) (f40 1))"),
    ),
}
"""A definition and rules with a mistake, by its code."""


@pytest.mark.parametrize("code", MISTAKES)
def test_mistakes(code: str) -> None:
    before, rules = MISTAKES[code]
    start = time.process_time()
    found = errors(table(rules, choice("(turn pass)"), before=before))
    assert code in [problem.code for problem in found]
    assert time.process_time() - start < 20  # a bomb would take hours


def test_an_error_in_a_function_names_both_places() -> None:
    text = table(
        do("(set (game sto N) (twice (current player)))"),
        before="(define (twice 'X) (once 'X))(define (once 'X) (* 2 'X))",
    )
    (problem,) = errors(text)
    assert text[problem.span.start : problem.span.end] == "'X"
    assert [text[span.start : span.end] for span, _ in problem.notes] == [
        "(once 'X)",
        "(twice (current player))",
    ]
    inner = table(
        do("(set (game sto N) (twice 3))"),
        before="(define (twice 'X) (once 'X))(define (once 'X) (size 'X))",
    )
    (problem,) = errors(inner)
    assert inner[problem.span.start : problem.span.end] == "3"
    assert [inner[span.start : span.end] for span, _ in problem.notes] == ["'X"]


def test_the_cycle_is_named() -> None:
    before = "(define (f 'N) (g 'N)) (define (g 'N) (h 'N)) (define (h 'N) (f 'N))"
    (problem,) = errors(table(do("(set (game sto N) (f 1))"), before=before))
    assert "f -> g -> h -> f" in problem.message


def test_warnings_about_functions() -> None:
    """An unused function is reported, and no condition that a call makes constant."""
    before = "(define (f) 1) (define (more 'N) (> 'N 3))"
    text = table(do("((more 5) (inc (game sto N)))", f"(inc {SCORE} (game sto N))"), before=before)
    codes = [problem.code for problem in diagnose(Source("game.rcy", text))]
    assert codes == ["unused-function"]


def test_functions_in_outline_and_completion() -> None:
    source = Source("game.rcy", table(choice("(turn pass)"), before="(define (heads 'C) 1)"))
    assert ("heads", "(heads 'C)") in [(symbol.name, symbol.detail) for symbol in outline(source)]
    known = {name.text: name.help for name in names(source)}
    assert known["heads"] == "(heads 'C)"
    assert known["'C"] == "a parameter of heads"


def test_options_responses_and_names_are_in_the_outline() -> None:
    respond = """(respond (other player) ((option "block" (inc (game sto N))) (turn pass))
      (do ((set (game sto N) 0))))"""
    words = "(option \"steal from {P}\" (any (other player) 'P (inc ('P sto N))))"
    source = Source("game.rcy", table(choice(words), respond, before='(names (N "coins"))'))
    entries = [(symbol.name, symbol.detail, symbol.depth) for symbol in outline(source)]
    assert ("Names", "N", 0) in entries
    depth = next(depth for name, _, depth in entries if name == "Responses")
    assert ("Option", "block", depth + 1) in entries
    assert ("Option", "steal from {P}", depth + 1) in entries
