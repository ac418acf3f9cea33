"""The phases of a search, and their numbers of games."""

from __future__ import annotations

from dataclasses import dataclass

from kibitz.core.errors import ParameterError
from kibitz.core.parameters import whole_number
from kibitz.reports.numbers import percent
from kibitz.studies.tuning.problem import Problem

PHASES = ("search", "race", "simplify", "confirm", "steps")
"""The phases in order; the index of a phase determines its random stream."""
SHARES = {"search": 0.4, "race": 0.2, "simplify": 0.1, "confirm": 0.2, "steps": 0.1}
"""The share of all games for each phase."""


@dataclass(frozen=True)
class Plan:
    """The numbers of games of the phases of a search.

    Attributes:
        evaluations: number of evaluations of the search.
        each: games of an evaluation.
        race: games of the race, all points together.
        simplify: games of putting settings back, all points together.
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
        """The plan for a number of games in all, and of an evaluation.

        Both are by default those of the problem.

        Raises:
            ParameterError: there are too few games.
        """
        unit = problem.unit_games
        total = problem.usual_games if games is None else whole_number("games", games, 1)
        each = _up(problem.usual_each if each is None else whole_number("each", each, 1), unit)
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
        """The maximum number of games of all phases together."""
        confirmed = (1 if _starts_known(problem) else 2) * self.confirm
        return self.search + self.race + self.simplify + confirmed + self.steps

    @property
    def search(self) -> int:
        """The number of games of the search."""
        return self.evaluations * self.each

    def to_json(self) -> dict[str, int]:
        """All fields by name, as JSON types."""
        return dict(vars(self))


def _starts_known(problem: Problem) -> bool:
    """Whether the value of the start is known without a game."""
    return all(goal.known(problem, problem.space.start) is not None for goal in problem.goals)


def _up(games: int, unit: int) -> int:
    """The number of games, rounded up to a multiple of `unit`."""
    return max(1, -(-games // unit)) * unit
