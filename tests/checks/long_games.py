"""A correct game of many rounds, and copies of it whose faults show late."""

from __future__ import annotations

from typing import Any

from tests.checks import broken_games as broken
from tests.checks.broken_games import deal, play_card

from kibitz.components import end_turn, move_all, shuffle_deck, take_card
from kibitz.core.actions import operand
from kibitz.core.results import finish_by_score
from kibitz.core.status import Status

ROUNDS = 300
"""So many rounds of two to six actions are played."""


class Long(broken.Sound):
    """Cards are dealt anew many times."""

    name = "long"
    max_ticks = 4_000

    @staticmethod
    def apply_action(state: broken.State, params: Any, action: int) -> None:
        """Plays a card; after the last one comes a new round, or the end."""
        take_turn(state, params, action)


def take_turn(state: broken.State, params: Any, action: int) -> None:
    """Plays a card; after the last one comes a new round, or the end."""
    play_card(state, params, operand(action, 0))
    if state.hands[(state.player + 1) % state.players].count > 0:
        end_turn(state)
    elif state.round + 1 == ROUNDS:
        finish_by_score(state)
    else:
        state.round += 1
        move_all(state, state.played, state.deck)
        shuffle_deck(state, state.deck)
        deal(state, params)
        end_turn(state)


class NeverEnds(Long):
    """No round is the last."""

    @staticmethod
    def apply_action(state: broken.State, params: Any, action: int) -> None:
        state.round = 0
        take_turn(state, params, action)


class NobodyWins(Long):
    """The game ends without places."""

    @staticmethod
    def apply_action(state: broken.State, params: Any, action: int) -> None:
        take_turn(state, params, action)
        if state.status == Status.FINISHED:
            for p in range(state.players):
                state.seat[p].place = 0


LOST_AT = 401
"""The action with which a card is lost."""


class LosesCardLate(Long):
    """Once a card vanishes, unnoticed."""

    @staticmethod
    def apply_action(state: broken.State, params: Any, action: int) -> None:
        if state.tick == LOST_AT:
            take_card(state.deck, 0)
        take_turn(state, params, action)


WILD_AT = 333
"""The action that leaves the memory of the game."""


class WildIndexLate(Long):
    """Compiled, this touches foreign memory, far away."""

    @staticmethod
    def apply_action(state: broken.State, params: Any, action: int) -> None:
        if state.tick == WILD_AT:
            state.note.values[1 << 40] = 1
        take_turn(state, params, action)


class PrintsLong(Long):
    """Works in Python only."""

    @staticmethod
    def apply_action(state: broken.State, params: Any, action: int) -> None:
        print(end="")
        take_turn(state, params, action)
