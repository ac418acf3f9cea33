"""The optimisers by their names."""

from __future__ import annotations

from collections.abc import Callable

from kibitz.core.errors import ParameterError, did_you_mean
from kibitz.core.parameters import text_given
from kibitz.core.plugins import canonical
from kibitz.studies.tuning.ntbea import Ntbea
from kibitz.studies.tuning.optimiser import GridSearch, Optimiser, RandomSearch, Search
from kibitz.studies.tuning.with_optuna import NsgaSearch, TpeSearch


def optimisers() -> dict[str, Callable[[Search], Optimiser]]:
    """The constructor of each optimiser, by its name."""
    classes: tuple[type[Optimiser], ...] = (Ntbea, TpeSearch, NsgaSearch, RandomSearch, GridSearch)
    return {cls.name: cls for cls in classes}


def make_optimiser(name: str, search: Search) -> Optimiser:
    """Makes an optimiser.

    Raises:
        ParameterError: no optimiser has this name.
        MissingExtraError: the optimiser needs a package that is not installed.
    """
    known = optimisers()
    key = canonical(text_given("optimiser", name))
    if key not in known:
        raise ParameterError(did_you_mean(name, known, "optimiser"))
    return known[key](search)
