"""Boards: rectangular grids, and graphs of named places.

Contents are small integers whose meaning a game defines; 0 is an empty place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kibitz.core.actions import Domain
from kibitz.core.errors import FileError, GameDefinitionError
from kibitz.core.features import Feature, TableDescription, numbers, one_hot
from kibitz.core.layout import OWN_POOL, Component, Slots, Visibility
from kibitz.core.parameters import GameParameters, read_json_object

Size = int | str
"""The width or height of a board: a number, or the name of the parameter that sets it."""


class GridBoard(Component):
    """Declares a grid of cells.

    Args:
        width, height: numbers or names of parameters; `height` defaults to `width`.
        symbols: the letters that show the contents 0, 1, 2, ...
        visible_to: who sees the contents.
        pool: hidden contents are exchanged with those of all boards of the same pool; by
            default with those of this board only.
    """

    width: int
    height: int
    cells: list[int]
    seen: list[int]

    def __init__(
        self,
        width: Size,
        height: Size | None = None,
        symbols: str = ".XO",
        visible_to: Visibility = Visibility.EVERYONE,
        pool: str = OWN_POOL,
    ) -> None:
        self._width: Size = width
        self._height: Size = width if height is None else height
        self.symbols = symbols
        self.visible_to = visible_to
        self.pool = pool

    def _capacity(self, parameters: type[GameParameters]) -> int:
        return _largest(self._width, parameters) * _largest(self._height, parameters)

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        fields: list[Any] = [("width", np.int16), ("height", np.int16)]
        fields.append(("cells", np.int16, (self._capacity(parameters),)))
        if self.visible_to is not Visibility.EVERYONE:
            fields.append(("seen", np.int16, (self._capacity(parameters),)))
            fields.append(("size", np.int16))  # cells in use, since parameters set the size
        return np.dtype(fields)

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        view.width = _actual(self._width, parameters)
        view.height = _actual(self._height, parameters)
        if self.visible_to is not Visibility.EVERYONE:
            view.size = view.width * view.height
            for i in range(view.size):
                view.seen[i] = self.visible_to.mask(owner)

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        if self.visible_to is Visibility.EVERYONE:
            return None
        fields: Any = dtype.fields
        cells, masks, size = (fields[name][1] for name in ("cells", "seen", "size"))
        capacity = fields["cells"][0].shape[0]
        return Slots(cells, masks, size, capacity, self.pool, 0, len(self.symbols) - 1)

    def pieces(self, view: Any) -> int:
        return int(view.width * view.height)

    def problem(self, view: Any) -> str | None:
        if view.width < 1 or view.height < 1 or view.width * view.height > len(view.cells):
            return f"{view.width} x {view.height} cells do not fit into {len(view.cells)}"
        if self.visible_to is not Visibility.EVERYONE and view.size != view.width * view.height:
            return f"{view.size} of its {view.width} x {view.height} cells are in use"
        for i in range(len(view.cells)):
            if not -1 <= view.cells[i] < len(self.symbols):
                return f"cell {i} holds {view.cells[i]}, which has no symbol"
            if view.cells[i] and i >= view.width * view.height:
                return f"cell {i} beyond the board is not empty"
        return None

    def to_json(self, view: Any) -> Any:
        return [
            [view.cells[y * view.width + x] for x in range(view.width)] for y in range(view.height)
        ]

    def describe(self, view: Any) -> str:
        rows = ["    " + " ".join(str(x) for x in range(view.width))]
        for y, row in enumerate(self.to_json(view)):
            cells = " ".join("?" if v < 0 else self.symbols[v] for v in row)
            rows.append(f"{y:>3} {cells}")
        return "\n".join(rows)

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the symbol of each cell, one-hot; zeros where it is hidden."""
        fields: Any = dtype.fields
        width = _actual(self._width, table.parameters)
        height = _actual(self._height, table.parameters)
        yield one_hot(
            fields["cells"][1],
            tuple(self.symbols),
            [f"{x}, {y}" for y in range(height) for x in range(width)],
            length=width * height,
            seen=None if self.visible_to is Visibility.EVERYONE else fields["seen"][1],
        )


def cell_at(board: GridBoard, x: int, y: int) -> int:
    """The content of column `x`, row `y`, which must be on the board."""
    return board.cells[y * board.width + x]


def set_cell(board: GridBoard, x: int, y: int, value: int) -> None:
    """Sets the content of column `x`, row `y`, which must be on the board."""
    board.cells[y * board.width + x] = value


def show_cell(board: GridBoard, x: int, y: int, player: int) -> None:
    """Lets `player` see the content of a cell of a hidden board."""
    board.seen[y * board.width + x] |= 1 << player


def hide_cell(board: GridBoard, x: int, y: int, player: int) -> None:
    """Makes `player` forget the content of a cell of a hidden board."""
    board.seen[y * board.width + x] &= ~(1 << player)


def on_board(board: GridBoard, x: int, y: int) -> bool:
    """Whether the board has a column `x` and a row `y`."""
    return 0 <= x < board.width and 0 <= y < board.height


class Graph(Domain):
    """Named places and their neighbours: the map of a ``GraphBoard``.

    Attributes:
        degree: number of neighbours of each place, an array for rules to read.
        neighbours: the neighbours of each place, padded with -1; shape (places, max degree).
    """

    def __init__(self, places: Sequence[str], edges: Sequence[tuple[str, str]]) -> None:
        super().__init__(places)
        index = {name: i for i, name in enumerate(places)}
        if len(index) != len(places):
            raise GameDefinitionError("Two places of a graph have the same name.")
        linked: list[list[int]] = [[] for _ in places]
        for a, b in edges:
            if a not in index or b not in index:
                raise GameDefinitionError(f"The edge {a} - {b} names an unknown place.")
            linked[index[a]].append(index[b])
            linked[index[b]].append(index[a])
        self.degree = np.array([len(near) for near in linked], np.int64)
        width = max(1, max((len(near) for near in linked), default=1))
        self.neighbours = np.full((len(places), width), -1, np.int64)
        for i, near in enumerate(linked):
            self.neighbours[i, : len(near)] = near

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Graph:
        """Reads ``{"places": [name, ...], "edges": [[name, name], ...]}``.

        Raises:
            FileError: the file cannot be read or has another form.
        """
        document = read_json_object(path)
        try:
            return cls(
                [str(name) for name in document["places"]],
                [(str(a), str(b)) for a, b in document["edges"]],
            )
        except GameDefinitionError as problem:
            raise FileError(f"{path}: {problem}") from None
        except (KeyError, TypeError, ValueError) as problem:
            raise FileError(f"{path}: a graph needs places and edges ({problem!r}).") from None


class GraphBoard(Component):
    """Declares one or more numbers for each place of a graph.

    Rules read and write ``board.at[place, track]``; `tracks` names the second index. Where the
    board is hidden, ``board.seen[place, track]`` is the set of players who know the number.

    Args:
        graph: the places and their neighbours.
        tracks: names of the numbers that each place has.
        visible_to: who sees the numbers.
        high: the largest number, needed if the board is hidden.
        pool: hidden numbers are exchanged with those of all boards of the same pool; by
            default with those of this board only.
    """

    at: Any
    seen: Any

    def __init__(
        self,
        graph: Graph,
        tracks: Sequence[str] = ("content",),
        visible_to: Visibility = Visibility.EVERYONE,
        high: int = 1,
        pool: str = OWN_POOL,
    ) -> None:
        self.graph = graph
        self.tracks = tuple(tracks)
        self.visible_to = visible_to
        self.high = high
        self.pool = pool

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        shape = (len(self.graph), len(self.tracks))
        hidden = self.visible_to is not Visibility.EVERYONE
        names = ("at", "seen") if hidden else ("at",)
        return np.dtype([(name, np.int16, shape) for name in names])

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        if self.visible_to is not Visibility.EVERYONE:
            for i in range(len(self.graph)):
                for t in range(len(self.tracks)):
                    view.seen[i, t] = self.visible_to.mask(owner)

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        if self.visible_to is Visibility.EVERYONE:
            return None
        fields: Any = dtype.fields
        capacity = len(self.graph) * len(self.tracks)
        return Slots(fields["at"][1], fields["seen"][1], None, capacity, self.pool, 0, self.high)

    def problem(self, view: Any) -> str | None:
        if self.visible_to is not Visibility.EVERYONE:
            for i in range(len(self.graph)):
                for t in range(len(self.tracks)):
                    if not -1 <= view.at[i, t] <= self.high:
                        return f"{self.graph.word(i)} holds {view.at[i, t]}, above {self.high}"
        return None

    def pieces(self, view: Any) -> int:
        return len(self.graph)

    def to_json(self, view: Any) -> Any:
        return {
            place: {track: view.at[i, t] for t, track in enumerate(self.tracks) if view.at[i, t]}
            for i, place in enumerate(self.graph.words)
        }

    def describe(self, view: Any) -> str:
        lines = []
        for place, tracks in self.to_json(view).items():
            if tracks:
                lines.append(f"  {place}: " + ", ".join(f"{t} {v}" for t, v in tracks.items()))
        return "\n" + "\n".join(lines) if lines else "empty"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields every number of every place."""
        fields: Any = dtype.fields
        hidden = self.visible_to is not Visibility.EVERYONE
        yield numbers(
            fields["at"][1],
            [f"{place} {track}" for place in self.graph.words for track in self.tracks],
            length=len(self.graph) * len(self.tracks),
            high=self.high if hidden else None,
            seen=fields["seen"][1] if hidden else None,
        )


def _largest(size: Size, parameters: type[GameParameters]) -> int:
    if isinstance(size, int):
        return size
    if size not in parameters.tunables:
        raise GameDefinitionError(f"A board's size is {size!r}, which is not a parameter.")
    return parameters.tunables[size].largest


def _actual(size: Size, parameters: GameParameters) -> int:
    return size if isinstance(size, int) else int(parameters[size])
