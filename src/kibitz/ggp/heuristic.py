"""A heuristic for positions of any game, learned from random playouts in the start clock.

It uses only the facts and moves of the game. Arguments of a fact that identify it within a state,
such as the coordinates of a cell, are its place; the function and the other arguments are its
*kind*, such as a white rook. Three features are learned:

- Material: the value of a fact to a role is the mean number of the role's legal moves that name
  all of the fact's arguments: these are the moves of that piece.
- Mobility: the number of a role's moves, relative to its mean; the outcomes of playouts show
  whether many moves are good.
- Outcomes: a ridge regression of the goal on the number of facts of each kind, once enough
  playouts had a winner.

J. Clune, "Heuristic evaluation functions for general game playing", AAAI 2007, and G. Kuhlmann, K.
Dresner, P. Stone, "Automatic heuristic construction in a complete general game playing system",
AAAI 2006, have heuristics of the same features.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence

import numpy as np

from kibitz.gdl.terms import Terms

MOBILITY = 0.02
"""Weight of the logarithm of mobility; all material together has the weight 1."""

_MOST_PLACES = 5
"""Facts with more arguments than this get no value."""
_DECISIONS = 8
"""Number of decided playouts from which on the regression on outcomes is used."""
_SHRINKAGE = 20.0
"""Strength of the regularization of the regression on outcomes, in playouts."""

Kind = tuple[int, ...]


class Heuristic:
    """Learns the values of positions to each role.

    Facts and moves are numbers of terms.

    Args:
        terms: the table of terms.
        roles: the number of each role's name as a term.
    """

    def __init__(self, terms: Terms, roles: Sequence[int]) -> None:
        self._terms = terms
        self._roles = list(roles)
        self._keys: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        self._held: dict[int, list[int]] = {}
        self._named: dict[int, list[int]] = {}
        self._moves = [0] * len(roles)
        self._states = [0] * len(roles)
        self._playout: list[tuple[Collection[int], int, int]] = []
        self._ends: list[tuple[dict[Kind, float], list[float]]] = []
        self._mobility_votes = [0, 0]
        self._weights: dict[Kind, list[float]] = {}
        self._of_fact: dict[int, list[float]] = {}
        self._none = [0.0] * len(roles)
        self.mobility_sign = 1.0
        """Whether many moves are good, from -1 (surely bad) to 1 (surely good)."""

    # -- learning ----------------------------------------------------------------------------

    def observe(self, facts: Collection[int], mover: int, moves: Sequence[int]) -> None:
        """Learns from a state in which a role has a choice.

        Args:
            facts: the facts of the state.
            mover: the index of the role.
            moves: the legal moves of the role, as terms.
        """
        self._playout.append((facts, mover, len(moves)))
        self._moves[mover] += len(moves)
        self._states[mover] += 1
        parts = self._terms.parts
        wide = [fact for fact in facts if 2 < len(parts[fact]) <= _MOST_PLACES + 1]
        self._narrow_keys(wide)
        owner = self._roles[mover]
        naming: dict[frozenset[int], int] = {}
        for move in moves:
            names = frozenset(parts[move][1:])
            naming[names] = naming.get(names, 0) + 1
        for fact in wide:
            arguments = set(parts[fact][1:])
            arguments.discard(owner)
            count = sum(occurrences for names, occurrences in naming.items() if arguments <= names)
            held = self._held.setdefault(fact, [0] * len(self._roles))
            held[mover] += 1
            if count:
                named = self._named.setdefault(fact, [0] * len(self._roles))
                named[mover] += count

    def _narrow_keys(self, facts: Sequence[int]) -> None:
        """Drops the sets of arguments that do not identify a fact among those of its function."""
        by_function: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for fact in facts:
            row = self._terms.parts[fact]
            by_function.setdefault((row[0], len(row) - 1), []).append(row[1:])
        for function, rows in by_function.items():
            places = range(function[1])
            keys = self._keys.get(function)
            if keys is None:
                keys = [k for n in places for k in itertools.combinations(places, n)]
            self._keys[function] = [
                key
                for key in keys
                if len({tuple(row[i] for i in key) for row in rows}) == len(rows)
            ]

    def finished(self, goals: Sequence[float]) -> None:
        """Learns from the end of a playout.

        Args:
            goals: the goal of each role, from 0 to 1.
        """
        playout, self._playout = self._playout, []
        late = playout[-max(2, len(playout) // 4) :]
        if len(goals) < 2 or max(goals) == min(goals) or not late:
            return
        mean = sum(goals) / len(goals)
        counts: dict[Kind, float] = {}
        for facts, _, _ in late:
            for fact in facts:
                kind = self._kind(fact)
                if kind is not None:
                    counts[kind] = counts.get(kind, 0.0) + 1 / len(late)
        self._ends.append((counts, [goal - mean for goal in goals]))
        last = {mover: count for _, mover, count in playout}
        best = max(last, key=lambda role: goals[role])
        worst = min(last, key=lambda role: goals[role])
        if last[best] != last[worst]:
            self._mobility_votes[last[best] > last[worst]] += 1

    def abandoned(self) -> None:
        """Forgets the current playout, which has not reached the end of the game."""
        self._playout = []

    def _kind(self, fact: int) -> Kind | None:
        row = self._terms.parts[fact]
        keys = self._keys.get((row[0], len(row) - 1))
        if keys is None:
            return None
        key = keys[0] if keys else range(len(row) - 1)
        return (row[0], *(-1 if i in key else argument for i, argument in enumerate(row[1:])))

    def fit(self) -> None:
        """Computes the weights from all observations so far."""
        roles = range(len(self._roles))
        held: dict[Kind, list[int]] = {}
        named: dict[Kind, list[int]] = {}
        for source, sums in ((self._held, held), (self._named, named)):
            for fact, counts in source.items():
                kind = self._kind(fact)
                if kind is not None:
                    total = sums.setdefault(kind, [0] * len(roles))
                    for role in roles:
                        total[role] += counts[role]
        worth = {
            kind: [named.get(kind, self._none)[role] / max(1, held[kind][role]) for role in roles]
            for kind in held
        }
        states = max(1, sum(self._states))
        everything = sum(
            sum(worth[kind][role] * held[kind][role] for role in roles) / states for kind in worth
        )
        self._weights = {
            kind: [
                (w[role] - (sum(w) - w[role]) / max(1, len(w) - 1)) / max(1e-9, 2 * everything)
                for role in roles
            ]
            for kind, w in worth.items()
        }
        for role, weights in enumerate(self._regressed()):
            for kind, weight in weights.items():
                self._weights.setdefault(kind, [0.0] * len(roles))[role] += weight
        less, more = self._mobility_votes
        self.mobility_sign = (2 + more - less) / (2 + more + less)
        self._of_fact.clear()

    def _regressed(self) -> list[dict[Kind, float]]:
        """For each role, the regression weights of the kinds of facts on its goal."""
        count = len(self._ends)
        if count < _DECISIONS:
            return [{} for _ in self._roles]
        kinds = sorted({kind for counts, _ in self._ends for kind in counts})
        x = np.array([[counts.get(kind, 0.0) for kind in kinds] for counts, _ in self._ends])
        y = np.array([goals for _, goals in self._ends])
        deviation = x.std(axis=0)
        deviation[deviation < 1e-9] = np.inf
        x = (x - x.mean(axis=0)) / deviation
        gram = x.T @ x + (_SHRINKAGE + len(kinds)) * np.eye(len(kinds))
        weights = np.linalg.solve(gram, x.T @ (y - y.mean(axis=0))) / deviation[:, None]
        return [dict(zip(kinds, column.tolist(), strict=True)) for column in weights.T]

    # -- values ------------------------------------------------------------------------------

    def _weight(self, fact: int) -> list[float]:
        weights = self._of_fact.get(fact)
        if weights is None:
            kind = self._kind(fact)
            weights = self._none if kind is None else self._weights.get(kind, self._none)
            self._of_fact[fact] = weights
        return weights

    def material(self, facts: Collection[int], role: int) -> float:
        """The value of the facts of a state to a role, within -0.7 .. 0.7."""
        of_fact, weight = self._of_fact, self._weight
        total = 0.0
        for fact in facts:
            total += (of_fact.get(fact) or weight(fact))[role]
        return 0.7 * math.tanh(total / 0.7)

    def mobility(self, mover: int, moves: int, role: int) -> float:
        """The value to ``role`` of ``mover`` having this number of moves, within -0.1 .. 0.1."""
        usual = self._moves[mover] / max(1, self._states[mover])
        value = MOBILITY * self.mobility_sign * math.log((1 + moves) / (1 + usual))
        return max(-0.1, min(0.1, value if mover == role else -value))
