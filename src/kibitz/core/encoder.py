"""Observations as numbers: the encoder of a table.

``encode`` writes the observation of a seat straight from a state into memory of the caller: 32-bit
floats, always the same number at one table, with a name for each. It writes only what the seat
knows, with seats counted from it. For each observer there are ``FEATURE`` records, made from the
declarations of the components (``core/features.py``); so one compiled function serves all games.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.action_index import ACTION_INDEX, write_mask
from kibitz.core.contract import RULES, is_observation, legal_actions
from kibitz.core.errors import GameDefinitionError
from kibitz.core.features import (
    HALF,
    Feature,
    Reading,
    TableDescription,
    flags,
    numbers,
    one_hot,
    seat_name,
    seats,
)
from kibitz.core.hidden import mask_hidden
from kibitz.core.layout import HEADER, SEAT, Instance, header_offset
from kibitz.core.memory import (
    FLOAT32,
    FLOAT64,
    INT16,
    INT32,
    INT64,
    Address,
    array_at,
    call_int_5,
    clear_bytes,
    copy_bytes,
    record_at,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.status import Status

if TYPE_CHECKING:
    from kibitz.core.game import Table
    from kibitz.core.state import State

FEATURE = np.dtype(
    [
        ("reading", np.int64),  # a Reading
        ("first", np.int64),  # index of its first number in the observation
        ("at", np.int64),  # offset of the first place in the state
        ("item", np.int64),  # bytes of a value
        ("step", np.int64),  # bytes from one place to the next
        ("length", np.int64),  # number of places
        ("width", np.int64),  # number of values of a category
        ("low", np.int64),
        ("scale", np.float64),
        ("seen", np.int64),  # offset of the masks of players who know the values; -1: all do
        ("seen_step", np.int64),
        ("count", np.int64),  # offset of the number of places in use; -1: all
        ("per_place", np.int64),
        ("newest_first", np.int64),
        ("slots", np.int64),  # address of 16-bit numbers, or 0
        ("slot_count", np.int64),
        ("hidden_scale", np.float64),  # scale of the number of hidden values in a pile
        ("backs", np.int64),  # address of the back of each value, or 0
    ]
)

_FEATURE_SIZE = FEATURE.itemsize

ENCODER = np.dtype(
    [
        ("features", np.int64),  # FEATURE records, all of the first observer, then of the next
        ("feature_count", np.int64),  # records for each observer
        ("size", np.int64),  # numbers of an observation
        ("own", np.int64),  # int64 (context, state, player, out, 0): the game's features; or 0
        ("own_first", np.int64),  # index of the first number that the game writes
        ("state_size", np.int64),
        ("index", ACTION_INDEX),
    ]
)
"""An encoder as compiled code knows it."""

Array = np.ndarray[Any, Any]


class Encoder:
    """Writes observations and masks of legal actions at a table.

    Attributes:
        size: the number of numbers in an observation.
        names: the meaning of each number; ``me`` is the observer, ``+1`` the next seat.
        actions: the index of all actions.
        address: of the ``ENCODER`` record.
    """

    def __init__(self, table: Table) -> None:
        """
        Args:
            table: the table whose states are encoded.

        Raises:
            GameDefinitionError: a component declares no features, the game does not name its own,
                or it is played rule by rule, so that its components turn up only in play.
        """
        self.table = table
        self.actions = table.action_index
        self._kept: list[Any] = []  # arrays that only their addresses refer to
        per_observer = [list(_features(table, player)) for player in range(table.players)]
        names = [name for label, feature in per_observer[0] for name in _names(label, feature)]
        own = table.game.feature_names(table.players, table.parameters)
        self.own = tuple(own)
        self.names = _distinct([*names, *own])
        self.size = len(self.names)
        rows = [row for labelled in per_observer for row in self._rows([f for _, f in labelled])]
        self._features = np.array(rows, FEATURE)
        self.record = np.zeros(1, ENCODER)
        self.record["features"] = self._features.ctypes.data
        self.record["feature_count"] = len(per_observer[0])
        self.record["size"] = self.size
        self.record["own_first"] = len(names)
        self.record["state_size"] = table.state_size
        self.record["index"] = self.actions.record
        if own:
            self.record["own"] = table.own_features()
        self.address = int(self.record.ctypes.data)

    @functools.cached_property
    def _encode(self) -> Callable[..., None]:
        return self._bound("encode")

    @functools.cached_property
    def _mask(self) -> Callable[..., int]:
        return self._bound("mask")

    def _bound(self, name: str) -> Callable[..., Any]:
        """One of the functions below, to be called with a state, a seat and an array."""
        address = compile_native("the encoder", _EXPORTS)[name]
        return self.table.brief(_EXPORTS[name], address, self.address)

    @property
    def actions_count(self) -> int:
        """The length of a mask of actions."""
        return self.actions.count

    def index(self, action: int, state: State | None = None) -> int:
        """The place of an action in a mask: see ``ActionIndex.index``."""
        return self.actions.index(action, state)

    def action(self, index: int, state: State | None = None) -> int:
        """The action at a place of a mask: see ``ActionIndex.action``."""
        return self.actions.action(index, state)

    def encode(self, state: State, player: int, out: Array | None = None) -> Array:
        """The observation of a seat: `size` 32-bit floats.

        Args:
            state: a state of this table.
            player: the seat that observes, from 0.
            out: the array to fill; by default a new one.

        Raises:
            IndexError: there is no such seat.
            ValueError: `out` has another type or shape.
        """
        if not 0 <= player < self.table.players:
            raise IndexError(f"players are numbered 0 .. {self.table.players - 1}; got {player}")
        if out is None:
            out = np.empty(self.size, FLOAT32)
        else:
            _check(out, self.size, FLOAT32)
        self._encode(state.address, player, out)
        return out

    def mask(self, state: State, out: Array | None = None, player: int | None = None) -> Array:
        """The legal actions of the player to move, by index; none once the game is over.

        Args:
            state: a state of this table.
            out: the array to fill, of `actions_count` bytes or booleans; by default a new one.
            player: the seat that is asked, which has no legal actions out of turn; by default
                the player to move.

        Raises:
            ValueError: `out` has another type or shape.
            PlayError: the rules broke off the game.
        """
        if out is None:
            out = np.empty(self.actions.count, BOOL)
        else:
            _check(out, self.actions.count, out.dtype if out.dtype.itemsize == 1 else UINT8)
        seat = ANY_SEAT if player is None else player
        outcome = self._mask(state.address, seat, out)
        if outcome:
            if outcome == UNMASKED:
                state.check_playable()
                return out
            unknown = [a for a in state.legal_actions() if not self._has(a)]
            raise GameDefinitionError(
                f"{self.table}: the legal action {unknown[0]} is none of those that are declared."
            )
        return out

    def _has(self, action: int) -> bool:
        try:
            self.actions.index(action)
        except ValueError as problem:
            return "give the state" in str(problem)
        return True

    def _rows(self, features: list[Feature]) -> list[tuple[Any, ...]]:
        """The records of an observer's features, ordered by how they are read."""
        rows = []
        first = 0
        for f in features:
            pile = f.reading is Reading.COUNTS and f.seen is not None
            backs = self._address(self.table.backs) if pile and self.table.backs else 0
            row: tuple[Any, ...] = (
                f.reading,
                first,
                f.at,
                f.item,
                f.step or f.item,
                f.length,
                f.width,
            )
            row += (f.low, f.scale, -1 if f.seen is None else f.seen, f.seen_step)
            row += (-1 if f.count is None else f.count, f.per_place, f.newest_first)
            row += (self._address(f.slots) if f.slots else 0, len(f.slots))
            rows.append((*row, 1.0 / max(1, f.length), backs))
            first += len(f.names)
        return sorted(rows, key=lambda row: row[0])

    def _address(self, values: Any) -> int:
        array = np.array(values, np.int16)
        self._kept.append(array)
        return int(array.ctypes.data)


BOOL = np.dtype(np.bool_)
UINT8 = np.dtype(np.uint8)


def _check(out: Array, size: int, dtype: np.dtype[Any]) -> None:
    """Raises ValueError unless an array has this size and type."""
    if out.dtype != dtype or out.shape != (size,) or not out.flags.c_contiguous:
        raise ValueError(
            f"out should be a contiguous array of {size} numbers of type {dtype}; it "
            f"has type {out.dtype} and shape {out.shape}."
        )


# --- what an observation consists of --------------------------------------------------------


def _features(table: Table, observer: int) -> Iterator[tuple[str, Feature]]:
    """The features that an observer reads, with labels; offsets are from the state's beginning.

    Features of seats come in the order of seats from the observer on.
    """
    description = TableDescription(
        table.players, table.parameters, table.backs, table.rules.phase_names
    )
    features = [*_header_features(table, description), *_component_features(table, description)]
    of_seats: dict[tuple[str, int], dict[int, Feature]] = {}
    for label, number, f in features:
        if f.seat is not None:
            of_seats.setdefault((label, number), {})[f.seat] = f
    for label, number, f in features:
        if f.seat is None:
            yield label, f
        elif f.seat >= table.players:  # chance, which has no seat
            yield f"{label}[{f.seat}]", f
        elif not f.private or f.seat == 0:
            other = of_seats[label, number][(f.seat + observer) % table.players]
            if other.reading is Reading.OBSERVER:
                other = replace(other, low=observer)
            yield f"{label}[{seat_name(f.seat)}]", other


def _header_features(
    table: Table, description: TableDescription
) -> Iterator[tuple[str, int, Feature]]:
    """The features of the header, each with a label and a number that distinguishes equal labels.

    ``_component_features`` gives those of the components in the same form.
    """
    n = table.players

    def at(field: str) -> int:
        return header_offset(field)

    names = tuple(f"seat {p + 1}" for p in range(n))
    for p in range(n if n > 1 else 0):
        yield "I am", 0, Feature(Reading.OBSERVER, 0, names, width=n, seat=p, private=True)
    if n > 1:
        yield "to act", 0, seats(at("player"), description, ("",), item=4)
    if len(description.phases) > 1:
        yield "phase", 0, one_hot(at("phase"), description.phases, item=4)
    if table.game.timed:
        yield "turn", 0, numbers(at("turn"), ("",), item=4)
        yield "actions", 0, numbers(at("tick"), ("",), item=4)
    if table.game.language != "python":
        return
    if n > 1:
        yield "turn of", 0, seats(at("turn_owner"), description, ("",), item=4)
        yield "first player", 0, seats(at("first_player"), description, ("",), item=4)
    if n > 2:
        yield "direction", 0, numbers(at("direction"), ("",), item=4, low=-1, high=1)
        yield "skip", 0, numbers(at("skip"), ("",), item=4)
    yield "round", 0, numbers(at("round"), ("",), item=4)
    fields: Any = SEAT.fields
    for p in range(n):
        start = at("seat") + p * SEAT.itemsize
        score = Feature(Reading.SCORES, start + fields["score"][1], ("score",), item=8, seat=p)
        yield "seat", 0, score
        yield "seat", 1, flags(start + fields["out"][1], ("out",), seat=p)


def _component_features(
    table: Table, description: TableDescription
) -> Iterator[tuple[str, int, Feature]]:
    for instance in table.layout.in_play(table.players):
        label = instance.path
        if instance.owner is not None:
            label = label.replace(f"[{instance.owner}]", "", 1)
        for number, f in enumerate(instance.component.features(instance.dtype, description)):
            # features of seats belong together, like those of a component for each player
            yield label, -1 if f.seat is not None else number, _placed(f, instance)


def _placed(f: Feature, instance: Instance) -> Feature:
    """A feature with offsets from the beginning of the state, and its owner."""
    at = instance.offset
    return replace(
        f,
        at=f.at + at,
        seen=None if f.seen is None else f.seen + at,
        count=None if f.count is None else f.count + at,
        seat=instance.owner if f.seat is None else f.seat,
    )


def _distinct(names: list[str]) -> tuple[str, ...]:
    """The names with numbers on repeated ones, since equal cards have equal names."""
    counts: dict[str, int] = {}
    distinct = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        distinct.append(name if counts[name] == 1 else f"{name} #{counts[name]}")
    return tuple(distinct)


def _names(label: str, f: Feature) -> list[str]:
    return [f"{label}: {name}" if name else label for name in f.names]


# --- compiled -------------------------------------------------------------------------------


def encode(encoder: Any, rules: Any, state: Address, player: int, out: Address) -> None:
    """Writes the observation of a seat. Compiled.

    Args:
        encoder: the ``ENCODER`` record.
        rules: the ``RULES`` record; its scratch memory is used.
        state: address of the state.
        player: the seat that observes.
        out: address of ``encoder.size`` 32-bit floats.
    """
    clear_bytes(out, 4 * encoder.size)
    count = encoder.feature_count
    features = array_at(encoder.features + player * count * _FEATURE_SIZE, FEATURE, count)
    values = array_at(out, FLOAT32, encoder.size)
    at = 0
    while at < count and features[at].reading <= Reading.SQUASHED:
        write_numbers(features[at], state, player, values)
        at += 1
    while at < count and features[at].reading == Reading.ONE_HOT:
        write_one_hot(features[at], state, player, values)
        at += 1
    while at < count and features[at].reading == Reading.COUNTS:
        write_counts(features[at], state, player, values)
        at += 1
    while at < count and features[at].reading == Reading.LAST:
        write_last(features[at], state, player, values)
        at += 1
    while at < count and features[at].reading == Reading.BITS:
        write_bits(features[at], state, values)
        at += 1
    while at < count:
        write_rest(features[at], state, player, values)
        at += 1
    if encoder.own != 0:
        copy_bytes(rules.scratch, state, encoder.state_size)
        mask_hidden(rules, rules.scratch, player)
        call_int_5(
            encoder.own, rules.context, rules.scratch, player, out + 4 * encoder.own_first, 0
        )


def value_at(address: Address, item: int) -> int:
    """A signed integer of 2, 4 or 8 bytes. Compiled."""
    if item == 2:
        return int(array_at(address, INT16, 1)[0])
    if item == 4:
        return int(array_at(address, INT32, 1)[0])
    return int(array_at(address, INT64, 1)[0])


def places_in_use(f: Any, state: Address) -> int:
    """The number of places of a feature that are in use. Compiled."""
    if f.count < 0:
        return int(f.length)
    count = array_at(state + f.count, INT16, 1)[0] // f.per_place
    return min(count, int(f.length))


def is_known(f: Any, state: Address, place: int, player: int) -> bool:
    """Whether a player knows the value at a place. Compiled."""
    if f.seen < 0:
        return True
    return bool(array_at(state + f.seen + place * f.seen_step, INT16, 1)[0] >> player & 1)


def write_numbers(f: Any, state: Address, player: int, values: Any) -> None:
    """Writes numbers, scaled or squashed. Compiled."""
    count = places_in_use(f, state)
    for i in range(count):
        place = count - 1 - i if f.newest_first else i
        if is_known(f, state, place, player):
            value = value_at(state + f.at + place * f.step, f.item)
            at = f.first + i * f.width
            if f.reading == Reading.NUMBERS:
                values[at] = (value - f.low) * f.scale
            else:
                values[at] = value / (abs(value) + HALF)
            if f.width == 2:
                values[at + 1] = 1.0


def write_one_hot(f: Any, state: Address, player: int, values: Any) -> None:
    """Writes a category for each place. Compiled."""
    count = places_in_use(f, state)
    for i in range(count):
        place = count - 1 - i if f.newest_first else i
        if is_known(f, state, place, player):
            slot = value_at(state + f.at + place * f.step, f.item) - f.low
            if f.slots != 0:
                slots = array_at(f.slots, INT16, f.slot_count)
                slot = slots[slot] if 0 <= slot < f.slot_count else -1
            if 0 <= slot < f.width:
                values[f.first + i * f.width + slot] = 1.0


def write_counts(f: Any, state: Address, player: int, values: Any) -> None:
    """Writes the number of times each value is in a pile, and that of hidden values. Compiled.

    There is no branch on what is known: hidden values are counted behind the last visible one.
    """
    count = array_at(state + f.count, INT16, 1)[0]
    if count == 0:
        return
    first = f.first
    width = f.width
    cards = array_at(state + f.at, INT16, f.length)
    if f.seen < 0:
        for i in range(count):
            values[first + cards[i]] += f.scale
        return
    masks = array_at(state + f.seen, INT16, f.length)
    if f.backs != 0:
        backs = array_at(f.backs, INT16, width)
        for i in range(count):
            if masks[i] >> player & 1:
                values[first + cards[i]] += f.scale
            else:
                card = cards[i]  # in an observation it is -1 minus its back
                values[first + width + (backs[card] if card >= 0 else -1 - card)] += f.hidden_scale
        return
    known = 0
    for i in range(count):
        visible = masks[i] >> player & 1
        known += visible
        values[first + (cards[i] if visible else width)] += f.scale
    values[first + width] = (count - known) * f.hidden_scale


def write_last(f: Any, state: Address, player: int, values: Any) -> None:
    """Writes the value on top of a pile. Compiled."""
    count = array_at(state + f.count, INT16, 1)[0]
    if count > 0 and is_known(f, state, count - 1, player):
        values[f.first + array_at(state + f.at, INT16, count)[count - 1]] = 1.0


def write_bits(f: Any, state: Address, values: Any) -> None:
    """Writes the bits of words. Compiled."""
    words = array_at(state + f.at, INT64, (f.width + 63) >> 6)
    for i in range(f.width):
        values[f.first + i] = float(words[i >> 6] >> (i & 63) & 1)


def write_rest(f: Any, state: Address, player: int, values: Any) -> None:
    """Writes seats, flags, scores, and the observer's own seat. Compiled."""
    if f.reading == Reading.OBSERVER:
        values[f.first + f.low] = 1.0
        return
    count = places_in_use(f, state)
    for i in range(count):
        address = state + f.at + i * f.step
        if f.reading == Reading.SEATS:
            seat = value_at(address, f.item)
            if 0 <= seat < f.width:
                seat = seat - player
                values[f.first + i * f.width + (seat if seat >= 0 else seat + f.width)] = 1.0
        elif f.reading == Reading.FLAGS:
            values[f.first + i] = 1.0 if value_at(address, f.item) > 0 else 0.0
        else:
            score = array_at(address, FLOAT64, 1)[0]
            values[f.first + i] = score / (abs(score) + HALF)


ANY_SEAT = -1
"""The seat of ``_mask`` that stands for the player to move."""

MASKED, UNKNOWN, UNMASKED = 0, 1, 2
"""Results of ``_mask``. UNKNOWN: a legal action has no declared kind. UNMASKED: the legal actions
are not known, in an observation or a broken game."""


def _encode(rules: int, encoder: int, state: int, player: int, out: int) -> None:
    encode(record_at(encoder, ENCODER), record_at(rules, RULES), state, player, out)


def _mask(rules: int, encoder: int, state: int, player: int, out: int) -> int:
    index = record_at(encoder, ENCODER).index
    header = record_at(state, HEADER)
    clear_bytes(out, index.count)
    if header.status != Status.PLAYING or (player != ANY_SEAT and player != header.player):
        return MASKED
    if is_observation(header):
        return UNMASKED
    record = record_at(rules, RULES)
    count = legal_actions(record, state, record.actions)
    if count == 0:
        return UNMASKED
    return write_mask(index, record.actions, count, out)


_EXPORTS = {
    "encode": Export(_encode, "viiiia", brief=True),
    "mask": Export(_mask, "iiiiia", brief=True),
}


__all__ = ["ENCODER", "FEATURE", "Encoder", "encode"]
