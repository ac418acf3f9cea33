"""A correct game with every kind of hidden piece, and with reactions out of turn.

Treasures lie face down on an island. Who is to move digs at a place and alone sees what is
there; the next player, who holds a hidden role and a hidden die, may let it pass or spy on it.
"""

from __future__ import annotations

import enum
from typing import Any

from kibitz.components import (
    Counter,
    Die,
    GridBoard,
    Interrupts,
    Token,
    cell_at,
    end_turn,
    interrupt,
    next_player,
    resume,
    roll,
    set_cell,
)
from kibitz.core.actions import Action, ActionKinds, ActionList, add, kind, operand, pack
from kibitz.core.game import Game
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.randomness import random_below
from kibitz.core.results import finish_by_score

SIDES = range(2, 4)


class Phase(enum.IntEnum):
    """What the player to move decides."""

    DIG = 0
    REACT = 1


class Move(ActionKinds):
    """What a player can do."""

    DIG = Action("dig at {x} {y}", x=range(SIDES.stop - 1), y=range(SIDES.stop - 1))
    PASS = Action("let it pass")
    SPY = Action("spy")


class Parameters(GameParameters):
    """What can be varied."""

    size = Tunable(3, SIDES, "side of the island")
    worth = Tunable(1.5, (0.5, 4.0), "points for gold")
    spying = Tunable(True, doc="whether spies may spy")


class State(GameState):
    """The island, what was dug, and what the players hide."""

    island = GridBoard("size", symbols=".sg", visible_to=Visibility.NOBODY)
    dug = GridBoard("size", symbols=".D")
    roles = per_player(Token(["digger", "spy"], Visibility.OWNER))
    dice = per_player(Die(6, Visibility.OWNER))
    spied = per_player(Counter(0, 9))
    reactions = Interrupts(2)


class Island(Game):
    """Dig for gold while others may spy."""

    name = "island"
    title = "Island"
    players = (1, 3)
    phases = Phase
    played_for = "score"  # also for one player
    max_ticks = 40
    Parameters = Parameters
    State = State
    Actions = Move

    @staticmethod
    def setup(state: State, params: Any) -> None:
        """Treasures, roles and dice by chance."""
        for y in range(params.size):
            for x in range(params.size):
                set_cell(state.island, x, y, random_below(state.rng, 3))
        for p in range(state.players):
            state.roles[p].value = random_below(state.rng, 2)
            roll(state, state.dice[p])

    @staticmethod
    def legal_actions(state: State, params: Any, actions: ActionList) -> None:
        """Any place not dug yet; in reaction, spies may spy with a high die."""
        if state.phase == Phase.REACT:
            add(actions, pack(Move.PASS))
            player = state.player
            may = params.spying and state.roles[player].value == 1
            if may and state.dice[player].value > 3:
                add(actions, pack(Move.SPY))
            return
        for y in range(params.size):
            for x in range(params.size):
                if cell_at(state.dug, x, y) == 0:
                    add(actions, pack(Move.DIG, x, y))

    @staticmethod
    def apply_action(state: State, params: Any, action: int) -> None:
        """Digs, or reacts to what the interrupted player dug."""
        if kind(action) == Move.DIG:
            x = operand(action, 0)
            y = operand(action, 1)
            at = y * params.size + x
            set_cell(state.dug, x, y, 1)
            state.island.seen[at] |= 1 << state.player
            other = next_player(state, state.player)
            interrupt(state, state.reactions, other, Phase.REACT, at)
            return
        if kind(action) == Move.SPY:
            at = state.reactions.data[state.reactions.depth - 1, 0]
            state.island.seen[at] |= 1 << state.player
            state.spied[state.player].value += 1
            roll(state, state.dice[state.player])
        resume(state, state.reactions)
        finish_turn(state, params)


def finish_turn(state: State, params: Any) -> None:
    """The next turn, or the reckoning when everything is dug."""
    left = 0
    for y in range(params.size):
        for x in range(params.size):
            left += 1 - cell_at(state.dug, x, y)
    if left > 0:
        end_turn(state)
        return
    for p in range(state.players):
        for at in range(params.size * params.size):
            known = state.island.seen[at] >> p & 1
            if known == 1 and state.island.cells[at] == 2:
                state.seat[p].score += params.worth
    finish_by_score(state)
