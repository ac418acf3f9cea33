"""Which changes at the table are told together.

Changes come one by one, in the order in which they were made: thirteen cards dealt to each of four
players are 52. Those between two of which no card has moved on belong together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kibitz.core.changes import Change, Counted, Exchanged, Moved, Owner, Paused, Place, Shuffled

Flow = tuple[Place, Place]
"""From where to where."""


def parts_of(changes: Iterable[Change]) -> list[list[Change]]:
    """Changes in parts that are told together, in order."""
    parts = list(_together(changes))
    _gather_numbers(parts)
    return parts


def alike(flows: Iterable[Flow]) -> list[list[Flow]]:
    """Flows that are told together: from places of one name to places of one name."""
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
    """Splits changes into parts in which each card moves at most once."""
    part: list[Change] = []
    left, arrived = _ends(part)
    for change in changes:
        if isinstance(change, Exchanged):
            yield part
            yield [change]
            part = []
            left, arrived = _ends(part)
            continue
        if isinstance(change, Moved):
            if change.source in arrived or change.target in left:  # cards move on
                cut = _last_run(part, change)
                yield part[:cut]
                part = part[cut:]
                left, arrived = _ends(part)
                if change.source in arrived or change.target in left:
                    yield part
                    part = []
                    left, arrived = _ends(part)
            left.add(change.source)
            arrived.add(change.target)
        part.append(change)
        if isinstance(change, Shuffled | Paused):
            yield part
            part = []
            left, arrived = _ends(part)
    yield part


def _ends(part: Sequence[Change]) -> tuple[set[Place], set[Place]]:
    """The places that cards left in a part, and those where they arrived."""
    moves = [change for change in part if isinstance(change, Moved)]
    return {move.source for move in moves}, {move.target for move in moves}


def _last_run(part: Sequence[Change], change: Moved) -> int:
    """Where the moves at the end of a part begin that are of the same sort as another one."""
    first = len(part)
    for at in range(len(part) - 1, -1, -1):
        other = part[at]
        if isinstance(other, Moved):
            if _sort(other.source, other.target) != _sort(change.source, change.target):
                break
            first = at
    return first


def _sort(source: Place, target: Place) -> tuple[Any, ...]:
    """The key of moves that form one event: the names of their places."""
    own = source.owner == target.owner
    return source.name, source.owner is None, target.name, target.owner is None, own


def _gather_numbers(parts: Sequence[list[Change]]) -> None:
    """Moves what several parts say of a number of different owners to the last of them."""
    for part, following in itertools.pairwise(parts):
        numbers = [change for change in part if isinstance(change, Counted)]
        own = {change.name: _owners_of(part, change.name) for change in numbers}
        theirs = {name: _owners_of(following, name) for name in own}
        for change in reversed(numbers):
            alike = theirs[change.name]
            if alike and not alike & own[change.name]:
                part.remove(change)
                following.insert(0, change)


def _owners_of(part: Sequence[Change], name: str) -> set[Owner]:
    """Whose number of a name a part is about."""
    return {c.owner for c in part if isinstance(c, Counted) and c.name == name}
