"""A game without rules that holds components, for testing them."""

from __future__ import annotations

from typing import Any

from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.game import Game
from kibitz.core.layout import Component, GameState
from kibitz.core.parameters import GameParameters
from kibitz.core.state import State, components_in_play


class Move(ActionKinds):
    """Players can only wait."""

    WAIT = Action("wait")


class Sandbox(Game):
    """Its rules do nothing; tests call the components' functions on ``state.view``."""

    name = "sandbox-of-a-test"
    players = (1, 6)
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Leaves everything as declared."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        """Allows to wait."""
        add(actions, pack(Move.WAIT))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """Waits."""


def sandbox(
    players: int = 3,
    seed: int = 1,
    parameters: type[GameParameters] = GameParameters,
    values: dict[str, Any] | None = None,
    **components: Component | list[Any],
) -> State:
    """A state with these components, of a game that is not compiled."""
    declared = type("SandboxState", (GameState,), components)
    game: Any = type("Sandbox", (Sandbox,), {"State": declared, "Parameters": parameters})
    state: State = game(compiled=False).new_state(players, seed, **(values or {}))
    return state


def problems(state: State) -> list[str]:
    """What the components find wrong with their contents."""
    found = [instance.component.problem(view) for instance, view in components_in_play(state)]
    return [problem for problem in found if problem]


def numbers_of(state: State, player: int, label: str) -> list[float]:
    """The numbers of an observation whose names begin with a label."""
    encoder = state.table.encoder
    vector = encoder.encode(state, player)
    named = zip(encoder.names, vector.tolist(), strict=True)
    return [x for name, x in named if name.split(": ")[0] == label]
