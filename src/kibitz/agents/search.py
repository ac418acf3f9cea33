"""What the search agents share: budgets, working memory, rollouts, values, advice.

An agent's working memory begins with a ``SEARCH`` record; behind it lie the states it works
in, and then whatever the search itself needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import ADVICE, AgentOptions
from kibitz.core.contract import Rules, apply_action, heuristic, legal_actions
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, copy_bytes, monotonic_ns, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below
from kibitz.core.status import Status

SEARCH = np.dtype(
    [
        ("in_use", np.int64),  # 0 at the start of a game
        ("iterations", np.int64),  # done
        ("calls", np.int64),  # of the forward model, done
        ("deadline", np.int64),  # on the monotonic clock; 0: none
        ("iteration_limit", np.int64),
        ("call_limit", np.int64),
        ("stop", np.int64),  # address of a word that turns non-zero when it should give up
    ]
)


class Budgeted(AgentOptions):
    """Options of every agent that searches: it stops at the first limit that it meets."""

    iterations = Tunable(
        0, range(100_000_001), "iterations for a decision; 0: no such limit (1,000 without any)"
    )
    milliseconds = Tunable(0, range(3_600_001), "thinking time for a decision; 0: no such limit")
    calls = Tunable(0, range(2_000_000_001), "forward-model calls for a decision; 0: no limit")


def padded(size: int) -> int:
    """`size` bytes rounded up to whole cache lines."""
    return (size + 63) // 64 * 64


SEARCH_SIZE = padded(SEARCH.itemsize)
ACTION_LIST_SIZE = padded(ACTION_LIST.itemsize)


def search_memory(table: Table, states: int) -> int:
    """Bytes for the record, so many states, and a list of actions."""
    return SEARCH_SIZE + states * padded(table.state_size) + ACTION_LIST_SIZE


def state_address(memory: Address, rules: Rules, number: int) -> Address:
    """Where state `number` of the working memory is."""
    return memory + SEARCH_SIZE + number * padded(rules.state_size)


def after_states(memory: Address, rules: Rules, states: int) -> Address:
    """Where the working memory goes on behind so many states and the list of actions."""
    return state_address(memory, rules, states) + ACTION_LIST_SIZE


def acting_player(state: Address) -> int:
    """Who decides in `state`."""
    return int(record_at(state, HEADER).player)


def begin(search: Any, agent: Any, iterations: int, milliseconds: int, calls: int) -> None:
    """Starts the budget of one decision; with no limit at all, 1,000 iterations."""
    search.in_use = 1
    search.stop = agent.stop
    search.iterations = 0
    search.calls = 0
    # an iteration makes at least one call, unless its tree is full and it has no rollouts:
    # then the number of calls alone would never end the search
    search.iteration_limit = iterations if iterations > 0 else calls
    search.call_limit = calls
    search.deadline = 0
    if milliseconds > 0:
        search.deadline = monotonic_ns() + milliseconds * 1_000_000
    elif iterations == 0 and calls == 0:
        search.iteration_limit = 1_000


def is_stopped(search: Any) -> bool:
    """Whether it should give up at once; what it has found will not count."""
    return bool(array_at(search.stop, INT64, 1)[0] != 0)


def may_go_on(search: Any) -> bool:
    """Whether the budget allows another iteration."""
    if search.iteration_limit > 0 and search.iterations >= search.iteration_limit:
        return False
    if search.call_limit > 0 and search.calls >= search.call_limit:
        return False
    if search.deadline > 0 and monotonic_ns() >= search.deadline:
        return False
    return not is_stopped(search)


def rollout(
    rules: Rules,
    search: Any,
    state: Address,
    ahead: Address,
    actions: Address,
    rng: Any,
    length: int,
    tries: int,
) -> None:
    """Plays on from `state`, each time the best of a few random actions.

    Args:
        rules: of the game.
        search: counts the calls.
        state: what is played on.
        ahead: room for another state; with one try it is left alone.
        actions: room for a list of actions.
        rng: whence they are drawn.
        length: how many to play at most; to the end when negative.
        tries: of how many random actions the best is played; 1: any, without looking ahead.
    """
    header = record_at(state, HEADER)
    while header.status == Status.PLAYING and length != 0 and not is_stopped(search):
        count = legal_actions(rules, state, actions)
        if count == 0:
            return
        action = best_of(rules, search, state, ahead, actions, count, tries, rng)
        apply_action(rules, state, action)
        search.calls += 1
        length -= 1


def best_of(
    rules: Rules,
    search: Any,
    state: Address,
    ahead: Address,
    actions: Address,
    count: int,
    tries: int,
    rng: Any,
) -> int:
    """The best of so many random ones of the legal actions, by the heuristic one step ahead.

    Args:
        rules: of the game.
        search: counts the calls.
        state: where one of the actions is to be played.
        ahead: room for another state.
        actions: the list of those that are legal.
        count: how many they are.
        tries: how many to look at; 1: a random one, without looking.
        rng: whence they are drawn.
    """
    legal = record_at(actions, ACTION_LIST)
    best = legal.items[random_below(rng, count)]
    if tries == 1 or count == 1:
        return int(best)
    player = acting_player(state)
    best_value = value_ahead(rules, search, state, ahead, best, player)
    for _ in range(1, tries):
        action = legal.items[random_below(rng, count)]
        if action != best:
            value = value_ahead(rules, search, state, ahead, action, player)
            if value > best_value:
                best, best_value = action, value
    return int(best)


def value_ahead(
    rules: Rules, search: Any, state: Address, ahead: Address, action: int, player: int
) -> float:
    """How good it is for `player` to play an action; `ahead` is room for a copy of the state."""
    copy_bytes(ahead, state, rules.state_size)
    apply_action(rules, ahead, action)
    search.calls += 1
    return value_of(rules, ahead, player)


def value_of(rules: Rules, state: Address, player: int) -> float:
    """How good `state` is for `player`, 0 to 1: the returns, or else the heuristic."""
    value = heuristic(rules, state, player)
    return 0.5 + 0.5 * min(1.0, max(-1.0, value)) if value == value else 0.5  # NaN says nothing


def advise(agent: Any, action: int, weight: float, value: float) -> None:
    """Reports what the search thinks of an action, where somebody asked."""
    if agent.advice != 0:
        advice = record_at(agent.advice, ADVICE)
        item = advice.items[advice.count]
        item.action = action
        item.weight = weight
        item.value = value
        advice.count += 1
