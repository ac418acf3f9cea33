"""What a playtest takes: ``python -m benchmarks.playtests``.

Exits with 1 when a promise is not kept.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kibitz
from benchmarks.measure import Check, Work, pin_to_one_core, rates, verdict
from kibitz.arena.judge import Judge
from kibitz.core.agent import make_agents
from kibitz.runs import Experiment, Rows, ThreadRunner

GAMES = 50


def judging(game: str, players: int) -> Work:
    """Work: judging random games; its count is of the rollouts."""
    table = kibitz.load(game).table(players)
    agents = make_agents(["random"], players)
    rows: list[Rows] = []
    experiment = Experiment.of(table, agents, GAMES, record=["decisions"])
    ThreadRunner(experiment, table, agents, workers=1).play(rows.append)
    games = []
    for part in rows:
        for number, result in enumerate(part.results, part.shard.first):
            made = part.decisions_made
            games.append((number, int(result["seed"]), made["code"][made["game"] == number]))
    judge = Judge()
    binding = judge.bind(table)

    def work() -> int:
        for number, seed, chosen in games:
            binding.judge(number, seed, chosen)
        steps, _ = binding.take()
        decisions = steps["options"] > 1  # their options are tried as seen, and open
        return int(judge.options.samples * (steps["judged"] * (1 + decisions)).sum())

    return work


def study_seconds(game: str) -> float:
    """Wall time of a whole study with its page, once everything is compiled."""
    command = [str(Path(sys.executable).with_name("kibitz")), "playtest", game]
    with tempfile.TemporaryDirectory() as folder:
        page = str(Path(folder) / "page.html")
        for options in (["--time", "2"], ["--html", page]):
            began = time.perf_counter()
            subprocess.run([*command, *options], check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> int:
    """Measures everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the time, less exact")
    parser.add_argument("files", nargs="*", help="files of games to be studied, too")
    given = parser.parse_args()
    quick = given.quick
    studies = [
        Check(f"study of {game}, from then on, seconds", study_seconds(game), 30.0, at_least=False)
        for game in ("love-letter", "hearts", *given.files)
    ]
    pin_to_one_core()
    works = {
        "judged rollouts of an option of Agram, a second": judging("agram", 2),
        "judged rollouts of an option of Love Letter, a second": judging("love-letter", 4),
    }
    found = rates(works, 0.2 if quick else 1.0, 3 if quick else 5)
    promised = (300_000, 0)
    promises = zip(works, promised, strict=True)
    return verdict(
        [*studies, *(Check(name, found[name].median, least) for name, least in promises)]
    )


if __name__ == "__main__":
    sys.exit(main())
