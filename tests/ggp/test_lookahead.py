"""The search for rules without a network: what it learns, what it sees, and that it stops."""

from __future__ import annotations

import random
import time

import pytest

from kibitz.core.interrupt import StoppedError, run_until_stopped
from kibitz.gdl import library
from kibitz.gdl.prover_rules import ProverRules
from kibitz.gdl.reader import description, read_term
from kibitz.ggp.lookahead import Lookahead
from kibitz.ggp.messages import Joint
from kibitz.ggp.players import make_player
from kibitz.ggp.playing import Answer, Playing, Rules
from kibitz.syntax.source import Source

TURNS = """
    (role white) (role black) (init (control white))
    (<= (next (control white)) (true (control black)))
    (<= (next (control black)) (true (control white)))
    (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
"""

RACE = f"""{TURNS}
    (init (at a 1 rook white)) (init (at b 1 pawn white))
    (init (at a 6 rook black)) (init (at c 1 pawn black))
    (column a) (column b) (column c)
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (row ?y) (succ ?y ?z)) (row 6)
    (<= (way pawn ?x ?y ?x ?z) (column ?x) (succ ?y ?z))
    (<= (way rook ?x ?y ?x ?z) (column ?x) (row ?y) (row ?z) (distinct ?y ?z))
    (<= (way rook ?x ?y ?u ?y) (column ?x) (column ?u) (row ?y) (distinct ?x ?u))
    (<= (taken ?x ?y ?p) (true (at ?x ?y ?piece ?p)))
    (<= (legal ?p (move ?piece ?x ?y ?u ?v))
        (true (control ?p)) (true (at ?x ?y ?piece ?p)) (way ?piece ?x ?y ?u ?v)
        (not (taken ?u ?v ?p)))
    (<= (legal ?p stay) (true (control ?p)))
    (<= (left ?x ?y) (does ?p (move ?piece ?x ?y ?u ?v)))
    (<= (entered ?u ?v) (does ?p (move ?piece ?x ?y ?u ?v)))
    (<= (next (at ?u ?v ?piece ?p)) (does ?p (move ?piece ?x ?y ?u ?v)))
    (<= (next (at ?x ?y ?piece ?p))
        (true (at ?x ?y ?piece ?p)) (not (left ?x ?y)) (not (entered ?x ?y)))
    (<= (next (step 1)) (true (control white)))
    (<= (has ?p) (true (at ?x ?y rook ?p)))
    (<= terminal (role ?p) (not (has ?p)))
    (<= (goal ?p 100) (has ?p))
    (<= (goal ?p 0) (role ?p) (not (has ?p)))
"""
"""A game in which a player who loses the rook has lost; pawns all move in the same direction."""


def lookahead(text: str, role: int = 0) -> Lookahead:
    rules = ProverRules(description(Source("own.kif", text)))
    return Lookahead(rules, role, random.Random(1))


def state(search: Lookahead, *facts: str) -> frozenset[int]:
    terms = [read_term(fact) for fact in facts]
    return frozenset(search.rules.terms.number(term) for term in terms if term is not None)


def chosen(search: Lookahead, facts: frozenset[int], deepest: int) -> str:
    return search.rules.move_names[search.choose(facts, time.monotonic() + 60, deepest)]


def test_pieces_are_worth_their_moves() -> None:
    search = lookahead(RACE)
    position = search.rules.prover.initial()
    for _ in range(5):
        search.play_out(position)
    search.heuristic.fit()

    def worth(*facts: str) -> float:
        return search.heuristic.material(state(search, *facts), role=0)

    assert worth("(at a 1 rook white)") > 2 * worth("(at b 1 pawn white)") > 0
    assert worth("(at c 3 rook white)") == worth(
        "(at a 1 rook white)"
    )  # the kind counts, not where
    assert worth("(at a 6 rook black)") < worth("(at c 1 pawn black)") < 0
    assert worth("(control white)") == 0


@pytest.mark.parametrize("suicide", [False, True])
def test_whether_mobility_is_good_shows_at_the_end(suicide: bool) -> None:
    search = lookahead(f"""{TURNS}
        (token 1) (token 2) (token 3) (token 4) (token 5)
        (<= (init (has ?p ?x)) (role ?p) (token ?x))
        (<= (legal ?p (drop ?x)) (true (control ?p)) (true (has ?p ?x)))
        (<= (legal ?p pass) (true (control ?p)))
        (<= (next (has ?p ?x)) (true (has ?p ?x)) (not (does ?p (drop ?x))))
        (<= (alive ?p) (true (has ?p ?x)))
        (<= terminal (role ?p) (not (alive ?p)))
        (<= (goal ?p {0 if suicide else 100}) (alive ?p))
        (<= (goal ?p {100 if suicide else 0}) (role ?p) (not (alive ?p)))
    """)
    for _ in range(10):
        search.play_out(search.rules.prover.initial())
    search.heuristic.fit()
    low, high = (search.heuristic.mobility(0, moves, role=0) for moves in (1, 6))
    assert low > high if suicide else low < high
    assert search.heuristic.mobility(1, 6, role=0) == -search.heuristic.mobility(1, 6, role=1)


@pytest.mark.parametrize("deepest", [1, 2])
def test_a_win_in_one_is_taken(deepest: int) -> None:
    search = lookahead(RACE)
    search.heuristic.fit()  # it has learned nothing
    facts = ("(at a 1 rook white)", "(at b 6 pawn black)", "(at a 6 rook black)")
    assert (
        chosen(search, state(search, *facts, "(control white)"), deepest) == "(move rook a 1 a 6)"
    )
    assert search.value is not None
    assert search.value > 0.95


def test_a_loss_in_one_is_avoided() -> None:
    search = lookahead(RACE)
    search.heuristic.fit()
    facts = ("(at c 2 rook white)", "(at b 6 rook black)", "(control white)")
    position = state(search, *facts)
    for _ in range(5):
        move = chosen(search, position, deepest=2)
        # in column b and in row 6 the rook would be taken
        assert not move.endswith(" 6)")
        assert " b " not in move


def test_many_moves_are_tried_by_likeness_and_the_clock_holds() -> None:
    cells = " ".join(f"(cell {i})" for i in range(20))
    search = lookahead(f"""{TURNS} {cells}
        (<= (legal ?p (put ?x ?y)) (true (control ?p)) (cell ?x) (cell ?y))
        (<= (next (won ?p)) (does ?p (put 7 ?y)))
        (<= terminal (true (won ?p)))
        (<= (goal ?p 100) (true (won ?p)))
        (<= (goal ?p 0) (role ?p) (not (true (won ?p))))
    """)
    search.heuristic.fit()
    start = search.rules.prover.initial()
    assert chosen(search, start, deepest=1).startswith("(put 7 ")
    search.choose(start, time.monotonic() - 1)  # no time at all
    assert search.best in search.rules.legal_in(start, 0)


def test_the_best_so_far_is_there_when_it_is_stopped() -> None:
    search = lookahead(RACE)
    search.heuristic.fit()
    start = search.rules.prover.initial()
    stop = [0]
    look, looked = search._look, []

    def stopping(position: object) -> None:
        looked.append(position)
        stop[0] = len(looked) > 3
        look(position)  # type: ignore[arg-type]

    search._look = stopping  # type: ignore[method-assign]
    with pytest.raises(StoppedError):
        run_until_stopped(lambda: search.choose(start, time.monotonic() + 60), stop)
    assert search.best in search.rules.legal_in(start, 0)


@pytest.mark.parametrize(
    "text",
    [
        """(role a) (role b) (hand rock) (hand paper) (init (round 0))
        (<= (legal ?p ?h) (role ?p) (hand ?h) (true (round 0)))
        (<= (next (shown ?p ?h)) (does ?p ?h)) (<= terminal (true (shown ?p ?h)))
        (<= (goal ?p 100) (true (shown ?p paper)))
        (<= (goal ?p 0) (true (shown ?p rock)))""",
        """(role a) (role random) (hand rock) (hand paper) (init (round 0))
        (<= (legal a ?h) (hand ?h) (true (round 0))) (legal random heads) (legal random tails)
        (<= (next (shown a ?h)) (does a ?h)) (<= terminal (true (shown ?p ?h)))
        (<= (goal a 100) (true (shown a paper)))
        (<= (goal a 0) (true (shown a rock))) (goal random 50)""",
        """(role a) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal a paper) (true (at ?x))) (<= (legal a rock) (true (at ?x)))
        (<= (next (at ?y)) (does a paper) (true (at ?x)) (succ ?x ?y))
        (<= (next (at 0)) (does a rock))
        (<= terminal (true (at 3))) (<= (goal a 100) (true (at 3)))
        (<= (goal a 0) (not (true (at 3))))""",
    ],
    ids=["moves made at once", "chance", "one role"],
)
def test_games_of_other_kinds_are_searched(text: str) -> None:
    search = lookahead(text)
    search.heuristic.fit()
    assert chosen(search, search.rules.prover.initial(), deepest=4) == "paper"


def test_ggp_does_not_wait_for_rules_that_take_long() -> None:
    rules = Rules(library.gdl_tic_tac_toe.text.text)  # no thread grounds them
    playing = Playing("white", rules, make_player("ggp"), seed=1)
    playing.get_ready(time.monotonic() + 0.2)
    answers: list[Answer] = []
    moves = ("(mark 1 1)", "noop"), ("noop", "(mark 2 1)"), ("(mark 1 2)", "noop")
    for step in (None, *moves):
        playing.answer(Joint(step), time.monotonic() + 0.05, answers.append)
    answer = playing.answer(Joint(("noop", "(mark 2 2)")), time.monotonic() + 0.6, answers.append)
    assert answer.move.replace("( ", "(").replace(" )", ")") == "(mark 1 3)"
    assert "at random" not in answer.remark
