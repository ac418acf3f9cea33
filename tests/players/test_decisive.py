"""Decisive rollouts: they take an immediate win and deny one to the next player."""

from __future__ import annotations

from typing import Any

import pytest

import kibitz
from kibitz.core.agent import make_agent
from kibitz.core.registry import load
from kibitz.core.state import State


def played(name: str, *moves: Any) -> State:
    """The state after some moves, each by its number or words."""
    state = load(name).table().new_state()
    for move in moves:
        state.apply(move)
    return state


def values(agent: str, state: State) -> dict[str, float]:
    """An agent's values of the actions, by their words."""
    return {
        state.action_words(opinion.action): opinion.value
        for opinion in make_agent(agent).advise(state)
    }


RED, YELLOW = "(drop 1)", "(drop 2)"


@pytest.mark.parametrize("agent", ["mcts", "ismcts", "ggp"])
def test_a_rollout_takes_the_win(agent: str) -> None:
    # red has three in column 1 and moves elsewhere; yellow has three in column 2 and wins then
    state = played("connect-four", RED, YELLOW, RED, YELLOW, RED, YELLOW)
    depth = "" if agent == "ggp" else ",depth=1"
    by_action = values(f"{agent}:iterations=14{depth},decisive=true", state)
    assert by_action[RED] == 1.0
    assert all(value == 0.0 for words, value in by_action.items() if words not in (RED, YELLOW))


def test_a_rollout_answers_a_threat_if_it_can() -> None:
    # red threatens to complete column 1: a yellow that does not answer loses in every rollout,
    # and without decisive rollouts only in some
    state = played("connect-four", RED, YELLOW, RED, "(drop 3)", RED)
    decisive = values("mcts:iterations=70,depth=1,decisive=true", state)
    others = [value for words, value in decisive.items() if words != RED]
    assert others == [0.0] * 6
    assert decisive[RED] > 0.0
    random = values("mcts:iterations=70,depth=1", state)
    assert any(value > 0.0 for words, value in random.items() if words != RED)


def test_what_the_network_knows_and_trying_come_to_the_same() -> None:
    # red has three in a row, open at both ends: whatever yellow does red wins in two plies
    moves = ("(drop 3)", "(drop 3)", "(drop 4)", "(drop 4)", "(drop 5)")
    agent = "mcts:iterations=70,depth=1,decisive=true"
    known = values(agent, played("connect-four", *moves))
    assert len(known) == 7
    assert set(known.values()) == {0.0}
    table = load("connect-four").table()
    assert table.record["winning_action"][0] != 0
    table.record["winning_action"] = 0  # so that every action is tried
    state = table.new_state()
    for move in moves:
        state.apply(move)
    assert values(agent, state) == known


@pytest.mark.parametrize("name", ["tic-tac-toe", "gdl-tic-tac-toe"])
def test_decisive_rollouts_see_through_a_fork_with_few_iterations(name: str) -> None:
    agents = [make_agent(f"mcts:iterations=20{more}") for more in (",decisive=true", "")]
    seats = kibitz.play(load(name).table(), agents, 200, 3).results["seats"]
    assert seats["returns"][seats["agent"] == 0].mean() > 0.1
