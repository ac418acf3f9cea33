"""Helpers that ask an agent for one decision as the match loop does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import kibitz
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import Agent, NativeAgent
from kibitz.core.memory import record_at
from kibitz.core.randomness import start_stream
from kibitz.core.state import State
from kibitz.players.search import SEARCH


class Answer(NamedTuple):
    """An agent's decision and the amount of its search."""

    action: int
    iterations: int
    calls: int


def ask(agent: Agent, state: State, seed: int = 0) -> Answer:
    """Asks an agent for a decision in a determinization of what the current player may know."""
    observation = state.determinize(state.current_player, seed)
    return answer(agent, observation, state.legal_actions(), seed)


def answer(agent: Agent, observation: State, legal: list[int], seed: int = 0) -> Answer:
    """Asks an agent for a decision in exactly this state; ``seed`` starts its random stream."""
    buffer = np.zeros(1, ACTION_LIST)
    buffer["count"] = len(legal)
    buffer["items"][0, : len(legal)] = legal
    binding = agent.bind(observation.table)
    rng = [0, 0, 0, 0]
    start_stream(rng, seed, 1)
    binding.record["rng"] = rng
    binding.record["games"] = 1
    shown = observation.clone()  # some agents work in what they are shown
    seen = shown.address if binding.record["sees"][0] else 0  # as in the match loop
    action = binding.ask(observation.table.address, seen, int(buffer.ctypes.data), len(legal))
    if binding.exception:
        raise binding.exception
    iterations = calls = 0
    if binding.record["memory_size"][0] >= SEARCH.itemsize:
        search = record_at(int(binding.record["memory"][0]), SEARCH)
        iterations, calls = search.iterations, search.calls
    return Answer(action, iterations, calls)


def cheap_agents(game: str | None = None) -> list[Any]:
    """Every compiled agent that plays `game` (``None``: any), with a small budget.

    Without ``neural``, which needs a network: ``tests/players/test_network.py``.
    """
    agents: list[Any] = []
    for cls in kibitz.agents():
        if cls.name != "neural" and issubclass(cls, NativeAgent) and cls.game in (None, game):
            small = {"iterations": 30, "determinizations": 2, "width": 2}
            agents.append(cls(**{k: v for k, v in small.items() if k in cls.Options.tunables}))
    return agents
