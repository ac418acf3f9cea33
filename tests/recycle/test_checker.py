"""The warnings: for each code texts that deserve it, and similar texts that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recycle.generated import programs
from tests.recycle.programs import choice, do, game, stage
from tests.work import lines_run

from kibitz.recycle import tree
from kibitz.recycle.checker import check, diagnose
from kibitz.recycle.checks.budget import Budget
from kibitz.recycle.checks.keys import Keys
from kibitz.recycle.checks.names import distance, near
from kibitz.recycle.parser import parse, program
from kibitz.syntax.source import Diagnostic, Source

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "recycle" / "current"
SCORE = "(set ((current player) sto SCORE) 1)"
HAND = "((current player) iloc HAND)"
DEAL = do("(all player 'P (repeat 2 (move (top (game vloc STOCK)) (top ('P iloc HAND)))))", SCORE)
PASS = "(turn pass)"
SHUFFLE = "(shuffle (game vloc STOCK))"
COUNT = "(inc (game sto N) 1)"
X1, Y2 = "(== (game sto X) 1)", "(== (game sto Y) 2)"
NOT_X1, NOT_Y2 = "(!= (game sto X) 1)", "(!= 2 (game sto Y))"


def warnings(text: str, **options: object) -> list[Diagnostic]:
    return check(program(Source("game.rcy", text), **options))  # type: ignore[arg-type]


def codes(text: str) -> list[str]:
    return [warning.code for warning in warnings(text)]


def only(code: str, *items: str, **options: object) -> list[Diagnostic]:
    """The warnings of a code about a game of these items."""
    return [warning for warning in warnings(game(*items, **options)) if warning.code == code]  # type: ignore[arg-type]


def turns(*items: str) -> str:
    """A stage that ends."""
    return stage("(> (game sto TURNS) 3)", *items, do("(inc (game sto TURNS) 1)"))


def points(*awards: str) -> str:
    return f"(set (game points P) ({' '.join(awards)}))"


def best(cards: str = "(union (all player 'P ('P iloc HAND)))", word: str = "max") -> str:
    return f"(cycle next (owner ({word} {cards} using (game points P))))"


def none_is_best(cards: str) -> str:
    """A step for the case that none of some cards has the highest score."""
    return (
        f"((== 0 (size (filter {cards} 'C (== (score 'C using (game points P))"
        f" (scoremax {cards} using (game points P)))))) {COUNT})"
    )


WON = "((current player) vloc WON)"
NONE_IS_BEST = none_is_best(WON)
"""It happens: as long as the current player has won nothing."""
TO_WON = f"(move (top (game vloc STOCK)) (top {WON}))"
OPEN = "(top (game vloc OPEN))"
MORE_TO_OPEN = f"(repeat 2 (move (top (game vloc STOCK)) {OPEN}))"
RANKS = ("((RANK : A) 4)", "((RANK : B) 3)", "((RANK : C) 2)", "((RANK : D) 1)")

FOUND = {
    "never-set": [
        game(DEAL, do("((== (game sto DONE) 1) (shuffle (game vloc STOCK)))")),
        game(DEAL, do("((== (game str DONE) YES) (shuffle (game vloc STOCK)))")),
        game(DEAL, do("(inc (game sto X) (score (top (game vloc STOCK)) using (game points Q)))")),
    ],
    "never-read": [
        game(DEAL, do("(set (game sto IDLE) 1)")),
        game(DEAL, do("(set (game str IDLE) YES)")),
        game(DEAL, do(points(*RANKS))),
        game(DEAL, do("(inc (game sto SCORE) 1)")),
    ],
    "swapped": [
        game(do("(all player 'P (move (top ('P iloc PILE)) (top (game vloc STOCK))))")),
        game(
            do("(move (top (game vloc PILE)) (top (game vloc STOCK)))"),
            do("(move (top (game vloc STOCK)) (top (game vloc PILE)))"),
        ),
        game(
            DEAL,
            do("(repeat 2 (move (top (game vloc PILE)) (top (game vloc STOCK))))"),
        ),
    ],
    "never-filled": [
        game(DEAL, do("((> (size (game iloc STOCK)) 3) (shuffle (game vloc STOCK)))")),
        game(DEAL, do("((== (size (game mem LEAD)) 0) (shuffle (game vloc STOCK)))")),
    ],
    "similar-names": [
        game(
            DEAL,
            do(
                "(move (top (game vloc STOCK)) (top (game vloc DISCRAD)))",
                "(repeat all (move (top (game vloc DISCARD)) (top (game vloc STOCK))))",
                "(move (top (game vloc STOCK)) (top (game vloc DISCARD)))",
            ),
        ),
        game(
            DEAL,
            do(
                "(set (game sto TRUMPED) (game sto TRUMMPED))",
                "(set (game sto TRUMMPED) (game sto TRUMPED))",
            ),
        ),
    ],
    "unknown-attribute": [game(DEAL, do(points("((RNAK : A) 4)"), best()))],
    "unknown-value": [
        game(DEAL, do(points("((RANK : ACE) 4)"), best())),
        game(DEAL, do("((== (cardatt SUIT (top (game vloc STOCK))) Z) (inc (game sto N) 1))")),
        game(DEAL, do("((!= Z (cardatt SUIT (top (game vloc STOCK)))) (inc (game sto N) 1))")),
    ],
    "never-equal": [
        game(DEAL, do("(set (game str LED) X)", f"((== (game str LED) NONE) {COUNT})")),
        game(
            DEAL,
            do(
                "(set (game str LED) (cardatt RANK (top (game vloc STOCK))))",
                f"(all {HAND} 'C ((== (cardatt SUIT 'C) (game str LED)) (inc (game sto N) 1)))",
            ),
        ),
    ],
    "constant-condition": [
        game(DEAL, do("((< (size (game vloc STOCK)) 0) (inc (game sto N) 1))")),
        game(DEAL, do("(set (game sto M) 2)", "((> (game sto M) 2) (inc (game sto N) 1))")),
        game(DEAL, do("((== (game sto N) (game sto N)) (inc (game sto N) 1))")),
        game(DEAL, do(points(*RANKS), TO_WON, NONE_IS_BEST)),
        game(DEAL, do(TO_WON, points(*RANKS), MORE_TO_OPEN, NONE_IS_BEST)),
        game(
            DEAL,
            do(
                points(*RANKS),
                "(all player 'P (move (top ('P iloc HAND)) (top ('P vloc WON))))",
                none_is_best("(union (all player 'Q ('Q vloc WON)))"),
            ),
        ),
    ],
    "contradiction": [
        game(
            DEAL,
            do(
                "((and (> (size (game vloc STOCK)) 2) (== 0 (size (game vloc STOCK))))"
                " (shuffle (game vloc STOCK)))"
            ),
        ),
        game(
            DEAL,
            do(
                "(set (game str LED) X)",
                "((== (game str LED) X) ((!= (game str LED) X) (shuffle (game vloc STOCK))))",
            ),
        ),
        game(
            DEAL,
            do(
                f"((and (any {HAND} 'C (== (cardatt SUIT 'C) X))"
                f" (== (size (filter {HAND} 'D (== (cardatt SUIT 'D) X))) 0))"
                " (shuffle (game vloc STOCK)))"
            ),
        ),
    ],
    "never-runs": [game(DEAL, stage("(>= (size (game vloc STOCK)) 0)", do(SCORE)))],
    "endless": [
        game(DEAL, stage("(== 1 2)", do(SCORE))),
        game(DEAL, stage("(< (size (game vloc STOCK)) 0)", do(SCORE))),
    ],
    "end-unchanged": [
        game(
            DEAL,
            do("(set (game sto LEFT) 3)"),
            stage("(== (game sto LEFT) 0)", do("(dec ((current player) sto LEFT) 1)")),
        ),
        game(
            DEAL,
            stage(
                "(== (size (game vloc PILE)) 2)",
                do("(move (top (game vloc STOCK)) (top (game vloc HEAP)))"),
            ),
            do("(move (top (game vloc HEAP)) (top (game vloc PILE)))"),
        ),
    ],
    "any-outside-choice": [
        game(DEAL, do(f"(any {HAND} 'C (move 'C (top (game vloc STOCK))))")),
    ],
    "same-option": [
        game(DEAL, turns(choice(f"(any {HAND} 'C (turn pass))"))),
        game(
            DEAL,
            turns(
                choice(
                    f"(any (filter {HAND} 'C (== (cardatt SUIT 'C) X)) 'C"
                    " (move 'C (top (game vloc STOCK))))",
                    f"(any {HAND} 'D ((== (cardatt RANK 'D) A)"
                    " (move 'D (top (game vloc STOCK)))))",
                    PASS,
                )
            ),
        ),
        game(DEAL, turns(choice("((> (game sto TURNS) 1) (turn pass))", PASS))),
    ],
    "dead-option": [
        game(
            DEAL,
            turns(
                choice(
                    "((and (> (game sto TURNS) 3) (< (game sto TURNS) 2)) (turn pass))", SHUFFLE
                )
            ),
        ),
        game(
            DEAL,
            turns(
                choice(
                    f"(any (filter {HAND} 'C (== (cardatt SUIT 'C) X)) 'C"
                    " ((== (cardatt SUIT 'C) Y) (move 'C (top (game vloc STOCK)))))",
                    PASS,
                )
            ),
        ),
    ],
    "dead-choice": [game(DEAL, turns(choice("((< (size (game vloc STOCK)) 0) (turn pass))")))],
    "maybe-empty": [
        game(DEAL, turns(choice("(move (top (game vloc STOCK)) (top (game vloc PILE)))"))),
    ],
    "tie": [
        game(DEAL, do(points(*RANKS), best())),
        game(DEAL, do(points(*RANKS), best(word="min"))),
        game(DEAL, do(points("((RANK : (cardatt RANK (top (game vloc STOCK)))) 1)"), best())),
        game(
            DEAL,
            do(
                "(set (game str LED) (cardatt SUIT (top (game vloc STOCK))))",
                points(*RANKS, "((SUIT : (game str LED)) 100)"),
                best(word="min"),
            ),
            deck="(create deck (game vloc STOCK) (deck (RANK (A, B)) (SUIT (X, Y, Z))))",
        ),
    ],
    "hidden-information": [
        game(
            DEAL,
            turns(
                choice(
                    "((== (cardatt SUIT (top ((next player) iloc HAND))) X) (turn pass))", SHUFFLE
                )
            ),
        ),
        game(
            DEAL,
            turns(
                choice(
                    "(any (filter (game iloc DARK) 'C (== (cardatt SUIT 'C) X)) 'C"
                    " (move 'C (top (game vloc STOCK))))",
                    PASS,
                )
            ),
            do("(move (top (game vloc STOCK)) (top (game iloc DARK)))"),
        ),
        game(
            do("(move (top (game vloc STOCK)) (top ((current player) oloc HAT)))", SCORE),
            turns(
                choice(
                    "((== (cardatt SUIT (top ((current player) oloc HAT))) X) (turn pass))",
                    SHUFFLE,
                )
            ),
        ),
        game(
            do("(move (top (game vloc STOCK)) (top (game hloc DARK)))", SCORE),
            turns(
                choice(
                    f"(do ((move (top (game hloc DARK)) (top {HAND}))"
                    f" ((== (cardatt SUIT (top {HAND})) X) (shuffle (game vloc STOCK)))))",
                    PASS,
                )
            ),
        ),
    ],
    "unused-variable": [
        game(DEAL, do("(let (size (game vloc STOCK)) 'N (inc (game sto X) 1))")),
        game(DEAL, do("(inc (game sto X) (size (filter player 'C (== (game sto X) 1))))")),
    ],
    "unused-parameter": [game(DEAL, before="(declare 5 'HAND)")],
    "unused-teams": [
        game(
            DEAL,
            deck="(create teams (0, 2) (1)) (create deck (game vloc STOCK) (deck (RANK (A, B))))",
        ),
    ],
    "no-such-player": [game(DEAL, do("(set (((+ 3 4) player) sto SCORE) 1)"))],
    "no-such-team": [game(DEAL, do("(set (((+ 3 4) team) sto SCORE) ((1 team) sto SCORE))"))],
    "unchecked": [],
}
"""Games that a warning is about, by its code."""

NOT_FOUND = {
    "swapped": [
        game(
            do(
                "(repeat 2 (do ("
                "((> (size (game vloc PILE)) 0)"
                " (move (top (game vloc PILE)) (top (game vloc STOCK))))"
                "(move (top (game vloc STOCK)) (top (game vloc PILE))))))"
            )
        ),
        game(
            DEAL,
            turns(
                do(
                    "((> (size (game vloc PILE)) 0)"
                    " (move (top (game vloc PILE)) (top (game vloc STOCK))))"
                ),
                do("(move (top (game vloc STOCK)) (top (game vloc PILE)))"),
            ),
        ),
        game(
            do("(swap (game vloc STOCK) (game vloc PILE))"),
            do("(move (top (game vloc PILE)) (top (game vloc STOCK)))"),
        ),
    ],
    "never-set": [
        game(DEAL, do("(set (game sto DONE) 1)", "((== (game sto DONE) 1) (inc (game sto N) 1))")),
        game(
            DEAL,
            do(
                "(all (A, B) 'N (set (game sto 'N) 1))",
                "((== (game sto B) 1) (inc (game sto N) 1))",
            ),
        ),
    ],
    "never-read": [game(DEAL, do("(all (A, B) 'N (set (game sto 'N) 1))"))],
    "never-filled": [
        game(
            DEAL,
            do(
                "(all (X, Y) 'S (move (top (game vloc STOCK)) (top (game vloc 'S))))",
                "(inc (game sto N) (size (game vloc X)))",
            ),
        ),
    ],
    "similar-names": [
        game(
            DEAL,
            do(
                "(set (game sto SCORED) (+ (game sto SCORED) 1))",
                "(set (game sto SCORE) (+ (game sto SCORE) (game sto SCORED)))",
                "(set (game sto PHASEA) (+ (game sto PHASEB) 1))",
                "(set (game sto PHASEB) (+ (game sto PHASEA) 1))",
            ),
        ),
    ],
    "never-equal": [
        game(
            DEAL,
            do(
                "(set (game str LED) NONE)",
                "((== (game str LED) NONE)"
                " (set (game str LED) (cardatt SUIT (top (game vloc STOCK)))))",
                "((!= (game str LED) X) (inc (game sto N) 1))",
            ),
        ),
    ],
    "constant-condition": [
        game(DEAL, do("((> (game sto N) 2) (inc (game sto N) 1))")),
        game(DEAL, do("((== 'HAND 5) (inc (game sto N) 1))"), before="(declare 5 'HAND)"),
        game(DEAL, do("((== (size player) 2) (inc (game sto N) 1))")),
        game(DEAL, do("((> (random 1 .. 6) 3) (inc (game sto N) 1))")),
        # without cards there is no best one
        game(DEAL, do(points(*RANKS)), turns(do(NONE_IS_BEST, TO_WON))),
        game(DEAL, do(points(*RANKS)), turns(do(f"((== 1 1) {TO_WON})", NONE_IS_BEST))),
        game(DEAL, do(points(*RANKS), TO_WON, f"(move (top {WON}) {OPEN})", NONE_IS_BEST)),
        game(DEAL, do(points(*RANKS), TO_WON, "(cycle current next)", NONE_IS_BEST)),
        game(
            DEAL,
            do(
                "(remember (top (game vloc STOCK)) (top (game mem LEAD)))",
                points(*RANKS),
                TO_WON,
                f"(move (actual (top (game mem LEAD))) {OPEN})",
                NONE_IS_BEST,
            ),
        ),
        game(
            DEAL,
            do(
                points(*RANKS),
                f"(all (other player) 'P (move (top ('P iloc HAND)) {OPEN}))",
                none_is_best("(game vloc OPEN)"),
            ),
        ),
    ],
    "contradiction": [
        game(DEAL, do("((and (> (game sto N) 2) (< (game sto N) 4)) (inc (game sto N) 1))")),
        game(
            DEAL,
            do(
                "((== (game sto N) 0) (do ((inc (game sto N) 1)"
                " ((> (game sto N) 0) (dec (game sto N) 1)))))"
            ),
        ),
    ],
    "end-unchanged": [
        game(DEAL, stage("(== ((current player) sto SCORE) 1)", do(SHUFFLE))),
        game(DEAL, stage("(== (size player) 1)", do("(eliminate (current player))"))),
        game(
            DEAL,
            stage(
                "(all player 'P (== (size ('P iloc HAND)) 0))",
                stage(
                    "(> (size (game vloc PILE)) 2)",
                    choice(f"(any {HAND} 'C (move 'C (top (game vloc PILE))))"),
                ),
                do("(repeat all (move (top (game vloc PILE)) (top (game vloc STOCK))))"),
            ),
        ),
        game(DEAL, stage("(== (random 1 .. 6) 6)", do(SHUFFLE))),
    ],
    "any-outside-choice": [
        game(DEAL, do(f"(all {HAND} 'C (move 'C (top (game vloc STOCK))))")),
        game(DEAL, do(f"((any {HAND} 'C (== (cardatt SUIT 'C) X)) (inc (game sto N) 1))")),
    ],
    "same-option": [
        # to follow suit: three clauses that exclude each other in three ways
        game(
            DEAL,
            do("(set (game str LED) NONE)"),
            turns(
                choice(
                    f"((== (game str LED) NONE) (any {HAND} 'C (move 'C (top (game vloc T)))))",
                    f"(any (filter {HAND} 'C (== (cardatt SUIT 'C) (game str LED))) 'D"
                    " (move 'D (top (game vloc T))))",
                    f"((and (!= (game str LED) NONE)"
                    f" (== (size (filter {HAND} 'E (== (cardatt SUIT 'E) (game str LED)))) 0))"
                    f" (any {HAND} 'F (move 'F (top (game vloc T)))))",
                ),
                do("(set (game str LED) (cardatt SUIT (top (game vloc T))))"),
            ),
        ),
        game(
            DEAL,
            turns(
                choice(
                    f"((all {HAND} 'C (!= (cardatt SUIT 'C) X))"
                    f" (any {HAND} 'C (move 'C (top (game vloc T)))))",
                    f"(any {HAND} 'C ((== (cardatt SUIT 'C) X) (move 'C (top (game vloc T)))))",
                )
            ),
        ),
        game(
            DEAL,
            turns(
                choice(
                    f"(any {HAND} 'C (move 'C (top (game vloc T))))",
                    f"(any {HAND} 'C (move 'C (bottom (game vloc T))))",
                )
            ),
        ),
    ],
    "dead-option": [
        game(
            DEAL,
            do(points(*RANKS)),
            turns(choice(NONE_IS_BEST.replace(COUNT, TO_WON), PASS)),
        ),
        game(
            DEAL,
            turns(
                choice(
                    "((and (> (game sto TURNS) 1) (< (game sto TURNS) 3)) (turn pass))",
                    SHUFFLE,
                )
            ),
        ),
    ],
    "maybe-empty": [
        game(
            DEAL,
            turns(
                choice(
                    "((> (size (game vloc STOCK)) 0)"
                    " (move (top (game vloc STOCK)) (top (game vloc PILE))))"
                )
            ),
        ),
        game(
            DEAL,
            turns(
                do(
                    "((== (size (game vloc STOCK)) 0) (repeat all"
                    " (move (top (game vloc PILE)) (top (game vloc STOCK)))))"
                ),
                choice("(move (top (game vloc STOCK)) (top (game vloc PILE)))"),
            ),
        ),
        game(
            DEAL,
            stage(
                "(== (size (game vloc STOCK)) 0)",
                choice("(move (top (game vloc STOCK)) (top (game vloc PILE)))"),
            ),
        ),
        game(
            DEAL,
            turns(
                choice(
                    f"(any {HAND} 'C (do ((move 'C (top (game vloc PILE)))"
                    " (move (top (game vloc PILE)) (top (game vloc STOCK))))))"
                )
            ),
        ),
    ],
    "tie": [
        # the highest card of the suit led
        game(
            DEAL,
            do(
                "(set (game str LED) (cardatt SUIT (top (game vloc STOCK))))",
                points(*RANKS, "((SUIT : (game str LED)) 100)"),
                best(),
            ),
        ),
        game(
            DEAL,
            do(
                "(set (game str LED) (cardatt SUIT (top (game vloc STOCK))))",
                points(*RANKS),
                best(
                    "(filter (union (all player 'P ('P iloc HAND))) 'C"
                    " (== (cardatt SUIT 'C) (game str LED)))"
                ),
            ),
        ),
        # every card has its own score
        game(DEAL, do(points(*RANKS, "((SUIT : X) 10)"), best())),
        # a tie that is looked for
        game(
            DEAL,
            do(
                points(*RANKS),
                "((!= (cardatt RANK (top ((0 player) iloc HAND)))"
                f" (cardatt RANK (top ((1 player) iloc HAND)))) {best()})",
            ),
        ),
        # what all tied cards have in common
        game(
            DEAL,
            do(
                points(*RANKS),
                "(inc (game sto N) (score (max (game vloc STOCK) using (game points P))"
                " using (game points P)))",
            ),
        ),
    ],
    "hidden-information": [
        game(DEAL, turns(choice(f"((== (cardatt SUIT (top {HAND})) X) (turn pass))", SHUFFLE))),
        game(DEAL, turns(choice("((> (size ((next player) iloc HAND)) 2) (turn pass))", SHUFFLE))),
        game(DEAL, turns(choice("(any (game iloc DARK) 'C (move 'C (top (game vloc T))))"))),
        game(
            DEAL,
            turns(choice("((== (cardatt SUIT (top (game vloc STOCK))) X) (turn pass))", SHUFFLE)),
        ),
        game(
            do("(all player 'P (move (top (game vloc STOCK)) (top ('P oloc HAT))))", SCORE),
            turns(
                choice(
                    "((any (other player) 'P (== (cardatt SUIT (top ('P oloc HAT))) X))"
                    " (turn pass))",
                    SHUFFLE,
                )
            ),
        ),
        game(DEAL, do(f"((== (cardatt SUIT (top ((next player) iloc HAND))) X) {COUNT})")),
    ],
    "unused-variable": [
        game(DEAL, do("(all (range 1 .. 3) 'I (inc (game sto X) 1))")),
        game(DEAL, do("(all player 'P (inc (game sto X) 1))")),
    ],
    "unused-parameter": [
        game(
            DEAL,
            before="(declare 3 'NUMP)",
            deck="(repeat 'NUMP (create deck (game vloc STOCK) (deck (RANK (A, B)))))",
        ),
    ],
    "unused-teams": [
        game(
            DEAL,
            do("(inc ((team (current player)) sto WON) 1)"),
            deck="(create teams (0, 2) (1)) (create deck (game vloc STOCK) (deck (RANK (A, B))))",
        ),
    ],
    "no-such-player": [game(DEAL, do("(set ((2 player) sto SCORE) 1)"))],
}
"""Games that a warning is not about, though they come near."""


def cases(texts_by_code: dict[str, list[str]]) -> list[object]:
    return [
        pytest.param(code, text, id=f"{code}-{number}")
        for code, texts in texts_by_code.items()
        for number, text in enumerate(texts)
    ]


@pytest.mark.parametrize(("code", "text"), cases(FOUND))
def test_a_warning_is_given(code: str, text: str) -> None:
    reported = [warning for warning in warnings(text) if warning.code == code]
    assert reported
    for warning in reported:
        assert warning.message.endswith(".")
        assert warning.hint
        assert text[warning.span.start : warning.span.end]


@pytest.mark.parametrize(("code", "text"), cases(NOT_FOUND))
def test_a_warning_is_not_given(code: str, text: str) -> None:
    assert code not in codes(text)


def test_a_sound_game_has_no_warnings() -> None:
    text = game(
        do("(all player 'P (repeat 2 (move (top (game vloc STOCK)) (top ('P iloc HAND)))))"),
        stage(
            "(all player 'P (== (size ('P iloc HAND)) 0))",
            choice(f"(any {HAND} 'C (move 'C (top ((current player) vloc WON))))"),
        ),
        score="(size ((current player) vloc WON))",
    )
    assert codes(text) == []


# --- what is said -------------------------------------------------------------------------


def test_a_misspelt_name_is_suggested() -> None:
    steps = [points(*RANKS, "((SUIT : X) 9)"), best().replace("points P", "points PQ")]
    text = game(
        DEAL,
        do(*steps)
        .replace("(game points P)", "(game points PHASEONE)")
        .replace("(game points PQ)", "(game points PHASAEONE)"),
    )
    assert {warning.code: warning.hint for warning in warnings(text)} == {
        "never-read": "Did you mean PHASAEONE?",
        "never-set": "Did you mean PHASEONE?",
    }


def test_the_kind_is_part_of_a_place() -> None:
    (warning,) = only(
        "never-filled", DEAL, do("((> (size (game iloc STOCK)) 3) (shuffle (game vloc STOCK)))")
    )
    assert warning.hint == (
        "The 'vloc' STOCK of the game is another place: the kind is part of what it is."
    )


def test_the_value_that_is_not_spoken_of_is_suggested() -> None:
    deck = "(create deck (game vloc STOCK) (deck (RANK (ACE, TWO, THREE))))"
    awards = points("((RANK : A) 1)", "((RANK : TWO) 2)", "((RANK : THREE) 3)")
    (warning,) = only("unknown-value", DEAL, do(awards, best()), deck=deck)
    assert warning.hint == "Did you mean ACE? Nothing is said about it here."


def test_that_a_card_has_no_value_is_no_value_to_suggest() -> None:
    decks = (
        "(create deck (game vloc STOCK) (deck (RANK (ONE, TWO))))"
        "(create deck (game vloc STOCK) (deck (COIN (X, Y))))"
    )
    awards = points("((RANK : ONE) 1)", "((RANK : TWO) 2)", "((RANK : THREE) 3)")
    (warning,) = only("unknown-value", DEAL, do(awards, best()), deck=decks)
    assert warning.hint == "There is ONE or TWO."


def test_a_tie_is_shown_by_example() -> None:
    (warning,) = only("tie", DEAL, do(points(*RANKS), best()))
    assert "A X and A Y (4 points each)" in warning.message
    (note,) = warning.notes
    text = game(DEAL, do(points(*RANKS), best()))
    assert text[note[0].start : note[0].end] == "(game points P)"


def test_warnings_are_in_the_order_of_the_text() -> None:
    text = game(DEAL, do("(set (game sto B) 1)", "(set (game sto A) 1)"))
    spans = [warning.span for warning in warnings(text)]
    assert len(spans) == 2
    assert spans == sorted(spans)


def test_settings_are_no_constants() -> None:
    """Whoever sets a parameter to a value does not mean it to be the only one."""
    text = game(
        DEAL,
        do("((== 'HAND 5) (inc (game sto N) 1))", "((> 'NUMP 2) (inc (game sto N) 1))"),
        before="(declare 5 'HAND) (declare 3 'NUMP)",
        players=3,
    ).replace("(create players 3)", "(create players 'NUMP)")
    assert codes(text) == ["never-read"]  # of N alone


# --- comments that silence ----------------------------------------------------------------

TIE = "(cycle next (owner (max (game vloc STOCK) using (game points P))))"
SPREAD = "(cycle next\n  (owner\n    (max (game vloc STOCK)\n  using (game points P))))"


@pytest.mark.parametrize(
    ("step", "silenced"),
    [
        (TIE, False),
        (f"{TIE} ;; ok: tie", True),
        (f"{TIE} ;ok: tie, never-set (drawn by lot)", True),
        (f"{TIE} ;; ok: never-set", False),
        (f"{TIE} ;; not ok: tie", False),
        (f";; ok: tie\n{TIE}", True),
        (f";; ok: tie\n;; drawn by lot\n\n{TIE}", True),
        (f";; ok: tie\n(shuffle (game vloc STOCK))\n{TIE}", False),
        (f"{TIE}\n;; ok: tie", False),
        (f"{SPREAD} ;; ok: tie", True),
        (f";; ok: tie\n{SPREAD}", True),
        (f"{SPREAD}\n(shuffle (game vloc STOCK)) ;; ok: tie", False),
        (SPREAD.replace("STOCK)\n", "STOCK) ;; ok: tie\n"), True),
    ],
)
def test_a_comment_silences(step: str, silenced: bool) -> None:
    text = game(DEAL, do("\n".join((points(*RANKS), step, SHUFFLE))))
    assert ("tie" not in codes(text)) is silenced


def test_errors_are_not_silenced() -> None:
    text = game(DEAL, do("(shufle (game vloc STOCK)) ;; ok: unknown-word\n"))
    (error,) = diagnose(Source("game.rcy", text))
    assert (error.code, error.is_error) == ("unknown-word", True)


# --- all tables ---------------------------------------------------------------------------


def test_all_numbers_of_players_are_looked_at() -> None:
    text = (
        ";; Some\n;; Players: 2-4\n"
        + game(DEAL, do("(set (((+ 1 1) player) sto SCORE) 1)"), before="(declare 4 'NUMP)")
    ).replace("(create players 3)", "(create players 'NUMP)")
    source = Source("game.rcy", text)
    assert [diagnostic.code for diagnostic in diagnose(source)] == ["no-such-player"]
    assert [diagnostic.code for diagnostic in diagnose(source, 2)] == ["no-such-player"]
    assert diagnose(source, 3) == []


def test_an_error_is_told_with_the_readers_warnings() -> None:
    source = Source("game.rcy", game(DEAL) + "(nonsense)")
    assert parse(source)[0] is None
    assert any(diagnostic.is_error for diagnostic in diagnose(source))


# --- keys and words -----------------------------------------------------------------------

SAME = [
    ("(!= (game sto X) 0)", "(not (== 0 (game sto X)))"),
    ("(> (size (game vloc S)) 0)", "(!= (size (game vloc S)) 0)"),
    ("(>= (game sto X) 3)", "(> (game sto X) 2)"),
    ("(>= (game sto X) (game sto Y))", "(<= (game sto Y) (game sto X))"),
    (f"(and {X1} {Y2})", f"(and {Y2} {X1})"),
    (f"(not (and {X1} {Y2}))", f"(or {NOT_Y2} {NOT_X1})"),
    ("(all player 'P (== ('P sto X) 1))", "(not (any player 'Q (!= ('Q sto X) 1)))"),
    (
        "(any (game vloc S) 'C (== (cardatt SUIT 'C) X))",
        "(< 0 (size (filter (game vloc S) 'D (== X (cardatt SUIT 'D)))))",
    ),
    (
        "(all player 'P (any player 'Q (> ('P sto X) ('Q sto X))))",
        "(all player 'A (any player 'B (< ('B sto X) ('A sto X))))",
    ),
]
DIFFERENT = [
    ("(> (game sto X) 2)", "(>= (game sto X) 2)"),
    ("(> (game sto X) 2)", "(< (game sto X) 2)"),
    ("(> (game sto X) (game sto Y))", "(< (game sto X) (game sto Y))"),
    ("(!= (game sto X) 0)", "(> (game sto X) 0)"),
    ("(== (size (game vloc S)) 0)", "(== (size (game iloc S)) 0)"),
    ("(== (game sto X) 1)", "(== (game sto Y) 1)"),
    ("(== (random 1 .. 2) 1)", "(== (random 1 .. 2) 1)"),
    (f"(or {X1} {Y2})", f"(and {X1} {Y2})"),
    (f"(not (or {X1} {Y2}))", f"(not (and {X1} {Y2}))"),
    (
        "(all player 'P (any player 'Q (> ('P sto X) ('Q sto X))))",
        "(all player 'P (any player 'Q (> ('Q sto X) ('P sto X))))",
    ),
    (
        "(any (subsets (game vloc S)) 'C (< (size 'C) 2))",
        "(> (size (filter (subsets (game vloc S)) 'C (< (size 'C) 2))) 0)",
    ),
]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [(*pair, True) for pair in SAME] + [(*pair, False) for pair in DIFFERENT],
)
def test_keys(first: str, second: str, same: bool) -> None:
    steps = [f"({condition} (inc (game sto N) 1))" for condition in (first, second)]
    parsed = program(Source("game.rcy", game(do(*steps))))
    conditions = [
        node.condition for node in tree.everything(parsed) if isinstance(node, tree.When)
    ]
    keys = Keys(Budget())
    first_key, second_key = (keys.key(condition) for condition in conditions)
    assert (first_key == second_key) is same
    negated, also = (keys.key(condition, positive=False) for condition in conditions)
    assert (negated == also) is same
    assert negated != first_key


@pytest.mark.parametrize(
    ("first", "second", "steps"),
    [
        ("", "", 0),
        ("ABC", "ABC", 0),
        ("ABC", "ACB", 1),
        ("ABC", "AC", 1),
        ("ABC", "ABXC", 1),
        ("ABC", "AXC", 1),
        ("PHASAEONE", "PHASEONE", 1),
        ("ABCD", "DCBA", 3),
        ("A" * 100, "A", 3),
    ],
)
def test_distance(first: str, second: str, steps: int) -> None:
    assert distance(first, second, 2) == distance(second, first, 2) == steps


@given(st.text("ABC", max_size=6), st.text("ABC", max_size=6))
def test_distance_is_symmetric(first: str, second: str) -> None:
    assert distance(first, second, 9) == distance(second, first, 9)
    assert (distance(first, second, 9) == 0) is (first == second)
    assert not near(first, first)


# --- the corpus and the library -----------------------------------------------------------

BUGS = {
    "Skittgube3": ["never-read: PHASEONE", "never-set: PHASAEONE"],
    "SaneEights4": ["unknown-value: A"],
    "Rummy2": ["never-filled: DRAWN"],
    "CheeseheadsLeaster5": ["never-set: PICKER", "never-set: PARTNER"],
    "LeducPoker2": ["tie: (max"],
    "Enchere3": ["constant-condition: (> 1", "tie: (max"],
    "EnchereAvancee3": ["constant-condition: (> 1"],
    "StealingBundles3": ["any-outside-choice: (any"],
    "Poker5": ["any-outside-choice: (any"],
    "Cuckoo6": ["hidden-information: (cardatt RANK"],
    "PageOne3": ["never-equal: (== (game str LEAD) JOKER"],
    "Pairs4": ["tie: (min"],
}
"""Mistakes in the corpus that are known, and what they are found by."""
SOUND = [
    "Agram4",
    "Hearts4",
    "Whist4",
    "GOPS2",
    "KuhnPoker2",
    "CrazyEights4",
    "Spades4",
    "LAMA3",
    "NoThanks3",
    "GoFish2",
    "Sueca4",
    "SpiteMalice2",
    "NinetyEight2",
    "BlackLady4",
    "Comet3",
]
"""Games of the corpus in which there is nothing of the kind."""


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
@pytest.mark.parametrize("name", [*BUGS, *SOUND])
def test_the_corpus(name: str) -> None:
    path = CORPUS / f"{name}.rcy"
    if not path.exists():
        pytest.skip("not in this corpus")
    source = Source.load(path)
    reported = [
        f"{warning.code}: {source.piece(warning.span)}" for warning in warnings(source.text)
    ]
    for bug in BUGS.get(name, []):
        code, _, piece = bug.partition(": ")
        assert any(line.startswith(code) and piece in line for line in reported)
    if name in SOUND:
        assert reported == []


# --- hostile texts ------------------------------------------------------------------------


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(programs())
def test_any_program(text: str) -> None:
    reported = warnings(text)
    assert reported == warnings(text)
    for warning in reported:
        assert 0 <= warning.span.start < warning.span.end <= len(text)


def name(number: int) -> str:
    letters = ""
    number += 26
    while number:
        letters = chr(65 + number % 26) + letters
        number //= 26
    return letters


def nested(count: int) -> str:
    """A filter of a filter of a filter ..."""
    if count == 0:
        return "(game vloc STOCK)"
    return f"(filter {nested(count - 1)} 'C{count} (== (cardatt RANK 'C{count}) A))"


def deep(count: int) -> str:
    """An ``and`` of an ``and`` of an ``and`` ..."""
    if count == 0:
        return "(== (game sto X) 1)"
    return f"(and {deep(count - 1)} (or (== (game sto X) {count}) (== (game sto Y) {count})))"


MANY = ", ".join(name(number) for number in range(31))
BIG = f"(create deck (game vloc STOCK) (deck (RANK ({MANY})) (SUIT ({MANY}))))"
HOSTILE = {
    "chain of names": game(
        do(*(f"(set (game str {name(i)}) (game str {name(i + 1)}))" for i in range(1500)))
    ),
    "chain of moves": game(
        do(
            *(
                f"(move (top (game vloc {name(i)})) (top (game vloc {name(i - 1)})))"
                for i in range(1000, 0, -1)
            ),
            f"(move (top (game vloc STOCK)) (top (game vloc {name(1000)})))",
        )
    ),
    "clauses": game(
        turns(choice(*(f"((> (game sto X) {i}) (turn pass))" for i in range(1200)))),
    ),
    "ties": game(
        do(
            points(*(f"((RANK : (game str X)) (SUIT : {name(i % 31)}) {i})" for i in range(350))),
            "(set (game str X) (cardatt RANK (top (game vloc STOCK))))",
            *(["(move (max (game vloc STOCK) using (game points P)) (top (game vloc X)))"] * 350),
        ),
        deck=BIG,
    ),
    "filters": game(
        do(*([f"((== (size {nested(45)}) 0) (inc (game sto X) 1))"] * 22)),
        deck=BIG,
    ),
    "conditions": game(do(*([f"({deep(80)} (inc (game sto X) 1))"] * 6))),
    "long condition": game(
        do(
            "((and "
            + " ".join(f"(or (== (game sto X) {i}) (== (game sto Y) {i}))" for i in range(900))
            + ") (inc (game sto X) 1))"
        )
    ),
    "forks": game(
        turns(choice(*(["(any (game vloc STOCK) 'A " * 40 + "(turn pass)" + ")" * 40] * 40)))
    ),
    "stages": game(
        *(
            [
                "(stage player (end (== (game sto X) 2)) " * 80
                + "(do ((inc (game sto X) 1)))"
                + ")" * 80
            ]
            * 12
        )
    ),
    "moves": game(
        turns(
            choice(
                *(f"(move (top (game vloc {name(i)})) (top (game vloc M)))" for i in range(900))
            )
        )
    ),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_little_work(text: str) -> None:
    parsed = program(Source("game.rcy", text))
    diagnostics: list[Diagnostic] = []
    assert lines_run(lambda: diagnostics.extend(check(parsed))) < 10_000_000
    assert len(diagnostics) <= 202


def test_nobody_reads_endless_warnings() -> None:
    reported = warnings(game(do(*(f"(inc (game sto {name(i)}) 1)" for i in range(300)))))
    assert len(reported) == 201
    assert reported[-1].code == "more"
    assert reported[-1].message == "There are 101 more warnings, which are not shown."


def test_a_seat_that_nobody_has_is_explained_by_the_header_that_lacks() -> None:
    text = """(game (declare 2 'N)
      (setup (create players 'N)
        (create deck (game iloc STOCK) (deck (RANK (A, B)))))
      (do ((move (top (game iloc STOCK)) (top ((1 player) iloc HAND)))))
      (scoring max (size ((current player) iloc HAND))))"""
    (problem,) = [
        diagnostic for diagnostic in diagnose(Source("own.rcy", text)) if diagnostic.is_error
    ]
    assert problem.message == "With 1 player there is no player 1: its number is 0."
    assert problem.hint.startswith("No header says how many can play")
    assert not any(
        diagnostic.is_error
        for diagnostic in diagnose(Source("own.rcy", f";; Players: 2-4\n{text}"))
    )
