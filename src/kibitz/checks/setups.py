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
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.checks.certificate import SIGNIFICANT
from kibitz.checks.contents import Leaf, slotted
from kibitz.checks.explanations import value_words
from kibitz.checks.secrets import open_numbers
from kibitz.core.game import Table
from kibitz.core.layout import MEMORY, Instance, Slots
from kibitz.core.randomness import derive_seed
from kibitz.core.state import State
from kibitz.core.statistics import chi_square_tail

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

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Telling:
    """An open number that depends on hidden cards.

    Attributes:
        path: the path of the number, such as ``note.values[1]``.
        message: what the number says about the cards, in words.
        seat: the seat from which the cards are hidden.
    """

    path: str
    message: str
    seat: int


@dataclass(frozen=True)
class _Tested:
    leaf: Leaf
    seat: int
    p: float
    message: str


def telling(table: Table, seed: int) -> tuple[int, list[Telling]]:
    """The number of pairs that were tested, and the open numbers that depend on hidden cards."""
    states = _set_ups(table, seed, range(FIRST))
    if not _varying(table, states):
        return 0, []
    states += _set_ups(table, seed, range(FIRST, SET_UPS))
    numbers = _varying(table, states)
    tests = [
        test
        for seat in range(table.players)
        for held, sampled, where, instance in _holdings(table, states, seat)
        for leaf, values in numbers
        for test in _tests(leaf, values, held, sampled, where, instance, seat)
    ]
    worst: dict[str, _Tested] = {}
    for test in tests:
        if test.p * len(tests) < SIGNIFICANT:
            before = worst.get(test.leaf.path)
            if before is None or test.p < before.p:
                worst[test.leaf.path] = test
    return len(tests), [Telling(path, t.message, t.seat) for path, t in worst.items()]


def _set_ups(table: Table, seed: int, games: range) -> list[State]:
    return [table.new_state(derive_seed([0, 0, 0, 0], seed, game)) for game in games]


def _varying(
    table: Table, states: Sequence[State]
) -> list[tuple[Leaf, np.ndarray[Any, np.dtype[Any]]]]:
    """The open numbers that are not the same in all states, and their values."""
    leaves = open_numbers(table.layout, table.players)
    contents = _bytes(states)
    varying = []
    for leaf in leaves:
        raw = contents[:, leaf.offset : leaf.offset + leaf.dtype.itemsize]
        if (raw != raw[0]).any():
            varying.append((leaf, np.ascontiguousarray(raw).view(leaf.dtype)[:, 0]))
    return varying


def _bytes(states: Sequence[State]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.array([np.frombuffer(bytes(state), np.uint8) for state in states])


def _holdings(
    table: Table, states: Sequence[State], seat: int
) -> Iterator[tuple[Floats, Floats, str, Instance]]:
    """The number of each value that a component hides from a seat, in truth and in samples.

    Yields for each component the counts by state and value, then those of each place near an end.
    """
    pieces = [
        (instance, slots)
        for instance, slots in slotted(table.layout, table.players)
        if slots.pool != MEMORY and slots.high > slots.low
    ]
    truth = _bytes(states)
    samples = [
        _bytes([s.determinize(seat, SAMPLES * i + k) for i, s in enumerate(states)])
        for k in range(SAMPLES)
    ]
    for instance, slots in pieces:
        hidden, values = _hidden(truth, instance, slots, seat)
        if not hidden.any():
            continue
        others = [_hidden(sample, instance, slots, seat)[1] for sample in samples]
        length = hidden.shape[1]
        used = _lengths(truth, instance, slots)
        masks = [("", hidden)]
        if length > 1:
            at = np.arange(length)
            for end in ENDS:
                place = np.full(len(states), end) if end >= 0 else used + end
                masks.append((f"[{end}]", hidden & (at == place[:, None])))
        for name, mask in masks:
            held = _counted(values, mask, slots)
            sampled = np.mean([_counted(other, mask, slots) for other in others], axis=0)
            order = _chance(held, sampled) if name else None
            if order is not None and order[0] < SIGNIFICANT:
                continue  # a pile without order, from which cards are drawn by lot
            yield held, sampled, f"{instance.path}{name}", instance


def _lengths(
    contents: np.ndarray[Any, np.dtype[np.uint8]], instance: Instance, slots: Slots
) -> np.ndarray[Any, np.dtype[Any]]:
    if slots.count is None:
        return np.full(len(contents), slots.capacity)
    start = instance.offset + slots.count
    return np.ascontiguousarray(contents[:, start : start + 2]).view(np.int16)[:, 0]


def _hidden(
    contents: np.ndarray[Any, np.dtype[np.uint8]], instance: Instance, slots: Slots, seat: int
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], np.ndarray[Any, np.dtype[np.int16]]]:
    """The places of a component that a seat does not know, and the values of all places."""
    size = 2 * slots.capacity
    start, masks = instance.offset + slots.values, instance.offset + slots.seen
    values = np.ascontiguousarray(contents[:, start : start + size]).view(np.int16)
    masked = np.ascontiguousarray(contents[:, masks : masks + size]).view(np.int16)
    used = np.arange(slots.capacity) < _lengths(contents, instance, slots)[:, None]
    return used & (masked >> seat & 1 == 0), values


def _counted(
    values: np.ndarray[Any, np.dtype[np.int16]],
    mask: np.ndarray[Any, np.dtype[np.bool_]],
    slots: Slots,
) -> Floats:
    """The number of each value, among those that a mask chooses, in each state."""
    counts = np.zeros((len(values), slots.high - slots.low + 1))
    for place in range(values.shape[1]):
        rows = np.flatnonzero(mask[:, place])
        np.add.at(counts, (rows, values[rows, place] - slots.low), 1.0)
    return counts


def _tests(
    leaf: Leaf,
    numbers: np.ndarray[Any, np.dtype[Any]],
    held: Floats,
    sampled: Floats,
    where: str,
    instance: Instance,
    seat: int,
) -> Iterator[_Tested]:
    """Compares what is held with samples beside each value of a number."""
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
            f"{value_words(instance, card)} {truth[card]:g} times, in samples "
            f"{expected[card]:.0f}; it tells something of what is hidden"
        )
        yield _Tested(leaf, seat, p, message)


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
