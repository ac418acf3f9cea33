"""Perft: known numbers, and comparison with a slow count."""

from __future__ import annotations

import pytest
from tests.checks import broken_games as broken

import kibitz
from kibitz.arena.perft import Perft, perft
from kibitz.core.errors import DeadEndError, ParameterError
from kibitz.core.state import State
from kibitz.core.status import Status

KNOWN = [9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872]
"""Tic-Tac-Toe: 9!/(9 - n)! less the continuations of games that were won earlier."""

COMPLETE_GAMES = 255_168
"""Games of Tic-Tac-Toe: 131,184 and 77,904 won, 46,080 drawn (H. Bottomley, 2001)."""


def slow_perft(state: State, depth: int) -> Perft:
    """The same count by way of Python states."""
    histories = [0] * depth
    ends = {True: 0, False: 0}

    def visit(state: State, level: int) -> None:
        legal: list[int] = []
        try:
            if level < depth:
                legal = state.legal_actions()
        except DeadEndError:
            pass
        if state.is_terminal:
            ends[state.status == Status.FINISHED] += 1
        for action in legal:
            after = state.clone()
            after.apply(action)
            histories[level] += 1
            visit(after, level + 1)

    visit(state.clone(), 0)
    return Perft(histories, ends[True], ends[False])


def test_tic_tac_toe() -> None:
    counted = perft(kibitz.load("tic-tac-toe").new_state(), 9)
    assert counted == Perft(KNOWN, COMPLETE_GAMES, 0)


def test_counting_goes_no_further_than_the_games_do() -> None:
    counted = perft(kibitz.load("tic-tac-toe").new_state(), 11)
    assert counted.histories == [*KNOWN, 0, 0]
    assert counted.games == COMPLETE_GAMES


def test_larger_boards() -> None:
    state = kibitz.load("tic-tac-toe").new_state(size=5)
    assert perft(state, 3).histories == [25, 25 * 24, 25 * 24 * 23]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_love_letter_agrees_with_a_slow_count(players: int, seed: int) -> None:
    state = kibitz.load("love-letter").new_state(players, seed=seed, tokens_to_win=1)
    assert perft(state, 4) == slow_perft(state, 4)


def test_uncompiled_rules_give_the_same_counts() -> None:
    counts = [
        perft(kibitz.load("love-letter", compiled=compiled).new_state(2, seed=5), 3)
        for compiled in (True, False)
    ]
    assert counts[0] == counts[1]


def test_the_state_is_left_alone() -> None:
    state = kibitz.load("love-letter").new_state(3, seed=1)
    before = bytes(state)
    perft(state, 2)
    assert bytes(state) == before


def test_from_the_middle_and_the_end_of_a_game() -> None:
    state = kibitz.load("tic-tac-toe").new_state()
    for _ in range(4):
        state.apply(state.legal_actions()[0])
    assert perft(state, 9) == slow_perft(state, 9)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert perft(state, 2) == Perft([0, 0], 1, 0)


def test_histories_that_break_off_are_counted_apart() -> None:
    game = broken.DeadEnd(compiled=False)
    state = next(
        state
        for seed in range(100)
        if (state := game.new_state(2, seed=seed)) and slow_perft(state, 3).broken > 0
    )
    assert perft(state, 3) == slow_perft(state, 3)


def test_an_exception_in_uncompiled_rules_is_raised() -> None:
    state = broken.TooLarge(compiled=False).new_state(2, seed=1)
    with pytest.raises(OverflowError):
        perft(state, 4)


def test_a_depth_below_one_is_refused() -> None:
    with pytest.raises(ParameterError, match="1 to 1,000"):
        perft(kibitz.load("tic-tac-toe").new_state(), 0)
