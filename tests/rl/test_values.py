"""The value of a game is the same at every door: Kuhn poker's -1/18, and that of Leduc poker.

An equilibrium is found in the whole tree of the game. Then every way in which it can end is played
through each door, and what the first player gets is weighted with the probability of that end. So
the values are exact but for the equilibrium, of which a bound is known, and for ends that are
too improbable to be played.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.arena.match import result_dtype
from kibitz.arena.worker import Worker
from kibitz.core.randomness import derive_seed
from kibitz.core.state import State
from kibitz.rl import make_vec
from kibitz.rl.settings import LearningSettings
from kibitz.rl.vector import VectorTables
from kibitz.studies.solving.policies import average_gain, equilibrium
from kibitz.studies.solving.tree import Floats, GameTree, grow_tree

VALUES = {"kuhn-poker": -1 / 18, "leduc-poker": -0.085606424078}
"""The value for the first player: H. W. Kuhn, "A simplified two-person poker" (1950); OpenSpiel's
tests of ``sequence_form_lp``."""
ITERATIONS = {"kuhn-poker": 1000, "leduc-poker": 300}
IGNORED = 1e-6
"""The probability below which an end is not played."""
ERROR = 0.005
"""The greatest error of a value."""


@dataclass(frozen=True)
class End:
    """A way in which a game can end.

    Attributes:
        deal: the cards that matter.
        path: all actions.
        chance: the probability in the equilibrium.
    """

    deal: tuple[str, ...]
    path: tuple[int, ...]
    chance: float


def deal_of(state: State) -> tuple[str, ...]:
    """The cards that matter: both hands, and the next of the stock."""
    cards = state.to_json()["components"]
    return cards["hand[0]"][0], cards["hand[1]"][0], cards["stock"][-1]


@functools.cache
def solved(name: str) -> tuple[GameTree, Floats]:
    tree = grow_tree(kibitz.load(name).table())
    return tree, equilibrium(tree, ITERATIONS[name])


@functools.cache
def ends_of(name: str) -> tuple[End, ...]:
    """The ends that are worth playing."""
    tree, policy = solved(name)
    children: dict[int, list[int]] = defaultdict(list)
    for node in range(len(tree.roots), len(tree.parent)):
        children[int(tree.parent[node])].append(node)

    def below(node: int, path: tuple[int, ...], chance: float) -> Iterator[tuple[Any, float]]:
        if tree.player[node] < 0:
            yield path, chance
        for child in children[node]:
            likely = chance * policy[tree.sequence[child]]
            if likely > IGNORED:
                yield from below(child, (*path, int(tree.action[child])), likely)

    ends = []
    root_of = {seed: root for root, (seed, _) in enumerate(tree.roots)}
    for seed, chance in tree.distinct_set_ups():
        root = root_of[seed]
        deal = deal_of(tree.roots[root][1])
        ends += [End(deal, path, likely) for path, likely in below(root, (), chance)]
    return tuple(ends)


def seeds_by_deal(name: str, seeds: Iterator[tuple[int, State]]) -> dict[tuple[str, ...], int]:
    """A seed, or whatever stands for it, for each deal."""
    found: dict[tuple[str, ...], int] = {}
    needed = {end.deal for end in ends_of(name)}
    while needed - found.keys():
        seed, state = next(seeds)
        found.setdefault(deal_of(state), seed)
    return found


class Scripted(kibitz.Agent):
    """Plays the actions of an end."""

    name = "scripted"
    path: tuple[int, ...] = ()

    def choose(self, state: State) -> int:
        return self.path[state.tick]


# --- doors ----------------------------------------------------------------------------------


def through_the_match_loop(name: str) -> Iterator[tuple[End, float]]:
    table = kibitz.load(name).table()
    agents = [Scripted() for _ in range(2)]
    worker = Worker(table, agents, np.zeros(1, np.int64), 0)
    numbers = ((n, table.new_state(derive_seed([0] * 4, 5, n))) for n in range(10**6))
    games = seeds_by_deal(name, numbers)
    results = np.zeros(max(games.values()) + 1, result_dtype(2))
    worker.match["results"] = results.ctypes.data
    worker.match["result_size"] = results.itemsize
    worker.match["seed"] = 5
    for end in ends_of(name):
        for agent in agents:
            agent.path = end.path
        worker.play(games[end.deal], 1)
        yield end, results[games[end.deal]]["seats"]["score"][0]


def tables_of(name: str) -> tuple[VectorTables, dict[int, End], dict[int, list[int]]]:
    """Tables at which every end can be played: the end for each of them, and its indices."""
    waiting: dict[tuple[str, ...], list[End]] = defaultdict(list)
    for end in ends_of(name):
        waiting[end.deal].append(end)
    tables = make_vec(name, 128 * len(waiting), seed=3)
    played: dict[int, End] = {}
    for number in range(tables.n):
        if ends := waiting[deal_of(tables.state(number))]:
            played[number] = ends.pop()
    assert not any(waiting.values())
    index = tables.table.encoder.index
    return tables, played, {n: list(map(index, end.path)) for n, end in played.items()}


def through_make_vec(name: str) -> Iterator[tuple[End, float]]:
    tables, played, paths = tables_of(name)
    step = 0
    while played:
        actions = tables.masks.argmax(axis=1)
        for number in played:
            actions[number] = paths[number][step]
        tables.step(actions)
        step += 1
        for number in np.flatnonzero(tables.done).tolist():
            if number in played:
                yield played.pop(number), float(tables.rewards[number, 0])


def through_learn(name: str) -> Iterator[tuple[End, float]]:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    from kibitz.rl.ppo import SelfPlay

    tables, played, paths = tables_of(name)
    steps = max(map(len, paths.values()))

    class Following(SelfPlay):
        """Plays the ends instead of what its network says."""

        step = 0

        def evaluate(self, observations: Any, masks: Any) -> tuple[Any, Any]:
            chosen = masks.argmax(axis=1)
            for number, path in paths.items():
                if self.step < len(path):
                    chosen[number] = path[self.step]
            self.step += 1
            certain = torch.nn.functional.one_hot(torch.from_numpy(chosen), masks.shape[1])
            return certain.float(), torch.zeros(len(masks), 2)

    settings = LearningSettings(hidden=(16,), steps=steps, trace=1.0)
    stretch = Following(tables, settings, scale=2.0, seed=1, device="cpu").play()
    assert (stretch.masks[: tables.n].sum(dim=1) > 1).all()  # the first decision of each table
    for number, end in played.items():
        yield end, 2.0 * float(stretch.returns[number, 0])


def through_gymnasium(name: str) -> Iterator[tuple[End, float]]:
    pytest.importorskip("gymnasium", exc_type=ImportError)
    from kibitz.rl.gymnasium import KibitzEnv

    other = Scripted()
    env = KibitzEnv(name, agents=other, illegal="error")
    index = env.table.encoder.index

    def states() -> Iterator[tuple[int, State]]:
        for seed in range(10**6):
            env.reset(seed=seed)
            yield seed, env._game.state

    seeds = seeds_by_deal(name, states())
    for end in ends_of(name):
        other.path = end.path
        env.reset(seed=seeds[end.deal])
        over = False
        while not over:
            action = index(end.path[env._game.state.tick])
            _, reward, over, _, _ = env.step(action)
        yield end, float(reward)


def through_pettingzoo(name: str) -> Iterator[tuple[End, float]]:
    pytest.importorskip("pettingzoo", exc_type=ImportError)
    from kibitz.rl.pettingzoo import KibitzAECEnv

    env = KibitzAECEnv(name)
    index = env.table.encoder.index

    def states() -> Iterator[tuple[int, State]]:
        for seed in range(10**6):
            env.reset(seed=seed)
            yield seed, env._game.state

    seeds = seeds_by_deal(name, states())
    for end in ends_of(name):
        env.reset(seed=seeds[end.deal])
        for action in end.path:
            env.step(index(action))
        yield end, float(env.rewards["player_0"])


def through_openspiel(name: str) -> Iterator[tuple[End, float]]:
    pytest.importorskip("pyspiel", exc_type=ImportError)
    from kibitz.rl.openspiel import load_game

    game = load_game(name)
    index = game.table.encoder.index
    root = game.new_initial_state()
    dealt = {}
    for outcome, chance in root.chance_outcomes():
        state = root.child(outcome)
        dealt[deal_of(state.state)] = state, chance
    assert sum(chance for _, chance in dealt.values()) == pytest.approx(1)
    for end in ends_of(name):
        state = dealt[end.deal][0].clone()
        for action in end.path:
            state.apply_action(index(action))
        yield end, state.player_return(0)


DOORS: dict[str, Callable[[str], Iterator[tuple[End, float]]]] = {
    "match loop": through_the_match_loop,
    "make_vec": through_make_vec,
    "learn": through_learn,
    "Gymnasium": through_gymnasium,
    "PettingZoo": through_pettingzoo,
    "OpenSpiel": through_openspiel,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", VALUES)
def test_a_game_has_the_same_value_at_every_door(name: str, door: str) -> None:
    played = list(DOORS[door](name))
    assert sum(end.chance for end, _ in played) == pytest.approx(1, abs=1e-3)
    assert len(played) == len(ends_of(name))
    value = sum(end.chance * reward for end, reward in played)
    assert value == pytest.approx(VALUES[name], abs=ERROR)


@pytest.mark.parametrize("name", VALUES)
def test_the_equilibrium_has_the_value_of_the_game(name: str) -> None:
    tree, policy = solved(name)
    assert average_gain(tree, policy) < ERROR
    result = kibitz.exploitability(name, iterations=ITERATIONS[name])
    assert result.policies[0].policy == "equilibrium"
    assert result.policies[0].utilities[0] == pytest.approx(VALUES[name], abs=ERROR)


def test_algorithms_of_openspiel_solve_kuhn_poker() -> None:
    pytest.importorskip("pyspiel", exc_type=ImportError)
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    from kibitz.rl.openspiel import load_game

    game = load_game("kuhn-poker")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(40):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert value == pytest.approx([-1 / 18, 1 / 18], abs=ERROR)
    assert exploitability.exploitability(game, policy) < 2 * ERROR
