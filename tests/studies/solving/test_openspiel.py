"""Exploitability of any policy is what OpenSpiel says, where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.open_spiel import poker_action, poker_card

import kibitz
from kibitz.core.state import State
from kibitz.studies.solving.policies import expected_utilities, gains
from kibitz.studies.solving.tree import Floats, GameTree, grow_tree

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

from open_spiel.python.algorithms import expected_game_score, exploitability  # noqa: E402
from open_spiel.python.policy import TabularPolicy  # noqa: E402


def dealt(state: State, place: str) -> int:
    (name,) = state.to_json()["components"][place]
    return poker_card(name)


def translated(tree: GameTree, policy: Floats, game: Any, poker: str) -> TabularPolicy:
    """The same policy for OpenSpiel, found by walking both trees side by side.

    On the way returns have to agree, and information sets of ours to be those of OpenSpiel.
    """
    theirs = TabularPolicy(game)
    children: dict[int, list[int]] = {}
    for node in range(len(tree.roots), len(tree.parent)):
        children.setdefault(int(tree.parent[node]), []).append(node)
    names: dict[int, str] = {}

    def walk(node: int, ours: State, other: Any) -> None:
        if tree.player[node] < 0:
            assert other.returns() == list(tree.utility[node])
            return
        if other.is_chance_node():
            other.apply_action(dealt(ours, "board"))
        assert other.current_player() == ours.current_player
        name = other.information_state_string()
        assert names.setdefault(int(tree.infoset[node]), name) == name
        chances = theirs.policy_for_key(name)
        chosen = []
        for child in children[node]:
            number = poker_action(poker, ours.action_words(int(tree.action[child])))
            chances[number] = policy[tree.sequence[child]]
            chosen.append(number)
            after = ours.clone()
            after.apply(int(tree.action[child]))
            walk(child, after, other.child(number))
        assert sorted(chosen) == other.legal_actions()

    walked = set()
    for root, (_, state) in enumerate(tree.roots):
        cards = [dealt(state, f"hand[{seat}]") for seat in range(2)]
        cards += [
            poker_card(state.to_json()["components"]["stock"][-1])
        ]  # the board, if there is one
        if tuple(cards) not in walked:
            walked.add(tuple(cards))
            other = game.new_initial_state()
            for number in cards[:2]:
                other.apply_action(number)
            walk(root, state, other)
    assert len(set(names.values())) == len(names) == len(theirs.state_lookup)
    return theirs


@pytest.mark.parametrize(("name", "seeds"), [("kuhn-poker", range(8)), ("leduc-poker", range(1))])
def test_exploitability_is_that_of_openspiel(name: str, seeds: range) -> None:
    tree = grow_tree(kibitz.load(name).table())
    game = pyspiel.load_game(name.replace("-", "_"))
    for seed in seeds:
        rng = np.random.default_rng(seed)
        policy = tree.normalized(rng.random(len(tree.sequence_action)) ** 4)
        theirs = translated(tree, policy, game, name)
        assert sum(gains(tree, policy)) == pytest.approx(exploitability.nash_conv(game, theirs))
        score = expected_game_score.policy_value(game.new_initial_state(), [theirs, theirs])
        assert expected_utilities(tree, policy) == pytest.approx(score)
