"""Groups of changes at the table that one event reports.

Changes come one by one, in the order in which they were made: thirteen cards dealt to each of four
players are 52. Changes form a group as long as none of their cards moves twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kibitz.core.changes import Change, Counted, Exchanged, Moved, Owner, Paused, Place, Shuffled

Flow = tuple[Place, Place]
"""The place that cards leave, and the place where they arrive."""


def grouped(changes: Iterable[Change]) -> list[list[Change]]:
    """Changes in groups, in order; one event reports a group."""
    groups = list(_together(changes))
    _gather_numbers(groups)
    return groups


def alike(flows: Iterable[Flow]) -> list[list[Flow]]:
    """Groups of flows for one event: from places of one name to places of one name."""
    groups: dict[tuple[Any, ...], list[Flow]] = {}
    for source, target in flows:
        groups.setdefault(_sort(source, target), []).append((source, target))
    joined: list[list[Flow]] = []
    for group in groups.values():  # a trick: the taker's own card as well as the others'
        for other in joined:
            if len({flow[1] for flow in (*other, *group)}) == 1:
                other += group
                break
        else:
            joined.append(group)
    return joined


def _together(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Splits changes into groups in which each card moves at most once."""
    group: list[Change] = []
    sources, targets = _ends(group)
    for change in changes:
        if isinstance(change, Exchanged):
            yield group
            yield [change]
            group = []
            sources, targets = _ends(group)
            continue
        if isinstance(change, Moved):
            if change.source in targets or change.target in sources:  # cards move on
                cut = _last_run(group, change)
                yield group[:cut]
                group = group[cut:]
                sources, targets = _ends(group)
                if change.source in targets or change.target in sources:
                    yield group
                    group = []
                    sources, targets = _ends(group)
            sources.add(change.source)
            targets.add(change.target)
        group.append(change)
        if isinstance(change, Shuffled | Paused):
            yield group
            group = []
            sources, targets = _ends(group)
    yield group


def _ends(group: Sequence[Change]) -> tuple[set[Place], set[Place]]:
    """The places that cards left in a group, and those where they arrived."""
    moves = [change for change in group if isinstance(change, Moved)]
    return {move.source for move in moves}, {move.target for move in moves}


def _last_run(group: Sequence[Change], change: Moved) -> int:
    """The index in a group from which on all moves have the sort of another move."""
    first = len(group)
    for at in range(len(group) - 1, -1, -1):
        other = group[at]
        if isinstance(other, Moved):
            if _sort(other.source, other.target) != _sort(change.source, change.target):
                break
            first = at
    return first


def _sort(source: Place, target: Place) -> tuple[Any, ...]:
    """The key of moves that form one event: the names of their places."""
    own = source.owner == target.owner
    return _stem(source), source.owner is None, _stem(target), target.owner is None, own


def _stem(place: Place) -> str:
    """The name of a place without a number behind it: several in a row are alike."""
    return place.name.rstrip("0123456789 ") or place.name


def _gather_numbers(groups: Sequence[list[Change]]) -> None:
    """Moves changes of a number, of several owners in several groups, to the last of these."""
    for group, following in itertools.pairwise(groups):
        numbers = [change for change in group if isinstance(change, Counted)]
        own = {change.name: _owners_of(group, change.name) for change in numbers}
        theirs = {name: _owners_of(following, name) for name in own}
        for change in reversed(numbers):
            alike = theirs[change.name]
            if alike and not alike & own[change.name]:
                group.remove(change)
                following.insert(0, change)


def _owners_of(group: Sequence[Change], name: str) -> set[Owner]:
    """The owners of a number, by its name, that a group changes."""
    return {c.owner for c in group if isinstance(c, Counted) and c.name == name}
