"""Tests that may be looked at after each deal: error rates by simulation, and races of agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reporting import as_markdown

import kibitz
from kibitz.core.errors import ParameterError
from kibitz.studies.tournament.race import Race, StoppingRule, next_deals
from kibitz.studies.tournament.sequential import SequentialTest, Verdict

Array = np.ndarray[Any, Any]
TIMES = 250


def scores(kind: str, mean: float, rng: np.random.Generator, count: int) -> Array:
    """Scores of deals: of a game each, of two on their own, or of two that balance each other."""
    if kind == "balanced":
        chances = [0.1 - mean / 2, 0.8, 0.1 + mean / 2]
        return rng.choice([-1.0, 0.0, 1.0], count, p=chances)
    games = 1 if kind == "single" else 2
    chances = [0.5 - mean / 2, 0.5 + mean / 2]
    return rng.choice([-1.0, 1.0], (count, games), p=chances).mean(axis=1)


def verdicts(kind: str, mean: float) -> tuple[dict[Verdict, float], float]:
    """How often each verdict comes out at 90 %, and how many scores it takes on average."""
    rng = np.random.default_rng(7)
    shares = dict.fromkeys(Verdict, 0.0)
    counts = []
    for _ in range(TIMES):
        test = SequentialTest(0.9, spread=1.0 if kind == "single" else 0.5)
        shares[test.add(scores(kind, mean, rng, 4000).tolist())] += 1 / TIMES
        counts.append(test.count)
    return shares, float(np.mean(counts))


WORST = 0.1 + 3 * (0.1 * 0.9 / TIMES) ** 0.5
"""Maximum rate of wrong claims, as the tests measure it, where a test may be wrong once in ten."""


@pytest.mark.parametrize("kind", ["single", "pairs", "balanced"])
def test_wrong_verdicts_are_rare(kind: str) -> None:
    equal, _ = verdicts(kind, 0.0)
    assert max(equal[Verdict.ONE], equal[Verdict.OTHER]) < WORST
    better, count = verdicts(kind, 0.1)  # the margin
    assert better[Verdict.OTHER] + better[Verdict.EQUAL] < WORST
    assert better[Verdict.OPEN] == 0
    variance = {"single": 0.99, "pairs": 0.495, "balanced": 0.19}[kind]
    fixed = (1.2816 + 1.6449) ** 2 * variance / 0.1**2
    assert count < 0.64 * fixed  # a test of a fixed size with the same errors, about 90 %
    worse, _ = verdicts(kind, -0.1)
    assert worse[Verdict.ONE] + worse[Verdict.EQUAL] < WORST


def test_large_differences_take_few_deals() -> None:
    test = SequentialTest(0.95)
    assert test.add([1.0] * 100) is Verdict.ONE
    assert test.count < 25
    assert test.add([-1.0] * 1000) is Verdict.ONE  # what is told stays
    assert SequentialTest(0.95).add([-1.0] * 100) is Verdict.OTHER


@pytest.mark.parametrize(
    ("sure", "spread", "won", "won_or_level", "alternating", "level"),
    [(0.95, 1.0, 15, 27, 584, 260), (0.9, 0.5, 10, 19, 460, 239)],
)
def test_a_verdict_takes_the_same_number_of_deals_as_ever(
    sure: float, spread: float, won: int, won_or_level: int, alternating: int, level: int
) -> None:
    cases: list[tuple[list[float], Verdict, int]] = [
        ([1.0], Verdict.ONE, won),
        ([-1.0], Verdict.OTHER, won),
        ([1.0, 0.0], Verdict.ONE, won_or_level),
        ([1.0, -1.0], Verdict.EQUAL, alternating),
        ([0.0], Verdict.EQUAL, level),
    ]
    for deals, verdict, count in cases:
        test = SequentialTest(sure, spread=spread)
        assert (test.add(deals * 600), test.count) == (verdict, count)


def test_it_does_not_matter_when_anybody_looks() -> None:
    drawn = scores("pairs", 0.1, np.random.default_rng(3), 2000).tolist()
    once, often = SequentialTest(0.95), SequentialTest(0.95)
    once.add(drawn)
    for score in drawn:
        often.add([score])
    assert (once.verdict, once.count) == (often.verdict, often.count)


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"sure = 1.0"):
        SequentialTest(1.0)
    with pytest.raises(ParameterError, match="margin = 0"):
        StoppingRule(0.95, 0)
    with pytest.raises(ParameterError, match="two agents"):
        Race(1, 2, StoppingRule())


def test_who_is_above_somebody_is_above_all_below() -> None:
    race = Race(3, 2, StoppingRule(0.9))
    assert race.open == [(0, 1), (0, 2), (1, 2)]
    race.add((0, 1), [1.0] * 50)
    race.add((1, 2), [1.0] * 50)
    assert race.open == []
    verdicts_of = {(pair.one, pair.other): (pair.verdict, pair.implied) for pair in race.verdicts}
    assert verdicts_of[0, 2] == (Verdict.ONE, True)
    assert verdicts_of[0, 1] == (Verdict.ONE, False)


def test_pairs_are_looked_at_ever_more_rarely() -> None:
    deals, looks = 0, 0
    while deals < 5000:
        before, deals = deals, next_deals(deals)
        looks += 1
        assert deals > before
    assert looks < 60


@pytest.mark.parametrize("players", [2, 3])
def test_a_tournament_ends_when_the_order_is_sure(players: int, tmp_path: Path) -> None:
    """The same games whether it is kept, goes on, or has another number of workers."""
    table = kibitz.load("love-letter").table(players)
    agents = ["love-letter-counting", "random"]
    tournament = kibitz.tournament({"it": table}, agents, games=2000, sure=StoppingRule())
    [pair] = tournament.tables[0].verdicts
    assert pair.verdict is Verdict.ONE
    games = sum(match.games for match in tournament.tables[0].matches)
    assert games < 400
    assert "love-letter-counting is stronger than random" in as_markdown(tournament)
    for workers in (1, 2):
        again = kibitz.tournament(
            {"it": table}, agents, games=2000, sure=StoppingRule(), out=tmp_path, workers=workers
        )
        assert again.tables[0].matches == tournament.tables[0].matches
        assert again.tables[0].verdicts == tournament.tables[0].verdicts


def test_who_is_not_surely_stronger_is_named() -> None:
    table = kibitz.load("agram").table(2)
    tournament = kibitz.tournament(
        {"it": table}, ["random", "osla"], games=16, sure=StoppingRule()
    )
    [pair] = tournament.tables[0].verdicts
    assert pair.verdict is Verdict.OPEN
    assert "Not sure after 16 games: random and osla." in as_markdown(tournament)
    assert tournament.to_json()["sure"] == 0.95
