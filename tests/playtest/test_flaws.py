"""A sample of the planted flaws; ``python -m benchmarks.flaws`` looks at all of them."""

import functools

import pytest
from tests.playtest.mutants.catalogue import Mutant, mutants_of, runaway
from tests.playtest.mutants.looking import is_named, look

import kibitz
from kibitz.playtest.flaws import Kind


@functools.cache
def planted() -> dict[str, Mutant]:
    found = [*mutants_of("agram"), *mutants_of("light-cycles"), runaway("scopa")]
    return {f"{mutant.name.partition(':')[0]} {mutant.kinds[0].name}": mutant for mutant in found}


@pytest.mark.parametrize(
    "name",
    [
        "agram SEAT",
        "agram TOO_STRONG",
        "agram DEAD",
        "agram ENDLESS",
        "light-cycles TOO_STRONG",
        "light-cycles TRAP",
        "scopa RUNAWAY",
    ],
)
def test_a_planted_flaw_is_found_and_named(name):
    mutant = planted()[name]
    told = look(mutant.make())
    assert is_named(mutant, told), told


def test_a_sound_game_is_not_blamed():
    assert look(kibitz.load("agram")) == ()


def test_the_princess_is_named_a_trap():
    [flaw] = look(kibitz.load("love-letter"))
    assert (flaw.kind, flaw.subject) == (Kind.TRAP, "play Princess")
    assert flaw.agents == "random"
    assert set(flaw.to_json()) == {"flaw", "subject", "sentence", "agents"}
