"""What recording costs: games a second of random play with and without it, and memory.

python benchmarks/recording.py            speed: the ratio should be at least 3/4
python benchmarks/recording.py --memory   memory of longer and longer runs: a flat curve
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from kibitz.core.agent import make_agents
from kibitz.core.registry import load
from kibitz.playtest import playtest_game
from kibitz.runs import Experiment, Run, ThreadRunner

GAMES = {"tic-tac-toe": 40_000, "love-letter": 4_000, "hearts": 6_000, "connect-four": 10_000}
PAIRS = 7
LENGTHS = (100_000, 1_000_000, 4_000_000, 16_000_000)
LEAST = 0.75
"""Recording decisions may cost a quarter of the games a second."""


def seconds(game: str, games: int, *record: str) -> float:
    """The CPU time of a run that is kept."""
    table = load(game).table()
    agents = make_agents(["random"], table.players)
    experiment = Experiment.of(table, agents, games, record=record)
    with tempfile.TemporaryDirectory() as folder:
        runner = ThreadRunner(experiment, table, agents, workers=1)
        with Run.create(Path(folder) / "run", experiment) as run:
            began = time.process_time()
            runner.play(run.add)
            return time.process_time() - began


def play_seconds(game: str, games: int, *record: str) -> float:
    """The CPU time of a run that nobody keeps."""
    table = load(game).table()
    agents = make_agents(["random"], table.players)
    experiment = Experiment.of(table, agents, games, record=record)
    runner = ThreadRunner(experiment, table, agents, workers=1)
    began = time.process_time()
    runner.play(lambda rows: None)
    return time.process_time() - began


def speed() -> bool:
    """Prints how many games a second are left when decisions are recorded."""
    fine = True
    print(f"{'game':15s} {'playing':>8s} {'keeping':>8s}   games/s with decisions over without")
    for game, games in GAMES.items():
        ratios = []
        for clock in (play_seconds, seconds):
            clock(game, games // 10, "decisions")
            pairs = [(clock(game, games), clock(game, games, "decisions")) for _ in range(PAIRS)]
            ratios.append(median(plain / recorded for plain, recorded in pairs))
        fine &= ratios[0] >= LEAST
        print(f"{game:15s} {ratios[0]:8.2f} {ratios[1]:8.2f}")
    return fine


def peak(games: int, kept: bool) -> float:
    """The most memory in MB that a process of its own takes to play and measure so many games."""
    command = [sys.executable, __file__, "--peak", str(games), *(["--kept"] if kept else [])]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(games: int, kept: bool) -> None:
    """Plays so many games, and prints the most memory in MB that this process took."""
    with tempfile.TemporaryDirectory() as folder:
        playtest_game("kuhn-poker", games=games, out=Path(folder) / "run" if kept else None)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def memory() -> bool:
    """Prints the peak memory of longer and longer runs; says whether it grows by a tenth."""
    flat = True
    print(f"{'games':>12s} {'measured':>12s} {'and kept':>12s}")
    first: list[float] = []
    for games in LENGTHS:
        peaks = [peak(games, kept) for kept in (False, True)]
        print(f"{games:12,} {peaks[0]:9.0f} MB {peaks[1]:9.0f} MB", flush=True)
        first = first or peaks
        flat &= all(now < 1.1 * then for now, then in zip(peaks, first, strict=True))
    return flat


def main() -> int:
    """What the command line asks for."""
    if "--peak" in sys.argv:
        print_peak(int(sys.argv[sys.argv.index("--peak") + 1]), "--kept" in sys.argv)
        return 0
    return 0 if (memory() if "--memory" in sys.argv else speed()) else 1


if __name__ == "__main__":
    sys.exit(main())
