"""Games by name: finding, searching, adding, and entry points that do not work."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core import registry
from kibitz.core.errors import GameDefinitionError, KibitzError, UnknownGameError
from kibitz.core.game import Game
from kibitz.library.tictactoe import TicTacToe


class Solitaire(TicTacToe):
    name = "My Solitaire_Game"
    title = "Quite Alone"
    categories = ("patience",)
    mechanics = ("staring",)


pytestmark = pytest.mark.usefixtures("unchanged_registry")


def test_the_games_of_this_package_are_known() -> None:
    assert {"love-letter", "tic-tac-toe"} <= set(registry.names())
    assert registry.names() == sorted(registry.names())


@pytest.mark.parametrize("name", ["tic-tac-toe", "Tic Tac Toe", " TIC_TAC_TOE\n", "tic_tac-toe"])
def test_a_name_is_found_however_it_is_written(name: str) -> None:
    assert type(registry.load(name)) is TicTacToe


def test_an_unknown_name_suggests_the_likeliest_and_lists_all() -> None:
    with pytest.raises(UnknownGameError) as caught:
        registry.load("tictactoe")
    message = str(caught.value)
    assert "Did you mean 'tic-tac-toe'?" in message
    assert all(name in message for name in registry.names())


def test_a_name_unlike_any_other_suggests_none() -> None:
    with pytest.raises(UnknownGameError, match="Known: ") as caught:
        registry.load("zzz")
    assert "Did you mean" not in str(caught.value)


def test_errors_can_be_caught_as_one_kind() -> None:
    with pytest.raises(KibitzError):
        registry.load("")


def test_a_game_is_loaded_compiled_or_not() -> None:
    assert not registry.load("tic-tac-toe", compiled=False).compiled
    assert registry.load("tic-tac-toe", compiled=True).compiled


def test_the_environment_decides_whether_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_COMPILE", "0")
    assert not registry.load("tic-tac-toe").compiled
    monkeypatch.setenv("KIBITZ_COMPILE", "1")
    assert registry.load("tic-tac-toe").compiled
    assert not registry.load("tic-tac-toe", compiled=False).compiled


def test_a_registered_game_is_found_by_its_name_however_it_is_written() -> None:
    assert registry.register(Solitaire) is Solitaire
    assert "my-solitaire-game" in registry.names()
    for name in ("My Solitaire_Game", "my-solitaire-game", "MY SOLITAIRE GAME"):
        assert type(registry.load(name)) is Solitaire


def test_a_registered_game_comes_before_an_installed_one() -> None:
    class Mine(TicTacToe):
        pass

    registry.register(Mine)
    assert type(registry.load("tic-tac-toe")) is Mine


def test_a_game_without_a_name_cannot_be_registered() -> None:
    class Nameless(Game):
        pass

    with pytest.raises(GameDefinitionError, match="Nameless needs a name"):
        registry.register(Nameless)


def test_an_installed_game_is_found_by_the_name_of_its_entry_point(
    entries: list[tuple[str, str]],
) -> None:
    entries.append(("my_game", f"{TicTacToe.__module__}:TicTacToe"))
    assert registry.names() == ["my-game"]
    assert type(registry.load("my_game")) is TicTacToe
    assert type(registry.load("my-game")) is TicTacToe


@pytest.mark.parametrize(
    "value", ["no_such_module:Game", "kibitz.library.tictactoe:NoSuchGame", "kibitz:load", "json"]
)
def test_an_entry_point_that_gives_no_game_is_named(
    entries: list[tuple[str, str]], value: str
) -> None:
    entries.append(("broken", value))
    with pytest.raises(GameDefinitionError, match=f"broken is registered as {value}"):
        registry.load("broken")


def test_rules_that_are_loaded_from_a_text_are_no_known_game() -> None:
    known = registry.names()
    kibitz.load("(role a) (legal a x) (init s) (goal a 70) (<= terminal (true s))", language="gdl")
    assert registry.names() == known
