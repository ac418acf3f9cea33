"""Diagnostics of the checker: their places and cures, and false alarms that it avoids."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from tests.shared import SHARED

from kibitz.gdl.checker import diagnose
from kibitz.gdl.library import FOLDER
from kibitz.gdl.reader import description
from kibitz.gdl.simulation import simulate
from kibitz.gdl.writer import to_infix
from kibitz.syntax.source import Diagnostic, Source, render

CORPUS = sorted((SHARED / "corpus" / "gdl").glob("*/*.kif"))

GAME = """
(role white)
(init (step 1))
(succ 1 2)
(succ 2 3)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (legal white (go ?n)) (true (step ?n)))
(<= terminal (true (step 3)))
(goal white 50)
"""


def about(text: str) -> list[Diagnostic]:
    return diagnose(Source("test", text))


def found(text: str) -> list[tuple[str, str]]:
    return [
        (diagnostic.code, text[diagnostic.span.start : diagnostic.span.end])
        for diagnostic in about(text)
    ]


def added(text: str) -> list[tuple[str, str]]:
    return found(GAME + text)


def test_a_sound_game() -> None:
    assert added("") == []


@pytest.mark.parametrize(
    ("text", "code", "piece"),
    [
        # safety
        ("(<= (goal white ?x) (not (true (step ?x))))", "unsafe", "(goal white ?x)"),
        ("(<= (goal white 1) (not (true (step ?x))))", "unsafe", "(not (true (step ?x)))"),
        ("(<= (goal white 1) (distinct ?x 1))", "unsafe", "(distinct ?x 1)"),
        ("(succ ?x 3)", "unsafe", "(succ ?x 3)"),
        (
            "(<= (goal white ?x) (or (succ ?x 2) (true (step 1))))",
            "unsafe",
            "(goal white ?x)",
        ),
        (
            "(<= (goal white 1) (or (succ ?x 2) (not (succ ?x 3))))",
            "unsafe",
            "(not (succ ?x 3))",
        ),
        # stratification
        ("(<= terminal p) (<= p (not q)) (<= q (not p))", "unstratified", "(not q)"),
        ("(<= terminal p) (<= p (not p))", "unstratified", "(not p)"),
        ("(<= terminal p) (<= p q) (<= q r) (<= r (not p))", "unstratified", "(not p)"),
        (
            "(<= terminal (p 1)) (<= (p ?x) (succ ?x ?y) (not (p ?y)))",
            "unstratified",
            "(not (p ?y))",
        ),
        # recursion
        ("(<= terminal (n 0)) (<= (n (s ?x)) (n ?x)) (n 0)", "recursion", "(n ?x)"),
        ("(<= terminal (n 0)) (<= (n ?x) (n (s ?x))) (n 0)", "recursion", "(n (s ?x))"),
        # where words may stand
        ("(<= (role black) (true (step 1)))", "misplaced-word", "(role black)"),
        ("(true (step 1))", "misplaced-word", "(true (step 1))"),
        ("(<= (does white ?x) (succ ?x 2))", "misplaced-word", "(does white ?x)"),
        ("(<= (goal white 1) (init (step 1)))", "misplaced-word", "(init (step 1))"),
        ("(<= (goal white 1) (next (step 1)))", "misplaced-word", "(next (step 1))"),
        ("(<= (init (step ?x)) (true (step ?x)))", "context", "(true (step ?x))"),
        ("(<= terminal p) (<= p (does white (go 1)))", "context", "(does white (go 1))"),
        ("(<= (goal white 1) (does white ?m))", "context", "(does white ?m)"),
        ("(<= (legal white ?m) (does white ?m))", "context", "(does white ?m)"),
        ("(legal white)", "keyword-arity", "(legal white)"),
        ("(<= (terminal now) (true (step 1)))", "keyword-arity", "(terminal now)"),
        ("(<= (goal white 1) (true (not 1)))", "keyword-term", "(true (not 1))"),
        # names
        ("(<= terminal (suc 1 2))", "undefined", "(suc 1 2)"),
        ("(<= terminal (true (stepp 1)))", "undefined-fact", "(true (stepp 1))"),
        (
            "(<= (next (step 1)) (does white (going 1)))",
            "undefined-move",
            "(does white (going 1))",
        ),
        ("(<= (never ?x) (succ ?x 2))", "unused", "(never ?x)"),
        ("(init (clock 1))", "unused-fact", "(init (clock 1))"),
        ("(<= terminal (succ 1 2 3))", "arity", "(succ 1 2 3)"),
        ("(<= (goal whit 1) (true (step 1)))", "unknown-role", "(goal whit 1)"),
        ("(succ 2 STEP)", "case", "STEP"),
        # values and the like
        ("(goal white high)", "goal-value", "(goal white high)"),
        ("(goal white 101)", "goal-value", "(goal white 101)"),
        ("(<= terminal (distinct a a))", "certain", "(distinct a a)"),
        ("(succ 1 2)", "duplicate", "(succ 1 2)"),
        (
            f"(<= terminal {'(or (succ 1 2) (succ 2 3)) ' * 10})",
            "too-many-alternatives",
            "terminal",
        ),
    ],
)
def test_what_is_wrong_is_told_at_its_place(text: str, code: str, piece: str) -> None:
    assert (code, piece) in added(text)


@pytest.mark.parametrize(
    "text",
    [
        # the `or` gives a value in each part
        "(<= (goal white ?x) (or (succ ?x 2) (succ ?x 3)))",
        "(<= (goal white 1) (not (succ ?x 3)) (true (step ?x)))",
        # no cycle goes through these
        "(<= terminal p) (<= p (not q)) (<= q (succ 1 2))",
        # left recursion over finite relations
        "(<= terminal (less 1 3)) (<= (less ?x ?y) (less ?x ?z) (succ ?z ?y)) "
        "(<= (less ?x ?y) (succ ?x ?y))",
        "(<= terminal (p)) (<= p terminal)",
        "(<= (sees white (went ?m)) (does white ?m))",
    ],
)
def test_what_is_right_is_left_alone(text: str) -> None:
    assert added(text) == []


def test_negation_that_only_arguments_keep_apart_is_a_warning() -> None:
    (diagnostic,) = about(GAME.replace("50", "0") + "(<= (goal white 100) (not (goal white 0)))")
    assert diagnostic.code == "unstratified"
    assert not diagnostic.is_error


def test_missing_relations() -> None:
    codes = [
        (diagnostic.code, diagnostic.is_error)
        for diagnostic in about("(p)")
        if diagnostic.code == "missing"
    ]
    assert sorted(codes) == [("missing", False)] * 2 + [("missing", True)] * 4


def test_cures_and_notes() -> None:
    (diagnostic,) = about(GAME + "(<= terminal (suc 1 2))")
    assert diagnostic.hint == "Is succ meant?"
    (diagnostic,) = about(GAME + "(<= (goal white 1) (true (step ?from)) (distinct ?form 1))")
    assert diagnostic.hint == "Is ?from meant?"
    (diagnostic,) = about(GAME + "(<= (goal whit 1) (true (step 1)))")
    assert diagnostic.hint == "Is white meant?"
    cycle = about(GAME + "(<= terminal p) (<= p q) (<= q r) (<= r (not p))")
    assert [note for _, note in cycle[0].notes] == ["p depends on q", "q depends on r"]
    (diagnostic,) = about(GAME + "(<= (goal white ?x) (or (succ ?x 2) (true (step 1))))")
    assert diagnostic.hint == "Every part of the `or` needs a condition with ?x."


def test_comments_silence_warnings_but_no_errors() -> None:
    assert added("(never 1) ; ok: unused") == []
    assert added(";; ok: unused\n(never 1)") == []
    assert added("(never 1) ; ok: case") == [("unused", "(never 1)")]
    assert added("(goal white high) ; ok: goal-value") != []


def test_infix_is_checked_as_well() -> None:
    text = "role(x)\nlegal(x,a)\nterminal\ngoal(x,Y) :- ~p(Y)\ninit(q)\nnext(q) :- true(q)\n"
    assert [code for code, _ in found(text)] == ["unsafe", "unsafe", "undefined"]
    assert all(piece in ("goal(x,Y)", "~p(Y)") for _, piece in found(text))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_games_that_are_played_have_no_errors(path: Path) -> None:
    assert not [diagnostic for diagnostic in diagnose(Source.load(path)) if diagnostic.is_error]


def test_spoilt_texts_are_told_about_and_no_more() -> None:
    texts = [path.read_text() for path in sorted(FOLDER.glob("*.kif"))]
    texts += [to_infix(description(Source("test", text))) for text in texts]
    chance = random.Random(5)
    for _ in range(300):
        words = re.findall(r"\s+|[()&|~,]|:-|[^\s()&|~,]+", chance.choice(texts))
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(words))
            words[place] = chance.choice(["", *chance.choices(words, k=3), words[place] * 2])
        source = Source("spoilt", "".join(words))
        for diagnostic in diagnose(source):
            assert render(diagnostic, source)


# --- by playing -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.kif")), ids=lambda path: path.stem)
def test_the_library_is_sound(path: Path) -> None:
    source = Source.load(path)
    assert diagnose(source) == []
    assert simulate(source, games=5) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "piece"),
    [
        ("(true (step 3))", "(true (step 4))", "endless", "terminal"),
        ("(true (step ?n)))\n(<= term", "(true (step ?n)) (succ ?n 2))\n(<= term", "no-move", "?"),
        ("(goal white 50)", "(<= (goal white 1) (true (step 1)))", "no-goal", "(goal white 1)"),
        ("50)", "50) (<= (goal white 1) (true (step 3)))", "goals", "(goal white 50)"),
        ("50)", "101)", "goal-value", "(goal white 101)"),
        ("50)", "50) (base (step 1)) (base (step 3))", "undeclared-fact", "(base (step 1))"),
        ("50)", "50) (input white (go 1))", "undeclared-move", "(input white (go 1))"),
    ],
)
def test_conditions_that_play_shows(old: str, new: str, code: str, piece: str) -> None:
    loop = "(<= (next (step 3)) (true (step 3)))"
    text = GAME.replace(old, new) + loop
    assert text != GAME + loop
    diagnostics = simulate(Source("test", text), games=3)
    places = [
        (diagnostic.code, text[diagnostic.span.start : diagnostic.span.end])
        for diagnostic in diagnostics
    ]
    assert (code, piece if piece != "?" else "(legal white (go ?n))") in places


@pytest.mark.parametrize("each", ["(distinct ?x{} a)", "(or (p ?x{}) (not (q b)))"])
def test_a_rule_without_end_is_not_read(each: str) -> None:
    text = f"(role a)\n(<= p {' '.join(each.format(i) for i in range(1000))} (p c))"
    (problem,) = [d for d in diagnose(Source("text", text)) if d.is_error and d.code == "too-many"]
    assert "more than 1,000 conditions" in problem.message


@pytest.mark.parametrize("more", ["", "(sees white p)"])
def test_what_breaks_a_game_off_before_it_begins(more: str) -> None:
    text = "(role white) (role black) (init p) (legal white go) (<= terminal (true q))"
    text += f"(goal white 0) (goal black 0) {more}"
    (diagnostic,) = simulate(Source("test", text), games=2)
    assert diagnostic.code == "no-move"
    assert "black" in diagnostic.message
    assert "at the start" in diagnostic.hint
