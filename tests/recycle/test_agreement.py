"""The compiled engine and the oracle agree, move for move, on all available programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from tests.recycle import generated
from tests.recycle.agreement import play_both, play_table
from tests.recycle.programs import (
    CARDS,
    CONDITIONS,
    EXAMPLES,
    EXPRESSIONS,
    NUMBERS,
    SETS,
    SITUATION,
    VALUE,
    Example,
    choice,
    do,
    game,
)
from tests.shared import SHARED

from kibitz.core.game import Table
from kibitz.core.status import Status
from kibitz.recycle import library
from kibitz.recycle.game import RecycleGame, load
from kibitz.syntax.source import SourceError

# --- small programs -------------------------------------------------------------------------

SINGLE = [example for example in EXAMPLES if example not in EXPRESSIONS]
"""Expressions are compared many in one game, which is compiled sooner."""


@pytest.mark.parametrize("example", SINGLE, ids=[example.name for example in SINGLE])
def test_example(example: Example) -> None:
    for seed in range(2):
        play_both(example.text, seed)


def _mixed_in(name: str, value: str) -> str:
    """The action that makes a number out of all that came before and one more value."""
    return f"(set (game sto {name}) (% (+ (* 31 (game sto {name})) {value}) 1000003))"


def _each_in(collection: str, name: str) -> str:
    return f"(all {collection} 'C {_mixed_in(name, VALUE)})"


def _each_set_in(sets: str, name: str) -> str:
    return f"""(all {sets} 'S (do ({_each_in("'S", name)} {_mixed_in(name, "9")})))"""


TOGETHER = {
    "numbers": [f"(set (game sto N{i}) {number})" for i, (number, _) in enumerate(NUMBERS)],
    "conditions": [f"({test} (set (game sto N{i}) 1))" for i, (test, _) in enumerate(CONDITIONS)],
    "cards": [_each_in(cards, f"N{i}") for i, (cards, _) in enumerate(CARDS)],
    "sets": [_each_set_in(sets, f"N{i}") for i, (sets, _) in enumerate(SETS)],
}


@pytest.mark.parametrize("kind", TOGETHER)
def test_expressions(kind: str) -> None:
    state, _ = play_both(game(do(*SITUATION, *TOGETHER[kind])), seed=1)
    assert state.status == Status.FINISHED


# --- whole games ----------------------------------------------------------------------------

LIBRARY = sorted(library.FOLDER.glob("*.rcy"))


def _tables(game: RecycleGame) -> list[Table]:
    """Tables with the usual settings, and with all settings at their least or greatest values."""
    own = [game.Parameters.tunables[name] for name in game.own_parameters]
    low = {tunable.name: min(tunable.values) for tunable in own}
    high = {tunable.name: max(tunable.values) for tunable in own}
    least, most = game.players
    tables = [game.table()]
    for players, values in ((least, low), (most, high)):
        if values or players != game.usual_players:
            tables.append(game.table(players, **values))
    return tables


@pytest.mark.parametrize("file", LIBRARY, ids=[file.stem for file in LIBRARY])
def test_library(file: Path) -> None:
    for table in _tables(load(file)):
        for seed in range(2):
            play_table(table, seed, limit=100)


CORPUS = SHARED / "corpus" / "recycle"
"""Not part of this project; the tests are skipped where it is not."""

ILL_FORMED = {"Agram.gdl", "Blackjack.gdl", "NoThanks.gdl"}
FILES = sorted(file for file in CORPUS.glob("*/*") if file.name not in ILL_FORMED)


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_corpus(file: Path) -> None:
    play_table(load(file).table(), seed=1, limit=80)


# --- programs by chance ---------------------------------------------------------------------


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(text=generated.programs())
def test_generated(text: str) -> None:
    try:
        for seed in range(2):
            play_both(text, seed, limit=40)
    except SourceError as refusal:  # what the reader allows and the code generator cannot do
        if {diagnostic.code for diagnostic in refusal.diagnostics} - {
            "too-long",
            "too-many-lists",
        }:
            raise


HANDS_AND_DARK = game(
    do(
        "(all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))",
        "(repeat 2 (move (top (game iloc STOCK)) (top (game hloc DARK))))",
        "{before}",
    ),
    choice("{clause}", "(turn pass)"),
    choice("{clause}", "(turn pass)"),
    do("(all ((1 player) iloc HAND) 'C (move 'C (top (game vloc SHOWN))))"),
    deck="(create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E)) (SUIT (X, Y))))",
)

FOUND = {
    "the same any twice": ("(repeat 2 (any {own} 'C (move 'C (top (game vloc OUT)))))", ""),
    "sets of unknown cards": ("(any (subsets (game hloc DARK)) 'S (all 'S 'C {out}))", ""),
    "a drawn card": (
        "(do ((move (top (game iloc STOCK)) (top {own})) (any {own} 'C {out})))",
        "(shuffle (game iloc STOCK))",
    ),
    "places in a variable, one perhaps a memory": (
        "(any (all player 'P ('P iloc HAND)) 'L (move (top 'L) (top (game hloc DARK))))",
        "(all {own} 'C (reveal 'C))",
    ),
    "what a memory refers to": (
        "(any (all (range 1 .. 2) 'I (game mem M)) 'L (move (top 'L) (top (game hloc DARK))))",
        "(all {own} 'C (remember 'C (top (game mem M))))",
    ),
}
"""Programs on which the two once disagreed: a clause, and the actions before the choice."""


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    words = {"own": "((current player) iloc HAND)", "out": "(move 'C (top (game vloc OUT)))"}
    clause, before = (text.format(**words) for text in FOUND[name])
    text = HANDS_AND_DARK.replace("{before}", before).replace("{clause}", clause)
    for seed in range(10):
        state, _ = play_both(text, seed)
        assert state.status in (Status.FINISHED, Status.RULES_ERROR)
