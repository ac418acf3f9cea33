"""The layout of states: the header where the engine expects it, components found and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kibitz.components import CardSet, CardType, Counter, Deck, Die, GridBoard, Token
from kibitz.core.actions import Action, ActionKinds
from kibitz.core.errors import GameDefinitionError
from kibitz.core.game import Game
from kibitz.core.layout import HEADER, Area, GameState, Layout, Visibility, per_player
from kibitz.core.parameters import GameParameters
from kibitz.core.status import MAX_PLAYERS

CARDS = CardSet("letters", [CardType("A", 2), CardType("B", 2)])


class Shop(Area):
    odd = Die(6)
    stock = Deck(CARDS, Visibility.OWNER, capacity=3)


class Base(GameState):
    bank = Counter(0, 9)


class Town(Base):
    shops = per_player(Shop())
    square = Shop()
    purses = per_player(Counter(0, 9))


@pytest.mark.parametrize("players", [1, 2, 7, MAX_PLAYERS])
def test_the_header_lies_where_code_for_all_games_expects_it(players: int) -> None:
    layout: Any = Layout(Town, GameParameters, players).dtype
    header: Any = HEADER
    for name in header.names:
        assert layout.fields[name][1] == header.fields[name][1]
    assert layout.fields["seat"][0].base == header.fields["seat"][0].base
    assert layout.fields["seat"][0].shape == (players,)


def test_the_header_has_every_field_that_rules_may_use() -> None:
    assert list(GameState.__annotations__) == list(HEADER.names or ())


def test_components_are_found_with_their_paths_and_owners() -> None:
    layout = Layout(Town, GameParameters, 3)
    placed = [(i.path, i.owner) for i in layout.in_play(2)]
    assert placed == [
        ("bank", None),
        ("shops[0].odd", 0),
        ("shops[0].stock", 0),
        ("shops[1].odd", 1),
        ("shops[1].stock", 1),
        ("square.odd", None),
        ("square.stock", None),
        ("purses[0]", 0),
        ("purses[1]", 1),
    ]


def test_a_path_leads_to_the_bytes_that_rules_would_reach_by_it() -> None:
    layout = Layout(Town, GameParameters, 3)
    block = np.zeros(1, layout.dtype)
    flat = block.view(np.uint8)
    block["shops"][0, 2]["stock"]["cards"][1] = 7
    block["square"]["odd"]["value"] = 5
    block["purses"][0, 1]["value"] = 3
    places = {i.path: i for i in layout.instances}
    for path, field, value in (
        ("shops[2].stock", "cards", [0, 7, 0]),
        ("square.odd", "value", 5),
        ("purses[1]", "value", 3),
    ):
        instance = places[path]
        component = flat[instance.offset : instance.offset + instance.dtype.itemsize]
        assert component.view(instance.dtype)[field][0].tolist() == value


def test_a_component_cannot_take_the_name_of_a_part_of_the_header() -> None:
    class Confused(GameState):
        turn = Counter(0, 9)  # type: ignore[assignment]

    with pytest.raises(GameDefinitionError, match="'turn'"):
        Layout(Confused, GameParameters, 2)


def test_visibility_is_a_set_of_players() -> None:
    everyone = 2**MAX_PLAYERS - 1
    assert Visibility.NOBODY.mask(3) == 0
    assert Visibility.OWNER.mask(3) == 8
    assert Visibility.OWNER.mask(None) == 0
    assert Visibility.EVERYONE.mask(3) == everyone
    assert Visibility.OTHERS.mask(3) == everyone - 8
    assert Visibility.OTHERS.mask(None) == everyone
    assert everyone == np.iinfo(np.int16).max  # so that a mask fits


def table_with(**components: Any) -> None:
    class Nothing(ActionKinds):
        WAIT = Action("wait")

    rules = dict.fromkeys(("setup", "legal_actions", "apply_action"), staticmethod(print))
    state = type("State", (GameState,), components)
    game: Any = type("G", (Game,), rules | {"name": "g", "State": state, "Actions": Nothing})
    game(compiled=False).table(2)


def test_components_that_hold_different_pieces_cannot_share_a_pool() -> None:
    hidden = Visibility.NOBODY
    table_with(a=Token(["x", "y"], hidden, pool="p"), b=Token(["u", "v"], hidden, pool="p"))
    with pytest.raises(GameDefinitionError, match="b shares the pool 'p'"):
        table_with(a=Token(["x", "y"], hidden, pool="p"), b=Token(["z"] * 3, hidden, pool="p"))
    with pytest.raises(GameDefinitionError, match="grid shares the pool 'letters'"):
        table_with(
            deck=Deck(CARDS), grid=GridBoard(2, symbols=".XO", visible_to=hidden, pool="letters")
        )
    table_with(deck=Deck(CARDS), grid=GridBoard(2, symbols=".XO", visible_to=hidden))
