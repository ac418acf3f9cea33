"""Judged games as arrays: the ledger of luck and skill, and the values of options."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SEAT, DEAL, DRAWS, OWN, OTHERS, ERROR = range(6)
"""Indices of the sources in a ledger."""


@dataclass(frozen=True)
class Judged:
    """The judged games of a sample.

    Attributes:
        steps: records of ``kibitz.arena.judging.step_dtype``.
        options: records of the dtype ``OPTION``, in the order of the steps.
        fair_share: share of the win of each player if all are equally good.
    """

    steps: Array
    options: Array
    fair_share: float

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
        """The number of judged games."""
        return int(self.game[-1]) + 1 if len(self.steps) else 0

    @functools.cached_property
    def option_steps(self) -> tuple[Array, Array]:
        """The step of each option, and its place among the options of the step."""
        judged = self.steps["judged"]
        step = np.repeat(np.arange(len(judged)), judged)
        return step, np.arange(len(step)) - (np.cumsum(judged) - judged)[step]

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
        """The share of the win of each seat's side, by game."""
        return np.asarray(self.before[self.steps["seat"] < 0])

    @functools.cached_property
    def progress(self) -> Array:
        """The share of the game's actions that precede each step, 0 to 1."""
        action = self.steps["action"]
        length = action[self.steps["seat"] < 0]
        return np.asarray(action / np.maximum(length, 1)[self.game])

    def ledger(self) -> Array:
        """The gains and losses of each seat in each game, by source.

        During a game the judge's values move from the fair share to the outcome, and each change
        belongs to one source. Before the deal a seat is worth the mean of its values after the
        deal, over all games. A change between a choice and the next step is a draw if chance had
        a part in it; otherwise it is an error of the judge. The method is that of backgammon
        analysis; the sources are those of an AIVAT estimate (Burch et al., 2018).

        Returns:
            An array of games, seats and sources: ``SEAT`` (the seat's mean value after the deal
            less the fair share), ``DEAL``, ``DRAWS``, ``OWN`` (choices of that seat),
            ``OTHERS``, ``ERROR``. The sources add up to the outcome less the fair share.
        """
        games, players = self.outcomes.shape
        ledger = np.zeros((games, players, 6))
        first = self.before[self.starts]
        ledger[:, :, SEAT] = first.mean(axis=0) - self.fair_share
        ledger[:, :, DEAL] = first - first.mean(axis=0)
        choice = self.after - self.before
        seat = self.steps["seat"]
        own = np.arange(players) == seat[:, None]
        np.add.at(ledger[:, :, OWN], self.game, np.where(own, choice, 0.0))
        np.add.at(ledger[:, :, OTHERS], self.game, np.where(own, 0.0, choice))
        on = self.game[1:] == self.game[:-1]
        change = (self.before[1:] - self.after[:-1])[on]
        chance = self.steps["chance"][1:][on] != 0
        for source, of in ((DRAWS, chance), (ERROR, ~chance)):
            np.add.at(ledger[:, :, source], self.game[1:][on][of], change[of])
        return ledger

    def gains(self) -> tuple[Array, Array, Array]:
        """The gains of the best and the chosen option at each decision, for the deciding seat.

        The best option is the one that looks best in one half of the rollouts; its value is
        that in the other half. So the errors of the judge add nothing on average.

        Returns:
            The steps with a choice and at least two judged options, the gain of the best option
            over the mean of the options, and the gain of the chosen option over it.
        """
        steps = self.steps
        ends = np.cumsum(steps["judged"])
        step, place = self.option_steps
        values = self.options["seen"]
        known = ~np.isnan(values).any(axis=1) & (steps["options"] > 1)[step]
        drawn = known & (place < steps["drawn"][step])
        count = np.bincount(step, drawn, len(steps))
        has = count > 1
        if not has.any():
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        total = np.array(
            [np.bincount(step[drawn], values[drawn, h], len(steps)) for h in range(2)]
        )
        mean = total / np.maximum(count, 1)
        best = np.zeros(len(steps))
        for half in range(2):
            order = np.lexsort((-place[drawn], values[drawn, half], step[drawn]))
            last = np.flatnonzero(np.diff(step[drawn][order], append=-1))
            top = order[last]
            of = step[drawn][top]
            best[of] += 0.5 * (values[drawn][top, 1 - half] - mean[1 - half][of])
        at = (ends - steps["judged"] + np.maximum(steps["chosen"], 0)).clip(0, len(values) - 1)
        chosen = values[at].mean(axis=1) - mean.mean(axis=0)
        decisions = np.flatnonzero(has)
        return decisions, best[decisions], chosen[decisions]

    def extremes(self, crossed: bool = True) -> tuple[Array, Array, Array]:
        """The gains of the best and the worst option over the mean, and the mean, by step.

        All values are those of the deciding seat. The gains are 0 where fewer than two options
        were judged.

        Args:
            crossed: whether the option that is best, or worst, in one half of the rollouts is
                valued by the other half, so that errors of the judge add nothing on average;
                otherwise all rollouts are used for both.
        """
        steps, values = self.steps, self.options["seen"]
        step, place = self.option_steps
        known = ~np.isnan(values).any(axis=1) & (steps["options"] > 1)[step]
        known &= place < steps["drawn"][step]
        step, values = step[known], values[known]
        if not crossed:
            values = np.repeat(values.mean(axis=1), 2).reshape(-1, 2)
        count = np.maximum(1, np.bincount(step, minlength=len(steps)))
        mean = np.array([np.bincount(step, values[:, h], len(steps)) / count for h in range(2)])
        extremes = np.zeros((2, len(steps)))
        for half in range(2):
            for row, sign in enumerate((1, -1)):
                order = np.lexsort((sign * values[:, half], step))
                top = order[np.flatnonzero(np.diff(step[order], append=-1))]
                extremes[row, step[top]] += 0.5 * (
                    values[top, 1 - half] - mean[1 - half][step[top]]
                )
        return extremes[0], extremes[1], np.asarray(mean.mean(axis=0))
