"""``pimc``: flat perfect information Monte Carlo, like the PIPMC player of the RECYCLE paper.

For every legal action, what is hidden is sampled a number of times; each sample is played to the
end by random players; the action with the best mean outcome is chosen. In a long game
``rollout_length`` ends playouts sooner, and they count by the heuristic, or by the score so far.
Source: Bell, Goadrich, "Automated Playtesting with RECYCLED CARDSTOCK", 2016. Its player takes 20
samples of each action, as here, and gains as much in Agram against random players: 15 to 18
points more than its share of wins (``tests/recycle/test_pimc.py``).
"""

from __future__ import annotations

from typing import Any

from kibitz.core.game import Table
from kibitz.core.parameters import Tunable
from kibitz.core.utility import utility_at
from kibitz.players.belief import BelievingOptions
from kibitz.players.search import Utility
from kibitz.players.tree_search import TreeSearchAgent


class PimcOptions(BelievingOptions):
    """Options of ``pimc``; an iteration is one determinization for one action."""

    determinizations = Tunable(
        20,
        range(100_001),
        "samples of the hidden for each action; 0: until a limit is met",
        tune=(),
    )
    playouts = Tunable(1, range(1, 10_001), "random playouts of each sample", tune=(1, 2, 4, 8))


class PimcAgent(TreeSearchAgent):
    """Perfect-information Monte Carlo: averages random playouts of each action over samples."""

    name = "pimc"
    Options = PimcOptions

    def policies(self, table: Table) -> dict[str, Any]:
        """The root is the only node, its actions are tried in turn, and places count by rank."""
        chosen = {"determinizes": True, "flat": True, "max_nodes": 1}
        if self.options.by == Utility.GAME and utility_at(table) == "place":
            chosen["by"] = Utility.RANK
        return chosen
