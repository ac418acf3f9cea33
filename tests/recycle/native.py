"""Random games in native code, with every card counted at every decision."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kibitz.core import contract, hidden
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.hidden import SLOT
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, INT64, array_at, clear_bytes, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import AGENT_STREAM, random_below, start_stream
from kibitz.core.status import Status

PLAYED = np.dtype(
    [
        ("status", np.int64),
        ("actions", np.int64),
        ("options", np.int64),  # sum over the actions
        ("most", np.int64),  # options at once
        ("misplaced", np.int64),  # cards that were not in exactly one place, over all decisions
        ("scores", np.float64, (15,)),
    ]
)
"""The record of a random game."""


def random_games(rules_at: int, rooms_at: int, played_at: int, first: int, count: int) -> None:
    """Plays games of the seeds from `first` on; `rooms` are addresses to work at."""
    rules = record_at(rules_at, RULES)
    rooms = array_at(rooms_at, INT64, 4)
    state = rooms[0]
    header = record_at(state, HEADER)
    legal = record_at(rooms[1], ACTION_LIST)
    rng = array_at(rooms[2], INT64, 4)
    played = array_at(played_at, PLAYED, count)
    for number in range(count):
        contract.new_game(rules, state, first + number)
        start_stream(rng, first + number, AGENT_STREAM)
        game = played[number]
        while header.status == Status.PLAYING:
            game.misplaced += misplaced(rules, state, rooms[3])
            options = contract.legal_actions(rules, state, rooms[1])
            if options == 0:
                break
            game.actions += 1
            game.options += options
            game.most = max(game.most, options)
            contract.apply_action(rules, state, legal.items[random_below(rng, options)])
        game.misplaced += misplaced(rules, state, rooms[3])
        game.status = header.status
        for p in range(rules.players):
            game.scores[p] = header.seat[p].score


def misplaced(rules: Any, state: int, counts_at: int) -> int:
    """The number of cards that are not in exactly one place."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    cards = 0
    for s in range(rules.slot_count):
        if slots[s].pool >= 0:
            cards = slots[s].high + 1
    clear_bytes(counts_at, 8 * cards)
    counts = array_at(counts_at, INT64, cards)
    wrong = 0
    for s in range(rules.slot_count):
        if slots[s].pool >= 0:
            values = array_at(state + slots[s].values, INT16, slots[s].capacity)
            for i in range(hidden.slot_length(slots[s], state)):
                if values[i] < 0 or values[i] >= cards:
                    wrong += 1
                else:
                    counts[values[i]] += 1
    for card in range(cards):
        if counts[card] != 1:
            wrong += 1
    return wrong


_EXPORTS = {"random_games": Export(random_games, "viiiii")}


@functools.cache
def _functions() -> Mapping[str, Callable[..., Any]]:
    addresses = compile_native("the tests' games", _EXPORTS)
    return {name: export.bind(addresses[name]) for name, export in _EXPORTS.items()}


def play(table: Table, games: int, first: int = 0) -> np.ndarray[Any, Any]:
    """Plays random games; returns a ``PLAYED`` record of each."""
    sizes = (table.state_size, ACTION_LIST.itemsize, 32, 8 * 1024)
    rooms = [ctypes.create_string_buffer(size) for size in sizes]
    addresses = (ctypes.c_int64 * len(rooms))(*map(ctypes.addressof, rooms))
    played = np.zeros(games, PLAYED)
    _functions()["random_games"](
        table.address, ctypes.addressof(addresses), int(played.ctypes.data), first, games
    )
    return played


def mean_and_error(values: np.ndarray[Any, Any]) -> tuple[float, float]:
    """The mean, and the deviation of a single value."""
    return float(values.mean()), float(values.std(ddof=1))


def options_and_error(played: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Options at an action, over all actions, and how far a single game's share deviates."""
    ratio = float(played["options"].sum() / played["actions"].sum())
    residuals = played["options"] - ratio * played["actions"]
    return ratio, float(residuals.std(ddof=1) / played["actions"].mean())
