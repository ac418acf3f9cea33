"""``mccfr``: Monte Carlo counterfactual regret minimization, an agent that mixes its actions.

It samples games, updates the regrets of one player after another (``players/regret_walk.py``), and
draws its action from the average strategy of its information set. Later samples weigh more, in
regrets and averages (Brown and Sandholm, "Solving Imperfect-Information Games via Discounted
Regret Minimization", 2019, *linear* CFR).

In a small game all walks begin with the deal, so that everybody's strategies approach an
equilibrium; regrets are kept for the whole game. In a large game, where such walks do not reach
the present information set, walks begin there, with hidden information sampled uniformly. For the
searching player's regrets, half of the walks keep what that player knows. All other walks sample
this as well, because the opponents do not know it.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT
from kibitz.core.contract import RULES, Rules, new_game, redeterminize
from kibitz.core.game import Table
from kibitz.core.memory import array_at, copy_bytes, monotonic_ns, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below
from kibitz.players.commitments import is_kept, is_private, keep, kept_memory, kept_of
from kibitz.players.decision import decide_by_weight, tell_best
from kibitz.players.graph import NODE, NOTHING, empty, find_node, mixed, observation_key, recycle
from kibitz.players.hidden_information import can_hide
from kibitz.players.mcts import TreeOptions
from kibitz.players.memory import SearchMemory
from kibitz.players.policies import FinalChoice, Keys, Selection, Start
from kibitz.players.regret_walk import MOST_BRANCHES, WALK, lay_out_walk, take_walk, walk_memory
from kibitz.players.search import SEARCH, RolloutOptions, may_go_on
from kibitz.players.tree_search import TreeSearchAgent, begin_search

MOST_SEED = 2**31 - 1
TRIAL = 4
"""One over the share of a decision's budget in which walks from the deal must reach its node."""


class MccfrOptions(RolloutOptions):
    """Options of ``mccfr``; an iteration is a walk for each player."""

    width = Tunable(
        1000,
        range(1, MOST_BRANCHES + 1),
        "branches of a walk within which every action is tried; beyond, one is drawn",
        tune=(10, 100, 1000),
    )
    gamma = Tunable(
        0.2, (0.01, 1.0), "share of uniform choices where one is drawn", tune=(0.05, 0.1, 0.2, 0.4)
    )
    start = Tunable(
        Start.AUTO,
        doc="where walks begin: game (the deal), here (the present observation), or auto: the"
        " deal, if walks from there reach the present position",
    )
    choose = Tunable(
        FinalChoice.MIX, doc="most: the action of most weight; mix: one drawn by weight"
    )
    max_nodes = TreeOptions.tunables["max_nodes"]


class MccfrAgent(TreeSearchAgent):
    """Monte Carlo counterfactual regret minimization."""

    name = "mccfr"
    learns = True
    compiled_as = ""
    Options = MccfrOptions

    def policies(self, table: Table) -> dict[str, Any]:
        """Regrets of every player's own information sets, for the length of a game."""
        return {"keys": Keys.OBSERVATION, "selection": Selection.REGRET, "lasts": True}

    def memory_size(self, table: Table) -> int:
        """Memory for the nodes, for a walk, and for what is kept of the game."""
        size = table.state_size
        return super().memory_size(table) + walk_memory(size) + kept_memory(size)

    def watches(self, table: Table) -> bool:
        """Whether anything may be hidden, so that earlier observations matter."""
        with table.borrowed() as rules:
            return can_hide(record_at(rules.address, RULES))

    @staticmethod
    def watch(agent: int, rules: int, observation: int) -> None:
        """Remembers the observation."""
        keep(record_at(agent, AGENT), record_at(rules, RULES), observation)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Searches, and draws an action from the average strategy."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        search = record_at(me.memory, SEARCH)
        legal = record_at(actions, ACTION_LIST)
        fresh = search.in_use == 0
        memory = begin_search(search, me, game, observation, count)
        size = game.state_size
        end = me.memory + me.memory_size - kept_memory(size)
        walk = record_at(lay_out_walk(end - walk_memory(size), size), WALK)
        if fresh:
            walk.start = memory.policies.start
        set_out(memory, me, game, walk)
        search_by_regret(memory, me, search, game, walk)
        return decide_by_weight(memory, me, legal, count)


def set_out(memory: SearchMemory, me: Any, game: Rules, walk: Any) -> None:
    """Determines where walks begin, and the key of the present information set."""
    history = kept_of(me, game)
    known = is_kept(history, me, memory.observation)
    walk.begins = memory.observation
    if known and history.secret != 0:
        walk.begins = history.before
    walk.public = not is_private(memory, me, game, walk.begins)
    walk.sight = observation_key(game, memory.observation, memory.aside, memory.player)
    walk.root = walk.sight
    walk.merges = 1
    if walk.public and walk.start == Start.AUTO:
        walk.start = Start.HERE
    if known and walk.start != Start.HERE and not walk.public:
        walk.root = mixed(history.seen, walk.sight)
        walk.merges = 0


def search_by_regret(memory: SearchMemory, me: Any, search: Any, game: Rules, walk: Any) -> None:
    """Takes walks until the budget is spent."""
    graph = memory.graph
    began = monotonic_ns()
    while may_go_on(search):
        if graph.crowded != 0:
            recycle(graph, find_node(graph, walk.root))
        if walk.start == Start.AUTO and is_trial_over(search, began) and not is_met(graph, walk):
            walk.start = Start.HERE
            walk.root = walk.sight
            walk.merges = 1
            memory.iteration = 0
            empty(graph)
        memory.iteration += 1
        walk.weight = float(memory.iteration)
        walk.averages_root = walk.start == Start.HERE
        completed = True
        for player in range(game.players):
            walk.traverser = player
            begin_walk(memory, me, game, walk)
            completed = take_walk(memory, me, search, game, walk)
            if not completed:
                break
        if not completed:
            break
        search.iterations += 1
        tell_best(memory, me, search, find_node(graph, walk.root))
    memory.root = find_node(graph, walk.root)


def is_trial_over(search: Any, began: int) -> bool:
    """Whether the trial's share of the budget is spent; `began` is the time the decision began."""
    if search.iteration_limit > 0 and TRIAL * search.iterations >= search.iteration_limit:
        return True
    if search.call_limit > 0 and TRIAL * search.calls >= search.call_limit:
        return True
    return bool(
        search.deadline > 0 and TRIAL * (monotonic_ns() - began) >= search.deadline - began
    )


def is_met(graph: Any, walk: Any) -> bool:
    """Whether a walk has reached the present information set."""
    root = find_node(graph, walk.root)
    return bool(root != NOTHING and array_at(graph.nodes, NODE, graph.room)[root].count > 0)


def begin_walk(memory: SearchMemory, me: Any, game: Rules, walk: Any) -> None:
    """Sets the working state to the state in which a walk begins."""
    if walk.start != Start.HERE:
        new_game(game, memory.work, random_below(me.rng, MOST_SEED))
        return
    copy_bytes(memory.work, walk.begins, game.state_size)
    redeterminize(game, memory.work, memory.player, me.rng)
    if walk.public:
        return
    if walk.traverser != memory.player or random_below(me.rng, 2) == 0:
        for other in range(game.players):
            if other != memory.player:
                redeterminize(game, memory.work, other, me.rng)
