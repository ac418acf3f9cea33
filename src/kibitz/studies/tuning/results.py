"""The results of a search: points with their values, gains, and effects of settings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import kibitz
from kibitz.reports.notebook import Reported
from kibitz.studies.results import FORMAT
from kibitz.studies.tuning.ntuples import NTupleModel
from kibitz.studies.tuning.plan import Plan
from kibitz.studies.tuning.problem import Problem, Statistic
from kibitz.studies.tuning.space import Point, Space
from kibitz.studies.values import pair


@dataclass(frozen=True)
class Candidate:
    """A point with its values and losses.

    Attributes:
        label: name of the point.
        values: one for each goal.
        losses: distance from each goal.
        games: number of games behind the values; 0 if they are known without games.
    """

    point: Point
    label: str
    values: tuple[Statistic, ...]
    losses: tuple[float, ...]
    games: int

    @property
    def loss(self) -> float:
        """The distance from all goals together."""
        return math.hypot(*self.losses)

    def dominates(self, other: Candidate) -> bool:
        """Whether this point is worse in no goal, and better in some."""
        pairs = list(zip(self.losses, other.losses, strict=True))
        return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)

    def to_json(self, space: Space) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "values": space.words(self.point),
            "label": self.label,
            "goals": [
                {"value": value.value, "interval": pair(value.interval)} for value in self.values
            ],
            "losses": list(self.losses),
            "games": self.games,
        }


@dataclass(frozen=True)
class Gain:
    """The gain of the winner over the start in a goal, on fresh deals.

    Attributes:
        start: value of the start.
        tuned: value of the winner.
        difference: winner less start, on the same deals where they can be compared deal by deal.
        is_better: whether the winner is nearer to the goal, by more than chance explains.
        is_worse: whether the winner is farther from the goal, by more than chance explains.
    """

    start: Statistic
    tuned: Statistic
    difference: Statistic
    is_better: bool
    is_worse: bool

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "start": self.start.value,
            "start_interval": pair(self.start.interval),
            "tuned": self.tuned.value,
            "tuned_interval": pair(self.tuned.interval),
            "difference": self.difference.value,
            "difference_interval": pair(self.difference.interval),
            "better": self.is_better,
            "worse": self.is_worse,
        }


@dataclass(frozen=True)
class Step:
    """A point one step away from the winner.

    Attributes:
        axis: number of the axis along which the point lies.
        differences: for each goal, its value less that of the winner, on the same deals.
        loss: distance from all goals together.
        games: number of games of the point.
    """

    point: Point
    axis: int
    differences: tuple[Statistic, ...]
    loss: float
    games: int


class Effect(NamedTuple):
    """How much a setting mattered in a search.

    Attributes:
        name: name of the setting.
        share: share of the variance in the search that it explains (omega squared).
        p_value: probability of such differences by chance alone, corrected for all settings.
    """

    name: str
    share: float
    p_value: float


@dataclass(frozen=True)
class Tuning(Reported):
    """The results of a search.

    Attributes:
        problem: the problem that was tuned.
        optimiser: name of the optimiser.
        plan: the planned numbers of games.
        played: number of games, including those that were read from a ledger.
        model: n-tuple model of all evaluations, also if another optimiser searched.
        evaluated: number of distinct points that were evaluated.
        start: the start with its values; ``None`` if it was not played.
        winner: the point that won the race; after an interrupt the one that looks best so far.
        finalists: the points of the race, the best one first.
        front: the finalists that no other one dominates, if there are several goals.
        gains: one for each goal; ``None`` unless the winner was confirmed and is not the start.
        steps: the points one step away from the winner.
        interrupted: whether the search was stopped before its end.
        decided: whether there was any decision in its games; if not, it ended with the search.
    """

    problem: Problem
    optimiser: str
    seed: int
    plan: Plan
    played: int
    model: NTupleModel
    evaluated: int
    start: Candidate | None
    winner: Candidate | None
    finalists: tuple[Candidate, ...] = ()
    front: tuple[Candidate, ...] = ()
    gains: tuple[Gain, ...] | None = None
    steps: tuple[Step, ...] = ()
    interrupted: bool = False
    decided: bool = True
    version: str = field(default_factory=lambda: kibitz.__version__)

    @property
    def improved(self) -> bool:
        """Whether the winner is better than the start in some goal by more than chance."""
        return self.gains is not None and any(gain.is_better for gain in self.gains)

    @property
    def effects(self) -> list[Effect]:
        """The effect of each axis, the largest share first."""
        names = [axis.name for axis in self.problem.space.axes]
        columns = zip(names, self.model.effects(), self.model.chances(), strict=True)
        return sorted((Effect(*column) for column in columns), key=lambda effect: -effect.share)

    @property
    def interactions(self) -> list[tuple[str, str, float]]:
        """The pairs of axes with the share they explain beyond each alone, largest first."""
        axes = self.problem.space.axes
        shares = [
            (axes[a].name, axes[b].name, s) for (a, b), s in self.model.interactions().items()
        ]
        return sorted(shares, key=lambda item: -item[2])

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        space = self.problem.space
        return {
            "format": FORMAT,
            "kibitz": self.version,
            **self.problem.to_json(),
            "title": self.problem.title,
            "optimiser": self.optimiser,
            "seed": self.seed,
            "plan": self.plan.to_json(),
            "games": self.played,
            "evaluated": self.evaluated,
            "refused": self.problem.refused,
            "interrupted": self.interrupted,
            "improved": self.improved,
            "decided": self.decided,
            "start": None if self.start is None else self.start.to_json(space),
            "winner": None if self.winner is None else self.winner.to_json(space),
            "use": None if self.winner is None else self.problem.use(self.winner.point),
            "goals": [goal.to_json() for goal in self.problem.goals],
            "gains": None if self.gains is None else [gain.to_json() for gain in self.gains],
            "finalists": [item.to_json(space) for item in self.finalists],
            "front": [item.to_json(space) for item in self.front],
            "matters": [item._asdict() for item in self.effects],
            "interactions": [
                {"names": [a, b], "share": share} for a, b, share in self.interactions if share
            ],
            "axes": [
                {
                    "name": axis.name,
                    "values": [
                        {"value": word, "evaluations": count, "mean": mean, "error": error}
                        for word, (count, mean, error) in zip(
                            axis.words, self.model.averages(number), strict=True
                        )
                    ],
                }
                for number, axis in enumerate(space.axes)
            ],
            "steps": [
                {
                    "name": space.axes[step.axis].name,
                    "value": space.axes[step.axis].words[step.point[step.axis]],
                    "games": step.games,
                    "differences": [
                        {"difference": item.value, "interval": pair(item.interval)}
                        for item in step.differences
                    ],
                }
                for step in self.steps
            ],
        }


def front_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that no other one dominates, in order."""
    return [
        candidate
        for candidate in candidates
        if not any(other.dominates(candidate) for other in candidates)
    ]
