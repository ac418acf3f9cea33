"""What a seat remembers of a game: its observations, and the state before secret commitments.

In the contract, players who decide simultaneously decide one after another, without seeing each
other's actions. A search for a later one has to begin before the earlier ones decided: sampled
afterwards, their actions would be uniform instead of following their strategies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import Rules, apply_action, legal_actions, redeterminize
from kibitz.core.hidden import SLOT, slot_length
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, Address, array_at, copy_bytes, record_at
from kibitz.players.graph import mixed, observation_key
from kibitz.players.hidden_information import SAMPLES, can_hide, is_hidden
from kibitz.players.memory import STATES, SearchMemory
from kibitz.players.search import acting_player, padded, state_address

KEPT = np.dtype(
    [
        ("games", np.int64),  # which game it is about, as the agent counts them
        ("known", np.int64),  # whether it was shown every state of the game so far
        ("seen", np.int64),  # a hash of what the seat saw at each of its decisions so far
        ("secret", np.int64),  # whether others have decided in secret,
        ("before", np.int64),  # address of the state before they did,
        ("last", np.int64),  # and of the last one that was shown
    ]
)
"""The record of what a seat remembers of the game."""

KEPT_SIZE = padded(KEPT.itemsize)


def kept_memory(state_size: int) -> int:
    """Bytes for this record and its two states, at an address that need not be aligned."""
    return padded(1) + KEPT_SIZE + 2 * padded(state_size)


def kept_of(agent: Any, rules: Rules) -> Any:
    """The ``KEPT`` record at the end of an agent's memory, with its addresses set."""
    end = agent.memory + agent.memory_size
    place = padded(end - kept_memory(rules.state_size))
    history = record_at(place, KEPT)
    history.before = place + KEPT_SIZE
    history.last = history.before + padded(rules.state_size)
    return history


def keep(agent: Any, rules: Rules, observation: Address) -> None:
    """Updates the memory of a seat; called at the beginning and after every action.

    Args:
        agent: the ``AGENT`` record; its working states are free.
        observation: a determinization of the state for its seat.
    """
    history = kept_of(agent, rules)
    tick = record_at(observation, HEADER).tick
    if tick == 0:
        history.games = agent.games
        history.known = 1
        history.seen = 0
        history.secret = 0
    elif history.games != agent.games or tick != record_at(history.last, HEADER).tick + 1:
        history.known = 0
    if history.known == 0:
        return
    if tick > 0:
        note_action(history, agent, rules, observation)
    copy_bytes(history.last, observation, rules.state_size)


def is_kept(history: Any, agent: Any, observation: Address) -> bool:
    """Whether the memory is complete and up to date for this observation."""
    if history.known == 0 or history.games != agent.games:
        return False
    return bool(record_at(history.last, HEADER).tick == record_at(observation, HEADER).tick)


def note_action(history: Any, agent: Any, rules: Rules, observation: Address) -> None:
    """Notes the seat's own decision, or that another player decided in secret."""
    view = state_address(agent.memory, rules, 2)
    if acting_player(history.last) == agent.seat:
        history.secret = 0
        buffer = state_address(agent.memory, rules, STATES)
        if legal_actions(rules, history.last, buffer) > 1:
            sight = observation_key(rules, history.last, view, agent.seat)
            history.seen = mixed(history.seen, sight)
    elif not is_secret(history, agent, rules, observation):
        history.secret = 0
    elif history.secret == 0:
        history.secret = 1
        copy_bytes(history.before, history.last, rules.state_size)


def is_secret(history: Any, agent: Any, rules: Rules, observation: Address) -> bool:
    """Whether the seat cannot tell which of several actions was played in the last state."""
    aside = state_address(agent.memory, rules, 1)
    view = state_address(agent.memory, rules, 2)
    buffer = state_address(agent.memory, rules, STATES)
    count = legal_actions(rules, history.last, buffer)
    sight = observation_key(rules, observation, view, agent.seat)
    alike = 0
    for i in range(count):
        copy_bytes(aside, history.last, rules.state_size)
        apply_action(rules, aside, record_at(buffer, ACTION_LIST).items[i])
        if observation_key(rules, aside, view, agent.seat) == sight:
            alike += 1
            if alike == 2:
                return True
    return False


def is_private(memory: SearchMemory, me: Any, rules: Rules, state: Address) -> bool:
    """Whether samples show that some player may know something that others do not.

    The order of cards within a place does not count: nobody knows the order of a hidden deck.
    """
    if not can_hide(rules):
        return False
    for player in range(rules.players):
        if rules.slot_count == 0:
            if is_hidden(memory, me, rules, state, player):
                return True
        else:
            copy_bytes(memory.aside, state, rules.state_size)
            contents = contents_of(rules, state)
            for _ in range(SAMPLES):
                redeterminize(rules, memory.aside, player, me.rng)
                if contents_of(rules, memory.aside) != contents:
                    return True
    return False


def contents_of(rules: Rules, state: Address) -> int:
    """A hash of the contents of each hideable slot, whatever their order."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    key = 0
    for s in range(rules.slot_count):
        values = array_at(state + slots[s].values, INT16, slots[s].capacity)
        content = 0
        for i in range(slot_length(slots[s], state)):
            content += mixed(s, values[i])
        key = mixed(key, content)
    return key
