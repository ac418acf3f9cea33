"""Forfeits: an agent that chooses an illegal action, or raises, loses the game that it broke off.

So nobody gains by failing where it would lose, and an agent that always fails is rated, too.
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
"""The endings that are an agent's fault."""
LOSERS, WINNERS = 2, 1
"""Their places."""


@dataclass(frozen=True)
class Failure:
    """The games of a table that an agent broke off.

    Attributes:
        agent: its number.
        games: how many it broke off.
        cause: of the first of them, in words.
        seed: of the first of them; with these agents it reproduces it.
        seated: the numbers of the agents, seat by seat, in the first of them.
    """

    agent: int
    games: int
    cause: str
    seed: int
    seated: tuple[int, ...]

    def plus(self, later: Failure) -> Failure:
        """This one, with the games of a later one."""
        return dataclasses.replace(self, games=self.games + later.games)

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {**dataclasses.asdict(self), "seated": list(self.seated)}


def forfeited(rows: Rows, ones: Sequence[int]) -> Rows:
    """The rows with each game that an agent broke off as won by the other side.

    Args:
        rows: of a match.
        ones: the numbers, in the experiment, of the agents of one side; all others are the other.
    """
    broken = _broken(rows)
    if not broken.any():
        return rows
    results = rows.results.copy()
    failed = results[broken]
    sides = np.isin(failed["seats"]["agent"], ones)
    lost = sides[np.arange(len(failed)), failed["culprit"]]
    failed["seats"]["place"] = np.where(sides == lost[:, None], LOSERS, WINNERS)
    failed["status"] = Status.FINISHED
    results[broken] = failed
    return dataclasses.replace(rows, results=results)


def note_failures(found: dict[int, Failure], rows: Rows, seated: Sequence[int]) -> None:
    """Adds what each agent broke off in some rows to what it broke off before.

    Args:
        found: the failures by the number of the agent, to be added to.
        rows: of a match, as they were played.
        seated: the number in the tournament of each agent of the experiment.
    """
    numbers = np.array(seated)
    raised = dict(rows.exceptions)  # by status what came up first: it is of the first such game
    for game in rows.results[_broken(rows)]:
        lineup = numbers[game["seats"]["agent"]]
        agent = int(lineup[game["culprit"]])
        status = Status(int(game["status"]))
        cause = raised.pop(int(status), "") or in_words(status)
        new = Failure(agent, 1, cause, int(game["seed"]), tuple(map(int, lineup)))
        found[agent] = found[agent].plus(new) if agent in found else new


def _broken(rows: Rows) -> np.ndarray[Any, Any]:
    """Which games an agent broke off."""
    return np.isin(rows.results["status"], FAILURES) & (rows.results["culprit"] >= 0)
