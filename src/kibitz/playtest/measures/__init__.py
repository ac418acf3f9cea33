"""What a playtest measures: one class for each thing, listed here.

A measure is added by writing its class and putting it into the list; the report, the JSON and
its documentation follow. Everything except how games ended is measured over finished games
only. The same experiment gives the same numbers, times apart, on any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kibitz.playtest.measures.base import Column, Line, Measure
from kibitz.playtest.measures.distributions import DecisionsHistogram, ScoresHistogram
from kibitz.playtest.measures.endings import Endings, Ties, Together
from kibitz.playtest.measures.examples import Examples
from kibitz.playtest.measures.hidden import Hidden
from kibitz.playtest.measures.lengths import Actions, Decisions, Rounds, Turns
from kibitz.playtest.measures.options import (
    OptionsByAction,
    OptionsPerAction,
    OptionsPerDecision,
)
from kibitz.playtest.measures.performances import Agents, Fairness, Seats
from kibitz.playtest.measures.pieces import Pieces
from kibitz.playtest.measures.successors import Successors
from kibitz.playtest.measures.turns import ActionsPerTurn
from kibitz.playtest.sample import Sample, Setting

MEASURES: tuple[type[Measure], ...] = (
    Endings,
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
)
"""In the order of the report."""


class Measurement:
    """All measures of a run, as far as it was played."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._measures = [measure(setting) for measure in MEASURES]

    def add(self, sample: Sample) -> None:
        """Adds the games of a shard."""
        for measure in self._measures:
            measure.add(sample)

    def merge(self, other: Measurement) -> None:
        """Adds the games that another one of the same setting was given."""
        for mine, theirs in zip(self._measures, other._measures, strict=True):
            mine.merge(theirs)

    def finish(self) -> dict[str, Any]:
        """The values of all measures, by name."""
        values: dict[str, Any] = {}
        for measure in self._measures:
            values |= measure.finish()
        return values


def columns(sample: Sample) -> Iterator[Column]:
    """What each finished game says, by measure."""
    for measure in MEASURES:
        yield from measure.columns(sample)


def to_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """The members of the JSON, from the values of all measures."""
    document: dict[str, Any] = {}
    for measure in MEASURES:
        document |= measure.to_json(values)
    return document


def lines(values: Mapping[str, Any]) -> list[Line]:
    """The lines of the report's table of measures."""
    return [line for measure in MEASURES for line in measure.lines(values)]


__all__ = ["MEASURES", "Column", "Line", "Measure", "Measurement", "columns", "lines", "to_json"]
