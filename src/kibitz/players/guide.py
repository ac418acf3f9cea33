"""The guide of a search: an agent without a search, whose choices predict those of players.

Rollouts in which everybody plays like a good simple agent make the search an improvement of that
agent: the root's actions are compared by the results of such play (rollout algorithms: Tesauro and
Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996; Bertsekas, Tsitsiklis and
Wu, "Rollout Algorithms for Combinatorial Optimization", 1997). Opponents may also follow the guide
in a share of their choices in the tree (a restricted Nash response: Johanson, Zinkevich and
Bowling, "Computing Robust Counter-Strategies", 2007), and in the belief about what they hold.

In a rollout the guide sees the whole state, whose hidden part was sampled.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, Agent, NativeAgent, agent_class
from kibitz.core.errors import AgentError
from kibitz.core.memory import Address, call_int_5, record_at
from kibitz.core.randomness import random_below, random_unit
from kibitz.players.search import Budgeted

NO_GUIDE = "none"
"""The value of the option ``guide`` for a search without a guide."""


def make_guide(name: str) -> Agent:
    """The agent of this name, as a guide.

    Raises:
        UnknownAgentError: no agent has this name.
        AgentError: it is written in plain Python, or searches.
    """
    agent_type = agent_class(name)
    if not is_quick(agent_type):
        raise AgentError(
            f"{name} cannot be a guide: it has to be a compiled agent without a search,"
            " such as osla or love-letter-counting."
        )
    return agent_type()


def is_quick(agent: type[Agent]) -> bool:
    """Whether agents of a class are compiled and decide by their observation, without a search."""
    searches = issubclass(agent.Options, Budgeted)
    return issubclass(agent, NativeAgent) and not searches and not agent.learns


def ask_guide(search: Any, state: Address, actions: Address, count: int) -> int:
    """The action that the guide chooses for the player to move.

    Args:
        search: the ``SEARCH`` record, with the addresses of the guide and the rules.
        state: a state in which a player has to decide.
        actions: an ``ACTION_LIST`` with the `count` legal actions.
    """
    guide = record_at(search.guide, AGENT)
    return call_int_5(guide.act, search.guide, search.rules, state, actions, count)


def guided_action(search: Any, state: Address, count: int, rng: Any) -> int:
    """The guide's action in a playout, or with probability epsilon a random one."""
    epsilon = search.averages.epsilon
    if epsilon > 0.0 and random_unit(rng) < epsilon:
        return int(record_at(search.actions, ACTION_LIST).items[random_below(rng, count)])
    return ask_guide(search, state, search.actions, count)
