"""A search for rules that only the prover can evaluate: a few hundred positions for each move.

That is too few for playouts to the end of the game. Instead positions are valued by a heuristic,
which is learned from random playouts during the start clock (``heuristic.py``), and searched by
iterative deepening with alpha-beta pruning. The search is paranoid against several opponents and
averages a few samples where moves are simultaneous or made by chance. It is lazy: the legal moves
of a position are computed only when the search goes on there, and whether the game is over only in
every other iteration, since that takes longest. The best move so far is available at any moment,
and the prover can be stopped in the middle of a query.
"""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kibitz.core.errors import GameDefinitionError
from kibitz.gdl.prover import FactSet
from kibitz.gdl.prover_rules import ProverRules
from kibitz.gdl.rules import RANDOM
from kibitz.ggp.heuristic import Heuristic

DEEPEST = 12
"""Maximum depth of the search, in steps."""

_LONGEST_PLAYOUT = 300
_SAMPLES = 3
"""Number of joint moves sampled where the moves of others are unknown."""
_FADING = 0.98
"""Discount of values per step, so that an earlier win is worth more."""
_DECIDED = 0.82
"""Absolute value beyond which a game is won or lost: heuristic values are smaller."""
_MOST_POSITIONS = 5_000
_FEW = 64
"""With more new moves than this at the root, every other one is chosen by similarity."""
_FIRST_SHARE = 0.25
"""Share of the time for valuing all moves by the facts alone."""


class _TimeUpError(Exception):
    """The time for a decision is over."""


class _AlikeError(Exception):
    """All moves have the same value by the facts of the next positions."""


@dataclass
class _Position:
    """A position, and what the search has computed of it so far.

    Attributes:
        looked: whether `goals` and `legal` have been computed.
        goals: the goal of each role, from 0 to 1, if the game is over.
        legal: the legal moves of each role.
        values: the last value of each move of the only role that has a choice.
        next: the facts after each joint move that was tried.
    """

    facts: FactSet
    looked: bool = False
    goals: list[float] | None = None
    legal: list[list[int]] = field(default_factory=list)
    values: dict[int, float] = field(default_factory=dict)
    next: dict[tuple[int, ...], FactSet] = field(default_factory=dict)

    @property
    def choosing(self) -> list[int]:
        """The roles that have a choice."""
        return [role for role, moves in enumerate(self.legal) if len(moves) > 1]


class Lookahead:
    """Searches positions of one match for one role.

    Args:
        rules: the rules; nothing else may use them at the same time.
        role: the index of the role to choose moves for.
        generator: the source of randomness.

    Attributes:
        best: the best move so far of the current decision.
        value: the value of that move, from 0 to 1.
    """

    def __init__(self, rules: ProverRules, role: int, generator: random.Random) -> None:
        self.rules = rules
        self.role = role
        self.best: int | None = None
        self.value: float | None = None
        self.heuristic = Heuristic(rules.terms, rules.prover.roles)
        self._random = generator
        self._chance = [name == RANDOM for name in rules.description.roles]
        self._positions: dict[FactSet, _Position] = {}
        self._until = math.inf

    # -- learning ----------------------------------------------------------------------------

    def learn(self, facts: FactSet, until: float) -> None:
        """Learns from random playouts until a time on the monotonic clock.

        Raises:
            StoppedError: the thread's stop word was set.
        """
        self._until = until
        try:
            with contextlib.suppress(_TimeUpError, GameDefinitionError):
                while time.monotonic() < until:
                    self.play_out(facts)
        finally:
            self.heuristic.abandoned()
            self.heuristic.fit()

    def play_out(self, facts: FactSet) -> None:
        """Learns from one random playout, broken off after ``_LONGEST_PLAYOUT`` steps."""
        for _ in range(_LONGEST_PLAYOUT):
            if time.monotonic() > self._until:
                raise _TimeUpError
            position = _Position(facts)
            self._look(position)
            if position.goals is not None:
                self.heuristic.finished(position.goals)
                return
            for role in position.choosing:
                terms = [self.rules.move_terms[move] for move in position.legal[role]]
                self.heuristic.observe(facts, role, terms)
            facts = self._after(position, list(map(self._random.choice, position.legal)))
        self.heuristic.abandoned()

    # -- positions ---------------------------------------------------------------------------

    def _position(self, facts: FactSet) -> _Position:
        position = self._positions.get(facts)
        if position is None:
            if len(self._positions) >= _MOST_POSITIONS:
                self._positions.clear()
            position = self._positions[facts] = _Position(facts)
        return position

    def _look(self, position: _Position) -> None:
        """Computes the goals if the game is over, else all legal moves."""
        if position.looked:
            return
        rules, seats = self.rules, self.rules.seats
        if rules.is_over(position.facts):
            goals = [rules.goals_in(position.facts, role) for role in seats]
            position.goals = [values[0] / 100 if len(values) == 1 else 0.5 for values in goals]
        else:
            legal = [rules.legal_in(position.facts, role) for role in seats]
            if not all(legal):  # the rules are wrong: nobody has won
                position.goals = [0.5 for _ in seats]
            position.legal = legal
        position.looked = True

    def _after(self, position: _Position, moves: Sequence[int]) -> FactSet:
        key = tuple(moves)
        after = position.next.get(key)
        if after is None:
            after = position.next[key] = self.rules.outcome(position.facts, moves)[0]
        return after

    # -- the decision ------------------------------------------------------------------------

    def choose(self, facts: FactSet, until: float, deepest: int = DEEPEST) -> int:
        """The best move that can be found until a time on the monotonic clock.

        Raises:
            StoppedError: the thread's stop word was set; the best move so far is in `best`.
        """
        self.best, self.value = None, None
        self._until = until
        root = self._position(facts)
        root.values.clear()
        self._look(root)
        moves = root.legal[self.role]
        self.best = self._random.choice(moves)
        if len(moves) > 1:
            # the prover gives up on positions that are too large
            with contextlib.suppress(_TimeUpError, GameDefinitionError):
                self._deepen(root, deepest)
        return self.best

    def _deepen(self, root: _Position, deepest: int) -> None:
        """Searches with growing depth; leaves are valued by facts alone, then with mobility."""
        start, end = time.monotonic(), self._until
        self._until = start + _FIRST_SHARE * (end - start)
        try:
            self._iterate(root, 1, False)
            tells = True
        except _AlikeError:
            tells = False
        except _TimeUpError:
            tells = True
        finally:
            self._until = end
        self._iterate(root, 1, True)
        for depth in range(2, deepest + 1):
            for full in (False, True):
                if full or tells:
                    self._iterate(root, depth, full)
                    if self.value is not None and abs(2 * self.value - 1) > _DECIDED:
                        return

    def _iterate(self, root: _Position, depth: int, full: bool) -> None:
        """Values the moves of the root in order of their last values and keeps the best."""
        alpha = -1.0
        tried: dict[int, float] = {}
        by_facts = depth == 1 and not full
        try:
            for move in self._ordered(root, tried):
                if by_facts and len(tried) == _FEW:
                    self._compare(tried)
                value = self._of_move(root, move, depth, full, alpha)
                tried[move] = value
                if value > alpha or len(tried) == 1:
                    alpha, self.best, self.value = value, move, (1 + value) / 2
            if by_facts:
                self._compare(tried)
        finally:
            root.values.update(tried)

    def _compare(self, tried: dict[int, float]) -> None:
        """Raises ``_AlikeError`` if all values are equal."""
        if max(tried.values()) - min(tried.values()) < 1e-9:
            tried.clear()
            raise _AlikeError

    def _ordered(self, root: _Position, tried: dict[int, float]) -> Iterator[int]:
        """The moves of the root in the order to try them.

        Moves valued before come first, the best ahead. Of many new moves, every other one is the
        one most similar to the best so far: moves that share an argument often share its merit.
        """
        known, moves = root.values, root.legal[self.role]
        yield from sorted((m for m in moves if m in known), key=lambda m: -known[m])
        untried = [move for move in moves if move not in known]
        self._random.shuffle(untried)
        if len(untried) <= _FEW:
            yield from untried
            return
        parts, terms = self.rules.terms.parts, self.rules.move_terms
        alike: list[int] = []
        reference, best = None, None
        remaining = dict.fromkeys(untried)
        while remaining:
            yield from self._taken(remaining, next(iter(remaining)))
            best = max(tried, key=lambda m: tried[m])
            if best != reference:
                reference, row = best, parts[terms[best]]
                alike = sorted(
                    remaining,
                    key=lambda m: sum(map(int.__eq__, parts[terms[m]], row)),
                )
            while alike and alike[-1] not in remaining:
                alike.pop()
            if alike:
                yield from self._taken(remaining, alike.pop())

    @staticmethod
    def _taken(remaining: dict[int, None], move: int) -> Iterator[int]:
        del remaining[move]
        yield move

    # -- values, from -1 to 1 ----------------------------------------------------------------

    def _of_move(
        self, position: _Position, move: int, depth: int, full: bool, alpha: float
    ) -> float:
        """The value of our move, averaged over samples of simultaneous moves of others."""
        others = [role for role in position.choosing if role != self.role]
        total = 0.0
        samples = _SAMPLES if others else 1
        for _ in range(samples):
            joint = list(map(self._random.choice, position.legal))
            joint[self.role] = move
            after = self._after(position, joint)
            total += self._later(after, depth, full, -1.0 if others else alpha, 1.0)
        return total / samples

    def _value(self, facts: FactSet, depth: int, full: bool, alpha: float, beta: float) -> float:
        """The value of a position to our role, by a search to the given depth."""
        if time.monotonic() > self._until:
            raise _TimeUpError
        position = self._position(facts)
        if depth > 0 or full:
            self._look(position)
        if position.goals is not None:
            return 2 * position.goals[self.role] - 1
        if depth <= 0:
            return self._estimate(position, full)
        choosing = position.choosing
        if len(choosing) != 1 or self._chance[choosing[0]]:
            return self._average(position, depth, full)
        (role,) = choosing
        own = role == self.role
        best = -2.0 if own else 2.0
        for move in self._promising(position, role, own):
            joint = [moves[0] for moves in position.legal]
            joint[role] = move
            value = self._later(self._after(position, joint), depth, full, alpha, beta)
            position.values[move] = value
            if own:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    def _later(self, after: FactSet, depth: int, full: bool, alpha: float, beta: float) -> float:
        """The value of the position after a step, discounted to the time before it."""
        value = self._value(after, depth - 1, full, alpha / _FADING, beta / _FADING)
        return _FADING * value

    def _promising(self, position: _Position, role: int, own: bool) -> list[int]:
        """The moves of a role, ordered by their last values, the best for the role first."""
        known = position.values
        moves = list(position.legal[role])
        self._random.shuffle(moves)
        unknown = -2.0 if own else 2.0
        return sorted(moves, key=lambda move: known.get(move, unknown), reverse=own)

    def _average(self, position: _Position, depth: int, full: bool) -> float:
        """The mean value over sampled joint moves, of our best move where we have a choice."""
        samples = _SAMPLES if position.choosing else 1
        ours = position.legal[self.role]
        if len(ours) > 1:
            return max(self._of_move(position, move, depth, full, -1.0) for move in ours)
        total = 0.0
        for _ in range(samples):
            joint = list(map(self._random.choice, position.legal))
            total += self._later(self._after(position, joint), depth, full, -1.0, 1.0)
        return total / samples

    def _estimate(self, position: _Position, full: bool) -> float:
        """The value of a position by its facts and, if `full`, by mobility."""
        value = self.heuristic.material(position.facts, self.role)
        choosing = position.choosing
        if full and len(choosing) == 1:
            (mover,) = choosing
            value += self.heuristic.mobility(mover, len(position.legal[mover]), self.role)
        return value


__all__ = ["Lookahead"]
