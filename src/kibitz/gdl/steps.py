"""A game in GDL played as the protocol does: all roles say what they do, then the step is made.

At a table the roles decide one after another, and those without a choice are passed over; here
every role has its legal moves, and a step takes a move of each.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.errors import IllegalActionError
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import Address, array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.gdl.evaluator import (
    CONTEXT,
    INT32,
    begin_step,
    holds,
    list_legal,
    load_facts,
    make_step,
)


def legal_moves(context: Address, state: Address, role: int, actions: Address) -> int:
    """The legal moves of any role."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    return list_legal(c, role, record_at(actions, ACTION_LIST))


def step(context: Address, state: Address, moves: Address) -> None:
    """Each role makes its move."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    wanted = array_at(moves, INT32, c.roles)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    for role in range(c.roles):
        commitments[role] = 1 + wanted[role]
    make_step(c, state)
    record_at(state, HEADER).tick += 1
    begin_step(c, state)


def goals(context: Address, state: Address, role: int, values: Address) -> int:
    """All the goal values of a role now; how many."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    buffer = record_at(values, ACTION_LIST)
    starts = array_at(c.goal_starts, INT32, c.roles + 1)
    found = 0
    for i in range(starts[role], starts[role + 1]):
        if found < MAX_ACTIONS and holds(c, array_at(c.goal_literals, INT32, 1)[i]):
            buffer.items[found] = array_at(c.goal_values, INT32, 1)[i]
            found += 1
    return found


def terminal(context: Address, state: Address) -> int:
    """Whether the game is over, by the facts alone."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    return 1 if holds(c, c.terminal) else 0


_FIELDS: Any = HEADER.fields
_BROKEN = (1, _FIELDS["status"][1], int(Status.RULES_ERROR))

EXPORTS = {
    "legal_moves": Export(legal_moves, "iiiii", _BROKEN),
    "step": Export(step, "viii", _BROKEN),
    "goals": Export(goals, "iiiii", _BROKEN),
    "terminal": Export(terminal, "iii", _BROKEN),
}


class Steps:
    """Joint moves at a table of a game in GDL. Moves are numbered as its actions are."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.roles = table.players
        self.plain = getattr(table.game, "plain", None)
        self._context = int(table.record["context"][0])
        if self.plain is not None:
            return
        addresses = compile_native("steps of games in GDL", EXPORTS)
        self._call = {name: e.bind(addresses[name]) for name, e in EXPORTS.items()}

    def legal(self, state: State, role: int) -> list[int]:
        """The legal moves of a role, whether it has a choice or not."""
        if self.plain is not None:
            return list(self.plain.legal(state.address, role))
        return self._ask("legal_moves", state, role)

    def goals(self, state: State, role: int) -> list[int]:
        """The goal values of a role now: normally there is one, at the latest at the end."""
        if self.plain is not None:
            return list(self.plain.goals(state.address, role))
        return self._ask("goals", state, role)

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""
        if self.plain is not None:
            return bool(self.plain.terminal(state.address))
        with self.table.lock:
            return bool(self._call["terminal"](self._context, state.address))

    def play(self, state: State, moves: Sequence[int]) -> None:
        """Makes a step with one move for each role.

        Raises:
            IllegalActionError: a move is not legal now.
        """
        for role, move in enumerate(moves):
            if move not in self.legal(state, role):
                raise IllegalActionError(
                    f"{self.table.game.Actions.words(move)} is not a legal move of role "
                    f"{role + 1} here.",
                    state=state.clone(),
                    seed=state.seed,
                )
        if self.plain is not None:
            self.plain.step(state.address, moves)
            return
        wanted = (ctypes.c_int32 * self.roles)(*moves)
        with self.table.lock:
            self._call["step"](self._context, state.address, ctypes.addressof(wanted))

    def _ask(self, what: str, state: State, role: int) -> list[int]:
        buffer = ctypes.create_string_buffer(ACTION_LIST.itemsize)
        with self.table.lock:
            count = self._call[what](self._context, state.address, role, ctypes.addressof(buffer))
        return list((ctypes.c_int64 * count).from_buffer(buffer, 16))
