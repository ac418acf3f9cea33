"""All measures of a playtest, each a class.

To add a measure, write its class and put it into ``MEASURES``: the report, the JSON and its
documentation follow. Only finished games are measured, except for how games ended. An experiment
gives the same numbers, times apart, on any number of workers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from kibitz.core.errors import ParameterError
from kibitz.studies.measures.base import Column, Line, Measure
from kibitz.studies.measures.choices import Choices
from kibitz.studies.measures.choosing import Choosing
from kibitz.studies.measures.course import Course
from kibitz.studies.measures.distributions import DecisionsHistogram, ScoresHistogram
from kibitz.studies.measures.endings import EndingRules, Endings, Ties, Together
from kibitz.studies.measures.examples import Examples
from kibitz.studies.measures.heuristics import Heuristics
from kibitz.studies.measures.hidden import Hidden
from kibitz.studies.measures.kingmaking import Kingmaking
from kibitz.studies.measures.lengths import Actions, Decisions, Rounds, Turns
from kibitz.studies.measures.luck import Luck
from kibitz.studies.measures.option_values import OptionValues
from kibitz.studies.measures.options import (
    OptionsByAction,
    OptionsPerAction,
    OptionsPerDecision,
)
from kibitz.studies.measures.performances import Agents, Fairness, Seats
from kibitz.studies.measures.pieces import Pieces
from kibitz.studies.measures.published import OptionRatios, Outcomes, WinChanceRatios
from kibitz.studies.measures.successors import Successors
from kibitz.studies.measures.turns import ActionsPerTurn
from kibitz.studies.measures.waiting import Waiting
from kibitz.studies.sample import RunMetadata, Sample

MEASURES: tuple[type[Measure], ...] = (
    Endings,
    EndingRules,
    Together,
    Seats,
    Agents,
    Fairness,
    Decisions,
    Actions,
    Turns,
    Rounds,
    ActionsPerTurn,
    OptionsPerDecision,
    OptionsPerAction,
    OptionsByAction,
    Successors,
    Pieces,
    Hidden,
    Ties,
    DecisionsHistogram,
    ScoresHistogram,
    Examples,
    Choices,
    Course,
    Waiting,
    Luck,
    Choosing,
    OptionValues,
    Kingmaking,
    Heuristics,
    Outcomes,
    OptionRatios,
    WinChanceRatios,
)
"""All measures, in the order of the report."""


class Measurement:
    """All measures of a run, computed shard by shard.

    Args:
        recorded: the kinds of rows that the run records besides games and seats.
    """

    def __init__(self, metadata: RunMetadata, recorded: Collection[str] = ()) -> None:
        self.metadata = metadata
        self._measures = [measure(metadata) for measure in MEASURES]
        self._recorded = {"", *recorded}

    def add(self, sample: Sample) -> None:
        """Adds the games of a shard."""
        for measure in self._measures:
            if measure.needs in self._recorded:
                measure.add(sample)

    def finish(self) -> dict[str, Any]:
        """The values of all measures, by name.

        Raises:
            ValueError: two measures have values of the same name.
        """
        values: dict[str, Any] = {}
        for measure in self._measures:
            results = measure.finish()
            if taken := sorted(values.keys() & results.keys()):
                raise ValueError(
                    f"{type(measure).__name__}: another measure has {taken[0]!r}, too."
                )
            values |= results
        return values


def what_to_record(names: Collection[str]) -> tuple[str, ...]:
    """The kinds of rows that a run must record, besides games and seats, for these measures.

    Args:
        names: members of the JSON, such as "waiting" or "choices".

    Raises:
        ParameterError: no measure has such a member.
    """
    needs = {name: m.needs for m in MEASURES for name in m.members if name.isidentifier()}
    for name in names:
        if name not in needs:
            known = ", ".join(name for name in needs if needs[name])
            raise ParameterError(
                f"No measure is called {name!r}. Those that need more than games and seats: "
                f"{known}."
            )
    return tuple(sorted({needs[name] for name in names} - {""}))


def columns(sample: Sample) -> Iterator[Column]:
    """The values of each finished game by the measures that need only games and seats.

    Raises:
        ValueError: a column lacks a number for a finished game, or repeats a title.
    """
    shape = (len(sample.finished),)
    titles: set[str] = set()
    for measure in MEASURES:
        if measure.needs:
            continue
        for column in measure.columns(sample):
            place = f"{measure.__name__}: the column {column.title!r}"
            for numbers in (column.values, column.weights):
                if numbers is not None and np.shape(numbers) != shape:
                    raise ValueError(
                        f"{place} is of shape {np.shape(numbers)}: it needs one number for each "
                        f"of {shape[0]} finished games."
                    )
            if column.title in titles:
                raise ValueError(f"{place} has the title of another one.")
            titles.add(column.title)
            yield column


def to_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """The members of the JSON, from the values of all measures."""
    document: dict[str, Any] = {}
    for measure in MEASURES:
        document |= measure.to_json(values)
    return document


def lines(values: Mapping[str, Any]) -> list[Line]:
    """The lines of the report's table of measures."""
    return [line for measure in MEASURES for line in measure.lines(values)]


__all__ = [
    "MEASURES",
    "Column",
    "Line",
    "Measure",
    "Measurement",
    "columns",
    "lines",
    "to_json",
    "what_to_record",
]
