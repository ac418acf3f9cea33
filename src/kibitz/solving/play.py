"""The policies of agents in a small game, by sampling their choices in every information set."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kibitz.agents.seat import AgentSeat
from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import AgentError, ParameterError
from kibitz.core.randomness import derive_seed
from kibitz.solving.tree import Floats, GameTree


def agent_policy(
    tree: GameTree,
    agents: Sequence[Agent | str],
    samples: int = 100,
    seed: int = 0,
    update: Callable[[int], None] | None = None,
) -> Floats:
    """Estimates the policy of agents from their choices in every information set.

    For each choice the agent starts a new game with other random numbers. The probabilities are
    shares of `samples` choices; so exploitability is slightly overestimated.

    Args:
        tree: of the game.
        agents: for each seat; the last one fills the remaining seats.
        samples: how many choices are made in an information set.
        seed: of the agents.
        update: called with the number of information sets done.

    Raises:
        AgentError: an agent cannot play the game, or chooses an illegal action.
    """
    if samples < 1:
        raise ParameterError(f"samples = {samples} should be 1 or more.")
    table = tree.table
    counts = np.zeros(len(tree.sequence_action))
    players = make_agents(agents, table.players)
    seats = [AgentSeat(agent, table, p) for p, agent in enumerate(players)]
    for infoset, player in enumerate(tree.infoset_player):
        state = tree.state(int(tree.infoset_node[infoset]))
        legal = state.legal_actions()
        place = {int(tree.sequence_action[s]): s for s in tree.sequences(infoset)}
        for number in range(infoset * samples, (infoset + 1) * samples if len(legal) > 1 else 0):
            seats[player].begin(derive_seed([0, 0, 0, 0], seed, number))
            action = seats[player].decide(state, legal)
            if action not in place:
                raise AgentError(f"{players[player].label} chooses an illegal action: {action}.")
            counts[place[action]] += 1
        if update is not None:
            update(infoset + 1)
    return tree.normalized(counts)
