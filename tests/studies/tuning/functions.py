"""Noisy test functions whose optimum is known."""

from __future__ import annotations

import enum
import itertools
import random
from collections.abc import Callable

from kibitz.core.parameters import Tunable
from kibitz.studies.tuning.catalogue import make_optimiser
from kibitz.studies.tuning.optimiser import Search
from kibitz.studies.tuning.space import Axis, Point, Space

Function = Callable[[Point], float]


def grid(*sizes: int, start: int = 0) -> Space:
    """A space of ordered axes."""
    axes = []
    for number, size in enumerate(sizes):
        tunable = Tunable(start, range(size))
        tunable.name = f"x{number}"
        axes.append(Axis(tunable, tuple(range(size)), start))
    return Space(tuple(axes))


class Colour(enum.IntEnum):
    RED = 0
    GREEN = 1
    BLUE = 2


def one_max(point: Point) -> float:
    """The number of bits that are set."""
    return float(sum(point))


def nk(bits: int, neighbours: int, seed: int) -> Function:
    """An NK landscape (Kauffman and Levin, 1987): each bit counts by itself and its neighbours."""
    rng = random.Random(seed)
    tables = [
        {key: rng.random() for key in itertools.product((0, 1), repeat=neighbours + 1)}
        for _ in range(bits)
    ]

    def value(point: Point) -> float:
        fitness = 0.0
        for place, table in enumerate(tables):
            fitness += table[tuple(point[(place + i) % bits] for i in range(neighbours + 1))]
        return fitness / bits

    return value


def search(
    name: str, space: Space, function: Function, noise: float, evaluations: int, seed: int
) -> Point:
    """The point that an optimiser recommends after a number of noisy evaluations."""
    optimiser = make_optimiser(name, Search(space, evaluations=evaluations, seed=seed))
    rng = random.Random(seed + 1)
    for _ in range(evaluations):
        point = optimiser.ask()
        optimiser.tell(point, [function(point) + rng.gauss(0, noise)])
    return optimiser.recommend(1)[0]
