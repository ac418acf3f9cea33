"""The oracle on the game files of the language's authors, where they are at hand.

The files and the table of what their own engine measured are no part of this project.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.recycle.oracle import Oracle
from tests.shared import SHARED

from kibitz.recycle.parser import parse, program
from kibitz.syntax.source import Source

CORPUS = SHARED / "corpus" / "recycle"
TABLE = SHARED / "reference" / "recycle_corpus.md"
FILES = sorted(CORPUS.glob("current/*.rcy")) + sorted(CORPUS.glob("paper2016/*"))
GAMES = 2
DECISIONS = 150
"""Some games hardly end when they are played at random."""

BROKEN = {
    "Rummy2": "so long a game that we do not play it to its end",
    "Coup4": "options that their engine executed in another order",
    "Poker5": "options that their engine executed in another order",
    "Spades4": "options that their engine executed in another order",
    "GoFish2": "their engine passes one card where all of the rank are meant",
}
"""Files whose figures differ from those of the original engine, and why."""


def measured() -> dict[str, tuple[float, float]]:
    """Decisions in a game and options at a decision, of each file."""
    rows = [line.split("|") for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    figures = {}
    for row in (row for row in rows if len(row) > 6):
        name, decisions, options = row[1].strip(), row[4].strip(), row[5].strip()
        if name and decisions.replace(".", "").isdigit() and name not in figures:
            figures[name] = float(decisions), float(options)
    return figures


def play(path: Path, seed: int) -> tuple[Oracle, list[int]]:
    """A random game; all cards are somewhere, once, at each decision."""
    parsed = program(Source(path.name, path.read_text("utf-8-sig")))
    oracle = Oracle(parsed, seed)
    pick = random.Random(seed)
    counts: list[int] = []
    while oracle.status == "playing" and len(counts) < DECISIONS:
        lying = [c for key, cards in oracle.piles.items() if key.kind != "mem" for c in cards]
        assert sorted(lying) == list(range(len(parsed.cards)))
        options = oracle.options()
        counts.append(len(options))
        oracle.play(pick.choice(options))
    return oracle, counts


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_corpus(path: Path) -> None:
    source = Source(path.name, path.read_text("utf-8-sig"))
    if path.parent.name == "paper2016" and parse(source)[0] is None:
        pytest.skip("not well-formed, as the reference says")
    games = [play(path, seed) for seed in range(GAMES)]
    for oracle, _ in games:
        assert oracle.status in ("finished", "playing"), oracle.problem
    known = measured().get(path.stem) if TABLE.exists() else None
    if path.parent.name != "current" or known is None or path.stem in BROKEN:
        return
    lengths = [len(counts) for _, counts in games]
    options = sum(sum(counts) for _, counts in games) / sum(lengths)
    if known[0].is_integer() and len(set(lengths)) == 1:
        assert lengths[0] == known[0]  # games that are always as long
    assert abs(options - known[1]) <= 0.4 * known[1]
