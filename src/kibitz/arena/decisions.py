"""The log of decisions: the player, the options, the choice, and the agent's advice.

The match loop appends to a ``DECISION_LOG``, which has a bounded size. When it is full, the
current game is interrupted and does not count; the caller empties the log and replays that game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.agent import ADVICE, ADVICE_ITEM, AGENT
from kibitz.core.contract import Rules, apply_action
from kibitz.core.memory import Address, array_at, clear_bytes, copy_bytes, record_at
from kibitz.players.graph import state_key

DECISION = np.dtype(
    [
        ("game", np.int64),  # its number in the run
        ("code", np.int64),  # the action chosen
        ("action", np.int32),  # its number in the game, from 0
        ("seat", np.int32),
        ("options", np.int32),  # number of legal actions
        ("chosen", np.int32),  # index of the chosen action among them; -1: it was not legal
        ("opinions", np.int32),  # number of actions that the agent's advice has
        ("unused", np.int32),  # keeps what follows aligned
    ]
)
"""The record of a decision. Its opinions are in a separate array, in the order of decisions."""

DECISION_LOG = np.dtype(
    [
        ("decisions", np.int64),  # address of DECISION records,
        ("room", np.int64),  # number of decisions that fit
        ("count", np.int64),  # number of decisions
        ("opinions", np.int64),  # address of ADVICE_ITEM records, with their room and count
        ("opinion_room", np.int64),
        ("opinion_count", np.int64),
        ("full", np.int64),  # whether the last game did not fit
    ]
)

PLACES = 2 * MAX_ACTIONS
SEEN = np.dtype([("keys", np.int64, (PLACES,))])
"""The record of a hash table with room for the successors of a state; 0 is an empty place."""


def log_decision(
    log: Any, game: int, options: int, chosen: int, code: int, header: Any, agent: Address
) -> bool:
    """Appends a decision with the agent's advice; returns whether it fitted."""
    advice = record_at(agent, AGENT).advice
    opinions = record_at(advice, ADVICE).count
    if log.count == log.room or log.opinion_count + opinions > log.opinion_room:
        log.full = 1
        return False
    entry = array_at(log.decisions, DECISION, log.room)[log.count]
    entry.game = game
    entry.code = code
    entry.action = header.tick
    entry.seat = header.player
    entry.options = options
    entry.chosen = chosen
    entry.opinions = opinions
    log.count += 1
    if opinions > 0:
        target = log.opinions + log.opinion_count * _ITEM_SIZE
        copy_bytes(target, advice + _ITEMS, opinions * _ITEM_SIZE)
        log.opinion_count += opinions
    return True


_ITEM_SIZE = ADVICE_ITEM.itemsize
_ITEMS = ADVICE.fields["items"][1]  # type: ignore[index]


def distinct_successors(
    rules: Rules, state: Address, legal: Any, count: int, work: Address, table: Address
) -> int:
    """The number of distinct states that the legal actions lead to.

    Every action draws from the same random stream, so that chance makes no difference between two
    actions. States are compared by ``state_key``, as in searches: without the random stream and,
    unless the game is `timed`, without the numbers of turns, rounds and actions.

    Args:
        state: a state with legal actions; it is not changed.
        legal: the ``ACTION_LIST`` record.
        count: the number of legal actions.
        work: room for a state.
        table: room for a ``SEEN`` record.
    """
    clear_bytes(table, 8 * PLACES)
    keys = record_at(table, SEEN).keys
    mask = PLACES - 1
    distinct = 0
    for i in range(count):
        copy_bytes(work, state, rules.state_size)
        apply_action(rules, work, legal.items[i])
        key = state_key(rules, work)
        if key == 0:
            key = 1
        place = key & mask
        while keys[place] != 0 and keys[place] != key:
            place = (place + 1) & mask
        if keys[place] == 0:
            keys[place] = key
            distinct += 1
    return distinct
