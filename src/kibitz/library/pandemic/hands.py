"""Hands, pawns and research stations."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import find_card, move_copy
from kibitz.library.pandemic.infection import medic_treats
from kibitz.library.pandemic.table import STATION, PandemicState
from kibitz.library.pandemic.world import CITIES, Role, colour_of


def has_role(state: PandemicState, player: int, role: int) -> bool:
    """Whether a player has a role."""
    return state.roles[player].value == role


def holds(state: PandemicState, player: int, card: int) -> bool:
    """Whether a card is in a player's hand."""
    return find_card(state.hands[player], card) >= 0


def discard(state: PandemicState, player: int, card: int) -> None:
    """Moves a card from a hand to the discard pile."""
    hand = state.hands[player]
    move_copy(state, hand, card, state.player_discards)


def count_colour(state: PandemicState, player: int, colour: int) -> int:
    """The number of cards of a colour that a player holds."""
    hand = state.hands[player]
    number = 0
    for i in range(hand.count):
        if hand.cards[i] < CITIES and colour_of(hand.cards[i]) == colour:
            number += 1
    return number


def cards_needed(state: PandemicState, params: Any, player: int) -> int:
    """The number of cards of a colour that a player needs for a cure."""
    if has_role(state, player, Role.SCIENTIST):
        return int(params.scientist_cards)
    return int(params.cards_for_cure)


def has_station(state: PandemicState, city: int) -> bool:
    """Whether a city has a research station."""
    return state.cities.at[city, STATION] > 0


def put_station(state: PandemicState, city: int) -> None:
    """Puts a research station from the supply on a city."""
    state.cities.at[city, STATION] = 1
    state.stations_left.value -= 1


def take_station(state: PandemicState, city: int) -> None:
    """Takes a research station back into the supply."""
    state.cities.at[city, STATION] = 0
    state.stations_left.value += 1


def put_pawn(state: PandemicState, params: Any, pawn: int, city: int, mover: int) -> None:
    """Moves a pawn to a city as an action of the player `mover`; a Medic treats there."""
    state.pawns[pawn].value = city
    if has_role(state, pawn, Role.MEDIC) and (params.medic_prevention or pawn == mover):
        medic_treats(state, pawn)
