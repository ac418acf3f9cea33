"""How the benchmarks measure: CPU time of one pinned core, ratios of medians, interleaved."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST

SHARED = Path(__file__).parents[2] / "shared"
"""Where other people's games are, beside the checkout, if at all."""

Work = Callable[[], int]
"""Does some work and says how much: playouts, simulations, copies."""


def pin_to_one_core() -> None:
    """Keeps the process on one core, so that rates are those of a single one."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def action_list(legal: Sequence[int]) -> np.ndarray[Any, Any]:
    """Legal actions as an ``ACTION_LIST`` record, as agents take them."""
    actions = np.zeros(1, ACTION_LIST)
    actions["count"] = len(legal)
    actions["items"][0, : len(legal)] = legal
    return actions


@dataclass
class Rate:
    """Units per second of CPU time: the median of some repeats, and their spread."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        spread = (self.high - self.low) / self.median
        return f"{self.median:>14,.0f}/s  (spread {spread:.0%})"


def rates(works: dict[str, Work], seconds: float = 1.0, repeats: int = 5) -> dict[str, Rate]:
    """Measures several kinds of work in turns, so that a busy machine hits all alike."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()  # whatever happens only once
    for _ in range(repeats):
        for name, work in works.items():
            done = 0
            began = time.process_time()
            while (spent := time.process_time() - began) < seconds:
                done += work()
            found[name].append(done / spent)
    return {
        name: Rate(statistics.median(values), min(values), max(values))
        for name, values in found.items()
    }


@dataclass
class Check:
    """A promise about a measured number."""

    what: str
    value: float
    limit: float
    at_least: bool = True

    @property
    def holds(self) -> bool:
        """Whether the number keeps it."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        verdict = "ok  " if self.holds else "MISS"
        return f"{verdict} {self.what}: {self.value:,.2f} (promised {sign} {self.limit:,.2f})"


def verdict(checks: list[Check]) -> int:
    """Prints which promises are kept; returns the exit code."""
    print()
    for check in checks:
        print(check)
    return 0 if all(check.holds for check in checks) else 1
