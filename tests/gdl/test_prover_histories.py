"""Histories that fit a memory, rule by rule: what looking for them may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kibitz.gdl import prover_histories
from kibitz.gdl.prover_histories import LAST_TRIES, SEARCHED, WHOLE_TRIES, Played, Sampler
from kibitz.gdl.prover_rules import ProverRules
from kibitz.gdl.reader import description
from kibitz.syntax.source import Source

COINS = """(role guesser) (role random) (init (step 1)) (side heads) (side tails)
(then 1 2) (then 2 3) (then 3 4) (then 4 5) (then 5 6) (then 6 7) (then 7 8)
(legal guesser wait)
(<= (legal random (toss ?a ?b)) (side ?a) (side ?b))
(<= (next (step ?j)) (true (step ?i)) (then ?i ?j))
(<= (sees guesser ?a) (does random (toss ?a ?b)))
(<= terminal (true (step 8)))
(goal guesser 50) (goal random 50)
"""


def sampler(
    percepts: Sequence[int] | None, monkeypatch: pytest.MonkeyPatch
) -> tuple[Sampler, list[Any]]:
    """A sampler for six steps with these percepts of the guesser, and a list of its steps."""
    plain = ProverRules(description(Source("own.kif", COINS)))
    made: list[Any] = []
    outcome = plain.outcome

    def counted(true: Any, moves: Sequence[int]) -> Any:
        made.append(moves)
        return outcome(true, moves)

    start = plain.prover.initial()
    wait = plain.legal_in(start, 0)[0]
    first = plain.legal_in(start, 1)[0]
    _, usual = outcome(start, [wait, first])
    percepts = [usual[0]] * 6 if percepts is None else percepts
    monkeypatch.setattr(plain, "outcome", counted)
    rng = [1, 2, 3, 4]
    return Sampler(plain, 0, [(wait, percept) for percept in percepts], rng, lambda _: True), made


def test_a_history_that_fits_is_found_within_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    search, made = sampler(None, monkeypatch)
    played = search.draw()
    assert len(played.moves) == 6
    percepts = [of_roles[0] for of_roles in played.percepts]
    assert percepts == [remembered for _, remembered in search.memory]
    assert len(made) <= WHOLE_TRIES * 6 + SEARCHED


def test_a_memory_that_nothing_fits_takes_no_more_than_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, made = sampler([-1] * 6, monkeypatch)
    played = search.draw()
    assert isinstance(played, Played)
    assert WHOLE_TRIES <= len(made) <= WHOLE_TRIES * 6 + SEARCHED + (LAST_TRIES + 1) * 6


def test_searching_ends_when_the_budget_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover_histories, "WHOLE_TRIES", 0)
    search, made = sampler(None, monkeypatch)
    search.fits_now = lambda _: False
    search.left = 30
    search.draw()
    assert search.left <= 0
    assert len(made) <= 30 + (LAST_TRIES + 1) * 6
