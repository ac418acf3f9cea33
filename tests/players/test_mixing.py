"""Mixed strategies: regret matching and Exp3 by hand, known equilibria, and memory."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.players.asking import ask

from kibitz.core.agent import ADVICE, AGENT, make_agent
from kibitz.core.contract import RULES
from kibitz.core.errors import AgentOptionError
from kibitz.core.memory import array_at, record_at
from kibitz.core.randomness import start_stream
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.gdl.game import GdlGame
from kibitz.players.graph import EDGE, NODE
from kibitz.players.memory import memory_of
from kibitz.players.mixing import (
    add_to_average,
    draw_from_mix,
    explored,
    learn_from_all,
    learn_from_draw,
    scale_of,
    share_of,
)
from kibitz.players.policies import Selection
from kibitz.players.seat import AgentSeat
from kibitz.studies.solving.play import agent_policy, show_history
from kibitz.studies.solving.policies import average_gain, expected_utilities
from kibitz.studies.solving.tree import grow_tree
from kibitz.syntax.source import Source

ROCK_COUNTS_DOUBLE = """(role a) (role b) (init start)
(<= (legal ?w (show ?s)) (role ?w) (sign ?s)) (sign rock) (sign paper) (sign scissors)
(<= (next (shown ?w ?s)) (does ?w (show ?s)))
(<= terminal (true (shown a ?s)))
(worth rock scissors 100) (worth scissors rock 0)
(worth paper rock 75) (worth rock paper 25)
(worth scissors paper 75) (worth paper scissors 25)
(<= (worth ?s ?s 50) (sign ?s))
(<= (goal a ?n) (true (shown a ?s)) (true (shown b ?t)) (worth ?s ?t ?n))
(<= (goal b ?n) (true (shown b ?s)) (true (shown a ?t)) (worth ?s ?t ?n))"""
"""Rock paper scissors in which rock beating scissors pays twice as much as the other wins."""

ROCK, PAPER, SCISSORS = 1 / 4, 1 / 2, 1 / 4
"""The shares of the signs in its equilibrium."""


def in_gdl(text: str) -> State:
    """The beginning of the game that some rules describe."""
    return GdlGame(Source("game.kif", text)).new_state(players=2)


# --- one node, by hand --------------------------------------------------------------------


@functools.cache
def searched() -> tuple[Any, Any, Any]:
    """An agent that has searched a little, its table, and its graph."""
    table = load("tic-tac-toe").table()
    seat = AgentSeat(make_agent("ggp:max_nodes=100,iterations=1"), table, 0)
    state = table.new_state(1)
    seat.begin(1)
    seat.decide(state, state.legal_actions())
    record = record_at(seat.binding.address, AGENT)
    return seat, table, memory_of(record, record_at(table.address, RULES)).graph


class Node:
    """A node with a few edges, which have regrets and nothing else."""

    def __init__(self, regrets: list[float]) -> None:
        self.graph = searched()[2]
        self.node = array_at(self.graph.nodes, NODE, self.graph.room)[1]
        self.node.first = 0
        self.node.count = len(regrets)
        self.edges = array_at(self.graph.edges, EDGE, self.graph.edge_room)
        for i, regret in enumerate(regrets):
            edge = self.edges[i]
            edge.regret = regret
            edge.visits, edge.total, edge.average = 0, 0.0, 0.0

    def search(self, selection: Selection, gamma: float, legal: Sequence[int] = ()) -> Any:
        """The memory of a search that mixes, with the indices of the legal actions' edges."""
        indices = np.array(legal, np.int32)
        return SimpleNamespace(
            graph=self.graph,
            policies=SimpleNamespace(selection=selection, gamma=gamma),
            legal_count=len(indices),
            available=int(indices.ctypes.data),
            indices=indices,
        )

    def column(self, name: str) -> list[float]:
        """A field of all edges."""
        return [float(getattr(self.edges[i], name)) for i in range(self.node.count)]

    def shares(self, selection: int = Selection.REGRET) -> list[float]:
        """The strategy."""
        scale = scale_of(self.graph, 1, selection)
        count = self.node.count
        return [share_of(self.edges[i], scale, count, selection) for i in range(count)]


def test_regret_matching_step_by_step() -> None:
    node = Node([0.0, 0.0, 0.0])
    assert node.shares() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert learn_from_all(node.graph, 1, [1.0, 0.0, 2.0], 1.0) == pytest.approx(1.0)
    assert node.column("regret") == pytest.approx([0.0, -1.0, 1.0])
    assert node.shares() == pytest.approx([0.0, 0.0, 1.0])
    assert learn_from_all(node.graph, 1, [3.0, 0.0, 0.0], 2.0) == pytest.approx(0.0)
    assert node.column("regret") == pytest.approx([6.0, -1.0, 1.0])
    assert node.shares() == pytest.approx([6 / 7, 0.0, 1 / 7])
    add_to_average(node.graph, 1, Selection.REGRET, 7.0)
    assert node.column("average") == pytest.approx([6.0, 0.0, 1.0])
    assert node.column("visits") == [2, 2, 2]
    assert node.column("total") == pytest.approx([4.0, 0.0, 2.0])


def test_exp3_step_by_step() -> None:
    node = Node([0.0, 0.0])
    node.graph.low, node.graph.high = 0.0, 1.0
    learn_from_draw(node.search(Selection.EXP3, 0.2), 1, 0, 1.0, 1.0)
    assert node.column("regret") == pytest.approx([0.2, 0.0])  # gamma / 2 of 1 / 0.5
    odds = 2.718281828**0.2
    assert node.shares(Selection.EXP3) == pytest.approx([odds / (odds + 1), 1 / (odds + 1)])
    node = Node([1e6, 1e6 - 1.0])
    assert node.shares(Selection.EXP3)[0] == pytest.approx(1 / (1 + 1 / 2.718281828))


@settings(max_examples=15)
@given(
    edges=st.lists(st.tuples(*[st.floats(-5, 5)] * 3, st.integers(0, 3)), min_size=2, max_size=5),
    gamma=st.floats(0.05, 1.0),
)
def test_draws_teach_on_average_what_trying_all_teaches(
    edges: list[tuple[float, float, float, int]], gamma: float
) -> None:
    """Whatever the mean values are that stand for the actions that were not drawn."""
    regrets, values, means, visits = (list(column) for column in zip(*edges, strict=True))

    def fresh() -> Node:
        node = Node(regrets)
        for i in range(len(edges)):
            node.edges[i].visits = visits[i]
            node.edges[i].total = visits[i] * means[i]
        return node

    exact = fresh()
    shares = exact.shares()
    worth = learn_from_all(exact.graph, 1, values, 1.0)
    taught = exact.column("regret")
    expected = [0.0] * len(edges)
    expected_worth = 0.0
    for drawn, value in enumerate(values):
        node = fresh()
        likely = explored(shares[drawn], len(edges), gamma)
        expected_worth += likely * learn_from_draw(
            node.search(Selection.REGRET, gamma), 1, drawn, value, 1.0
        )
        for i, regret in enumerate(node.column("regret")):
            expected[i] += likely * regret
    assert expected_worth == pytest.approx(worth, abs=1e-9)
    assert expected == pytest.approx(taught, abs=1e-9)


def test_actions_are_drawn_by_their_shares() -> None:
    node = Node([3.0, -2.0, 1.0, 0.0])
    rng = [0, 0, 0, 0]
    start_stream(rng, 1, 0)
    drawn = [0] * 4
    search = node.search(Selection.REGRET, 0.2, [0, 1, 2, 3])
    for _ in range(4000):
        drawn[draw_from_mix(search, 1, 0.2, rng)] += 1
    assert drawn == pytest.approx([2600, 200, 1000, 200], abs=150)
    search = node.search(Selection.REGRET, 0.2, [1, 2])
    for _ in range(50):  # what is not available is not drawn, though it has the most regret
        assert draw_from_mix(search, 1, 0.0, rng) == 2


# --- known equilibria ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("mccfr:iterations=5000", 0.03),
        ("mccfr:iterations=5000,start=here", 0.03),
        ("mccfr:iterations=20000,width=1", 0.06),
        ("ismcts:iterations=20000,trees=many,selection=regret,gamma=0.05", 0.06),
        ("ggp:iterations=20000,selection=regret,gamma=0.05", 0.06),
        ("ggp:iterations=100000,selection=exp3,gamma=0.1", 0.1),
    ],
)
def test_who_moves_at_once_mixes_as_in_equilibrium(spec: str, error: float) -> None:
    state = in_gdl(ROCK_COUNTS_DOUBLE)
    shares = {
        state.action_words(opinion.action): opinion.share
        for opinion in make_agent(spec).advise(state)
    }
    assert shares == pytest.approx(
        {"(show rock)": ROCK, "(show paper)": PAPER, "(show scissors)": SCISSORS}, abs=error
    )


def test_the_move_is_drawn_from_the_mix() -> None:
    state = in_gdl(ROCK_COUNTS_DOUBLE)
    words = {action: state.action_words(action) for action in state.legal_actions()}

    def shown(spec: str) -> list[str]:
        seat = AgentSeat(make_agent(f"{spec},max_nodes=100"), state.table, 0)
        moves = []
        for seed in range(100):
            seat.begin(seed)
            moves.append(words[seat.decide(state, list(words))])
        return moves

    assert set(shown("mccfr:iterations=500,choose=most")) == {"(show paper)"}
    drawn = shown("mccfr:iterations=500")
    assert [drawn.count(f"(show {s})") for s in ("rock", "paper", "scissors")] == pytest.approx(
        [25, 50, 25], abs=15
    )
    assert len(set(shown("ismcts:iterations=200,trees=many,choose=mix"))) == 3


def test_kuhn_poker_is_played_as_it_should_be() -> None:
    tree = grow_tree(load("kuhn-poker").table())
    policy = agent_policy(tree, ["mccfr:iterations=10000"], samples=2)
    assert average_gain(tree, policy) < 0.02
    assert expected_utilities(tree, policy)[0] == pytest.approx(-1 / 18, abs=0.01)


@pytest.mark.parametrize("game", ["gdl", "gops"])
def test_who_decides_second_does_not_answer_a_guess(game: str) -> None:
    """They are shown the state before the first one decided, and begin there."""
    table = in_gdl(ROCK_COUNTS_DOUBLE).table
    if game == "gops":
        table = load("gops").table(cards=3, order=1)
    tree = grow_tree(table)
    policy = agent_policy(tree, ["mccfr:iterations=1000"], samples=1)
    assert average_gain(tree, policy) < 0.05


@pytest.mark.parametrize(("game", "options"), [("kuhn-poker", {}), ("gops", {"cards": 3})])
def test_the_mix_ignores_what_is_hidden_from_the_first_move_on(
    game: str, options: dict[str, int]
) -> None:
    """All games that one information set stands for, shown move by move, give the same mix."""
    tree = grow_tree(load(game).table(**options))
    agent = make_agent("mccfr:iterations=20")
    seats = [AgentSeat(agent, tree.table, p) for p in range(2)]
    advice = np.zeros(1, ADVICE)
    for seat in seats:
        seat.binding.record["advice"] = advice.ctypes.data
    mixed = 0
    for infoset in range(0, len(tree.infoset_player), 1 + len(tree.infoset_player) // 20):
        nodes = np.flatnonzero(tree.infoset == infoset)[:3]
        mixes = set()
        for node in nodes:
            seat = seats[tree.infoset_player[infoset]]
            state = tree.state(int(node))
            seat.begin(7)
            show_history(tree, int(node), seat)
            advice["count"] = 0
            seat.decide(state, state.legal_actions())
            mixes.add(advice["items"][0, : int(advice["count"][0])].tobytes())
        assert len(mixes) == 1
        mixed += len(nodes) > 1
    assert mixed > 2


def test_advice_tells_visits_in_proportion_to_the_mix() -> None:
    opinions = make_agent("mccfr:iterations=500").advise(in_gdl(ROCK_COUNTS_DOUBLE))
    assert sum(opinion.visits for opinion in opinions) == pytest.approx(3 * 499, abs=3)
    for opinion in opinions:
        assert opinion.visits == pytest.approx(opinion.share * 3 * 499, abs=3)


def test_a_mix_is_read_and_not_sampled() -> None:
    tree = grow_tree(load("kuhn-poker").table())
    policy = agent_policy(tree, ["mccfr:iterations=100"], samples=1)
    assert len(set(policy.tolist()) - {0.0, 1.0}) > 4
    chosen = agent_policy(tree, ["mccfr:iterations=100,choose=most"], samples=1)
    assert set(chosen.tolist()) == {0.0, 1.0}


# --- where walks begin, and memory --------------------------------------------------------


def test_a_large_game_is_searched_from_the_present() -> None:
    """A hand of Agram comes up again too seldom, and is searched all the same."""
    state = load("agram").new_state(players=2, seed=1)
    agent = make_agent("mccfr:iterations=400")
    agent.random.seed(1)
    assert sum(opinion.share for opinion in agent.advise(state)) == pytest.approx(1.0)
    agent = make_agent("mccfr:iterations=400,start=game")
    agent.random.seed(1)
    assert all(opinion.share == 0.0 for opinion in agent.advise(state))


def test_the_tree_keeps_to_its_memory() -> None:
    table = load("gops").table()
    agent = make_agent("mccfr:iterations=50,max_nodes=100,width=20")
    state = table.new_state(3)
    answer = ask(agent, state, 1)
    assert answer.action in state.legal_actions()
    assert answer.iterations == 50
    assert answer.calls > 1000


def test_mixing_in_one_tree_for_all_is_refused() -> None:
    with pytest.raises(AgentOptionError, match="trees=many"):
        make_agent("ismcts:selection=regret")
