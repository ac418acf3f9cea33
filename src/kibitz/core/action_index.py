"""The index of every action at a table: its place in a learner's mask.

Kinds of actions follow one another; within a kind the operands are the digits of a number. So the
index of an action depends only on the action and the table.

Some actions have no such number: sets of cards, since there are more than any array could hold
(``ActionCode.digits`` is ``None``), and kinds with more than ``MOST_DIRECT`` actions. These share
a last block of indices, in which the place of an action is a hash of it (feature hashing:
Weinberger, Dasgupta, Langford, Smola and Attenberg, "Feature Hashing for Large Scale Multitask
Learning", 2009). If two legal actions of a state have the same hash, the later one in the list
takes the next free place; of k such actions this happens to about k * k / 8192. The block has room
for as many actions as a decision can have, so a mask has one bit for each legal action.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.actions import ACTION_LIST, KIND_BITS, MAX_ACTIONS, MAX_KINDS, ActionCode
from kibitz.core.memory import INT8, INT16, Address, array_at, record_at, stack_record
from kibitz.core.randomness import MASK32

if TYPE_CHECKING:
    from kibitz.core.state import State

INDEXED_KIND = np.dtype(
    [
        ("first", np.int64),  # the index of its first action
        ("digits", np.int64),  # address of its DIGIT records
        ("digit_count", np.int64),  # -1: its actions are indexed by a hash; -2: no such kind
        ("size", np.int64),  # number of its actions
    ]
)
_KIND_SIZE = INDEXED_KIND.itemsize
_GOLDEN = 0x61C88647
"""2**32 divided by the square of the golden ratio; its product with 32 bits fits into 63."""
_SHIFT = 32 - (MAX_ACTIONS - 1).bit_length()
DIGIT = np.dtype([("shift", np.int64), ("mask", np.int64), ("size", np.int64)])

ACTION_INDEX = np.dtype(
    [
        ("kinds", np.int64),  # address of MAX_KINDS records INDEXED_KIND, by kind
        ("kind_mask", np.int64),  # which bits of an action are its kind
        ("count", np.int64),  # number of indices
        ("direct", np.int64),  # number of indices that are not hashes
        ("kind_of", np.int64),  # address of the kind of each direct index, 16 bits each
    ]
)
"""The index of a table's actions, as compiled code knows it."""

TAKEN = np.dtype([("words", np.int64, (MAX_ACTIONS // 32,))])
"""The taken places of the last block: one bit each, 32 to a word."""


class ActionIndex:
    """The index of all actions at a table.

    Attributes:
        count: the number of indices, which is the length of a mask.
        direct: the number of indices that stand for one action each; they come first.
        address: of the ``ACTION_INDEX`` record.
    """

    def __init__(self, codes: Sequence[ActionCode]) -> None:
        self.codes = tuple(codes)
        self._by_kind = {code.kind: code for code in self.codes}
        self._first: dict[int | None, int] = {}
        kinds = np.zeros(MAX_KINDS, INDEXED_KIND)
        kinds["digit_count"] = -2
        digits: list[tuple[int, int, int]] = []
        starts: list[tuple[int, int]] = []
        kind_of: list[int] = []
        for code in self.codes:
            kind = code.kind or 0
            if code.size is None or code.digits is None:
                kinds[kind]["digit_count"] = -1
                continue
            self._first[code.kind] = len(kind_of)
            starts.append((kind, len(digits)))
            kinds[kind]["first"] = len(kind_of)
            kinds[kind]["digit_count"] = len(code.digits)
            kinds[kind]["size"] = code.size
            digits += [(digit.shift, (1 << digit.bits) - 1, digit.size) for digit in code.digits]
            kind_of += [kind] * code.size
        self.direct = len(kind_of)
        listed = any(code.size is None for code in self.codes)
        self.count = self.direct + (MAX_ACTIONS if listed else 0)
        self._digits = np.array(digits or [(0, 0, 1)], DIGIT)
        for kind, start in starts:
            kinds[kind]["digits"] = self._digits.ctypes.data + start * DIGIT.itemsize
        self._kinds = kinds
        self._kind_of = np.array(kind_of or [0], np.int16)
        record = np.zeros(1, ACTION_INDEX)
        record["kinds"] = kinds.ctypes.data
        record["kind_mask"] = 0 if None in self._by_kind else (1 << KIND_BITS) - 1
        record["count"] = self.count
        record["direct"] = self.direct
        record["kind_of"] = self._kind_of.ctypes.data
        self.record = record
        self.address = int(record.ctypes.data)

    def __len__(self) -> int:
        return self.count

    def index(self, action: int, state: State | None = None) -> int:
        """The place of an action in a mask.

        An action that is indexed by a hash needs a `state` in which it is legal.

        Raises:
            ValueError: there is no such action, or it needs a state and none is given.
        """
        code = self._code(action)
        if code is None:
            raise ValueError(f"there is no action {action} at this table")
        if code.size is None or code.digits is None:
            places = self._hashed(state, f"The action {action}")
            if action not in places:
                raise ValueError(f"the action {action} is not legal in this state")
            return self.direct + places[action]
        index = 0
        for shift, bits, size in code.digits:
            value = action >> shift & (1 << bits) - 1
            if value >= size:
                raise ValueError(f"there is no action {action} at this table")
            index = index * size + value
        return self._first[code.kind] + index

    def action(self, index: int, state: State | None = None) -> int:
        """The action at a place of a mask: the inverse of ``index``.

        Raises:
            IndexError: there is no such place.
            ValueError: the place is a hash, and no state is given or no legal action is there.
        """
        if not 0 <= index < self.count:
            raise IndexError(f"an action's index is within 0 .. {self.count - 1}; got {index}")
        if index >= self.direct:
            for action, place in self._hashed(state, f"The action at index {index}").items():
                if place == index - self.direct:
                    return action
            raise ValueError(f"no action at index {index} is legal in this state")
        kind = int(self._kind_of[index])
        code = self._by_kind[None if None in self._by_kind else kind]
        index -= self._first[code.kind]
        action = code.kind or 0
        for shift, _, size in reversed(code.digits or ()):
            index, value = divmod(index, size)
            action |= value << shift
        return action

    def _code(self, action: int) -> ActionCode | None:
        if None in self._by_kind:
            return self._by_kind[None]
        return self._by_kind.get(action & ((1 << KIND_BITS) - 1))

    def _hashed(self, state: State | None, subject: str) -> dict[int, int]:
        """The legal actions that are indexed by a hash, with their places in the last block."""
        if state is None:
            raise ValueError(f"{subject} is numbered among the legal actions: give the state.")
        taken = stack_record(TAKEN)
        codes = ((a, self._code(a)) for a in state.legal_actions())
        hashed = [a for a, code in codes if code is not None and code.size is None]
        return {action: hashed_place(action, taken) for action in hashed}


def index_of(index: Any, action: int) -> int:
    """The place of an action in a mask; -1: a hash indexes it; -2: there is no such action.

    Compiled; `index` is an ``ACTION_INDEX`` record.
    """
    kind = record_at(index.kinds + (action & index.kind_mask) * _KIND_SIZE, INDEXED_KIND)
    if kind.digit_count < 0:
        return kind.digit_count
    digits = array_at(kind.digits, DIGIT, kind.digit_count)
    number = 0
    for i in range(kind.digit_count):
        value = action >> digits[i].shift & digits[i].mask
        if value >= digits[i].size:
            return -2
        number = number * digits[i].size + value
    return int(kind.first + number)


def action_at(index: Any, number: int) -> int:
    """The action at a place of a mask below ``direct``: the inverse of ``index_of``. Compiled."""
    kind_number = array_at(index.kind_of, INT16, index.direct)[number]
    kind = record_at(index.kinds + kind_number * _KIND_SIZE, INDEXED_KIND)
    digits = array_at(kind.digits, DIGIT, kind.digit_count)
    quotient = number - kind.first
    action = kind_number & index.kind_mask
    for i in range(kind.digit_count - 1, -1, -1):
        size = digits[i].size
        action |= (quotient % size) << digits[i].shift
        quotient //= size
    return int(action)


def write_mask(index: Any, legal: Address, count: int, mask: Address) -> int:
    """Writes a mask: a byte for each index, 1 where the action is legal. Compiled.

    Args:
        index: the ``ACTION_INDEX`` record.
        legal: address of the ``ACTION_LIST``.
        count: number of actions in the list.
        mask: address of the mask, whose bytes are zeros.

    Returns:
        0, or 1 if the table has no such action.
    """
    items = record_at(legal, ACTION_LIST).items
    bytes_of = array_at(mask, INT8, index.count)
    taken = stack_record(TAKEN)
    if index.direct < index.count:
        clear_taken(taken)
    for i in range(count):
        at = index_of(index, items[i])
        if at == -2:
            return 1
        if at == -1:
            at = index.direct + hashed_place(items[i], taken)
        bytes_of[at] = 1
    return 0


def hashed_action(index: Any, legal: Address, count: int, place: int) -> int:
    """The legal action at a place of the last block, or -1. Compiled."""
    items = record_at(legal, ACTION_LIST).items
    taken = stack_record(TAKEN)
    clear_taken(taken)
    for i in range(count):
        if index_of(index, items[i]) == -1 and hashed_place(items[i], taken) == place:
            return int(items[i])
    return -1


def clear_taken(taken: Any) -> None:
    """Marks every place of the last block as free. Compiled."""
    for i in range(MAX_ACTIONS // 32):
        taken.words[i] = 0


def hashed_place(action: int, taken: Any) -> int:
    """The place in the last block of an action that is indexed by a hash. Compiled.

    It is the hash (multiplicative, by the golden ratio: Knuth, TAOCP 3, 6.4), or the next place
    that is free in the ``TAKEN`` record, and is marked as taken there.
    """
    mixed = (action ^ action >> 32) & MASK32
    place = (mixed * _GOLDEN & MASK32) >> _SHIFT
    while taken.words[place >> 5] >> (place & 31) & 1:
        place = (place + 1) & (MAX_ACTIONS - 1)
    taken.words[place >> 5] |= 1 << (place & 31)
    return place
