"""Whether intervals hold: ``python -m benchmarks.intervals [--times TIMES] [GAME ...]``.

A game is playtested again and again, with other seeds; so are two variants side by side, and one
agent against another one by duplicate deals. Of each number with an interval it is counted how
often that holds the value that all games together have: 95 of 100 times, if it is right. Of 1,000
repetitions 95 % themselves are known to within 1.4 points, so one in thirty is out by chance.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import kibitz
from kibitz.arena.judge import Judge
from kibitz.core.agent import make_agent, make_agents
from kibitz.loading import find_table
from kibitz.playtest.comparison import Comparing, difference_of
from kibitz.playtest.contest import DealScores, play_contest
from kibitz.playtest.measures import Measurement, to_json
from kibitz.playtest.sample import RunMetadata, Sample
from kibitz.runs import Experiment, Rows, ThreadRunner

GAMES = ("tic-tac-toe", "agram", "love-letter")
CHANGES: dict[str, dict[str, Any]] = {
    "agram": {"hand": 5},
    "love-letter": {"guards": 6},
}
"""Variants that are compared with the games as they are."""
SIZE = 100
"""Games of a repetition."""
TOLERANCE = 0.015
RECORDED = ("decisions", "judgements")

Found = tuple[str, float, tuple[float, float]]
Held = tuple[str, float, float]
"""What a number is called, its true value, and how often its interval holds that."""


def numbers(document: Any, path: str = "") -> Iterator[Found]:
    """All numbers of a playtest's JSON that have an interval, by path."""
    if isinstance(document, list):
        for i, item in enumerate(document):
            if isinstance(item, dict):
                names = ("pattern", "name", "source", "seat", "agent", "rule")
                key = next((str(item[name]) for name in names if item.get(name) is not None), i)
                yield from numbers(item, f"{path}[{key}]")
        return
    if not isinstance(document, dict):
        return
    for name, value in document.items():
        here = f"{path}.{name}" if path else name
        if isinstance(value, dict | list) and not name.endswith("interval"):
            yield from numbers(value, here)
            continue
        stem = name.removesuffix("_interval")
        of = next(
            (
                n
                for n in (
                    stem,
                    f"{stem}_rate",
                    f"{stem}_share",
                    f"{stem}_wins",
                    f"mean_{stem}",
                    "mean",
                    "share",
                )
                if name.endswith("interval") and n != name and n in document
            ),
            None,
        )
        if of is not None and value is not None and document[of] is not None:
            yield f"{path}.{of}" if path else of, document[of], tuple(value)


def values_of(measurement: Measurement, metadata: RunMetadata) -> dict[str, Any]:
    """The JSON of a measurement."""
    return to_json({"loops": 0, "players": metadata.players, **measurement.finish()})


class Coverage:
    """How often the intervals of a game's measures hold.

    Args:
        metadata: of all repetitions.
    """

    def __init__(self, metadata: RunMetadata) -> None:
        self._metadata = metadata
        self._waiting: list[Rows] = []
        self._found: dict[str, list[tuple[float, float, float]]] = {}
        self._all = Measurement(metadata, RECORDED)
        self.repetitions = 0

    def add(self, rows: Rows) -> None:
        """Adds a part of a repetition; each has two."""
        self._waiting.append(rows)
        if sum(len(part.results) for part in self._waiting) < SIZE:
            return
        one = Measurement(self._metadata, RECORDED)
        for part in self._waiting:
            sample = Sample(self._metadata, part)
            one.add(sample)
            self._all.add(sample)
        for path, value, (low, high) in numbers(values_of(one, self._metadata)):
            self._found.setdefault(path, []).append((value, low, high))
        self._waiting.clear()
        self.repetitions += 1

    def shares(self) -> Iterator[Held]:
        """Of each measure that nearly all repetitions have, its mean and how often it is held."""
        known = {path: of for path, of, _ in numbers(values_of(self._all, self._metadata))}
        for path, rows in sorted(self._found.items()):
            if len(rows) < 0.99 * self.repetitions:
                continue
            value, low, high = np.array(rows).T
            # choices are counted up to a limit; ratios have hardly any bias
            truth = value.mean() if path.startswith("choices") else known[path]
            if value.std() > 1e-12:
                held = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
                yield path, float(truth), float(held.mean())


def of_differences(game: str, change: dict[str, Any], repetitions: int) -> Iterator[Held]:
    """Of the differences between a game and a variant of it: what each is, and how often held."""
    loaded = kibitz.load(game)
    variants = {"as it is": loaded.table(), "changed": loaded.table(**change)}
    comparing = Comparing(variants, "random", SIZE * repetitions, 1)
    comparing.play()
    first, other = comparing.measured
    for title in first:
        if title not in other or (whole := difference_of(first[title], other[title])) is None:
            continue
        held = repeated = 0
        for at in range(0, SIZE * repetitions, SIZE):
            part = slice(at, at + SIZE)
            found = difference_of(first[title][part], other[title][part])
            if found is not None and found.interval is not None:
                repeated += 1
                held += found.interval[0] - 1e-12 <= whole.value <= found.interval[1] + 1e-12
        if repeated >= 0.99 * repetitions and whole.gain is not None:
            yield f"difference of {title}", whole.value, held / repeated


def of_contests(game: str, repetitions: int) -> Iterator[Held]:
    """Of the share that an agent wins in duplicate deals."""
    table = kibitz.load(game).table()
    deals = -(-SIZE // table.players)
    games = deals * table.players * repetitions
    whole, _ = play_contest(table, make_agent("osla"), make_agent("random"), games, 1)
    held = 0
    for at in range(0, deals * repetitions, deals):
        part = slice(at, at + deals)
        one = DealScores(whole.numbers[part], whole.games[part], whole.wins[part], 0)
        held += one.interval[0] <= whole.share <= one.interval[1]
    yield "share of a contest", whole.share, held / repetitions


def tell(title: str, found: list[Held]) -> None:
    """Prints how many intervals hold, and which do not."""
    wrong = [row for row in found if not 0.95 - TOLERANCE <= row[2] <= 0.95 + TOLERANCE]
    print(f"{title}: {len(found) - len(wrong)} of {len(found)} intervals hold", flush=True)
    for path, truth, held in wrong:
        print(f"  {held:6.1%}  {path} ({truth:.3g})", flush=True)


def main() -> None:
    """Tells of each game which intervals hold too rarely, or too often."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=1000, help="how often (%(default)s)")
    parser.add_argument("games", nargs="*", metavar="GAME", default=GAMES)
    given = parser.parse_args()
    repetitions, games = given.times, given.games
    for game, change in CHANGES.items():
        if game in games:
            tell(f"{game}, {change}", list(of_differences(game, change, repetitions)))
            tell(f"{game}, osla against random", list(of_contests(game, repetitions)))
    for game in games:
        table = find_table(game, None, None)
        agents = make_agents(["random"], table.players)
        experiment = Experiment.of(
            table,
            agents,
            SIZE * repetitions,
            1,
            record=RECORDED,
            judge=Judge.of("rollouts:samples=2"),
        )
        experiment = replace(experiment, shard_games=SIZE // 2)
        coverage = Coverage(RunMetadata.of(table, agents, True))
        ThreadRunner(experiment, table, agents).play(coverage.add)
        tell(game, list(coverage.shares()))


if __name__ == "__main__":
    main()
