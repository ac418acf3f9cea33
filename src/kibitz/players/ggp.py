"""``ggp``: a tree search for any game, as general game players need it.

Monte Carlo tree search (UCT) for one, two or many players, with simultaneous moves, chance and
hidden information. Its graph (``players/graph.py``) is kept from one decision of a game to the
next.

It begins as if nothing were hidden, in closed loop (``players/closed_loop.py``) with
transpositions, proofs and, for a single player, the best line so far. Once something is hidden
(``players/hidden_information.py``), it searches in open loop (``players/open_loop.py``) until the
end of the game, with a determinization in each iteration and a node for each information set.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.game import Table
from kibitz.core.parameters import Tunable
from kibitz.core.status import MAX_PLAYERS
from kibitz.players.mcts import CHOOSE, GAMMA, SELECTION, WEIGHTS
from kibitz.players.policies import Keys, Loop
from kibitz.players.search import RolloutOptions
from kibitz.players.tree_search import TreeSearchAgent


class GgpOptions(RolloutOptions):
    """Options of ``ggp``."""

    c = Tunable(0.7, (0.0, 100.0), "weight of exploration in UCB", tune=WEIGHTS)
    smooth = Tunable(
        0.2,
        (0.0, 1.0),
        "share of choices drawn from those so far, where something is hidden",
        tune=(0.0, 0.1, 0.2, 0.4),
    )
    selection = SELECTION
    gamma = GAMMA
    choose = CHOOSE
    max_nodes = Tunable(
        200_000,
        range(100, 50_000_001),
        "positions kept; then those of least use are given up",
        tune=(),
    )
    role = Tunable(
        -1,
        range(-1, MAX_PLAYERS),
        "who thinks, counted from 0; -1: whoever has to decide",
        tune=(),
    )


class GgpAgent(TreeSearchAgent):
    """Monte Carlo tree search for any kind of game, which keeps its tree from move to move."""

    name = "ggp"
    learns = True
    Options = GgpOptions

    def policies(self, table: Table) -> dict[str, Any]:
        """Transpositions and proofs while nothing is hidden."""
        return {
            "loop": Loop.CLOSED,
            "keys": Keys.STATE,
            "determinizes": True,
            "solves": True,
            "lasts": True,
        }
