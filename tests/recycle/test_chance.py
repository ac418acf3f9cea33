"""Chance in choices: it is drawn when an option is carried out, and decides no options."""

from __future__ import annotations

import pytest
from tests.recycle.agreement import play_both
from tests.recycle.programs import choice, do, game, stage
from tests.recycle.test_game import table_of

from kibitz.recycle.checker import diagnose
from kibitz.syntax.source import Source, SourceError

DEAL = do(
    "(shuffle (game vloc STOCK))",
    "(all player 'P (repeat 2 (move (top (game vloc STOCK)) (top ('P iloc HAND)))))",
)
HAND = "((current player) iloc HAND)"
OUT = "(move 'C (top (game vloc OUT)))"
ROLL = "(game sto ROLL)"
PASS = "(turn pass)"


def once_each(*clauses: str) -> str:
    """Everybody chooses once."""
    done = "(all player 'P (== ('P sto DONE) 1))"
    items = choice(*clauses), do("(set ((current player) sto DONE) 1)")
    return game(DEAL, stage(done, *items))


DECIDES = {
    "a filter": f"(any (filter {HAND} 'C [(== (random 1) 0)]) 'C {OUT})",
    "a range": f"(any (range 0 .. [(random 3)]) 'N (set {ROLL} 'N))",
    "a variable": f"(let (random 3) 'N (any (range 0 .. ['N]) 'M (set {ROLL} 'M)))",
    "a number set before": (
        f"(do ((set {ROLL} (random 3)) (any (range 0 .. [{ROLL}]) 'M (inc {ROLL} 'M))))"
    ),
    "a number that may have been set": (
        f"(do (((== (random 1) 0) (set {ROLL} 3)) (any (range 0 .. [{ROLL}]) 'M (inc {ROLL} 'M))))"
    ),
    "cards that may have been drawn": (
        "(do (((== (random 1) 0) (move (top (game vloc STOCK)) (top "
        f"{HAND}))) (any [{HAND}] 'C {OUT})))"
    ),
    "a condition around a pick": f"(do ((turn pass) ([(== (random 1) 0)] (any {HAND} 'C {OUT}))))",
    "a condition around all": f"([(== (random 1) 0)] (set {ROLL} 1))",
    "conditions around all": (
        f"(do (((== {ROLL} 1) (turn pass)) ([(== (random 1) 0)] (set {ROLL} 1))))"
    ),
    "how often all is done": f"(repeat [(random 2)] (inc {ROLL} 1))",
}


@pytest.mark.parametrize("name", DECIDES)
def test_chance_cannot_decide_which_options_there_are(name: str) -> None:
    marked = once_each(DECIDES[name], PASS)
    low, high = marked.index("["), marked.index("]") - 1
    text = marked.replace("[", "").replace("]", "")
    with pytest.raises(SourceError) as caught:
        table_of(text)
    for diagnostics in (caught.value.diagnostics, diagnose(Source("game.rcy", text))):
        (diagnostic,) = [
            diagnostic for diagnostic in diagnostics if diagnostic.code == "chance-in-options"
        ]
        assert diagnostic.is_error
        assert "Draw before the choice" in diagnostic.hint
        inside = text[diagnostic.span.start : diagnostic.span.end]
        assert inside in text[low:high] or text[low:high] in inside


ALLOWED = {
    "what is done": f"(set {ROLL} (random 5))",
    "a condition on what is done besides": (
        f"(do ((turn pass) ((== (random 1) 0) (set {ROLL} 1))))"
    ),
    "a condition on a throw": (
        f"(do ((set {ROLL} (random 5)) ((> {ROLL} 2) (inc ((current player) sto SCORE) 1))))"
    ),
    "after a pick": f"(any {HAND} 'C (do ({OUT} (repeat (random 2) (inc {ROLL} 1)))))",
    "another number": (
        f"(do ((set (game sto OTHER) (random 5)) (any (range 0 .. {ROLL}) 'N {PASS})))"
    ),
    "which card is drawn": (
        f"(do ((move ((random 1) (game vloc STOCK)) (top {HAND})) (any {HAND} 'C {OUT})))"
    ),
    "which card is taken": f"(move ((random 1) {HAND}) (top (game vloc OUT)))",
}


@pytest.mark.parametrize("name", ALLOWED)
def test_chance_in_what_an_option_does(name: str) -> None:
    for seed in range(4):
        play_both(once_each(ALLOWED[name], PASS), seed)


def test_drawing_before_the_choice_is_the_cure() -> None:
    clause = f"(any (filter {HAND} 'C (== {ROLL} 0)) 'C {OUT})"
    done = "(all player 'P (== ('P sto DONE) 1))"
    roll = do(f"(set {ROLL} (random 1))")
    text = game(
        DEAL, stage(done, roll, choice(clause, PASS), do("(set ((current player) sto DONE) 1)"))
    )
    for seed in range(4):
        play_both(text, seed)


def test_a_best_card_is_looked_for_among_those_that_are_left() -> None:
    values = "(set (game points VALUE) (((RANK : A) 1) ((RANK : B) 2)))"
    best = f"(move (max {HAND} using (game points VALUE)) (top (game vloc OUT)))"
    three = f"(do ({values} {best} {best} {best}))"
    for seed in range(4):
        play_both(once_each(three, PASS), seed)
