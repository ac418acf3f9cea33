"""Tests whether open numbers depend on hidden cards: set-ups are compared with samples.

Before anybody has decided, a seat can know of the hidden cards no more than the rules have told.
So the cards that were dealt and those that ``determinize`` samples have the same distribution,
whatever an open number says. Where they differ the number tells a part of the truth that samples
do not know of, such as whether a hand holds a certain card or an even one. ``SecretFinder`` sees
numbers that tell all of it.

The cards held, beside each value of each number, are compared with their mean in the samples, by
chi-square; p-values are adjusted by Bonferroni's method.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kibitz.checks.certificate import SIGNIFICANT
from kibitz.checks.columns import Column, Floats, contents_of, numbers_in
from kibitz.checks.contents import Leaf, slotted
from kibitz.checks.explanations import value_words
from kibitz.checks.laws import Law
from kibitz.checks.secrets import CURE, open_numbers
from kibitz.core.game import Table
from kibitz.core.layout import MEMORY
from kibitz.core.randomness import derive_seed
from kibitz.core.state import State
from kibitz.core.statistics import chi_square_tail
from kibitz.syntax.findings import Finding, Spot

FIRST = 200
"""The number of set-ups in which open numbers that differ are looked for."""
SET_UPS = 2000
"""The number of set-ups that are compared with samples, if there are such numbers."""
SAMPLES = 4
"""The number of samples of each set-up, for each seat."""
LEAST_EXPECTED = 15.0
"""The least expected number of a card in samples for it to be counted."""
ENDS = (0, 1, -1, -2)
"""Places of a pile that are compared by themselves, besides all of it together."""


def telling(table: Table, seed: int) -> tuple[int, list[Finding]]:
    """The number of pairs that were tested, and findings of numbers that depend on hidden cards.

    There is one for each of these open numbers.
    """
    states = _set_ups(table, seed, range(FIRST))
    if not _varying(table, states):
        return 0, []
    states += _set_ups(table, seed, range(FIRST, SET_UPS))
    numbers = _varying(table, states)
    tests = [
        test
        for seat in range(table.players)
        for held, sampled, where, words in _holdings(table, states, seat)
        for leaf, values in numbers
        for test in _tests(leaf, values, held, sampled, where, words, seat)
    ]
    worst: dict[str, tuple[float, Finding]] = {}
    for p, finding in tests:
        if p * len(tests) < SIGNIFICANT and p < worst.get(finding.path, (1.0,))[0]:
            worst[finding.path] = p, finding
    return len(tests), [finding for _, finding in worst.values()]


def _set_ups(table: Table, seed: int, games: range) -> list[State]:
    return [table.new_state(derive_seed([0, 0, 0, 0], seed, game)) for game in games]


def _varying(
    table: Table, states: Sequence[State]
) -> list[tuple[Leaf, np.ndarray[Any, np.dtype[Any]]]]:
    """The open numbers that are not the same in all states, and their values."""
    leaves = open_numbers(table.layout, table.players)
    contents = contents_of(states)
    numbers = [(leaf, numbers_in(contents, leaf)) for leaf in leaves]
    return [(leaf, values) for leaf, values in numbers if (values != values[0]).any()]


def _holdings(
    table: Table, states: Sequence[State], seat: int
) -> Iterator[tuple[Floats, Floats, str, list[str]]]:
    """The number of each value that a component hides from a seat, in truth and in samples.

    Yields for each component the counts by state and value, then those of each place near an end,
    each with the path of the component or place, and the words for the values.
    """
    pieces = [
        (instance, slots)
        for instance, slots in slotted(table.layout, table.players)
        if slots.pool != MEMORY and slots.high > slots.low
    ]
    truth = contents_of(states)
    samples = [
        contents_of([s.determinize(seat, SAMPLES * i + k) for i, s in enumerate(states)])
        for k in range(SAMPLES)
    ]
    for instance, slots in pieces:
        column = Column.of(truth, instance, slots, seat)
        if not column.hidden.any():
            continue
        others = [Column.of(sample, instance, slots, seat) for sample in samples]
        words = [value_words(instance, v) for v in range(slots.low, slots.high + 1)]
        masks = [("", column.hidden)]
        if slots.capacity > 1:
            masks += [(f"[{end}]", column.hidden & column.at(end)) for end in ENDS]
        for name, mask in masks:
            held = column.counts(mask, len(words))
            sampled = np.mean([other.counts(mask, len(words)) for other in others], axis=0)
            order = _chance(held, sampled) if name else None
            if order is not None and order[0] < SIGNIFICANT:
                continue  # a pile without order, from which cards are drawn by lot
            yield held, sampled, f"{instance.path}{name}", words


def _tests(
    leaf: Leaf,
    numbers: np.ndarray[Any, np.dtype[Any]],
    held: Floats,
    sampled: Floats,
    where: str,
    words: Sequence[str],
    seat: int,
) -> Iterator[tuple[float, Finding]]:
    """Compares what is held with samples beside each value of a number; yields p-values."""
    values, counts = np.unique(numbers, return_counts=True)
    for value in values[counts >= LEAST_EXPECTED]:
        rows = numbers == value
        deviation = _chance(held[rows], sampled[rows])
        if deviation is None:
            continue
        p, card = deviation
        truth, expected = held[rows].sum(axis=0), sampled[rows].sum(axis=0)
        message = (
            f"in {int(rows.sum()):,} of {len(rows):,} set-ups it is {value:g}: there {where} has "
            f"{words[card]} {truth[card]:g} times, in samples "
            f"{expected[card]:.0f}; it tells something of what is hidden"
        )
        yield p, Finding(Law.SECRET, message, leaf.path, CURE, Spot(seat=seat))


def _chance(held: Floats, sampled: Floats) -> tuple[float, int] | None:
    """The p-value of the holdings in some states against samples, and the most deviant value.

    ``None``: everything is too rare.
    Variances are at most those of Poisson's distribution, so that alarms are rather too few.
    """
    truth, expected = held.sum(axis=0), sampled.sum(axis=0)
    enough = expected >= LEAST_EXPECTED
    if not enough.any():
        return None
    surplus = np.where(enough, truth - expected, 0.0)
    terms = surplus**2 / (np.where(enough, expected, 1.0) * (1 + 1 / SAMPLES))
    return chi_square_tail(float(terms.sum()), int(enough.sum())), int(terms.argmax())
