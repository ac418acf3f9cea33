"""NTBEA, the n-tuple bandit evolutionary algorithm.

One point evolves. Each evaluation is added to the model (``ntuples.py``). Then mutants of the
point are compared by the model alone, and the one with the highest upper confidence bound

    mean over tuples of (average + k * sqrt(ln(1 + N) / (n + epsilon)))

is evaluated next, once. In the end the model recommends the evaluated point with the highest mean.

Source: Lucas, Liu and Perez-Liebana, "The N-Tuple Bandit Evolutionary Algorithm for Game Agent
Optimisation", CEC 2018; the algorithm is that of Kunanusont, Gaina, Liu, Perez-Liebana and Lucas,
"The N-Tuple Bandit Evolutionary Algorithm for Automatic Game Improvement", CEC 2017. Here k is in
standard deviations of the values, so that their unit does not matter, and the average is taken
over evaluated combinations only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kibitz.studies.tuning.ntuples import NTupleModel
from kibitz.studies.tuning.optimiser import Optimiser, Search
from kibitz.studies.tuning.space import Point

NEIGHBOURS = 50
"""Default number of mutants that are compared after each evaluation."""

EXPLORE = 1.0
"""Default of k, the weight of exploration."""

EPSILON = 0.5
"""Default of epsilon, which limits the preference for combinations that were never tried."""

MOST_MISSES = 20
"""Maximum number of attempts per mutant, since mutants may be duplicates or infeasible."""


class Ntbea(Optimiser):
    """The n-tuple bandit evolutionary algorithm.

    Args:
        explore: k, the weight of exploration, in standard deviations of the values.
        epsilon: the larger it is, the less combinations that were never tried are preferred.
        neighbours: number of mutants that are compared after each evaluation.
    """

    name = "ntbea"
    title = "the n-tuple bandit evolutionary algorithm (Lucas, Liu and Perez-Liebana, 2018)"

    def __init__(
        self,
        search: Search,
        *,
        explore: float = EXPLORE,
        epsilon: float = EPSILON,
        neighbours: int = NEIGHBOURS,
    ) -> None:
        super().__init__(search)
        self.model = NTupleModel(self.space.sizes)
        self._explore = explore
        self._epsilon = epsilon
        self._neighbours = neighbours
        self._current = self.space.start

    def ask(self) -> Point:
        """The start; then the mutant of the last point with the highest bound."""
        if self.model.total:
            mutants = self._mutants()
            bounds = self.model.means(mutants)
            weight = self._explore * self.model.spread
            bounds = bounds + weight * self.model.exploration(mutants, self._epsilon)
            self._current = mutants[int(np.argmax(bounds))]
        return self._current

    def tell(self, point: Point, values: Sequence[float]) -> None:
        """Adds the value of a point; several goals are summed."""
        super().tell(point, values)
        self.model.add(point, sum(values) / len(values))
        self._current = point

    def estimate(self, point: Point) -> float:
        """The mean value of a point by the model."""
        return float(self.model.means([point])[0])

    def _mutants(self) -> list[Point]:
        """Distinct mutants, in random order; the point itself where it has none."""
        mutants: dict[Point, None] = {}
        for _ in range(MOST_MISSES * self._neighbours):
            mutant = self._mutant()
            if mutant not in mutants and self.search.feasible(mutant):
                mutants[mutant] = None
                if len(mutants) == self._neighbours:
                    break
        return list(mutants) or [self._current]

    def _mutant(self) -> Point:
        """The point with one value changed, and each other value with probability 1 / axes."""
        sizes = self.space.sizes
        mutant = list(self._current)
        certain = self.random.randrange(len(sizes))
        for axis, size in enumerate(sizes):
            if axis == certain or self.random.random() < 1 / len(sizes):
                other = self.random.randrange(size - 1)
                mutant[axis] = other + (other >= mutant[axis])
        return tuple(mutant)
