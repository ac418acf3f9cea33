"""Exploitability of any policy is what OpenSpiel says, where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.state import State
from kibitz.solving.policies import expected_utilities, gains
from kibitz.solving.tree import Floats, GameTree, grow_tree

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

from open_spiel.python.algorithms import expected_game_score, exploitability  # noqa: E402
from open_spiel.python.policy import TabularPolicy  # noqa: E402

RANKS, SUITS = "JQK", ("HEARTS", "SPADES")


def kuhn_card(name: str) -> int:
    return RANKS.index(name)


def leduc_card(name: str) -> int:
    rank, suit = name.split()
    return 2 * RANKS.index(rank) + SUITS.index(suit)


def kuhn_action(words: str) -> int:
    return 1 if "BET" in words or "CALL" in words else 0


def leduc_action(words: str) -> int:
    return 0 if "FOLD" in words else 2 if "BET" in words or "RAISE" in words.split(",")[0] else 1


def dealt(state: State, place: str, card: Callable[[str], int]) -> int:
    (name,) = state.to_json()["components"][place]
    return card(name)


def translated(
    tree: GameTree,
    policy: Floats,
    game: Any,
    card: Callable[[str], int],
    action: Callable[[str], int],
) -> TabularPolicy:
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
            other.apply_action(dealt(ours, "board", card))
        assert other.current_player() == ours.current_player
        name = other.information_state_string()
        assert names.setdefault(int(tree.infoset[node]), name) == name
        chances = theirs.policy_for_key(name)
        chosen = []
        for child in children[node]:
            number = action(ours.action_words(int(tree.action[child])))
            chances[number] = policy[tree.sequence[child]]
            chosen.append(number)
            after = ours.clone()
            after.apply(int(tree.action[child]))
            walk(child, after, other.child(number))
        assert sorted(chosen) == other.legal_actions()

    walked = set()
    for root, (_, state) in enumerate(tree.roots):
        cards = [dealt(state, f"hand[{seat}]", card) for seat in range(2)]
        cards += [card(state.to_json()["components"]["stock"][-1])]  # the board, if there is one
        if tuple(cards) not in walked:
            walked.add(tuple(cards))
            other = game.new_initial_state()
            for number in cards[:2]:
                other.apply_action(number)
            walk(root, state, other)
    assert len(set(names.values())) == len(names) == len(theirs.state_lookup)
    return theirs


@pytest.mark.parametrize(
    ("name", "seeds", "card", "action"),
    [
        ("kuhn-poker", range(8), kuhn_card, kuhn_action),
        ("leduc-poker", range(1), leduc_card, leduc_action),
    ],
)
def test_exploitability_is_that_of_openspiel(
    name: str, seeds: range, card: Callable[[str], int], action: Callable[[str], int]
) -> None:
    tree = grow_tree(kibitz.load(name).table())
    game = pyspiel.load_game(name.replace("-", "_"))
    for seed in seeds:
        rng = np.random.default_rng(seed)
        policy = tree.normalized(rng.random(len(tree.sequence_action)) ** 4)
        theirs = translated(tree, policy, game, card, action)
        assert sum(gains(tree, policy)) == pytest.approx(exploitability.nash_conv(game, theirs))
        score = expected_game_score.policy_value(game.new_initial_state(), [theirs, theirs])
        assert expected_utilities(tree, policy) == pytest.approx(score)
