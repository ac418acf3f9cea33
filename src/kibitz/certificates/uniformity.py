"""Whether samples are uniform over the worlds of an information set: chi-square and Holm."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from kibitz.certificates.findings import InformationSet
from kibitz.certificates.worlds import WorldFinder, Worlds
from kibitz.playtest.statistics import chi_square_tail, holm

PER_WORLD = 10
"""So many samples are wanted for each world,"""
FEWEST = 200
"""at least so many in all,"""
MOST_SAMPLES = 60_000
"""and at most so many are drawn, those that contradict what was seen included."""
LEAST_EXPECTED = 5.0
"""With fewer samples for each world there is no p-value."""


def compare(finder: WorldFinder, worlds: Worlds, spot: str, seed: int) -> InformationSet:
    """Draws samples and compares them with the worlds.

    Samples that are no worlds are counted apart; the others are compared with the uniform
    distribution by Pearson's chi-square test, unless worlds differ in their chance.

    Args:
        finder: of the table.
        worlds: the information set.
        spot: where it is.
        seed: of the first sample; the others follow.
    """
    counts = dict.fromkeys(worlds.keys, 0)
    wanted = max(FEWEST, PER_WORLD * len(counts))
    drawn = possible = 0
    while possible < wanted and drawn < MOST_SAMPLES:
        sample = worlds.state.determinize(worlds.player, seed + drawn)
        key = finder.key_of(bytes(sample), worlds.player)
        drawn += 1
        if key in counts:
            counts[key] += 1
            possible += 1
    expected = possible / len(counts)
    statistic, p = 0.0, None
    if worlds.equal and len(counts) > 1 and expected >= LEAST_EXPECTED:
        statistic = sum((n - expected) ** 2 for n in counts.values()) / expected
        p = chi_square_tail(statistic, len(counts) - 1)
    return InformationSet(
        spot,
        worlds.player,
        len(counts),
        drawn,
        drawn - possible,
        Counter(counts.values())[0],
        statistic,
        p,
        worlds.equal,
    )


def adjusted(sets: Sequence[InformationSet]) -> list[InformationSet]:
    """The sets with p-values adjusted for their number, by Holm's method."""
    tested = [i for i, found in enumerate(sets) if found.p is not None]
    found = list(sets)
    for i, p in zip(tested, holm([sets[i].p or 0.0 for i in tested]), strict=True):
        found[i] = dataclasses.replace(sets[i], adjusted=p)
    return found
