"""The printer: what is printed reads as the same tree, with every comment."""

from __future__ import annotations

import dataclasses
import functools
import pathlib

import pytest
from tests.recycle import test_forms as forms
from tests.recycle import test_functions as functions
from tests.recycle import test_outcomes as outcomes
from tests.recycle.programs import EXAMPLES, choice, do, game, stage
from tests.shared import SHARED

from kibitz.recycle import parser, tree
from kibitz.recycle.formatter import format_text
from kibitz.recycle.printer import printed
from kibitz.recycle.tree import Program
from kibitz.syntax.source import Source

LIBRARY = sorted(pathlib.Path(parser.__file__).parent.glob("library/*.rcy"))
CORPUS = sorted(
    path for folder in ("corpus", "cases") for path in (SHARED / folder).rglob("*.rcy")
)

HAND, EFFECTS = functions.HAND, functions.EFFECTS
TEXTS = [
    *(example.text for example in EXAMPLES),
    *(path.read_text() for path in LIBRARY),
    *(functions.table(called, before=before) for before, called, _ in functions.EQUAL.values()),
    functions.table(
        stage(
            f"(== (size {HAND}) 0)",
            choice(f"(any {HAND} 'N (do ((move 'N (top (game vloc ROW))) (effect 'N 3))))"),
            do("(effect (top (game vloc ROW)) (size (game vloc ROW)))"),
        ),
        before=EFFECTS,
    ),
    # written out, the inner variables would hide those of the caller, and a declared name
    functions.table(
        do("(all player 'P (all (others 'P) 'HIGH (tell 'P (+ ('HIGH sto N) 1))))"),
        choice("(any (1, 2) 'HIGH ((any player 'P (== (count 'P) 'HIGH)) (turn pass)))"),
        before="(declare 3 'HIGH) (define (others 'Q) (filter player 'P (!= 'P 'Q)))"
        "(define (count 'Q) (size (filter ('Q iloc HAND) 'P (> (number 'P) 'HIGH))))"
        "(define (tell 'HIGH 'N) (all player 'P (inc ('P sto SCORE)"
        " (+ ('HIGH sto N) 'N (count 'P)))))",
    ),
    forms.numbered(
        do(*(f"(set (game sto N{i}) {number})" for i, (number, _) in enumerate(forms.VALUES)))
    ),
    outcomes.asked("(other player)", do("(eliminate (current player))")),
    game(choice("(win (0 player))", "(lose (other player))", "(win all)", "(lose all)")),
]
"""Texts with all nodes."""


def read(path: pathlib.Path) -> Program:
    """The program of a file."""
    return parser.program(Source.load(path))


@functools.cache
def corpus() -> list[Program]:
    """The programs of the files of the corpus that have no errors."""
    programs = (parser.parse(Source.load(path))[0] for path in CORPUS)
    return [program for program in programs if program is not None]


@functools.cache
def examples() -> list[Program]:
    """The programs of `TEXTS` that have no errors."""
    programs = (parser.parse(Source("text", text))[0] for text in TEXTS)
    return [program for program in programs if program is not None]


def difference(first: Program, second: Program) -> str:
    """The first field in which two programs differ; empty if they are equal."""
    for field in dataclasses.fields(Program):
        if field.name in ("source", "bindings", "functions", "calls"):
            continue
        values = (getattr(first, field.name), getattr(second, field.name))
        if field.name == "parameters":
            values = tuple(
                tuple(dataclasses.replace(value, span=None) for value in v) for v in values
            )
        if not tree.equivalent(*values):
            return field.name
    return ""


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_a_game_of_the_library_is_printed_as_it_is_written(path: pathlib.Path) -> None:
    program = read(path)
    assert printed(program) == program.source.text


@pytest.mark.skipif(not CORPUS, reason="the corpus is not here")
def test_print_and_parse_is_the_identity_on_other_peoples_texts() -> None:
    for program in corpus():
        name, text = program.source.name, printed(program)
        assert not difference(program, parser.program(Source(name, text))), name
        assert text.count(";") == program.source.text.count(";"), name
        assert format_text(text) == text, name


def test_every_node_is_printed() -> None:
    classes = set()
    for program in examples():
        if program.dialect == "A":
            continue
        again = parser.program(Source("text", printed(program)))
        assert not difference(program, again), program.source.text
        classes |= {type(node) for node in tree.everything(program)}
    assert concrete(tree.Node) - classes == {tree.Deck, tree.Declaration}


def test_rules_stand_in_place_of_calls_that_are_changed() -> None:
    called = 0
    for program in examples():
        if not program.calls:
            continue
        written = printed(dataclasses.replace(program, calls={}, functions=()))
        again = parser.program(Source("text", written))
        assert not difference(program, again), written
        assert not any(form.items[0].text == "define" for form in again.functions)
        called += 1
    assert called > 8


def concrete(cls: type) -> set[type]:
    """The classes below a class of nodes that have no subclasses, within the tree."""
    below = [sub for sub in cls.__subclasses__() if sub.__module__ == tree.__name__]
    return set().union(*map(concrete, below)) if below else {cls}


def test_a_changed_tree_keeps_its_comments() -> None:
    text = """;; A title
(game
  (setup (create players 2) (create deck (game vloc STOCK) (deck (RANK (A, B)))))
  ;; the first step
  (do ((set (game sto X) 1)))  ; beside it
  ;; the second step
  (do ((set (game sto X) 2)))
  (scoring max (game sto X)))
"""
    program = parser.program(Source("text", text))
    shorter = printed(dataclasses.replace(program, items=program.items[1:]))
    assert shorter.count(";") == text.count(";")
    assert parser.program(Source("text", shorter)).items[0].span.start > 0
    swapped = printed(dataclasses.replace(program, items=program.items[::-1]))
    lines = [line.strip() for line in swapped.splitlines()]
    first, second = (lines.index(f";; the {n} step") for n in ("first", "second"))
    assert lines[second + 1] == "(do ((set (game sto X) 2)))"
    assert second < first
    assert lines[first + 1].startswith("(do ((set (game sto X) 1)))")
