"""Rollouts that learn the averages of actions, and the heuristic mixed into their values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.players.asking import ask

import kibitz
from kibitz.core.actions import ACTION_LIST, Action, ActionKinds, add, pack
from kibitz.core.agent import make_agent
from kibitz.core.game import Game
from kibitz.core.randomness import start_stream
from kibitz.core.registry import load
from kibitz.core.results import draw_game, win
from kibitz.core.view import view_at
from kibitz.players.averages import (
    ENOUGH,
    MOST_NOTES,
    NOTES_SIZE,
    TABLE_SIZE,
    best_by_average,
    expected,
    forget_averages,
    lay_out_averages,
    learn_from,
    note_action,
)
from kibitz.players.graph import mixed
from kibitz.players.search import AVERAGES, Learn

A, B, C = 3 << 8, 5 << 8, 7 << 8
"""Three actions."""


@pytest.fixture
def wrapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes wrap around at 64 bits, as they do in compiled code."""

    def wrapped(key: int, word: int) -> int:
        return (mixed(key, word) + 2**63) % 2**64 - 2**63

    monkeypatch.setattr("kibitz.players.averages.mixed", wrapped)


class Table:
    """Averages in memory of their own."""

    def __init__(self, learn: Learn, epsilon: float = 0.0) -> None:
        self._memory = np.zeros(TABLE_SIZE + NOTES_SIZE, np.uint8)
        self._record = np.zeros(1, AVERAGES)
        self.averages: Any = view_at(int(self._record.ctypes.data), AVERAGES)
        lay_out_averages(self.averages, int(self._memory.ctypes.data), learn, epsilon)
        self._actions = np.zeros(1, ACTION_LIST)
        self.legal: Any = view_at(int(self._actions.ctypes.data), ACTION_LIST)
        self.rng = [0, 0, 0, 0]
        start_stream(self.rng, 1, 0)

    def play(self, values: tuple[float, float], *choices: tuple[int, int]) -> None:
        """An iteration: its choices as action and player, and what it was worth to each."""
        self.averages.before = 0
        for action, mover in choices:
            note_action(self.averages, action, mover)
        learn_from(self.averages, values)

    def best(self, mover: int, *actions: int) -> int:
        for i, action in enumerate(actions):
            self.legal.items[i] = action
        return best_by_average(self.averages, mover, self.legal, len(actions), self.rng)


@pytest.mark.usefixtures("wrapping")
def test_mast_averages_what_actions_were_worth_to_those_who_chose_them() -> None:
    table = Table(Learn.MAST)
    table.play((1.0, 0.0), (A, 0), (B, 1))
    table.play((0.5, 0.5), (B, 0), (A, 1), (A, 0))
    table.play((0.0, 1.0), (A, 0), (B, 1))
    assert expected(table.averages, A, 0) == pytest.approx((1.0 + 0.5 + 0.0) / 3)
    assert expected(table.averages, B, 0) == 0.5
    assert expected(table.averages, A, 1) == 0.5
    assert expected(table.averages, B, 1) == pytest.approx((0.0 + 1.0) / 2)
    assert expected(table.averages, C, 0) == math.inf


@pytest.mark.usefixtures("wrapping")
def test_nst_counts_an_action_after_another_one_once_it_has_enough_visits() -> None:
    table = Table(Learn.NST)
    for n in range(ENOUGH):
        table.play((0.9, 0.1), (B, 1), (A, 0))
        table.averages.before = B
        mean = 0.9 if n + 1 == ENOUGH else expected(table.averages, A, 0)
        assert mean == pytest.approx(0.9)
    table.play((0.1, 0.9), (C, 1), (A, 0))
    single = (ENOUGH * 0.9 + 0.1) / (ENOUGH + 1)
    table.averages.before = B
    assert expected(table.averages, A, 0) == pytest.approx((single + 0.9) / 2)
    table.averages.before = C  # one visit only
    assert expected(table.averages, A, 0) == pytest.approx(single)


@pytest.mark.usefixtures("wrapping")
def test_the_best_action_is_taken_and_what_was_never_tried_comes_first() -> None:
    table = Table(Learn.MAST)
    table.play((1.0, 0.0), (A, 0))
    table.play((0.2, 0.8), (B, 0))
    assert {table.best(0, A, B) for _ in range(30)} == {A}
    assert {table.best(0, A, B, C) for _ in range(30)} == {C}
    assert {table.best(1, A, B) for _ in range(60)} == {A, B}  # ties
    table.averages.epsilon = 1.0
    assert {table.best(0, A, B, C) for _ in range(60)} == {A, B, C}
    forget_averages(table.averages)
    assert expected(table.averages, A, 0) == math.inf


@pytest.mark.usefixtures("wrapping")
def test_more_choices_than_there_is_room_for_are_left_out() -> None:
    table = Table(Learn.NST)
    table.play((1.0, 0.0), *((A, 0) for _ in range(MOST_NOTES)))
    assert expected(table.averages, A, 0) == 1.0
    assert table.averages.count == 0


# --- a game by hand -----------------------------------------------------------------------


class Move(ActionKinds):
    """What can be done."""

    GO = Action("go {way}", way=range(2))
    STEP = Action("step {way}", way=range(2))


class Promise(Game):
    """A game for one player in which the less promising path wins after some steps."""

    name = "promise"
    players = (1, 1)
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing is to be done."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        """Two ways, then two kinds of steps that do not differ."""
        for way in range(2):
            add(actions, pack(Move.GO if state.tick == 0 else Move.STEP, way))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """The way is kept as the score; after four actions it decides."""
        if state.tick == 1:
            state.seat[0].score = 1.0 if action == pack(Move.GO, 1) else 0.0
        if state.tick == 4:
            if state.seat[0].score > 0.0:
                win(state, 0)
            else:
                draw_game(state)

    @staticmethod
    def heuristic(state: Any, params: Any, player: int) -> float:
        """The wrong way looks good as long as the game lasts."""
        return -0.9 if state.seat[0].score > 0.0 else 0.9


@pytest.mark.parametrize("agent", ["mcts", "mcts:loop=closed", "ismcts"])
def test_the_mix_weighs_the_heuristic_against_the_end_of_the_game(agent: str) -> None:
    """A win is worth 1, a draw .5; before it the heuristic says .05 and .95."""
    state = Promise(compiled=False).table(1).new_state(seed=1)
    separator = "," if ":" in agent else ":"

    def values(mix: float) -> dict[int, float]:
        text = f"{agent}{separator}iterations=60,depth=1,mix={mix}"
        return {advice.action: advice.value for advice in make_agent(text).advise(state)}

    good, bad = pack(Move.GO, 1), pack(Move.GO, 0)
    for mix in (0.0, 0.25, 1.0):
        by_action = values(mix)
        assert by_action[good] == pytest.approx((1 - mix) * 1.0 + mix * 0.05, abs=1e-6)
        assert by_action[bad] == pytest.approx((1 - mix) * 0.5 + mix * 0.95, abs=1e-6)


@pytest.mark.parametrize("learn", ["mast", "nst"])
@pytest.mark.parametrize("agent", ["mcts", "ggp", "ismcts", "pimc"])
def test_the_same_seed_gives_the_same_choice(agent: str, learn: str) -> None:
    state = load("love-letter").table(3).new_state(seed=4)
    first, again = (make_agent(f"{agent}:learn={learn},mix=0.5,iterations=60") for _ in range(2))
    for seed in range(4):
        assert ask(first, state, seed=seed) == ask(again, state, seed=seed)


@pytest.mark.parametrize("agent", ["mcts:learn=nst", "ismcts:learn=nst,mix=0.4"])
def test_compiled_and_uncompiled_rules_give_the_same_choice(agent: str) -> None:
    chosen = []
    for compiled in (True, False):
        state = load("tic-tac-toe", compiled=compiled).table().new_state(seed=2)
        chosen.append(ask(make_agent(f"{agent},iterations=80"), state, seed=5))
    assert chosen[0] == chosen[1]


def test_rollouts_that_learn_win_at_breakthrough() -> None:
    """Both with the same number of iterations; random play says little there."""
    table = load("breakthrough").table()
    agents = [make_agent(f"ggp:iterations=80{learns}") for learns in (",learn=nst", "")]
    seats = kibitz.play(table, agents, 16, seed=3, workers=1).results["seats"]
    assert (seats["place"][seats["agent"] == 0] == 1).mean() > 0.65
