"""Evaluation of policies: expected utilities, best responses, exploitability, equilibria.

A policy is an array with a probability for each sequence of a tree, for all players.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kibitz.core.progress import Progress
from kibitz.studies.solving.tree import Floats, GameTree, Ints


def expected_utilities(tree: GameTree, policy: Floats) -> Floats:
    """The expected utility of each player when all play by a policy."""
    reach = _reach(tree, policy)
    return np.asarray(reach @ tree.utility)


def best_response(tree: GameTree, policy: Floats, player: int) -> tuple[float, Floats]:
    """A best response of a player to the others' policy, and its expected utility.

    Args:
        policy: the policy of the others.
        player: the seat, from 0.

    Returns:
        The expected utility, and the policy with the player's part replaced.
    """
    mine = tree.infoset_player[tree.sequence_infoset] == player
    response = np.where(mine, 0.0, policy)
    values = tree.utility[:, player] * _reach(tree, np.where(mine, 1.0, policy))
    # All nodes of an information set are on one level: players see how often somebody acted.
    for above, level in _levels_up(tree):
        sequences = tree.sequence[level]
        own = mine[sequences]
        if own.any():
            total = np.bincount(sequences[own], values[level][own], len(response))
            response[_best_sequences(tree, np.unique(sequences[own]), total)] = 1.0
        _add_up(tree, values, above, level, np.where(own, response[sequences], 1.0))
    return float(values[tree.levels[0]].sum()), response


def average_gain(tree: GameTree, policy: Floats) -> float:
    """The average gain of a player from a best response to a policy: 0 in an equilibrium.

    It is NashConv divided by the number of players: Lanctot, Zambaldi, Gruslys and others, "A
    Unified Game-Theoretic Approach to Multiagent Reinforcement Learning" (2017).
    """
    return float(np.mean(gains(tree, policy)))


def gains(tree: GameTree, policy: Floats) -> list[float]:
    """The gain of each player from a best response, in utility."""
    utilities = expected_utilities(tree, policy)
    return [
        best_response(tree, policy, p)[0] - float(utilities[p]) for p in range(tree.table.players)
    ]


def equilibrium(
    tree: GameTree, iterations: int = 1000, progress: Progress | None = None
) -> Floats:
    """An approximate equilibrium of a two-player zero-sum game.

    By counterfactual regret minimization with regret matching+, alternating updates and linear
    averaging: Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014). In other
    games the policy need not be an equilibrium.

    Args:
        iterations: the number of updates of each player's regrets.
    """
    regrets = np.zeros(len(tree.sequence_action))
    weights = np.zeros(len(regrets))
    for iteration in range(1, iterations + 1):
        for player in range(tree.table.players):
            policy = tree.normalized(regrets)
            regrets += _regrets(tree, policy, player)
            np.maximum(regrets, 0.0, out=regrets)
            weights += iteration * _own_reach(tree, policy, player)
        if progress is not None:
            progress("iterations", iteration, iterations)
    return tree.normalized(weights)


def _regrets(tree: GameTree, policy: Floats, player: int) -> Floats:
    """The counterfactual regrets of a player's sequences."""
    mine = tree.infoset_player[tree.sequence_infoset] == player
    values = tree.utility[:, player] * _reach(tree, np.where(mine, 1.0, policy))
    share = np.where(mine, policy, 1.0)
    for above, level in _levels_up(tree):
        _add_up(tree, values, above, level, share[tree.sequence[level]])
    below = slice(tree.levels[0].stop, None)
    gained = np.bincount(tree.sequence[below], values[below], len(policy))
    mean = np.bincount(tree.sequence_infoset, policy * gained, len(tree.infoset_player))
    return np.where(mine, gained - mean[tree.sequence_infoset], 0.0)


def _own_reach(tree: GameTree, policy: Floats, player: int) -> Floats:
    """The probability that a player's own actions lead to each of their sequences."""
    mine = tree.infoset_player[tree.sequence_infoset] == player
    reach = _reach(tree, np.where(mine, policy, 1.0)) * len(tree.roots)
    below = slice(tree.levels[0].stop, None)
    arrived = np.zeros(len(policy))
    arrived[tree.sequence[below]] = reach[below]  # the same at all nodes of an information set
    return np.where(mine, arrived, 0.0)


def _reach(tree: GameTree, policy: Floats) -> Floats:
    """The probability of reaching each node."""
    reach = np.empty(len(tree.parent))
    reach[tree.levels[0]] = 1.0 / len(tree.roots)
    for level in tree.levels[1:]:
        reach[level] = reach[tree.parent[level]] * policy[tree.sequence[level]]
    return reach


def _best_sequences(tree: GameTree, sequences: Ints, total: np.ndarray[Any, Any]) -> Ints:
    """The sequence with the highest total of each information set."""
    sets = tree.sequence_infoset[sequences]
    order = np.lexsort((-total[sequences], sets))
    first = np.flatnonzero(np.diff(sets[order], prepend=-1))
    return np.asarray(sequences[order[first]])


def _add_up(tree: GameTree, values: Floats, above: slice, level: slice, share: Floats) -> None:
    """Adds to the values of a level those of the level below, multiplied by their shares."""
    parents = tree.parent[level] - above.start
    values[above] += np.bincount(parents, values[level] * share, above.stop - above.start)


def _levels_up(tree: GameTree) -> Iterator[tuple[slice, slice]]:
    """Pairs of a level and the one below it, from the deepest up."""
    yield from zip(tree.levels[-2::-1], tree.levels[:0:-1], strict=True)
