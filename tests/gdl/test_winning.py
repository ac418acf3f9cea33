"""Winning moves that the network detects, compared with trying every move."""

from __future__ import annotations

import pytest

from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.memory import call_int_3, record_at
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.gdl.evaluator import BY_TESTS
from kibitz.gdl.native import GdlRules
from kibitz.gdl.winning import in_groups

GAMES = ("connect-four", "gdl-tic-tac-toe", "breakthrough", "nim", "sliding-puzzle")


def winning_action(state: State) -> int:
    """A move that wins for the player to move according to the network, or -1."""
    with state.table.borrowed() as rules:
        record = record_at(rules.address, RULES)
        return call_int_3(
            record.winning_action, record.context, state.address, state.current_player
        )


def winning_reply(state: State, action: int) -> int:
    """A move that wins for another player after an action according to the network, or -1."""
    with state.table.borrowed() as rules:
        record = record_at(rules.address, RULES)
        return call_int_3(record.winning_reply, record.context, state.address, action)


def winners(state: State) -> list[int]:
    """The moves that end the game with a win, by making each of them."""
    winning = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        if after.is_terminal and after.returns()[state.current_player] == 1.0:
            winning.append(action)
    return winning


@pytest.mark.parametrize("name", GAMES)
def test_the_network_knows_the_moves_that_win_at_once(name: str) -> None:
    table = load(name).table()
    positions = wins = replies = 0
    for seed in range(25):
        state = table.new_state(seed)
        steps_left = 40
        while not state.is_terminal and steps_left:
            expected = winners(state)
            assert winning_action(state) in (expected or [-1])
            positions += 1
            wins += bool(expected)
            legal = state.legal_actions()
            action = legal[(seed + positions) % len(legal)]
            after = state.clone()
            after.apply(action)
            if not after.is_terminal and after.current_player != state.current_player:
                answers = winners(after)
                assert winning_reply(state, action) in (answers or [-1])
                replies += bool(answers)
            # wins are passed over, so that there are many threats at once
            others = [action for action in legal if action not in expected] or legal
            state.apply(others[(seed * 7 + positions * 13) % len(others)])
            steps_left -= 1
    assert positions > 100
    assert (wins > 10 and replies > 10) or name == "sliding-puzzle"


def test_where_roles_move_at_once_or_do_not_see_all_nothing_is_known() -> None:
    for name in ("light-cycles", "kriegspiel-tic-tac-toe", "monty-hall"):
        rules = load(name).table().rules
        assert isinstance(rules, GdlRules)
        assert rules.winning is None


def test_a_group_shares_its_literal() -> None:
    alternatives = [frozenset(literals) for literals in ([1, 2, 3], [1, 4], [2, 5], [6])]
    grouped = in_groups(alternatives)
    assert grouped[0] == (1, [frozenset({2, 3}), frozenset({4})])
    assert sorted(
        frozenset([*others, *([literal] if literal else [])])
        for literal, group in grouped
        for others in group
    ) == sorted(alternatives)


@pytest.mark.parametrize("name", ["connect-four", "breakthrough", "nim"])
def test_steps_by_tests_of_the_facts_are_those_of_the_network(name: str) -> None:
    game, plain = load(name), load(name)
    table = game.table()
    by_tests, by_network = table.rules, GdlRules(plain.table().rules.description)
    assert isinstance(by_tests, GdlRules)
    assert by_tests.arrays.numbers["by_move"] == BY_TESTS
    by_network.__dict__["winning"] = None
    other = Table(plain, table.players, table.parameters, by_network)
    assert by_network.arrays.numbers["by_move"] != BY_TESTS
    for seed in range(10):
        first, second = table.new_state(seed), other.new_state(seed)
        while not first.is_terminal:
            legal = first.legal_actions()
            assert sorted(legal) == sorted(second.legal_actions())
            action = legal[(7 * seed + first.tick) % len(legal)]
            first.apply(action)
            second.apply(action)
            assert bytes(first) == bytes(second)
        assert second.is_terminal
        assert first.returns() == second.returns()
