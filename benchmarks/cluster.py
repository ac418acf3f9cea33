"""What scheduling by Ray costs: ``python -m benchmarks.cluster``, on Linux with ``kibitz[ray]``.

A cluster with one core is started, on which each task is one shard. Measured are, with 95 %
intervals over rounds:

- tasks in which hardly anything is played: what a task costs, in CPU time of all processes;
- shards of a second or more: CPU time of all processes but the one that plays, beside its own; and
  for what share of the time it had no shard to play;
- for how much of a core the cluster keeps busy when it has nothing to do.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kibitz.core.agent import make_agents
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, Shard, ThreadRunner, cluster, runner_for

LIMIT = 0.03
"""The most that scheduling may take of the time of shards of a second."""
GAME, PLAYERS = "agram", 3
QUICK, LONG = "random", "pimc:iterations=100"
TASKS = 100
PILOT_GAMES = 400
SHARD_SECONDS = 1.2
IDLE_SECONDS = 10.0
PLAYS = "ray::"
"""Processes that play have names that begin so."""


class Spent(NamedTuple):
    """Seconds of CPU time."""

    playing: float
    """Of the processes that play."""
    others: float
    """Of the one that collects, and of Ray's own."""


class Run:
    """Games of an experiment, some of its shards at a time."""

    def __init__(self, agents: str, games: int, shard: int) -> None:
        self.table = load(GAME).table(PLAYERS)
        self.agents = make_agents([agents], PLAYERS)
        self.experiment = Experiment.of(self.table, self.agents, games, 1, shard_games=shard)
        self.shards = list(self.experiment.shards())

    def in_a_thread(self) -> float:
        """Seconds of CPU time that it takes here."""
        began = time.process_time()
        ThreadRunner(self.experiment, self.table, self.agents).play(lambda rows: None)
        return time.process_time() - began

    def on_the_cluster(self, shards: Sequence[Shard]) -> tuple[Spent, float, float]:
        """CPU time, wall time, and for how long shards were played."""
        found: list[Rows] = []
        runner = runner_for(self.experiment, self.table, self.agents, workers=cluster.RAY)
        began, before = time.monotonic(), spent()
        runner.play(found.append, shards)
        after, wall = spent(), time.monotonic() - began
        took = Spent(after.playing - before.playing, after.others - before.others)
        return took, wall, sum(rows.seconds for rows in found)


def spent() -> Spent:
    """The CPU time so far of this process and of all that it has started, as Linux tells it."""
    parents: dict[int, int] = {}
    seconds: dict[int, tuple[str, float]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            name, _, rest = file.read_text().partition("(")[2].rpartition(")")
            fields, number = rest.split(), int(file.parent.name)
            parents[number] = int(fields[1])
            ticks = int(fields[11]) + int(fields[12])
            seconds[number] = name, ticks / os.sysconf("SC_CLK_TCK")
    own, more = set[int](), {os.getpid()}
    while more:
        own |= more
        more = {number for number, parent in parents.items() if parent in own} - own
    playing = sum(seconds[one][1] for one in own if seconds[one][0].startswith(PLAYS))
    return Spent(playing, sum(seconds[number][1] for number in own) - playing)


def with_interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and half the width of its 95 % interval (Student's t, by two terms)."""
    rest = len(values) - 1
    t = 1.96 + 2.4 / rest + 2.8 / rest**2
    return statistics.fmean(values), t * statistics.stdev(values) / math.sqrt(len(values))


def main() -> None:
    """Prints what a task costs, and what shares of shards of a second that is."""
    import ray

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=8, help="of each kind, three or more")
    parser.add_argument("--shards", type=int, default=5, help="of a second or more, a round")
    given = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    cluster.TASK_SECONDS = 0.0  # so that a task is one shard, however quick

    empty = Run(QUICK, TASKS, 1)
    empty.on_the_cluster(empty.shards)
    costs = [empty.on_the_cluster(empty.shards)[:2] for _ in range(given.rounds)]
    cpu, half = with_interval([1000 * sum(cost) / TASKS for cost, _ in costs])
    wall, wide = with_interval([1000 * passed / TASKS for _, passed in costs])
    print(f"a task: {cpu:.1f} ± {half:.1f} ms of CPU, one after {wall:.1f} ± {wide:.1f} ms")

    pilot = Run(LONG, PILOT_GAMES, PILOT_GAMES)
    pilot.in_a_thread()
    size = math.ceil(SHARD_SECONDS * PILOT_GAMES / pilot.in_a_thread())
    long = Run(LONG, (given.shards + 1) * size, size)
    first, *rest = long.shards
    long.on_the_cluster([first])
    found = [long.on_the_cluster(rest) for _ in range(given.rounds)]
    lasted = statistics.fmean(cost.playing for cost, _, _ in found) / len(rest)
    print(f"shards of {lasted:.2f} s of CPU, {size:,} games each, {len(rest)} a round:")
    shares = {
        "CPU time of all other processes": [cost.others / cost.playing for cost, _, _ in found],
        "time without a shard to play": [1 - played / passed for _, passed, played in found],
    }
    for what, values in shares.items():
        share, half = with_interval(values)
        verdict = "within" if share <= LIMIT else "over"
        print(f"  {what}: {share:.2%} ± {half:.2%}, {verdict} the limit of {LIMIT:.0%}")

    before = spent()
    time.sleep(IDLE_SECONDS)
    idle = (sum(spent()) - sum(before)) / IDLE_SECONDS
    print(f"a cluster with nothing to do: {idle:.2%} of a core")
    ray.shutdown()


if __name__ == "__main__":
    main()
