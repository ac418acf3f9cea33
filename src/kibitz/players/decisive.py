"""Actions that win immediately: decisive playouts take them, and deny them to the next player.

Rules may find them themselves (``winning_action`` in the contract); else every legal action is
tried.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.actions import ACTION_LIST
from kibitz.core.chance import chance_mark
from kibitz.core.contract import Rules, apply_action, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import Address, call_int_3, copy_bytes, record_at
from kibitz.core.status import Status

NONE = -1
"""The result when no action wins immediately."""
UNKNOWN = -2
"""The result when no winning action was searched for."""
FIRST = 1.0
"""The return of the sole winner."""


def winning_action(rules: Rules, search: Any, state: Address) -> int:
    """An action that makes the player to move the sole winner whatever chance does, or ``NONE``.

    Args:
        search: counts the calls, and has room for a state and a list of actions.
        state: where a player has to decide.
    """
    mover = record_at(state, HEADER).player
    if rules.winning_action != 0:
        return call_int_3(rules.winning_action, rules.context, state, mover)
    legal = record_at(search.replies, ACTION_LIST)
    count = legal_actions(rules, state, search.replies)
    header = record_at(search.trial, HEADER)
    for i in range(count):
        copy_bytes(search.trial, state, rules.state_size)
        apply_action(rules, search.trial, legal.items[i])
        search.calls += 1
        if header.status == Status.FINISHED and header.seat[mover].returns >= FIRST:
            if is_deterministic(search.trial, state):
                return int(legal.items[i])
    return NONE


def is_deterministic(state: Address, before: Address) -> bool:
    """Whether chance decided nothing between two states."""
    return chance_mark(record_at(state, HEADER)) == chance_mark(record_at(before, HEADER))
