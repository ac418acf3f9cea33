"""Monte Carlo tree search, with and without information sets: presets of the tree search.

- ``mcts``: UCT (Kocsis and Szepesvári 2006) for any number of players (max^n), on the
  observation it is given. *Open loop* derives states anew in every iteration with fresh chance;
  *closed loop* keeps the first outcome of chance, so that each node is one state.
- ``ismcts``: single-observer information set MCTS (Cowling, Powley and Whitehouse 2012): a
  new determinization in every iteration, and UCB over the actions that are available in it. The
  searcher's later decisions depend on what a look or a percept shows. With ``trees=many`` every
  player's nodes are their own information sets, so that opponents do not share the searcher's
  ignorance of their hands.

Where luck outweighs the effect of an action, ``samples`` makes iterations cycle through a few
determinizations, each with fixed chance. Where most random actions do harm, ``tries`` makes
playouts, and with ``widening`` new edges too, take the best of a few.

With a ``guide``, rollouts play like an agent without a search; with ``trust``, opponents follow it
in the tree, too (``players/guide.py``).

The action with the most visits is played; of equals the one with the highest value.
"""

from __future__ import annotations

import enum
from typing import Any

from kibitz.core.errors import AgentOptionError
from kibitz.core.game import Table
from kibitz.core.parameters import FileName, Name, Tunable
from kibitz.players.belief import BelievingOptions
from kibitz.players.guide import NO_GUIDE
from kibitz.players.policies import MAX_DEPTH, FinalChoice, Keys, Loop, Selection
from kibitz.players.search import RolloutOptions
from kibitz.players.tree_search import TreeSearchAgent


class Trees(enum.IntEnum):
    """Whether there is one tree, from the searcher's view, or one for each player."""

    SINGLE = 0
    MANY = 1


WEIGHTS = (0.1, 0.2, 0.4, 0.7, 1.0, 1.4, 2.0, 4.0)
"""The weights of exploration that tuning tries."""


class TreeOptions(RolloutOptions):
    """Options common to the tree searches."""

    c = Tunable(1.4142135623730951, (0.0, 100.0), "weight of exploration in UCB", tune=WEIGHTS)
    tries = Tunable(
        1,
        range(1, 101),
        "random actions of which a rollout plays the best; if several, each costs a call",
        tune=(1, 2, 3, 5),
    )
    widening = Tunable(
        0.0,
        (0.0, 100.0),
        "children of a node per square root of its visits, in open loop; 0: all at once",
        tune=(0.0, 1.0, 2.0, 4.0),
    )
    samples = Tunable(
        0,
        range(10_001),
        "samples that iterations use in turn, in open loop; 0: a fresh one each",
        tune=(0, 5, 10, 20, 50),
    )
    depth = Tunable(
        0, range(MAX_DEPTH), "deepest level of the tree; 0: unlimited", tune=(0, 1, 2, 4, 8)
    )
    max_nodes = Tunable(
        200_000,
        range(100, 50_000_001),
        "nodes in memory; beyond, those of least use are dropped",
        tune=(),
    )


SELECTION = Tunable(
    Selection.UCB,
    doc="ucb; or regret (matching) or exp3, which mix actions where information is hidden",
)
GAMMA = Tunable(
    0.1,
    (0.01, 1.0),
    "share of uniform choices, with selection=regret or exp3",
    tune=(),
)
CHOOSE = Tunable(FinalChoice.MOST, doc="most: the action of most weight; mix: one drawn by weight")


class MctsOptions(TreeOptions):
    """Options of ``mcts``."""

    loop = Tunable(Loop.OPEN, doc="open: fresh chance each iteration; closed: as first drawn")

    def __init__(self, /, **values: Any) -> None:
        super().__init__(**values)
        chosen = self.as_dict()
        if chosen["loop"] == Loop.CLOSED:
            for name in ("samples", "widening"):
                if chosen[name] != 0:
                    raise AgentOptionError(
                        f"option {name} is for loop=open and does nothing with loop=closed:"
                        " leave one of them out."
                    )


class IsmctsOptions(TreeOptions, BelievingOptions):
    """Options of ``ismcts``."""

    c = Tunable(0.7, (0.0, 100.0), "weight of exploration in UCB", tune=WEIGHTS)
    guide = Name(
        NO_GUIDE,
        "an agent without a search: rollouts play as it does, and belief=actions takes the"
        " others to",
    )
    trust = Tunable(
        0.0,
        (0.0, 1.0),
        "share of the others' choices in the tree that are the guide's",
        tune=(),
    )
    prior = FileName(
        "",
        "a network that 'kibitz learn' made: its policy says what to try first (PUCT), and its"
        " values take the place of rollouts",
    )
    leaf = Tunable(
        1.0,
        (0.0, 1.0),
        "with a prior: weight of the network's value at a leaf; the rest is a rollout's",
        tune=(),
    )
    trees = Tunable(Trees.SINGLE, doc="single: the searcher's view; many: each player's own")
    selection = SELECTION
    gamma = GAMMA
    choose = CHOOSE

    def __init__(self, /, **values: Any) -> None:
        super().__init__(**values)
        chosen = self.as_dict()
        if chosen["selection"] != Selection.UCB and chosen["trees"] == Trees.SINGLE:
            raise AgentOptionError(
                "option selection mixes what each player does by what they see: set trees=many,"
                " too, or leave selection=ucb."
            )
        if chosen["selection"] != Selection.UCB and chosen["prior"]:
            raise AgentOptionError(
                "option prior is for selection=ucb, which it turns into PUCT: leave one out."
            )
        if chosen["leaf"] != 1.0 and not chosen["prior"]:
            raise AgentOptionError(
                "option leaf weighs the values of a network: name one, such as"
                ' prior="network.npz", or leave leaf out.'
            )
        if chosen["trust"] > 0.0 and chosen["guide"] == NO_GUIDE:
            raise AgentOptionError(
                "option trust needs a guide, whose choices the others make: name one,"
                " such as guide=osla, or leave trust out."
            )


class MctsAgent(TreeSearchAgent):
    """Monte Carlo tree search on the observation, without determinizations."""

    name = "mcts"
    Options = MctsOptions

    def policies(self, table: Table) -> dict[str, Any]:
        """The policies; in closed loop chance keeps its first outcome."""
        return {"fixed_chance": self.options.loop == Loop.CLOSED}


class IsmctsAgent(TreeSearchAgent):
    """Information set Monte Carlo tree search."""

    name = "ismcts"
    Options = IsmctsOptions

    def policies(self, table: Table) -> dict[str, Any]:
        """The policies: a determinization in each iteration, and a tree for one or each player."""
        per_player = self.options.trees == Trees.MANY
        return {"determinizes": True, "keys": Keys.OBSERVATION if per_player else Keys.PATH}
