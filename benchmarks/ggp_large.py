"""The strength of ``ggp`` where rules have no network: ``python -m benchmarks.ggp_large``.

    python -m benchmarks.ggp_large FILE.kif ... --games 40 --jobs 8 --minutes 60 --out results

Plays matches of each sheet by the protocol, such as those of full chess and of Amazons on a board
of ten times ten cells, against ``random`` and against flat Monte Carlo (``pimc``) with the same
clocks, in both roles by turns. Every match has a seed of its own and leaves its record in
``--out``; what is there already is not played again, so the same command goes on where it was
stopped, and with more ``--games`` adds to it. Prints the share of points, where a draw and a match
that comes to no goal count half, with the interval of 95 % confidence, and exits with 1 if a
promise is not kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core.statistics import wilson_interval

PROMISES = {"random": 0.9, "pimc": 0.7}
"""The least share of points against each opponent."""


@dataclass(frozen=True)
class Match:
    """One match: the sheet, the opponent, and the number, whose parity is the role of ``ggp``."""

    sheet: Path
    opponent: str
    number: int

    @property
    def role(self) -> int:
        """The role of ``ggp``."""
        return self.number % 2

    def record(self, folder: Path) -> Path:
        """Where its record is kept."""
        other = self.opponent.replace(":", "-").replace("=", "-")
        return folder / f"{self.sheet.stem}.{other}.{self.number}.json"

    def play(self, folder: Path, start: int, play: int) -> None:
        """Plays it, if there is no record of it yet."""
        players = ["ggp", self.opponent]
        if self.role:
            players.reverse()
        record = self.record(folder)
        if record.exists():
            return
        unfinished = record.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        command = [sys.executable, "-m", "kibitz", "ggp", "match", str(self.sheet)]
        command += ["--players", ",".join(players), "--start", str(start), "--play", str(play)]
        command += ["--seed", str(self.number), "--out", str(unfinished)]
        done = subprocess.run(command, capture_output=True, text=True)
        # the command also fails where a move was drawn at random in place of a player's
        if unfinished.exists() and json.loads(unfinished.read_text())["isCompleted"]:
            unfinished.rename(record)
            print(
                f"  {record.stem}: {_points(json.loads(record.read_text()), self.role)}",
                flush=True,
            )
        else:
            print(f"  {record.stem} failed: {done.stderr.strip()[-500:]}", flush=True)


def _points(record: dict[str, Any], role: int) -> float:
    """1 for a win, ½ for a draw, 0 for a loss."""
    goals = record["goalValues"]
    if len(goals) != 2 or None in goals or goals[0] == goals[1]:
        return 0.5
    return float(goals[role] > goals[1 - role])


def _late(record: dict[str, Any], role: int) -> int:
    """The moves of a role that were replaced."""
    return sum(bool(errors[role]) for errors in record["errors"][1:])


def summary(sheet: Path, opponent: str, games: int, folder: Path) -> bool:
    """Prints the result against an opponent; returns whether the promise is kept."""
    matches = [Match(sheet, opponent, number) for number in range(games)]
    played = [match for match in matches if match.record(folder).exists()]
    records = [json.loads(match.record(folder).read_text()) for match in played]
    points = [_points(record, match.role) for record, match in zip(records, played, strict=True)]
    late = sum(_late(record, match.role) for record, match in zip(records, played, strict=True))
    if not points:
        print(f"{sheet.stem} against {opponent}: no match was finished")
        return False
    won, total = sum(points), len(points)
    low, high = wilson_interval(won, total)
    promised = PROMISES.get(opponent.partition(":")[0], 0.0)
    print(
        f"{sheet.stem} against {opponent}: {won / total:.1%} ({low:.1%} to {high:.1%}) of {total}"
        f" matches: {points.count(1.0)} won, {points.count(0.5)} drawn, {points.count(0.0)} lost;"
        f" {late} moves replaced; promised: {promised:.0%}"
    )
    return won / total >= promised


def main() -> int:
    """Plays what is missing; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sheets", nargs="+", type=Path, help="rules of games for two, in KIF")
    parser.add_argument("--against", nargs="+", default=list(PROMISES), help="players")
    parser.add_argument("--games", type=int, default=40, help="of each sheet and opponent")
    parser.add_argument("--start", type=int, default=20, help="the start clock, in seconds")
    parser.add_argument("--play", type=int, default=5, help="the clock for a move, in seconds")
    parser.add_argument("--jobs", type=int, default=1, help="matches at a time: 2 cores for each")
    parser.add_argument("--minutes", type=float, default=60.0, help="no match begins after them")
    parser.add_argument("--out", type=Path, default=Path("ggp-large"), help="folder for records")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * arguments.minutes
    matches = [
        Match(sheet, opponent, number)
        for number in range(arguments.games)
        for sheet in arguments.sheets
        for opponent in arguments.against
    ]

    def play(match: Match) -> None:
        if time.monotonic() < end:
            match.play(arguments.out, arguments.start, arguments.play)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(play, matches))
    kept = [
        summary(sheet, opponent, arguments.games, arguments.out)
        for sheet in arguments.sheets
        for opponent in arguments.against
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
