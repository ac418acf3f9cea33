"""The components in the box: the map, the cards, the roles.

The map is ``map.json``: 48 cities with colour, country and population as printed, and the 93
links between them. Events, the epidemic and the roles are in ``cards.json``. This module puts
everything into arrays that rules can read. A city, its infection card and its player card have the
same number; cities of a colour have consecutive numbers.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.authoring import CardSet, CardType, Domain, Graph, read_json_object

_MAP = read_json_object(Path(__file__).with_name("map.json"))
_CARDS = read_json_object(Path(__file__).with_name("cards.json"))
_CITIES: list[dict[str, Any]] = _MAP["cities"]

COLOURS = ("blue", "yellow", "black", "red")
CITIES = len(_CITIES)
CITIES_OF_A_COLOUR = CITIES // len(COLOURS)
MOST_EPIDEMICS = 6
"""The number of epidemic cards in the box."""

WORLD = Graph([city["name"] for city in _CITIES], [(a, b) for a, b in _MAP["links"]])
"""The cities and their links."""
DISEASES = Graph(COLOURS, [])
"""The colours, as the places of a board for properties of diseases."""


class EventCard(enum.IntEnum):
    """The event cards, which follow the cities among the player cards."""

    AIRLIFT = 48
    FORECAST = 49
    GOVERNMENT_GRANT = 50
    ONE_QUIET_NIGHT = 51
    RESILIENT_POPULATION = 52


EPIDEMIC = 53
"""The epidemic card, the last of the player cards."""


class Role(enum.IntEnum):
    """The roles of players, as indices in ``ROLES``."""

    CONTINGENCY_PLANNER = 0
    DISPATCHER = 1
    MEDIC = 2
    OPERATIONS_EXPERT = 3
    QUARANTINE_SPECIALIST = 4
    RESEARCHER = 5
    SCIENTIST = 6


ROLES = Domain([role["name"] for role in _CARDS["roles"]])
ROLE_TEXTS: dict[str, str] = {role["name"]: role["text"] for role in _CARDS["roles"]}
"""The abilities of each role, in words."""


def _infection_card(city: dict[str, Any]) -> CardType:
    return CardType(city["name"], 1, f"One cube of {city['colour']}.")


def _city_card(city: dict[str, Any]) -> CardType:
    text = f"{city['colour']}, {city['country']}, population {city['population']:,}"
    return CardType(city["name"], 1, text)


INFECTION_CARDS = CardSet("infection cards", [_infection_card(city) for city in _CITIES])
PLAYER_CARDS = CardSet(
    "player cards",
    [
        *(_city_card(city) for city in _CITIES),
        *(CardType(event["name"], 1, event["text"]) for event in _CARDS["events"]),
        CardType(_CARDS["epidemic"]["name"], MOST_EPIDEMICS, _CARDS["epidemic"]["text"]),
    ],
)


# --- the map for rules to read: the published one, and as TAG has it ------------------------


def _neighbours() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The neighbours of each city on both maps, padded with -1, and their numbers."""
    published = [[int(n) for n in row if n >= 0] for row in WORLD.neighbours]
    slips = [list(row) for row in published]
    slips[WORLD.find("Milan")].append(WORLD.find("Algiers"))  # and not back
    slips[WORLD.find("Khartoum")].remove(WORLD.find("Kinshasa"))
    width = max(len(row) for row in published + slips)
    neighbours = np.full((2, CITIES, width), -1, np.int64)
    for number, rows in enumerate((published, slips)):
        for city, row in enumerate(rows):
            neighbours[number, city, : len(row)] = row
    return neighbours, np.array(
        [[len(row) for row in rows] for rows in (published, slips)], np.int64
    )


def _populations() -> np.ndarray[Any, Any]:
    populations = np.array([[city["population"] for city in _CITIES]] * 2, np.int64)
    populations[1, WORLD.find("Miami")] = 558_200
    return populations


def _links() -> np.ndarray[Any, Any]:
    linked = np.zeros((2, CITIES, CITIES), np.bool_)
    for number in range(2):
        for city in range(CITIES):
            linked[number, city, NEIGHBOURS[number, city, : DEGREE[number, city]]] = True
    return linked


def _distances() -> np.ndarray[Any, Any]:
    """The distances between cities, in drives (Floyd and Warshall)."""
    distances = np.full((CITIES, CITIES), CITIES, np.int64)
    np.fill_diagonal(distances, 0)
    for city in range(CITIES):
        distances[city, WORLD.neighbours[city, : WORLD.degree[city]]] = 1
    for via in range(CITIES):
        distances = np.minimum(distances, distances[:, via, None] + distances[None, via, :])
    return distances


NEIGHBOURS, DEGREE = _neighbours()
"""The neighbours of cities, ``NEIGHBOURS[map, city, i]`` for i below ``DEGREE[map, city]``."""
LINKED = _links()
"""``LINKED[map, a, b]``: whether a pawn can drive from a to b; TAG's slips lead one way only."""
POPULATION = _populations()
"""The population of each city: ``POPULATION[map, city]``."""
DISTANCE = _distances()
"""The distances ``DISTANCE[a, b]`` between cities, in drives on the published map."""
FIRST_CITY = WORLD.find("Atlanta")
"""The city with the first research station and all pawns at the start."""


def colour_of(city: int) -> int:
    """The colour of a city and of its cards."""
    return city // CITIES_OF_A_COLOUR
