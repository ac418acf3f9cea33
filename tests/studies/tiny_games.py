"""Games of a few actions whose outcome is known, most of them broken in one way each."""

from __future__ import annotations

from typing import ClassVar

from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.randomness import random_below
from kibitz.core.results import draw_game, fail, finish_by_score, lose_together, win, win_together
from kibitz.core.status import Status


class Move(ActionKinds):
    GO = Action("go {where}", where=("left", "right"))


class Parameters(GameParameters):
    trouble_at = Tunable(3, range(101), "the tick at which it happens")
    chance = Tunable(100, range(101), "in percent")


class Tiny(Game):
    """Players go left or right in turn until ``end`` ends the game."""

    name = "tiny"
    title = "Tiny"
    players = (2, 4)
    max_ticks = 50
    Actions = Move
    Parameters = Parameters

    @staticmethod
    def setup(state, params):
        pass

    @staticmethod
    def legal_actions(state, params, actions):
        add(actions, pack(Move.GO, 0))
        add(actions, pack(Move.GO, 1))

    @classmethod
    def apply_action(cls, state, params, action):
        if state.tick == params.trouble_at and random_below(state.rng, 100) < params.chance:
            cls.end(state)
        elif state.tick > params.trouble_at:
            win(state, 0)
        else:
            state.player = (state.player + 1) % state.players

    @staticmethod
    def end(state):
        draw_game(state)


def tiny(end, **attributes) -> Tiny:
    """A tiny game that ends as `end` says; its rules stay in Python."""
    return type("Tiny", (Tiny,), {"end": staticmethod(end), **attributes})(compiled=False)


def fails() -> Tiny:
    return tiny(fail)


def is_full() -> Tiny:
    return tiny(lambda state: fail(state, Status.FULL_BUFFER))


def is_endless() -> Tiny:
    return tiny(lambda state: None)


def raises() -> Tiny:
    def end(state):
        raise IndexError("no such card")

    return tiny(end)


def has_dead_end() -> Tiny:
    def legal_actions(state, params, actions):
        if state.tick < params.trouble_at:
            add(actions, pack(Move.GO, 0))
            add(actions, pack(Move.GO, 1))

    return tiny(lambda state: None, legal_actions=staticmethod(legal_actions))


def is_won_by(*scores: float, **attributes) -> Tiny:
    """A tiny game that ends with these scores."""

    def end(state):
        for p in range(state.players):
            state.seat[p].score = scores[p]
        finish_by_score(state)

    return tiny(end, **attributes)


def is_won_together() -> Tiny:
    return tiny(win_together)


def is_lost_together(**attributes) -> Tiny:
    return tiny(lose_together, **attributes)


class Left(Agent):
    """An agent in Python that always chooses the first action."""

    name = "left"

    def choose(self, state):
        return state.legal_actions()[0]


class Cheat(Left):
    name = "cheat"

    def choose(self, state):
        return pack(Move.GO, 7) if self.random.random() < 0.5 else super().choose(state)


class Broken(Left):
    name = "broken"

    def choose(self, state):
        raise ValueError("I do not know\nwhat to do")


class Stopping(Left):
    """An agent during whose decision someone presses Ctrl-C after ``after`` games."""

    name = "stopping"
    after: ClassVar[int] = 5

    def __init__(self):
        super().__init__()
        self.games = 0

    def start(self, table):
        self.games += 1

    def choose(self, state):
        if self.games > self.after:
            raise KeyboardInterrupt
        return super().choose(state)
