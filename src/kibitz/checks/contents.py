"""Functions on the bytes of states: differences, hidden values, card counts."""

from __future__ import annotations

import functools
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.components import CardSet, Deck
from kibitz.core.layout import MEMORY, Instance, Layout, Slots

if TYPE_CHECKING:
    from kibitz.core.state import State

"""Offset and size of the random stream in every state."""

CardCounts = dict[CardSet, dict[int, int]]
"""For each card set, how many there are of each of its cards in all decks together."""


@dataclass(frozen=True)
class Leaf:
    """One number of a record: its path as rules write it, its offset and its type."""

    path: str
    offset: int
    dtype: np.dtype[Any]

    def read(self, content: bytes) -> int | float:
        """The value of the number in a state."""
        return np.frombuffer(content, self.dtype, 1, self.offset)[0].item()


def leaves(dtype: np.dtype[Any], path: str = "", offset: int = 0) -> Iterator[Leaf]:
    """All numbers of a record, in order."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for number, index in enumerate(np.ndindex(shape)):
            place = ", ".join(str(i) for i in index)
            yield from leaves(base, f"{path}[{place}]", offset + number * base.itemsize)
    elif dtype.fields is not None:
        for name in dtype.names or ():
            field_type, at = dtype.fields[name][:2]
            yield from leaves(field_type, f"{path}.{name}" if path else name, offset + at)
    else:
        yield Leaf(path, offset, dtype)


def differences(layout: Layout, a: bytes, b: bytes) -> list[Leaf]:
    """The numbers that differ between two states of one layout."""
    if a == b:
        return []
    return [
        leaf
        for leaf in leaves(layout.dtype)
        if a[leaf.offset : leaf.offset + leaf.dtype.itemsize]
        != b[leaf.offset : leaf.offset + leaf.dtype.itemsize]
    ]


def show_differences(layout: Layout, a: bytes, b: bytes, most: int = 3) -> str:
    """The first differences in words: ``hands[2].count (3 and 4)``."""
    differing = differences(layout, a, b)
    shown = [f"{leaf.path} ({leaf.read(a)} and {leaf.read(b)})" for leaf in differing[:most]]
    if len(differing) > most:
        shown.append(f"{len(differing) - most} more")
    return ", ".join(shown)


# --- hideable places ----------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """One value of a state that may be hidden."""

    instance: Instance
    slots: Slots
    index: int
    length: int
    value: int
    seen: int

    @property
    def field(self) -> str:
        """The name of the component's field that holds it, such as ``cards``."""
        fields: Any = self.instance.dtype.fields
        return next(str(name) for name in fields if fields[name][1] == self.slots.values)

    @property
    def path(self) -> str:
        """The path as rules write it, such as ``hands[2].cards[0]``."""
        fields: Any = self.instance.dtype.fields
        index = f"[{self.index}]" if fields[self.field][0].subdtype else ""
        return f"{self.instance.path}.{self.field}{index}"

    @property
    def component(self) -> str:
        """The component as declared: ``hands`` for all players' hands."""
        return self.instance.path.replace(f"[{self.instance.owner}]", "", 1)

    @property
    def span(self) -> slice:
        """The bytes of the value in the state."""
        start = self.instance.offset + self.slots.values + 2 * self.index
        return slice(start, start + 2)


@functools.lru_cache(maxsize=256)
def slotted(layout: Layout, players: int) -> list[tuple[Instance, Slots]]:
    """The components in play whose values may be hidden."""
    hiding = []
    for instance in layout.in_play(players):
        slots = instance.component.slots(instance.dtype)
        if slots is not None:
            hiding.append((instance, slots))
    return hiding


def hideable(state: State) -> list[range]:
    """The offsets in the state of the values that may be hidden, by component in play."""
    spans = []
    for instance, slots in slotted(state.table.layout, state.players):
        start = instance.offset + slots.values
        spans.append(range(start, start + 2 * slots.capacity))
    return spans


def slot_length(content: bytes, instance: Instance, slots: Slots) -> int:
    """The number of values in use, as the state says; a faulty rule may have set any number."""
    if slots.count is None:
        return slots.capacity
    return int(struct.unpack_from("=h", content, instance.offset + slots.count)[0])


def slot_problem(content: bytes, instance: Instance, slots: Slots) -> str | None:
    """Why this component's hideable values are invalid, in words."""
    length = slot_length(content, instance, slots)
    if not 0 <= length <= slots.capacity:
        return f"it claims {length} values, and holds at most {slots.capacity}"
    if slots.pool == MEMORY or slots.choice:
        return None
    values = np.frombuffer(content, np.int16, length, instance.offset + slots.values)
    for index in np.nonzero((values < slots.low) | (values > slots.high))[0]:
        return f"place {index} holds {values[index]}, outside {slots.low} .. {slots.high}"
    return None


def places(state: State) -> Iterator[Place]:
    """All hideable pieces in use."""
    content = bytes(state)
    for instance, slots in slotted(state.table.layout, state.players):
        if slots.pool == MEMORY:
            continue
        length = slot_length(content, instance, slots)
        values = np.frombuffer(content, np.int16, length, instance.offset + slots.values)
        masks = np.frombuffer(content, np.int16, length, instance.offset + slots.seen)
        for i, (value, mask) in enumerate(zip(values.tolist(), masks.tolist(), strict=True)):
            yield Place(instance, slots, i, length, value, mask)


def uncertain(state: State, player: int) -> list[Place]:
    """The places that, as far as `player` sees, can hold different values."""
    hidden = [place for place in places(state) if not place.seen >> player & 1]
    values: dict[tuple[str, int], set[int]] = {}
    for place in hidden:
        if (mates := exchangeable(state, place)) is not None:
            values.setdefault(mates, set()).add(place.value)
    return [
        place
        for place in hidden
        if (
            place.slots.high > place.slots.low
            if (mates := exchangeable(state, place)) is None
            else len(values[mates]) > 1
        )
    ]


def exchangeable(state: State, place: Place) -> tuple[str, int] | None:
    """The pool and back within which a hidden value may be exchanged; ``None``: with no other."""
    if place.slots.pool is None:
        return None
    return place.slots.pool, state.table.backs[place.value] if state.table.backs else 0


def most_common_share(state: State, player: int, place: Place) -> float:
    """The probability of the likeliest value of a place that `player` does not know."""
    if place.slots.pool is None:
        return 1.0 / (place.slots.high - place.slots.low + 1)
    mates = exchangeable(state, place)
    values = [p.value for p in uncertain(state, player) if exchangeable(state, p) == mates]
    return max(Counter(values).values()) / len(values)


# --- cards --------------------------------------------------------------------------------


def count_cards(state: State) -> CardCounts:
    """How many of each card there are in all decks in play."""
    content = bytes(state)
    counts_by_set: dict[CardSet, Counter[int]] = {}
    for instance, slots in slotted(state.table.layout, state.players):
        if isinstance(instance.component, Deck):
            length = slot_length(content, instance, slots)
            cards = np.frombuffer(content, np.int16, length, instance.offset + slots.values)
            counts_by_set.setdefault(instance.component.card_set, Counter()).update(cards.tolist())
    return {cards: dict(counts) for cards, counts in counts_by_set.items()}


def show_card_change(before: CardCounts, after: CardCounts) -> str:
    """How the numbers of cards have changed, in words; empty if they have not."""
    changes = []
    for cards in {**before, **after}:
        was, later = Counter(before.get(cards)), Counter(after.get(cards))
        for kind, change in (("missing", was - later), ("too many", later - was)):
            changes += [f"{n} {cards.word(card)} {kind}" for card, n in sorted(change.items())]
    return ", ".join(changes)
