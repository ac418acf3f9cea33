"""What a seat remembers of a game: its observations, and the state before secret commitments.

Players who decide at once decide one after another in the contract, without seeing what the others
did. A search for a later one has to begin before the earlier ones decided: sampled afterwards,
their actions would be uniform and not what their strategies are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.agents.graph import mixed, observation_key
from kibitz.agents.hidden_information import SAMPLES, can_hide, is_hidden
from kibitz.agents.memory import STATES, SearchMemory
from kibitz.agents.search import acting_player, padded, state_address
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import (
    SLOT,
    Rules,
    apply_action,
    legal_actions,
    redeterminize,
    slot_length,
)
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, Address, array_at, copy_bytes, record_at

KEPT = np.dtype(
    [
        ("games", np.int64),  # which game it is about, as the agent counts them
        ("known", np.int64),  # whether it was shown all of it so far
        ("seen", np.int64),  # a hash of what the seat saw at each of its decisions so far
        ("secret", np.int64),  # whether others have decided in secret,
        ("before", np.int64),  # address of the state before they did,
        ("last", np.int64),  # and of the last one that was shown
    ]
)
"""What a seat keeps of the game."""

KEPT_SIZE = padded(KEPT.itemsize)


def kept_memory(state_size: int) -> int:
    """Bytes for this memory, wherever it begins."""
    return padded(1) + KEPT_SIZE + 2 * padded(state_size)


def kept_of(agent: Any, rules: Rules) -> Any:
    """The record, at the end of an agent's memory, with its addresses set."""
    end = agent.memory + agent.memory_size
    place = padded(end - kept_memory(rules.state_size))
    kept = record_at(place, KEPT)
    kept.before = place + KEPT_SIZE
    kept.last = kept.before + padded(rules.state_size)
    return kept


def keep(agent: Any, rules: Rules, observation: Address) -> None:
    """Updates the memory of a seat; to be called at the beginning and after every action.

    Args:
        agent: the ``AGENT`` record; its working states are free.
        rules: the rules.
        observation: a determinization of the state for its seat.
    """
    kept = kept_of(agent, rules)
    now = record_at(observation, HEADER).tick
    if now == 0:
        kept.games = agent.games
        kept.known = 1
        kept.seen = 0
        kept.secret = 0
    elif kept.games != agent.games or now != record_at(kept.last, HEADER).tick + 1:
        kept.known = 0
    if kept.known == 0:
        return
    if now > 0:
        note_action(kept, agent, rules, observation)
    copy_bytes(kept.last, observation, rules.state_size)


def is_kept(kept: Any, agent: Any, observation: Address) -> bool:
    """Whether the memory is about the game and the state at hand."""
    if kept.known == 0 or kept.games != agent.games:
        return False
    return bool(record_at(kept.last, HEADER).tick == record_at(observation, HEADER).tick)


def note_action(kept: Any, agent: Any, rules: Rules, observation: Address) -> None:
    """Notes the seat's decision, or whether another one decided in secret."""
    view = state_address(agent.memory, rules, 2)
    if acting_player(kept.last) == agent.seat:
        kept.secret = 0
        buffer = state_address(agent.memory, rules, STATES)
        if legal_actions(rules, kept.last, buffer) > 1:
            sight = observation_key(rules, kept.last, view, agent.seat)
            kept.seen = mixed(kept.seen, sight)
    elif not is_secret(kept, agent, rules, observation):
        kept.secret = 0
    elif kept.secret == 0:
        kept.secret = 1
        copy_bytes(kept.before, kept.last, rules.state_size)


def is_secret(kept: Any, agent: Any, rules: Rules, observation: Address) -> bool:
    """Whether the seat could not tell several actions in the last state apart."""
    aside = state_address(agent.memory, rules, 1)
    view = state_address(agent.memory, rules, 2)
    buffer = state_address(agent.memory, rules, STATES)
    count = legal_actions(rules, kept.last, buffer)
    sight = observation_key(rules, observation, view, agent.seat)
    alike = 0
    for i in range(count):
        copy_bytes(aside, kept.last, rules.state_size)
        apply_action(rules, aside, record_at(buffer, ACTION_LIST).items[i])
        if observation_key(rules, aside, view, agent.seat) == sight:
            alike += 1
            if alike == 2:
                return True
    return False


def is_private(memory: SearchMemory, me: Any, rules: Rules, state: Address) -> bool:
    """Whether samples show that a player may know something of a state that others do not.

    The order of cards in one place does not count: of a hidden deck nobody knows it.
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
