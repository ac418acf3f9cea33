"""The components of a GDL state: facts, committed moves and, in GDL-II, memories."""
# ruff: noqa: D102 (documented once, on Component)

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kibitz.core.errors import GameDefinitionError
from kibitz.core.features import Feature, TableDescription, bits, flags, numbers, one_hot
from kibitz.core.layout import Component, Slots, Visibility
from kibitz.core.parameters import GameParameters

MOST_ONE_HOT = 4096
"""The most numbers with which the moves of a memory are one-hot in an observation."""
QUARTERS = 4
"""The 16-bit numbers of a 64-bit word of facts, and of an entry of a memory."""


class Facts(Component):
    """The facts of a state, with a bit for each fact.

    Args:
        names: the facts in KIF; the prover appends to it during play.
        most: the most facts, if more may be appended.
        hidden: whether no player sees the facts, as in GDL-II.
    """

    def __init__(self, names: list[str], most: int | None = None, hidden: bool = False) -> None:
        self.names = names
        self.most = max(1, len(names)) if most is None else most
        self.hidden = hidden
        self.visible_to = Visibility.NOBODY if hidden else Visibility.EVERYONE

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        # hidden facts have an extra bit, which is set only by masking
        words = -(-(self.most + self.hidden) // 64)
        fields: list[Any] = [("bits", np.int64, (words,))]
        if self.hidden:
            fields.append(("seen", np.int16, (QUARTERS * words,)))
        return np.dtype(fields, align=True)

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        if not self.hidden:
            return None
        fields: Any = dtype.fields
        # slots are quarters of the words; the rules resample them
        return Slots(0, fields["seen"][1], None, dtype["seen"].shape[0], None, 0, 0)

    def are_hidden(self, view: Any) -> bool:
        """Whether the facts are masked in this observation."""
        return self.hidden and bool(view.bits[len(view.bits) - 1] < 0)

    def true(self, view: Any) -> list[str]:
        """The names of the facts that are true; empty if they are masked."""
        if self.are_hidden(view):
            return []
        return [name for i, name in enumerate(self.names) if view.bits[i >> 6] >> (i & 63) & 1]

    def to_json(self, view: Any) -> Any:
        return None if self.are_hidden(view) else self.true(view)

    def describe(self, view: Any) -> str:
        return "hidden" if self.are_hidden(view) else " ".join(self.true(view)) or "nothing"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the bits of the facts; nothing if they are hidden.

        Raises:
            GameDefinitionError: more facts may be appended.
        """
        if self.most > len(self.names) and self.names != [] and self.most != 1:
            raise GameDefinitionError(
                "The rules are evaluated one by one, so what can be true turns up only in play: "
                "there are no observations of a fixed length. Simplify the rules until they can "
                "be grounded; `kibitz check` says what prevents it."
            )
        if not self.hidden:
            yield bits(0, self.names)


class Commitments(Component):
    """The move that each role has chosen for this step: its number plus 1, or 0 for none.

    If they are hidden, as in games of simultaneous moves, each role sees only its own.
    """

    def __init__(self, roles: int, hidden: bool) -> None:
        self.roles = roles
        self.hidden = hidden
        self.visible_to = Visibility.OWNER if hidden else Visibility.EVERYONE

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        fields: list[Any] = [("moves", np.int32, (self.roles,))]
        if self.hidden:
            fields.append(("seen", np.int16, (2 * self.roles,)))
        return np.dtype(fields, align=True)

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        if self.hidden:
            for half in range(2 * self.roles):
                view.seen[half] = 1 << half // 2

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        if not self.hidden:
            return None
        # slots are halves of the moves
        return Slots(0, 4 * self.roles, None, 2 * self.roles, None, choice=True)

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        return [bool(view.moves[i] > 0) for i in range(self.roles)]

    def describe(self, view: Any) -> str:
        made = [str(i + 1) for i in range(self.roles) if view.moves[i] > 0]
        return ", ".join(made) or "none"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields whether each role has chosen."""
        for role in range(self.roles):
            yield flags(4 * role, ("chosen",), item=4, seat=role)


class Memory(Component):
    """A role's private record of each step: its move and its percepts.

    An entry has the number of the move plus 1, and the number of the percepts.

    Args:
        capacity: the most steps that can be remembered.
        moves: the moves in KIF; the prover appends to it during play.
    """

    visible_to = Visibility.OWNER

    def __init__(self, capacity: int, moves: list[str]) -> None:
        self.capacity = capacity
        self.moves = moves

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype(
            [
                ("count", np.int16),  # of the 16-bit numbers in use
                ("entries", np.int32, (self.capacity, 2)),
                ("seen", np.int16, (self.capacity, QUARTERS)),
            ],
            align=True,
        )

    def slots(self, dtype: np.dtype[Any]) -> Slots:
        fields: Any = dtype.fields
        entries_at, seen_at = fields["entries"][1], fields["seen"][1]
        return Slots(entries_at, seen_at, 0, self.capacity * QUARTERS, None, 0, 0)

    def problem(self, view: Any) -> str | None:
        steps, remainder = divmod(view.count, QUARTERS)
        if remainder or not 0 <= steps <= self.capacity:
            return f"it claims {view.count} numbers, which is no number of steps it can hold"
        for step in range(steps):
            if not -1 <= view.entries[step, 0] <= len(self.moves):
                return f"there is no move as it has in step {step + 1}"
        return None

    def entries(self, view: Any) -> list[tuple[int, int]]:
        """The number of the move and of the percepts in each step; -1 for an unknown move."""
        steps, entries = view.count // QUARTERS, view.entries
        return [(max(-1, entries[step, 0] - 1), entries[step, 1]) for step in range(steps)]

    def to_json(self, view: Any) -> Any:
        return [self.moves[move] if move >= 0 else None for move, _ in self.entries(view)]

    def describe(self, view: Any) -> str:
        return " ".join(move or "?" for move in self.to_json(view)) or "nothing yet"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields for each step, latest first, the move, and the percepts as a number."""
        fields: Any = dtype.fields
        entries_at = fields["entries"][1]
        where: Any = {
            "length": self.capacity,
            "item": 4,
            "step": 8,
            "seen": fields["seen"][1],
            "seen_step": 2 * QUARTERS,
            "count": 0,
            "per_place": QUARTERS,
            "newest_first": True,
            "private": True,
        }
        if self.capacity * len(self.moves) <= MOST_ONE_HOT:
            yield one_hot(entries_at, self.moves, ("move",), low=1, **where)
        else:
            yield numbers(entries_at, ("move",), high=len(self.moves), **where)
        yield numbers(entries_at + 4, ("percepts",), high=2**31 - 1, **where)
