"""Playing by the rules themselves, where there is no network: the rule functions in Python.

Facts and moves get their numbers in the order in which they turn up, so numbers are good for
one process; moves are told by their words.
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
from kibitz.gdl.derivation import Database, Derivation
from kibitz.gdl.evaluator import MANY_GOALS, NO_GOAL, NO_MOVE, place_by_score
from kibitz.gdl.rules import RANDOM, Description, Term, kif

MOST_FACTS = 1 << 15
"""Facts that may turn up."""

_WORDS = MOST_FACTS // 64
_MOST_KEPT = 32


class Plain:
    """A game's rules as rule functions."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.derivation = Derivation(description)
        self.facts: dict[Term, int] = {}
        self.fact_names: list[str] = []
        self.fact_terms: list[Term] = []
        self.moves: dict[tuple[int, Term], int] = {}
        self.move_terms: list[Term] = []
        self.move_names: list[str] = []
        self.move_roles: list[str] = []
        self._kept: dict[frozenset[Term], Database] = {}
        self._facts_at = self._commitments_at = 0

    def place(self, layout: Layout) -> None:
        """Where facts and commitments are in a state."""
        fields: Any = layout.dtype.fields
        self._facts_at = fields["facts"][1]
        self._commitments_at = fields["commitments"][1]

    @property
    def exports(self) -> dict[str, Export]:
        """The rule functions as the contract calls them."""
        return {
            "setup": Export(self.setup, "vii"),
            "legal_actions": Export(self.legal_actions, "iiii"),
            "apply_action": Export(self.apply_action, "viii"),
            "heuristic": Export(self.heuristic, "fiii"),
            "redeterminize": Export(self.redeterminize, "viii"),
        }

    # -- states ------------------------------------------------------------------------------

    def true(self, state: Address) -> frozenset[Term]:
        """What is true in a state."""
        words = self._words(state)
        found = []
        for w in np.flatnonzero(words).tolist():
            bits = int(words[w]) & (1 << 64) - 1
            while bits:
                low = bits & -bits
                found.append(self.fact_terms[64 * w + low.bit_length() - 1])
                bits ^= low
        return frozenset(found)

    def write(self, state: Address, true: frozenset[Term]) -> None:
        """Makes a state one in which just these facts are true."""
        words = np.zeros(_WORDS, np.uint64)
        for term in sorted(true, key=kif):
            number = self.facts.get(term)
            if number is None:
                number = self.facts[term] = len(self.facts)
                if number >= MOST_FACTS:
                    raise GameDefinitionError(
                        f"More than {MOST_FACTS:,} facts have turned up: the game is too large."
                    )
                self.fact_terms.append(term)
                self.fact_names.append(kif(term, self.description.spelling))
            words[number >> 6] |= np.uint64(1 << (number & 63))
        self._words(state)[:] = words.view(np.int64)

    def _words(self, state: Address) -> Any:
        block: Any = (ctypes.c_int64 * _WORDS).from_address(state + self._facts_at)
        return np.frombuffer(block, np.int64)

    def database(self, state: Address) -> Database:
        """All that holds in a state."""
        true = self.true(state)
        if true not in self._kept:
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[true] = self.derivation.state(true)
        return self._kept[true]

    def legal(self, state: Address, role: int) -> list[int]:
        """The legal moves of a role."""
        spelled = self.description.roles[role]
        terms = self.derivation.legal(self.database(state)).get(spelled, [])
        return [self._number(role, term) for term in sorted(terms, key=kif)]

    def _number(self, role: int, term: Term) -> int:
        number = self.moves.get((role, term))
        if number is None:
            number = self.moves[role, term] = len(self.moves)
            spelling = self.description.spelling
            self.move_terms.append(term)
            self.move_names.append(kif(term, spelling))
            self.move_roles.append(kif(self.description.roles[role], spelling))
        return number

    def goals(self, state: Address, role: int) -> list[int]:
        """The goal values of a role."""
        spelled = self.description.roles[role]
        found = [v for r, v in self.derivation.goals(self.database(state)) if r == spelled]
        return sorted(int(v) for v in found if isinstance(v, str) and v.lstrip("-").isdigit())

    def terminal(self, state: Address) -> bool:
        """Whether the game is over."""
        return self.derivation.terminal(self.database(state))

    def step(self, state: Address, moves: Sequence[int]) -> None:
        """Each role makes its move."""
        roles = self.description.roles
        made: dict[Term, Term] = {
            role: self.move_terms[move] for role, move in zip(roles, moves, strict=True)
        }
        self.write(state, self.derivation.next(self.database(state), made))
        record_at(state, HEADER).turn += 1
        for role in range(len(roles)):
            self._commitments(state)[role] = 0
        self._begin(state)

    # -- the rule functions ------------------------------------------------------------------

    def _commitments(self, state: Address) -> Any:
        return (ctypes.c_int32 * len(self.description.roles)).from_address(
            state + self._commitments_at
        )

    def setup(self, context: Address, state: Address) -> None:
        """The initial state."""
        self.write(state, self.derivation.initial())
        self._begin(state)

    def legal_actions(self, context: Address, state: Address, actions: Address) -> int:
        """The legal moves of the role that decides now."""
        found = self.legal(state, int(record_at(state, HEADER).player))
        if len(found) > MAX_ACTIONS:
            return -1
        buffer = record_at(actions, ACTION_LIST)
        for place, move in enumerate(found):
            buffer.items[place] = move
        buffer.count = len(found)
        return len(found)

    def apply_action(self, context: Address, state: Address, action: int) -> None:
        """A role commits itself; when all have, the step is made."""
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
        """Draws anew what the others have committed to, as far as `player` cannot tell."""
        header = record_at(state, HEADER)
        if header.status != Status.PLAYING:
            return
        commitments = self._commitments(state)
        for role, name in enumerate(self.description.roles):
            if role == player:
                continue
            legal = self.legal(state, role)
            commitments[role] = 0
            if role != header.player and len(legal) == 1:
                commitments[role] = 1 + legal[0]
            elif role < header.player and name != RANDOM:
                commitments[role] = 1 + legal[random_below(header.rng, len(legal))]

    def heuristic(self, context: Address, state: Address, player: int) -> float:
        """The goal value so far, where there is one, scaled to -1 .. 1."""
        values = self.goals(state, player)
        return (values[0] - 50) / 50.0 if len(values) == 1 else 0.0

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
            place_by_score(header, len(roles))
            header.status = Status.FINISHED
            return
        commitments = self._commitments(state)
        for role in range(len(roles)):
            legal = self.legal(state, role)
            if not legal:
                header.status = Status.RULES_ERROR
                header.phase = NO_MOVE + 4 * role
                return
            commitments[role] = 1 + legal[0] if len(legal) == 1 else 0
        if not self._ask_next(state):
            first = 1 if roles[0] == RANDOM and len(roles) > 1 else 0
            commitments[first] = 0
            header.player = first
