"""The rule functions of a game without a network, in Python on top of the prover.

Facts and moves are numbered in the order in which they occur, so their numbers are valid in one
process only; records have the words of moves. The prover's answers for the last states and steps
are cached.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.errors import GameDefinitionError
from kibitz.core.layout import HEADER, Layout
from kibitz.core.memory import Address, record_at
from kibitz.core.native import Export
from kibitz.core.randomness import random_below
from kibitz.core.status import Status
from kibitz.gdl.components import QUARTERS
from kibitz.gdl.evaluator import MANY_GOALS, NO_GOAL, NO_MOVE, place_by_score
from kibitz.gdl.percepts import percepts_number
from kibitz.gdl.prover import FactSet, Prover, ProverState
from kibitz.gdl.prover_histories import Sampler
from kibitz.gdl.rules import RANDOM, Description, Term, kif

MOST_FACTS = 1 << 15
"""The most different facts that may become true."""

_WORDS = MOST_FACTS // 64
"""The 64-bit words of a state's facts."""
_MOST_KEPT = 64
"""The most states, and the most steps, whose answers are cached."""
_MOST_ANSWERS = 500_000
"""The number of answers beyond which the oldest states and their steps are dropped."""


class ProverRules:
    """Rule functions that ask the prover.

    Attributes:
        facts: the number of each fact that has occurred, by the number of its term.
        moves: the number of each move that has occurred, by role and the number of its term.
    """

    def __init__(self, description: Description) -> None:
        self.description = description
        self.prover = Prover(description.with_endings())
        self.terms = self.prover.terms
        self.facts: dict[int, int] = {}
        self.fact_names: list[str] = []
        self.fact_terms: list[int] = []
        self.moves: dict[tuple[int, int], int] = {}
        self.move_terms: list[int] = []
        self.move_names: list[str] = []
        self.move_roles: list[str] = []
        self.seats = range(len(description.roles))
        self.imperfect = description.defines("sees")
        self._kept: dict[FactSet, ProverState] = {}
        self._steps: dict[tuple[FactSet, tuple[int, ...]], ProverState] = {}
        self._facts_at = self._commitments_at = self._memories_at = 0
        self._memory: np.dtype[Any] = np.dtype([])

    def place(self, layout: Layout) -> None:
        """Reads the offsets of the state's components from its layout."""
        fields: Any = layout.dtype.fields
        self._facts_at = fields["facts"][1]
        self._commitments_at = fields["commitments"][1]
        if self.imperfect:
            memories, self._memories_at = fields["memories"][:2]
            self._memory = memories.base

    @property
    def exports(self) -> dict[str, Export]:
        """The rule functions by their names in the contract."""
        return {
            "setup": Export(self.setup, "vii"),
            "legal_actions": Export(self.legal_actions, "iiii"),
            "apply_action": Export(self.apply_action, "viii"),
            "heuristic": Export(self.heuristic, "fiii"),
            "score_so_far": Export(self.score_so_far, "fiii"),
            "redeterminize": Export(self.redeterminize, "viii"),
        }

    # -- states ------------------------------------------------------------------------------

    def true(self, state: Address) -> FactSet:
        """The facts of a state."""
        words = self._words(state)
        facts = []
        for w in np.flatnonzero(words).tolist():
            bits = int(words[w]) & (1 << 64) - 1
            while bits:
                low = bits & -bits
                facts.append(self.fact_terms[64 * w + low.bit_length() - 1])
                bits ^= low
        return frozenset(facts)

    def write(self, state: Address, true: FactSet) -> None:
        """Writes exactly these facts into a state."""
        words = np.zeros(_WORDS, np.uint64)
        for term in sorted(true.difference(self.facts), key=self.terms.words):
            if len(self.facts) >= MOST_FACTS:
                raise GameDefinitionError(
                    f"{self.description.place('next')}: more than {MOST_FACTS:,} facts have "
                    "turned up: the game is too large; facts with fewer arguments help."
                )
            self.facts[term] = len(self.facts)
            self.fact_terms.append(term)
            self.fact_names.append(kif(self.terms.term(term), self.description.spelling))
        numbers = np.fromiter(map(self.facts.__getitem__, true), np.int64, len(true))
        bits = np.left_shift(np.uint64(1), (numbers & 63).astype(np.uint64))
        np.bitwise_or.at(words, numbers >> 6, bits)
        self._words(state)[:] = words.view(np.int64)

    def _words(self, state: Address) -> Any:
        block: Any = (ctypes.c_int64 * _WORDS).from_address(state + self._facts_at)
        return np.frombuffer(block, np.int64)

    def known(self, true: FactSet) -> ProverState:
        """The prover's state for these facts, cached."""
        if true not in self._kept:
            self._make_room()
            self._kept[true] = self.prover.state(true)
        return self._kept[true]

    def _make_room(self) -> None:
        """Drops the oldest states, with their steps, until the cache has room for another."""
        answers = sum(state.answers for state in self._kept.values())
        while self._kept and (len(self._kept) >= _MOST_KEPT or answers > _MOST_ANSWERS):
            oldest = next(iter(self._kept))
            answers -= self._kept.pop(oldest).answers
            for key in [key for key in self._steps if key[0] == oldest]:
                del self._steps[key]

    def legal(self, state: Address, role: int) -> list[int]:
        """The legal moves of a role."""
        return self.legal_in(self.true(state), role)

    def legal_in(self, true: FactSet, role: int) -> list[int]:
        """The legal moves of a role, given the facts."""
        terms = self.prover.legal(self.known(true))[self.prover.roles[role]]
        return [self._number(role, term) for term in sorted(terms, key=self.terms.words)]

    def is_over(self, true: FactSet) -> bool:
        """Whether the game is over, given the facts."""
        return self.prover.terminal(self.known(true))

    def _number(self, role: int, term: int) -> int:
        number = self.moves.get((role, term))
        if number is None:
            number = self.moves[role, term] = len(self.moves)
            spelling = self.description.spelling
            self.move_terms.append(term)
            self.move_names.append(kif(self.terms.term(term), spelling))
            self.move_roles.append(kif(self.description.roles[role], spelling))
        return number

    def goals(self, state: Address, role: int) -> list[int]:
        """The goal values of a role."""
        return self.goals_in(self.true(state), role)

    def goals_in(self, true: FactSet, role: int) -> list[int]:
        """The goal values of a role, given the facts."""
        terms = self.prover.goals(self.known(true))[self.prover.roles[role]]
        values = map(self.description.goal_value, map(self.terms.term, terms))
        return sorted(value for value in values if value is not None)

    def terminal(self, state: Address) -> bool:
        """Whether the game is over."""
        return self.is_over(self.true(state))

    def step(self, state: Address, moves: Sequence[int]) -> None:
        """Makes a step with one move for each role."""
        header = record_at(state, HEADER)
        after, percepts = self.outcome(self.true(state), moves)
        room = not self.imperfect or self._remember(state, moves, percepts)
        self.write(state, after)
        header.turn += 1
        for role in self.seats:
            self._commitments(state)[role] = 0
        self._begin(state)
        if not room:
            header.status = Status.FULL_BUFFER

    def outcome(self, true: FactSet, moves: Sequence[int]) -> tuple[FactSet, list[int]]:
        """Returns the facts after a step, and the number of each role's percepts."""
        step = self._step(true, moves)
        numbers = [percepts_number(percepts) for percepts in self._percepts(step)]
        return self.prover.after(step), numbers

    def percepts(self, state: Address, moves: Sequence[int]) -> list[list[Term]]:
        """The percepts of each role when these moves are made."""
        return self._percepts(self._step(self.true(state), moves))

    def _percepts(self, step: ProverState) -> list[list[Term]]:
        """The percepts of each role in a step."""
        if not self.imperfect:
            return [[] for _ in self.seats]
        percepts = self.prover.percepts(step)
        return [list(map(self.terms.term, percepts[role])) for role in self.prover.roles]

    def _step(self, true: FactSet, moves: Sequence[int]) -> ProverState:
        """The prover's step for these moves, cached."""
        key = true, tuple(moves)
        if key not in self._steps:
            if len(self._steps) >= _MOST_KEPT:
                del self._steps[next(iter(self._steps))]
            terms = (self.move_terms[move] for move in moves)
            made = dict(zip(self.prover.roles, terms, strict=True))
            self._steps[key] = self.prover.step(self.known(true), made)
        return self._steps[key]

    # -- memories ----------------------------------------------------------------------------

    def _memory_of(self, state: Address, role: int) -> Any:
        return record_at(state + self._memories_at + role * self._memory.itemsize, self._memory)

    def _remember(self, state: Address, moves: Sequence[int], percepts: Sequence[int]) -> bool:
        """Writes a step into all memories; returns whether these had room."""
        for role in self.seats:
            memory = self._memory_of(state, role)
            step = memory.count // QUARTERS
            if step >= len(memory.entries):
                return False
            memory.count += QUARTERS
            memory.entries[step, 0], memory.entries[step, 1] = 1 + moves[role], percepts[role]
            for i in range(QUARTERS):
                memory.seen[step, i] = 1 << role
        return True

    def _knows_history(self, state: Address, player: int) -> bool:
        """Whether `player` sees the memories of all roles, as at an open table."""
        return all(self._memory_of(state, role).seen[0, 0] >> player & 1 for role in self.seats)

    def _draw_history(self, state: Address, player: int) -> None:
        """Writes a sampled history, consistent with the memory of `player`, into the state."""
        header = record_at(state, HEADER)

        def fits_now(true: FactSet) -> bool:
            if header.status == Status.PLAYING:
                return not self.is_over(true) and all(self.legal_in(true, r) for r in self.seats)
            return header.status != Status.FINISHED or (
                self.is_over(true)
                and all(
                    self.goals_in(true, role) == [header.seat[role].score]
                    for role, name in enumerate(self.description.roles)
                    if name != RANDOM
                )
            )

        own = self._memory_of(state, player)
        steps = own.count // QUARTERS
        memory = [(own.entries[step, 0] - 1, own.entries[step, 1]) for step in range(steps)]
        played = Sampler(self, player, memory, header.rng, fits_now).draw()
        self.write(state, played.facts[-1])
        for role in self.seats:
            entries = self._memory_of(state, role).entries
            for step in range(steps if role != player else 0):
                known = step < len(played.moves)
                entries[step, 0] = 1 + played.moves[step][role] if known else 0
                entries[step, 1] = played.percepts[step][role] if known else 0

    # -- the rule functions ------------------------------------------------------------------

    def _commitments(self, state: Address) -> Any:
        return (ctypes.c_int32 * len(self.description.roles)).from_address(
            state + self._commitments_at
        )

    def setup(self, context: Address, state: Address) -> None:
        """Writes the initial state."""
        self.write(state, self.prover.initial())
        self._begin(state)

    def legal_actions(self, context: Address, state: Address, actions: Address) -> int:
        """Lists the legal moves of the current player.

        Returns:
            Their number; -1 if they are more than ``MAX_ACTIONS``.
        """
        moves = self.legal(state, int(record_at(state, HEADER).player))
        if len(moves) > MAX_ACTIONS:
            return -1
        buffer = record_at(actions, ACTION_LIST)
        for place, move in enumerate(moves):
            buffer.items[place] = move
        buffer.count = len(moves)
        return len(moves)

    def apply_action(self, context: Address, state: Address, action: int) -> None:
        """Commits the current player to a move; makes the step once all roles have one."""
        header = record_at(state, HEADER)
        commitments = self._commitments(state)
        commitments[header.player] = action + 1
        if self._ask_next(state):
            return
        for role in range(len(commitments)):
            if commitments[role] == 0:
                legal = self.legal(state, role)
                commitments[role] = 1 + legal[random_below(header.rng, len(legal))]
        self.step(state, [int(made) - 1 for made in commitments])

    def redeterminize(self, context: Address, state: Address, player: int) -> None:
        """Resamples what `player` cannot know: committed moves and, in GDL-II, the history."""
        header = record_at(state, HEADER)
        if self.imperfect and not self._knows_history(state, player):
            self._draw_history(state, player)
        if header.status != Status.PLAYING:
            return
        commitments = self._commitments(state)
        for role, name in enumerate(self.description.roles):
            if role == player:
                continue
            legal = self.legal(state, role)
            commitments[role] = 0
            if role != header.player and len(legal) == 1 and not self.imperfect:
                commitments[role] = 1 + legal[0]
            elif role < header.player and name != RANDOM:
                commitments[role] = 1 + legal[random_below(header.rng, len(legal))]

    def heuristic(self, context: Address, state: Address, player: int) -> float:
        """The current goal value, scaled from 0 .. 100 to -1 .. 1; 0 without a unique value."""
        values = self.goals(state, player)
        return (values[0] - 50) / 50.0 if len(values) == 1 else 0.0

    def score_so_far(self, context: Address, state: Address, player: int) -> float:
        """The current goal value; 0 without a unique value."""
        values = self.goals(state, player)
        return float(values[0]) if len(values) == 1 else 0.0

    def _ask_next(self, state: Address) -> bool:
        commitments = self._commitments(state)
        for role, name in enumerate(self.description.roles):
            if commitments[role] == 0 and name != RANDOM:
                record_at(state, HEADER).player = role
                return True
        return False

    def _begin(self, state: Address) -> None:
        header = record_at(state, HEADER)
        roles = self.description.roles
        if self.terminal(state):
            for role, name in enumerate(roles):
                values = self.goals(state, role)
                if len(values) != 1 and name != RANDOM:
                    header.status = Status.RULES_ERROR
                    header.phase = (MANY_GOALS if values else NO_GOAL) + 4 * role
                    return
                value = values[0] if values else -1
                header.seat[role].score = value
                header.seat[role].returns = (value - 50) / 50.0
            chance = roles.index(RANDOM) if RANDOM in roles else -1
            place_by_score(header, len(roles), chance)
            header.status = Status.FINISHED
            header.phase = self.prover.ending(self.known(self.true(state)))
            return
        commitments = self._commitments(state)
        for role in range(len(roles)):
            legal = self.legal(state, role)
            if not legal:
                header.status = Status.RULES_ERROR
                header.phase = NO_MOVE + 4 * role
                return
            forced = len(legal) == 1 and not self.imperfect
            commitments[role] = 1 + legal[0] if forced else 0
        if not self._ask_next(state):
            first = 1 if roles[0] == RANDOM and len(roles) > 1 else 0
            commitments[first] = 0
            header.player = first
