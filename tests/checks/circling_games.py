"""Games that come back to an earlier state, each for another reason."""

from __future__ import annotations

from typing import Any

from kibitz.components import Note
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.game import Game
from kibitz.core.layout import GameState
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.randomness import random_below
from kibitz.core.results import draw_game
from kibitz.core.status import Status


class Move(ActionKinds):
    STEP = Action("step {size}", size=("1", "2"))


class Board(GameState):
    at = Note()


class Ring(GameParameters):
    size = Tunable(7, range(1, 30_001), "places")
    approach = Tunable(0, range(10_001), "places before the ring")
    options = Tunable(1, range(1, 3), "how many there are to choose from")
    random = Tunable(0, range(2), "whether a number is drawn for each step")
    choice_at = Tunable(-1, range(-1, 30_001), "the one place where there is a choice")
    end = Tunable(0, range(30_001), "the round after which it ends; 0: none")


class Walk(Game):
    """Everybody walks round in a ring."""

    name = "walk-of-a-test"
    title = "Walk"
    players = (2, 4)
    State = Board
    Parameters = Ring
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None: ...

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        add(actions, pack(Move.STEP, 0))
        if params.options == 2 or state.at.values[0] == params.choice_at:
            add(actions, pack(Move.STEP, 1))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        if params.random:
            random_below(state.rng, 2)
        at = state.at.values[0] + 1
        if at >= params.approach + params.size:
            at = params.approach
            state.turn += 1
            state.round += 1
        state.at.values[0] = at
        if params.end and state.round >= params.end:
            draw_game(state)


class Timed(Walk):
    """It ends after some rounds, which is why nothing is a loop."""

    name = "timed-of-a-test"
    timed = True


class Watched(Walk):
    """It is a suspect at the fourth visit."""

    name = "watched-of-a-test"
    loops = 4


class Silent(Walk):
    """Its rules notice by themselves that they find no end, and say where."""

    name = "silent-of-a-test"

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        state.phase = 10 + random_below(state.rng, 2)
        state.status = Status.ENDLESS if state.phase == 10 else Status.RULES_ERROR

    def explain(self, state: Any) -> str | None:
        return f"line {state.view.phase}: the stage ends nowhere."
