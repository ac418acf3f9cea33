"""Generated programs: they are valid, and the oracle plays them to an end."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recycle.generated import program_of, programs
from tests.recycle.oracle import Oracle

from kibitz.recycle.parser import program
from kibitz.syntax.source import Source

ENDS = {"finished", "dead end", "error"}


def play(text: str, seed: int) -> Oracle:
    """A random game; all cards are somewhere, once, at each decision."""
    parsed = program(Source("generated.rcy", text))
    oracle = Oracle(parsed, seed)
    pick = random.Random(seed)
    while oracle.status == "playing":
        lying = [c for key, cards in oracle.piles.items() if key.kind != "mem" for c in cards]
        assert sorted(lying) == list(range(len(parsed.cards)))
        options = oracle.options()
        assert len({(option.clause, option.values) for option in options}) == len(options)
        oracle.play(pick.choice(options))
    return oracle


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(programs(), st.integers(0, 1000))
def test_generated_program(text: str, seed: int) -> None:
    assert play(text, seed).status in ENDS


def test_programs_of_seeds() -> None:
    """Most come to a proper end, and what is played is the same each time."""
    finished = 0
    for seed in range(60):
        text = program_of(seed)
        first, second = play(text, seed), play(text, seed)
        assert (first.status, first.scores) == (second.status, second.scores)
        assert first.status in ENDS
        finished += first.status == "finished"
    assert finished >= 40


@pytest.mark.parametrize("seed", range(5))
def test_a_game_can_be_replayed_by_its_options(seed: int) -> None:
    """Options are what they are, not where they stand in a list."""
    parsed = program(Source("generated.rcy", program_of(seed)))
    oracle, again = Oracle(parsed, seed), Oracle(parsed, seed)
    pick = random.Random(seed)
    while oracle.status == "playing":
        option = pick.choice(oracle.options())
        oracle.play(option)
        again.play(next(o for o in again.options() if o == option))
    assert (again.status, again.piles) == (oracle.status, oracle.piles)
