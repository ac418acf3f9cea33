"""Forfeits: an agent that chooses an illegal action, or raises, loses the game that it broke off.

So an agent gains nothing by failing in a lost game, and an agent that always fails can be rated.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.status import Status, in_words
from kibitz.runs import Rows

FAILURES = (Status.ILLEGAL_ACTION, Status.AGENT_ERROR)
"""The statuses of games that an agent broke off."""

LOSERS, WINNERS = 2, 1
"""The places of the two sides in a forfeited game."""


@dataclass(frozen=True)
class Failure:
    """The games of a table that an agent broke off.

    Attributes:
        agent: number of the agent in the tournament.
        games: number of games that it broke off.
        cause: cause of the first failure, in words.
        seed: seed of the first such game, which reproduces it together with its agents.
        seated: numbers of the agents in that game, seat by seat.
    """

    agent: int
    games: int
    cause: str
    seed: int
    seated: tuple[int, ...]

    def plus(self, later: Failure) -> Failure:
        """This failure with the games of a later one of the same agent added."""
        return dataclasses.replace(self, games=self.games + later.games)

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {**dataclasses.asdict(self), "seated": list(self.seated)}


def forfeited(rows: Rows, first_side: Sequence[int]) -> Rows:
    """The rows of a match, with each game that an agent broke off as a win of the other side.

    Args:
        first_side: numbers in the experiment of the agents of one side; all others are the other.
    """
    broken = _broken(rows)
    if not broken.any():
        return rows
    results = rows.results.copy()
    failed = results[broken]
    sides = np.isin(failed["seats"]["agent"], first_side)
    lost = sides[np.arange(len(failed)), failed["culprit"]]
    failed["seats"]["place"] = np.where(sides == lost[:, None], LOSERS, WINNERS)
    failed["status"] = Status.FINISHED
    results[broken] = failed
    return dataclasses.replace(rows, results=results)


def note_failures(failures: dict[int, Failure], rows: Rows, seated: Sequence[int]) -> None:
    """Counts the games of a match that agents broke off, and keeps the cause of the first.

    Args:
        failures: failures by the number of the agent; it is updated.
        rows: the rows of a match before ``forfeited``.
        seated: number in the tournament of each agent of the experiment.
    """
    numbers = np.array(seated)
    raised = dict(rows.exceptions)  # the first exception by status, raised in the first such game
    for game in rows.results[_broken(rows)]:
        lineup = numbers[game["seats"]["agent"]]
        agent = int(lineup[game["culprit"]])
        status = Status(int(game["status"]))
        cause = raised.pop(int(status), "") or in_words(status)
        new = Failure(agent, 1, cause, int(game["seed"]), tuple(map(int, lineup)))
        failures[agent] = failures[agent].plus(new) if agent in failures else new


def _broken(rows: Rows) -> np.ndarray[Any, Any]:
    """A mask of the games that an agent broke off."""
    return np.isin(rows.results["status"], FAILURES) & (rows.results["culprit"] >= 0)
