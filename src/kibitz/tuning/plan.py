"""The phases of a search, and how many games each has."""

from __future__ import annotations

from dataclasses import dataclass

from kibitz.core.errors import ParameterError
from kibitz.reports.numbers import percent
from kibitz.tuning.problem import Problem

PHASES = ("search", "race", "simplify", "confirm", "steps")
SHARES = {"search": 0.4, "race": 0.2, "simplify": 0.1, "confirm": 0.2, "steps": 0.1}
"""What share of all games each part has."""


@dataclass(frozen=True)
class Plan:
    """How many games each part has.

    Attributes:
        evaluations: of the search.
        each: games of an evaluation.
        race: games of the race, all points together.
        simplify: games of putting settings back, likewise.
        confirm: games of the confirmation of each point.
        steps: games of all steps together.
    """

    evaluations: int
    each: int
    race: int
    simplify: int
    confirm: int
    steps: int

    @classmethod
    def of(cls, problem: Problem, games: int | None, each: int | None) -> Plan:
        """The plan for so many games in all; by default as many as the problem says.

        Raises:
            ParameterError: these are too few.
        """
        unit = problem.unit_games
        total = problem.usual_games if games is None else games
        each = _up(problem.usual_each if each is None else each, unit)
        evaluations = int(SHARES["search"] * total) // each
        if evaluations < 2:
            raise ParameterError(
                f"{total} games are too few: {percent(SHARES['search'])} of them are for the "
                f"search, in evaluations of {each}."
            )
        confirm = int(SHARES["confirm"] * total) // (1 if _starts_known(problem) else 2)
        return cls(
            evaluations,
            each,
            int(SHARES["race"] * total),
            int(SHARES["simplify"] * total),
            max(unit, confirm // unit * unit),
            int(SHARES["steps"] * total),
        )

    def total(self, problem: Problem) -> int:
        """How many games there are at most, all parts together."""
        confirmed = (1 if _starts_known(problem) else 2) * self.confirm
        return self.search + self.race + self.simplify + confirmed + self.steps

    @property
    def search(self) -> int:
        """Games of the search."""
        return self.evaluations * self.each

    def to_json(self) -> dict[str, int]:
        """All fields by name, as JSON types."""
        return dict(vars(self))


def _starts_known(problem: Problem) -> bool:
    """Whether no game is needed to know how good the start is."""
    return all(goal.known(problem, problem.space.start) is not None for goal in problem.goals)


def _up(games: int, unit: int) -> int:
    """Rounded up to whole rotations."""
    return max(1, -(-games // unit)) * unit
