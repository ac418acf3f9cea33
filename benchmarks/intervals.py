"""Whether the intervals of a playtest hold: ``python -m benchmarks.intervals [TIMES [GAME ...]]``.

A game is playtested again and again, with other seeds. Of each measure with an interval it is
counted how often that holds the value that all games together have: 95 of 100 times, if it is
right.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from kibitz.arena.judge import Judge
from kibitz.core.agent import make_agents
from kibitz.loading import find_table
from kibitz.playtest.measures import Measurement, to_json
from kibitz.playtest.sample import Sample, Setting
from kibitz.runs import Experiment, Rows, ThreadRunner

GAMES = ("tic-tac-toe", "agram", "love-letter")
SIZE = 100
"""Games of a repetition."""
TOLERANCE = 0.015
RECORDED = ("decisions", "judgements")

Found = tuple[str, float, tuple[float, float]]


def numbers(document: Any, path: str = "") -> Iterator[Found]:
    """All numbers of a playtest's JSON that have an interval, by path."""
    if isinstance(document, list):
        for i, item in enumerate(document):
            if isinstance(item, dict):
                names = ("pattern", "name", "source", "seat", "agent")
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


def values_of(measurement: Measurement, setting: Setting) -> dict[str, Any]:
    """The JSON of a measurement."""
    return to_json({"loops": 0, "players": setting.players, **measurement.finish()})


class Coverage:
    """How often the intervals of a game's measures hold.

    Args:
        setting: of all repetitions.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._waiting: list[Rows] = []
        self._found: dict[str, list[tuple[float, float, float]]] = {}
        self._all = Measurement(setting, RECORDED)
        self.repetitions = 0

    def add(self, rows: Rows) -> None:
        """Adds a part of a repetition; each has two."""
        self._waiting.append(rows)
        if sum(len(part.results) for part in self._waiting) < SIZE:
            return
        one = Measurement(self._setting, RECORDED)
        for part in self._waiting:
            sample = Sample(self._setting, part)
            one.add(sample)
            self._all.add(sample)
        for path, value, (low, high) in numbers(values_of(one, self._setting)):
            self._found.setdefault(path, []).append((value, low, high))
        self._waiting.clear()
        self.repetitions += 1

    def shares(self) -> Iterator[tuple[str, float, float]]:
        """Of each measure that nearly all repetitions have, its mean and how often it is held."""
        known = {path: of for path, of, _ in numbers(values_of(self._all, self._setting))}
        for path, rows in sorted(self._found.items()):
            if len(rows) < 0.99 * self.repetitions:
                continue
            value, low, high = np.array(rows).T
            # choices are counted up to a limit; ratios have hardly any bias
            truth = value.mean() if path.startswith("choices") else known[path]
            if value.std() > 1e-12:
                held = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
                yield path, float(truth), float(held.mean())


def main(repetitions: int = 1000, *games: str) -> None:
    """Tells of each game which intervals hold too rarely, or too often."""
    for game in games or GAMES:
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
        coverage = Coverage(Setting.of(table, agents, True))
        ThreadRunner(experiment, table, agents).play(coverage.add)
        found = list(coverage.shares())
        wrong = [row for row in found if not 0.95 - TOLERANCE <= row[2] <= 0.95 + TOLERANCE]
        print(f"{game}: {len(found) - len(wrong)} of {len(found)} intervals hold", flush=True)
        for path, truth, held in wrong:
            print(f"  {held:6.1%}  {path} ({truth:.3g})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, *sys.argv[2:])
