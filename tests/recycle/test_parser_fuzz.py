"""Fuzzing the reader: it ends soon, raises nothing and gives useful diagnostics."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.work import lines_run

from kibitz.recycle.parser import parse, read_header
from kibitz.recycle.reading.dialect_a import DialectA
from kibitz.recycle.reading.dialect_b import DialectB
from kibitz.recycle.tree import Program
from kibitz.syntax.source import Source, render, to_json

GAME_B = """;; Everything
;; Players: 2-5
;; HAND 1-6: cards
(game
 (declare 3 'NUMP) (declare 2 'HAND) (declare (ONE, TWO) 'PLACES)
 (setup
  (create players 'NUMP) (create teams (0, 2) (1))
  (repeat 2 (create deck BACK (game iloc STOCK) (deck (RANK (A, B, C))
     (COLOR (RED (SUIT (H, D))) (BLACK (SUIT (S, C))))))))
 (do ((shuffle (game iloc STOCK))
      (set (game points P) (((RANK : A) (SUIT : H) (- 0 1)) ((RANK : (game str LEAD)) 2)))
      (all player 'P (repeat 'HAND (move (top (game iloc STOCK)) (top ('P iloc H)))))
      (repeat all (move (top (game vloc T)) (bottom (game iloc STOCK))))
      (let (partition RANK ((0 player) iloc H)) 'GROUPS
           ((> (size 'GROUPS) 0) (inc (game sto X) (size (top 'GROUPS)))))))
 (stage player (end (any player 'P (== (size ('P iloc H)) 0)))
   (choice (((!= (game str LEAD) NONE)
             (any (filter ((current player) iloc H) 'C (== (cardatt SUIT 'C) (game str LEAD)))
                  'D (move 'D (top ((current player) vloc T)))))
            (any 'PLACES 'L (do ((set (game sto 'L) (random 1..6)) (turn pass))))))
   (do ((cycle next (owner (max (union (all player 'P ('P vloc T))) using (game points P))))
        (remember (top (game iloc STOCK)) (top (game mem M)))
        (forget (top (game mem M)))
        (reveal (top (game iloc STOCK)) (next player)))))
 (stage team (end (== (game sto Y) (tri 3))) (do ((inc ((current team) sto S) (fib 4)))))
 (scoring max ((team (current player)) sto SCORE)))
"""

GAME_A = """(game (setup (create players 3) (create teams (0) (1) (2))
  (create deck (game iloc STOCK) (deck 2 (rank (A, 2, 10))
     (color (red (suit (h, d))) (black (suit (t)))))))
 (comp (() (shuffle (game iloc STOCK)) (move (top (game iloc STOCK))
       (top ((all player) iloc HAND)) 6)
       (initialize points P ((all (rank (A)) (suit (cardatt suit (top (game mem L)))) 14)))))
 (stage player (end (== (size ((any player) iloc HAND)) 0))
  (choice ((and (== (size (game mem L)) 1) (!= (size ((current player) iloc HAND where
       (all (== (cardatt suit each) (cardatt suit (top (game mem L))))))) 0))
     (move (any ((current player) iloc HAND where (none (> (score each using P) 3))))
           (top ((current player) vloc T))) (remember (top (game vloc T)) (top (game mem L))))
    (() (turn pass)))
  (comp ((>= (sum ((all player) vloc T) using P) 3)
     (move (top ((all player) vloc T)) (bottom (((owner (max (union ((all player) vloc T))
       using P)) player) iloc WON)) all) (forget (top (game mem L)))
     (cycle next (owner (min (game vloc T) using P)))
     (set (((current team) player) sto X) (+ 1 (% 7 2))))))
 (scoring min (size ((current player) iloc WON))))
"""

WORDS = sorted(
    {
        *("(", ")", "(", ")", "(", ")", " ", "\n", ",", ":", "..", ";;", "'P", "'C", "1", "17"),
        *DialectA.words,
        *DialectB.words,
        *("STOCK", "HAND", "RANK", "A", "game", "player", "vloc", "iloc", "mem", "sto", "points"),
    }
)


def examine(text: str) -> Program | None:
    """Parses a text and checks all its diagnostics; returns the program, if any."""
    source = Source("x.rcy", text)
    read_header(source)
    program, diagnostics = parse(source)
    assert (program is None) == any(diagnostic.is_error for diagnostic in diagnostics)
    assert len(diagnostics) < 100
    for diagnostic in diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert diagnostic.message.endswith((".", "?", ")"))
        assert render(diagnostic, source)
        assert to_json(diagnostic, source)
    return program


@pytest.mark.parametrize("text", [GAME_A, GAME_B])
def test_the_games_themselves_are_right(text: str) -> None:
    program = examine(text)
    assert program is not None
    assert parse(Source("x", text))[1] == []


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    examine(text)


@given(st.lists(st.sampled_from(WORDS), max_size=80))
def test_any_words(words: list[str]) -> None:
    examine(" ".join(words))


@settings(max_examples=40)
@given(st.lists(st.sampled_from(WORDS), max_size=40), st.sampled_from([GAME_A, GAME_B]))
def test_any_words_inside_a_game(words: list[str], game: str) -> None:
    at = game.index("(stage player")
    examine(game[:at] + " ".join(words) + game[at:])


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([GAME_A, GAME_B]), st.integers(1, 6))
def test_games_with_mistakes(seed: int, game: str, count: int) -> None:
    """Words are left out, doubled, exchanged, replaced; parentheses get lost."""
    chance = random.Random(seed)
    tokens = re.findall(r"\s+|[()]|[^\s()]+", game)
    for _ in range(count):
        at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(6):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[other])
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = chance.choice(WORDS)
            case 4:
                tokens.insert(at, chance.choice("()"))
            case _:
                tokens[at : at + 5] = tokens[other : other + 5]
    examine("".join(tokens))


SETUP = "(setup (create players 2) (create deck (game vloc A) (deck {deck})))"


def game(body: str = "(do ((turn pass)))", deck: str = "(R (A))", score: str = "1") -> str:
    return f"(game {SETUP.format(deck=deck)} {body} (scoring max {score}))"


HOSTILE = {
    "open": "(" * 1_000_000,
    "close": ")" * 1_000_000,
    "open lines": "(game" + "\n(a" * 19_000,
    "words": "(game " + "a " * 39_000 + ")",
    "forms": "(game " + "(a) " * 12_900 + ")",
    "one word": "(game " + "x" * 900_000 + ")",
    "steps": game("(do (" + "(inc (game sto A) 1)" * 3_900 + "))"),
    "unknown variables": game("(do ((inc (game sto 'XYZZY) 1)))" * 2_300),
    "unclosed stages": game("(stage player (end (== (game sto A) 1) (do ((turn pass))))" * 1_500),
    "values": game(deck=f"(R ({', '.join(f'A{i}' for i in range(39_000))}))"),
    "product": game(deck="".join(f"(R{i} (A, B, C, D, E, F, G))" for i in range(2_900))),
    "nested product": game(deck="(A (B (C (D, E)) (F (G, H)) (I (J, K))))" * 1_500),
    "copies": game(deck="(R (A))").replace(
        "(create deck", "(repeat 999999999 " * 90 + "(create deck"
    ),
    "powers": game(score="(^ 9 " * 90 + "9" + ")" * 90),
    "declared powers": "(game (declare " + "(^ 9 " * 90 + "9" + ")" * 90 + " 'X)" + game()[5:],
    "declared fib": "(game (declare (fib (fib 99)) 'X)" + game()[5:],
    "deep sum": game(score="(+ 1 " * 98 + "1" + ")" * 98),
    "deep do": game("(do (" * 48 + "(turn pass)" + "))" * 48),
    "deep all": game("(all player 'P " * 97 + "(turn pass)" + ")" * 97),
    "deep not": game("(comp (" + "(not " * 95 + "()" + ")" * 95 + " (turn pass)))"),
    "too deep": game(score="(+ 1 " * 500 + "1" + ")" * 500),
    "zeros": "\x00" * 1_000,
    "controls": "(game \x1b[2J \u202e \ufffd \x07)",
    "numbers": game(score="9" * 5_000),
    "players": game().replace("players 2", "players " + "9" * 5_000),
    "teams": game().replace("(create deck", f"(create teams ({'9' * 5000})) (create deck"),
    "deck copies": game(deck="9" * 5_000 + " (R (A))"),
    "header": ";; HAND 9999999999-1: x\n;; Players: 999-0\n" + game(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    """Reading one takes under a second, where ten million lines of Python do.

    Lines are counted in the first part of it, since counting them takes long.
    """
    examine(HOSTILE[name])
    beginning = HOSTILE[name][: max(5_000, len(HOSTILE[name]) // 8)]
    assert lines_run(lambda: parse(Source("x.rcy", beginning))) < 10_000_000
