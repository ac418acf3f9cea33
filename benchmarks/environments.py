"""Steps of learners' tables per second of CPU time on one core, and what more threads gain.

``python -m benchmarks.environments`` prints the steps. ``--threads 2`` prints instead what steps
of 4,096 tables take in one thread over what they take in two: of CPU time, which says what is
lost by sharing the work, whatever else the machine does; and of time, which says what is gained
on a quiet machine only.

A step writes the observation, the mask of legal actions and the rewards. The actions are uniformly
random legal ones, chosen between the measured times. The check that actions are legal counts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.measure import pin_to_one_core
from kibitz.core.memory import INT8, INT64, array_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import random_below
from kibitz.rl import VectorTables, make_vec

GAMES = ("hearts", "agram", "love-letter", "connect-four", "tic-tac-toe", "kuhn-poker")
TABLES = 1024
SHARED_TABLES = 4096
"""How many tables are shared by threads, unless ``--tables`` says so,"""
STEPS = 20
"""and how many steps are compared at a time."""


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


def times(tables: VectorTables) -> tuple[float, float]:
    """Seconds of CPU time and of time for some steps."""
    pick, actions = chooser(tables)
    spent = passed = 0.0
    for _ in range(STEPS):
        pick()
        began, begun = time.process_time(), time.perf_counter()
        tables.step(actions)
        spent += time.process_time() - began
        passed += time.perf_counter() - begun
    return spent, passed


def compare_threads(games: Sequence[str], n: int, threads: int, seconds: float) -> None:
    """Prints for each game medians and quartiles of what one thread takes over what several do."""
    for game in games:
        one, several = (make_vec(game, n, threads=k, seed=1) for k in (1, threads))
        ratios: list[tuple[float, float]] = []
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(ratios) < 2:
            (spent, passed), (spent_all, passed_all) = times(one), times(several)
            ratios.append((spent / spent_all, passed / passed_all))
        told = []
        for what, column in zip(("CPU time", "time"), zip(*ratios, strict=True), strict=True):
            low, middle, high = statistics.quantiles(column, n=4)
            told.append(f"{what} {middle:.2f} times ({low:.2f} .. {high:.2f})")
        print(f"{game:<14} {', '.join(told)}, {len(ratios)} times {STEPS} steps", flush=True)
        several.close()


def main() -> None:
    """Prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less exact")
    parser.add_argument("--tables", type=int, help="how many are stepped at once")
    parser.add_argument("--threads", type=int, default=1, help="compare so many with one")
    parser.add_argument("games", nargs="*", default=GAMES)
    options = parser.parse_args()
    if options.threads > 1:
        n, seconds = options.tables or SHARED_TABLES, 5.0 if options.quick else 20.0
        compare_threads(options.games, n, options.threads, seconds)
        return
    pin_to_one_core()
    seconds, repeats = (0.3, 3) if options.quick else (1.0, 5)
    every = {game: make_vec(game, options.tables or TABLES) for game in options.games}
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
