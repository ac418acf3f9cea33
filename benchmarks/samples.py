"""Samples of each game of the library: the share that contradicts the past, and time.

``python -m benchmarks.samples`` writes the table of ``docs/certificates.md``: games with hidden
information, each at its usual table. States are drawn from random games as in ``kibitz certify``;
of each state and seat two samples are compared with what the seat has seen since the last random
draw. ``least p`` is that of uniform samples in information sets whose worlds can be counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import kibitz
from kibitz.checks.certify import certify
from kibitz.checks.positions import Games
from kibitz.core.game import Table
from kibitz.core.statistics import wilson_interval

SAMPLES_TIMED = 200
"""The number of samples of each state and seat whose time is measured."""


def microseconds(table: Table, states: int, seed: int) -> float:
    """The mean CPU time of a sample, in microseconds."""
    spent = 0.0
    drawn = 0
    for position in Games(table, seed).sample(states):
        for seat in range(table.players):
            sample = position.state.determinize(seat, 0)
            began = time.process_time()
            for number in range(SAMPLES_TIMED):
                table.call("redeterminize", sample.address, seat, number)
            spent += time.process_time() - began
            drawn += SAMPLES_TIMED
    return 1e6 * spent / max(1, drawn)


def rows(names: list[str], states: int, sets: int, seed: int) -> Iterator[str]:
    """The rows of the table, in Markdown."""
    for name in names:
        table = kibitz.load(name).table()
        made = certify(table, states=states, swaps=1, outputs=0, sets=sets, seed=seed)
        if not made.hides:
            continue
        low, high = wilson_interval(made.impossible, made.samples) if made.samples else (0.0, 1.0)
        share = f"{made.impossible / made.samples:.2%}" if made.samples else ""
        worlds = sum(result.worlds for result in made.sets)
        drawn = sum(result.samples for result in made.sets)
        wrong = sum(result.impossible for result in made.sets)
        cells = [
            name,
            str(table.players),
            f"{made.samples:,}",
            share,
            f"{low:.2%} to {high:.2%}" if made.samples else "",
            f"{wrong:,} of {drawn:,}" if made.sets else "",
            f"{worlds:,}" if made.sets else "",
            "" if made.least_p is None else f"{made.least_p:.2g}",
            f"{microseconds(table, max(4, states // 10), seed):.2f}",
        ]
        yield "| " + " | ".join(cells) + " |"


def main() -> None:
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="all of the library by default")
    parser.add_argument("--states", type=int, default=200)
    parser.add_argument("--sets", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    titles = ("game", "players", "samples", "contradict", "95 % interval", "in sets", "worlds")
    print("| " + " | ".join((*titles, "least p", "µs")) + " |")
    print("|---|" + 8 * "---:|")
    for row in rows(
        options.games or sorted(game.name for game in kibitz.games()),
        options.states,
        options.sets,
        options.seed,
    ):
        print(row, flush=True)


if __name__ == "__main__":
    main()
