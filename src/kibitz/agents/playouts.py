"""Playouts of ``ggp``: on from a state, to the next choice or at random to the end, in time."""

from __future__ import annotations

from typing import Any

from kibitz.agents.mind import Mind
from kibitz.agents.search import is_stopped, value_of
from kibitz.agents.tree import MAX_DEPTH
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import Rules, apply_action, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, INT64, Address, array_at, monotonic_ns, record_at
from kibitz.core.randomness import random_below
from kibitz.core.status import MAX_PLAYERS, Status

MOST_FORCED = 100
"""So many actions without a choice are passed over at once."""
SOON = 50_000
"""Two looks at the clock, in nanoseconds, should lie no closer together,"""
LATE = 200_000
"""and no further apart."""


def advance(state: Address, buffer: Address, search: Any, game: Rules, action: int) -> None:
    """Plays an action, and then whatever is done without a choice."""
    apply_action(game, state, action)
    search.calls += 1
    header = record_at(state, HEADER)
    for _ in range(MOST_FORCED):
        if header.status != Status.PLAYING or legal_actions(game, state, buffer) != 1:
            return
        apply_action(game, state, record_at(buffer, ACTION_LIST).items[0])
        search.calls += 1


def play_out(mind: Mind, me: Any, search: Any, game: Rules, length: int) -> bool:
    """Plays at random from the working state; says whether there was the time to.

    Args:
        mind: what is kept in mind.
        me: the agent.
        search: its budget.
        game: the rules.
        length: after so many actions it stops; negative: at the end of the game.
    """
    state = mind.work
    header = record_at(state, HEADER)
    buffer = record_at(mind.buffer, ACTION_LIST)
    playout = array_at(mind.playout, INT64, MAX_DEPTH)
    drawn = header.rng[3]
    remember = game.players == 1
    while header.status == Status.PLAYING and length != 0:
        count = legal_actions(game, state, mind.buffer)
        if count == 0:
            break
        action = buffer.items[0]
        if count > 1:
            action = buffer.items[random_below(me.rng, count)]
            if remember and mind.playout_length < MAX_DEPTH:
                playout[mind.playout_length] = action
                mind.playout_length += 1
        apply_action(game, state, action)
        search.calls += 1
        length -= 1
        mind.unchecked += 1
        if mind.unchecked >= mind.patience and is_out_of_time(mind, search):
            return False
    if header.rng[3] != drawn:
        mind.chance = 1
    return True


def is_out_of_time(mind: Mind, search: Any) -> bool:
    """Looks at the clock, and settles when to look again: several times in a millisecond."""
    now = monotonic_ns()
    if now - mind.checked < SOON:
        mind.patience = min(4096, 2 * mind.patience)
    elif now - mind.checked > LATE:
        mind.patience = max(1, mind.patience >> 1)
    mind.checked = now
    mind.unchecked = 0
    if search.deadline > 0 and now >= search.deadline:
        return True
    return is_stopped(search)


def evaluate(mind: Mind, game: Rules) -> None:
    """Notes what the working state is worth to each player."""
    values = array_at(mind.values, FLOAT64, MAX_PLAYERS)
    for p in range(game.players):
        values[p] = value_of(game, mind.work, p)
