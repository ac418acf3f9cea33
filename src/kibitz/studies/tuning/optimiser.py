"""``Optimiser``: asks for points to be evaluated, and is told their values.

Optimisers maximise. Values are noisy, so a point may be asked for again. The points depend only on
the seed and on the values told before: with the same values in the same order an optimiser asks
for the same points, which is how a search is resumed.
"""

from __future__ import annotations

import abc
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kibitz.studies.tuning.space import Feasible, Point, Space


@dataclass
class Search:
    """The task of an optimiser: a space, goals, a number of evaluations.

    Attributes:
        feasible: whether the values of a point can be combined.
        goals: number of values of a point.
        evaluations: planned number of evaluations.
        seed: seed of the optimiser's random stream.
    """

    space: Space
    feasible: Feasible = field(default=lambda point: True)
    goals: int = 1
    evaluations: int = 1000
    seed: int = 0


class Optimiser(abc.ABC):
    """An algorithm that searches a space.

    Attributes:
        name: name on the command line.
        title: name in reports, with its source.
        evaluated: for each evaluated point, its mean values, one for each goal, and the number of
            its evaluations.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, search: Search) -> None:
        self.search = search
        self.space = search.space
        self.random = random.Random(search.seed)
        self.evaluated: dict[Point, tuple[tuple[float, ...], int]] = {}

    @abc.abstractmethod
    def ask(self) -> Point:
        """The next point to be evaluated, which is feasible."""

    def tell(self, point: Point, values: Sequence[float]) -> None:
        """Adds an evaluation of a point: a value for each goal; more is better."""
        means, count = self.evaluated.get(point, ((0.0,) * len(values), 0))
        count += 1
        new = tuple(m + (v - m) / count for m, v in zip(means, values, strict=True))
        self.evaluated[point] = new, count

    def estimate(self, point: Point) -> float:
        """The estimated value of a point over all goals; by default the mean of its values."""
        means, _ = self.evaluated[point]
        return sum(means) / len(means)

    def recommend(self, count: int) -> list[Point]:
        """The evaluated points with the best estimates, the best one first."""
        order = {point: number for number, point in enumerate(self.evaluated)}
        best = sorted(self.evaluated, key=lambda point: (-self.estimate(point), order[point]))
        return best[:count]


class RandomSearch(Optimiser):
    """Points drawn at random: the baseline of every other optimiser."""

    name = "random"
    title = "random search"

    def ask(self) -> Point:
        """The start, then any point."""
        if not self.evaluated:
            return self.space.start
        return self.space.draw(self.random, self.search.feasible)


class GridSearch(Optimiser):
    """Every combination of evenly spread values of the axes, over and over.

    The number of values of each axis is limited so that all combinations can be evaluated.
    """

    name = "grid"
    title = "grid search"

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        self._points = self._grid()
        self._next = 0

    def _grid(self) -> list[Point]:
        """The feasible combinations in random order, since a search may end early."""
        levels = [1] * len(self.space.axes)
        total = 1
        while True:
            # the axis with the largest gaps gets another value, as long as evaluations suffice
            open_axes = [
                i
                for i, size in enumerate(self.space.sizes)
                if levels[i] < size and total // levels[i] * (levels[i] + 1) <= self._most
            ]
            if not open_axes:
                break
            widest = min(open_axes, key=lambda i: (levels[i] / self.space.sizes[i], i))
            total = total // levels[widest] * (levels[widest] + 1)
            levels[widest] += 1
        chosen = [
            {start} if n == 1 else {round(i * (size - 1) / (n - 1)) for i in range(n)}
            for start, n, size in zip(self.space.start, levels, self.space.sizes, strict=True)
        ]
        points: list[Point] = [()]
        for numbers in chosen:
            points = [(*point, number) for point in points for number in sorted(numbers)]
        points = [point for point in points if self.search.feasible(point)]
        self.random.shuffle(points)
        return points or [self.space.start]

    @property
    def _most(self) -> int:
        return max(1, self.search.evaluations)

    def ask(self) -> Point:
        """The next combination."""
        point = self._points[self._next % len(self._points)]
        self._next += 1
        return point
