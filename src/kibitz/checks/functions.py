"""Finds open numbers that are a function of hidden cards, though samples ignore the relation.

A rule may write a hidden card where all can read it, as it stands or encoded: the colour of the
next card, or the sum of a hand. So a function of the form "a value for each card, and their sum"
is fitted in half of the games. If it is right in all states of the other games, and wrong in
samples, the number reveals what samples take for hidden. Such a function is sought at each end of
a component, in the two cards there, and in all of its cards; and both in all states and where the
number has just changed, since it may be stale later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.checks.columns import Column, Contents, Floats, Mask, contents_of, numbers_in
from kibitz.checks.contents import slotted
from kibitz.checks.laws import Law
from kibitz.checks.secrets import CURE, open_numbers
from kibitz.core.layout import MEMORY, Instance, Slots
from kibitz.core.state import State
from kibitz.syntax.findings import Finding, Spot

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
"""The least number of states, in either half of the games, in which the number has to differ from
its most common value."""
SAMPLED = 40
"""The number of states in which the function is compared with samples."""
LEAST_WRONG = 0.1
"""The share of samples above which the function counts as wrong in samples."""
EXACT = 1e-6
"""The greatest rounding error of a value that counts as right."""


def dependences(games: Sequence[Sequence[State]]) -> Iterator[Finding]:
    """Findings of open numbers that are functions of hidden cards in all states of some games.

    Args:
        games: the states of each game, in order.
    """
    states = [state for game in games for state in game]
    if not states:
        return
    table = states[0].table
    contents = contents_of(states)
    number_of = np.repeat(np.arange(len(games)), [len(game) for game in games])
    first = np.concatenate([[True], number_of[1:] != number_of[:-1]])
    numbers = []
    for leaf in open_numbers(table.layout, table.players):
        values = numbers_in(contents, leaf).astype(float)
        changed = np.concatenate([[False], values[1:] != values[:-1]]) & ~first
        if changed.sum() >= 2 * FEWEST:
            numbers.append((leaf, values, changed))
    named: set[str] = set()
    for instance, slots in slotted(table.layout, table.players):
        if slots.pool == MEMORY or slots.high == slots.low or not numbers:
            continue
        seat = 0 if instance.owner is None else (instance.owner + 1) % table.players
        for name, indices in PARTS.items():
            features, hidden = _features(contents, instance, slots, seat, indices)
            for leaf, values, changed in numbers:
                for rows in (hidden, hidden & changed):
                    if leaf.path in named:
                        break
                    learnt = _learn(features, values, rows, number_of % 2 == 0)
                    if learnt is None:
                        continue
                    wrong = _wrong(states, rows, values, learnt, (instance, slots, seat, indices))
                    if wrong > LEAST_WRONG:
                        named.add(leaf.path)
                        yield Finding(
                            Law.SECRET,
                            f"in all states it is a function of {instance.path}.{name}, hidden "
                            f"from player {seat + 1}; {wrong:.0%} of samples do not agree with it",
                            leaf.path,
                            CURE,
                            Spot(seat=seat),
                        )


def _features(
    contents: Contents,
    instance: Instance,
    slots: Slots,
    seat: int,
    indices: tuple[int, ...] | None,
) -> tuple[Floats, Mask]:
    """How often each card lies in a part of a component, and in which states the part is hidden.

    Every place of the part has columns of its own. The last column is 1.
    """
    column = Column.of(contents, instance, slots, seat)
    kinds = slots.high - slots.low + 1
    if indices is None:
        parts = [column.used]
        hidden = (column.lengths > 0) & (column.hidden == column.used).all(axis=1)
    else:
        parts = [column.at(index) for index in indices]
        hidden = np.all([(part & column.hidden).any(axis=1) for part in parts], axis=0)
    counts = [column.counts(part & hidden[:, None], kinds) for part in parts]
    return np.hstack([*counts, np.ones((len(contents), 1))]), hidden


@dataclass(frozen=True)
class _Learnt:
    """A linear function, and the directions in which it is known."""

    weights: Floats
    basis: Floats

    def known(self, features: Floats) -> Mask:
        """The rows of features for which the function is known."""
        outside: Floats = features - features @ self.basis.T @ self.basis
        return np.asarray(np.abs(outside).max(axis=1) < EXACT)


def _learn(features: Floats, values: Floats, rows: Mask, half: Mask) -> _Learnt | None:
    """A function of features that is right in all of the rows, fitted in the half of them."""
    train, test = rows & half, rows & ~half
    for chosen in (train, test):
        counts = np.unique(values[chosen], return_counts=True)[1]
        if not len(counts) or counts.sum() - counts.max() < FEWEST:
            return None
    used = features[train].any(axis=0)
    known, targets = features[train][:, used], values[train]
    if 2 * (int(used.sum()) - 2) > len(known):
        return None
    if _contradicts_itself(known, targets):
        return None
    fitted, _, rank, _ = np.linalg.lstsq(known, targets, rcond=None)
    if 2 * rank > len(known) or np.abs(known @ fitted - targets).max() > EXACT:
        return None
    weights: Any = np.zeros(features.shape[1])
    weights[used] = fitted
    basis: Any = np.zeros((rank, features.shape[1]))
    basis[:, used] = np.linalg.svd(known, full_matrices=False)[2][:rank]
    learnt = _Learnt(weights, basis)
    sure = learnt.known(features[test])
    counts = np.unique(values[test][sure], return_counts=True)[1]
    if not len(counts) or counts.sum() - counts.max() < FEWEST:
        return None
    right = np.abs(features[test][sure] @ weights - values[test][sure]) <= EXACT
    return learnt if right.all() else None


def _contradicts_itself(features: Floats, values: Floats) -> bool:
    """Whether two rows with the same features have different values: far quicker than a fit.

    Rows are sorted by a mixture of their features, which brings equal ones together.
    """
    mixture = np.random.default_rng(0).integers(1 << 32, size=features.shape[1])
    order = np.argsort(features @ mixture)
    ordered = features[order]
    alike = (ordered[1:] == ordered[:-1]).all(axis=1)
    return bool((alike & (np.abs(np.diff(values[order])) > 2 * EXACT)).any())


def _wrong(
    states: Sequence[State],
    rows: Mask,
    values: Floats,
    learnt: _Learnt,
    where: tuple[Instance, Slots, int, tuple[int, ...] | None],
) -> float:
    """The share of samples in which a number is not what the function says."""
    chosen = np.flatnonzero(rows)[:: max(1, int(rows.sum()) // SAMPLED)]
    instance, slots, seat, indices = where
    samples = [states[i].determinize(seat, int(i)) for i in chosen]
    features, hidden = _features(contents_of(samples), instance, slots, seat, indices)
    known = hidden & learnt.known(features)
    wrong = np.abs(features @ learnt.weights - values[chosen])[known] > EXACT
    return float(wrong.mean()) if len(wrong) else 0.0
