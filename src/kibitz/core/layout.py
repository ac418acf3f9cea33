"""The layout of a state: a common header, then the game's declared components.

A state is one block of bytes described by a NumPy structured dtype. A game declares the components
after the header as attributes of a ``GameState``. The dtype follows from these declarations, and
so do observations, redeterminization, texts, JSON and the features of learners.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from kibitz.core.errors import GameDefinitionError
from kibitz.core.features import Feature, TableDescription
from kibitz.core.parameters import GameParameters
from kibitz.core.randomness import Stream
from kibitz.core.status import MAX_PLAYERS

SEAT = np.dtype(
    [
        ("score", np.float64),  # in the game's own units
        ("returns", np.float64),  # the result, -1 .. 1
        ("place", np.int32),  # final place, 1 is first; 0 while playing
        ("out", np.int16),  # 1 once eliminated from the round or the game
        ("side", np.int16),  # the number of its side, by the table's ``sides``; never changes
    ]
)

_HEADER_FIELDS: list[Any] = [
    ("rng", np.int64, (4,)),  # the random stream of all chance but shuffles
    ("shuffle_key", np.int32, (3,)),  # what shuffles follow from (core/chance.py)
    ("shuffles_done", np.int16),  # the number of shuffles so far
    ("shuffle_deal", np.int16),  # the deal of the last one; -1: the game counts no deals
    ("shuffle_counts", np.int16, (8,)),  # those of this deal, by pile
    ("players", np.int32),  # seats at the table
    ("player", np.int32),  # whose decision it is
    ("status", np.int32),  # a Status
    ("phase", np.int32),  # a member of the game's phases
    ("turn", np.int32),  # turns completed
    ("round", np.int32),  # rounds completed
    ("tick", np.int32),  # actions applied; counted by the engine
    ("turn_owner", np.int32),  # whose turn it is, also while another one reacts
    ("first_player", np.int32),  # who began the round
    ("direction", np.int32),  # +1 or -1
    ("skip", np.int32),  # players to pass over at the end of the turn
    ("unsampled", np.int32),  # 1: no search samples this state; rules need not keep notes for it
]


def header_dtype(players: int) -> np.dtype[Any]:
    """The header of a state with this number of seats."""
    return np.dtype([*_HEADER_FIELDS, ("seat", SEAT, (players,))], align=True)


HEADER = header_dtype(MAX_PLAYERS)
"""The header in code for all games; a state has only the seats that its game allows."""


def header_offset(field: str) -> int:
    """The offset of a field of the header in a state, in bytes."""
    fields: Any = HEADER.fields
    return int(fields[field][1])


CHANCE = slice(0, header_offset("players"))
"""The bytes of a state that hold all its future chance, with which it begins."""


class Seat(Protocol):
    """One player's part of the header."""

    score: float
    returns: float
    place: int
    out: int
    side: int


class Visibility(enum.IntEnum):
    """The players who see the values that arrive in a component."""

    NOBODY = 0
    OWNER = 1
    EVERYONE = 2
    OTHERS = 3
    """Everyone but the owner, as with hands in Hanabi."""

    def mask(self, owner: int | None) -> int:
        """The players who see a component of `owner`, one bit each."""
        everyone = (1 << MAX_PLAYERS) - 1
        mine = 0 if owner is None else 1 << owner
        if self is Visibility.EVERYONE:
            return everyone
        if self is Visibility.OWNER:
            return mine
        return everyone & ~mine if self is Visibility.OTHERS else 0


EVERYONE = Visibility.EVERYONE.mask(None)
"""All players, one bit each."""


OWN_POOL = "own"
"""The pool of a component whose hidden pieces never mix with those of others."""
MEMORY = "\0memory"
"""The pool of numbers that are a player's memory, no pieces: zeros in samples for others."""


@dataclass(frozen=True)
class Slots:
    """An array of values that may be hidden, for observation and redeterminization.

    Offsets are in bytes from the component's start; values, masks and count have 16 bits.
    """

    values: int
    """The offset of the values."""
    seen: int
    """The offset of the masks of players who see each value."""
    count: int | None
    """The offset of the number of values in use; ``None``: all are in use."""
    capacity: int
    pool: str | None
    """The name of the pool within which hidden values are exchanged.

    ``OWN_POOL``: with those of the same component only; ``None``: each is redrawn on its own;
    ``MEMORY``: they are not pieces.
    """
    low: int = 0
    """The smallest value, for redrawing."""
    high: int = 0
    """The largest value, for redrawing and for counting."""
    shown_to: int | None = None
    """The offset of a mask of players who see every value in use, or ``None``."""
    ruled_out: int | None = None
    """The offset of 64-bit masks of the values below 63 that each place cannot hold, or ``None``.

    All players know them.
    """
    choice: bool = False
    """Whether it holds a choice, which the rules sample for each deal among what was legal."""


class Component:
    """Base of all components: a subclass declares a record and how the engine reads it.

    In rules, the attribute of the state is the record itself. The methods here serve the engine
    and work on a view of the record.
    """

    visible_to: Visibility = Visibility.EVERYONE
    card_set: Any = None
    """The ``CardSet`` of its cards; ``None`` if it holds none."""

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        """The layout of the record, large enough for every allowed value of the parameters."""
        raise GameDefinitionError(f"{type(self).__name__} declares no layout.")

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        """Writes the values that the record has before ``setup``."""

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        """The values that may be hidden; ``None``: all are open."""
        return None

    def pieces(self, view: Any) -> int:
        """The number of physical pieces that it holds now."""
        return 1

    def problem(self, view: Any) -> str | None:
        """What is wrong with its contents, in words; ``None`` if nothing is."""
        return None

    def to_json(self, view: Any) -> Any:
        """Its contents as JSON; hidden values are -1 in an observer's view."""
        raise GameDefinitionError(f"{type(self).__name__} has no JSON form.")

    def describe(self, view: Any) -> str:
        """Its contents in one or a few lines, for people."""
        raise GameDefinitionError(f"{type(self).__name__} has no text form.")

    is_shuffled: bool = False
    """Whether its record has a field ``number`` for its number among the piles of the game."""

    piece_kind: str = ""
    """The kind of its pieces, which move only between components of the same kind."""

    def contents(self, view: Any) -> Sequence[str | None] | None:
        """The names of its pieces, hidden ones as ``None``, from which their moves are inferred.

        ``None``: it has no pieces that move.
        """
        return None

    def number(self, view: Any) -> int | None:
        """The number that it shows, if its changes are worth an event."""
        return None

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterable[Feature]:
        """Its features in an observation (``core/features.py``), if any; `dtype` is its record's.

        Offsets are in bytes from the beginning of the record.
        """
        raise GameDefinitionError(f"{type(self).__name__} declares no features.")


class Area(Component):
    """A named group of components: subclass it and declare them as attributes."""

    def parts(self) -> dict[str, Component]:
        """The declared components by name."""
        return declared_components(type(self))


class PerPlayer(Component):
    """One component for each player: an array indexed by seat."""

    def __init__(self, component: Component) -> None:
        self.component = component


C = TypeVar("C", bound=Component)


def per_player(component: C) -> list[C]:
    """Declares a component for each player; rules index it by seat."""
    return cast("list[C]", PerPlayer(component))


def declared_components(cls: type) -> dict[str, Component]:
    """The component attributes of a class and its bases, in order of declaration."""
    components: dict[str, Component] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Component):
                components[name] = value  # noqa: PERF403 (reads better)
    return components


class GameState:
    """Base of a game's ``State``: the header's fields, and the components declared below it.

    The class is only a description; during play, rules receive a record with these fields.
    """

    rng: Stream
    shuffle_key: list[int]
    shuffles_done: int
    shuffle_deal: int
    shuffle_counts: list[int]
    players: int
    player: int
    status: int
    phase: int
    turn: int
    round: int
    tick: int
    turn_owner: int
    first_player: int
    direction: int
    skip: int
    unsampled: int
    seat: list[Seat]


@dataclass(frozen=True)
class Instance:
    """One component at its place in the state."""

    path: str
    """The path to the component as in rules, such as ``hands[2]``."""
    component: Component
    dtype: np.dtype[Any]
    offset: int
    owner: int | None


class Layout:
    """The offset and type of everything in a game's state."""

    def __init__(
        self, state: type[GameState], parameters: type[GameParameters], max_players: int
    ) -> None:
        self.max_players = max_players
        components = declared_components(state)
        header = header_dtype(max_players)
        fields: list[Any] = [(name, header.fields[name][0]) for name in header.names or ()]  # type: ignore[index]
        for name, component in components.items():
            if name in (header.names or ()):
                raise GameDefinitionError(
                    f"A component cannot be called {name!r}: that is in the header."
                )
            fields.append((name, self._dtype(component, parameters)))
        self.dtype = np.dtype(fields, align=True)
        self.instances = tuple(self._walk(components, self.dtype, 0, "", None))

    def _dtype(self, component: Component, parameters: type[GameParameters]) -> np.dtype[Any]:
        """The layout of a component, of one for each player, or of an area."""
        if isinstance(component, PerPlayer):
            return np.dtype((self._dtype(component.component, parameters), (self.max_players,)))
        if isinstance(component, Area):
            members = component.parts().items()
            return np.dtype([(n, self._dtype(m, parameters)) for n, m in members], align=True)
        return component.dtype(parameters)

    def _walk(
        self,
        components: Mapping[str, Component],
        dtype: np.dtype[Any],
        offset: int,
        prefix: str,
        owner: int | None,
    ) -> Iterator[Instance]:
        fields = cast("Mapping[str, tuple[np.dtype[Any], int]]", dtype.fields)
        for name, component in components.items():
            record, start = fields[name][:2]
            if isinstance(component, PerPlayer):
                record = record.base
                for p in range(self.max_players):
                    at = offset + start + p * record.itemsize
                    path = f"{prefix}{name}[{p}]"
                    yield from self._expand(component.component, record, at, path, p)
            else:
                yield from self._expand(component, record, offset + start, prefix + name, owner)

    def _expand(
        self,
        component: Component,
        dtype: np.dtype[Any],
        offset: int,
        path: str,
        owner: int | None,
    ) -> Iterator[Instance]:
        if isinstance(component, Area):
            yield from self._walk(component.parts(), dtype, offset, path + ".", owner)
        else:
            yield Instance(path, component, dtype, offset, owner)

    def in_play(self, players: int) -> Iterator[Instance]:
        """The instances that exist with this number of players."""
        for instance in self.instances:
            if instance.owner is None or instance.owner < players:
                yield instance
