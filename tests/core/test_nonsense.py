"""Rules that leave an invalid state break off the game, and never end the process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import kibitz
from kibitz import Game
from kibitz.cli.app import app
from kibitz.components import Counter, Token, hide_value, show_value, show_value_to_all
from kibitz.core.actions import Action, ActionKinds, ActionList, add, pack
from kibitz.core.errors import RulesError
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.status import Status


class Move(ActionKinds):
    GO = Action("go")


class Secret(GameState):
    choice = per_player(Counter(0, 9, visible_to=Visibility.EVERYONE))
    token = Token(["red", "blue"], visible_to=Visibility.NOBODY)


class Nonsense(Game):
    """Its subclasses leave something behind that makes no sense."""

    name = "nonsense"
    State = Secret
    Actions = Move

    @staticmethod
    def setup(state: Secret, params: Any) -> None: ...

    @staticmethod
    def legal_actions(state: Secret, params: Any, actions: ActionList) -> None:
        add(actions, pack(Move.GO))


class NoSuchPlayer(Nonsense):
    @staticmethod
    def apply_action(state: Secret, params: Any, action: int) -> None:
        state.player = 7


class NoSuchStatus(Nonsense):
    @staticmethod
    def apply_action(state: Secret, params: Any, action: int) -> None:
        state.status = 99


class NobodyPlaced(Nonsense):
    @staticmethod
    def apply_action(state: Secret, params: Any, action: int) -> None:
        state.status = Status.FINISHED


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("game", [NoSuchPlayer, NoSuchStatus])
def test_nonsense_in_the_header_breaks_the_game_off(game: type[Game], compiled: bool) -> None:
    state = game(compiled=compiled).new_state()
    with pytest.raises(RulesError):
        state.apply("go")
    assert state.status == Status.RULES_ERROR


def test_a_game_that_ends_without_places_has_no_result() -> None:
    result = kibitz.playtest(NobodyPlaced(compiled=False), games=3)
    assert result.to_json()["outcomes"]["rules_error"] == 3


def test_values_are_hidden_and_shown() -> None:
    state = NoSuchPlayer(compiled=False).new_state()
    token = state.view.token
    assert [state.observation(p).view.token.value for p in range(2)] == [-1, -1]
    show_value(token, 1)
    assert [state.observation(p).view.token.value for p in range(2)] == [-1, 0]
    hide_value(token, 0)
    assert [state.observation(p).view.token.value for p in range(2)] == [0, -1]
    show_value_to_all(token)
    assert [state.observation(p).view.token.value for p in range(2)] == [0, 0]


RULES = """
from kibitz import Game
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.layout import GameState
from kibitz.components import Note

class Move(ActionKinds):
    GO = Action("go")

class Sheet(GameState):
    note = Note(3)

class Wild(Game):
    name = "wild"
    State = Sheet
    Actions = Move

    @staticmethod
    def setup(state, params):
        pass

    @staticmethod
    def legal_actions(state, params, actions):
        add(actions, pack(Move.GO))

    @staticmethod
    def apply_action(state, params, action):
        state.note.values[100_000_000] = 1
"""


def test_a_smoke_test_finds_a_wild_index_before_native_code_runs(tmp_path: Path) -> None:
    file = tmp_path / "wild_index.py"
    file.write_text(RULES)
    result = CliRunner().invoke(app, ["playtest", str(file), "--games", "10"])
    assert result.exit_code == 2
    assert "index 100000000 is outside 0 .. 2" in result.output
    assert "wild_index.py:28" in result.output
