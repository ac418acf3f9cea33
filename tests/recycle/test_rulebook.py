"""The rulebook: every node of the tree has words, and idioms say what the rules do."""

from __future__ import annotations

import pathlib
import re

import pytest
from tests.recycle.test_printer import CORPUS, LIBRARY, concrete, corpus, examples, read

from kibitz.recycle import parser, tree
from kibitz.recycle.english import plain
from kibitz.recycle.rulebook import rulebook
from kibitz.syntax.rulebook import Rulebook
from kibitz.syntax.source import Source


def text(book: Rulebook) -> str:
    """All sentences of a rulebook, indented by their depth."""
    lines = (line for chapter in book.chapters for line in chapter.lines)
    return "\n".join(f"{'  ' * line.depth}{line.text}" for line in lines)


def written(*items: str, cards: str = "(deck (RANK (A, TWO)) (SUIT (HEARTS, CLUBS)))") -> str:
    """The course of a game with these items."""
    body = " ".join(items)
    source = (
        f"(game (setup (create players 3) (create deck (game iloc STOCK) {cards})) {body}"
        " (scoring max ((current player) sto SCORE)))"
    )
    book = rulebook(parser.program(Source("text", source)))
    return text(Rulebook("", "", "", tuple(c for c in book.chapters if "Course" in c.title)))


def test_every_node_has_words() -> None:
    classes = set()
    for program in examples():
        assert text(rulebook(program))
        classes |= {type(node) for node in tree.everything(program)}
    assert concrete(tree.Node) - classes == {tree.Deck, tree.Declaration}


@pytest.mark.skipif(not CORPUS, reason="the corpus is not here")
def test_other_peoples_games_have_rulebooks() -> None:
    for program in corpus():
        assert len(rulebook(program).chapters) >= 4


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_a_rulebook_is_made_of_sentences(path: pathlib.Path) -> None:
    book = rulebook(read(path))
    for chapter in book.chapters:
        for number, (depth, line) in enumerate(chapter.lines):
            deeper = number + 1 < len(chapter.lines) and chapter.lines[number + 1].depth > depth
            assert line.endswith(":" if deeper else "."), line
            assert line[0].isupper() or not line[0].isalpha() or chapter.title == "Variants", line
            assert not re.search(r"\b(\w+) \1\b|\(\)|\ba (?=[aeio])|\[", line), line
            assert "'s's" not in line, line


def test_who_must_follow_suit_is_told_so() -> None:
    program = next(path for path in LIBRARY if path.stem == "agram")
    lines = text(rulebook(read(program))).splitlines()
    assert "      Move a card with the led suit from your hand to your trick." in lines
    other = "If no card in your hand has the led suit, move a card from your hand to your trick."
    assert f"      {other}" in lines


def test_what_is_decided_at_the_table_is_left_out() -> None:
    source = Source.load(next(path for path in LIBRARY if path.stem == "hearts"))
    passing = text(rulebook(parser.program(source)))
    without = text(rulebook(parser.program(source, values={"PASS": 0})))
    assert "Let “way” stand for" in passing
    assert "Let “way” stand for" not in without


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (
            "(all player 'P (repeat 5 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))",
            "Deal 5 cards from the stock to each player's hand.",
        ),
        (
            "(all player 'P (repeat all (move (top ('P iloc HAND))"
            " (top (((% (+ (pid 'P) 1) 3) player) iloc BACK)))))",
            "Move all cards of each player's hand to the back pile of the player 1 seat after that"
            " player.",
        ),
        (
            "((all player 'P (!= (size ('P iloc HAND)) 2)) (inc (game sto N) 1))",
            "If no player's hand has exactly 2 cards, add 1 to the N counter.",
        ),
        (
            "((not (any player 'P (== ('P sto N) 2))) (dec (game sto N) 1))",
            "If no player's N is 2, subtract 1 from the N counter.",
        ),
        (
            "((or (> (size (game iloc STOCK)) 0) (== 1 2)) (shuffle (game iloc STOCK)))",
            "If the stock is not empty, shuffle the stock.",
        ),
    ],
)
def test_idioms(step: str, sentence: str) -> None:
    assert sentence in written(f"(do ({step}))").splitlines()


def test_names_become_words() -> None:
    assert plain("BID_COUNT") == "bid count"
