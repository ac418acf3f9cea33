"""Small random games whose values can be computed by brute force."""

from __future__ import annotations

from typing import Any

from kibitz.components import Counter
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.game import Game
from kibitz.core.layout import GameState
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.status import Status


class Move(ActionKinds):
    GO = Action("go {way}", way=range(8))


class Place(GameState):
    place = Counter(0, 32767)


class Maze(GameParameters):
    seed = Tunable(0, range(1001), "which maze")
    width = Tunable(12, range(1, 101), "places of a level")
    levels = Tunable(6, range(1, 51), "levels; the last one is the end")
    ways = Tunable(3, range(1, 9), "out of each place")
    circles = Tunable(0, range(2), "whether ways lead to any level, not only to the next")
    opposed = Tunable(1, range(2), "whether outcomes add up to the same")


def scrambled(seed: int, place: int, purpose: int) -> int:
    """A pseudo-random number from 0 to 2**15 - 1."""
    x = seed * 7919 + place * 104729 + purpose * 1299709 + 12345
    for _ in range(3):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        x ^= x >> 13
    return x & 0x7FFF


def way_out(seed: int, width: int, levels: int, circles: int, place: int, way: int) -> int:
    """The place to which a way leads."""
    level = place // width + 1
    if circles:
        level = scrambled(seed, place, 20 + way) % levels
    return level * width + scrambled(seed, place, way) % width


def mover(seed: int, players: int, place: int) -> int:
    """The player who decides at a place."""
    return scrambled(seed, place, 40) % players


def outcome(seed: int, players: int, opposed: int, place: int, player: int) -> float:
    """The value of an end for a player."""
    if not opposed:
        return scrambled(seed, place, 60 + player) % 3 - 1.0
    winner = scrambled(seed, place, 50) % (players + 1)
    if winner == players:
        return 0.0
    return 1.0 if winner == player else -1.0 / (players - 1) if players > 1 else -1.0


class RandomMaze(Game):
    """Players lead one piece through a maze whose ends have a value for each of them."""

    name = "maze-of-a-test"
    players = (1, 4)
    State = Place
    Parameters = Maze
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        state.player = mover(params.seed, state.players, 0)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        for way in range(params.ways):
            add(actions, pack(Move.GO, way))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        place = way_out(
            params.seed,
            params.width,
            params.levels,
            params.circles,
            state.place.value,
            action >> 8,
        )
        state.place.value = place
        state.player = mover(params.seed, state.players, place)
        if place >= params.width * (params.levels - 1):
            for p in range(state.players):
                value = outcome(params.seed, state.players, params.opposed, place, p)
                state.seat[p].returns = value
                state.seat[p].place = 1 if value > 0.0 else 2
            state.status = Status.FINISHED

    @staticmethod
    def heuristic(state: Any, params: Any, player: int) -> float:
        return 0.0


def true_bounds(params: Any, players: int) -> list[list[list[float]]]:
    """What each player can make sure of and can get at best, at every place: 0 .. 1.

    The least that is true whatever happens, found by going round until nothing changes. Where
    outcomes add up to the same, what the others make sure of cannot be had.
    """
    seed, width, levels = params.seed, params.width, params.levels
    places = width * levels
    bounds = [[[0.0, 1.0] for _ in range(players)] for _ in range(places)]
    for place in range(places - width, places):
        for p in range(players):
            value = 0.5 + 0.5 * outcome(seed, players, params.opposed, place, p)
            bounds[place][p] = [value, value]
    changed = True
    while changed:
        changed = False
        for place in range(places - width):
            who = mover(seed, players, place)
            after = [
                bounds[way_out(seed, width, levels, params.circles, place, way)]
                for way in range(params.ways)
            ]
            for p in range(players):
                low = (max if p == who else min)(b[p][0] for b in after)
                high = max(b[p][1] for b in after)
                if params.opposed and players > 1:
                    others = sum(bounds[place][q][0] for q in range(players) if q != p)
                    high = min(high, players / 2 - others)
                if (low, high) != tuple(bounds[place][p]):
                    bounds[place][p] = [low, high]
                    changed = True
    return bounds
