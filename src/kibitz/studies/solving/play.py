"""The policies of agents in a small game, by asking them in every information set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kibitz.core.agent import ADVICE, Agent, agents_at
from kibitz.core.errors import AgentError, ParameterError
from kibitz.core.progress import Progress
from kibitz.core.randomness import derive_seed
from kibitz.players.seat import AgentSeat
from kibitz.studies.solving.tree import Floats, GameTree


def agent_policy(
    tree: GameTree,
    agents: Sequence[Agent | str],
    samples: int = 100,
    seed: int = 0,
    progress: Progress | None = None,
) -> Floats:
    """Estimates the policy of agents by asking them in every information set.

    For each answer the agent starts a new game with other random numbers, and is shown the history
    of a node of the information set. The probabilities are shares of `samples` choices; so
    exploitability is slightly overestimated. For an agent that draws its choice from a mix
    (``Agent.mixes``) they are the average of its mixes.

    Args:
        agents: one for each seat; the last one fills the remaining seats.
        samples: the number of times that an agent is asked in an information set.
        seed: the seed of the agents.

    Raises:
        AgentError: an agent cannot play the game, or chooses an illegal action.
    """
    if samples < 1:
        raise ParameterError(f"samples = {samples} should be 1 or more.")
    table = tree.table
    counts = np.zeros(len(tree.sequence_action))
    players = [agent.player_at(table) for agent in agents_at(table, agents)]
    seats = [AgentSeat(agent, table, p) for p, agent in enumerate(players)]
    advice = np.zeros(1, ADVICE)
    for agent, seat in zip(players, seats, strict=True):
        if agent.mixes:
            seat.binding.record["advice"] = advice.ctypes.data
    for infoset, player in enumerate(tree.infoset_player):
        node = int(tree.infoset_node[infoset])
        state = tree.state(node)
        legal = state.legal_actions()
        place = {int(tree.sequence_action[s]): s for s in tree.sequences(infoset)}
        for number in range(infoset * samples, (infoset + 1) * samples if len(legal) > 1 else 0):
            seats[player].begin(derive_seed([0, 0, 0, 0], seed, number))
            show_history(tree, node, seats[player])
            advice["count"] = 0
            action = seats[player].decide(state, legal)
            if action not in place:
                raise AgentError(f"{players[player].label} chooses an illegal action: {action}.")
            mix = advice["items"][0, : int(advice["count"][0])]
            total = float(mix["weight"].sum())
            if players[player].mixes and total > 0:
                for item in mix:
                    counts[place[int(item["action"])]] += item["weight"] / total
            else:
                counts[place[action]] += 1
        if progress is not None:
            progress("information sets", infoset + 1, len(tree.infoset_player))
    return tree.normalized(counts)


def show_history(tree: GameTree, node: int, seat: AgentSeat) -> None:
    """Shows a seat the history of a node, if its agent follows the game."""
    if not seat.binding.record["watch"][0]:
        return
    state = tree.roots[tree.root[node]][1].clone()
    seat.watch(state)
    for action in tree.path(node):
        state.apply(action)
        seat.watch(state)
