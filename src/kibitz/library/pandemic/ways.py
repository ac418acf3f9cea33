"""Distances: sets of cities, and the number of actions between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.library.pandemic.infection import Cities
from kibitz.library.pandemic.table import STATION, PandemicState, Phase
from kibitz.library.pandemic.world import CITIES, DISTANCE

FARTHEST = int(DISTANCE.max())
"""The greatest distance between two cities, in drives."""
NOBODY = -1


def _within() -> np.ndarray[Any, Any]:
    """The sets of cities around each city, by the maximum number of drives."""
    sets = np.zeros((FARTHEST + 1, CITIES), np.int64)
    for way in range(FARTHEST + 1):
        for city in range(CITIES):
            sets[way, city] = sum(1 << int(c) for c in np.flatnonzero(DISTANCE[city] <= way))
    return sets


WITHIN = _within()
"""``WITHIN[way, city]``: the set of cities within `way` drives from a city."""


def way_to(city: int, targets: Cities) -> int:
    """The number of drives from a city to the nearest of a set, at most ``FARTHEST``."""
    way = 0
    while way < FARTHEST and WITHIN[way, city] & targets == 0:
        way += 1
    return way


def trip(start: int, end: int, stations: Cities) -> int:
    """The number of actions of a trip without cards, including shuttles between stations."""
    way = DISTANCE[start, end]
    if way > 2:
        way = min(way, way_to(start, stations) + 1 + way_to(end, stations))
    return way


def station_set(state: PandemicState) -> Cities:
    """The cities with a research station."""
    cities = 0
    for city in range(CITIES):
        if state.cities.at[city, STATION] > 0:
            cities |= 1 << city
    return cities


def pawn_set(state: PandemicState) -> Cities:
    """The cities where pawns are."""
    cities = 0
    for p in range(state.players):
        cities |= 1 << state.pawns[p].value
    return cities


def flier(state: PandemicState) -> int:
    """The pawn that may fly anywhere, by Airlift or the Operations Expert; else ``NOBODY``."""
    if state.phase == Phase.DESTINATION:
        return state.stack.data[state.stack.depth - 1, 0]
    return NOBODY
