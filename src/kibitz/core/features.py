"""Features: the numbers of an observation, and where in the state each is read.

A component declares its features as places in the state and the way to read them
(``Component.features``). From these the ``Encoder`` of a table makes the records that compiled
code follows, so games need no code that turns a state into numbers.

Categories, such as cards, are *one-hot*: one number for each value, 1.0 for the present one. Where
order does not matter, as in a hand, there is a *count* for each value instead. Numbers with
declared bounds are scaled to 0 .. 1. Numbers without bounds are *squashed*: x / (abs(x) + 16),
which keeps small numbers well apart and stays within -1 .. 1. (As 32-bit floats, squashed whole
numbers are distinct up to about 10,000.) Unknown values are zeros; where zero is also a value, a
further number says whether the value is known.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kibitz.core.parameters import GameParameters

HALF = 16.0
"""The number that is squashed to 0.5."""


class Reading(enum.IntEnum):
    """The ways to read numbers from places in the state."""

    NUMBERS = 0
    """Each place gives (value - low) * scale; if it may be hidden, then 1 where it is known."""
    SQUASHED = 1
    """Each place gives x / (abs(x) + 16) for x; if it may be hidden, then 1 where it is known."""
    ONE_HOT = 2
    """Each place gives a number for each possible value, 1 for the value that it has."""
    COUNTS = 3
    """The number of places with each value, times the scale; then that of hidden ones, by back."""
    LAST = 4
    """The last place in use, one-hot: the top of a pile."""
    BITS = 5
    """Each bit of a row of 64-bit words gives 0 or 1."""
    SEATS = 6
    """Each place holds a seat, or -1, and is one-hot, counted from the observer."""
    FLAGS = 7
    """Each place gives 1 if its value is above zero."""
    SCORES = 8
    """Each place holds a 64-bit float, which is squashed."""
    OBSERVER = 9
    """The observer's own seat, one-hot."""


@dataclass(frozen=True)
class Feature:
    """Consecutive numbers of an observation that are read from the state in one way.

    Offsets are in bytes from the beginning of the component.

    Attributes:
        reading: the way in which they are read.
        at: the offset of the first place.
        names: the meaning of each number.
        item: bytes of a value: 2, 4 or 8; values are signed.
        length: the number of places.
        step: bytes from one place to the next; 0: `item`.
        width: the number of values of a category, or of bits in a row.
        low: the value that becomes 0, or the first one of a category.
        scale: the factor of a number or count.
        seen: the offset of the 16-bit masks of players who know the values; ``None``: all do.
        seen_step: bytes from one mask to the next.
        count: the offset of the 16-bit number that counts the places in use; ``None``: all are.
        per_place: the amount that each place in use adds to that number.
        newest_first: whether the last place in use comes first.
        slots: the index of the number that each value from `low` on sets, or -1; empty: in order.
        seat: the owner, if it is not that of the component.
        private: whether only the owner's observation has it.
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
    """What features may depend on: properties of a table that are known before a game.

    Attributes:
        players: the number of seats.
        parameters: those of the game.
        backs: the back of each card; empty if all are the same.
        phases: the names of the game's phases.
    """

    players: int
    parameters: GameParameters
    backs: Sequence[int]
    phases: Sequence[str]

    @property
    def back_count(self) -> int:
        """The number of different backs."""
        return max(self.backs, default=0) + 1


def places(names: Sequence[str], length: int) -> list[str]:
    """Names for `length` places: `names` if there are as many, else numbered ones."""
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
    """Numbers: scaled to 0 .. 1 or -1 .. 1 if `high` is given, else squashed."""
    labels = places(names, length)
    if seen is not None:
        labels = [text for name in labels for text in (name, f"{name} is known")]
    bounded = high is not None
    reach = max(abs(low), abs(high)) if high is not None else 1
    return Feature(
        Reading.NUMBERS if bounded else Reading.SQUASHED,
        at,
        tuple(labels),
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
    """Places that each hold one of several values: a number for each place and value."""
    labels = places(names, length)
    return Feature(
        Reading.ONE_HOT,
        at,
        tuple(f"{place} {word}".strip() for place in labels for word in words),
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
    """The number of known copies of each value in a pile, and that of unknown values.

    Args:
        at: the offset of the values.
        words: the names of the values.
        table: decides into how many backs unknown values are divided.
        capacity: the capacity of the pile.
        count: the offset of the number of values in use.
        seen: the offset of the masks of players who know the values.
        copies: the maximum number of copies of a value.
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
    """Places that each hold a seat: one-hot, counted from the observer."""
    labels = places(names, length)
    return Feature(
        Reading.SEATS,
        at,
        tuple(f"{p} {seat_name(s)}".strip() for p in labels for s in range(table.players)),
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
    """The name of a seat by its distance from the observer: ``me``, ``+1`` (the next), ..."""
    return f"+{distance}" if distance else "me"
