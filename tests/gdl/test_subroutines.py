"""The book's subroutines, on texts in both notations, and players written with them."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest
from tests.shared import SHARED

import kibitz
from kibitz import gdl
from kibitz.arena.perft import perft
from kibitz.core.errors import KibitzError
from kibitz.gdl.game import GdlGame
from kibitz.gdl.library import FOLDER
from kibitz.gdl.reader import description
from kibitz.gdl.writer import to_infix
from kibitz.syntax.source import Source, SourceError

RULES = (FOLDER / "gdl-tic-tac-toe.kif").read_text()
INFIX = to_infix(description(Source("rules", RULES)))
CORPUS = SHARED / "corpus" / "gdl" / "public"

START = sorted([f"(cell {m} {n} b)" for m in "123" for n in "123"] + ["(control white)"])
MARKS = [f"(mark {m} {n})" for m in "123" for n in "123"]


def legal_player(role: str, state: list[str], game: Any) -> str:
    """The book's legal player."""
    return gdl.findlegalx(role, state, game)


def random_player(role: str, state: list[str], game: Any, chance: random.Random) -> str:
    """The book's random player."""
    return chance.choice(gdl.findlegals(role, state, game))


@pytest.mark.parametrize("game", [RULES, INFIX, gdl.load(RULES)], ids=["kif", "infix", "loaded"])
def test_the_start(game: Any) -> None:
    assert gdl.findroles(game) == ["white", "black"]
    assert sorted(gdl.findinits(game)) == START
    assert len(gdl.findpropositions(game)) == 29
    assert gdl.findactions("white", game) == [*MARKS, "noop"]
    state = gdl.findinits(game)
    assert gdl.findlegals("white", state, game) == MARKS
    assert gdl.findlegalx("white", state, game) == "(mark 1 1)"
    assert gdl.findlegals("black", state, game) == ["noop"]
    assert gdl.findreward("white", state, game) == 50
    assert gdl.findterminalp(state, game) is False


def test_a_step() -> None:
    state = gdl.findinits(RULES)
    after = gdl.findnext(["white", "black"], ["(mark 2 2)", "noop"], state, RULES)
    expected = {*START, "(cell 2 2 x)", "(control black)"} - {"(cell 2 2 b)", "(control white)"}
    assert set(after) == expected
    assert gdl.findnext(["black", "white"], ["noop", "mark(2,2)"], state, RULES) == after
    assert sorted(state) == START


def test_the_end() -> None:
    won = [f"(true (cell 1 {n} x))" for n in "123"] + ["(control black)"]
    assert gdl.findterminalp(won, RULES)
    assert gdl.findreward("white", won, RULES) == 100
    assert gdl.findreward("black", won, RULES) == 0


def test_simulate_is_what_play_does() -> None:
    state = gdl.findinits(RULES)
    for nothing in ("nil", "NIL", None, []):
        assert gdl.simulate(nothing, state) == state
    after = gdl.simulate(["(mark 1 1)", "noop"], state)
    assert after == gdl.simulate(["(mark 1 1)", "noop"], list(state), RULES)
    assert gdl.findlegals("white", after, RULES) == ["noop"]
    with pytest.raises(gdl.GdlError, match="third argument"):
        gdl.simulate("nil", list(state))


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    first, chance = gdl.findinits(RULES), random.Random(1)
    for _ in range(20):
        state = first
        while not gdl.findterminalp(state, RULES):
            moves = [random_player(r, state, RULES, chance) for r in ("white", "black")]
            state = gdl.simulate(moves, state)
        assert gdl.findlegals("white", first, RULES) == MARKS
        assert gdl.findlegals("white", first[::-1], RULES) == MARKS


def test_the_books_players_play() -> None:
    game = gdl.load(RULES)
    chance, wins = random.Random(0), 0
    for _ in range(50):
        state = gdl.findinits(game)
        while not gdl.findterminalp(state, game):
            moves = [
                legal_player("white", state, game),
                random_player("black", state, game, chance),
            ]
            state = gdl.findnext(gdl.findroles(game), moves, state, game)
        wins += gdl.findreward("white", state, game) == 100
    assert 25 <= wins < 50


def test_errors_have_types() -> None:
    state = gdl.findinits(RULES)
    roles = ["white", "black"]
    with pytest.raises(gdl.UnknownRoleError, match="white, black"):
        gdl.findlegals("red", state, RULES)
    with pytest.raises(gdl.UnknownRoleError):
        gdl.findactions("?x", RULES)
    for wrong in ("(cell 9 9 x)", "(cell", "", "?x", "control"):
        with pytest.raises(gdl.IllFormedStateError, match="can never be true"):
            gdl.findlegals("white", [wrong], RULES)
    with pytest.raises(gdl.IllFormedStateError, match="a list"):
        gdl.findterminalp("(cell 1 1 b)", RULES)
    with pytest.raises(gdl.IllegalMoveError, match="not a legal move of white"):
        gdl.findnext(roles, ["noop", "noop"], state, RULES)
    with pytest.raises(gdl.IllegalMoveError, match="one move for each role"):
        gdl.findnext(roles, ["(mark 1 1)"], state, RULES)
    with pytest.raises(gdl.IllegalMoveError, match="one move for each role"):
        gdl.findnext(["white", "white"], ["(mark 1 1)", "noop"], state, RULES)
    with pytest.raises(gdl.IllFormedTermError):
        gdl.findnext(roles, ["(mark 1", "noop"], state, RULES)
    with pytest.raises(gdl.NoLegalMoveError):
        gdl.findlegalx("white", [], RULES)
    both = [f"(cell {m} {n} {z})" for m, z in ("1x", "2o") for n in "123"]
    with pytest.raises(gdl.NoGoalError):
        gdl.findreward("white", both, RULES)
    twice = RULES + "(<= (goal white 7) (true (control white)))"
    with pytest.raises(gdl.SeveralGoalsError, match="7, 50"):
        gdl.findreward("white", state, twice)
    with pytest.raises(SourceError):
        gdl.findroles("(role white")
    assert issubclass(gdl.GdlError, KibitzError)


def test_the_same_text_is_compiled_once() -> None:
    assert gdl.load(RULES) is gdl.load(RULES)
    assert gdl.load(gdl.load(RULES)) is gdl.load(RULES)
    assert gdl.findroles(gdl.load(FOLDER / "nim.kif")) == ["first", "second"]
    assert gdl.findroles(RULES.splitlines()) == ["white", "black"]


def test_spellings_are_those_of_the_rules() -> None:
    game = "(role X) (init (P a)) (legal x (Go A)) (<= (next (p B)) (does X ?m)) (goal x 1)"
    game += "(<= terminal (true (p b)))"
    state = gdl.findinits(game)
    assert gdl.findroles(game) == ["X"]
    assert state == ["(P a)"]
    assert gdl.findlegals("x", state, game) == ["(Go a)"]
    assert gdl.findnext(["x"], ["(GO A)"], ["(p A)"], game) == ["(P B)"]
    assert gdl.findpropositions(game) == ["(P a)", "(P B)"]
    assert gdl.findactions("X", game) == ["(Go a)"]


def test_the_same_tree_as_tic_tac_toe_in_python() -> None:
    ours = perft(kibitz.load("tic-tac-toe").new_state(), 9)
    theirs = perft(kibitz.load("gdl-tic-tac-toe").new_state(), 9)
    assert theirs.histories == ours.histories
    assert theirs.games == ours.games == 255_168


def test_every_name_is_there() -> None:
    for name in gdl.__all__:
        assert getattr(gdl, name)
        assert name in dir(gdl)
    with pytest.raises(AttributeError):
        _ = gdl.findnothing


def test_rules_that_are_evaluated_one_by_one() -> None:
    grounded, plain = gdl.load(RULES), GdlGame(Source("rules", RULES), grounded=False)
    chance, state = random.Random(3), gdl.findinits(grounded)
    assert sorted(gdl.findinits(plain)) == sorted(state)
    assert gdl.findpropositions(plain) == gdl.findpropositions(grounded)
    assert gdl.findactions("black", plain) == gdl.findactions("black", grounded)
    while not gdl.findterminalp(state, grounded):
        assert not gdl.findterminalp(state, plain)
        for role in ("white", "black"):
            assert gdl.findlegals(role, state, plain) == gdl.findlegals(role, state, grounded)
        moves = [random_player(role, state, plain, chance) for role in ("white", "black")]
        after = gdl.findnext(["white", "black"], moves, state, plain)
        state = gdl.findnext(["white", "black"], moves, state, grounded)
        assert sorted(after) == sorted(state)
    assert gdl.findterminalp(state, plain)
    for role in ("white", "black"):
        assert gdl.findreward(role, state, plain) == gdl.findreward(role, state, grounded)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
@pytest.mark.parametrize("name", ["blocker", "eightPuzzle", "smallest_4player"])
def test_agreement_with_traces(name: str) -> None:
    game = gdl.load(CORPUS / f"{name}.kif")
    roles = gdl.findroles(game)
    state: list[str] = []
    with gzip.open(CORPUS / f"{name}.jsonl.gz", "rt") as lines:
        for line in map(json.loads, lines):
            if line["type"] == "game":
                assert sorted(gdl.findinits(game)) == line["initial"]
            elif line["type"] == "playout":
                state = gdl.findinits(game)
            elif line["type"] == "step":
                for role in roles:
                    assert sorted(gdl.findlegals(role, state, game)) == line["legal"][role]
                assert not gdl.findterminalp(state, game)
                state = gdl.findnext(roles, line["move"], state, game)
                assert sorted(state) == line["next"]
            else:
                assert gdl.findterminalp(state, game)
                for role in roles:
                    assert [str(gdl.findreward(role, state, game))] == line["goals"][role]
