"""Features: the numbers of an observation, and from where in the state each is read.

A component declares its features as places in the state and how they are read
(``Component.features``). From these the ``Encoder`` of a table makes the records that compiled
code follows, so nobody writes code that turns a state into numbers.

Categories, such as cards, are *one-hot*: a number for each value, 1.0 for the one that is there.
Where order does not matter, as in a hand, there is a *count* for each value instead. Numbers with
declared bounds are scaled to 0 .. 1. Numbers without bounds are *squashed*: x / (abs(x) + 16),
which keeps small numbers well apart and stays within -1 .. 1. (A 32-bit float tells whole numbers
apart up to about 10,000 so.) What the observer does not know is zeros, and where zero is a value,
too, a further number says whether it is known.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kibitz.core.parameters import GameParameters

HALF = 16.0
"""A squashed number of this size is 0.5."""


class Reading(enum.IntEnum):
    """How numbers are read from places in the state."""

    NUMBERS = 0
    """Each place gives (value - low) * scale; then 1 if it is known, where it may not be."""
    SQUASHED = 1
    """The same with x / (abs(x) + 16)."""
    ONE_HOT = 2
    """Each place gives as many numbers as there are values."""
    COUNTS = 3
    """How many places hold each value, times the scale; then how many of each back are hidden."""
    LAST = 4
    """The last place in use, one-hot: the top of a pile."""
    BITS = 5
    """Each bit of a row of 64-bit words."""
    SEATS = 6
    """Each place holds a seat and is one-hot, counted from the observer; -1 is none."""
    FLAGS = 7
    """Each place gives 1 if it is above zero."""
    SCORES = 8
    """Each place holds a 64-bit float, which is squashed."""
    OBSERVER = 9
    """The observer's own seat, one-hot."""


@dataclass(frozen=True)
class Feature:
    """Some numbers of an observation, and where they are read.

    Attributes:
        reading: how.
        at: where the first place lies, in bytes from the beginning of the component.
        names: of the numbers, in order: what each says.
        item: bytes of a value: 2, 4 or 8; values are signed.
        length: how many places.
        step: bytes from one place to the next; 0: `item`.
        width: how many values a category has, or bits a row.
        low: the lowest value.
        scale: what a number or count is multiplied with.
        seen: where the masks of players who know the values lie (16 bits each); ``None``: all do.
        seen_step: bytes from one mask to the next.
        count: where the 16-bit number of places in use lies; ``None``: all are.
        per_place: how much each place adds to that number.
        newest_first: whether the last place in use comes first.
        slots: which of the numbers each value from `low` on sets; -1: none. Empty: in order.
        seat: whose it is, where it is not the component's owner.
        private: whether only the owner's own is part of an observation.
    """

    reading: Reading
    at: int
    names: tuple[str, ...]
    item: int = 2
    length: int = 1
    step: int = 0
    width: int = 1
    low: int = 0
    scale: float = 1.0
    seen: int | None = None
    seen_step: int = 2
    count: int | None = None
    per_place: int = 1
    newest_first: bool = False
    slots: tuple[int, ...] = ()
    seat: int | None = None
    private: bool = False


@dataclass(frozen=True)
class TableDescription:
    """What is known of a table before a game, on which features may depend.

    Attributes:
        players: the number of seats.
        parameters: the game's parameters.
        backs: the back of each card; empty if all are the same.
        phases: the names of the game's phases.
    """

    players: int
    parameters: GameParameters
    backs: Sequence[int]
    phases: Sequence[str]

    @property
    def back_count(self) -> int:
        """How many backs there are."""
        return max(self.backs, default=0) + 1


def places(names: Sequence[str], length: int) -> list[str]:
    """Names for a number of places: those given, or numbered ones if there are too few."""
    if len(names) == length:
        return list(names)
    return [f"{names[0] if names else 'place'} {i + 1}" for i in range(length)]


def numbers(
    at: int,
    names: Sequence[str] = ("value",),
    *,
    length: int = 1,
    low: int = 0,
    high: int | None = None,
    item: int = 2,
    seen: int | None = None,
    count: int | None = None,
    step: int = 0,
    seen_step: int = 2,
    per_place: int = 1,
    newest_first: bool = False,
    private: bool = False,
) -> Feature:
    """Numbers: scaled to 0 .. 1, or -1 .. 1, by their bounds; squashed without."""
    said = places(names, length)
    if seen is not None:
        said = [text for name in said for text in (name, f"{name} is known")]
    bounded = high is not None
    reach = max(abs(low), abs(high)) if high is not None else 1
    return Feature(
        Reading.NUMBERS if bounded else Reading.SQUASHED,
        at,
        tuple(said),
        item=item,
        length=length,
        step=step,
        width=1 if seen is None else 2,
        low=low if bounded and low > 0 else 0,
        scale=1.0 / max(1, reach - max(0, low)) if bounded else 1.0,
        seen=seen,
        seen_step=seen_step,
        count=count,
        per_place=per_place,
        newest_first=newest_first,
        private=private,
    )


def one_hot(
    at: int,
    words: Sequence[str],
    names: Sequence[str] = ("",),
    *,
    length: int = 1,
    low: int = 0,
    item: int = 2,
    seen: int | None = None,
    count: int | None = None,
    slots: Sequence[int] = (),
    step: int = 0,
    seen_step: int = 2,
    per_place: int = 1,
    newest_first: bool = False,
    private: bool = False,
) -> Feature:
    """Places that hold one of several values each: a number for each place and value."""
    said = places(names, length)
    return Feature(
        Reading.ONE_HOT,
        at,
        tuple(f"{place} {word}".strip() for place in said for word in words),
        item=item,
        length=length,
        step=step,
        width=len(words),
        low=low,
        seen=seen,
        seen_step=seen_step,
        count=count,
        per_place=per_place,
        newest_first=newest_first,
        slots=tuple(slots),
        private=private,
    )


def counts(
    at: int,
    words: Sequence[str],
    table: TableDescription,
    *,
    capacity: int,
    count: int,
    seen: int | None,
    copies: int = 1,
) -> Feature:
    """How often each value is known to be in a pile, and how many values in it are unknown.

    Args:
        at: where the values lie.
        words: their names.
        table: what is known of it.
        capacity: of the pile.
        count: where the number in use lies.
        seen: where the masks lie.
        copies: how many of one value there can be.
    """
    hidden = [] if seen is None else ["hidden"]
    if hidden and table.back_count > 1:
        hidden = [f"hidden, back {back + 1}" for back in range(table.back_count)]
    return Feature(
        Reading.COUNTS,
        at,
        (*words, *hidden),
        length=capacity,
        width=len(words),
        scale=1.0 / max(1, copies),
        seen=seen,
        count=count,
    )


def last(at: int, words: Sequence[str], *, count: int, seen: int | None) -> Feature:
    """The value on top of a pile."""
    return Feature(
        Reading.LAST,
        at,
        tuple(f"{word} on top" for word in words),
        width=len(words),
        seen=seen,
        count=count,
    )


def bits(at: int, names: Sequence[str]) -> Feature:
    """The bits of a row of 64-bit words."""
    return Feature(Reading.BITS, at, tuple(names), item=8, width=len(names))


def seats(
    at: int,
    table: TableDescription,
    names: Sequence[str] = ("seat",),
    *,
    length: int = 1,
    item: int = 2,
    count: int | None = None,
) -> Feature:
    """Places that hold a seat each: one-hot, counted from the observer."""
    said = places(names, length)
    return Feature(
        Reading.SEATS,
        at,
        tuple(f"{p} {seat_name(s)}".strip() for p in said for s in range(table.players)),
        item=item,
        length=length,
        width=table.players,
        count=count,
    )


def flags(
    at: int,
    names: Sequence[str],
    *,
    length: int = 1,
    item: int = 2,
    seat: int | None = None,
) -> Feature:
    """Whether numbers are above zero."""
    return Feature(
        Reading.FLAGS, at, tuple(places(names, length)), item=item, length=length, seat=seat
    )


def seat_name(distance: int) -> str:
    """A seat as the observer counts: ``me``, ``+1`` (the next one), ``+2`` ..."""
    return f"+{distance}" if distance else "me"
