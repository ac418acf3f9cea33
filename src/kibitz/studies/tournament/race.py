"""Ends a tournament as soon as the order of its agents is sure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import ParameterError
from kibitz.studies.tournament.formats import Pair
from kibitz.studies.tournament.sequential import MARGIN, SequentialTest, Verdict

FIRST_DEALS = 8
"""Number of deals that each pair plays before the first test."""


@dataclass(frozen=True)
class StoppingRule:
    """When a tournament stops playing at a table.

    Attributes:
        sure: probability that no verdict on two agents of a table is wrong.
        margin: smallest relevant difference in shares of wins; with less, agents are equal.
    """

    sure: float = 0.95
    margin: float = MARGIN

    def __post_init__(self) -> None:
        SequentialTest(self.sure, margin=self.margin)


@dataclass(frozen=True)
class PairVerdict:
    """The verdict on two agents.

    Attributes:
        one, other: numbers of the agents.
        verdict: which of them is stronger; ``EQUAL`` if they differ by less than the margin.
        deals: number of deals that were tested.
        implied: whether the verdict follows from those on other pairs.
    """

    one: int
    other: int
    verdict: Verdict
    deals: int
    implied: bool

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "one": self.one,
            "other": self.other,
            "verdict": self.verdict.value,
            "deals": self.deals,
            "implied": self.implied,
        }


class Race:
    """Selects the pairs of agents that have to play on until the order is sure.

    Each pair has a ``SequentialTest``, at a level at which all verdicts together are right with
    the requested probability (Bonferroni). Being stronger is taken to be transitive: pairs whose
    order follows from others play no further.
    """

    def __init__(
        self, agents: int, sides: int, rule: StoppingRule, pairs: Sequence[Pair] | None = None
    ) -> None:
        """
        Args:
            sides: number of players, or of teams, that compete at the table.
            wanted: the rule that ends the race.
            pairs: the pairs that meet; by default all.

        Raises:
            ParameterError: there are fewer than two agents.
        """
        if agents < 2:
            raise ParameterError("A race needs two agents or more.")
        if pairs is None:
            pairs = list(itertools.combinations(range(agents), 2))
        each = 1 - (1 - rule.sure) / len(pairs)
        # variance of the difference of two shares over a deal; with two sides they are the same
        spread = 2 * (sides - 1) / sides**3 * (2 if sides == 2 else 1)
        self._agents = agents
        self._tests = {
            pair: SequentialTest(each, margin=rule.margin, spread=spread) for pair in pairs
        }

    def add(self, pair: Pair, scores: Iterable[float]) -> Verdict:
        """Adds the difference of the two scores of a pair for each of some deals."""
        return self._tests[pair].add(scores)

    @property
    def open(self) -> list[Pair]:
        """The pairs without a verdict."""
        above = self._above()
        return [
            (first, other)
            for (first, other), test in self._tests.items()
            if test.verdict is Verdict.OPEN and not above[first][other] and not above[other][first]
        ]

    @property
    def verdicts(self) -> tuple[PairVerdict, ...]:
        """The verdict on each pair."""
        above = self._above()
        verdicts = []
        for (first, other), test in self._tests.items():
            verdict, implied = test.verdict, False
            if verdict is Verdict.OPEN and above[first][other] != above[other][first]:
                verdict, implied = (Verdict.ONE if above[first][other] else Verdict.OTHER), True
            verdicts.append(PairVerdict(first, other, verdict, test.count, implied))
        return tuple(verdicts)

    def _above(self) -> list[list[bool]]:
        """A matrix that tells which agents are surely stronger than others, also indirectly."""
        above = [[False] * self._agents for _ in range(self._agents)]
        for (first, other), test in self._tests.items():
            above[first][other] = test.verdict is Verdict.ONE
            above[other][first] = test.verdict is Verdict.OTHER
        for middle, first, other in itertools.product(range(self._agents), repeat=3):
            above[first][other] |= above[first][middle] and above[middle][other]
        return above


def next_deals(played: int) -> int:
    """The number of deals after which a pair is tested next: about an eighth more.

    The test is valid after any number of deals; this keeps threads busy between tests.
    """
    if played == 0:
        return FIRST_DEALS
    return played + FIRST_DEALS * -(-played // (8 * FIRST_DEALS))
