"""The policies of the tree search: everything in which its presets differ, as one record."""

from __future__ import annotations

import enum

import numpy as np

MAX_DEPTH = 4096
"""The most choices of a path; a playout begins there."""


class Loop(enum.IntEnum):
    """The search that runs: ``players/open_loop.py`` or ``players/closed_loop.py``."""

    OPEN = 0
    CLOSED = 1


class Keys(enum.IntEnum):
    """What a node of the graph stands for, and so what its key is a hash of."""

    PATH = 0
    """The actions that led there: the graph is a tree."""
    OBSERVATION = 1
    """What the player to move sees: their information set."""
    STATE = 2
    """The whole state: a table of transpositions."""


class Selection(enum.IntEnum):
    """How an action is selected in the open loop."""

    UCB = 0
    """The upper confidence bound of its value."""
    REGRET = 1
    """A draw from the strategy of regret matching."""
    EXP3 = 2
    """A draw from the strategy of Exp3."""


class Start(enum.IntEnum):
    """Where the walks of counterfactual regret minimization begin."""

    AUTO = 0
    """At the beginning of the game, if walks from there reach the present information set."""
    GAME = 1
    """At the beginning of the game."""
    HERE = 2
    """At the present information set."""


class FinalChoice(enum.IntEnum):
    """How the action is chosen after the search."""

    MOST = 0
    """The action of the most weight: visits, or its share in the average strategy."""
    MIX = 1
    """A draw in proportion to the weights."""


POLICIES = np.dtype(
    [
        ("iterations", np.int64),  # limits of a decision, each 0 where there is none
        ("milliseconds", np.int64),
        ("calls", np.int64),
        ("determinizations", np.int64),  # iterations for each action
        ("max_nodes", np.int64),  # of the graph
        ("lasts", np.int64),  # whether the graph is kept from one decision to the next
        ("role", np.int64),  # the player who thinks; -1: whoever has to decide
        ("loop", np.int64),  # Loop; a search that solves goes over to the open one
        ("keys", np.int64),  # of nodes: Keys
        ("determinizes", np.int64),  # whether each iteration samples what is hidden
        ("fixed_chance", np.int64),  # whether an action always has the same outcome
        ("solves", np.int64),  # whether certain outcomes are proven, and end the search
        ("flat", np.int64),  # whether the root's actions are tried in turn, without a tree
        ("by", np.int64),  # what players want: a Utility, but not GAME
        ("playouts", np.int64),  # of an iteration
        ("samples", np.int64),  # that iterations use in turn; 0: a fresh one in each iteration
        ("depth", np.int64),  # of the tree, in choices; 0: as deep as there is room
        ("rollout", np.int64),  # how far a playout goes at most: Rollout
        ("rollout_length", np.int64),  # actions of a playout; -1: to the end
        ("learn", np.int64),  # what playouts learn: Learn
        ("tries", np.int64),  # random actions of which a playout takes the best
        ("epsilon", np.float64),  # share of random actions in a playout that learns
        ("decisive", np.int64),  # whether playouts take immediate wins, and deny them to others
        ("mix", np.float64),  # weight of the heuristic where the playout begins
        ("c", np.float64),  # weight of exploration
        ("widening", np.float64),  # edges tried, for the square root of visits; 0: all
        ("belief", np.int64),  # of what is hidden: Belief
        ("particles", np.int64),  # of the belief
        ("opponent_calls", np.int64),  # calls after an action, for the model of the others
        ("opponent_length", np.int64),  # actions of the model's playouts
        ("temperature", np.float64),  # of the model of the others
        ("doubt", np.float64),  # the probability that they act at random in the model
        ("trust", np.float64),  # share of the others' choices in the tree that the guide makes
        ("smooth", np.float64),  # share of choices drawn from the average so far
        ("selection", np.int64),  # in the open loop: Selection
        ("gamma", np.float64),  # share of uniform choices, where players mix
        ("choose", np.int64),  # the action after the search: FinalChoice
        ("start", np.int64),  # where walks begin: Start
        ("width", np.int64),  # branches of a walk
        ("network", np.int64),  # address of the NETWORK record of the prior; 0: there is none
        ("leaf", np.float64),  # weight of its value at a leaf; the rest is a playout's
    ]
)
"""The record of the policies of a tree search. An option sets the policy of the same name."""
