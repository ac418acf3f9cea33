"""A tournament that ends as soon as the order of its agents is sure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import ParameterError
from kibitz.tournament.formats import Pair
from kibitz.tournament.sequential import MARGIN, SequentialTest, Verdict

FIRST_DEALS = 8
"""All pairs play so many deals before anybody looks."""


@dataclass(frozen=True)
class StoppingRule:
    """When a tournament stops playing at a table.

    Attributes:
        sure: the confidence: with this probability no verdict on two agents of a table is wrong.
        margin: a difference in shares of wins that matters; agents that differ by less are equal.
    """

    sure: float = 0.95
    margin: float = MARGIN

    def __post_init__(self) -> None:
        SequentialTest(self.sure, margin=self.margin)


@dataclass(frozen=True)
class PairVerdict:
    """The verdict on two agents.

    Attributes:
        one, other: their numbers.
        verdict: who is stronger; ``EQUAL``: they differ by less than the margin.
        deals: that were needed for it, or played in vain.
        implied: whether it follows from what is sure of others, and was not tested to the end.
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
    """Which pairs of agents have to play on until their order is sure.

    Pairs are tested as ``SequentialTest`` does, so surely that all verdicts together are right
    with the wanted probability (Bonferroni). Who is stronger than somebody is taken to be stronger
    than all whom they are stronger than: such pairs play no further.
    """

    def __init__(
        self, agents: int, sides: int, wanted: StoppingRule, pairs: Sequence[Pair] | None = None
    ) -> None:
        """
        Args:
            agents: how many there are.
            sides: at the table, of which one wins: players, or teams.
            wanted: how sure their order should be.
            pairs: who meets; by default everybody.

        Raises:
            ParameterError: there is nobody to compare.
        """
        if agents < 2:
            raise ParameterError("A race needs two agents or more.")
        if pairs is None:
            pairs = list(itertools.combinations(range(agents), 2))
        each = 1 - (1 - wanted.sure) / len(pairs)
        # of the difference of two shares over all seats of a deal; of two sides they are one
        spread = 2 * (sides - 1) / sides**3 * (2 if sides == 2 else 1)
        self._agents = agents
        self._tests = {
            pair: SequentialTest(each, margin=wanted.margin, spread=spread) for pair in pairs
        }

    def add(self, pair: Pair, scores: Iterable[float]) -> Verdict:
        """Adds the difference of the two scores of a pair in each of some deals."""
        return self._tests[pair].add(scores)

    @property
    def open(self) -> list[Pair]:
        """The pairs without a verdict."""
        above = self._above()
        return [
            (one, other)
            for (one, other), test in self._tests.items()
            if test.verdict is Verdict.OPEN and not above[one][other] and not above[other][one]
        ]

    @property
    def verdicts(self) -> tuple[PairVerdict, ...]:
        """The verdict on each pair."""
        above = self._above()
        found = []
        for (one, other), test in self._tests.items():
            verdict, implied = test.verdict, False
            if verdict is Verdict.OPEN and above[one][other] != above[other][one]:
                verdict, implied = (Verdict.ONE if above[one][other] else Verdict.OTHER), True
            found.append(PairVerdict(one, other, verdict, test.count, implied))
        return tuple(found)

    def _above(self) -> list[list[bool]]:
        """The pairs whose order is sure, directly or through others."""
        above = [[False] * self._agents for _ in range(self._agents)]
        for (one, other), test in self._tests.items():
            above[one][other] = test.verdict is Verdict.ONE
            above[other][one] = test.verdict is Verdict.OTHER
        for middle, one, other in itertools.product(range(self._agents), repeat=3):
            above[one][other] |= above[one][middle] and above[middle][other]
        return above


def next_deals(played: int) -> int:
    """How many deals a pair has played when it is looked at next: an eighth more.

    Tests may look as often as they like; this only keeps threads busy between looks.
    """
    if played == 0:
        return FIRST_DEALS
    return played + FIRST_DEALS * -(-played // (8 * FIRST_DEALS))
