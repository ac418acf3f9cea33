"""Diagnostics of wrong files: every problem, its place and its cure."""

from __future__ import annotations

import re

import pytest
from tests.shared import SHARED

from kibitz.recycle.parser import parse
from kibitz.syntax.source import Diagnostic, Source, render

SEEDS = SHARED / "seeds" / "recycle_cardstock.txt"

FRAME = """(game {declare} (setup (create players {players}) {setup}
  (create deck (game iloc STOCK) (deck (RANK (A, B)) (SUIT (X, Y)))))
 {body}
 (scoring max {score}))"""


FRAME_OF_ITEM = FRAME.format(declare="", setup="", players=3, body="%s", score=0)
FRAME_OF_STEP = FRAME_OF_ITEM % "(do (%s))"
"""The game with an item or a step, which is put in by ``%``."""


def diagnostics_of(
    body: str = "(choice ((turn pass)))",
    declare: str = "",
    setup: str = "",
    players: str = "3",
    score: str = "0",
) -> list[tuple[str, str, str]]:
    """The code, the piece of source and the hint of each diagnostic."""
    text = FRAME.format(body=body, declare=declare, setup=setup, players=players, score=score)
    source = Source("x.rcy", text)
    return [
        (diagnostic.code, source.piece(diagnostic.span), diagnostic.hint)
        for diagnostic in parse(source)[1]
    ]


def step(text: str) -> list[tuple[str, str, str]]:
    return diagnostics_of(f"(do ({text}))")


@pytest.mark.parametrize(
    ("text", "code", "piece", "hint"),
    [
        ("(shufle (game iloc STOCK))", "unknown-word", "shufle", "shuffle"),
        ("(shuffle (game ilock STOCK))", "unknown-word", "ilock", "iloc"),
        ("(shuffle ((curent player) iloc H))", "unknown-word", "curent", "current"),
        ("(set (game sto X) (szie player))", "unknown-word", "szie", "size"),
        ("(if (== 1 1) (turn pass))", "unknown-word", "if", "(CONDITION BODY)"),
        ("((= (game sto X) 1) (turn pass))", "unknown-word", "=", "=="),
        ("(shuffle (game iloc STOCK) 2)", "too-many-arguments", "2", "(shuffle LOCATION)"),
        (
            "(move (top (game iloc STOCK)))",
            "too-few-arguments",
            "(move (top (game iloc STOCK)))",
            "(move CARD PLACE)",
        ),
        ("(cycle nxt current)", "expected-word", "nxt", "(cycle next|current PLAYER)"),
        (
            "(set (game sto X) (sum (game iloc STOCK) usnig (game points P)))",
            "expected-word",
            "usnig",
            "using POINTS",
        ),
        (
            "(move (top (game iloc STOCK)) (game vloc T))",
            "expected-place",
            "(game vloc T)",
            "(top (game vloc T))",
        ),
        (
            "(all (game iloc STOCK) 'C (move (top (game vloc T)) 'C))",
            "expected-place",
            "'C",
            "Swapped? A card is moved there: (move 'C (top LOCATION))",
        ),
        (
            "(move (top (game iloc STOCK)) (top (game mem T)))",
            "memory",
            "(game mem T)",
            "remember",
        ),
        ("(all player 'P (inc (P sto X) 1))", "missing-quote", "P", "'P"),
        ("(any (game iloc STOCK) 'C (move C (top (game vloc T))))", "wrong-type", "C", "'C"),
        ("(all player 'WHO (inc ('WOH sto X) 1))", "unknown-variable", "'WOH", "'WHO"),
        ("(all player P (turn pass))", "missing-quote", "P", "'NAME"),
        ("(set (game sto 3) 1)", "wrong-type", "3", "capital letter"),
        ("(set (game str X) 3)", "wrong-type", "3", "capital letter"),
        ("(set (game sto X) A)", "wrong-type", "A", "(OWNER str NAME)"),
        ("(set (game sto X) (game vloc T))", "wrong-type", "(game vloc T)", "(size ...)"),
        ("(set (game str lead) A)", "bad-name", "lead", "LEAD"),
        ("((== (game str X) 1) (turn pass))", "wrong-type", "1", "capital letter"),
        ("((== (current player) (current team)) (turn pass))", "wrong-type", "(current team)", ""),
        (
            "((cardatt RANK (game iloc STOCK)) (turn pass))",
            "wrong-type",
            "(game iloc STOCK)",
            "(top ...)",
        ),
        ("(inc ((5 player) sto X) 1)", "seat", "5", ""),
        ("(cycle next player)", "wrong-type", "player", "(next player)"),
        ("(set (size player) 1)", "not-a-storage", "(size player)", "(game sto NAME)"),
        (
            "(move (top ((current team) iloc H)) (top (game vloc T)))",
            "team-cards",
            "(current team)",
            "",
        ),
        ("(choice ((turn pass)))", "misplaced", "(choice ((turn pass)))", "follow in the stage"),
        ("(let 1 'N (choice ((turn pass))))", "misplaced", "(choice ((turn pass)))", ""),
        ("(all player 'P (choice ((turn pass))))", "misplaced", "(choice ((turn pass)))", ""),
        (
            "(create deck (game iloc STOCK) (deck (R (A))))",
            "create-in-game",
            "(create deck (game iloc STOCK) (deck (R (A))))",
            "setup",
        ),
        ("(size player)", "value-for-action", "(size player)", ""),
        (
            "(set (game sto X) (shuffle (game iloc STOCK)))",
            "action-for-value",
            "(shuffle (game iloc STOCK))",
            "",
        ),
        ("(set (game sto X) -1)", "negative", "-1", "(- 0 1)"),
        ('(set (game str X) "A")', "unknown-word", '"A"', "mean A?"),
        ('(set (game sto X) "X)', "unknown-word", '"X', "mean X?"),
        ("(set (game sto X) 99999999999)", "large-number", "99999999999", ""),
        ("(set (game points P) ((RANK : A) 1))", "unbalanced", "((RANK : A) 1)", "ATTRIBUTE"),
        ("(set (current player sto X) 1)", "unbalanced", "current player", ""),
        ("(set (game points P) (((RANK : A B) 1)))", "too-many-arguments", "B", ""),
    ],
)
def test_steps(text: str, code: str, piece: str, hint: str) -> None:
    ((reported, where, cure),) = step(text)
    assert (reported, where) == (code, piece)
    assert hint in cure


@pytest.mark.parametrize(
    ("replacements", "code", "piece"),
    [
        ({"players": "16"}, "players", "16"),
        ({"players": "0"}, "players", "0"),
        ({"players": "(size player)"}, "not-constant", "(size player)"),
        ({"setup": "(create teams (0, 3))"}, "seat", "3"),
        ({"setup": "(create teams (0, 1) (1, 2))"}, "seat", "1"),
        (
            {"setup": "(repeat 999 (create deck (game vloc P) (deck (R (A, B)))))"},
            "too-many-cards",
            "(create deck (game vloc P) (deck (R (A, B))))",
        ),
        ({"setup": "(create deck (game vloc P) (deck (R (A B))))"}, "two-names", "A B"),
        ({"setup": "(shuffle (game iloc STOCK))"}, "unknown-setup", "(shuffle (game iloc STOCK))"),
        ({"setup": "(create deck (game vloc P) (deck (R A)))"}, "deck-attribute", "A"),
        (
            {"setup": "(create deck (game vloc P) (deck (R (1 .. 104))))"},
            "range-for-list",
            "(1 .. 104)",
        ),
        (
            {"setup": "(create deck (game vloc P) (deck (R (range 1 .. 104))))"},
            "range-for-list",
            "(range 1 .. 104)",
        ),
        ({"setup": "(create teams (0 .. 1))"}, "range-for-list", "(0 .. 1)"),
        ({"declare": "(declare 3 'N) (declare 4 'N)"}, "declared-twice", "'N"),
        ({"declare": "(declare (size player) 'N)"}, "not-constant", "(size player)"),
        ({"declare": "(declare (// 1 0) 'N)"}, "not-constant", "(// 1 0)"),
        ({"body": "(stage player (do ((turn pass))))"}, "no-end", "(do ((turn pass)))"),
        ({"body": "(stage (end (== 1 1)) (do ((turn pass))))"}, "stage-kind", "stage"),
        (
            {"body": "(stage player (end (== 1 1)))"},
            "empty-stage",
            "(stage player (end (== 1 1)))",
        ),
        ({"body": "(stage player (end 1) (do ((turn pass))))"}, "wrong-type", "1"),
        ({"body": "(chioce ((turn pass)))"}, "unknown-word", "chioce"),
        ({"body": "(do (turn pass))"}, "missing-parenthesis", "(turn pass)"),
        ({"body": "(choice (turn pass))"}, "missing-parenthesis", "(turn pass)"),
        ({"body": "(do ())"}, "empty-form", "(do ())"),
        ({"score": "(game str X)"}, "wrong-type", "(game str X)"),
    ],
)
def test_the_rest_of_a_game(replacements: dict[str, str], code: str, piece: str) -> None:
    ((reported, where, _),) = diagnostics_of(**replacements)
    assert (reported, where) == (code, piece)


def test_warnings() -> None:
    ((code, piece, hint),) = step("((== (cardatt RNAK (top (game iloc STOCK))) A) (turn pass))")
    assert (code, piece) == ("unknown-attribute", "RNAK")
    assert "RANK" in hint
    ((code, piece, hint),) = diagnostics_of(setup="(create deck (game vloc P) (deck (Rank (A))))")[
        :1
    ]
    assert (code, piece) == ("bad-name", "Rank")


CURRENT = "'(other player)' means all but the current player, not all but 'P."
SAY_WHICH = (
    "All but 'P are (other 'P). If you do mean all but the current player, write"
    " (other (current player))."
)


@pytest.mark.parametrize(
    "text",
    [
        "(all player 'P (all (other player) 'Q ((> ('P sto X) ('Q sto X)) (turn pass))))",
        "(any player 'P ((all (other player) 'Q (> ('P sto X) ('Q sto X))) (turn pass)))",
        "(let (owner (top (game iloc STOCK))) 'P (inc ('P sto X) (size (other player))))",
        "(all (filter player 'P (any (other player) 'Q (== 'P 'Q))) 'R (turn pass))",
        "(all (other (next player)) 'P (all (game iloc STOCK) 'C (reveal 'C (other player))))",
        "(all (other player) 'P (set ('P sto X) (all (other player) 'Q ('Q sto X))))",
        "(all team 'T (all player 'P (inc ('T sto X) (size (other player)))))",
    ],
)
def test_other_is_than_the_current_player(text: str) -> None:
    source = Source("x.rcy", FRAME_OF_STEP % text)
    (diagnostic,) = parse(source)[1]
    assert (diagnostic.code, source.piece(diagnostic.span)) == (
        "other-than-current",
        "(other player)",
    )
    assert (diagnostic.message, diagnostic.hint) == (CURRENT, SAY_WHICH)


@pytest.mark.parametrize(
    "text",
    [
        "(all (other player) 'P (inc ('P sto X)))",
        "(all (game iloc STOCK) 'C (reveal 'C (other player)))",
        "(let (current player) 'P (all (other player) 'Q (set ('Q sto X) ('P sto X))))",
        "(all player 'P (all (other 'P) 'Q (set ('Q sto X) ('P sto X))))",
        "(all player 'P (all (other (current player)) 'Q (set ('Q sto X) ('P sto X))))",
        "(all team 'T (all (other player) 'Q (set ('Q sto X) ('T sto X))))",
        "(do ((all player 'P (inc ('P sto X))) (all (other player) 'Q (inc ('Q sto X)))))",
    ],
)
def test_other_where_nothing_is_ambiguous(text: str) -> None:
    assert step(text) == []


def test_other_than_the_current_team() -> None:
    ((code, piece, hint),) = step("(all team 'T (inc ('T sto X) (size (other team))))")
    assert (code, piece) == ("other-than-current", "(other team)")
    assert "(other 'T)" in hint


def test_every_problem_is_reported() -> None:
    diagnostics = step(
        "(shufle (game iloc STOCK)) (set (game sto x) 1) (inc ('Q sto X) 1)"
        " ((== 1 A) (move (top (game iloc STOCK)) (tpo (game vloc T))))"
    )
    assert [piece for _, piece, _ in diagnostics] == ["shufle", "x", "'Q", "A", "tpo"]


def test_too_many_problems_are_counted() -> None:
    source = Source(
        "x.rcy",
        FRAME.format(
            body="(do (" + "(shufle (game iloc STOCK)) " * 70 + "))",
            declare="",
            setup="",
            players="3",
            score="0",
        ),
    )
    _, diagnostics = parse(source)
    assert len(diagnostics) == 51
    assert "20 more" in diagnostics[-1].message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no-game"),
        (";; only a comment", "no-game"),
        ("(gaem (setup))", "unknown-word"),
        ("hello (world)", "no-game"),
        ("(game)", "no-setup"),
    ],
)
def test_what_is_no_game(text: str, code: str) -> None:
    parsed, diagnostics = parse(Source("x", text))
    assert parsed is None
    assert diagnostics[0].code == code


SET, INC = "(set (game sto X) 1)", "(inc (game sto Y))"
X1, Y2 = "(== (game sto X) 1)", "(== (game sto Y) 2)"
OLD = """(game (setup (create players 2) (create teams (0) (1))
  (create deck (game iloc STOCK) (deck (RANK (A, B)))))
 {body}
 (scoring max 0))"""
OLD_SET, OLD_INC = "(set (game sto X) 1)", "(inc (game sto Y) 1)"


# --- words of other languages -------------------------------------------------------------

OTHERWISE = "What is done otherwise has a condition of its own: ((not CONDITION) BODY)."


@pytest.mark.parametrize(
    ("text", "word", "hint"),
    [
        (
            f"(if {X1} {SET} {INC})",
            "if",
            f"A condition needs no word: (CONDITION BODY). {OTHERWISE}",
        ),
        (f"({X1} {SET} else {INC})", "else", OTHERWISE),
        (f"({X1} {SET}) (else {INC})", "else", OTHERWISE),
        (f"({X1} then {SET})", "then", "(CONDITION BODY)"),
        (f"(unless {X1} {SET})", "unless", "((not CONDITION) BODY)"),
        (f"(while {X1} {SET})", "while", "(stage player (end CONDITION) ...)"),
        ("(again)", "again", "Another turn of the same player is (cycle next current)."),
        ("(for player 'P (inc ('P sto X)))", "for", "(all player 'P ...)"),
        ("(foreach player 'P (inc ('P sto X)))", "foreach", "(all player 'P ...)"),
        ("(DEFINE N 3)", "DEFINE", "(declare VALUE 'NAME)"),
        ("(function F)", "function", "(define (NAME 'A) BODY)"),
        ("(return 3)", "return", "Nothing is returned"),
        (f"(begin {SET} {INC})", "begin", "(do (STEP ...))"),
        ("(break)", "break", "(end CONDITION)"),
        ("(= (game sto X) 1)", "=", "(set (game sto NAME) VALUE)"),
        (f"((= (game sto X) 1) {SET})", "=", "(== A B)"),
        (f"((&& {X1} {Y2}) {SET})", "&&", "Did you mean and?"),
        (f"((|| {X1} {Y2}) {SET})", "||", "Did you mean or?"),
        (f"((! {X1}) {SET})", "!", "Did you mean not?"),
        ("(set (game sto X) (/ 4 2))", "/", "Did you mean //?"),
        ("(set (game sto X) true)", "true", "(== 1 1)"),
        ("(set (game sto X) (length player))", "length", "(size COLLECTION)"),
        ("(all players 'P (inc ('P sto X)))", "players", "Did you mean player?"),
        ("(all opponents 'P (inc ('P sto X)))", "opponents", "(other player)"),
        ("(deal 3)", "deal", "Did you mean move?"),
        ("(skip)", "skip", "(turn pass)"),
    ],
)
def test_words_of_other_languages(text: str, word: str, hint: str) -> None:
    ((code, piece, cure),) = step(text)
    assert (code in ("unknown-word", "expected-step"), piece) == (True, word)
    assert hint in cure


def test_a_wrong_word_is_told_even_where_more_is_missing() -> None:
    """Whoever writes ``(cycle again)`` needs another word first: no parenthesis is wrong."""
    ((code, piece, cure),) = step("(cycle again)")
    assert (code, piece) == ("expected-word", "again")
    assert cure.startswith("Another turn of the same player is (cycle next current).")
    assert cure.endswith("It looks like this: (cycle next|current PLAYER).")
    assert [diagnostic[:2] for diagnostic in step("(do ((again) (cycle again)))")] == [
        ("unknown-word", "again"),
        ("expected-word", "again"),
    ]


@pytest.mark.parametrize(
    ("text", "operator", "written"),
    [
        (f"(((game sto X) == 3) {SET})", "==", "(== (game sto X) 3)"),
        (f"(((game sto X) = 3) {SET})", "=", "(== (game sto X) 3)"),
        ("((game sto X) = 3)", "=", "(set (game sto X) 3)"),
        ("((game sto X) += 3)", "+=", "(inc (game sto X) 3)"),
        ("(set (game sto X) ((game sto X) + 1))", "+", "(+ (game sto X) 1)"),
        ("(set (game sto X) (game sto X) + 1)", "+", "(+ (game sto X) 1)"),
        ("(inc (game sto X) 2 * 3)", "*", "(* 2 3)"),
        (f"(({X1} && {Y2}) {SET})", "&&", f"(and {X1} {Y2})"),
        ("(all player 'P ((('P sto X) < 3) (turn pass)))", "<", "(< ('P sto X) 3)"),
    ],
)
def test_operators_between_values(text: str, operator: str, written: str) -> None:
    assert step(text) == [("infix", operator, f"Write: {written}.")]


@pytest.mark.parametrize(
    ("comment", "sign"),
    [
        ("// deal (three each", "//"),
        ("//deal", "//"),
        ("# deal :-)", "#"),
        ("-- deal", "--"),
        ("/* deal (\n three */", "/*"),
        ("/* to the end of the file", "/*"),
    ],
)
def test_comments_of_other_languages(comment: str, sign: str) -> None:
    source = Source(
        "x.rcy", FRAME_OF_STEP % f"{SET} {comment}\n {INC} (inc (game sto Z) (// 7 2))"
    )
    diagnostics = parse(source)[1]
    assert (diagnostics[0].code, source.piece(diagnostics[0].span)[:2].strip()) == (
        "comment",
        sign[:2],
    )
    assert diagnostics[0].hint == "A comment begins with ;; and goes on to the end of the line."
    assert len(diagnostics) == 1 or "end of the file" in comment


def test_many_comments_of_other_languages_are_one_mistake() -> None:
    text = "\n// one\n// two\n(inc (game sto X)) // three\n"
    (diagnostic,) = parse(Source("x.rcy", FRAME_OF_STEP % text))[1]
    assert diagnostic.message == "'//' does not begin a comment; there are 2 more of the kind."


def test_a_division_is_no_comment() -> None:
    assert step("(set (game sto X) (// 7\n 2)) (set (game sto Y) (//\n 7 2))") == []


@pytest.mark.parametrize(
    "text", ["(let 'N 3 (inc (game sto X) 'N))", "(let 'N = 3)", "(let N = 3)", "(let 'N 3)"]
)
def test_the_value_of_let_comes_first(text: str) -> None:
    ((code, _, hint),) = step(text)
    assert (code, hint) == ("expected-variable", "Write: (let 3 'N BODY).")


@pytest.mark.parametrize(
    ("clause", "hint"),
    [
        (f"(if {X1} (set (game sto X) 1))", "(CONDITION (ACTION ...) ...)"),
        ("(() (while))", "(stage player (end CONDITION) ...)"),
        (f"({X1} (turn pass) else (turn pass))", "((not CONDITION) BODY)"),
        ("(() (inc ((other player) sto X) 1))", "(current player) or (next player)"),
    ],
)
def test_words_of_other_languages_in_dialect_a(clause: str, hint: str) -> None:
    (diagnostic,) = parse(Source("x.gdl", OLD.format(body=f"(comp (() {OLD_INC}) {clause})")))[1]
    assert hint in diagnostic.hint


# --- several where one can stand ----------------------------------------------------------

IN_DO, IN_CHOICE, IN_GAME = "(do (\n%s\n  ))", "(choice (\n%s\n  (turn pass)))", "%s"
NEXT = "(shuffle (game iloc STOCK))"
TOP = "(move (top (game iloc STOCK)) (top (game vloc T)))"
TWO = "Here are 2 steps where one can stand: '(do (...))' is missing around them."


@pytest.mark.parametrize("around", [IN_DO, IN_CHOICE])
@pytest.mark.parametrize("lines", ["{}\n    {}\n    {})", "{} {} {})", "{}\n    {} {}\n  )"])
@pytest.mark.parametrize(
    ("head", "owner"),
    [
        ("(" + X1, "They belong to this condition."),
        ("(all player 'P", "They belong to this 'all'."),
        ("(any player 'P", "They belong to this 'any'."),
        ("(let 3 'N", "They belong to this 'let'."),
        ("(repeat 3", "They belong to this 'repeat'."),
        ("(repeat all", "They belong to this 'repeat'."),
    ],
)
def test_steps_without_do(head: str, owner: str, lines: str, around: str) -> None:
    source = Source("x.rcy", FRAME_OF_ITEM % (around % (lines.format(head, SET, INC) + NEXT)))
    (diagnostic,) = parse(source)[1]
    assert (diagnostic.code, diagnostic.message) == ("missing-do", TWO)
    assert " ".join(source.piece(diagnostic.span).split()) == f"{SET} {INC}"
    assert diagnostic.hint == f"Write: (do ({SET} {INC}))."
    assert [note for _, note in diagnostic.notes] == [owner]


@pytest.mark.parametrize("around", [IN_DO, IN_CHOICE, IN_GAME])
def test_a_list_of_steps_without_do(around: str) -> None:
    source = Source("x.rcy", FRAME_OF_ITEM % (around % f"({SET}\n {INC})"))
    (diagnostic,) = parse(source)[1]
    assert diagnostic.code == "missing-do"
    assert (
        diagnostic.message
        == "Steps stand in parentheses here, and the word 'do' is missing before them."
    )
    assert diagnostic.hint == f"Write: (do ({SET} {INC}))."


def test_each_of_several_places_without_do_is_told() -> None:
    diagnostics = step(
        f"(all player 'P {SET} ({X1} {SET} {INC} {NEXT})) (shufle (game iloc STOCK))"
    )
    assert [(code, hint) for code, _, hint in diagnostics] == [
        ("missing-do", f"Write: (do ({SET} ({X1} ...)))."),
        ("missing-do", f"Write: (do ({SET} {INC} {NEXT}))."),
        ("unknown-word", "Did you mean shuffle?"),
    ]


@pytest.mark.parametrize(
    ("body", "code", "piece", "hint"),
    [
        (f"(do {SET})", "missing-parenthesis", SET, f"Write: (do ({SET}))."),
        (f"(do {SET} {INC})", "missing-parenthesis", SET, f"Write: (do ({SET} {INC}))."),
        (
            f"(choice {TOP} (turn pass))",
            "missing-parenthesis",
            TOP,
            "Write: (choice ((move ...) (turn pass))).",
        ),
        (
            f"(do ((all player 'P {X1} {INC})))",
            "missing-parenthesis",
            f"{X1} {INC}",
            f"Write: ({X1} {INC}).",
        ),
        (
            f"(do (({X1} {Y2} {INC})))",
            "missing-and",
            f"{X1} {Y2}",
            f"If all should hold, write: (and {X1} {Y2}); if one is enough, with 'or'.",
        ),
        (
            f"(stage player (end {X1} {Y2}) {INC})",
            "missing-and",
            f"{X1} {Y2}",
            f"If all should hold, write: (and {X1} {Y2}); if one is enough, with 'or'.",
        ),
        (
            f"(do ((all (filter player 'P {X1} {Y2}) 'Q (inc ('Q sto X)))))",
            "missing-and",
            f"{X1} {Y2}",
            f"If all should hold, write: (and {X1} {Y2}); if one is enough, with 'or'.",
        ),
    ],
)
def test_what_is_missing_around(body: str, code: str, piece: str, hint: str) -> None:
    assert diagnostics_of(body) == [(code, piece, hint)]


@pytest.mark.parametrize(
    ("body", "code", "hint"),
    [
        (
            f"(comp ({OLD_SET} {OLD_INC}))",
            "missing-condition",
            f"Write: (() {OLD_SET} {OLD_INC}).",
        ),
        (
            f"(comp {X1} {OLD_SET} {OLD_INC})",
            "missing-parenthesis",
            f"Write: ({X1} {OLD_SET} {OLD_INC}).",
        ),
        (
            f"(comp ({X1} {Y2} {OLD_SET}))",
            "missing-and",
            f"If all should hold, write: (and {X1} {Y2}); if one is enough, with 'or'.",
        ),
        (
            f"(comp {OLD_SET})",
            "clause",
            "A clause looks like this: (CONDITION (ACTION ...) ...); () always holds.",
        ),
    ],
)
def test_what_is_missing_in_dialect_a(body: str, code: str, hint: str) -> None:
    (diagnostic,) = parse(Source("x.gdl", OLD.format(body=f"(comp (() {OLD_INC})) {body}")))[1]
    assert (diagnostic.code, diagnostic.hint) == (code, hint)


@pytest.mark.parametrize(
    "text",
    [
        f"({X1}\n  {SET}\n {NEXT}\n {NEXT}",
        f"(all player 'P\n  {SET}\n {NEXT}\n {NEXT}",
    ],
)
def test_a_missing_parenthesis_is_no_missing_do(text: str) -> None:
    ((code, _, hint),) = step(f"\n {text}")
    assert code == "unbalanced"
    assert hint == "Only one step can stand in it; several stand in (do (STEP ...))."


# --- parentheses --------------------------------------------------------------------------

GAME = """(game
 (declare 2 'NUMP)
 (setup
  (create players 'NUMP)
  (create deck (game iloc STOCK) (deck (RANK (A, B, C))
                                       (COLOR (RED (SUIT (HEARTS, DIAMONDS)))
                                              (BLACK (SUIT (SPADES, CLUBS)))))))
 (do (
      (shuffle (game iloc STOCK))
      (set (game points P) (((RANK : A) 1)
                            ((RANK : B) 2)))
      (all player 'P
           (repeat 3 (move (top (game iloc STOCK))
                           (top ('P iloc HAND)))))))
 (stage player
        (end (all player 'P
                  (== (size ('P iloc HAND)) 0)))
        (choice (
                 ((== (game str LEAD) NONE)
                  (any ((current player) iloc HAND) 'C
                       (move 'C (top ((current player) vloc TRICK)))))
                 (turn pass)))
        (do (
             (cycle next (owner (max (union (all player 'P ('P vloc TRICK)))
                                     using (game points P))))
             (inc ((next player) sto SCORE) 1))))
 (scoring max ((current player) sto SCORE)))
"""


def test_the_game_is_right() -> None:
    assert parse(Source("x", GAME))[1] == []


CLOSINGS = [match.start() for match in re.finditer(r"\)", GAME)]


@pytest.mark.parametrize("at", CLOSINGS[::3])
def test_a_missing_parenthesis_is_traced(at: int) -> None:
    source = Source("x", GAME[:at] + GAME[at + 1 :])
    parsed, diagnostics = parse(source)
    if parsed is not None:
        return  # the last one
    assert len(diagnostics) <= 3, [render(diagnostic, source) for diagnostic in diagnostics]
    lines = [source.position(diagnostic.span.start)[0] for diagnostic in diagnostics]
    assert min(abs(line - source.position(at)[0]) for line in lines) <= 1


@pytest.mark.parametrize("at", CLOSINGS[::3])
def test_a_superfluous_parenthesis_is_traced(at: int) -> None:
    source = Source("x", GAME[:at] + ")" + GAME[at:])
    parsed, diagnostics = parse(source)
    if parsed is not None:
        return
    assert len(diagnostics) <= 3, [render(diagnostic, source) for diagnostic in diagnostics]
    lines = [source.position(diagnostic.span.start)[0] for diagnostic in diagnostics]
    assert min(abs(line - source.position(at)[0]) for line in lines) <= 1


def test_what_is_unclosed_is_named() -> None:
    source = Source("x", GAME.replace("(shuffle (game iloc STOCK))", "(shuffle (game iloc STOCK)"))
    (diagnostic,) = parse(source)[1]
    assert "'(shuffle' of line 9" in diagnostic.message
    assert source.position(diagnostic.span.start)[0] == 9
    ((where, _),) = diagnostic.notes
    assert source.position(where.start) == (9, 7)


def test_other_problems_are_found_beside_wrong_parentheses() -> None:
    wrong = GAME.replace("(shuffle (game iloc STOCK))", "(shuffle (game iloc STOCK)")
    wrong = wrong.replace("str LEAD", "srt LEAD").replace("(inc", "(inkc")
    assert sorted(diagnostic.code for diagnostic in parse(Source("x", wrong))[1]) == [
        *("unbalanced", "unknown-word", "unknown-word")
    ]


# --- Listing 1 ----------------------------------------------------------------------------


def listing() -> list[str]:
    """The lines of listing 1 of the paper as printed, counted from 1."""
    if not SEEDS.exists():
        pytest.skip("the paper is not here")
    lines = SEEDS.read_text().split("### 3.8")[1].split("Listing 1. Rules")[0].splitlines()
    return ["", *(line[3:] for line in lines if re.match(r"\d\d \S| {0}\d\d  ", line))]


def corrected() -> Source:
    """Listing 1 with the corrections that it needs."""
    lines = listing()

    def change(number: int, old: str, new: str) -> None:
        assert lines[number].count(old) == 1, lines[number]
        lines[number] = lines[number].replace(old, new)

    change(8, "(rank", "(RANK")
    change(10, "(CLUBS))))))", "(CLUBS)))))))")
    change(11, "(())", "(()")
    for number in (23, 29):
        change(number, "LEAD)))))) 0", "LEAD))))))) 0")
    change(32, "LEAD))))))", "LEAD)))))))")
    change(34, "(== (size", "((== (size")
    change(40, "(())", "(()")
    change(52, "(== (size", "((== (size")
    change(53, "1)))", "1))))")
    change(54, "((current player) player)", "(current player)")
    return Source("listing1.gdl", "\n".join(lines[1:]))


def test_listing_1_corrected() -> None:
    parsed, diagnostics = parse(corrected())
    assert diagnostics == []
    assert parsed is not None
    assert parsed.dialect == "A"
    assert len(parsed.cards) == 35
    assert len(parsed.items) == 2


def test_listing_1_as_printed_leads_to_each_correction() -> None:
    source = Source("listing1.gdl", "\n".join(listing()[1:]))
    parsed, diagnostics = parse(source)
    assert parsed is None

    def what(diagnostic: Diagnostic) -> str:
        kinds = ("A '(' is missing", "A ')' is missing", "This ')' is too many")
        return next(
            (kind for kind in kinds if diagnostic.message.startswith(kind)), diagnostic.code
        )

    assert [diagnostic.code for diagnostic in diagnostics if not diagnostic.is_error] == [
        *("letter-case", "player-of-player")
    ]
    places = [
        (source.position(diagnostic.span.start)[0], what(diagnostic)) for diagnostic in diagnostics
    ]
    assert places == [
        (8, "letter-case"),
        (10, "A ')' is missing"),
        (11, "This ')' is too many"),
        (23, "A ')' is missing"),
        (29, "A ')' is missing"),
        (32, "A ')' is missing"),
        (34, "A '(' is missing"),
        (40, "This ')' is too many"),
        (52, "missing-parenthesis"),  # before it, and behind line 53
        (54, "player-of-player"),
    ]


def test_an_error_beside_indexed_locations_is_the_only_one() -> None:
    """An index is no surplus, so that no place with one is blamed for an error elsewhere."""
    indexed = "(all (range 0 .. 3) 'R (move (top (game iloc STOCK)) (top (game vloc ROW 'R))))"
    wrong = "(top (game vloc ROW 'R))"
    score = f"(size (union (all (range 0 .. 3) 'R {wrong})))"
    [(code, piece, hint)] = diagnostics_of(f"(do ({indexed} {indexed}))", score=score)
    assert (code, piece) == ("wrong-type", wrong)
    assert "A list of cards is a location itself, without (top ...)" in hint


@pytest.mark.parametrize("around", ["union", "intersect (game iloc STOCK)"])
@pytest.mark.parametrize(
    "card", ["(top (game iloc STOCK))", "(bottom ((current player) iloc HAND))"]
)
def test_a_card_where_lists_are_wanted_gets_no_advice_about_numbers(
    around: str, card: str
) -> None:
    [(code, piece, hint)] = diagnostics_of(score=f"(size ({around} (all player 'P {card})))")
    assert (code, piece) == ("wrong-type", card)
    assert "A list of cards is a location" in hint


@pytest.mark.parametrize("number", [0xD800, 0xDFFF])
def test_a_lone_surrogate_is_refused_at_its_place(number: int) -> None:
    half = chr(number)
    text = FRAME_OF_ITEM % f"(choice ((turn pass) ; {half}\n))"
    source = Source("x.rcy", text)
    program, [problem] = parse(source)
    assert program is None
    assert (problem.code, source.piece(problem.span)) == ("no-character", half)
    assert "Write the whole character" in problem.hint
    render(problem, source).encode()


@pytest.mark.parametrize("declared", [54, 1])
def test_a_wrong_declared_number_of_players_is_an_error_whatever_number_is_asked_for(
    declared: int,
) -> None:
    declare = f"(declare {declared} 'NUMP)"
    text = FRAME.format(body="", declare=declare, setup="", players="'NUMP", score=0)
    source = Source("x.rcy", f";; Two or three\n;; Players: 2-3\n{text}")
    for players in (None, 2, 3):
        program, diagnostics = parse(source, players)
        assert program is None
        assert [
            (diagnostic.code, source.piece(diagnostic.span)) for diagnostic in diagnostics
        ] == [("players", "'NUMP")]


def test_a_game_in_which_nothing_happens_is_an_error() -> None:
    assert diagnostics_of("") == [
        (
            "empty-game",
            "game",
            "Between setup and scoring stand its stages: (stage player (end CONDITION) ...).",
        )
    ]
