"""Single numbers on the table: counters, dice, tokens; and notes.

Each may be hidden from some players. To those who do not see it a die or counter may have any
value in its range; hidden tokens are exchanged within their pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.actions import Domain
from kibitz.core.errors import GameDefinitionError
from kibitz.core.features import Feature, TableDescription, numbers, one_hot
from kibitz.core.layout import MEMORY, Component, Slots, Visibility
from kibitz.core.parameters import GameParameters
from kibitz.core.randomness import random_below
from kibitz.core.results import fail
from kibitz.core.status import MAX_PLAYERS, Status

if TYPE_CHECKING:
    from kibitz.core.layout import GameState

UNBOUNDED = 32767
"""The upper bound of a counter that declares none: the largest number of 16 bits."""

_OPEN = np.dtype([("value", np.int16)])
_HIDEABLE = np.dtype([("value", np.int16), ("seen", np.int16)])


class _Number(Component):
    """A 16-bit value in low .. high, and the players who see it unless everybody does.

    An open number has no field ``seen``, so rules that hide it neither run nor compile.
    """

    value: int
    seen: int

    def __init__(self, low: int, high: int, start: int, visible_to: Visibility) -> None:
        if not -32768 <= low <= start <= high <= 32767:
            raise GameDefinitionError(
                f"low <= start <= high must hold within 16 bits; got {low}, {start}, {high}."
            )
        if low < 0 and visible_to is not Visibility.EVERYONE:
            raise GameDefinitionError("A number that may be hidden cannot be negative.")
        self.low, self.high, self.start = low, high, start
        self.visible_to = visible_to

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return _OPEN if self.visible_to is Visibility.EVERYONE else _HIDEABLE

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        view.value = self.start
        if self.visible_to is not Visibility.EVERYONE:
            view.seen = self.visible_to.mask(owner)

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        if self.visible_to is Visibility.EVERYONE:
            return None
        return Slots(0, 2, None, 1, self._pool(), self.low, self.high)

    def _pool(self) -> str | None:
        return None

    def problem(self, view: Any) -> str | None:
        hidden = view.value == -1 and self.visible_to is not Visibility.EVERYONE
        if self.low <= view.value <= self.high or hidden:
            return None
        return f"its value {view.value} is outside {self.low} .. {self.high}"

    def to_json(self, view: Any) -> Any:
        return view.value

    def number(self, view: Any) -> int | None:
        """The value, if it is visible and has more than two possible values."""
        if view.value < 0 <= self.low or self.high - self.low < 2:
            return None
        return int(view.value)

    def describe(self, view: Any) -> str:
        return "?" if view.value < 0 <= self.low else str(view.value)

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the value, scaled by its bounds, and whether it is known if it may be hidden."""
        seen_at = 2 if self.slots(dtype) is not None else None
        high = None if self.high == UNBOUNDED else self.high
        yield numbers(0, ("",), low=self.low, high=high, seen=seen_at)


class Counter(_Number):
    """Declares a number that rules count up and down between two bounds."""

    def __init__(
        self,
        low: int = 0,
        high: int = UNBOUNDED,
        start: int | None = None,
        visible_to: Visibility = Visibility.EVERYONE,
    ) -> None:
        super().__init__(low, high, low if start is None else start, visible_to)


class Die(_Number):
    """Declares a die with the faces 1 .. `sides`; it shows 1 until rolled."""

    def __init__(self, sides: int = 6, visible_to: Visibility = Visibility.EVERYONE) -> None:
        super().__init__(1, sides, 1, visible_to)
        self.sides = sides

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype([*super().dtype(parameters).descr, ("sides", np.int16)])

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        super().initialize(view, owner, parameters)
        view.sides = self.sides


class Token(_Number, Domain):
    """Declares a piece of one of several kinds, such as a face-down treasure.

    The value is the kind's index in `kinds`.
    """

    def __init__(
        self,
        kinds: Sequence[str],
        visible_to: Visibility = Visibility.EVERYONE,
        pool: str | None = None,
    ) -> None:
        Domain.__init__(self, kinds)
        _Number.__init__(self, 0, len(kinds) - 1, 0, visible_to)
        self.pool = pool or "token:" + ",".join(kinds)
        self.piece_kind = self.pool

    def _pool(self) -> str | None:
        return self.pool

    def to_json(self, view: Any) -> Any:
        return None if view.value < 0 else self.word(view.value)

    def number(self, view: Any) -> int | None:
        """Returns ``None``: the kinds of a token have no order."""
        return None

    def contents(self, view: Any) -> list[str | None]:
        """Its one piece in words; ``None`` if it is hidden."""
        return [None if view.value < 0 else self.word(view.value)]

    def describe(self, view: Any) -> str:
        return "?" if view.value < 0 else self.word(view.value)

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the kind, one-hot; zeros if it is hidden."""
        seen_at = 2 if self.slots(dtype) is not None else None
        yield one_hot(0, self.words, seen=seen_at)


def change(state: GameState, counter: Counter, by: int, low: int, high: int) -> None:
    """Adds `by` to a counter; outside `low` .. `high` the game is broken off as a full buffer."""
    value = counter.value + by
    if value < low or value > high:
        fail(state, Status.FULL_BUFFER)
        return
    counter.value = value


def roll(state: GameState, die: Any) -> int:
    """Rolls a die; only players who see it know the result."""
    die.value = 1 + random_below(state.rng, die.sides)
    return int(die.value)


def show_value(number: _Number, player: int) -> None:
    """Lets `player` see a hidden number, die or token."""
    number.seen |= 1 << player


def show_value_to_all(number: _Number) -> None:
    """Reveals a hidden number, die or token to everyone."""
    number.seen = (1 << MAX_PLAYERS) - 1


def hide_value(number: _Number, owner: int) -> None:
    """Hides a number, die or token from everyone but `owner`, as in a secret choice."""
    number.seen = 1 << owner


class Note(Component):
    """Declares numbers that rules remember and that are not pieces.

    They hold what players could write down: who asked for a card, which guess failed. Rules read
    and write ``note.values[i]``.

    Args:
        length: the number of values.
        visible_to: who remembers them. Unless everyone does, the numbers have 16 bits, and are
            zeros in the samples of an observer who cannot know them.

    Raises:
        GameDefinitionError: `visible_to` is ``NOBODY``.
    """

    values: list[int]
    seen: list[int]

    def __init__(self, length: int = 1, visible_to: Visibility = Visibility.EVERYONE) -> None:
        if visible_to is Visibility.NOBODY:
            raise GameDefinitionError("A note needs somebody who sees it: declare visible_to.")
        self.length = length
        self.visible_to = visible_to
        self.private = visible_to is not Visibility.EVERYONE

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        if self.private:
            return np.dtype([(name, np.int16, (self.length,)) for name in ("values", "seen")])
        return np.dtype([("values", np.int32, (self.length,))])

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        if self.private:
            if owner is None:
                raise GameDefinitionError("A private note has an owner: declare it per_player.")
            for i in range(self.length):
                view.seen[i] = self.visible_to.mask(owner)

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        if not self.private:
            return None
        fields: Any = dtype.fields
        return Slots(fields["values"][1], fields["seen"][1], None, self.length, MEMORY)

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        return list(view.values)

    def describe(self, view: Any) -> str:
        return ", ".join(str(v) for v in view.values)

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the numbers, squashed, since they have no bounds."""
        item = 2 if self.private else 4
        seen_at = dtype.fields["seen"][1] if self.private else None  # type: ignore[index]
        yield numbers(0, ("number",), length=self.length, item=item, seen=seen_at)
