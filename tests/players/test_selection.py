"""Selection rules of the searches: exact bounds by hand, and ties that are broken at random."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.players.asking import ask

from kibitz.core.agent import make_agent
from kibitz.core.memory import array_at, record_at
from kibitz.core.randomness import start_stream
from kibitz.core.registry import load
from kibitz.players.averages import NOTES_SIZE, TABLE_SIZE, best_by_average, lay_out_averages
from kibitz.players.graph import (
    EDGE,
    GRAPH,
    NODE,
    add_edges,
    empty,
    graph_memory,
    lay_out,
    make_node,
    set_range,
)
from kibitz.players.search import AVERAGES, Learn
from kibitz.players.selection import (
    TABLED,
    inverse,
    root_of_inverse,
    root_of_log,
    select_available,
    select_by_average,
    select_greedily,
    select_puct,
    select_ucb,
)

ROOM = 4
CHI_SQUARE = {1: 10.83, 2: 13.82, 3: 16.27}
"""By the degrees of freedom what chance exceeds once in a thousand times."""


class Node:
    """A node of a graph, with an edge for each pair of visits and mean value."""

    def __init__(self, *edges: tuple[int, float], visits: int = 0) -> None:
        self._memory = np.zeros(graph_memory(2, 8, ROOM) + GRAPH.itemsize, np.uint8)
        address = int(self._memory.ctypes.data)
        self.graph = record_at(address, GRAPH)
        rules: Any = SimpleNamespace(players=2, state_size=8)
        lay_out(self.graph, address + GRAPH.itemsize, rules, ROOM, ROOM, False)
        empty(self.graph)
        set_range(self.graph, False)
        self.number = make_node(self.graph, 7, 0)
        legal = SimpleNamespace(items=[*range(len(edges))])
        assert add_edges(self.graph, self.number, legal, len(edges))
        self.count = len(edges)
        self.legal = legal.items
        node = array_at(self.graph.nodes, NODE, ROOM)[self.number]
        node.visits = visits
        self.first = node.first
        for edge, (tried, mean) in zip(self.edges, edges, strict=True):
            edge.visits, edge.total = tried, tried * mean

    def choice(self, c: float = 0.7, legal: Sequence[int] | None = None) -> Any:
        """The search memory where some edges are of legal actions (``None``: all of them)."""
        indices = np.array(self.legal if legal is None else legal, np.int32)
        return SimpleNamespace(
            graph=self.graph,
            policies=SimpleNamespace(c=c, widening=0.0),
            legal_count=len(indices),
            available=int(indices.ctypes.data),
            indices=indices,
        )

    @property
    def edges(self) -> list[Any]:
        edges = array_at(self.graph.edges, EDGE, self.graph.edge_room)
        return [edges[self.first + i] for i in range(self.count)]


def stream(seed: int) -> Any:
    rng = [0, 0, 0, 0]
    start_stream(rng, seed, 0)
    return rng


def assert_uniform(drawn: Sequence[int], among: Sequence[int]) -> None:
    """Each of some numbers was drawn about equally often, and no other."""
    counts = Counter(drawn)
    assert sorted(counts) == sorted(among)
    each = len(drawn) / len(among)
    square = sum((counts[number] - each) ** 2 / each for number in among)
    assert square < CHI_SQUARE[len(among) - 1], counts


# --- bounds by hand -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, TABLED - 1, TABLED, TABLED + 1, 10**6])
def test_functions_that_are_looked_up_are_exact(n: int) -> None:
    assert inverse(n) == 1 / n
    assert root_of_inverse(n) == math.sqrt(1 / n)
    assert root_of_log(n) == math.sqrt(math.log(n))


def turning_point(select: Callable[[float], int], first: int, second: int) -> float:
    """The weight of exploration from which on the second edge is chosen instead of the first."""
    low, high = 0.0, 65536.0
    assert (select(low), select(high)) == (first, second)
    for _ in range(72):
        middle = (low + high) / 2
        low, high = (middle, high) if select(middle) == first else (low, middle)
    return high


@pytest.mark.parametrize(
    ("often", "seldom"), [(2, 1), (5, 3), (40, 7), (TABLED, TABLED - 1), (2000, 900)]
)
def test_ucb_weighs_means_and_visits_by_its_formula(often: int, seldom: int) -> None:
    """Auer et al. 2002: mean + c sqrt(ln N / n), where N counts the visit that chooses, too."""
    node = Node((often, 0.75), (seldom, 0.5), visits=often + seldom)
    log = math.log(often + seldom + 1)
    expected = 0.25 / (math.sqrt(log / seldom) - math.sqrt(log / often))
    turn = turning_point(lambda c: select_ucb(node.graph, node.number, c) - node.first, 0, 1)
    assert turn == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("often", "seldom"), [((2, 4), (1, 3)), ((40, 90), (7, 90)), ((600, 900), (512, 700))]
)
def test_ucb_over_what_is_available_counts_how_often_it_was(
    often: tuple[int, int], seldom: tuple[int, int]
) -> None:
    """Cowling et al. 2012: mean + c sqrt(ln A / n), where A is how often the edge was there."""
    node = Node((often[0], 0.75), (seldom[0], 0.5), visits=10**6)
    for edge, (_, available) in zip(node.edges, (often, seldom), strict=True):
        edge.available = available
    roots = [math.sqrt(math.log(available) / tried) for tried, available in (often, seldom)]
    for seed in range(4):  # whichever edge comes first
        turn = turning_point(
            lambda c, seed=seed: (  # type: ignore[misc]
                select_available(node.choice(c), node.number, stream(seed)) - node.first
            ),
            0,
            1,
        )
        assert turn == pytest.approx(0.25 / (roots[1] - roots[0]), rel=1e-9)


@pytest.mark.parametrize(("often", "seldom"), [(2, 1), (40, 7), (600, 512)])
def test_puct_weighs_means_and_priors_by_its_formula(often: int, seldom: int) -> None:
    """Silver et al. 2017: mean + c P sqrt(N) / (1 + n), where N counts this visit, too."""
    node = Node((often, 0.75), (seldom, 0.5), (0, 0.0))
    for edge, prior in zip(node.edges, (0.2, 0.6, 0.0), strict=True):
        edge.average = prior
    root = math.sqrt(often + seldom + 1)
    bonuses = [0.25 * root / (often + 1), 0.75 * root / (seldom + 1)]
    turn = turning_point(
        lambda c: select_puct(node.choice(c), node.number, stream(1)) - node.first,
        0,
        1,
    )
    assert turn == pytest.approx(0.25 / (bonuses[1] - bonuses[0]), rel=1e-9)


def test_puct_takes_the_mean_of_the_others_for_what_was_never_tried() -> None:
    node = Node((3, 0.75), (1, 0.5), (0, 0.0))
    for edge, prior in zip(node.edges, (0.0, 0.0, 0.5), strict=True):
        edge.average = prior
    mean = (3 * 0.75 + 0.5) / 4
    turn = turning_point(
        lambda c: select_puct(node.choice(c), node.number, stream(1)) - node.first,
        0,
        2,
    )
    assert turn == pytest.approx((0.75 - mean) / math.sqrt(5), rel=1e-9)


def test_what_was_never_tried_comes_first() -> None:
    node = Node((9, 1.0), (0, 0.0), (0, 0.0), visits=9)
    assert select_ucb(node.graph, node.number, 0.0) == node.first + 1
    assert select_greedily(node.graph, node.number) == node.first + 1


def test_the_greedy_rule_takes_the_highest_mean_and_of_equals_the_most_visits() -> None:
    node = Node((4, 0.5), (2, 0.75), (8, 0.75), (5, 0.75))
    assert select_greedily(node.graph, node.number) == node.first + 2


# --- ties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tried", [0, 5])
def test_equal_edges_are_selected_equally_often(tried: int) -> None:
    node = Node(*[(tried, 0.5)] * 4)
    for edge in node.edges:
        edge.available, edge.average = tried, 0.25
    for select in (select_available, select_puct, select_by_average):
        drawn = [
            select(node.choice(), node.number, stream(seed)) - node.first for seed in range(400)
        ]
        assert_uniform(drawn, range(4))


def test_what_is_not_available_is_never_selected() -> None:
    node = Node(*[(5, 0.5)] * 4)
    for edge in node.edges:
        edge.available, edge.average = 5, 0.25
    for select in (select_available, select_puct, select_by_average):
        drawn = [
            select(node.choice(legal=[1, 3]), node.number, stream(seed)) - node.first
            for seed in range(400)
        ]
        assert_uniform(drawn, [1, 3])


def test_edges_are_drawn_by_how_often_they_were_chosen() -> None:
    """Each counts as one visit more, so that all can be drawn."""
    node = Node((0, 0.0), (2, 0.5), (6, 0.5))
    drawn = Counter(
        select_by_average(node.choice(), node.number, stream(seed)) - node.first
        for seed in range(1100)
    )
    square = sum((drawn[i] - share) ** 2 / share for i, share in enumerate((100, 300, 700)))
    assert square < CHI_SQUARE[2], drawn


def test_playouts_choose_equally_often_among_actions_of_equal_averages() -> None:
    memory = np.zeros(AVERAGES.itemsize + TABLE_SIZE + NOTES_SIZE, np.uint8)
    address = int(memory.ctypes.data)
    averages = record_at(address, AVERAGES)
    lay_out_averages(averages, address + AVERAGES.itemsize, Learn.MAST, 0.0)
    legal = SimpleNamespace(items=[11, 12, 13])
    drawn = [best_by_average(averages, 0, legal, 3, stream(seed)) for seed in range(400)]
    assert_uniform(drawn, legal.items)


@pytest.mark.parametrize("agent", ["osla", "pimc:iterations=5"])
def test_equally_good_actions_are_chosen_equally_often(agent: str) -> None:
    """Two squares are left, and nobody can win."""
    state = load("tic-tac-toe").new_state(seed=1)
    for square in ("1 0", "1 1", "0 1", "0 0", "2 2", "2 1", "2 0"):
        state.apply(f"mark {square}")
    made = make_agent(agent)
    assert_uniform([ask(made, state, seed).action for seed in range(400)], state.legal_actions())
