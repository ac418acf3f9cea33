"""Shows the game to agents: to those that follow it after every action, to others at its end."""

from __future__ import annotations

from kibitz.core.agent import AGENT
from kibitz.core.contract import RULES, determinize
from kibitz.core.layout import HEADER
from kibitz.core.memory import Address, call_void_3, record_at
from kibitz.core.randomness import WATCH_STREAM, start_stream
from kibitz.core.status import MAX_PLAYERS


def show(agent: Address, rules: Address, state: Address, room: Address, seed: int) -> None:
    """Calls an agent's ``watch``, if it has one, with a determinization of a state for its seat.

    The determinization depends only on what the seat may know, the seed and the number of actions
    so far, so that an agent that sees the same game again comes to the same belief.

    Args:
        agent: address of its ``AGENT`` record.
        rules: address of the ``RULES`` record.
        state: address of the true state.
        room: address of memory for the determinization.
        seed: the seed of the game.
    """
    call_with(record_at(agent, AGENT).watch, agent, rules, state, room, seed)


def show_end(agent: Address, rules: Address, state: Address, room: Address, seed: int) -> None:
    """Calls an agent's ``end``, if it has one, as ``show`` calls ``watch``: the game is over."""
    call_with(record_at(agent, AGENT).end, agent, rules, state, room, seed)


def call_with(
    function: Address, agent: Address, rules: Address, state: Address, room: Address, seed: int
) -> None:
    """Calls a function of an agent, unless it is 0, with a determinization for its seat."""
    if function != 0:
        me = record_at(agent, AGENT)
        index = WATCH_STREAM + record_at(state, HEADER).tick * MAX_PLAYERS + me.seat
        start_stream(me.watch_rng, seed, index)
        determinize(record_at(rules, RULES), state, me.seat, room, me.watch_rng)
        call_void_3(function, agent, rules, room)
