"""A search for rules that only the prover can evaluate: a few hundred positions for each move.

At such a speed playouts to the end of the game say nothing. Instead positions are valued by a
heuristic, which random playouts teach during the start clock (``heuristic.py``), and searched by
iterative deepening with alpha-beta pruning: paranoid where there are several opponents, with
averages of a few samples where moves are made at once or by chance. Nothing is worked out before
it is needed: the legal moves of a position only when the search goes on there, and whether the
game is over only in every other iteration, since that takes longest. The best move so far is there
at any moment: the prover can be stopped in the middle of a question.
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
"""Steps that are looked ahead at most."""

_LONGEST_PLAYOUT = 300
_SAMPLES = 3
"""Joint moves of others that are sampled where they are not known."""
_FADING = 0.98
"""What is won later counts less, by this factor a step."""
_DECIDED = 0.82
"""Beyond this value a game is won or lost: no heuristic says so much."""
_MOST_POSITIONS = 5_000
_FEW = 64
"""With more moves than these at the root the next one to try is in part chosen by likeness."""
_FIRST_SHARE = 0.25
"""The part of the time for valuing all moves by the facts alone."""


class _TimeUpError(Exception):
    """The time for a decision is over."""


class _AlikeError(Exception):
    """The facts of the next positions do not tell moves apart."""


@dataclass
class _Position:
    """A position, and what is known of it so far.

    Attributes:
        facts: what is true.
        looked: whether it is known if the game is over.
        goals: at the end of the game, from 0 to 1.
        legal: the legal moves of each role.
        values: the last value of each move of the one role that has a choice.
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
        rules: the rules; nobody else must use them at the same time.
        role: whose moves are sought.
        generator: of what is drawn.

    Attributes:
        best: the best move so far of the decision that is being made.
        value: 0 .. 1: how good it seems to be.
        heuristic: what was learned.
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
            StoppedError: the stop word of the thread was set.
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
        """Learns from one random playout."""
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
        found = self._positions.get(facts)
        if found is None:
            if len(self._positions) >= _MOST_POSITIONS:
                self._positions.clear()
            found = self._positions[facts] = _Position(facts)
        return found

    def _look(self, position: _Position) -> None:
        """Works out whether the game is over; if not, all legal moves."""
        if position.looked:
            return
        rules, seats = self.rules, self.rules.seats
        if rules.is_over(position.facts):
            found = [rules.goals_in(position.facts, role) for role in seats]
            position.goals = [values[0] / 100 if len(values) == 1 else 0.5 for values in found]
        else:
            legal = [rules.legal_in(position.facts, role) for role in seats]
            if not all(legal):  # the rules are at fault: nobody has won
                position.goals = [0.5 for _ in seats]
            position.legal = legal
        position.looked = True

    def _after(self, position: _Position, moves: Sequence[int]) -> FactSet:
        key = tuple(moves)
        found = position.next.get(key)
        if found is None:
            found = position.next[key] = self.rules.outcome(position.facts, moves)[0]
        return found

    # -- the decision ------------------------------------------------------------------------

    def choose(self, facts: FactSet, until: float, deepest: int = DEEPEST) -> int:
        """The best move that can be found until a time on the monotonic clock.

        Raises:
            StoppedError: the stop word of the thread was set; the best move so far is in `best`.
        """
        self.best, self.value = None, None
        self._until = until
        root = self._position(facts)
        root.values.clear()
        self._look(root)
        moves = root.legal[self.role]
        self.best = self._random.choice(moves)
        if len(moves) > 1:
            # a position may be too much for the prover
            with contextlib.suppress(_TimeUpError, GameDefinitionError):
                self._deepen(root, deepest)
        return self.best

    def _deepen(self, root: _Position, deepest: int) -> None:
        """Searches deeper and deeper, with positions valued by their facts first, then by all."""
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
        """Values the moves of the root, best first; the best one so far is the choice."""
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
        """Checks that values differ."""
        if max(tried.values()) - min(tried.values()) < 1e-9:
            tried.clear()
            raise _AlikeError

    def _ordered(self, root: _Position, tried: dict[int, float]) -> Iterator[int]:
        """The moves of the root in the order to try them.

        Those valued before come first, by value. Of many new moves every other one is the most
        like the best so far: moves of several parts are often good for the sake of one.
        """
        known, moves = root.values, root.legal[self.role]
        yield from sorted((m for m in moves if m in known), key=lambda m: -known[m])
        left = [move for move in moves if move not in known]
        self._random.shuffle(left)
        if len(left) <= _FEW:
            yield from left
            return
        parts, terms = self.rules.terms.parts, self.rules.move_terms
        alike: list[int] = []
        like, best = None, None
        remaining = dict.fromkeys(left)
        while remaining:
            yield from self._taken(remaining, next(iter(remaining)))
            best = max(tried, key=lambda m: tried[m])
            if best != like:
                like, row = best, parts[terms[best]]
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
        """The value of a move of our own, on average where others move at the same time."""
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
        """The value of a position to our role, by a search to a depth."""
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
        """The value of what comes after a step, at the time of the step."""
        value = self._value(after, depth - 1, full, alpha / _FADING, beta / _FADING)
        return _FADING * value

    def _promising(self, position: _Position, role: int, own: bool) -> list[int]:
        """The moves of a role, the best so far first."""
        known = position.values
        moves = list(position.legal[role])
        self._random.shuffle(moves)
        unknown = -2.0 if own else 2.0
        return sorted(moves, key=lambda move: known.get(move, unknown), reverse=own)

    def _average(self, position: _Position, depth: int, full: bool) -> float:
        """The average over a few joint moves; over the best of ours where we choose, too."""
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
