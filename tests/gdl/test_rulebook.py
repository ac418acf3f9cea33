"""The rulebook of a game in GDL: every rule is a sentence."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core import registry
from kibitz.gdl.reader import description
from kibitz.gdl.rulebook import rulebook
from kibitz.syntax.rulebook import Rulebook
from kibitz.syntax.source import Source

GAMES = [name for name in registry.names() if kibitz.load(name).language == "gdl"]


def text(book: Rulebook) -> str:
    return "\n".join(
        f"{'  ' * depth}{line}" for chapter in book.chapters for depth, line in chapter.lines
    )


@pytest.mark.parametrize("name", GAMES)
def test_every_rule_is_in_the_rulebook(name: str) -> None:
    game = kibitz.load(name)
    lines = text(kibitz.rules(name)).splitlines()
    rules = [rule for rule in game.description.rules if rule.body]  # type: ignore[attr-defined]
    told = [line for line in lines if " if " in line]
    skipped = ("base", "input", "role", "percept", "random")
    assert len(told) >= sum(rule.head.name not in skipped for rule in rules)
    assert all(line.endswith((".", ":")) for line in lines)


def test_conditions_are_told() -> None:
    rules = description(
        Source(
            "tiny",
            """(role red) (init (heap 2)) (<= (legal red (take ?n)) (true (heap ?n))
            (not (true (stopped))) (distinct ?n 1) (or (small ?n) (does red (take ?n))))
            (small 2) (<= terminal (true (heap 0))) (<= (goal red 100) (role red))
            (<= (next (heap 0)) (does red (take ?n)))""",
        )
    )
    assert text(rulebook(rules, "", "", "")).split("\n") == [
        "The game is for 1 player: red.",
        "Words in quotes are facts and moves; capital letters stand for any value.",
        "At the start these facts hold: “heap 2”.",
        "Red may play “take N” if all of this is so:",
        "  “heap N” holds.",
        "  “stopped” does not hold.",
        "  N is not 1.",
        "  Either “small N” is true, or red plays “take N”.",
        "After each step exactly these facts hold; their conditions are about the step before:",
        "  “heap 0” holds if red plays “take N”.",
        "The game is over if “heap 0” holds.",
        "Red gets 100 if red is a player.",
        "Always so: “small 2”.",
    ]
