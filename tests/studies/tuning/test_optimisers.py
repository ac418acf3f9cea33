"""Optimisers on noisy functions with known optima, and the n-tuple model against a naive one."""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.studies.tuning.functions import grid, nk, one_max, search

from kibitz.core.errors import ParameterError
from kibitz.studies.tuning.catalogue import make_optimiser, optimisers
from kibitz.studies.tuning.ntuples import NTupleModel
from kibitz.studies.tuning.optimiser import Search
from kibitz.studies.tuning.space import Point

NAMES = tuple(optimisers())


def needs(name: str) -> None:
    if name in ("tpe", "nsga2"):
        pytest.importorskip("optuna")


# --- the model ----------------------------------------------------------------------------


class NaiveModel:
    """The definition of the model, by dictionaries."""

    def __init__(self, axes: int) -> None:
        every = range(axes)
        tuples = [(a,) for a in every] + list(itertools.combinations(every, 2))
        self.tuples = list(dict.fromkeys([*tuples, tuple(every)]))
        self.seen: dict[tuple[Point, Point], list[float]] = defaultdict(list)
        self.all: list[float] = []

    def add(self, point: Point, value: float) -> None:
        self.all.append(value)
        for axes in self.tuples:
            self.seen[axes, tuple(point[a] for a in axes)].append(value)

    def _of(self, point: Point) -> list[list[float]]:
        return [self.seen.get((axes, tuple(point[a] for a in axes)), []) for axes in self.tuples]

    def mean(self, point: Point) -> float:
        means = [sum(values) / len(values) for values in self._of(point) if values]
        return sum(means) / len(means) if means else sum(self.all) / len(self.all)

    def exploration(self, point: Point, epsilon: float) -> float:
        total = math.log(1 + len(self.all))
        terms = [math.sqrt(total / (len(values) + epsilon)) for values in self._of(point)]
        return sum(terms) / len(terms)


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 4), min_size=1, max_size=5),
    seed=st.integers(0, 1000),
    count=st.integers(1, 40),
)
def test_the_model_is_as_defined(sizes: list[int], seed: int, count: int) -> None:
    rng = random.Random(seed)
    model, naive = NTupleModel(sizes), NaiveModel(len(sizes))
    for _ in range(count):
        point = tuple(rng.randrange(size) for size in sizes)
        value = rng.gauss(3, 2)
        model.add(point, value)
        naive.add(point, value)
    points = list(itertools.product(*map(range, sizes)))
    assert model.tuples == len(naive.tuples)
    assert model.means(points) == pytest.approx([naive.mean(point) for point in points])
    explored = [naive.exploration(point, 0.5) for point in points]
    assert model.exploration(points, 0.5) == pytest.approx(explored)
    if count > 1:
        assert model.spread == pytest.approx(float(np.std(naive.all, ddof=1)))
    for axis, size in enumerate(sizes):
        for number, (n, mean, _) in zip(range(size), model.averages(axis), strict=True):
            values = naive.seen.get(((axis,), (number,)), [])
            assert n == len(values)
            assert mean is None if not values else mean == pytest.approx(np.mean(values))


def test_effects_are_the_shares_of_the_variance() -> None:
    # value = 3 a + 1 b + noise: variances 9 * 2/3, 1 * 2/3, and 1; the third axis does nothing
    rng = random.Random(5)
    model = NTupleModel((3, 3, 3))
    for _ in range(4000):
        a, b, c = (rng.randrange(3) for _ in range(3))
        model.add((a, b, c), 3 * a + b + rng.gauss(0, 1))
    total = 6 + 2 / 3 + 1
    assert model.effects() == pytest.approx([6 / total, 2 / 3 / total, 0], abs=0.02)
    first, second, none = model.chances()
    assert max(first, second) < 1e-12
    assert none > 0.05
    assert max(model.interactions().values()) < 0.02


def test_effects_of_noise_are_about_none() -> None:
    # noise alone would explain (3 - 1) / 40 = 5 % of the variance; omega squared takes that off
    rng = random.Random(6)
    effects = []
    wrong = 0
    for _ in range(200):
        model = NTupleModel((3, 3))
        for _ in range(40):
            model.add((rng.randrange(3), rng.randrange(3)), rng.gauss(0, 1))
        effects += model.effects()
        wrong += min(model.chances()) < 0.05
    assert sum(effects) / len(effects) < 0.03
    assert 3 <= wrong <= 19  # 10 expected


def test_two_axes_that_matter_together_only() -> None:
    rng = random.Random(7)
    model = NTupleModel((2, 2, 2))
    for _ in range(2000):
        a, b, c = (rng.randrange(2) for _ in range(3))
        model.add((a, b, c), float(a ^ b) + rng.gauss(0, 0.1))
    assert max(model.effects()) < 0.02
    assert model.interactions()[0, 1] > 0.9
    assert model.interactions()[0, 2] < 0.02


# --- the optimisers -----------------------------------------------------------------------


def test_ntbea_recovers_noisy_one_max() -> None:
    """Ten bits, noise as large as a bit: the optimum in most of 20 searches of 200 evaluations.

    Random search finds it in about 200 / 1024 of them at best.
    """
    points = [search("ntbea", grid(*[2] * 10), one_max, 1.0, 200, seed) for seed in range(20)]
    assert sum(one_max(point) == 10 for point in points) >= 14
    assert min(map(one_max, points)) >= 8


def test_ntbea_on_noisy_nk_landscapes_is_better_than_random_search() -> None:
    values = {}
    for name in ("ntbea", "random"):
        ratios = []
        for seed in range(10):
            function = nk(10, 2, seed)
            best = max(map(function, itertools.product((0, 1), repeat=10)))
            ratios.append(function(search(name, grid(*[2] * 10), function, 0.1, 200, seed)) / best)
        values[name] = sum(ratios) / len(ratios)
    assert values["ntbea"] > 0.88
    assert values["ntbea"] > values["random"] + 0.03


@pytest.mark.parametrize("name", ["ntbea", "random", "grid"])
def test_the_unit_of_the_values_does_not_matter(name: str) -> None:
    def asked(factor: float, shift: float) -> list[Point]:
        optimiser = make_optimiser(name, Search(grid(4, 4, 4), evaluations=40, seed=3))
        rng = random.Random(9)
        points = []
        for _ in range(40):
            points.append(optimiser.ask())
            value = sum(points[-1]) + rng.gauss(0, 1)
            optimiser.tell(points[-1], [factor * value + shift])
        return [*points, *optimiser.recommend(3)]

    assert asked(1.0, 0.0) == asked(64.0, -1024.0)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_asks_for_the_same_points_that_can_be_combined(name: str) -> None:
    needs(name)

    def feasible(point: Point) -> bool:
        return point[0] + point[1] != 4

    def asked(seed: int) -> list[Point]:
        made = Search(grid(4, 4, 3), feasible, evaluations=30, seed=seed)
        optimiser = make_optimiser(name, made)
        points = []
        for number in range(30):
            points.append(optimiser.ask())
            optimiser.tell(points[-1], [float(sum(points[-1]) + number % 3)])
        assert set(optimiser.recommend(5)) <= set(points)
        return points

    first = asked(1)
    assert first == asked(1)
    assert all(map(feasible, first))
    assert len(set(first)) > 5


@pytest.mark.parametrize("name", ["ntbea", "tpe", "nsga2"])
def test_better_than_random_search_without_noise(name: str) -> None:
    needs(name)

    def bowl(point: Point) -> float:
        return -sum((x - 5) ** 2 for x in point)

    def mean(optimiser: str) -> float:
        space = grid(*[8] * 4)
        return sum(bowl(search(optimiser, space, bowl, 0.0, 120, seed)) for seed in range(5)) / 5

    assert mean(name) > mean("random") + 1


@pytest.mark.parametrize("name", ["tpe", "nsga2"])
def test_two_goals(name: str) -> None:
    needs(name)
    optimiser = make_optimiser(name, Search(grid(9, 9), goals=2, evaluations=80, seed=1))
    for _ in range(80):
        x, y = point = optimiser.ask()
        optimiser.tell(point, [-abs(x - 2) - abs(y - 4), -abs(x - 6) - abs(y - 4)])
    on_front = {point for point in optimiser.evaluated if 2 <= point[0] <= 6 and point[1] == 4}
    assert len(on_front) >= 3


def test_a_grid_has_every_combination_of_what_it_can_pay_for() -> None:
    optimiser = make_optimiser("grid", Search(grid(3, 2, 2), evaluations=12))
    points = [optimiser.ask() for _ in range(24)]
    assert set(points[:12]) == set(itertools.product(range(3), range(2), range(2)))
    assert points[12:] == points[:12]
    coarse = make_optimiser("grid", Search(grid(9, 9, 9), evaluations=30))
    points = [coarse.ask() for _ in range(30)]
    assert 18 <= len(set(points)) <= 30
    assert {min(x) for x in zip(*points, strict=True)} == {0}
    assert {max(x) for x in zip(*points, strict=True)} == {8}


def test_a_space_of_one_axis() -> None:
    assert search("ntbea", grid(9), lambda point: -abs(point[0] - 6.0), 0.3, 60, 1) == (6,)


def test_an_unknown_optimiser() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'ntbea'"):
        make_optimiser("ntbae", Search(grid(2)))
