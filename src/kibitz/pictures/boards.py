"""Boards, maps and dice as blocks."""
# ruff: noqa: D102 (documented once, on Block)

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kibitz.components.boards import Graph
from kibitz.pictures.pen import Pen, slug
from kibitz.pictures.pieces import Piece, draw_piece
from kibitz.pictures.symbols import PIPS
from kibitz.pictures.text import fitting_size, shortened


@dataclass(frozen=True)
class Square:
    """A cell of a board.

    Attributes:
        name: the cell in words: ``column 2, row 3``, ``b3``.
        pieces: the pieces there, the lowest first.
        holds: the pieces in words.
    """

    thing_id: str
    name: str
    pieces: Sequence[Piece] = ()
    holds: str = ""


@dataclass(frozen=True)
class GridPicture:
    """A board of square cells.

    Attributes:
        rows: the cells, from the top; ``None`` where the board has no cell.
        columns, lines: the names of columns and rows, shown at the edges; empty: not shown.
        pattern: ``plain``, ``checkered``, or ``frame``: an upright frame with holes.
        shafts: the ids of columns, if columns are clicked instead of cells.
        blocks: columns and rows of each inner board, on a board of boards; (0, 0) otherwise.
        ties: pairs of cells, by column and row, that a line connects.
    """

    rows: Sequence[Sequence[Square | None]]
    most: float
    columns: Sequence[str] = field(default=())
    lines: Sequence[str] = field(default=())
    pattern: str = "plain"
    shafts: Sequence[str] = field(default=())
    blocks: tuple[int, int] = (0, 0)
    ties: Sequence[Sequence[tuple[int, int]]] = field(default=())

    @property
    def _cell(self) -> float:
        across = max((len(row) for row in self.rows), default=1)
        return min((self.most - 2 * self._edge) / across, 88.0, 520 / max(1, len(self.rows)))

    @property
    def _edge(self) -> float:
        return 18.0 if self.lines else 0.0

    @property
    def width(self) -> float:
        return self._cell * max((len(row) for row in self.rows), default=1) + 2 * self._edge

    @property
    def height(self) -> float:
        return self._cell * len(self.rows) + (18.0 if self.columns else 0.0)

    def draw(self, pen: Pen, x: float, y: float) -> None:
        cell = self._cell
        x += self._edge
        for number, row in enumerate(self.rows):
            for column, square in enumerate(row):
                if square is not None:
                    self._square(pen, square, x, y, column, number)
            if self.lines:
                middle = y + (number + 0.5) * cell + 4
                pen.text(x - 6, middle, self.lines[number], 11, "kz-quiet", "end")
        self._heavy_lines(pen, x, y)
        for (c1, r1), (c2, r2) in self.ties:
            at = (x + (c1 + 0.5) * cell, y + (r1 + 0.5) * cell)
            pen.line(*at, x + (c2 + 0.5) * cell, y + (r2 + 0.5) * cell, "kz-tie")
        for column, word in enumerate(self.columns):
            low = y + len(self.rows) * cell + 14
            pen.text(x + (column + 0.5) * cell, low, word, 11, "kz-quiet", "middle")
        for column, thing_id in enumerate(self.shafts):
            shaft_x, high = x + column * cell, len(self.rows) * cell
            with pen.thing(thing_id, f"column {self.columns[column]}"):
                pen.rect(shaft_x, y, cell, high, "kz-shaft")
                pen.ring(shaft_x + 2, y + 2, cell - 4, high - 4, 6)

    def _square(self, pen: Pen, square: Square, x: float, y: float, column: int, row: int) -> None:
        cell = self._cell
        cell_x, cell_y = x + column * cell, y + row * cell
        with pen.thing(square.thing_id, f"{square.name}: {square.holds or 'empty'}"):
            kind = "kz-cell"
            if self.pattern == "frame":
                kind = "kz-frame"
            elif self.pattern == "checkered" and (column + row) % 2:
                kind = "kz-cell kz-second"
            pen.rect(cell_x, cell_y, cell, cell, kind)
            if self.pattern == "frame":
                pen.circle(cell_x + cell / 2, cell_y + cell / 2, cell * 0.4, "kz-hole")
            for piece in square.pieces:
                with pen.piece(f"{piece.shape} {piece.hue} {piece.word}"):
                    draw_piece(pen, piece, cell_x + cell / 2, cell_y + cell / 2, cell)
            pen.ring(cell_x + 2, cell_y + 2, cell - 4, cell - 4, 4)

    def _heavy_lines(self, pen: Pen, x: float, y: float) -> None:
        """Draws the lines between the inner boards of a board of boards."""
        across, down = self.blocks
        wide, high = self.width - 2 * self._edge, self._cell * len(self.rows)
        for column in range(across, len(self.rows[0]), across) if across else ():
            at = x + column * self._cell
            pen.line(at, y, at, y + high, "kz-heavy")
        for row in range(down, len(self.rows), down) if down else ():
            at = y + row * self._cell
            pen.line(x, at, x + wide, at, "kz-heavy")


@dataclass(frozen=True)
class DieFace:
    """A die: by its pips or, with more than six sides, by its number; ``None``: hidden."""

    thing_id: str
    name: str
    value: int | None
    sides: int

    width = 44.0
    height = 44.0

    def draw(self, pen: Pen, x: float, y: float) -> None:
        shown = "hidden" if self.value is None else str(self.value)
        with pen.thing(self.thing_id, f"{self.name}: {shown}"):
            pen.rect(x, y, 44, 44, "kz-face", 9)
            if self.value is None:
                pen.text(x + 22, y + 31, "?", 26, "kz-ink kz-h-paper kz-bold", "middle")
            elif self.sides <= 6:
                for dx, dy in PIPS[self.value]:
                    pen.circle(x + 22 + 12 * dx, y + 22 + 12 * dy, 4, "kz-ink kz-h-paper")
            else:
                pen.text(x + 22, y + 30, shown, 22, "kz-ink kz-h-paper kz-bold", "middle")
            pen.ring(x, y, 44, 44, 9)


@functools.lru_cache(maxsize=64)
def _positions(places: int, links: tuple[tuple[int, int], ...]) -> list[tuple[float, float]]:
    """Positions of places in the unit square, such that linked places are near each other.

    Fruchterman, Reingold, "Graph Drawing by Force-directed Placement", Software: Practice and
    Experience 21 (1991), from places on a circle, so that the result is always the same.
    """
    spots = [
        (
            0.5 + 0.5 * math.cos(2 * math.pi * i / places),
            0.5 + 0.5 * math.sin(2 * math.pi * i / places),
        )
        for i in range(places)
    ]
    ideal = 1 / math.sqrt(max(1, places))
    for step in range(60 if places <= 60 else 0):
        moves = [[0.0, 0.0] for _ in spots]
        for a in range(places):
            for b in range(a):
                dx, dy = spots[a][0] - spots[b][0], spots[a][1] - spots[b][1]
                far = max(1e-3, math.hypot(dx, dy))
                push = ideal * ideal / far / far
                for end, sign in ((a, 1), (b, -1)):
                    moves[end][0] += sign * dx * push
                    moves[end][1] += sign * dy * push
        for a, b in links:
            dx, dy = spots[a][0] - spots[b][0], spots[a][1] - spots[b][1]
            pull = math.hypot(dx, dy) / ideal
            for end, sign in ((a, -1), (b, 1)):
                moves[end][0] += sign * dx * pull
                moves[end][1] += sign * dy * pull
        heat = 0.1 * (1 - step / 60)
        for i, (dx, dy) in enumerate(moves):
            far = max(1e-9, math.hypot(dx, dy))
            reach = min(far, heat)
            spots[i] = (spots[i][0] + dx / far * reach, spots[i][1] + dy / far * reach)
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    wide, high = max(1e-6, max(xs) - min(xs)), max(1e-6, max(ys) - min(ys))
    return [((x - min(xs)) / wide, (y - min(ys)) / high) for x, y in spots]


@dataclass(frozen=True)
class GraphPicture:
    """Places, the links between them, and what lies at each.

    Attributes:
        contents: what lies at each place, in words; empty for nothing.
    """

    graph: Graph
    contents: Mapping[str, str]
    most: float

    @property
    def width(self) -> float:
        return min(self.most, 900)

    @property
    def height(self) -> float:
        return max(200.0, min(self.width * 0.75, 520))

    def draw(self, pen: Pen, x: float, y: float) -> None:
        links = tuple(
            sorted(
                {
                    (min(a, int(b)), max(a, int(b)))
                    for a, near in enumerate(self.graph.neighbours)
                    for b in near
                    if b >= 0
                }
            )
        )
        spots = [
            (x + 45 + px * (self.width - 90), y + 24 + py * (self.height - 62))
            for px, py in _positions(len(self.graph), links)
        ]
        for a, b in links:
            pen.line(*spots[a], *spots[b], "kz-link")
        for (px, py), place in zip(spots, self.graph.words, strict=True):
            content = self.contents.get(place, "")
            with pen.thing(f"place-{slug(place)}", f"{place}: {content or 'empty'}"):
                pen.circle(px, py, 15, "kz-place")
                size = fitting_size(content, 28, 13, 7)
                pen.text(px, py + size * 0.35, shortened(content, 60, size), size, anchor="middle")
                pen.text(px, py + 29, shortened(place, 90, 11), 11, "kz-quiet", "middle")
                pen.ring(px - 17, py - 17, 34, 34, 17)
