"""Moves that win at once, as the network knows them, against trying every move."""

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


def told(state: State) -> int:
    """The move that the network knows to win for the player to move, or -1."""
    with state.table.borrowed() as rules:
        record = record_at(rules.address, RULES)
        return call_int_3(
            record.winning_action, record.context, state.address, state.current_player
        )


def replied(state: State, action: int) -> int:
    """The move that the network knows to win for another player after an action, or -1."""
    with state.table.borrowed() as rules:
        record = record_at(rules.address, RULES)
        return call_int_3(record.winning_reply, record.context, state.address, action)


def winners(state: State) -> list[int]:
    """The moves that win at once, found by making each of them."""
    found = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        if after.is_terminal and after.returns()[state.current_player] == 1.0:
            found.append(action)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_the_network_knows_the_moves_that_win_at_once(name: str) -> None:
    table = load(name).table()
    seen = wins = replies = 0
    for seed in range(25):
        state = table.new_state(seed)
        rest = 40
        while not state.is_terminal and rest:
            expected = winners(state)
            assert told(state) in (expected or [-1])
            seen += 1
            wins += bool(expected)
            legal = state.legal_actions()
            action = legal[(seed + seen) % len(legal)]
            after = state.clone()
            after.apply(action)
            if not after.is_terminal and after.current_player != state.current_player:
                answers = winners(after)
                assert replied(state, action) in (answers or [-1])
                replies += bool(answers)
            # wins are passed over, so that there are many threats at once
            others = [action for action in legal if action not in expected] or legal
            state.apply(others[(seed * 7 + seen * 13) % len(others)])
            rest -= 1
    assert seen > 100
    assert (wins > 10 and replies > 10) or name == "sliding-puzzle"


def test_where_roles_move_at_once_or_do_not_see_all_nothing_is_known() -> None:
    for name in ("light-cycles", "kriegspiel-tic-tac-toe", "monty-hall"):
        rules = load(name).table().rules
        assert isinstance(rules, GdlRules)
        assert rules.winning is None


def test_a_group_shares_its_literal() -> None:
    alternatives = [frozenset(one) for one in ([1, 2, 3], [1, 4], [2, 5], [6])]
    grouped = in_groups(alternatives)
    assert grouped[0] == (1, [frozenset({2, 3}), frozenset({4})])
    assert sorted(
        frozenset([*rest, *([literal] if literal else [])])
        for literal, group in grouped
        for rest in group
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
        one, two = table.new_state(seed), other.new_state(seed)
        while not one.is_terminal:
            legal = one.legal_actions()
            assert sorted(legal) == sorted(two.legal_actions())
            action = legal[(7 * seed + one.tick) % len(legal)]
            one.apply(action)
            two.apply(action)
            assert bytes(one) == bytes(two)
        assert two.is_terminal
        assert one.returns() == two.returns()
