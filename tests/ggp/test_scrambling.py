"""Scrambling of names: one to one, reversible, without meaningful words."""

from __future__ import annotations

import re

import pytest

from kibitz import gdl
from kibitz.gdl import library
from kibitz.gdl.reader import parse
from kibitz.gdl.writer import to_kif
from kibitz.ggp.scrambling import KEPT, Plain, Scrambling
from kibitz.syntax.source import Source

NAMES = (
    "gdl-tic-tac-toe",
    "connect-four",
    "breakthrough",
    "nim",
    "sliding-puzzle",
    "light-cycles",
    "monty-hall",
    "kriegspiel-tic-tac-toe",
)
WORDS = re.compile(r"[^\s()]+")


def game(name: str) -> gdl.subroutines.GdlGame:  # type: ignore[name-defined]
    return getattr(library, name.replace("-", "_"))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_gets_one_other_name_and_words_with_a_meaning_stay(name: str) -> None:
    description = game(name).description
    text = " ".join(to_kif(description).split())
    scrambled = Scrambling(description, 1).rules()[2:-2]
    pairs = set(zip(WORDS.findall(text), WORDS.findall(scrambled), strict=True))
    assert (
        len(pairs)
        == len({original for original, _ in pairs})
        == len({other for _, other in pairs})
    )
    for original, other in pairs:
        unchanged = original.lower() in KEPT or re.fullmatch(r"[+-]?\d+", original)
        assert (original == other) == bool(unchanged)
        assert original.startswith("?") == other.startswith("?")
    assert re.sub(WORDS, "", text) == re.sub(WORDS, "", scrambled)


@pytest.mark.parametrize("name", NAMES[3:])
def test_scrambled_rules_describe_the_same_game(name: str) -> None:
    rules = game(name)
    names = Scrambling(rules.description, 2)
    other = gdl.load(names.rules())
    roles, strange = gdl.findroles(rules), gdl.findroles(other)
    assert [names.reveal(role) for role in strange] == roles
    state, hidden = gdl.findinits(rules), gdl.findinits(other)
    for _ in range(3):
        assert sorted(map(names.reveal, hidden)) == sorted(state)
        assert gdl.findterminalp(hidden, other) == gdl.findterminalp(state, rules)
        if gdl.findterminalp(state, rules):
            break
        moves = []
        for role, odd in zip(roles, strange, strict=True):
            legal = gdl.findlegals(role, state, rules)
            assert sorted(map(names.reveal, gdl.findlegals(odd, hidden, other))) == sorted(legal)
            moves.append(legal[-1])
        state = gdl.findnext(roles, moves, state, rules)
        hidden = gdl.findnext(strange, [names.hide(move) for move in moves], hidden, other)


def test_what_is_hidden_is_revealed_whatever_its_spelling() -> None:
    source = Source("r", "(role White) (legal White (Mark 1 b)) terminal (goal White 10)")
    description, _ = parse(source)
    assert description is not None
    names = Scrambling(description, 3)
    hidden = names.hide("(Mark 1 b)")
    assert "1" in hidden
    assert "ark" not in hidden
    assert names.reveal(hidden.upper()) == "(Mark 1 b)"
    assert names.hide("(MARK 1 B)") == hidden
    assert names.reveal("(unheard of)") == "(unheard of)"


def test_the_names_of_gdl_ii_stay() -> None:
    rules = Scrambling(game("monty-hall").description, 4).rules()
    for word in ("sees", "random", "does", "legal", "not"):
        assert re.search(rf"[( ]{word}[) ]", rules)
    for word in ("candidate", "hide", "door", "noop"):
        assert not re.search(rf"[( ]{word}[) ]", rules)


def test_the_seed_decides_the_names() -> None:
    description = game("nim").description
    first, same, other = (Scrambling(description, seed).rules() for seed in (1, 1, 2))
    assert first == same != other


def test_without_scrambling_names_are_as_the_rules_spell_them() -> None:
    source = Source("r", "(role White) (legal White (Mark 1 b)) terminal (goal White 10)")
    description, _ = parse(source)
    assert description is not None
    names = Plain(description)
    assert names.hide("(Mark 1 b)") == "(Mark 1 b)"
    assert names.rules() == f"( {' '.join(to_kif(description).split())} )"
