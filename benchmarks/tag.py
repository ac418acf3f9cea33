"""The seven games of TAG beside TAG's own speed: ``python -m benchmarks.tag``.

Calls per second of CPU time on one core, over states of random games, and whole random games,
under the published rules; beside them those of TAG of September 2020, on a machine of this kind.
Whole games of Uno are played by TAG's rules, since random games by the published ones are eight
times as long. Then the size of a state and the time to load a game, with an empty cache and from
then on.
Exits with 1 when a promise is not kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from typing import Any

from papers.tag_rules import TAG_RULES

import kibitz
from benchmarks.measure import Check, pin_to_one_core, rates, verdict
from benchmarks.native import Bench
from kibitz.arena.speed import Batch

WORK = ("setup", "apply", "legal_actions", "copy")
"""What is measured, in the order of ``TAG_2020``."""

TAG_2020: dict[tuple[str, int], tuple[float, ...]] = {
    ("tic-tac-toe", 2): (3.90e6, 6.37e6, 6.45e6, 2.97e6, 549_685),
    ("love-letter", 2): (654_403, 2.52e6, 9.13e6, 958_076, 52_740),
    ("love-letter", 4): (615_606, 3.03e6, 7.13e6, 806_316, 25_192),
    ("uno", 2): (202_559, 1.20e6, 1.18e6, 206_784, 2_436),
    ("uno", 4): (178_664, 873_146, 1.04e6, 178_272, 10_948),
    ("virus", 2): (348_369, 837_536, 850_927, 201_718, 12_140),
    ("virus", 4): (275_205, 246_752, 295_562, 89_550, 3_940),
    ("exploding-kittens", 2): (260_953, 2.82e6, 3.94e6, 455_806, 33_342),
    ("exploding-kittens", 4): (252_344, 2.36e6, 3.93e6, 429_987, 35_797),
    ("colt-express", 2): (235_604, 2.37e6, 3.30e6, 422_056, 42_990),
    ("colt-express", 4): (134_064, 1.04e6, 1.10e6, 214_772, 21_451),
    ("pandemic", 2): (17_361, 152_830, 69_555, 1_668, 745),
    ("pandemic", 4): (15_226, 189_295, 93_901, 1_783, 726),
}
"""Setup, next, actions, copy, and whole random games, each per second."""

RULES: dict[str, dict[str, Any]] = {
    "uno": TAG_RULES["uno"],
    "exploding-kittens": TAG_RULES["exploding-kittens"],
    "virus": {"matching": "either"},
}
"""The rules for whole games where the published ones make random games of another length, and
TAG's reading of the wild cards in Virus!."""

GAMES_TIMES, COPIES_TIMES, ANY_TIMES = 4.0, 10.0, 1.0
COLD, WARM = 15.0, 0.5

_LOAD = """
import sys, time
import kibitz
began = time.perf_counter()
kibitz.load(sys.argv[1]).new_state(players=int(sys.argv[2]), seed=1)
print(time.perf_counter() - began)
"""


def speeds(game: str, players: int, seconds: float, repeats: int) -> list[float]:
    """Calls per second of each kind of work, observations, and whole games."""
    table = kibitz.load(game).table(players)
    batch = Batch(table)
    found = [batch.rate(what, seconds * repeats / 4) for what in (*WORK, "observe")]
    if rules := RULES.get(game):
        table = kibitz.load(game).table(players, **rules)
    whole = rates({"": Bench(table).playouts(20)}, seconds, repeats)[""].median
    return [*found, whole]


def loading(games: dict[str, int]) -> list[Check]:
    """How long games take to load, first with a cache that knows the engine only."""
    checks = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "KIBITZ_CACHE": folder}

        def load(game: str, players: int) -> float:
            command = [sys.executable, "-c", _LOAD, game, str(players)]
            done = subprocess.run(
                command, env=environment, check=True, capture_output=True, text=True
            )
            return float(done.stdout)

        load("agram", 2)
        for game, players in games.items():
            cold, warm = load(game, players), load(game, players)
            checks.append(Check(f"{game}, seconds to compile", cold, COLD, at_least=False))
            checks.append(Check(f"{game}, seconds to load again", warm, WARM, at_least=False))
    return checks


def main() -> int:
    """Measures everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the time, less exact")
    parser.add_argument("games", nargs="*", help="some of the games only")
    arguments = parser.parse_args()
    seconds, repeats = (0.1, 3) if arguments.quick else (0.5, 5)
    wanted = {
        table: peer
        for table, peer in TAG_2020.items()
        if not arguments.games or table[0] in arguments.games
    }
    pin_to_one_core()
    checks = loading(dict(wanted.keys()))
    columns = ("setup", "apply", "legal", "copy", "observe", "games")
    print(f"{'':20}{'p':>2}{'bytes':>7}" + "".join(f"{name + '/s':>19}" for name in columns))
    for (game, players), peer in wanted.items():
        found = speeds(game, players, seconds, repeats)
        setup, apply, legal, copy, observe, whole = found
        cells = ""
        for name, ours, theirs in (
            ("setup", setup, peer[0]),
            ("apply", apply, peer[1]),
            ("legal actions", legal, peer[2]),
            ("copy", copy, peer[3]),
            ("observation", observe, None),
            ("whole random games", whole, peer[4]),
        ):
            if theirs is None:
                cells += f"{ours:>12,.0f}       "
                continue
            times = ours / theirs
            cells += f"{ours:>12,.0f} x{times:<5.1f}"
            least = {"copy": COPIES_TIMES, "whole random games": GAMES_TIMES}.get(name, ANY_TIMES)
            checks.append(Check(f"{game} {players}p, {name}, times TAG", times, least))
        size = kibitz.load(game).table(players).state_size
        print(f"{game:20}{players:>2}{size:>7,}{cells}", flush=True)
    return verdict(checks)


if __name__ == "__main__":
    sys.exit(main())
