"""Programs that are too large to be compiled are reported once, at the right place."""

from __future__ import annotations

import re
import threading

import pytest
from tests.recycle.programs import choice, do, game

from kibitz.core.actions import MAX_KINDS
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.loading import language_of
from kibitz.recycle.codegen.compiler import compile_program
from kibitz.recycle.codegen.module import MOST_STACK
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.rules import RecycleRules
from kibitz.syntax.source import Source, SourceError


@pytest.mark.parametrize(
    "rules",
    [choice(*["(turn pass)"] * (MAX_KINDS + 5)), choice("(turn pass)") * (MAX_KINDS + 5)],
    ids=["clauses", "choices"],
)
def test_too_many_clauses(rules: str) -> None:
    source = Source("many.rcy", game(rules))
    with pytest.raises(SourceError) as caught:
        RecycleGame(source).table()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "too-many-clauses"
    before = source.text[: diagnostic.span.start]
    assert source.piece(diagnostic.span) == "(turn pass)"
    assert before.count("(turn pass)") == MAX_KINDS - 1


def test_the_language_of_a_large_text_is_known_by_its_beginning() -> None:
    language = language_of(Source("large", game(choice("(turn pass)") * 20_000)))
    assert language is not None
    assert language.name == "recycle"


# --- memory for lists of cards ---------------------------------------------------------------

PACKS = """(repeat {packs} (create deck (game vloc TABLE) (deck
  (RANK (A, B, C, D, E, F, G, H, I, J, K, L, M)) (SUIT (W, X, Y, Z)))))"""
SETS = "(filter (subsets (game vloc TABLE)) 'S (and (== (size 'S) 1) (== 1 {number})))"


def counting(packs: int, filters: int) -> str:
    """A program with `filters` filters of subsets; only the first matches sets of one card."""
    counts = [f"(set (game sto N{i}) (size {SETS.format(number=i + 1)}))" for i in range(filters)]
    return game(*map(do, counts), choice("(turn pass)"), deck=PACKS.format(packs=packs))


def stack_of(text: str) -> int:
    """Bytes of memory of the function of a game that needs most."""
    table = RecycleGame(Source("sizes.rcy", text)).table()
    assert isinstance(table.rules, RecycleRules)
    assembly = compile_program(table.rules.places).text
    kinds = {"i8": 1, "i16": 2, "i64": 8}
    most = 0
    for function in assembly.split("define ")[1:]:
        arrays = re.findall(r"alloca \[(\d+) x (i\d+)\]", function)
        most = max(most, sum(int(count) * kinds[kind] for count, kind in arrays))
    return most


def test_lists_at_the_limit_fit_into_a_small_stack() -> None:
    text = counting(19, 4)
    assert MOST_STACK * 3 // 4 < stack_of(text) <= MOST_STACK
    states: list[State] = []
    before = threading.stack_size(3 * MOST_STACK)
    try:
        table = RecycleGame(Source("sizes.rcy", text)).table()
        table.new_state(1)  # which compiles, in a thread with a large stack
        thread = threading.Thread(target=lambda: states.append(table.new_state(1)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert states[0].status == Status.PLAYING


@pytest.mark.parametrize("filters", [5, 35])
def test_lists_beyond_the_limit_are_refused(filters: int) -> None:
    source = Source("sizes.rcy", counting(19, filters))
    with pytest.raises(SourceError, match=r"sizes\.rcy:\d+:\d+: .*Use fewer filters") as caught:
        RecycleGame(source).table().new_state(1)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "too-many-lists"
    assert source.text[: diagnostic.span.start].count("(subsets") in (4, 5)


def test_many_filters_of_subsets_are_compiled() -> None:
    """A counter after many loops is not computed in advance."""
    table = RecycleGame(Source("many.rcy", counting(1, 35))).table()
    assert table.new_state(1).status == Status.PLAYING
