"""The standing of all seats over the course of games, as curves."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kibitz.studies.sample import Array, Sample

BY_SCORE = "score"
BY_HEURISTIC = "heuristic"


@dataclass(frozen=True)
class Curves:
    """The curves of all finished games of a sample.

    Attributes:
        by: what the values are: scores, or the game's heuristic.
        starts: where each game's moments begin, and where those of the last one end. A game has a
            moment before each of its actions and one at its end.
        values: for each moment and seat; the highest is best.
        won: for each game and seat its share of the win.
    """

    by: str
    starts: Array
    values: Array
    won: Array

    @functools.cached_property
    def game(self) -> Array:
        """The game of each moment."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @functools.cached_property
    def ends(self) -> Array:
        """The last moment of each game."""
        return np.asarray(self.starts[1:] - 1)

    @functools.cached_property
    def middles(self) -> Array:
        """The moment of each game at which half of its actions were played."""
        return np.asarray((self.starts[:-1] + self.ends) // 2)

    @functools.cached_property
    def lengths(self) -> Array:
        """How many actions each game has."""
        return np.asarray(self.ends - self.starts[:-1])

    @functools.cached_property
    def leaders(self) -> Array:
        """The leader at each moment: a seat, or -1 where the lead is shared."""
        best = self.values.max(axis=1)
        alone = (self.values == best[:, None]).sum(axis=1) == 1
        return np.where(alone, self.values.argmax(axis=1), -1)

    @functools.cached_property
    def winners(self) -> Array:
        """The sole winner of each game, or -1."""
        alone = (self.won > 0).sum(axis=1) == 1
        return np.where(alone, self.won.argmax(axis=1), -1)

    def per_game(self, values: Array) -> Array:
        """The sum of a value of each moment, for each game."""
        return np.bincount(self.game, values, len(self.starts) - 1)

    @property
    def tells(self) -> Array:
        """Whether anybody leads before the end, by game."""
        leads = self.leaders >= 0
        leads[self.ends] = False
        return self.per_game(leads) > 0


def curves_of(sample: Sample) -> Iterator[Curves]:
    """The curves of a sample, whose decisions were recorded, by score and by heuristic."""
    if sample.metadata.players < 2:
        return
    traces = sample.traces
    games = sample.finished
    sign = -1.0 if sample.metadata.table.rules.lowest_score_wins else 1.0
    starts = traces.starts + np.arange(len(games) + 1)
    ends = traces.starts[1:]  # behind the last action of each game
    finals = {
        BY_SCORE: sign * games["seats"]["score"],
        BY_HEURISTIC: games["seats"]["returns"],
    }
    courses = {BY_SCORE: traces.scores, BY_HEURISTIC: traces.heuristics}
    for by, values in courses.items():
        final = finals[by].reshape(sample.places.shape)
        yield Curves(by, starts, np.insert(values, ends, final, axis=0), sample.wins)
