"""Formatting of RECYCLE: it changes only white space, and is idempotent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared import SHARED
from tests.work import lines_run

from kibitz import recycle
from kibitz.recycle.formatter import format_text
from kibitz.recycle.words import LEXICON
from kibitz.syntax.layout import WIDTH
from kibitz.syntax.sexpr import MOST_DEPTH, tokenize
from kibitz.syntax.source import Source, SourceError

CORPUS = SHARED / "corpus" / "recycle"
FILES = sorted(CORPUS.glob("*/*"))

UNTIDY = """
;; Snap
(game (declare 2 'NUMP)
(setup (create players 'NUMP)


 (create deck (game iloc STOCK) (deck (RANK (A,TWO ,THREE)) (COLOR (RED (SUIT (HEARTS,DIAMONDS)))
   (BLACK (SUIT (SPADES, CLUBS)))))))

  ;; deal
  (do ((shuffle (game iloc STOCK)) ;; well
    (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))
    (set (game points P) ( ((RANK : A) 1)   ((RANK : TWO) 2) ))
     ))
 (stage player (end (or (all player 'P (== (size ('P iloc HAND)) 0)) (> (size (game vloc PILE)) 6)))
   (choice ( (any (filter ((current player) iloc HAND) 'C (== (cardatt SUIT 'C) (game str LEAD))) 'X
      (do ((move 'X (top (game vloc PILE)))
      (set (game str LEAD) (cardatt SUIT 'X)) ;; lead
      )))
      ;; or nothing
      ((== (game str LEAD) NONE) (turn pass))
      ;; that is all
   )))
 (scoring max (score (max (union (all player 'P ('P iloc HAND))) using (game points P)) using (game points P))))
"""  # noqa: E501

TIDY = """\
;; Snap
(game
  (declare 2 'NUMP)
  (setup
    (create players 'NUMP)

    (create deck (game iloc STOCK)
      (deck
        (RANK (A, TWO, THREE))
        (COLOR (RED (SUIT (HEARTS, DIAMONDS))) (BLACK (SUIT (SPADES, CLUBS)))))))

  ;; deal
  (do (
    (shuffle (game iloc STOCK))  ;; well
    (all player 'P
      (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))
    (set (game points P) (
      ((RANK : A) 1)
      ((RANK : TWO) 2)))))
  (stage player
    (end (or (all player 'P (== (size ('P iloc HAND)) 0))
             (> (size (game vloc PILE)) 6)))
    (choice (
      (any (filter ((current player) iloc HAND) 'C
             (== (cardatt SUIT 'C) (game str LEAD))) 'X
        (do (
          (move 'X (top (game vloc PILE)))
          (set (game str LEAD) (cardatt SUIT 'X)))))  ;; lead
      ;; or nothing
      ((== (game str LEAD) NONE) (turn pass))
      ;; that is all
    )))
  (scoring max
    (score (max (union (all player 'P ('P iloc HAND))) using (game points P))
           using (game points P))))
"""


def tokens(text: str) -> list[str]:
    return [token.text for token in tokenize(Source("text", text), LEXICON)]


def comments(text: str) -> list[str]:
    return [comment.rstrip() for comment in re.findall(";[^\r\n]*", text)]


def assert_harmless(text: str) -> str:
    """Formats the text, and checks that only white space changed."""
    new = format_text(text)
    assert tokens(new) == tokens(text)
    assert comments(new) == comments(text)
    assert new.count(",") == text.count(",")
    assert format_text(new) == new
    assert not re.search(r"[ \t]\r?$", new, re.MULTILINE)
    return new


def test_an_untidy_game() -> None:
    assert assert_harmless(UNTIDY) == TIDY


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_corpus(path: Path) -> None:
    text = path.read_text(encoding="utf-8-sig")
    try:
        new = assert_harmless(text)
    except SourceError:
        assert tokens(text).count("(") != tokens(text).count(")")
        return
    code = [re.sub(r"\s*;.*", "", line) for line in new.splitlines()]
    assert max(map(len, code)) <= WIDTH


@pytest.mark.parametrize(
    "text",
    [
        "(comp (() (shuffle (game iloc S))\n (set (game sto X) 1)))",
        "(comp\n  (()\n    (shuffle (game iloc S))\n    (set (game sto X) 1)))\n",
    ],
)
def test_clauses_of_the_old_dialect(text: str) -> None:
    assert assert_harmless(text) == (
        "(comp\n  (()\n    (shuffle (game iloc S))\n    (set (game sto X) 1)))\n"
    )


def test_blank_lines_keep_groups_apart_but_not_more() -> None:
    assert assert_harmless("\n\n(a)\n\n\n\n(b)\n(c)\n\n") == "(a)\n\n(b)\n(c)\n"


@pytest.mark.parametrize(
    "text",
    [
        "(a ;; one\n ;; two\n)",
        "(a (b ;; one\n) ;; two\n)",
        "( ;; one\n)",
        "(\n;; one\n)",
        "(do ( ;; one\n (a) (b) ;; two\n) ;; three\n)",
        "(choice ;; one\n ((a) (b)))",
        "(deck (A, ;; one\n B ;; two\n , C,, D))",
        "(any ;; one\n COLL ;; two\n 'C ;; three\n (a))",
        "(max X using ;; one\n P)",
        ";",
        "",
    ],
)
def test_comments_in_odd_places(text: str) -> None:
    assert_harmless(text)


def test_line_ends_and_the_byte_order_mark_are_kept() -> None:
    assert format_text("\ufeff(a)\r\n(b) ; c\r\n") == "\ufeff(a)\r\n(b)  ; c\r\n"
    assert format_text("(a)\r(b)") == "(a)\n(b)\n"


@pytest.mark.parametrize("text", ["(a", "a)", "(a))", "(" * (MOST_DEPTH + 1) + ")" * 101])
def test_a_text_that_cannot_be_understood_is_refused(text: str) -> None:
    with pytest.raises(SourceError, match=r"games/mine\.rcy:1:"):
        format_text(text, "games/mine.rcy")


WORDS = ["game", "stage", "do", "choice", "any", "'V", "let", "move", "set", "max", "using", "A"]
PIECES = [*WORDS, ":", "(", "(", "(", ")", ")", ",", "\n", "\n\n", ";; note\n", " ", "\t", "\r\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_balanced_text(pieces: list[str]) -> None:
    depth, text = 0, ""
    for piece in pieces:
        if piece == ")" and not depth:
            continue
        depth += (piece == "(") - (piece == ")")
        text += f" {piece}"
    assert_harmless(text + ")" * depth)


@given(st.text(alphabet="(),;a'\n\r\t \ufeff\u2028é:.", max_size=40))
def test_any_text(text: str) -> None:
    try:
        assert_harmless(text.removeprefix("\ufeff"))
    except SourceError:
        return


@pytest.mark.parametrize(
    ("opening", "unit", "end"),
    [
        ("(create ", "x ", ")"),
        ("(create ", "(a) x ", ")"),
        ("", f"(do ({'(all x ' * 90}{')' * 90}))\n", ""),
        ("(a\n", "; said\n", ")"),
        ("", "(do ((a) (b)))\n", ""),
        ("", f"{'(a ' * MOST_DEPTH}{')' * MOST_DEPTH}\n", ""),
    ],
    ids=["words", "lists", "loops", "comments", "many", "deep"],
)
def test_twice_the_text_is_twice_the_work(opening: str, unit: str, end: str) -> None:
    def work(count: int) -> int:
        return lines_run(lambda: format_text(opening + unit * count + end))

    format_text(opening + end)  # what is made once
    assert work(100) < 2.2 * work(50)


LIBRARY = Path(recycle.__file__).parent / "library"


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.rcy")), ids=lambda path: path.stem)
def test_the_library_is_well_formatted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(text, path.name) == text
