"""Whether samples are uniform over the worlds of an information set: chi-square and Holm."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from kibitz.checks.certificate import InformationSet
from kibitz.checks.worlds import WorldFinder, Worlds
from kibitz.core.statistics import chi_square_tail, holm

SAMPLES_PER_WORLD = 10
LEAST_SAMPLES = 200
"""The number of possible samples to draw: for each world, and at least for an information set."""
MOST_SAMPLES = 60_000
"""The number of samples after which drawing ends, those that contradict the past included."""
LEAST_EXPECTED = 5.0
"""The least expected number of samples of each world for a p-value."""


def compare(finder: WorldFinder, worlds: Worlds, spot: str, seed: int) -> InformationSet:
    """Draws samples and compares them with the worlds.

    Samples that are no worlds are counted apart; the others are compared with the distribution in
    which deals have the same chance, and within each deal what was chosen in secret, by Pearson's
    chi-square test, unless deals differ in their chance.

    Args:
        finder: tells worlds apart.
        worlds: an information set.
        spot: its game, action and seat.
        seed: the seed of the first sample; the others follow.
    """
    counts = dict.fromkeys(worlds.keys, 0)
    chances = _chances(finder, worlds)
    rarest = min(chances.values())
    target = max(LEAST_SAMPLES, round(SAMPLES_PER_WORLD / rarest))
    drawn = possible = 0
    first_impossible = None
    while possible < target and drawn < MOST_SAMPLES:
        sample = worlds.state.determinize(worlds.player, seed + drawn)
        key = finder.key_of(bytes(sample), worlds.player)
        if key in counts:
            counts[key] += 1
            possible += 1
        elif first_impossible is None:
            first_impossible = seed + drawn
        drawn += 1
    chi_square, p = 0.0, None
    if worlds.equal and len(counts) > 1 and possible * rarest >= LEAST_EXPECTED:
        expected = {key: possible * chance for key, chance in chances.items()}
        chi_square = sum((n - expected[key]) ** 2 / expected[key] for key, n in counts.items())
        p = chi_square_tail(chi_square, len(counts) - 1)
    return InformationSet(
        spot,
        worlds.player,
        worlds=len(counts),
        samples=drawn,
        impossible=drawn - possible,
        missing=Counter(counts.values())[0],
        chi_square=chi_square,
        p=p,
        equal=worlds.equal,
        first_impossible=first_impossible,
    )


def _chances(finder: WorldFinder, worlds: Worlds) -> dict[bytes, float]:
    """The probability of each world, by key, if deals are equally likely and choices in each."""
    deal = {key: finder.deal_of(key) for key in worlds.keys}
    sizes = Counter(deal.values())
    return {key: 1 / (len(sizes) * sizes[deal[key]]) for key in worlds.keys}


def adjusted(sets: Sequence[InformationSet]) -> list[InformationSet]:
    """The sets with p-values adjusted for their number, by Holm's method."""
    results = list(sets)
    tested = [i for i, result in enumerate(sets) if result.p is not None]
    for i, p in zip(tested, holm([sets[i].p or 0.0 for i in tested]), strict=True):
        results[i] = dataclasses.replace(sets[i], adjusted_p=p)
    return results
