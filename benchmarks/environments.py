"""Steps of learners' tables per second of CPU time on one core.

``python -m benchmarks.environments`` prints them.

A step writes the observation, the mask of legal actions and the rewards. The actions are uniformly
random legal ones, chosen between the measured times. The check that actions are legal counts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measure import pin_to_one_core
from kibitz.core.memory import INT8, INT64, array_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import random_below
from kibitz.rl import VectorTables, make_vec

GAMES = ("hearts", "agram", "love-letter", "connect-four", "tic-tac-toe", "kuhn-poker")
TABLES = 1024


def choose(masks: int, actions: int, rng: int, tables: int, width: int) -> int:
    """Chooses a random legal action at each table."""
    chosen = array_at(actions, INT64, tables)
    stream = array_at(rng, INT64, 4)
    for table in range(tables):
        mask = array_at(masks + table * width, INT8, width)
        legal = 0
        for i in range(width):
            legal += mask[i]
        left = random_below(stream, legal)
        at = 0
        while mask[at] == 0 or left > 0:
            left -= mask[at]
            at += 1
        chosen[table] = at
    return 0


def chooser(tables: VectorTables) -> tuple[Callable[[], None], np.ndarray[Any, Any]]:
    """What chooses actions at some tables, and where it writes them."""
    export = Export(choose, "iiiiii")
    function = export.bind(compile_native("random choices", {"choose": export})["choose"])
    actions, rng = np.zeros(tables.n, np.int64), np.array([1, 2, 3, 4])
    masks = tables.masks

    def pick() -> None:
        function(masks.ctypes.data, actions.ctypes.data, rng.ctypes.data, tables.n, masks.shape[1])

    return pick, actions


def steps_per_second(tables: VectorTables, seconds: float) -> float:
    """Steps of single tables per second of CPU time."""
    pick, actions = chooser(tables)
    spent, steps = 0.0, 0
    while spent < seconds:
        pick()
        began = time.process_time()
        tables.step(actions)
        spent += time.process_time() - began
        steps += tables.n
    return steps / spent


def main() -> None:
    """Prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less exact")
    parser.add_argument("games", nargs="*", default=GAMES)
    options = parser.parse_args()
    pin_to_one_core()
    seconds, repeats = (0.3, 3) if options.quick else (1.0, 5)
    every = {game: make_vec(game, TABLES) for game in options.games}
    found: dict[str, list[float]] = {game: [] for game in every}
    for _ in range(repeats):
        for game, tables in every.items():
            found[game].append(steps_per_second(tables, seconds))
    for game, rates in found.items():
        tables = every[game]
        print(
            f"{game:<14} {tables.players} players {tables.observations.shape[1]:>5} numbers "
            f"{tables.masks.shape[1]:>5} actions {statistics.median(rates):>12,.0f} steps/s "
            f"({min(rates):,.0f} .. {max(rates):,.0f})"
        )


if __name__ == "__main__":
    main()
