"""Tokens, heaps of counters, and colours to choose from, as blocks."""
# ruff: noqa: D102 (documented once, on Block)

from __future__ import annotations

from dataclasses import dataclass

from kibitz.pictures.pen import Pen
from kibitz.pictures.symbols import SYMBOLS


@dataclass(frozen=True)
class Tokens:
    """Tokens in a row.

    Attributes:
        name: the word for the tokens.
        symbol: a key of ``SYMBOLS``.
        hue: their colour: a CSS class without ``kz-h-``.
    """

    thing_id: str
    name: str
    count: int
    symbol: str
    hue: str

    height = 20.0

    @property
    def width(self) -> float:
        return 20.0 * self.count

    def draw(self, pen: Pen, x: float, y: float) -> None:
        with pen.thing(self.thing_id, f"{self.count} {self.name}"):
            for number in range(self.count):
                kind = f"kz-piece kz-h-{self.hue}"
                pen.path(SYMBOLS[self.symbol], kind, x + 10 + 20 * number, y + 10, 8)
            pen.ring(x, y, self.width, 20, 5)


@dataclass(frozen=True)
class Swatch:
    """A colour that is in force, or can be chosen."""

    thing_id: str
    name: str
    hue: str
    size: float = 40.0

    @property
    def width(self) -> float:
        return self.size

    @property
    def height(self) -> float:
        return self.size

    def draw(self, pen: Pen, x: float, y: float) -> None:
        with pen.thing(self.thing_id, self.name):
            half = self.size / 2
            pen.circle(x + half, y + half, half - 2, f"kz-piece kz-h-{self.hue}")
            pen.ring(x, y, self.size, self.size, half)


@dataclass(frozen=True)
class Heap:
    """Counters in rows of five."""

    thing_id: str
    name: str
    count: int

    EACH = 5
    STEP = 22.0

    @property
    def width(self) -> float:
        return self.STEP * min(self.EACH, max(2, self.count)) + 12

    @property
    def height(self) -> float:
        return self.STEP * max(1, -(-self.count // self.EACH)) + 12

    def draw(self, pen: Pen, x: float, y: float) -> None:
        with pen.thing(self.thing_id, f"{self.name}: {self.count}"):
            pen.rect(x, y, self.width, self.height, "kz-cell", 8)
            for number in range(self.count):
                row, column = divmod(number, self.EACH)
                across, down = x + 17 + column * self.STEP, y + 17 + row * self.STEP
                pen.circle(across, down, 9, "kz-piece kz-h-blue")
            pen.ring(x, y, self.width, self.height, 8)
