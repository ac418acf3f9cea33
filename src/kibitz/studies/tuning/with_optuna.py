"""The optimisers of Optuna: Parzen estimators, and evolution towards several goals.

They need the extra ``kibitz[tuning]``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import MissingExtraError
from kibitz.studies.tuning.optimiser import Optimiser, Search
from kibitz.studies.tuning.space import Point

if TYPE_CHECKING:
    import optuna

MOST_FAILED = 200
"""Number of infeasible suggestions in a row after which a point is drawn at random."""


class _OptunaSearch(Optimiser):
    """An optimiser that asks a study of Optuna in memory, and tells it the values."""

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        if find_spec("optuna") is None:
            raise MissingExtraError(f"Searches by {self.name}", "tuning")
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._failed = optuna.trial.TrialState.FAIL
        with warnings.catch_warnings():
            # some settings of samplers are experimental, of which it warns each time
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study = optuna.create_study(
                directions=["maximize"] * search.goals, sampler=self._sampler()
            )
        axes = zip(self.space.axes, self.space.sizes, strict=True)
        self._distributions: dict[str, Any] = {
            axis.name: optuna.distributions.IntDistribution(0, size - 1)
            if axis.is_ordered
            else optuna.distributions.CategoricalDistribution(tuple(range(size)))
            for axis, size in axes
        }
        self._trials: dict[Point, list[optuna.trial.Trial]] = {}
        start = zip(self.space.axes, self.space.start, strict=True)
        self._study.enqueue_trial({axis.name: number for axis, number in start})

    def _sampler(self) -> Any:
        raise NotImplementedError

    def ask(self) -> Point:
        """The next point that the sampler suggests."""
        for _ in range(MOST_FAILED):
            trial = self._study.ask(self._distributions)
            point = tuple(int(trial.params[axis.name]) for axis in self.space.axes)
            if self.search.feasible(point):
                self._trials.setdefault(point, []).append(trial)
                return point
            self._study.tell(trial, state=self._failed)
        return self.space.draw(self.random, self.search.feasible)

    def tell(self, point: Point, values: Sequence[float]) -> None:
        """Adds an evaluation; the sampler is told only of points that it suggested."""
        super().tell(point, values)
        if trials := self._trials.get(point):
            self._study.tell(trials.pop(0), list(values))


class TpeSearch(_OptunaSearch):
    """Tree-structured Parzen estimators; with several goals their multi-objective form."""

    name = "tpe"
    title = (
        "tree-structured Parzen estimators (Bergstra et al., 2011; Ozaki et al., 2022), by Optuna"
    )

    def _sampler(self) -> Any:
        import optuna

        # by all axes together, since they interact
        return optuna.samplers.TPESampler(seed=self.search.seed % 2**32, multivariate=True)


class NsgaSearch(_OptunaSearch):
    """The genetic algorithm NSGA-II."""

    name = "nsga2"
    title = "the genetic algorithm NSGA-II (Deb et al., 2002), by Optuna"

    def _sampler(self) -> Any:
        import optuna

        size = max(10, min(50, self.search.evaluations // 10))
        return optuna.samplers.NSGAIISampler(seed=self.search.seed % 2**32, population_size=size)
