"""Finds open numbers that are a function of hidden cards of which samples know nothing.

A rule may write a hidden card where all can read it, as it stands or encoded: the colour of the
next card, or the sum of a hand. If a function that is learnt in half of the games, a value for
each card and their sum, is right in all states of the other games, and wrong in samples, the
number tells what samples take for hidden. It is looked for at each end of a component, in the two
cards there, and in all of its cards; and both in all states and where the number has just changed,
since it may be stale later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.arena.conformance.contents import Leaf, slot_length, slotted
from kibitz.arena.conformance.secrets import open_numbers
from kibitz.core.layout import MEMORY, Instance, Slots
from kibitz.core.state import State

PARTS: dict[str, tuple[int, ...] | None] = {
    "cards[0]": (0,),
    "cards[1]": (1,),
    "cards[-1]": (-1,),
    "cards[-2]": (-2,),
    "cards[0] and cards[1]": (0, 1),
    "cards[-1] and cards[-2]": (-1, -2),
    "cards together": None,
}
"""The places of a component that a number may be a function of; ``None``: all."""
FEWEST = 12
"""In how many states of either half of the games the number has to differ from its usual value."""
SAMPLED = 40
"""In how many states the function is compared with samples."""
MOST_WRONG = 0.1
"""In which share of them it has to be wrong."""
EXACT = 1e-6

Floats = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Dependence:
    """An open number that is a function of hidden cards.

    Attributes:
        path: of the number.
        hidden: the cards.
        seat: from whom these are hidden.
        wrong: in which share of the samples the function is wrong.
    """

    path: str
    hidden: str
    seat: int
    wrong: float


def dependences(games: Sequence[Sequence[State]]) -> Iterator[Dependence]:
    """The open numbers that are functions of hidden cards in all states of some games.

    Args:
        games: for each its states, one after the other.
    """
    states = [state for game in games for state in game]
    table = states[0].table
    contents = np.array([np.frombuffer(bytes(state), np.uint8) for state in states])
    number_of = np.repeat(np.arange(len(games)), [len(game) for game in games])
    first = np.concatenate([[True], number_of[1:] != number_of[:-1]])
    numbers = []
    for leaf in open_numbers(table.layout, table.players):
        values = _values(contents, leaf)
        changed = np.concatenate([[False], values[1:] != values[:-1]]) & ~first
        if changed.sum() >= 2 * FEWEST:
            numbers.append((leaf, values, changed))
    named: set[str] = set()
    for instance, slots in slotted(table.layout, table.players):
        if slots.pool == MEMORY or slots.high == slots.low or not numbers:
            continue
        seat = 0 if instance.owner is None else (instance.owner + 1) % table.players
        for part, indices in PARTS.items():
            features, hidden = _features(contents, instance, slots, seat, indices)
            for leaf, values, changed in numbers:
                for rows in (hidden, hidden & changed):
                    if leaf.path in named:
                        break
                    learnt = _learn(features, values, rows, number_of % 2 == 0)
                    if learnt is None:
                        continue
                    wrong = _wrong(states, rows, values, learnt, (instance, slots, seat, indices))
                    if wrong > MOST_WRONG:
                        named.add(leaf.path)
                        yield Dependence(leaf.path, f"{instance.path}.{part}", seat, wrong)


def _values(contents: np.ndarray[Any, np.dtype[np.uint8]], leaf: Leaf) -> Floats:
    raw = contents[:, leaf.offset : leaf.offset + leaf.dtype.itemsize]
    return np.ascontiguousarray(raw).view(leaf.dtype)[:, 0].astype(float)


def _features(
    contents: np.ndarray[Any, np.dtype[np.uint8]],
    instance: Instance,
    slots: Slots,
    seat: int,
    indices: tuple[int, ...] | None,
) -> tuple[Floats, Mask]:
    """How often each card lies in a part of a component, and in which states it is hidden.

    Places are told apart. The last column is one.
    """
    kinds = slots.high - slots.low + 1
    found = np.zeros((len(contents), kinds * len(indices or (0,)) + 1))
    found[:, -1] = 1.0
    hidden = np.zeros(len(contents), bool)
    for row, content in enumerate(contents):
        raw = content.tobytes()
        length = slot_length(raw, instance, slots)
        start, masks = instance.offset + slots.values, instance.offset + slots.seen
        values = np.frombuffer(raw, np.int16, length, start) - slots.low
        seen = np.frombuffer(raw, np.int16, length, masks) >> seat & 1
        places = range(length) if indices is None else indices
        if length < 1 or any(not -length <= i < length or seen[i] for i in places):
            continue
        hidden[row] = True
        for block, i in enumerate(places):
            found[row, (0 if indices is None else kinds * block) + values[i]] += 1.0
    return found, hidden


@dataclass(frozen=True)
class _Learnt:
    """A linear function, and the directions in which it is known."""

    weights: Floats
    basis: Floats

    def known(self, features: Floats) -> Mask:
        """For which features the function is known."""
        rest: Floats = features - features @ self.basis.T @ self.basis
        return np.asarray(np.abs(rest).max(axis=1) < EXACT)


def _learn(features: Floats, values: Floats, rows: Mask, half: Mask) -> _Learnt | None:
    """A function of features that is right in all of some rows, learnt in a half of them."""
    train, test = rows & half, rows & ~half
    for part in (train, test):
        counts = np.unique(values[part], return_counts=True)[1]
        if not len(counts) or counts.sum() - counts.max() < FEWEST:
            return None
    used = features[train].any(axis=0)
    known, wanted = features[train][:, used], values[train]
    if 2 * (int(used.sum()) - 2) > len(known):
        return None
    fitted, _, rank, _ = np.linalg.lstsq(known, wanted, rcond=None)
    if 2 * rank > len(known) or np.abs(known @ fitted - wanted).max() > EXACT:
        return None
    weights: Any = np.zeros(features.shape[1])
    weights[used] = fitted
    whole: Any = np.zeros((rank, features.shape[1]))
    whole[:, used] = np.linalg.svd(known, full_matrices=False)[2][:rank]
    learnt = _Learnt(weights, whole)
    sure = learnt.known(features[test])
    counts = np.unique(values[test][sure], return_counts=True)[1]
    if not len(counts) or counts.sum() - counts.max() < FEWEST:
        return None
    right = np.abs(features[test][sure] @ weights - values[test][sure]) <= EXACT
    return learnt if right.all() else None


def _wrong(
    states: Sequence[State],
    rows: Mask,
    values: Floats,
    learnt: _Learnt,
    where: tuple[Instance, Slots, int, tuple[int, ...] | None],
) -> float:
    """In which share of samples a number is not what the function says."""
    chosen = np.flatnonzero(rows)[:: max(1, int(rows.sum()) // SAMPLED)]
    instance, slots, seat, indices = where
    samples = [states[i].determinize(seat, int(i)) for i in chosen]
    contents = np.array([np.frombuffer(bytes(sample), np.uint8) for sample in samples])
    features, hidden = _features(contents, instance, slots, seat, indices)
    known = hidden & learnt.known(features)
    wrong = np.abs(features @ learnt.weights - values[chosen])[known] > EXACT
    return float(wrong.mean()) if len(wrong) else 0.0
