"""Data of judged games as arrays: the ledger of luck and skill, and the values of options."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SEAT, DEAL, DRAWS, OWN, OTHERS, ERROR = range(6)
"""The entries of a ledger, in order."""


@dataclass(frozen=True)
class Judged:
    """The judged games of a sample.

    Attributes:
        steps: as ``kibitz.arena.judging.step_dtype`` has them.
        options: ``OPTION`` records, in the order of the steps.
    """

    steps: Array
    options: Array

    @functools.cached_property
    def game(self) -> Array:
        """The game of each step, counted from 0."""
        number = self.steps["game"]
        return np.cumsum(np.concatenate([[0], (number[1:] != number[:-1]).astype(np.int64)]))

    @functools.cached_property
    def starts(self) -> Array:
        """The first step of each game."""
        return np.searchsorted(self.game, np.arange(self.games))

    @property
    def games(self) -> int:
        """How many there are."""
        return int(self.game[-1]) + 1 if len(self.steps) else 0

    @functools.cached_property
    def before(self) -> Array:
        """Each seat's share of wins at each step before the choice."""
        return np.asarray(self.steps["seats"]["before"].mean(axis=2))

    @functools.cached_property
    def after(self) -> Array:
        """Each seat's share of wins at each step after the choice."""
        return np.asarray(self.steps["seats"]["after"].mean(axis=2))

    @functools.cached_property
    def outcomes(self) -> Array:
        """Each seat's share of the win, by game."""
        return np.asarray(self.before[self.steps["seat"] < 0])

    @functools.cached_property
    def progress(self) -> Array:
        """How much of the game was over at each step, 0 to 1, in actions."""
        action = self.steps["action"]
        length = action[self.steps["seat"] < 0]
        return np.asarray(action / np.maximum(length, 1)[self.game])

    def ledger(self) -> Array:
        """The gains and losses of each seat in each game, by source.

        Along a game the values of the judge go from the fair share to the outcome; each step of
        the way belongs to one source. Before the deal a seat is worth the mean of its values
        after the deal, over all games. What chance changes between a choice and the next step is
        a draw; where chance had no part it is an error of the judge.
        (Of backgammon's analysis; the sources are those of an AIVAT estimate, Burch et al., 2018.)

        Returns:
            An array of games, seats and sources: ``SEAT`` (the seat's mean value after the deal
            less the fair share), ``DEAL``, ``DRAWS``, ``OWN`` (choices of that seat),
            ``OTHERS``, ``ERROR``. The sources add up to the outcome less the fair share.
        """
        games, players = self.outcomes.shape
        found = np.zeros((games, players, 6))
        first = self.before[self.starts]
        found[:, :, SEAT] = first.mean(axis=0) - 1.0 / players
        found[:, :, DEAL] = first - first.mean(axis=0)
        choice = self.after - self.before
        seat = self.steps["seat"]
        own = np.arange(players) == seat[:, None]
        np.add.at(found[:, :, OWN], self.game, np.where(own, choice, 0.0))
        np.add.at(found[:, :, OTHERS], self.game, np.where(own, 0.0, choice))
        on = self.game[1:] == self.game[:-1]
        change = (self.before[1:] - self.after[:-1])[on]
        chance = self.steps["chance"][1:][on] != 0
        for source, of in ((DRAWS, chance), (ERROR, ~chance)):
            np.add.at(found[:, :, source], self.game[1:][on][of], change[of])
        return found

    def gains(self) -> tuple[Array, Array, Array]:
        """The value of the choice at each decision, as the mover sees it.

        The best option is the one that looks best in one half of the rollouts; its value is
        that in the other half. So the errors of the judge add nothing on average.

        Returns:
            The steps with a choice; what the best option gains over the mean one; and what the
            chosen option does. Steps on whose options a search has fewer than two opinions are
            left out.
        """
        steps = self.steps
        ends = np.cumsum(steps["judged"])
        step = np.repeat(np.arange(len(steps)), steps["judged"])
        place = np.arange(len(step)) - (ends - steps["judged"])[step]
        seen = self.options["seen"]
        known = ~np.isnan(seen).any(axis=1) & (steps["options"] > 1)[step]
        drawn = known & (place < steps["drawn"][step])
        count = np.bincount(step, drawn, len(steps))
        has = count > 1
        if not has.any():
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        total = np.array([np.bincount(step[drawn], seen[drawn, h], len(steps)) for h in range(2)])
        mean = total / np.maximum(count, 1)
        best = np.zeros(len(steps))
        for half in range(2):
            order = np.lexsort((-place[drawn], seen[drawn, half], step[drawn]))
            last = np.flatnonzero(np.diff(step[drawn][order], append=-1))
            top = order[last]
            of = step[drawn][top]
            best[of] += 0.5 * (seen[drawn][top, 1 - half] - mean[1 - half][of])
        at = (ends - steps["judged"] + np.maximum(steps["chosen"], 0)).clip(0, len(seen) - 1)
        chosen = seen[at].mean(axis=1) - mean.mean(axis=0)
        which = np.flatnonzero(has)
        return which, best[which], chosen[which]

    def extremes(self, crossed: bool = True) -> tuple[Array, Array, Array]:
        """The gain of the best and of the worst option over the mean one, and the mean, by step.

        All as the mover sees it; zeros where fewer than two options were judged.

        Args:
            crossed: whether the option that is best in one half of the rollouts is valued by the
                other half, so that errors of the judge add nothing on average; else both by all.
        """
        steps, seen = self.steps, self.options["seen"]
        step = np.repeat(np.arange(len(steps)), steps["judged"])
        place = np.arange(len(step)) - (np.cumsum(steps["judged"]) - steps["judged"])[step]
        some = ~np.isnan(seen).any(axis=1) & (steps["options"] > 1)[step]
        some &= place < steps["drawn"][step]
        step, seen = step[some], seen[some]
        if not crossed:
            seen = np.repeat(seen.mean(axis=1), 2).reshape(-1, 2)
        count = np.maximum(1, np.bincount(step, minlength=len(steps)))
        mean = np.array([np.bincount(step, seen[:, h], len(steps)) / count for h in range(2)])
        found = np.zeros((2, len(steps)))
        for half in range(2):
            for row, sign in enumerate((1, -1)):
                order = np.lexsort((sign * seen[:, half], step))
                top = order[np.flatnonzero(np.diff(step[order], append=-1))]
                found[row, step[top]] += 0.5 * (seen[top, 1 - half] - mean[1 - half][step[top]])
        return found[0], found[1], np.asarray(mean.mean(axis=0))
