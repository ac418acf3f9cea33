"""The oracle itself: small programs whose course is known, chance, knowledge."""

from __future__ import annotations

import pytest
from tests.recycle.oracle import Oracle
from tests.recycle.programs import EXAMPLES, Example

from kibitz.recycle.parser import program
from kibitz.recycle.tree import Program
from kibitz.syntax.source import Source


def read(text: str, name: str = "test.rcy") -> Program:
    return program(Source(name, text))


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_example(example: Example) -> None:
    oracle = Oracle(read(example.text), seed=1)
    counts, players = [], []
    plays = iter(example.plays)
    while oracle.status == "playing":
        options = oracle.options()
        if example.values is not None and not counts:
            assert tuple(option.values for option in options) == example.values
        counts.append(len(options))
        players.append(oracle.player)
        oracle.play(next(plays, 0))
    assert (oracle.status, oracle.problem if example.status == "finished" else None) == (
        example.status,
        None,
    )
    if example.status == "finished":
        assert tuple(oracle.scores) == example.scores
    if example.counts is not None:
        assert tuple(counts) == example.counts
    if example.players is not None:
        assert tuple(players) == example.players
