"""Samples of histories in GDL-II for rules without a network.

``histories`` samples on the network, in native code. This module uses the prover instead, in
Python. The method is the same, with smaller budgets, since a step takes much longer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kibitz.core.randomness import Stream, random_below
from kibitz.gdl.histories import luby
from kibitz.gdl.prover import FactSet, Prover

WHOLE_TRIES = 40
"""The whole random games that are played before the search begins."""
SEARCHED = 1_000
"""The joint moves that searches may try before an inconsistent game is accepted."""
PATIENCE = 24
"""The joint moves without progress after which a search restarts, times Luby's sequence."""
LAST_TRIES = 8
"""The random joint moves that are tried at a step before an inconsistent one is accepted."""
MOST_JOINT = 4_096
"""The most joint moves of a step that are enumerated; if there are more they are drawn."""


@dataclass
class Played:
    """A sampled history.

    Attributes:
        facts: the facts before each step, and last those of the current state.
        moves: the number of each role's move in each step.
        percepts: the number of each role's percepts in each step.
    """

    facts: list[FactSet]
    moves: list[Sequence[int]] = field(default_factory=list)
    percepts: list[Sequence[int]] = field(default_factory=list)

    def add(self, moves: Sequence[int], after: FactSet, percepts: Sequence[int]) -> None:
        """Adds a step: its moves, the facts after it, and the number of each role's percepts."""
        self.facts.append(after)
        self.moves.append(moves)
        self.percepts.append(percepts)

    def back(self) -> None:
        """Removes the last step."""
        self.facts.pop()
        self.moves.pop()
        self.percepts.pop()


class StepRules(Protocol):
    """The rules by which a sampler plays steps; roles and their moves are numbers."""

    prover: Prover
    seats: range

    def is_over(self, true: FactSet, /) -> bool:
        """Whether the game is over, given the facts."""
        ...

    def legal_in(self, true: FactSet, role: int, /) -> list[int]:
        """The legal moves of a role, given the facts."""
        ...

    def outcome(self, true: FactSet, moves: Sequence[int], /) -> tuple[FactSet, list[int]]:
        """Returns the facts after a step, and the number of each role's percepts."""
        ...


class Sampler:
    """Samples a history consistent with the memory of one player.

    Args:
        memory: for each step the number of the player's move, and of their percepts.
        fits_now: whether facts agree with the true state on whether and how the game ended.
    """

    def __init__(
        self,
        rules: StepRules,
        player: int,
        memory: Sequence[tuple[int, int]],
        rng: Stream,
        fits_now: Callable[[FactSet], bool],
    ) -> None:
        self.rules = rules
        self.player = player
        self.memory = memory
        self.rng = rng
        self.fits_now = fits_now
        self.left = SEARCHED

    def draw(self) -> Played:
        """A consistent history or, if none is found, one that is consistent as far as possible."""
        for _ in range(WHOLE_TRIES):
            played = self._start()
            while len(played.moves) < len(self.memory) and self._try_step(played):
                pass
            if len(played.moves) == len(self.memory) and self.fits_now(played.facts[-1]):
                return played
        history, number = None, 0
        while history is None and self.left > 0:
            number += 1
            history = self._search(PATIENCE * luby(number))
        return history or self._anyhow()

    def _start(self) -> Played:
        return Played([self.rules.prover.initial()])

    def _options(self, played: Played, strict: bool = True) -> list[list[int]]:
        """The moves that each role may make in the next step; empty if a role cannot move.

        The player has only the remembered move. If that is illegal the result is empty or, unless
        `strict`, has all of the player's legal moves.
        """
        facts = played.facts[-1]
        if self.rules.is_over(facts):
            return []
        options = [self.rules.legal_in(facts, role) for role in self.rules.seats]
        own = self.memory[len(played.moves)][0]
        if own in options[self.player]:
            options[self.player] = [own]
        elif strict:
            return []
        return options if all(options) else []

    def _make(self, played: Played, moves: Sequence[int]) -> bool:
        """Makes a step; returns whether the player gets the remembered percepts."""
        after, percepts = self.rules.outcome(played.facts[-1], moves)
        step = len(played.moves)
        played.add(moves, after, percepts)
        return percepts[self.player] == self.memory[step][1]

    def _drawn(self, options: Sequence[Sequence[int]]) -> list[int]:
        return [moves[random_below(self.rng, len(moves))] for moves in options]

    def _try_step(self, played: Played) -> bool:
        options = self._options(played)
        if not options:
            return False
        fits = self._make(played, self._drawn(options))
        if not fits:
            played.back()
        return fits

    def _search(self, patience: int) -> Played | None:
        """Searches depth first until `patience` joint moves have made no progress."""
        played = self._start()
        waiting = [self._joint_moves(played)]
        furthest = since = 0
        while self.memory and self.left > 0 and since < patience:
            moves = next(waiting[-1], None)
            if moves is None:
                waiting.pop()
                if not waiting:
                    break
                played.back()
                continue
            self.left -= 1
            since += 1
            if not self._make(played, moves):
                played.back()
                continue
            if len(played.moves) > furthest:
                furthest, since = len(played.moves), 0
            if len(played.moves) < len(self.memory):
                waiting.append(self._joint_moves(played))
            elif self.fits_now(played.facts[-1]):
                return played
            else:
                played.back()
        if not self.memory or not waiting:
            self.left = 0  # no consistent history exists
        return None

    def _joint_moves(self, played: Played) -> Iterator[Sequence[int]]:
        """Yields the joint moves of the next step in a random order."""
        options = self._options(played)
        if not options:
            return
        if math.prod(map(len, options)) > MOST_JOINT:
            for _ in range(MOST_JOINT):
                yield self._drawn(options)
            return
        joint = list(itertools.product(*options))
        while joint:
            place = random_below(self.rng, len(joint))
            joint[place], joint[-1] = joint[-1], joint[place]
            yield joint.pop()

    def _anyhow(self) -> Played:
        """Plays a game that is consistent as far as possible."""
        played = self._start()
        while len(played.moves) < len(self.memory):
            if any(self._try_step(played) for _ in range(LAST_TRIES)):
                continue
            options = self._options(played, strict=False)
            if not options:
                break
            self._make(played, self._drawn(options))
        if played.moves and not self.fits_now(played.facts[-1]):
            played.back()
        return played
