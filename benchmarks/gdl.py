"""Random playouts of games in GDL against engines of the field: ``python -m benchmarks.gdl``.

Takes the folder with the rules of the 24 games; without it there is nothing to measure. Rates
are per second of CPU time on one core, with the time to ready and the memory of each game. Of
games that are hard to ground a player's first answer and its steps rule by rule are measured.
Exits with 1 when a promise is not kept.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import random
import resource
import statistics
import sys
import time
from pathlib import Path

from benchmarks.measure import SHARED, Check, pin_to_one_core, rates
from benchmarks.native import Bench
from kibitz.gdl.game import load
from kibitz.ggp.playing import Rules
from kibitz.ggp.position import Position

CORPUS = SHARED / "corpus" / "gdl" / "public"

PEERS = {
    "ticTacToe": (1_432, 229_298),
    "connectFour": (131, 126_723),
    "breakthrough": (19.9, 27_254),
    "englishDraughts": (17.0, 9_563),
    "checkersSmall": (8.1, 6_457),
    "reversi": (0.56, 2_682),
    "chess_200": (0.27, 536),
    "speedChess": (1.7, 2_997),
    "skirmishNew": (2.3, 2_875),
    "pentago": (21.0, 12_508),
    "hex": (5.3, 1_486),
    "amazons_8x8": (6.4, 1_797),
    "nineBoardTicTacToe": (35.6, 44_358),
    "quarto": (161, 10_462),
    "blocker": (1_324, 307_407),
    "biddingTicTacToe": (510, 56_221),
    "chinook": (40.0, 14_876),
    "chineseCheckers6": (50.0, 12_681),
    "kalaha6x2x4": (32.5, 674),
    "nim3": (1_451, 100_755),
    "eightPuzzle": (182, 5_820),
    "hanoi": (738, 125_312),
    "sudokuGrade1": (0.88, 36_086),
    "asteroidsParallel": (220, 19_712),
}
"""Playouts per second of ggp-base's prover, and of Sancho's network of 2016."""

GROUND_WITHIN = 30.0

PROVED = {
    "checkers": 0.02,
    "skirmish": 0.05,
    "slaughter": 0.14,
    "chess_200": 0.14,
}
"""Seconds of CPU that ggp-base's prover takes for a step of such a game: all legal moves and the
next state. The last two stand for a full chess."""

FIRST_ANSWER_WITHIN = 2.0
RULE_BY_RULE_STEPS = 60


def measure(path: Path, seconds: float, repeats: int) -> tuple[float, float, float]:
    """Playouts per second, seconds to ready, and megabytes, of one game."""
    pin_to_one_core()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    table = load(path).table()
    bench = Bench(table)
    bench.playouts(1)()
    ready = time.perf_counter() - began
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    rate = rates({"": bench.playouts(10)}, seconds, repeats)[""]
    return rate.median, ready, memory


def prove(path: Path) -> tuple[float, float]:
    """Seconds of CPU to the first legal moves, and for a step, rule by rule."""
    pin_to_one_core()
    began = time.process_time()
    rules = Rules(path.read_text())
    position = Position(rules.rule_by_rule(), 0, seed=1)
    position.legal(0)
    first = time.process_time() - began
    chance = random.Random(1)
    steps: list[float] = []
    while not position.over and len(steps) < RULE_BY_RULE_STEPS:
        began = time.process_time()
        moves = [chance.choice(position.legal(role)) for role in range(len(position.roles))]
        position.play(moves)
        steps.append(time.process_time() - began)
    return first, statistics.median(steps)


def measure_prover(corpus: Path) -> list[Check]:
    """Measures games that are hard to ground, and a chess, rule by rule."""
    checks: list[Check] = []
    paths = sorted(corpus.parent.glob("heavy/*.kif")) + [corpus / "chess_200.kif"]
    print(f"\n{'rule by rule':22}{'first answer':>14}{'step':>12}")
    for path in paths:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            first, step = pool.apply(prove, (path,))
        name = path.stem
        print(f"{name:22}{first:12.2f} s{1000 * step:9.1f} ms", flush=True)
        what = f"{name} rule by rule, seconds"
        checks.append(Check(f"{what} to an answer", first, FIRST_ANSWER_WITHIN, at_least=False))
        if name in PROVED:
            checks.append(Check(f"{what} for a step", step, PROVED[name], at_least=False))
    return checks


def main() -> int:
    """Measures everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the time, less exact")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="the folder with the rules")
    parser.add_argument("games", nargs="*", help="some of the games only")
    arguments = parser.parse_args()
    if not arguments.corpus.is_dir():
        print(f"{arguments.corpus} is not here: games in GDL are not measured.")
        return 0
    seconds, repeats = (0.2, 3) if arguments.quick else (1.0, 5)
    checks: list[Check] = []
    ratios: list[float] = []
    print(f"{'':22}{'playouts/s':>12}{'Sancho':>10}{'times':>7}{'ready':>9}{'memory':>9}")
    for name in arguments.games or PEERS:
        prover, sancho = PEERS[name]
        # a process of its own for each, so that memory is that of one game
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found = pool.apply(measure, (arguments.corpus / f"{name}.kif", seconds, repeats))
        rate, ready, memory = found
        ratio = rate / sancho
        ratios.append(ratio)
        print(
            f"{name:22}{rate:12,.0f}{sancho:10,}{ratio:7.2f}{ready:7.1f} s{memory:6.0f} MB",
            flush=True,
        )
        checks.append(Check(f"{name}, times Sancho", ratio, 1 / 3))
        if sancho >= 100 * prover:
            checks.append(Check(f"{name}, times the prover", rate / prover, 100.0))
        checks.append(Check(f"{name}, seconds to ready", ready, GROUND_WITHIN, at_least=False))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    checks.append(Check("geometric mean, times Sancho", mean, 1.0))
    if not arguments.games:
        checks += measure_prover(arguments.corpus)
    print()
    for check in checks:
        print(check)
    return 0 if all(check.holds for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
