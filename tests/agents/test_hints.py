"""Hints: first-play urgency, progressive bias, RAVE and implicit minimax, by hand and in games."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import pytest
from tests.agents.asking import answer

from kibitz.agents.choices import is_marked, mark_choice
from kibitz.agents.graph import (
    EDGE,
    HINT,
    INT32,
    NODE,
    NOTHING,
    add_edges,
    empty,
    find_node,
    make_node,
    make_room,
    mixed,
    recycle,
)
from kibitz.agents.hints import learn_amaf, select_by_hints
from kibitz.agents.implicit_minimax import back_up_minimax, minimax_of
from kibitz.agents.memory import memory_of
from kibitz.agents.policies import MAX_DEPTH
from kibitz.agents.search import SEARCH
from kibitz.agents.seat import AgentSeat
from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.agent import AGENT, make_agent
from kibitz.core.contract import RULES
from kibitz.core.errors import AgentOptionError
from kibitz.core.memory import FLOAT64, array_at, record_at
from kibitz.core.randomness import start_stream
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.core.status import MAX_PLAYERS

HINTED = "ggp:max_nodes=100,iterations=1,c=0,rave=10,bias=1,minimax=0.5,urgency=1"


@pytest.fixture
def wrapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes wrap around at 64 bits, as they do in compiled code."""

    def wrapped(key: int, word: int) -> int:
        return (mixed(key, word) + 2**63) % 2**64 - 2**63

    monkeypatch.setattr("kibitz.agents.averages.mixed", wrapped)


@functools.cache
def searched() -> tuple[Any, Any, Any]:
    """A seat that has searched tic-tac-toe a little with all hints, and its table."""
    table = load("tic-tac-toe").table()
    seat = AgentSeat(make_agent(HINTED), table, 0)
    state = table.new_state(1)
    seat.begin(1)
    seat.decide(state, state.legal_actions())
    return seat, table, record_at(seat.binding.address, AGENT)


class Search:
    """An empty graph that can be filled by hand, with the policies of ``HINTED``."""

    def __init__(self, **policies: float) -> None:
        _, table, me = searched()
        self.memory = memory_of(me, record_at(table.address, RULES))
        self.search = record_at(me.memory, SEARCH)
        self.graph = self.memory.graph
        empty(self.graph)
        self.policies = self.memory.policies
        self.policies.widening = 0.0
        for name in ("rave", "bias", "minimax", "urgency", "c"):
            setattr(self.policies, name, policies.get(name, 0.0))
        self.nodes = array_at(self.graph.nodes, NODE, self.graph.room)
        self.edges = array_at(self.graph.edges, EDGE, self.graph.edge_room)
        self.hints = array_at(self.graph.hints, HINT, self.graph.edge_room)
        self.rng = [0, 0, 0, 0]
        start_stream(self.rng, 1, 0)

    def node(self, key: int, mover: int, *actions: int) -> int:
        """A new node with an edge for each action."""
        legal = record_at(self.memory.buffer, ACTION_LIST)
        for i, action in enumerate(actions):
            legal.items[i] = action
        number = make_node(self.graph, key, mover)
        assert add_edges(self.graph, number, legal, len(actions))
        return number

    def edge(self, number: int, k: int) -> Any:
        return self.edges[self.nodes[number].first + k]

    def hint(self, number: int, k: int) -> Any:
        return self.hints[self.nodes[number].first + k]

    def visit(self, number: int, k: int, visits: int, mean: float) -> None:
        self.edge(number, k).visits = visits
        self.edge(number, k).total = mean * visits
        self.nodes[number].visits += visits

    def selected(self, number: int, *available: int) -> set[int]:
        """The edges that are selected, with the first look at any of them."""
        places = array_at(self.memory.available, INT32, MAX_ACTIONS)
        for i, k in enumerate(available):
            places[i] = k
        first = self.nodes[number].first
        return {
            select_by_hints(self.memory, number, len(available), self.rng) - first
            for _ in range(40)
        }


# --- selection, by hand -----------------------------------------------------------------------


def test_an_action_never_tried_comes_first_unless_its_urgency_is_lower() -> None:
    for urgency, expected in ((0.0, {1, 2}), (0.7, {0}), (0.9, {1, 2})):
        search = Search(urgency=urgency)
        node = search.node(1, 0, 10, 11, 12)
        search.visit(node, 0, 4, 0.8)
        assert search.selected(node, 0, 1, 2) == expected


def test_what_is_not_available_is_not_selected() -> None:
    search = Search(urgency=0.5)
    node = search.node(1, 0, 10, 11, 12)
    for k, mean in enumerate((0.9, 0.6, 0.7)):
        search.visit(node, k, 5, mean)
    assert search.selected(node, 0, 1, 2) == {0}
    assert search.selected(node, 1, 2) == {2}


def test_the_bias_fades_with_visits() -> None:
    search = Search(bias=1.0)
    node = search.node(1, 0, 10, 11)
    search.hint(node, 0).ahead = 0.2
    search.hint(node, 1).ahead = 0.8
    assert search.selected(node, 0, 1) == {1}  # neither was tried
    for visits, expected in ((1, 1), (4, 0)):  # 0.5 + 0.1 against 0.35 + 0.4; then + 0.04, + 0.16
        search.nodes[node].visits = 0
        search.visit(node, 0, visits, 0.5)
        search.visit(node, 1, visits, 0.35)
        assert search.selected(node, 0, 1) == {expected}


def test_all_moves_as_first_count_less_with_visits() -> None:
    search = Search(rave=12.0)
    node = search.node(1, 0, 10, 11, 12)
    for k, amaf in enumerate((0.2, 0.8)):
        search.hint(node, k).amaf_visits = 10
        search.hint(node, k).amaf_total = 10 * amaf
    assert search.selected(node, 0, 1) == {1}  # neither was tried
    assert search.selected(node, 0, 1, 2) == {2}  # of this one nothing is known
    # the share after 3 + 1 visits is sqrt(12 / (12 + 12)), after 303 + 1 sqrt(12 / 924)
    for visits, expected in (((2, 1), 1), ((202, 101), 0)):
        search.nodes[node].visits = 0
        search.visit(node, 0, visits[0], 0.6)
        search.visit(node, 1, visits[1], 0.4)
        share = math.sqrt(12 / (3 * (sum(visits) + 1) + 12))
        means = [m + share * (a - m) for m, a in ((0.6, 0.2), (0.4, 0.8))]
        assert means.index(max(means)) == expected
        assert search.selected(node, 0, 1) == {expected}


def test_implicit_minimax_is_mixed_into_the_mean() -> None:
    for share, expected in ((0.2, 0), (0.4, 1)):
        search = Search(minimax=share)
        node = search.node(1, 0, 10, 11)
        for k, (mean, value) in enumerate(((0.6, 0.3), (0.5, 0.6))):
            child = search.node(2 + k, 1, 20)
            search.visit(node, k, 5, mean)
            search.edge(node, k).child = child
            minimax_of(search.graph, child)[0] = value
        assert search.selected(node, 0, 1) == {expected}


def test_widening_holds_back_what_was_never_tried() -> None:
    search = Search(urgency=0.9)
    search.policies.widening = 1.0
    node = search.node(1, 0, 10, 11, 12)
    search.visit(node, 0, 1, 0.5)
    assert search.selected(node, 0, 1, 2) == {0}  # one was tried for the root of one visit
    search.visit(node, 0, 5, 0.5)
    assert search.selected(node, 0, 1, 2) == {1, 2}


# --- what is learned, by hand -------------------------------------------------------------------


def test_a_node_takes_the_child_that_is_best_for_its_mover() -> None:
    for mover, expected in ((0, (0.7, 0.3)), (1, (0.1, 0.9))):
        search = Search(minimax=0.5)
        node = search.node(1, mover, 10, 11, 12, 13)
        for k, value in enumerate((0.4, 0.7, 0.1)):
            child = search.node(2 + k, 1 - mover, 20)
            minimax_of(search.graph, child)[0] = value
            minimax_of(search.graph, child)[1] = 1 - value
            search.edge(node, k).child = child
        back_up_minimax(search.graph, node)
        assert tuple(minimax_of(search.graph, node)) == pytest.approx(expected)


def test_a_node_without_children_keeps_its_own_value() -> None:
    search = Search(minimax=0.5)
    node = search.node(1, 0, 10)
    assert search.edge(node, 0).child == NOTHING
    minimax_of(search.graph, node)[0] = 0.25
    back_up_minimax(search.graph, node)
    assert minimax_of(search.graph, node)[0] == 0.25


@pytest.mark.usefixtures("wrapping")
def test_an_iteration_counts_for_what_its_player_chose_there_or_later() -> None:
    search = Search(rave=10.0)
    top, below = search.node(1, 0, 10, 11, 12), search.node(2, 1, 10, 11, 12)
    path_nodes = array_at(search.memory.path_nodes, INT32, MAX_DEPTH)
    path_edges = array_at(search.memory.path_edges, INT32, MAX_DEPTH)
    path_nodes[0], path_edges[0] = top, search.nodes[top].first
    path_nodes[1], path_edges[1] = below, search.nodes[below].first + 1
    search.memory.depth = 2
    values = array_at(search.memory.values, FLOAT64, MAX_PLAYERS)
    for value in (0.75, 0.25):
        values[0], values[1] = value, 1 - value
        mark_choice(search.search, 12, 0)  # in the playout: twice is once
        mark_choice(search.search, 12, 0)
        mark_choice(search.search, 10, 1)
        learn_amaf(search.memory, search.search)
        assert not is_marked(search.search, 12, 0)  # the next iteration begins with nothing
    found = {
        (number, k): (search.hint(number, k).amaf_visits, search.hint(number, k).amaf_total)
        for number in (top, below)
        for k in range(3)
    }
    assert found == {
        (top, 0): (2, 1.0),  # chosen in the tree
        (top, 1): (0, 0.0),  # chosen by the other one only
        (top, 2): (2, 1.0),  # chosen in the playout
        (below, 0): (2, 1.0),
        (below, 1): (2, 1.0),
        (below, 2): (0, 0.0),
    }


def test_hints_move_with_their_edges() -> None:
    search = Search(rave=10.0)
    kept = [(1, (10, 11)), (3, (30, 31, 32))]
    search.node(1, 0, 10, 11)
    search.node(2, 0, 20)
    search.node(3, 0, 30, 31, 32)

    def check() -> None:
        for key, actions in kept:
            number = find_node(search.graph, key)
            for k, action in enumerate(actions):
                assert search.edge(number, k).action == action
                assert search.hint(number, k).amaf_visits == action

    for key, actions in kept:
        number = find_node(search.graph, key)
        search.nodes[number].visits = 1000
        for k, action in enumerate(actions):
            search.hint(number, k).amaf_visits = action
    before = search.nodes[find_node(search.graph, 1)].first
    assert make_room(search.graph, find_node(search.graph, 1), 4)
    assert search.nodes[find_node(search.graph, 1)].first != before
    assert search.hint(find_node(search.graph, 1), 2).amaf_visits == 0
    check()
    for key in range(100, 190):
        make_node(search.graph, key, 0)
    recycle(search.graph, NOTHING)
    assert find_node(search.graph, 2) == NOTHING
    check()


# --- in games -----------------------------------------------------------------------------------


def positions() -> Iterator[State]:
    """Some of tic-tac-toe on a board of five by five, which has a heuristic."""
    for seed, moves in ((1, 4), (2, 6), (3, 9)):
        state = load("tic-tac-toe").new_state(seed=seed, size=5)
        for _ in range(moves):
            legal = state.legal_actions()
            state.apply(legal[seed * 7 % len(legal)])
        yield state


@pytest.mark.parametrize("agent", ["mcts", "mcts:loop=closed", "ggp", "ismcts"])
def test_the_first_action_tried_is_the_best_by_the_heuristic(agent: str) -> None:
    more = "," if ":" in agent else ":"
    biased = make_agent(f"{agent}{more}iterations=1,bias=100")
    for state in positions():
        player = state.current_player
        worth = {}
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action)
            worth[action] = after.heuristic(player)
        assert len(set(worth.values())) > 2
        chosen = answer(biased, state, state.legal_actions()).action
        assert worth[chosen] == max(worth.values())


@pytest.mark.parametrize("agent", ["mcts", "mcts:loop=closed", "ggp", "ismcts"])
def test_with_a_low_urgency_what_was_good_once_is_followed_at_once(agent: str) -> None:
    more = "," if ":" in agent else ":"
    for state in positions():
        shares = {}
        for urgency in (0, 0.1):
            searched = make_agent(
                f"{agent}{more}iterations=8,rollout_length=0,c=0,urgency={urgency}"
            )
            shares[urgency] = max(advice.share for advice in searched.advise(state))
        assert shares[0] == pytest.approx(1 / 8)  # each is tried first
        assert shares[0.1] == 1.0


def graph_after(agent: str, state: State) -> Any:
    """The graph of an agent that has decided in a state."""
    seat = AgentSeat(make_agent(agent), state.table, state.current_player)
    seat.begin(1)
    seat.decide(state, state.legal_actions())
    me = record_at(seat.binding.address, AGENT)
    KEPT.append(seat)
    return memory_of(me, record_at(state.table.address, RULES)).graph


KEPT: list[Any] = []
"""Seats whose memory is looked at."""


@pytest.mark.parametrize("agent", ["mcts:depth=1,loop=closed", "mcts:depth=1", "ismcts:depth=1"])
@pytest.mark.parametrize(("length", "own"), [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3)])
def test_each_choice_of_the_player_in_a_playout_counts(agent: str, length: int, own: int) -> None:
    state = load("tic-tac-toe").new_state(seed=1, size=5)
    graph = graph_after(f"{agent},iterations=60,rave=50,rollout_length={length}", state)
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    hints = array_at(graph.hints, HINT, graph.edge_room)
    root = range(nodes[1].first, nodes[1].first + nodes[1].count)
    assert sum(edges[i].visits for i in root) == 60
    assert sum(hints[i].amaf_visits for i in root) == 60 * own
    assert all(hints[i].amaf_visits >= edges[i].visits for i in root)


def test_implicit_minimax_values_are_those_of_the_best_children() -> None:
    for state in positions():
        graph = graph_after("mcts:iterations=400,loop=closed,minimax=0.4,c=0.3", state)
        nodes = array_at(graph.nodes, NODE, graph.room)
        edges = array_at(graph.edges, EDGE, graph.edge_room)
        leaves = set()
        parents = 0
        for number in range(1, graph.used):
            node = nodes[number]
            children = [edges[i].child for i in range(node.first, node.first + node.count)]
            known = [minimax_of(graph, child)[node.mover] for child in children if child]
            own = minimax_of(graph, number)
            assert own[0] + own[1] == pytest.approx(1)
            if known:
                parents += 1
                assert own[node.mover] == max(known)
            else:
                leaves.add(own[0])
        assert parents > 5
        assert len(leaves) > 5


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("mcts:minimax=0.2", "loop=closed"),
        ("ismcts:rave=100,selection=regret,trees=many", "selection=ucb"),
        ("ismcts:urgency=0.5,selection=exp3,trees=many", "selection=ucb"),
        ("ismcts:bias=1,prior=some.npz", "without a prior"),
    ],
)
def test_hints_that_would_do_nothing_are_refused(agent: str, told: str) -> None:
    with pytest.raises(AgentOptionError, match=told):
        make_agent(agent)
