"""Certificates of all games of the library, with a million swaps each, as a table.

``python -m benchmarks.certificates FOLDER`` asks ``kibitz certify`` for each game, in a process of
its own, and keeps its certificate in the folder, so that it can be stopped and goes on where it
was. ``--openspiel`` tries those games of OpenSpiel that offer samples instead. A game that takes
longer than ``--limit`` seconds is left.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import kibitz
from kibitz.cli.certifying import NOT_CERTIFIED, OPENSPIEL

SWAPS = 1_000_000
STATES = 1000
PEERS = ("--states", "40", "--swaps", "5")
"""For games of OpenSpiel, which make their samples in Python or slowly."""


def openspiel_games() -> list[str]:
    """The games of OpenSpiel with hidden information or chance that load without parameters."""
    import pyspiel

    hidden = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    return sorted(
        OPENSPIEL + kind.short_name
        for kind in pyspiel.registered_games()
        if kind.information == hidden and kind.default_loadable and kind.short_name != "kibitz"
    )


def options_for(name: str) -> list[str]:
    """What ``kibitz certify`` is asked for a game."""
    if name.startswith(OPENSPIEL):
        return list(PEERS)
    swaps = math.ceil(SWAPS / (STATES * kibitz.load(name).table().players))
    counts = {"--states": STATES, "--swaps": swaps, "--outputs": 120, "--sets": 3}
    return [word for option, number in counts.items() for word in (option, str(number))]


def certificate_of(name: str, limit: float) -> dict[str, Any]:
    """A game's certificate as ``kibitz certify --json`` prints it, and its seconds of CPU time.

    Where there is none, ``"problem"`` says why.
    """
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "kibitz", "certify", name, *options_for(name), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"game": name, "problem": f"not done after {limit:.0f} seconds"}
    if done.returncode not in (0, NOT_CERTIFIED) or not done.stdout:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return {"game": name, "problem": lines[-1]}
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"cpu_seconds": round(seconds, 1)}


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    if "problem" in found:
        return f"| {found['game']} | | | | | | {found['problem']} | |"
    if found["leaks"]:
        verdict = "**broken**: " + ", ".join(sorted({leak["promise"] for leak in found["leaks"]}))
    else:
        verdict = found["verdict"].rstrip(".")
    counted = ""
    if found["samples"]:
        counted = f"{found['impossible'] / found['samples']:.0%} of {found['samples']:,}"
    least = found["least_adjusted_p"]
    return (
        f"| {found['game']} | {found['players']} | {found['swaps']:,} | {found['differed']:,} | "
        f"{counted} | {'' if least is None else format(least, '.2g')} | {verdict} | "
        f"{found['cpu_seconds']:.0f} |"
    )


def main() -> None:
    """Prints the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="keeps the certificates")
    parser.add_argument("games", nargs="*", help="by default all")
    parser.add_argument("--openspiel", action="store_true", help="games of OpenSpiel")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for a game")
    options = parser.parse_args()
    every = openspiel_games() if options.openspiel else sorted(g.name for g in kibitz.games())
    options.folder.mkdir(parents=True, exist_ok=True)
    print("| game | players | swaps | changed | could not be | least p | | CPU seconds |")
    print("|---|---:|---:|---:|---:|---:|---|---:|", flush=True)
    for name in options.games or every:
        kept = options.folder / f"{name.replace(':', '-')}.json"
        if not kept.exists():
            kept.write_text(json.dumps(certificate_of(name, options.limit)), "utf-8")
        print(row(json.loads(kept.read_text("utf-8"))), flush=True)


if __name__ == "__main__":
    main()
